//! `kernel-args check`: a committed list and a file.

use super::common::{Folder, bytes, data, run, run_with};

fn list(arguments: &[&str]) -> String {
    let ran = run(&[&["show", "--list"], arguments].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    ran.stdout
}

#[test]
fn a_file_agrees_with_its_own_list() {
    let folder = Folder::new();
    for file in ["debug.sm_90.cubin", "kernels.ptx", "one.size.fatbin"].map(data) {
        let path = folder.write("list", list(&[&file]));
        let ran = run(&["check", &file, "--against", &path]);
        let expected = format!("no differences from {path}\n");
        assert_eq!((ran.code, ran.stdout, ran.stderr.as_str()), (0, expected, ""), "{file}");
    }
    // Several files, different parameters per GPU, and a selection of kernels.
    let files = [data("kernels.sm_75.cubin"), data("kernels.sm_100.cubin")];
    let path = folder.write("list", list(&[&files[1], &files[0]]));
    assert_eq!(run(&["check", &files[0], &files[1], "--against", &path]).code, 0);
    let path = folder.write("list", list(&[&files[0], "-k", "saxpy"]));
    assert_eq!(run(&["check", &files[0], "--against", &path, "-k", "saxpy"]).code, 0);
    assert_eq!(run(&["check", &files[0], "--against", &path]).code, 1);
}

#[test]
fn a_difference_is_shown_with_both_sides() {
    let folder = Folder::new();
    let ptx = String::from_utf8(bytes("../../ptx/saxpy.ptx")).unwrap();
    let file = folder.write("saxpy.ptx", ptx.replace(".param .f32", ".param .f64"));
    let committed = list(&["../../ptx/saxpy.ptx"]);
    let path = folder.write("kernels.list", format!("{committed}gone(int @0 4/4)\n"));
    let ran = run(&["check", &file, "--against", &path]);
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""));
    let expected = format!(
        "gone\n  list  gone(int @0 4/4)\n  file  (not there)\n\
         saxpy\n  list  saxpy(.u32 @0 4/4, .f32 @4 4/4, .u64 @8 8/8, .u64 @16 8/8)\n  \
         file  saxpy(.u32 @0 4/4, .f64 @8 8/8, .u64 @16 8/8, .u64 @24 8/8)\n\n\
         2 kernels differ from {path}\n\
         help: if this change is intended, write the list again: kernel-args show --list {file} > {path}\n"
    );
    assert_eq!(ran.stdout, expected);
    // The command in the hint is correct, even with options and spaces.
    let spaced = folder.write("a list", list(&["../../ptx/saxpy.ptx"]));
    let arguments = ["check", &file, "--against", &spaced, "-k", "sax*", "-a", "75"];
    let ran = run(&arguments);
    let quote = if cfg!(windows) { '"' } else { '\'' };
    let pattern = format!("{quote}sax*{quote}");
    let hint = format!("kernel-args show --list {file} --kernel {pattern} --arch sm_75 > {quote}{spaced}{quote}\n");
    assert!(ran.stdout.ends_with(&hint), "{}", ran.stdout);
    let path = folder.write("kernels.list", list(&[&file]));
    assert_eq!(run(&["check", &file, "--against", &path]).code, 0);
}

#[test]
fn a_list_is_read_from_standard_input() {
    let arguments = ["check", "../../ptx/saxpy.ptx", "--against", "-"];
    let committed = list(&["../../ptx/saxpy.ptx"]);
    assert_eq!(run_with(&arguments, committed.as_bytes()).code, 0);
    assert_eq!(run_with(&arguments, b"saxpy()").code, 1);
    let ran = run_with(&arguments, b"no list");
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.starts_with("error: standard input: at byte 0: line 1"), "{}", ran.stderr);
}

#[test]
fn what_is_no_list_is_an_error_with_its_place() {
    let folder = Folder::new();
    let path = folder.write("kernels.list", "saxpy()\nno list\n");
    let ran = run(&["check", "../../ptx/saxpy.ptx", "--against", &path]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    let expected = format!("error: {path}: at byte 8: line 2: expected `symbol(parameters)`, found `no list`\n");
    assert_eq!(ran.stderr, expected);
    for (text, code, error) in [
        ("# kernel-args list 2\n", 2, "only lists of version 1"),
        ("()", 2, "line 1: expected `symbol(parameters)`, found `()`"),
        ("a b()", 2, "found `a b()`"),
        ("", 1, ""),
    ] {
        let path = folder.write("kernels.list", text);
        let ran = run(&["check", "../../ptx/saxpy.ptx", "--against", &path]);
        assert!(ran.code == code && ran.stderr.contains(error), "{text}: {}", ran.stderr);
    }
    let ran = run(&["check", "../../ptx/saxpy.ptx", "--against", "nowhere"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.starts_with("error: nowhere: "));
    let path = folder.write("kernels.list", list(&["../../ptx/saxpy.ptx"]));
    assert_eq!(run(&["check", "nowhere.ptx", "--against", &path]).code, 2);
}
