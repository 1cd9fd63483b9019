//! Constants of sources that become Rust constants.

use super::Package;
use kernel_args_build::{Error, Kernels};
use std::{env, ffi::c_char, fs, path::Path};

/// The build script: each word of a variable names constants, of a source if it contains `:`.
pub(super) fn script() -> Result<(), Error> {
    let mut kernels = Kernels::new().glob("src/*.cu").include("include");
    for word in env::var("CONSTANTS").unwrap().split(';') {
        kernels = match word.split_once(" of ") {
            Some((name, source)) => kernels.constants_of(source, [name]),
            None => kernels.constants([word]),
        };
    }
    kernels = match env::var("SETTING").as_deref() {
        Ok("fallback") => kernels.fallback("committed"),
        Ok("described") => return kernels.debug_info(),
        // The image changes, and the description of the earlier build is kept.
        Ok("registers") => kernels.flag("-maxrregcount=64"),
        Ok("optional") => kernels.optional(),
        _ => kernels,
    };
    kernels.build()
}

fn run(package: &Package, home: &Path, constants: &str) -> super::support::Ran {
    package.run("constants", &[("CUDA_HOME", home), ("CONSTANTS", Path::new(constants))])
}

/// The names, types and values in `kernels.rs`.
fn written(package: &Package) -> Vec<String> {
    let text = package.written("kernels.rs");
    let items = text.lines().filter_map(|line| {
        let item = line.trim().strip_prefix("pub const ")?;
        Some(item.replace("::core::primitive::", ""))
    });
    items.collect()
}

/// A random number of a type: in C++, and as a Rust literal.
fn number(random: &mut fastrand::Rng, ty: &str) -> (String, String) {
    let bits = match random.u32(..4) {
        0 => 0,
        1 => u64::MAX,
        2 => 1 << 63,
        _ => random.u64(..) >> random.u32(..64),
    };
    macro_rules! integer {
        ($($name:literal $ty:ident)*) => {
            match ty {
                $($name => {
                    let value = bits as $ty;
                    // The smallest number is not a literal in C++.
                    let cpp = format!("static_cast<{ty}>({}ull)", value as u64);
                    (cpp, format!("{value}"))
                })*
                "bool" => {
                    let text = (bits & 1 == 1).to_string();
                    (text.clone(), text)
                }
                "float" => {
                    let value = f32::from_bits(bits as u32);
                    let value = if value.is_finite() { value } else { -0.0 };
                    (format!("{value:e}f").replace("0e0f", "0.0f"), format!("{value:?}"))
                }
                _ => {
                    let value = f64::from_bits(bits);
                    let value = if value.is_finite() { value } else { -0.0 };
                    (format!("{value:e}").replace("0e0", "0.0"), format!("{value:?}"))
                }
            }
        };
    }
    #[allow(
        clippy::cast_lossless,
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss
    )]
    let (cpp, literal) = integer!("signed char" i8 "unsigned char" u8 "short" i16 "unsigned short" u16 "int" i32 "unsigned" u32
        "long long" i64 "unsigned long long" u64);
    (cpp, literal)
}

const TYPES: [(&str, &str); 11] = [
    ("signed char", "i8"),
    ("unsigned char", "u8"),
    ("short", "i16"),
    ("unsigned short", "u16"),
    ("int", "i32"),
    ("unsigned", "u32"),
    ("long long", "i64"),
    ("unsigned long long", "u64"),
    ("bool", "bool"),
    ("float", "f32"),
    ("double", "f64"),
];

/// Random numbers of all types, as macros, variables and enumerators.
pub(super) fn random_constants_are_as_in_the_source(home: &Path, name: &str) {
    let package = Package::new(&format!("{name}-random-constants"));
    let mut random = fastrand::Rng::with_seed(0x5eed);
    let (mut source, mut names, mut expected) = (String::new(), Vec::new(), Vec::new());
    for at in 0..200 {
        let (cpp, rust) = TYPES[random.usize(..TYPES.len())];
        let (value, literal) = number(&mut random, cpp);
        let is_integer = !["float", "double"].contains(&cpp);
        let (declared, path) = match random.u32(..4) {
            0 => (format!("#define C{at} {value}"), format!("C{at}")),
            1 => (format!("namespace n{at} {{ constexpr {cpp} C{at} = {value}; }}"), format!("n{at}::C{at}")),
            2 if is_integer => (format!("enum class E{at} : {cpp} {{ C{at} = {value} }};"), format!("E{at}::C{at}")),
            3 if is_integer => {
                (format!("struct S{at} {{ enum E : {cpp} {{ C{at} = {value} }}; }};"), format!("S{at}::C{at}"))
            }
            _ => (
                format!("template<class T> struct T{at} {{ static constexpr T value = {value}; }};"),
                format!("C{at} = T{at}<{cpp}>::value"),
            ),
        };
        source.extend([&*declared, "\n"]);
        names.push(path);
        expected.push(format!("C{at}: {rust} = {literal};"));
    }
    // Macros of one letter, and no line end after the last line.
    source += "#define T \"T\"\n#define K 1 +\n#define kind 3\n__global__ void k(int* a) {}";
    package.write_old("src/k.cu", &source);
    run(&package, home, &names.join(";")).succeeded();
    assert_eq!(written(&package), expected);
}

const SOURCE: &str = "#include \"tile.cuh\"\n\
    namespace sim { enum Plain { A, B = 7 }; enum Big { C = 0xffffffffu }; enum class Mode { Slow, Fast }; constexpr double pi = 3.14159; }\n\
    __host__ __device__ constexpr int square(int n) { return n * n; }\n\
    __device__ int variable = 4;\n\
    #define NAME \"text\"\n\
    __global__ void k(int* a) { a[TILE] = 1; }\n";

fn package(name: &str) -> Package {
    let package = Package::new(name);
    package.write_old("src/k.cu", SOURCE);
    package.write_old("include/tile.cuh", "#pragma once\n#define TILE 16\n");
    package
}

/// Both compilers have the same types.
pub(super) fn expressions_and_enumerators_have_types(home: &Path, name: &str) {
    let package = package(&format!("{name}-expressions"));
    let constants = "TILE;sim::B;sim::C;sim::Mode::Fast;sim::pi;type = square(TILE) * sizeof(float);LETTER = 'x';\
        LESS  =  TILE  <  4;TWICE = TILE == 16 ? 2u : 1u";
    run(&package, home, constants).succeeded();
    assert_eq!(
        written(&package),
        [
            "TILE: i32 = 16;",
            "B: i32 = 7;",
            "C: u32 = 4294967295;",
            "Fast: i32 = 1;",
            "pi: f64 = 3.14159;",
            "r#type: u64 = 1024;",
            // `char` is unsigned on AArch64.
            if c_char::MIN == 0 { "LETTER: u8 = 120;" } else { "LETTER: i8 = 120;" },
            "LESS: bool = false;",
            "TWICE: u32 = 2;",
        ]
    );
    let text = package.written("kernels.rs");
    assert!(text.contains("#[doc = \"`sim::Mode::Fast` in `src/k.cu`.\"]"), "{text}");
}

/// The error names the constant, the source and the compiler's reason.
pub(super) fn what_is_no_constant_is_named(home: &Path, name: &str) {
    let package = package(&format!("{name}-no-constant"));
    for (constants, parts) in [
        ("TILE;TILES", &["the constants `TILES` of `src/k.cu`", "constant TILES(1)", "\"TILES\" is undefined"][..]),
        ("sim::Mode::Medium", &["constant sim::Mode::Medium(1)", "has no member \"Medium\""]),
        ("variable", &["must have a constant value", "constant variable(1)"]),
        ("NAME", &["a constant is a number", "constant NAME"]),
        ("POINTER = &variable", &["a constant is a number", "constant &variable"]),
        ("K = k", &["a constant is a number"]),
        ("1 + 2", &["`1 + 2` does not name a constant", "NAME = EXPRESSION"]),
        ("TILE == 2", &["`TILE == 2` does not name"]),
        ("A =", &["`A =` does not name"]),
        ("sim::", &["`sim::` does not name"]),
        ("", &["`` does not name"]),
        ("sim::A;A = TILE", &["`sim::A` and `TILE` would both be named `A`", "`OTHER = TILE`"]),
        ("TILE of src/other.cu", &["`.constants_of(\"src/other.cu\", …)` does not name a source"]),
    ] {
        let said = run(&package, home, constants).failed();
        for part in parts {
            assert!(said.contains(part), "{constants}: {said}");
        }
    }
}

/// Constants of one source do not need to exist in other sources. A source without kernels can have constants.
pub(super) fn constants_of_one_source(home: &Path, name: &str) {
    let package = package(&format!("{name}-of-one"));
    package.write_old("src/other.cu", "__global__ void k() {}\n");
    package.write_old("src/sizes.cu", "#define SIZE 1u\n");
    run(&package, home, "TILE of src/../src/k.cu;SIZE of src/sizes.cu").succeeded();
    assert_eq!(written(&package), ["TILE: i32 = 16;", "SIZE: u32 = 1;"]);
    let said = run(&package, home, "TILE").failed();
    assert!(said.contains("of `src/other.cu`") && said.contains("`.constants_of("), "{said}");
}

pub(super) fn constants_follow_headers_and_settings(home: &Path, name: &str) {
    let package = package(&format!("{name}-follow"));
    let time = || {
        let found = fs::metadata(package.out.join("k.sources")).unwrap();
        found.modified().unwrap()
    };
    run(&package, home, "TILE").succeeded();
    let (before, image) = (time(), package.written("k.ptx"));
    run(&package, home, "TILE").succeeded();
    assert_eq!((time(), written(&package)), (before, vec!["TILE: i32 = 16;".to_owned()]));
    package.write_old("include/tile.cuh", "#define TILE 32u\n");
    run(&package, home, "TILE").succeeded();
    assert_eq!(written(&package), ["TILE: u32 = 32;"]);
    assert_ne!(package.written("k.ptx"), image);
    run(&package, home, "TILE;sim::B").succeeded();
    assert_eq!(written(&package), ["TILE: u32 = 32;", "B: i32 = 7;"]);
    run(&package, home, "WIDTH = TILE").succeeded();
    assert_eq!(written(&package), ["WIDTH: u32 = 32;"]);
    for (setting, constant) in [("registers", "WIDTH = TILE"), ("described", "HALF = TILE / 2")] {
        let variables = [("CUDA_HOME", home), ("SETTING", Path::new(setting)), ("CONSTANTS", Path::new(constant))];
        package.run("constants", &variables).succeeded();
        let value = if setting == "registers" { 32 } else { 16 };
        let name = &constant[..constant.find(' ').unwrap()];
        assert_eq!(written(&package), [format!("{name}: u32 = {value};")]);
    }
}

/// Committed descriptions contain the values.
pub(super) fn constants_without_a_compiler(home: &Path, name: &str) {
    let package = package(&format!("{name}-committed-constants"));
    let nowhere = package.root.join("nowhere");
    let run = |home: &Path, setting: &str, update: &str, constants: &str| {
        let variables = [
            ("CUDA_HOME", home),
            ("PATH", Path::new("")),
            ("SETTING", Path::new(setting)),
            ("KERNEL_ARGS_BUILD_UPDATE", Path::new(update)),
            ("CONSTANTS", Path::new(constants)),
        ];
        package.run("constants", &variables)
    };
    if name == "nvcc" {
        // nvcc needs the host compiler of `PATH`.
        let variables = [
            ("CUDA_HOME", home),
            ("SETTING", Path::new("fallback")),
            ("KERNEL_ARGS_BUILD_UPDATE", Path::new("1")),
            ("CONSTANTS", Path::new("TILE;sim::pi")),
        ];
        package.run("constants", &variables).succeeded();
    } else {
        run(home, "fallback", "1", "TILE;sim::pi").succeeded();
    }
    fs::remove_dir_all(&package.out).unwrap();
    fs::create_dir_all(&package.out).unwrap();
    let said = run(&nowhere, "fallback", "0", "TILE;sim::B").failed();
    assert!(said.contains("`constant B = sim::B`"), "{said}");
    fs::remove_file(package.root.join("committed/k.ptx")).unwrap();
    let missing = run(&nowhere, "fallback", "0", "TILE;sim::pi").failed();
    assert!(missing.contains("committed/k.ptx"), "{missing}");
    let absent = run_optional(&package, &nowhere).succeeded();
    // A compiler that is installed later is found.
    assert!(absent.directives("rerun-if-env-changed").contains(&"PATH"));
    assert_eq!(written(&package), ["TILE: i32 = 16;", "pi: f64 = 3.14159;"]);
    let said = run(&nowhere, "optional", "0", "TILE;sim::B").failed();
    assert!(
        said.contains("the constants `TILE`, `sim::B` of `src/k.cu` are unknown") && said.contains("Kernels::fallback"),
        "{said}"
    );
}

/// The committed description without an image.
fn run_optional(package: &Package, home: &Path) -> super::support::Ran {
    let variables = [
        ("CUDA_HOME", home),
        ("PATH", Path::new("")),
        ("SETTING", Path::new("fallback")),
        ("KERNEL_ARGS_OPTIONAL", Path::new("1")),
        ("CONSTANTS", Path::new("TILE;sim::pi")),
    ];
    package.run("constants", &variables)
}
