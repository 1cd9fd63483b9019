//! Writes the kernels into the build folder, like a compiler.

use std::{env, fmt::Write, fs, path::Path};

/// Functions of one argument for two types, and one kernel with a different width of its count.
fn unary() -> String {
    let mut text = String::from(".version 7.0\n.target sm_70\n.address_size 64\n");
    for function in ["uexp", "usqrt", "uabs"] {
        for (suffix, ty) in [("f32", "f32"), ("f64", "f64")] {
            let name = format!("{function}_{suffix}");
            writeln!(
                text,
                ".visible .entry {name}(\n.param .u32 {name}_param_0,\n.param .{ty} {name}_param_1,\n\
                 .param .u64 {name}_param_2\n)\n{{\nret;\n}}"
            )
            .expect("a String takes any text");
        }
    }
    let name = "round_f32";
    writeln!(
        text,
        ".visible .entry {name}(\n.param .u64 {name}_param_0,\n.param .f32 {name}_param_1,\n.param .u64 {name}_param_2\n)\n\
         {{\nret;\n}}"
    )
    .expect("a String takes any text");
    for (from, to) in [("f32", "f64"), ("f64", "f32")] {
        let name = format!("cast_{from}_{to}");
        writeln!(
            text,
            ".visible .entry {name}(\n.param .{from} {name}_param_0,\n.param .{to} {name}_param_1\n)\n{{\nret;\n}}"
        )
        .expect("a String takes any text");
    }
    text
}

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    fs::write(Path::new(&out).join("unary.ptx"), unary()).expect("OUT_DIR can be written to");
}
