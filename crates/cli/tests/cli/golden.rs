//! Compares the program's output with golden files. `KERNEL_ARGS_BLESS=1` writes them again.

use super::common::{data, run};
use std::{env, fs, path::Path};

fn expect(name: &str, arguments: &[&str]) {
    let ran = run(arguments);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{arguments:?}");
    let path = Path::new("tests/golden").join(name);
    if env::var_os("KERNEL_ARGS_BLESS").is_some() {
        fs::write(&path, &ran.stdout).unwrap();
        return;
    }
    let golden = fs::read_to_string(&path).unwrap_or_default();
    let first = golden.lines().zip(ran.stdout.lines()).position(|(a, b)| a != b);
    assert!(golden == ran.stdout, "{name}: line {first:?} differs:\n{}", ran.stdout);
}

#[test]
fn ptx_is_shown() {
    expect("saxpy.txt", &["show", "../../ptx/saxpy.ptx"]);
    expect("limits.txt", &["show", "../../ptx/attributes_sm90.ptx", "../../ptx/reduce.ptx"]);
}

#[test]
fn global_variables_are_listed() {
    let image = "../image/tests/data/variables";
    expect("globals.txt", &["show", &format!("{image}.debug.ptx")]);
    expect("globals.json", &["show", "--json", &format!("{image}.sm_90.cubin")]);
    let selected = run(&["show", "--kernel", "addresses", &format!("{image}.ptx")]);
    assert!(!selected.stdout.contains("global variable"), "{}", selected.stdout);
}

#[test]
fn what_the_code_shows_is_marked() {
    expect("bodies.txt", &["show", "tests/data/bodies.ptx"]);
}

#[test]
fn parameters_have_different_colours() {
    expect("colours.txt", &["show", "--color", "always", &data("kernels.ptx")]);
}

#[test]
fn gpus_with_the_same_parameters_are_shown_once() {
    let files = ["kernels.ptx", "kernels.sm_75.cubin", "kernels.sm_100.cubin", "one.size.fatbin"].map(data);
    let mut arguments = vec!["show"];
    arguments.extend(files.iter().map(String::as_str));
    expect("gpus.txt", &arguments);
    arguments.push("--summary");
    expect("summary.txt", &arguments);
}

#[test]
fn members_of_structs_are_shown() {
    expect("members.txt", &["show", &data("debug.sm_90.cubin"), "--kernel", "by_value"]);
    expect("opaque.txt", &["show", &data("debug.ptx"), "--kernel", "sim::step"]);
}

#[test]
fn lists_have_a_line_for_each_kernel() {
    let files = ["kernels.sm_75.cubin", "kernels.sm_100.cubin"].map(data);
    expect("varied.list", &["show", "--list", &files[0], &files[1]]);
    expect("debug.list", &["show", "--list", &data("debug.sm_90.cubin")]);
}

#[test]
fn json_is_as_documented() {
    expect("debug.json", &["show", "--json", &data("debug.ptx"), "--kernel", "by_value"]);
    expect("fatbin.json", &["show", "--json", &data("one.speed.fatbin"), &data("shared.sm_90.cubin")]);
}

#[test]
fn large_blocks_are_drawn_in_part() {
    expect("large.txt", &["show", &data("large.sm_90.cubin"), "--no-demangle"]);
}
