//! The picture in the README: the output on a terminal. `KERNEL_ARGS_BLESS=1` draws it again.

use super::common::program;
use anstyle::RgbColor;
use std::{env, fs};

#[test]
fn the_picture_is_what_the_program_shows() {
    let command = "show --kernel by_value debug.sm_90.cubin";
    let mut program = program();
    program.current_dir("../image/tests/data");
    let output = program.args(command.split(' ')).args(["--color", "always"]).output().unwrap();
    assert!(output.status.success());
    let shown = String::from_utf8(output.stdout).unwrap();
    let text = format!("$ kernel-args {command}\n{shown}");
    let picture = anstyle_svg::Term::new()
        .bg_color(RgbColor(0xf6, 0xf8, 0xfa).into())
        .fg_color(RgbColor(0x24, 0x29, 0x2f).into())
        .render_svg(&text)
        + "\n";
    if env::var_os("KERNEL_ARGS_BLESS").is_some() {
        fs::write("show.svg", picture).unwrap();
        return;
    }
    assert!(fs::read_to_string("show.svg").unwrap() == picture, "another picture: KERNEL_ARGS_BLESS=1 draws it");
}
