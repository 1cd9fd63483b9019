//! Compiles the library that `kernel-args trace` loads into a program. The program contains it, because `cargo install`
//! installs programs only. The library needs the standard library alone, so this is one call of rustc.

use std::{env, fs, path::PathBuf, process::Command};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=tracer");
    let library = if env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux") {
        match compile() {
            Ok(library) => format!("Some(include_bytes!({:?}))", library.display().to_string()),
            Err(why) => {
                println!("cargo::error=the tracer cannot be compiled: {}", why.replace('\n', " | "));
                return;
            }
        }
    } else {
        String::from("None")
    };
    let text = format!("/// The tracer, on Linux.\nconst LIBRARY: Option<&[u8]> = {library};\n");
    if let Err(error) = fs::write(out().join("tracer.rs"), text) {
        println!("cargo::error=tracer.rs cannot be written: {error}");
    }
}

fn out() -> PathBuf {
    env::var_os("OUT_DIR").map(PathBuf::from).unwrap_or_default()
}

fn compile() -> Result<PathBuf, String> {
    let library = out().join("libkernel_args_tracer.so");
    let variable = |name| env::var(name).map_err(|_| format!("{name} is not set"));
    let target = variable("TARGET")?;
    let mut rustc = Command::new(variable("RUSTC")?);
    rustc
        .args(["--edition", "2024", "--crate-name", "kernel_args_tracer", "--crate-type", "cdylib"])
        .args(["-O", "-C", "strip=symbols", "-C", "codegen-units=1", "--cap-lints", "warn"])
        .args(["--target", &target])
        .arg("-o")
        .arg(&library)
        .arg(PathBuf::from(variable("CARGO_MANIFEST_DIR")?).join("tracer/lib.rs"));
    // The options for the linker, with which cargo links the program too.
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let options = flags.split('\u{1f}').map(|flag| flag.strip_prefix("-C").unwrap_or(flag));
    let options: Vec<_> = options.filter(|option| option.starts_with("link")).collect();
    rustc.args(options.iter().flat_map(|option| ["-C", option]));
    if let Ok(linker) = env::var("RUSTC_LINKER") {
        rustc.arg("-C").arg(format!("linker={linker}"));
    } else if target != variable("HOST")? && !options.iter().any(|option| option.starts_with("linker=")) {
        // rustc would link with the host's `cc`. GCC of `aarch64-unknown-linux-gnu` is `aarch64-linux-gnu-gcc`.
        let parts: Vec<_> = target.split('-').filter(|part| *part != "unknown").collect();
        rustc.arg("-C").arg(format!("linker={}-gcc", parts.join("-")));
    }
    let output = rustc.output().map_err(|error| error.to_string())?;
    if output.status.success() { Ok(library) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}
