//! Each class of the calling conventions: a struct of C or C++ by value, between other arguments.
//!
//! A struct with a declaration is called through it, and arrives. A struct that is refused does not arrive if it is
//! declared by its bytes. Random structs arrive if and only if they are not refused: 40, or 1,000 with
//! `KERNEL_ARGS_FULL=1`.

use super::{compiled, errors, number, random::Random};
use kernel_args_image::{Launchers, generate};
use kernel_args_test_generator::size;
use kernel_args_test_generator::tools::{self as tools, GCC, GXX, Tool};
use kernel_args_toolchain_tests::{
    folder,
    rustc::{self, Compiler, Kind, USUAL},
    write,
};
use libtest_mimic::{Completion, Failed};
use std::{env::consts::ARCH, fmt::Write as _, fs, path::Path, process::Command};

#[derive(Clone, Copy)]
enum Expected {
    /// The generated declaration is right.
    Declared,
    /// No declaration is generated, but a declaration with these members is right.
    ByHand(&'static str),
    /// Refused, with a part of the reason. With these members it does not arrive; without members it is not called.
    Refused(&'static str, &'static str),
    /// With these members it arrives if it is not refused.
    Random(&'static str),
}
use Expected::{ByHand, Declared, Refused};

#[derive(Clone, Copy)]
struct Case {
    /// The definition after `struct NAME`.
    body: &'static str,
    /// The members, and their values.
    values: &'static [(&'static str, &'static str)],
    /// In Rust: `C`, `C, packed`.
    repr: &'static str,
    /// On x86-64.
    system_v: Expected,
    /// On AArch64, if it differs.
    aapcs64: Option<Expected>,
}

const fn case(body: &'static str, values: &'static [(&'static str, &'static str)], system_v: Expected) -> Case {
    Case { body, values, repr: "C", system_v, aapcs64: None }
}

const fn on_arm(case: Case, aapcs64: Expected) -> Case {
    Case { aapcs64: Some(aapcs64), ..case }
}

const A: (&str, &str) = ("a", "7");
const B: (&str, &str) = ("b", "-2");
const C: (&str, &str) = ("c", "3");
const PADDING: &str = "has padding, or a class without members, next to floating-point numbers";

/// C and C++.
const CASES: &[Case] = &[
    // INTEGER, SSE, both, and each in either half.
    case("{ signed char a; }", &[A], Declared),
    case("{ int a; int b; int c; }", &[A, B, C], Declared),
    case("{ long a; long b; }", &[A, B], Declared),
    case("{ float a; }", &[A], Declared),
    case("{ float a, b; }", &[A, B], Declared),
    case("{ float a, b, c; }", &[A, B, C], Declared),
    case("{ double a, b; }", &[A, B], Declared),
    case("{ float a; double b; }", &[A, B], Declared),
    case("{ double a; float b; }", &[A, B], Declared),
    case("{ int a; double b; }", &[A, B], Declared),
    case("{ double a; int b; }", &[A, B], Declared),
    case("{ float a; int b; float c; }", &[A, B, C], Declared),
    case("{ void* a; float b; }", &[("a", "(void*)16"), B], Declared),
    case("{ bool a; float b; bool c; }", &[("a", "1"), B, ("c", "1")], Declared),
    case("{ enum { Zero, One } a; double b; }", &[("a", "1"), B], ByHand("a: u32, b: f64")),
    // Arrays and structs in structs.
    case("{ float a[4]; }", &[("a[0]", "1"), ("a[3]", "2")], Declared),
    case("{ char a[3]; float b; }", &[("a[2]", "1"), B], Declared),
    case("{ struct { float x; } a; struct { short y[2]; } b[2]; }", &[("a.x", "5"), ("b[1].y[1]", "9")], Declared),
    case("{ struct { float x, y; } a[2]; }", &[("a[0].y", "5"), ("a[1].x", "9")], Declared),
    // MEMORY; on AArch64 up to four numbers of one type, or by reference.
    case("{ float a[5]; }", &[("a[0]", "1"), ("a[4]", "2")], Declared),
    case("{ double a[3]; }", &[("a[0]", "1"), ("a[2]", "2")], Declared),
    case("{ double a[4]; }", &[("a[0]", "1"), ("a[3]", "2")], Declared),
    case("{ double a[5]; }", &[("a[0]", "1"), ("a[4]", "2")], Declared),
    case("{ char a[17]; }", &[("a[0]", "1"), ("a[16]", "2")], Declared),
    case("{ long a, b, c; }", &[A, B, C], Declared),
    // Packed: MEMORY if a member is not aligned.
    case("__attribute__((packed)) { char a; double b; }", &[A, B], Declared),
    case("__attribute__((packed)) { float a; char b; }", &[A, B], Declared),
    case("__attribute__((packed, aligned(2))) { short a; float b; }", &[A, B], Declared),
    // Alignment: of integers of 16 bytes, of the struct, of a member.
    case("{ __int128 a; }", &[A], Declared),
    case("{ char a; __int128 b; }", &[A, B], Declared),
    case("__attribute__((aligned(16))) { float a; }", &[A], Declared),
    case("__attribute__((aligned(16))) { double a; long b; }", &[A, B], Declared),
    case("__attribute__((aligned(32))) { int a; double b; double c; }", &[A, B, C], Declared),
    case("{ int a; __attribute__((aligned(16))) double b; }", &[A, B], Declared),
    on_arm(
        case(
            "{ float a; __attribute__((aligned(8))) float b; }",
            &[A, B],
            Refused(PADDING, "a: f32, padding: [u8; 4], b: f32, end: [u8; 4]"),
        ),
        Declared,
    ),
    // Numbers of 16 bits: Rust passes their bits.
    case("{ _Float16 a, b; }", &[A, B], Refused("a floating-point number of 16 bits", "a: u16, b: u16")),
    case("{ _Float16 a; short b; }", &[A, B], Declared),
    case("{ _Float16 a[9]; }", &[("a[0]", "1"), ("a[8]", "2")], Declared),
    on_arm(
        case("{ double a; _Float16 b; }", &[A, B], Refused("a floating-point number of 16 bits", "a: f64, b: u16")),
        Declared,
    ),
    // Unions: their members count.
    case("{ union { float a; int b; } a; int b; }", &[("a.a", "3"), B], ByHand("a: u32, b: i32")),
    case("{ union { float a, b; } a; }", &[("a.a", "3")], Refused("a struct with a union", "a: u32")),
    on_arm(
        case(
            "{ union { double a, b; } a; long b; }",
            &[("a.a", "3"), B],
            Refused("a struct with a union", "a: u64, b: i64"),
        ),
        ByHand("a: u64, b: i64"),
    ),
    case("{ union { double a; long b; } a; double b, c; }", &[("a.a", "3"), B, C], ByHand("a: u64, b: f64, c: f64")),
    on_arm(
        case("{ union { double a; float b; } a; }", &[("a.a", "3")], Refused("a struct with a union", "a: u64")),
        ByHand("a: u64"),
    ),
    // X87, SSEUP, complex numbers.
    case(
        "{ long double a; }",
        &[A],
        Refused("a struct with a floating-point number that Rust does not have", "a: u128"),
    ),
    case("{ long double a; int b; }", &[B], ByHand("a: u128, b: i32")),
    case(
        "{ float a __attribute__((vector_size(16))); }",
        &[("a[0]", "1"), ("a[3]", "2")],
        Refused("a struct with a vector of the processor", "a: [f32; 4]"),
    ),
    case("{ _Complex float a; }", &[A], Refused("a struct with a complex number", "a: u64")),
    on_arm(
        case("{ _Complex float a; int b; }", &[A, B], Refused("a struct with a complex number", "a: [i32; 2], b: i32")),
        ByHand("a: [i32; 2], b: i32"),
    ),
    // Bit fields are integers.
    case("{ unsigned a : 3, b : 9; float c; }", &[A, ("b", "5"), C], ByHand("a: u32, c: f32")),
    case("{ unsigned a : 3; double b; }", &[A, B], ByHand("a: u32, b: f64")),
    // Arrays without elements.
    case("{ int a; float b[0]; }", &[A], Declared),
    case("{ int a; float b[]; }", &[A], Declared),
];

/// C++ only.
const CPP: &[Case] = &[
    on_arm(case("{ Empty a; float b; }", &[B], Refused(PADDING, "a: u8, padding: [u8; 3], b: f32")), Declared),
    case("{ Empty a; int b; }", &[B], Declared),
    case(": Empty { float a; }", &[A], Declared),
    case(": Pair { float a; }", &[A, ("x", "2"), ("y", "4")], Declared),
    case("{ float a; void function(); static int other; }", &[A], Declared),
    case("{ enum class E : unsigned char { One = 1 } a; float b; }", &[("a", "decltype(v.a)::One"), B], Declared),
    case("{ float a; NAME(const NAME&); NAME(); }", &[A], Refused("a class that C++ passes by its address", "")),
    case("{ float a; ~NAME(); }", &[A], Refused("a class that C++ passes by its address", "")),
    case("{ float a; virtual void f() {} }", &[A], Refused("its parameter 0, `p`", "")),
    case(
        "{ float a; NAME(const NAME&) = delete; NAME(); }",
        &[A],
        Refused("by its address, because it cannot be copied", ""),
    ),
    case("{ float a; NAME& operator=(NAME&&) = default; }", &[A], Refused("because it cannot be copied", "")),
    case("{ float a; NAME(const NAME&) = delete; NAME(NAME&&) = default; NAME() {} }", &[A], Declared),
    case("{ float a; NAME(const NAME&) = default; NAME(int); NAME() = default; }", &[A], Declared),
];

/// Definitions without a prototype, and which are declared.
const OLD_STYLE: &str = "void old_float(a, b) float a; int b; {}\nvoid old_int(a, b) signed char a; double b; { echo[0] = a; memcpy(echo + 1, &b, 8); }\nvoid old_none() {}\n";

const C_HEAD: &str = "#include <stdbool.h>\n#include <string.h>\nunsigned char echo[1024];\n";
const CPP_HEAD: &str = "#include <string.h>\nstruct Empty {};\nstruct Pair { float x, y; };\nextern \"C\" {\nextern unsigned char echo[1024];\n";

/// The type in C before and after the name, a member of it, and the type in Rust, which has the same bytes.
const MEMBERS: [[&str; 4]; 15] = [
    ["signed char", "", "", "i8"],
    ["short", "", "", "i16"],
    ["int", "", "", "i32"],
    ["long", "", "", "i64"],
    ["float", "", "", "f32"],
    ["float", "", "", "f32"],
    ["double", "", "", "f64"],
    ["_Float16", "", "", "u16"],
    ["float", "[2]", "[1]", "[f32; 2]"],
    ["short", "[3]", "[2]", "[i16; 3]"],
    ["union { float a; int b; }", "", ".a", "u32"],
    ["union { float a, b; }", "", ".b", "u32"],
    ["union { double a; float b; }", "", ".a", "u64"],
    ["union { short a; _Float16 b; }", "", ".a", "u16"],
    ["struct { _Float16 a; char b; }", "", ".a", "[u16; 2]"],
];

/// Only integers and floating-point numbers that are not aligned are passed in memory, not the bytes of a union.
const WITHOUT_UNIONS: usize = 10;

fn random(random: &mut Random) -> Case {
    let is_packed = random.chance(4);
    let (mut body, mut rust, mut values) = (String::from("{"), String::new(), Vec::new());
    for index in 0..=random.below(3) {
        let [begin, end, part, ty] = MEMBERS[random.below(if is_packed { WITHOUT_UNIONS } else { MEMBERS.len() })];
        let _ = write!(body, " {begin} m{index}{end};");
        let _ = write!(rust, "m{index}: {ty}, ");
        let (path, value) = (format!("m{index}{part}"), (1 + random.below(100)).to_string());
        values.push((&*path.leak(), &*value.leak()));
    }
    body.push_str(" }");
    let attribute = if is_packed { "__attribute__((packed)) " } else { "" };
    Case {
        body: format!("{attribute}{body}").leak(),
        values: values.leak(),
        repr: if is_packed { "C, packed" } else { "C" },
        system_v: Expected::Random(rust.leak()),
        aapcs64: None,
    }
}

const fn expected(case: &Case, is_arm: bool) -> &Expected {
    match &case.aapcs64 {
        Some(own) if is_arm => own,
        _ => &case.system_v,
    }
}

/// Functions that write a value, and that write the value that they take.
fn source(cases: &[Case], prefix: &str, head: &str, is_arm: bool) -> String {
    let mut text = String::from(head);
    for (index, case) in cases.iter().enumerate() {
        let name = format!("{prefix}{index}");
        let ty = format!("struct {name}");
        let body = case.body.replace("NAME", &name);
        // An attribute is before the members.
        let _ = writeln!(
            text,
            "struct {body};",
            body = if body.starts_with("__") {
                body.replacen(" {", &format!(" {name} {{"), 1)
            } else {
                format!("{name} {body}")
            }
        );
        if matches!(expected(case, is_arm), Refused(_, "")) {
            let _ = writeln!(text, "void take_{name}({ty} p) {{}}");
            continue;
        }
        let (mut fill, mut take) = (String::new(), String::new());
        for (member, value) in case.values {
            let _ = write!(fill, " v.{member} = {value};");
            let _ = write!(take, " v.{member} = p.{member};");
        }
        let _ = writeln!(
            text,
            "void fill_{name}(unsigned char* to) {{ {ty} v; memset((void*)&v, 0, sizeof v);{fill} memcpy(to, (void*)&v, sizeof v); }}\n\
             void take_{name}(int i, float f, {ty} p, double e, {ty} q, int k) {{ {ty} v; memset((void*)&v, 0, sizeof v);{take} \
             memcpy(echo, (void*)&v, sizeof v);\n  {again} memcpy(echo + 64, (void*)&v, sizeof v); \
             memcpy(echo + 128, &i, 4); memcpy(echo + 132, &f, 4); memcpy(echo + 136, &e, 8); memcpy(echo + 144, &k, 4); }}",
            again = take.replace("= p.", "= q."),
        );
    }
    text
}

/// A processor, and the compilers for it.
struct Target {
    compilers: [Tool; 2],
    is_arm: bool,
}

const CROSS: Target = Target { compilers: [CROSS_GCC, super::CROSS], is_arm: true };
pub(crate) const CROSS_GCC: Tool = Tool::program("aarch64-linux-gnu-gcc");
pub(crate) const EMULATOR: Tool = Tool::program("qemu-aarch64");

pub(crate) fn each_class() -> Result<Completion, Failed> {
    let target = Target { compilers: [GCC, GXX], is_arm: ARCH == "aarch64" };
    for compiler in target.compilers {
        if !tools::command(compiler).arg("-dumpmachine").output()?.stdout.starts_with(ARCH.as_bytes()) {
            return Ok(Completion::ignored_with(format!("{compiler:?} compiles for a different processor")));
        }
    }
    let crates = folder("launchers/conventions/crates")?;
    let found = objects(&target, &folder("launchers/conventions")?)?;
    let mut all = vec![("main.rs", found.main.as_str())];
    all.extend(found.files.iter().map(|(name, text)| (name.as_str(), text.as_str())));
    let options = found.links.iter().flat_map(|link| ["-C", link.as_str()]).chain(["-C", "opt-level=1"]);
    let options: Vec<&str> = options.collect();
    let compiler = Compiler { options: &options, ..Compiler::new(&crates, &USUAL) };
    let output = compiler.one(&rustc::lay_out(&crates, "calls", Kind::Program, &all)?)?;
    let Some(program) = &output.program else {
        return Err(errors(&output).into());
    };
    run(&mut Command::new(program))?;
    println!("conventions: {:?} structs are declared, declared by hand, and refused", found.counts);
    if !target.is_arm {
        cross()?;
    }
    Ok(Completion::Completed)
}

/// The declarations by hand for AArch64, if its compilers, its standard library and an emulator are installed.
fn cross() -> Result<(), Failed> {
    let [triple, place] = ["aarch64-unknown-linux-gnu", "launchers/conventions/aarch64"];
    let libraries = Command::new("rustc").args(["--print", "target-libdir", "--target", triple]).output()?.stdout;
    let has_std = Path::new(String::from_utf8_lossy(&libraries).trim()).is_dir();
    if !has_std || !CROSS.compilers.into_iter().chain([EMULATOR]).all(tools::has) {
        println!("conventions: not called on AArch64: a compiler, the standard library or qemu-aarch64 is missing");
        return Ok(());
    }
    let place = folder(place)?;
    let found = objects(&CROSS, &place)?;
    let (source, program) = (place.join("calls.rs"), place.join("calls"));
    let without_modules: String =
        found.main.lines().filter(|line| !line.starts_with("mod ")).flat_map(|line| [line, "\n"]).collect();
    write(&source, without_modules)?;
    let linker = format!("linker={}", tools::path(CROSS.compilers[0]).display());
    let links = found.links.iter().flat_map(|link| ["-C", link.as_str()]);
    let mut rustc = Command::new("rustc");
    rustc.args(["--edition", "2024", "--target", triple, "-C", &linker, "-C", "opt-level=1"]).args(links);
    run(rustc.arg("-o").args([&program, &source]))?;
    run(tools::command(EMULATOR).args(["-L", "/usr/aarch64-linux-gnu"]).arg(&program))?;
    println!("conventions: on AArch64 {:?}", found.counts);
    Ok(())
}

fn run(command: &mut Command) -> Result<(), Failed> {
    let output = command.output()?;
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).as_ref().into()) }
}

struct Objects {
    main: String,
    /// The generated modules.
    files: Vec<(String, String)>,
    links: Vec<String>,
    counts: [usize; 3],
}

fn objects(target: &Target, place: &Path) -> Result<Objects, Failed> {
    let mut seed = Random(number("KERNEL_ARGS_LAUNCHERS_SEED", 1)? as u64);
    let random: Vec<Case> = (0..size::choose(40, 1000)).map(|_| random(&mut seed)).collect();
    let only_echo = C_HEAD.replace("unsigned char echo", "extern unsigned char echo");
    let is_arm = target.is_arm;
    let [c, cpp] = target.compilers;
    let sources = [
        (c, "c", CASES, source(CASES, "c", C_HEAD, is_arm) + OLD_STYLE, "c"),
        (c, "random", &*random, source(&random, "random", &only_echo, is_arm), "c"),
        (cpp, "cpp", CPP, source(CPP, "cpp", CPP_HEAD, is_arm) + "}\n", "cpp"),
    ];
    let (mut calls, mut files, mut links) = (String::new(), Vec::new(), Vec::new());
    let mut counts = [0; 3];
    for (compiler, prefix, cases, text, language) in sources {
        let source = place.join(format!("cases_{prefix}.{language}"));
        write(&source, text)?;
        let standard = if language == "c" { "-std=gnu11" } else { "-std=c++17" };
        for version in ["4", "5"] {
            let object = compiled(compiler, &source, version, standard)?;
            let launchers = Launchers::read(&fs::read(&object)?)?;
            let path = format!("{:?}", object.display().to_string());
            let generated = generate::of_launchers(&launchers, Ok(&path), &generate::Options::default());
            check(&launchers, &generated, prefix, cases, is_arm)?;
            if version == "4" {
                continue;
            }
            for (index, case) in cases.iter().enumerate() {
                let name = format!("{prefix}{index}");
                let is_read = launchers.get(&format!("take_{name}")).is_ok();
                let (at, members, is_same) = match *expected(case, is_arm) {
                    Declared => (0, None, true),
                    ByHand(members) => (1, Some(members), true),
                    Refused(_, members) => (2, Some(members), false),
                    Expected::Random(members) => (if is_read { 1 } else { 2 }, Some(members), is_read),
                };
                counts[at] += 1;
                let is_called = members.map_or(ARCH == "aarch64" || !is_arm, |members| !members.is_empty());
                if is_called {
                    calls.push_str(&call(case, &name, prefix, members, is_same));
                }
            }
            // The declarations of random structs are written by hand.
            if prefix != "random" {
                files.push((format!("{prefix}.rs"), generated));
            }
            links.push(format!("link-arg={}", object.display()));
        }
    }
    Ok(Objects { main: PROGRAM.replace("CALLS", &calls), files, links, counts })
}

/// Whether each function has a declaration, or its reason.
fn check(launchers: &Launchers, generated: &str, prefix: &str, cases: &[Case], is_arm: bool) -> Result<(), Failed> {
    let reason = |symbol: &str| {
        let start = format!("// `{symbol}` is not declared: ");
        generated.lines().find_map(|line| line.strip_prefix(start.as_str()))
    };
    let mut wrong = String::new();
    for (index, case) in cases.iter().enumerate() {
        let symbol = format!("take_{prefix}{index}");
        let (is_read, reason) = (launchers.get(&symbol).is_ok(), reason(&symbol));
        let is_right = match (expected(case, is_arm), reason) {
            (Declared, reason) => reason.is_none(),
            (ByHand(_), reason) => is_read && reason.is_some(),
            (Refused(part, _), reason) => reason.is_some_and(|reason| reason.contains(part)),
            (Expected::Random(_), reason) => is_read || reason.is_some_and(|what| what.contains("in other registers")),
        };
        if !is_right {
            let _ = writeln!(wrong, "struct {}: {reason:?}, read: {is_read}", case.body);
        }
    }
    if !wrong.is_empty() {
        return Err(wrong.into());
    }
    let is_declared = |symbol| prefix != "c" || reason(symbol).is_none();
    let is_old = prefix != "c" || reason("old_float").is_some_and(|what| what.contains("without a prototype (K&R)"));
    if is_old && is_declared("old_int") && is_declared("old_none") { Ok(()) } else { Err("old style".into()) }
}

fn call(case: &Case, name: &str, module: &str, members: Option<&str>, is_same: bool) -> String {
    let declared = members.map_or_else(
        || format!("use {module}::take_{name} as take;"),
        |members| {
            let repr = case.repr;
            let align = if case.body.contains("long double") { ", align(16)" } else { "" };
            format!(
                "#[repr({repr}{align})] #[derive(Clone, Copy)] struct Value {{ {members} }}\n\
                 unsafe extern \"C\" {{ #[link_name = \"take_{name}\"] fn take(i: i32, f: f32, p: Value, e: f64, q: Value, k: i32); }}"
            )
        },
    );
    format!(
        "{{ {declared}\nunsafe extern \"C\" {{ fn fill_{name}(to: *mut u8); }}\n\
         check({name:?}, {is_same}, fill_{name}, |from| unsafe {{ take(5, 0.5, next(from), 2.5, next(from), 6) }}); }}\n"
    )
}

const PROGRAM: &str = r#"#![allow(dead_code, improper_ctypes, static_mut_refs, clashing_extern_declarations, unused_imports)]
mod c { include!("c.rs"); }
mod cpp { include!("cpp.rs"); }
unsafe extern "C" { static mut echo: [u8; 1024]; }

fn next<T: Copy>(from: &[u8; 64]) -> T {
    assert!(size_of::<T>() <= 64);
    unsafe { from.as_ptr().cast::<T>().read_unaligned() }
}

fn check(name: &str, is_same: bool, fill: unsafe extern "C" fn(*mut u8), call: impl FnOnce(&[u8; 64])) {
    let mut source = [0; 64];
    let mut others = [0; 20];
    others[..4].copy_from_slice(&5i32.to_le_bytes());
    others[4..8].copy_from_slice(&0.5f32.to_le_bytes());
    others[8..16].copy_from_slice(&2.5f64.to_le_bytes());
    others[16..].copy_from_slice(&6i32.to_le_bytes());
    unsafe {
        fill(source.as_mut_ptr());
        echo.fill(0);
        call(&source);
        let arrived = echo[..64] == source && echo[64..128] == source && echo[128..148] == others;
        assert_eq!(arrived, is_same, "{name}: {:?} of {source:?}", &echo[..148]);
    }
}

fn main() {
CALLS}
"#;
