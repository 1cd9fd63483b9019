//! A crate is compiled again if an image that it names changes, or a variable in the image's path.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::{Command, Output},
};

const MANIFEST: &str = "[package]\nname = \"changed-file\"\nedition = \"2024\"\n[lib]\npath = \"lib.rs\"\n[workspace]\n";

/// The kernel is in the module and the struct is in a function, so both forms depend on the file.
const SOURCE: &str = r#"
kernel_args::kernels! { pub mod one = concat!("kernels-", env!("KERNEL_ARGS_TEST_KIND"), ".ptx"); }

#[derive(kernel_args::KernelArgs)]
#[kernel_args(kernel = one::k)]
pub struct ByItem { n: u32 }

#[derive(kernel_args::KernelArgs)]
#[kernel_args(ptx = "shorthand.ptx")]
pub struct ByPath { n: u32 }
"#;

fn lay_out(name: &str, source: &str) -> io::Result<PathBuf> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let package = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&package)?;
    let library = tests.with_file_name("kernel-args");
    let dependency = format!(
        "[dependencies.kernel-args]\npath = {:?}\ndefault-features = false\nfeatures = [\"debug-info\"]\n",
        library.to_string_lossy()
    );
    fs::write(
        package.join("Cargo.toml"),
        MANIFEST.replace("changed-file", name) + &dependency,
    )?;
    fs::write(package.join("lib.rs"), source)?;
    fs::copy(
        tests.with_file_name("Cargo.lock"),
        package.join("Cargo.lock"),
    )?;
    Ok(package)
}

fn write(package: &Path, file: &str, ty: &str) {
    let text = format!(".version 7.0\n.target sm_70\n.entry k(.param .{ty} p) {{ ret; }}\n");
    fs::write(package.join(file), text).expect("the image can be written");
}

fn check(package: &Path, kind: &str) -> io::Result<Output> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent();
    Command::new(env!("CARGO"))
        .args(["check", "--offline", "--quiet", "--color=never"])
        .current_dir(package)
        .env("KERNEL_ARGS_TEST_KIND", kind)
        .envs(target.map(|target| ("CARGO_TARGET_DIR", target)))
        .env_remove("RUSTFLAGS")
        .output()
}

/// The number of fields that do not match; `None` if the crate does not compile for a different reason.
fn wrong_fields(package: &Path, kind: &str) -> Option<usize> {
    let output = check(package, kind).expect("cargo runs");
    let message = String::from_utf8_lossy(&output.stderr);
    let wrong = message
        .matches("`n` does not match parameter 0 of kernel `k`")
        .count();
    let errors = message.matches("error[").count();
    if output.status.success() != (wrong == 0) || errors != wrong {
        eprintln!("{message}");
        return None;
    }
    Some(wrong)
}

#[test]
#[cfg_attr(miri, ignore = "it starts a compiler")]
fn a_changed_image_is_compared_again() {
    let package = lay_out("changed-file", SOURCE).expect("the crate can be laid out");
    for (file, ty) in [
        ("kernels-a.ptx", "u32"),
        ("kernels-b.ptx", "f64"),
        ("shorthand.ptx", "u32"),
    ] {
        write(&package, file, ty);
    }
    assert_eq!(wrong_fields(&package, "a"), Some(0), "all is right");
    write(&package, "kernels-a.ptx", "f32");
    assert_eq!(
        wrong_fields(&package, "a"),
        Some(1),
        "an image of the same length"
    );
    write(&package, "shorthand.ptx", "u64");
    assert_eq!(wrong_fields(&package, "a"), Some(2), "both");
    write(&package, "kernels-a.ptx", "u32");
    write(&package, "shorthand.ptx", "u32");
    assert_eq!(wrong_fields(&package, "a"), Some(0), "right again");
    assert_eq!(
        wrong_fields(&package, "b"),
        Some(1),
        "another value of the variable"
    );
}

/// A parameter with the name `from` in the debug information.
const DESCRIBED: &str = r#"
kernel_args::kernels! { pub mod one = "shade.ptx", debug_info = "shade.debug.ptx"; }

#[derive(kernel_args::KernelArgs)]
#[kernel_args(kernel = one::fade)]
pub struct Fade {
    out: kernel_args::DevicePointerMut<f32>,
    #[kernel_args(name = "from")]
    first: f32,
    to: f32,
    n: i32,
}
"#;

/// The file is not embedded, but is read again after a change.
#[test]
#[cfg_attr(miri, ignore = "it starts a compiler")]
fn a_changed_debug_file_is_compared_again() {
    let package = lay_out("changed-debug-file", DESCRIBED).expect("the crate can be laid out");
    let ptx = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ptx");
    let read = |name: &str| fs::read_to_string(ptx.join(name)).expect("the PTX is there");
    let (image, debug) = (read("shade.ptx"), read("shade.debug.ptx"));
    // Its name in bytes: `from`, `grom`.
    let other = debug.replace("102,114,111,109,0", "103,114,111,109,0");
    assert_ne!(debug, other);
    fs::write(package.join("shade.ptx"), image).expect("the image can be written");
    for (text, is_right) in [(&debug, true), (&other, false), (&debug, true)] {
        fs::write(package.join("shade.debug.ptx"), text).expect("the file can be written");
        let output = check(&package, "").expect("cargo runs");
        let message = String::from_utf8_lossy(&output.stderr);
        let said =
            message.contains("the kernel has no parameter `from`; it has `out`, `grom`, `to`, `n`");
        assert_eq!(
            (output.status.success(), said),
            (is_right, !is_right),
            "{message}"
        );
    }
}
