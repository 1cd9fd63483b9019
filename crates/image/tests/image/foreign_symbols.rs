//! Symbols that are not C++: types of numba and Julia that are not the types of the parameters, and the paths of rustc.

use kernel_args_abi::{CppBase, CppType, Members, Parameter};
use kernel_args_image::{
    Image, Kernel, Kernels,
    mangled::{Demangled, candidates, demangle, matches, nearest},
};
use proptest::prelude::*;
use std::collections::BTreeSet;

const NUMBA: &str = include_str!("../data/numba_kernels.ptx");
const RUSTC: &str = include_str!("../data/rustc.ptx");
const LEGACY: &str = include_str!("../data/rustc.legacy.ptx");

/// The kernels of a PTX text, with what their code does.
fn analysed(text: &str) -> Kernels<'_> {
    let image = Image::read(text.as_bytes()).unwrap();
    let mut kernels = image.kernels().unwrap();
    image.add_bodies(&mut kernels, |_| true).unwrap();
    kernels
}

fn types(kernel: &Kernel<'_>) -> String {
    let each: Vec<String> = (kernel.parameters().iter()).map(|parameter| parameter.cpp.to_string()).collect();
    each.join(", ")
}

/// The types of a kernel with this list of types in its symbol, these parameters, and this body.
fn declared(symbol: &str, parameters: &[&str], body: &str) -> String {
    let declared: Vec<String> = (parameters.iter().enumerate())
        .map(|(index, parameter)| {
            let (ty, length) = parameter.split_once('[').unwrap_or((parameter, ""));
            let length = if length.is_empty() { String::new() } else { format!("[{length}") };
            format!(".param {ty} p{index}{length}")
        })
        .collect();
    let text = format!(
        ".version 9.0\n.target sm_80\n.address_size 64\n.visible .entry _Z1k{symbol}({}) {{\n{body}ret;\n}}\n",
        declared.join(", ")
    );
    let kernels = analysed(&text);
    let kernel = kernels.kernel(&format!("_Z1k{symbol}"), None).unwrap();
    let types = types(&kernel);
    let name = kernel.demangled.as_ref().unwrap().text();
    let all_unknown = kernel.parameters().iter().all(|parameter| parameter.cpp.is_unknown());
    assert_eq!(name == "k", all_unknown, "{name}: {types}");
    types
}

/// The parameters of the test.
const PARAMETERS: &str = ".u8|.s8|.b8|.u16|.b16|.f16|.u32|.b32|.f32|.u64|.b64|.f64|.u64 .ptr .align 1|.b128|\
    .align 1 .b8[1]|.align 2 .b8[2]|.align 4 .b8[4]|.align 8 .b8[8]|.align 16 .b8[16]";
const POINTERS: &str = ".u32|.b32|.u64|.b64|.u64 .ptr .align 1|.align 4 .b8[4]|.align 8 .b8[8]";
const CLASSES: &str = ".align 1 .b8[1]|.align 2 .b8[2]|.align 4 .b8[4]|.align 8 .b8[8]|.align 16 .b8[16]";
/// Without code, a name is unclear on `.u64` and `.b64`.
const CLASSES_AND_ENUMS: &str = ".u8|.s8|.b8|.u16|.b16|.u32|.b32|.b128|\
    .align 1 .b8[1]|.align 2 .b8[2]|.align 4 .b8[4]|.align 8 .b8[8]|.align 16 .b8[16]";

/// A type in a symbol, its text, and all parameters that can have it: what NVRTC 13.0 declares for sm_90 and sm_100
/// (also with `__grid_constant__`), and LLVM for a half.
const POSSIBLE: [(&str, &str, &str); 27] = [
    ("b", "bool", ".u8|.s8|.b8|.align 1 .b8[1]"),
    ("c", "char", ".u8|.s8|.b8|.align 1 .b8[1]"),
    ("a", "signed char", ".u8|.s8|.b8|.align 1 .b8[1]"),
    ("h", "unsigned char", ".u8|.s8|.b8|.align 1 .b8[1]"),
    ("s", "short", ".u16|.b16|.align 2 .b8[2]"),
    ("Ds", "unsigned short", ".u16|.b16|.align 2 .b8[2]"),
    ("i", "int", ".u32|.b32|.align 4 .b8[4]"),
    ("l", "long", ".u32|.b32|.u64|.b64|.align 4 .b8[4]|.align 8 .b8[8]"),
    ("y", "unsigned long long", ".u64|.b64|.align 8 .b8[8]"),
    ("n", "__int128", ".b128|.align 16 .b8[16]"),
    ("DF16_", "floating-point", ".b16|.f16|.align 2 .b8[2]"),
    ("Dh", "floating-point", ".b16|.f16|.align 2 .b8[2]"),
    ("f", "float", ".f32|.b32|.align 4 .b8[4]"),
    ("d", "double", ".f64|.b64|.align 8 .b8[8]"),
    ("Pf", "float*", POINTERS),
    ("RK6float4", "float4 const*", POINTERS),
    ("Dn", "std::nullptr_t", POINTERS),
    ("6Params", "Params", CLASSES_AND_ENUMS),
    ("N2ns4int2E", "ns::int2", CLASSES_AND_ENUMS),
    ("N3BoxIfE2InE", "Box<float>::In", CLASSES_AND_ENUMS),
    ("3BoxIfE", "Box<float>", CLASSES),
    ("5long1", "long1", CLASSES),
    ("6__half", "__half", ".align 2 .b8[2]"),
    ("6float4", "float4", ".align 16 .b8[16]"),
    ("5uint1", "uint1", ".align 4 .b8[4]"),
    ("13__nv_fp8_e4m3", "__nv_fp8_e4m3", ".align 1 .b8[1]"),
    // A pointer to a member function.
    ("M1SFvvE", "?", PARAMETERS),
];

#[test]
fn a_type_counts_if_its_parameter_can_have_it() {
    for (symbol, ty, possible) in POSSIBLE {
        for parameter in PARAMETERS.split('|') {
            let found = declared(&format!("{symbol}i"), &[parameter, ".u32"], "");
            let is_unclear = possible == CLASSES_AND_ENUMS && matches!(parameter, ".u64" | ".b64");
            let expected = match possible.split('|').any(|one| one == parameter) {
                true => format!("{ty}, int"),
                false if is_unclear => "?, int".into(),
                false => "?, ?".into(),
            };
            assert_eq!(found, expected, "{symbol} {parameter}");
        }
    }
    // Another number of parameters.
    assert_eq!(declared("ii", &[".u32"], ""), "?");
    assert_eq!(declared("i", &[".u32", ".u32"], ""), "?, ?");
}

/// A name on 64 bits is an enum in C++, and a pointer in numba: the code shows it.
#[test]
fn a_name_on_64_bits_counts_if_the_code_shows_no_pointer() {
    const LOAD: &str = ".reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .pred %p<2>; ld.param.u64 %rd1, [p0];";
    for (parameter, code, expected) in [
        (".u64", "setp.eq.s64 %p1, %rd1, 7; @%p1 bra $end; trap; $end:", "Mode, int"),
        (".u64", "mul.lo.s64 %rd2, %rd1, 24;", "Mode, int"),
        (".b64", "mul.lo.s64 %rd2, %rd1, 24;", "Mode, int"),
        (".u64", "st.global.u32 [%rd1], 7;", "?, ?"),
        (".b64", "ld.global.u32 %r1, [%rd1+8];", "?, ?"),
        (".u64", "cvta.to.global.u64 %rd2, %rd1; st.global.u32 [%rd2], 7;", "?, ?"),
    ] {
        let found = declared("4Modei", &[parameter, ".u32"], &format!("{LOAD}{code}"));
        assert_eq!(found, expected, "{parameter} {code}");
    }
    // Stored, it can be the pointer of other code.
    let stored = format!("{LOAD} ld.param.u64 %rd2, [p1]; st.global.u64 [%rd2], %rd1;");
    assert_eq!(declared("4ModePm", &[".u64", ".u64"], &stored), "?, unsigned long*");
    assert_eq!(declared("4Modei", &[".u64", ".u32"], ""), "?, int");
}

#[test]
fn debug_information_has_the_types_that_a_symbol_lacks() {
    let text = ".version 9.0\n.target sm_80\n.address_size 64\n.visible .entry _Z1k10float32_2ai(.param .f32 p, .param .u32 n) { ret; }\n";
    let kernels = Image::read(text.as_bytes()).unwrap().kernels().unwrap();
    let mut kernel = kernels.kernel("_Z1k10float32_2ai", None).unwrap();
    assert_eq!(types(&kernel), "?, ?");
    let described = [(0, CppBase::Float { bits: 32 }), (4, CppBase::Integer { signed: true, bits: 32 })];
    let described =
        described.map(|(offset, base)| Parameter { cpp: CppType::of(base), ..Parameter::record(offset, 4) });
    kernel.debug_info = Members::of(&described);
    assert_eq!(types(&kernel), "float, int");
}

/// Each kernel of `numba_kernels.py`: its name and the types that count.
#[test]
fn the_types_of_numba_do_not_count() {
    let kernels = analysed(NUMBA);
    let found: Vec<String> = (kernels.symbols())
        .map(|symbol| {
            let kernel = kernels.kernel(symbol, None).unwrap();
            format!("{} | {}", kernel.demangled.as_ref().unwrap().text(), types(&kernel))
        })
        .collect();
    assert_eq!(
        found,
        [
            "__main__::tuple_of_one | ?, ?",
            "__main__::tuple_of_one | ?, ?",
            "__main__::complex_number | ?, ?",
            "__main__::copy | ?, ?, ?",
            "__main__::copy | ?, ?, ?",
            "__main__::half | ?, ?",
            "__main__::time | ?, ?",
            "__main__::behind | ?, ?",
            "__main__::marked | ?, ?",
            "__main__::record | ?",
            "__main__::tuples | ?, ?, ?",
            // Nothing shows that the type is a pointer.
            "__main__::unused(int, float32_2a) | int, ?",
            "__main__::numbers | ?, ?, ?, ?, ?, ?",
        ]
    );
    // The symbols alone do not show all of it, and claim nothing wrong.
    let kernels = Image::read(NUMBA.as_bytes()).unwrap().kernels().unwrap();
    for symbol in kernels.symbols() {
        let kernel = kernels.kernel(symbol, None).unwrap();
        for parameter in kernel.parameters() {
            assert!(!matches!(parameter.cpp.base, CppBase::Named(_)), "{parameter:?}");
        }
        assert!(matches(symbol, kernel.demangled.as_ref().unwrap().name()));
    }
}

/// Symbols as GPUCompiler.jl writes them. CUDA.jl passes its own state first, and nothing for the type of a function.
#[test]
fn the_types_of_julia_do_not_count() {
    const ARRAY: &str = ".align 8 .b8[32]";
    const STATE: &str = ".align 8 .b8[16]";
    for (symbol, parameters) in [
        ("13CuDeviceArrayI7Float32Li1ELi1EES1_5Int32", &[STATE, ARRAY, ARRAY, ".u32"][..]),
        ("4_sin13CuDeviceArrayI7Float32Li1ELi1EES2_", &[STATE, ARRAY, ARRAY]),
        ("13CuDeviceArrayI7Float32Li1ELi1EE5Int32", &[ARRAY, ".u32"]),
        ("P7Float325Int64", &[".u64", ".u64"]),
        ("7Float325Int32", &[".f32", ".u32"]),
        ("4Bool", &[".f32"]),
        ("7LLVMPtrI5UInt8Li1EE", &[".u64"]),
        ("5TupleI5Int325Int64E", &[".align 8 .b8[16]"]),
    ] {
        let found = declared(symbol, parameters, "");
        assert_eq!(found, vec!["?"; parameters.len()].join(", "), "{symbol}");
    }
    // Of C++: other names, and names in a namespace.
    assert_eq!(declared("P5Int24", &[".u64"], ""), "Int24*");
    assert_eq!(declared("PN3sim7Float32E", &[".u64"], ""), "sim::Float32*");
    assert_eq!(declared("3IntILi32EE", &[".align 1 .b8[1]"], ""), "Int<32>");
}

#[test]
fn the_symbols_of_rustc_are_paths() {
    let v0 = [
        "<device::sim::Solver>::run",
        "device::sim::inner::fill<f32>",
        "device::sim::inner::fill<u32>",
        "device::sim::inner::größe",
        "device::sim::inner::step",
        "device::sim::step",
        "plain",
    ];
    let legacy = [
        "device::sim::Solver::run",
        "device::sim::inner::fill",
        "device::sim::inner::fill",
        "device::sim::inner::größe",
        "device::sim::inner::step",
        "device::sim::step",
        "plain",
    ];
    for (text, expected) in [(RUSTC, v0), (LEGACY, legacy)] {
        let kernels = Image::read(text.as_bytes()).unwrap().kernels().unwrap();
        let mut names = Vec::new();
        for symbol in kernels.symbols() {
            let kernel = kernels.kernel(symbol, None).unwrap();
            let demangled = kernel.demangled.as_ref();
            assert!(demangled.is_none_or(|demangled| demangled.parameters().is_none()));
            names.push(demangled.map_or(symbol, Demangled::text).to_owned());
            assert!(types(&kernel).trim_start_matches(['?', ',', ' ']).is_empty());
        }
        names.sort();
        assert_eq!(names, expected);
        let name = |symbol| kernels.variable(symbol, None)?.demangled().map(|name| name.text().to_owned());
        let mut variables: Vec<String> = kernels.variable_symbols().map(|symbol| name(symbol).unwrap()).collect();
        variables.sort();
        assert_eq!(variables, ["device::COUNT", "device::FILL_F32", "device::FILL_U32", "device::sim::DT"]);
    }
}

#[test]
fn kernels_of_rustc_are_found_by_their_names() {
    for text in [RUSTC, LEGACY] {
        let kernels = Image::read(text.as_bytes()).unwrap().kernels().unwrap();
        let named = |wanted: &str| {
            let found = candidates(wanted, kernels.symbols());
            let names: BTreeSet<String> = found.iter().map(|symbol| demangle(symbol).unwrap()).collect();
            (found.len(), Vec::from_iter(names).join(" "))
        };
        for wanted in ["device::sim::inner::step", "inner::step", "::device::sim::inner::step"] {
            assert_eq!(named(wanted), (1, "device::sim::inner::step".into()), "{wanted}");
        }
        assert_eq!(named("sim::step"), (1, "device::sim::step".into()));
        assert_eq!(named("step").0, 2);
        assert_eq!(named("fill").0, 2);
        assert_eq!(named("größe").0, 1);
        assert_eq!(named("run").0, 1);
        assert_eq!(named("device::COUNT").0, 0);
        assert_eq!(named("inner::ste").0, 0);
        let nearest = nearest("fil", kernels.symbols());
        assert!(demangle(nearest[0]).unwrap().contains("fill"));
    }
    let kernels = Image::read(RUSTC.as_bytes()).unwrap().kernels().unwrap();
    for wanted in ["fill<f32>", "fill::<f32>", "device::sim::inner::fill::<f32>", "device::sim::inner::fill<f32>"] {
        let found = candidates(wanted, kernels.symbols());
        assert_eq!(found.len(), 1, "{wanted}");
        assert!(found[0].ends_with("fillfEB6_"), "{wanted}");
    }
}

#[test]
fn other_symbols_are_not_paths_of_rustc() {
    // C++, without a hash.
    for (symbol, name) in [
        ("_ZN3sim2dtE", "sim::dt"),
        ("_ZN3sim16h0123456789abcdeE", "sim::h0123456789abcde"),
        ("_ZN3sim17g0123456789abcdefE", "sim::g0123456789abcdef"),
        ("_ZN3sim17h0123456789abcdegE", "sim::h0123456789abcdeg"),
    ] {
        assert_eq!(Demangled::variable(symbol).unwrap().text(), name);
    }
    assert_eq!(Demangled::variable("_ZN3sim2dt17h0123456789abcdefE").unwrap().text(), "sim::dt");
    assert_eq!(Demangled::new("_ZN3sim4step17h0123456789abcdefE").unwrap().name(), "sim::step");
    for symbol in [
        "_R",
        "_Reduce",
        "_RNv",
        "_RNvC3sim",
        "RNvC3sim4step",
        "__RNvC3sim4step",
        "_ZN17h0123456789abcdef",
        "_RNvC3sim4stepé",
    ] {
        assert_eq!(Demangled::new(symbol), None, "{symbol}");
    }
    assert_eq!(Demangled::new("_RNvC3sim4step").unwrap().text(), "sim::step");
    assert_eq!(Demangled::new("_RNvC3sim4step.llvm.1234").unwrap().text(), "sim::step");
    // Substitutions make a short symbol a long path.
    let long = format!("_RINvC1a1k{}{}E", "TpE", "TB8_B8_B8_B8_E".repeat(40));
    let _ = Demangled::new(&long);
}

proptest! {
    #[test]
    fn any_symbol_of_rustc_is_read_or_refused(symbol in "_R[INvCMXYs0-9a-zA-Z_]{0,60}|_ZN([1-9][a-z$.]{0,9}){0,5}17h[0-9a-f]{16}E") {
        if let Some(demangled) = Demangled::new(&symbol) {
            prop_assert!(demangled.text().contains(demangled.name()));
            let arguments = demangled.template_arguments().map(|arguments| format!("{}<{arguments}>", demangled.name()));
            prop_assert!(arguments.is_none_or(|whole| whole == demangled.text()));
            prop_assert!(matches(&symbol, &symbol));
        }
    }
}
