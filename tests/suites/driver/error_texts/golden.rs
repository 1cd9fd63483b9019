//! The golden file: one text for each error.

use kernel_args_tests::driver::Driver;
use std::{collections::BTreeMap, fs, sync::Mutex};

const GOLDEN: &str = include_str!("../../../golden/errors.txt");

/// The texts of this run.
static SEEN: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());

/// The GPU of the golden texts: the first line of the file.
fn gpu() -> &'static str {
    GOLDEN.lines().next().unwrap_or_default()
}

/// The first line of a file with this driver's texts.
fn title(driver: &Driver) -> String {
    format!("# {driver}")
}

/// Compares the text of an error with the golden text, if the GPU is the same.
pub(super) fn compare(driver: &Driver, name: &str, text: &str) -> Result<(), String> {
    let text = without_addresses(text);
    SEEN.lock().expect("no trial panics here").insert(name.to_owned(), text.clone());
    if gpu() != title(driver) || blessing() {
        return Ok(());
    }
    match golden(name) {
        Some(golden) if golden == text => Ok(()),
        Some(golden) => Err(format!("{text}\nis not the golden text\n{golden}")),
        None => Err(format!("no golden text for this error:\n{text}")),
    }
}

fn golden(name: &str) -> Option<String> {
    let (_, rest) = GOLDEN.split_once(&format!("\n## {name}\n"))?;
    let text = rest.split("\n## ").next()?;
    Some(text.trim_end().to_owned())
}

/// Replaces addresses and the bytes after them, which differ between runs.
fn without_addresses(text: &str) -> String {
    let mut parts = text.split("0x");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_hexdigit());
        out.push_str("0x…");
        match rest.strip_prefix("  [").and_then(|bytes| bytes.split_once(']')) {
            Some((_, rest)) => out.extend(["  […]", rest]),
            None => out.push_str(rest),
        }
    }
    out.trim_end().to_owned()
}

fn blessing() -> bool {
    std::env::var_os("KERNEL_ARGS_BLESS").is_some_and(|value| value == "1")
}

/// Writes the texts of a GPU if this is requested.
pub(super) fn close(driver: &Driver) {
    if !blessing() || !driver.is_real() {
        return;
    }
    let mut file = title(driver) + "\n";
    for (name, text) in &*SEEN.lock().expect("no trial panics here") {
        file.extend(["\n## ", name, "\n", text, "\n"]);
    }
    let sources = kernel_args_tests::sources();
    let path = sources.map_or_else(|| "errors.txt".into(), |sources| sources.join("tests/golden/errors.txt"));
    match fs::write(&path, file) {
        Ok(()) => println!("wrote {}", path.display()),
        Err(error) => println!("cannot write {}: {error}", path.display()),
    }
}
