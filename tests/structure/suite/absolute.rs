//! Absolute paths in the files of the repository: they are correct on one machine only.

use std::path::Path;

/// The first folders of paths that a file may name: folders of every machine and of CUDA, a folder that does not exist,
/// inputs of functions that only read the path, and ends of paths.
const ALLOWED: &[&str] = &[
    "bin", "dev", "proc", "usr", "opt", "nowhere", "a", "out", "src", "library", "registry", "rustc", "suites", "tests",
];

/// Whether a path can begin after this byte.
fn is_before(byte: u8) -> bool {
    byte.is_ascii_whitespace() || b"\0\"'`([=,:;<|".contains(&byte)
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_.+-".contains(&byte)
}

/// The first folders of the absolute paths that `bytes` contains and that are not allowed.
fn folders(bytes: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in bytes.iter().enumerate().filter(|(_, byte)| **byte == b'/') {
        let rest = &bytes[at + 1..];
        let name = &rest[..rest.iter().position(|byte| !is_name(*byte)).unwrap_or(rest.len())];
        let begins = at == 0 || is_before(bytes[at - 1]);
        if begins && name.first().is_some_and(u8::is_ascii_alphabetic) && rest.get(name.len()) == Some(&b'/') {
            found.push(String::from_utf8_lossy(name).into_owned());
        }
    }
    found.retain(|name| !ALLOWED.contains(&&**name));
    found.sort();
    found.dedup();
    found
}

/// The bytes that PTX declares in lines such as `.b8 47,116`: debug information contains paths as numbers.
fn declared(text: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(text);
    let lines = text.lines().filter_map(|line| line.trim().strip_prefix(".b8 "));
    lines.flat_map(|line| line.split(',')).filter_map(|number| number.trim().parse().ok()).collect()
}

/// The absolute paths in a file.
pub(crate) fn paths(file: &str, bytes: &[u8]) -> Vec<String> {
    let mut found = folders(bytes);
    let hint = if Path::new(file).extension().is_some_and(|extension| extension == "ptx") {
        found.extend(folders(&declared(bytes)));
        "; compile it in `/`"
    } else {
        ""
    };
    found.into_iter().map(|folder| format!("{file}: a path in the folder `/{folder}` of a machine{hint}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_of_a_machine_is_found_as_text_and_as_numbers() {
        let [home, tmp] = ["home", "tmp"].map(|folder| format!("/{folder}/k.cu"));
        for text in [home.clone(), format!("see `{home}`"), format!("\"--x={home}\""), format!("\0{home}\0")] {
            assert_eq!(paths("k.cubin", text.as_bytes()), ["k.cubin: a path in the folder `/home` of a machine"]);
        }
        let numbers: Vec<String> = tmp.bytes().map(|byte| byte.to_string()).collect();
        let text = format!("\t.b8 1,2,0\n\t.b8 {}\n", numbers.join(","));
        assert_eq!(paths("k.ptx", text.as_bytes()).len(), 1);
        assert_eq!(paths("k.rs", text.as_bytes()), [""; 0]);
    }

    #[test]
    fn a_relative_path_a_division_and_a_common_folder_are_no_findings() {
        for text in
            ["../tmp/k.cu", "{root}/tmp/k", "https://home/x", "a /b", "</p>/", "/usr/bin/cc", "1 /2/ 3", "x/y/z"]
        {
            assert_eq!(paths("k.rs", text.as_bytes()), [""; 0], "{text}");
        }
    }
}
