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

/// The element types of a framework: the suffix, and the type of a parameter. Two-byte floats are structs in CUDA.
const ELEMENTS: [(&str, &str); 9] = [
    ("f32", ".f32"),
    ("f64", ".f64"),
    ("f16", ""),
    ("bf16", ""),
    ("u8", ".u8"),
    ("u32", ".u32"),
    ("i16", ".u16"),
    ("i32", ".u32"),
    ("i64", ".u64"),
];

/// Families: their names, and their parameters. `n` is a count, `p` a pointer, `t` an element.
const FAMILIES: [(&str, &str); 11] = [
    ("uneg uexp ulog usin ucos uabs usqr usqrt ugelu urelu usilu utanh", "npp"),
    ("badd bsub bmul bdiv bmaximum bminimum", "nppp"),
    ("sum max min", "nnpp"),
    ("affine", "nttp"),
    ("powf", "ntpp"),
    ("elu", "ntpp"),
    ("fill", "ntp"),
    ("where", "npppp"),
    ("gather", "nnppp"),
    ("copy", "nnnpp"),
    ("softmax rmsnorm", "nnpp"),
];

/// The kernels of a framework, and one without an element type.
fn framework() -> String {
    let mut text = String::from(".version 8.1\n.target sm_86\n.address_size 64\n");
    let mut kernel = |name: &str, kinds: &str, element: &str| {
        let parameters = kinds.chars().enumerate().map(|(i, kind)| match kind {
            't' if element.is_empty() => format!(".param .align 2 .b8 {name}_param_{i}[2]"),
            't' => format!(".param {element} {name}_param_{i}"),
            _ => format!(".param .u64 {name}_param_{i}"),
        });
        let parameters = parameters.collect::<Vec<_>>().join(",\n");
        writeln!(text, ".visible .entry {name}(\n{parameters}\n)\n{{\nret;\n}}").expect("a String takes any text");
    };
    for (names, kinds) in FAMILIES {
        for name in names.split(' ') {
            for (suffix, element) in ELEMENTS {
                kernel(&format!("{name}_{suffix}"), kinds, element);
            }
        }
    }
    kernel("arange", "np", "");
    text
}

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    fs::write(Path::new(&out).join("unary.ptx"), unary()).expect("OUT_DIR can be written to");
    fs::write(Path::new(&out).join("framework.ptx"), framework()).expect("OUT_DIR can be written to");
}
