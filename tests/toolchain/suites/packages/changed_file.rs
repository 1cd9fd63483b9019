//! A crate is compiled again if an image that it names changes, or a variable in the image's path.

use super::{check, library};
use kernel_args_toolchain_tests::{read, root};
use std::{
    fs,
    path::{Path, PathBuf},
};

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

fn lay_out(name: &str, source: &str) -> PathBuf {
    let manifest = format!("edition = \"2024\"\n[lib]\npath = \"lib.rs\"\n[dependencies]\n{}", library());
    super::lay_out(name, &manifest, &[("lib.rs", source)])
}

fn write(package: &Path, file: &str, ty: &str) {
    let text = format!(".version 7.0\n.target sm_70\n.entry k(.param .{ty} p) {{ ret; }}\n");
    fs::write(package.join(file), text).expect("the image can be written");
}

/// The number of fields that do not match; `None` if the crate does not compile for a different reason.
fn wrong_fields(package: &Path, kind: &str) -> Option<usize> {
    let output = check(package, &[("KERNEL_ARGS_TEST_KIND", kind)]);
    let message = String::from_utf8_lossy(&output.stderr);
    let wrong = message.matches("`n` does not match parameter 0 of kernel `k`").count();
    let errors = message.matches("error[").count();
    if output.status.success() != (wrong == 0) || errors != wrong {
        eprintln!("{message}");
        return None;
    }
    Some(wrong)
}

pub(super) fn a_changed_image_is_compared_again() {
    let package = lay_out("changed-file", SOURCE);
    for (file, ty) in [("kernels-a.ptx", "u32"), ("kernels-b.ptx", "f64"), ("shorthand.ptx", "u32")] {
        write(&package, file, ty);
    }
    assert_eq!(wrong_fields(&package, "a"), Some(0), "all is right");
    write(&package, "kernels-a.ptx", "f32");
    assert_eq!(wrong_fields(&package, "a"), Some(1), "an image of the same length");
    write(&package, "shorthand.ptx", "u64");
    assert_eq!(wrong_fields(&package, "a"), Some(2), "both");
    write(&package, "kernels-a.ptx", "u32");
    write(&package, "shorthand.ptx", "u32");
    assert_eq!(wrong_fields(&package, "a"), Some(0), "right again");
    assert_eq!(wrong_fields(&package, "b"), Some(1), "another value of the variable");
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
pub(super) fn a_changed_debug_file_is_compared_again() {
    let package = lay_out("changed-debug-file", DESCRIBED);
    let read = |name: &str| read(&root().join("ptx").join(name)).expect("the PTX is there");
    let (image, debug) = (read("shade.ptx"), read("shade.debug.ptx"));
    // Its name in bytes: `from`, `grom`.
    let other = debug.replace("102,114,111,109,0", "103,114,111,109,0");
    assert_ne!(debug, other);
    fs::write(package.join("shade.ptx"), image).expect("the image can be written");
    for (text, is_right) in [(&debug, true), (&other, false), (&debug, true)] {
        fs::write(package.join("shade.debug.ptx"), text).expect("the file can be written");
        let output = check(&package, &[]);
        let message = String::from_utf8_lossy(&output.stderr);
        let said = message.contains("the kernel has no parameter `from`; it has `out`, `grom`, `to`, `n`");
        assert_eq!((output.status.success(), said), (is_right, !is_right), "{message}");
    }
}
