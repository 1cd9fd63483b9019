//! Input files, selection of kernels, and the end of the output.

use super::common::{Folder, bytes, data, program, run};
use std::{
    io::{BufRead as _, BufReader},
    process::Stdio,
};

#[test]
fn directories_are_read_and_foreign_files_counted() {
    let folder = Folder::new();
    folder.write("a/saxpy.ptx", bytes("../../ptx/saxpy.ptx"));
    folder.write("a/deep/one.fatbin", bytes(&data("one.none.fatbin")));
    folder.write("notes.txt", "text");
    folder.write("picture.png", b"\x89PNG");
    let path = folder.path("").to_str().unwrap().to_owned();
    let ran = run(&["show", "--summary", &path]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let total = "2 kernels in 3 images of 2 files; 2 files without device code skipped\n";
    assert!(ran.stdout.ends_with(total), "{}", ran.stdout);
    assert!(ran.stdout.find("deep").unwrap() < ran.stdout.find("saxpy.ptx").unwrap());
    let json = run(&["show", "--json", &path]).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["skipped"]["foreign_files"], 2);
}

/// License texts are longer than the first bytes of a file that are read.
#[test]
fn long_comments_do_not_make_a_text_ptx() {
    let folder = Folder::new();
    let ptx = String::from_utf8(bytes("../../ptx/saxpy.ptx")).unwrap();
    for (name, comment) in [
        ("lines", "// All rights reserved.\n".repeat(1000)),
        ("block", format!("/* {} */\n", "All rights reserved.\n".repeat(500))),
    ] {
        folder.write(&format!("{name}.h"), format!("{comment}int f(void);\n"));
        folder.write(&format!("{name}.ptx"), comment.clone() + &ptx);
        folder.write(&format!("{name}.txt"), comment);
    }
    let ran = run(&["show", "--summary", folder.path("").to_str().unwrap()]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let total = "1 kernel in 2 images of 2 files; 4 files without device code skipped\n";
    assert!(ran.stdout.ends_with(total), "{}", ran.stdout);
}

/// A comment of PTX, longer than the first bytes of a file that are read, can contain the words of CUDA C++.
#[test]
fn cuda_in_a_comment_does_not_make_ptx_a_source() {
    let folder = Folder::new();
    let ptx = String::from_utf8(bytes("../../ptx/saxpy.ptx")).unwrap();
    folder.write("generated.ptx", "// #include \"k.cuh\", __global__ void saxpy\n".repeat(200) + &ptx);
    let ran = run(&["show", "--summary", folder.path("generated.ptx").to_str().unwrap()]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
}

#[test]
fn directories_without_kernels_are_an_error() {
    let folder = Folder::new();
    let path = folder.path("").to_str().unwrap().to_owned();
    let ran = run(&["show", &path]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("a directory without files"), "{}", ran.stderr);
    folder.write("notes.txt", "text");
    let ran = run(&["show", &path]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("no kernels: 1 file without device code"), "{}", ran.stderr);
}

#[cfg(unix)]
#[test]
fn links_do_not_lead_in_circles() {
    let folder = Folder::new();
    folder.write("saxpy.ptx", bytes("../../ptx/saxpy.ptx"));
    std::os::unix::fs::symlink(folder.path(""), folder.path("circle")).unwrap();
    std::os::unix::fs::symlink("nowhere", folder.path("broken")).unwrap();
    let ran = run(&["show", "--summary", folder.path("").to_str().unwrap()]);
    assert_eq!(ran.code, 0);
    assert!(ran.stdout.contains("1 kernel in 1 image of 1 file"), "{}", ran.stdout);
    assert!(ran.stderr.starts_with("warning: ") && ran.stderr.contains("broken: No such"), "{}", ran.stderr);
    for number in 0..10 {
        std::os::unix::fs::symlink("nowhere", folder.path(format!("broken{number}"))).unwrap();
    }
    let ran = run(&["show", "--summary", folder.path("").to_str().unwrap()]);
    assert_eq!(ran.stderr.lines().count(), 9);
    assert!(ran.stderr.ends_with("warning: 3 more files in directories cannot be opened\n"), "{}", ran.stderr);
    assert!(ran.stdout.contains("11 files that cannot be opened skipped"));
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_utf8_are_shown_with_replacements() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt as _};
    let folder = Folder::new();
    let path = folder.path(OsStr::from_bytes(b"sax\xffpy.ptx"));
    std::fs::copy("../../ptx/saxpy.ptx", &path).unwrap();
    let ran = run(&[OsStr::new("show"), path.as_os_str()]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert!(ran.stdout.contains("sax\u{fffd}py.ptx: PTX sm_75"), "{}", ran.stdout);
}

#[test]
fn missing_files_are_reported_and_existing_files_shown() {
    let ran = run(&["show", "nowhere.ptx", "../../ptx/saxpy.ptx"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.starts_with("error: nowhere.ptx: "), "{}", ran.stderr);
    assert!(ran.stdout.starts_with("saxpy\n"), "{}", ran.stdout);
}

fn symbols(arguments: &[&str]) -> Vec<String> {
    let ran = run(&[&["show", "--json"], arguments].concat());
    assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.stderr);
    let json: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let kernels = json["kernels"].as_array().unwrap();
    kernels.iter().map(|kernel| kernel["symbol"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn patterns_are_compared_with_every_name() {
    let file = &data("kernels.ptx");
    let step = "_ZN3sim4stepENS_6ParamsEhNS_4LineEPi";
    for pattern in [step, "_ZN3sim*", "step", "sim::step", "s?ep", "sim::step(*", "*Line*"] {
        assert_eq!(symbols(&[file, "--kernel", pattern]), [step], "{pattern}");
    }
    assert_eq!(symbols(&[file, "-k", "fill<float, 4>"]), ["_Z4fillIfLi4EEvPT_S0_"]);
    assert_eq!(symbols(&[file, "-k", "plain", "-k", "nothing"]), ["nothing", "plain"]);
}

#[test]
fn a_pattern_without_kernels_is_an_error_with_a_similar_name() {
    let ran = run(&["show", "../../ptx/saxpy.ptx", "--kernel", "daxpy"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    let expected =
        "error: ../../ptx/saxpy.ptx: no kernel matches `daxpy`\nhelp: a kernel with a similar name exists: `saxpy`\n";
    assert_eq!(ran.stderr, expected);
    let ran = run(&["show", "../../ptx/saxpy.ptx", "--kernel", "convolution"]);
    assert!(ran.stderr.ends_with("no kernel matches `convolution`\n"), "{}", ran.stderr);
}

#[test]
fn images_for_other_gpus_are_left_out() {
    let files = [data("kernels.sm_75.cubin"), data("kernels.sm_100.cubin")];
    for arch in ["sm_100", "100", "compute_100", "sm_100a"] {
        let ran = run(&["show", "--summary", &files[0], &files[1], "--arch", arch]);
        assert!(ran.stdout.contains("5 kernels in 1 image of 1 file"), "{arch}: {}", ran.stdout);
    }
    let ran = run(&["show", &files[0], &files[1], "--arch", "sm_90"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.ends_with("no kernels for sm_90, only for sm_75, sm_100\n"), "{}", ran.stderr);
    let ran = run(&["show", &files[0], "--arch", "hopper"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("a GPU generation is written `sm_90` or `90`"), "{}", ran.stderr);
}

#[test]
fn colours_are_only_for_terminals_unless_requested() {
    let coloured = |command: &mut std::process::Command| {
        let output = command.args(["show", "../../ptx/saxpy.ptx"]).output().unwrap();
        output.stdout.contains(&0x1b)
    };
    assert!(!coloured(&mut program()));
    assert!(coloured(program().env("CLICOLOR_FORCE", "1")));
    assert!(!coloured(program().env("NO_COLOR", "1").env("CLICOLOR_FORCE", "0")));
    let run_always = run(&["show", "../../ptx/saxpy.ptx", "--color", "always"]);
    assert!(run_always.stdout.contains('\u{1b}'));
    let never = run(&["show", "../../ptx/saxpy.ptx", "--color", "never"]);
    assert!(!never.stdout.contains('\u{1b}'));
    // The text is the same.
    let mut plain = String::new();
    let mut rest = run_always.stdout.as_str();
    while let Some(at) = rest.find('\u{1b}') {
        plain += &rest[..at];
        rest = &rest[at + rest[at..].find('m').unwrap() + 1..];
    }
    assert_eq!(plain + rest, never.stdout);
}

#[cfg_attr(windows, ignore = "Windows has no file names with control characters")]
#[test]
fn control_characters_do_not_reach_the_terminal() {
    let folder = Folder::new();
    let path = folder.write("a\u{1b}[31m.ptx", bytes("../../ptx/saxpy.ptx"));
    let ran = run(&["show", &path]);
    assert!(!ran.stdout.contains('\u{1b}') && ran.stdout.contains("\\u{1b}[31m"), "{}", ran.stdout);
    let path = folder.write("b\u{1b}[31m.ptx", "nothing");
    let ran = run(&["show", &path]);
    assert!(!ran.stderr.contains('\u{1b}') && ran.code == 2, "{}", ran.stderr);
}

/// A device can be endless, and opening a pipe can wait for ever.
#[cfg(unix)]
#[test]
fn devices_and_pipes_are_not_read() {
    let zero = ["show", "/dev/zero"];
    let rust = ["rust", "/dev/zero"];
    let list = ["check", "../../ptx/saxpy.ptx", "--against", "/dev/zero"];
    for arguments in [&zero[..], &rust, &list] {
        let ran = run(arguments);
        let expected = "error: /dev/zero: not a regular file\n";
        assert_eq!((ran.code, ran.stderr.as_str()), (2, expected));
    }
    let folder = Folder::new();
    folder.write("saxpy.ptx", bytes("../../ptx/saxpy.ptx"));
    kernel_args_test_generator::tools::pipe(&folder.path("pipe"));
    let ran = run(&["show", "--summary", folder.path("").to_str().unwrap()]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert!(ran.stdout.contains("1 kernel in 1 image of 1 file"), "{}", ran.stdout);
}

/// A regression test: a line break in the name became items of Rust.
#[cfg(unix)]
#[test]
fn the_name_of_a_file_is_only_text() {
    let folder = Folder::new();
    let name = "a\npub struct Evil;\r\u{1b}[31m.ptx";
    let path = folder.write(name, bytes("../../ptx/saxpy.ptx"));
    for arguments in [
        &["rust", &path][..],
        &["rust", "--image", name, &path],
        &["header", &path],
        &["show", &path],
        &["show", "--json", &path],
        &["show", "--list", &path],
        &["show", "--summary", &path],
        &["diff", &path, "../../ptx/vector_add.ptx"],
        &["diff", "--json", &path, "../../ptx/vector_add.ptx"],
        &["check", "--against", &path, &path],
    ] {
        let ran = run(arguments);
        let all = ran.stdout + &ran.stderr;
        assert!(!all.is_empty() && !all.contains(['\u{1b}', '\r']), "{arguments:?}: {all}");
        let is_line = |line: &str| line.starts_with("pub struct Evil");
        assert!(!all.lines().any(is_line), "{arguments:?}: {all}");
    }
}

/// A reader that closes the pipe early causes no error. The output is longer than a pipe's buffer.
#[test]
fn a_broken_pipe_is_not_a_panic() {
    let mut command = program();
    command.args(["show", "../../ptx"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut line = String::new();
    {
        let mut stdout = BufReader::with_capacity(16, child.stdout.take().unwrap());
        stdout.read_line(&mut line).unwrap();
    }
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), stderr.as_str()), (Some(0), ""));
    assert!(run(&["show", "../../ptx"]).stdout.len() > 100_000);
}
