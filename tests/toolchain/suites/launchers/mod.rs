//! Random host functions, compiled by g++ with debug information and called from Rust.
//!
//! The declarations and the structs are generated from the debug information. Each function is called, and each that
//! returns a status is launched with its struct on the test driver. Each argument is echoed by the C++ function, and
//! compared byte for byte. Declarations of each function by hand are right, and mistakes in them, one per declaration,
//! are refused at their argument.
//!
//! There are 16 functions, 500 with `KERNEL_ARGS_FULL=1`, or the number in `KERNEL_ARGS_LAUNCHERS`.
//! `KERNEL_ARGS_LAUNCHERS_SEED` is the seed.

#![allow(clippy::format_collect, clippy::format_push_string, reason = "the texts are small")]

mod conventions;
mod random;

use kernel_args_image::{
    LauncherError, Launchers,
    generate::{self, Pointers},
};
use kernel_args_stand_in::{Session, Settings};
use kernel_args_test_generator::size;
use kernel_args_test_generator::tools::{self as tools, AR, GCC, GXX, OBJCOPY, Tool, trial};
use kernel_args_toolchain_tests::{
    folder, golden,
    nvrtc::HEADERS,
    root,
    rustc::{self, Compiled, Compiler, Kind, USUAL},
    target, write,
};
use libtest_mimic::{Arguments, Failed};
use random::{Function, Library, Random, Type, rust};
use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
    sync::Mutex,
    thread,
};

pub(crate) fn main() -> ExitCode {
    let trials = vec![
        trial("random_functions_are_called_and_mistakes_are_refused", &[GXX, CROSS.optional()], random_functions),
        trial(
            "each_class_of_the_calling_conventions_arrives_or_is_refused",
            &[GCC, GXX, conventions::CROSS_GCC.optional(), CROSS.optional(), conventions::EMULATOR.optional()],
            conventions::each_class,
        ),
        trial("messages_are_as_in_the_golden_file", &[GCC, GXX, OBJCOPY, AR], messages),
        trial("functions_that_nvcc_compiles_are_launched", &[HEADERS, GXX], of_nvcc),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// The right declarations of `messages.rs` compile, and the wrong ones have the messages of `messages.txt`.
fn messages() -> Result<(), Failed> {
    let crates = folder("launchers/messages")?;
    let one =
        rustc::lay_out(&crates, "messages", Kind::CheckedLibrary, &[("messages.rs", include_str!("messages.rs"))])?;
    let object = fs::read(root().join("crates/image/tests/data/launchers.dwarf-5.o"))?;
    // The second library exports the same functions.
    for name in ["launchers.o", "twice.a"] {
        fs::write(one.package.join(name), &object)?;
    }
    objects(&one.package)?;
    let output = Compiler::new(&crates, &USUAL).one(&one)?;
    let place = crates.display().to_string();
    let warned = output.rendered("warning").filter(|text| text.contains("deprecated"));
    let text: String = warned.chain(output.rendered("error")).map(|text| text.replace(&place, "") + "\n").collect();
    golden::compare(&root().join("tests/toolchain/suites/launchers/messages.txt"), &text)?;
    Ok(())
}

/// Arguments that are exchanged, a struct, and an instance of a template whose alias has a C symbol.
const RANGES: &str = r#"struct Window { float lo; float hi; };
extern "C" void of_range(float* x, float lo, float hi, unsigned n) {}
extern "C" void of_types(float* x, float lo, int hi) {}
extern "C" void of_window(Window w) {}
template <class T> void of_instance(T* x, int n) {}
template void of_instance<float>(float*, int);
extern "C" void of_alias(float* x, int n) __attribute__((alias("_Z11of_instanceIfEvPT_i")));
"#;

/// Pointers that may be declared with the type of the bits, and some that may not.
const PUNS: &str = r#"struct Element { unsigned value; };
struct Extension { Element of[4]; };
struct Mixed { unsigned a; float b; };
struct __half { unsigned short x; };
extern "C" void of_puns(const Extension* e, bool* flags, __half* halves, unsigned rows, unsigned columns) {}
extern "C" void of_mixed(const Mixed* m, Extension* e) {}
"#;

/// Structs that C passes in other registers than their bytes, and one that it does not.
const PASSED: &str = r#"struct Padded { float x; double y; };
struct Half { _Float16 x; };
struct Either { union { double x; float y; } of; };
struct Bits { union { int x; float y; } of; float y; };
extern "C" void of_padded(Padded p) {}
extern "C" void of_right(Padded p) {}
extern "C" void of_half(Half h) {}
extern "C" void of_either(Either e) {}
extern "C" void of_bits(Bits b) {}
"#;

/// Objects that cannot be read, or not as a whole. Each has its own function.
fn objects(folder: &Path) -> Result<(), Failed> {
    let run = |tool: Tool, arguments: &[&str]| -> Result<(), Failed> {
        let output = tools::command(tool).args(arguments).current_dir(folder).output()?;
        if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).as_ref().into()) }
    };
    let object = |name: &str, source: &str, options: &[&str]| {
        fs::write(folder.join(format!("{name}.cpp")), source)?;
        let (from, to) = (format!("{name}.cpp"), format!("{name}.o"));
        run(GXX, &[options, &["-c", &from, "-o", &to]].concat())
    };
    let of = |name: &str| format!("extern \"C\" void {name}(int a, float b) {{}}\n");
    for (name, options) in [
        ("none", &["-g0"][..]),
        ("lines", &["-g", "-g1"]),
        ("slim", &["-g", "-flto", "-fno-fat-lto-objects"]),
        ("split", &["-g", "-gsplit-dwarf"]),
        ("unrelocated", &["-g"]),
        ("compressed", &["-g", "-gz"]),
    ] {
        object(name, &of(&format!("of_{name}")), options)?;
    }
    run(OBJCOPY, &["--remove-section=.rela.debug_info", "unrelocated.o"])?;
    // The second object has a newer header. The last two members have one name, and both define one function.
    for (name, members) in [("old", "float scale; int heads;"), ("new", "float scale; int causal; int heads;")] {
        let text =
            format!("struct Options {{ {members} }};\nextern \"C\" void of_{name}_header(Options options) {{}}\n");
        object(name, &text, &["-g"])?;
    }
    object("pair", "extern \"C\" int of_pair(unsigned rows, unsigned columns, float scale) { return 0; }\n", &["-g"])?;
    object("ranges", RANGES, &["-g"])?;
    object("puns", PUNS, &["-g"])?;
    object("passed", PASSED, &["-g"])?;
    fs::write(folder.join("old_style.c"), "void of_old_style(x) float x; {}\n")?;
    run(GCC, &["-g", "-std=gnu11", "-c", "old_style.c"])?;
    object("described", &of("described"), &["-g"])?;
    fs::write(folder.join("bitcode.o"), b"BC\xc0\xde and more")?;
    let _ = fs::remove_file(folder.join("mixed.a"));
    run(AR, &["qc", "mixed.a", "bitcode.o", "old.o", "new.o", "described.o"])?;
    for own in ["of_first", "of_second"] {
        object("twice", &(of(own) + &of("of_twice")), &["-g"])?;
        run(AR, &["qc", "mixed.a", "twice.o"])?;
    }
    Ok(())
}

/// The program in `tests/host_functions`: its build script compiles a library with nvcc, and the test driver executes
/// the kernels.
fn of_nvcc() -> Result<(), Failed> {
    let headers = tools::path(HEADERS);
    let output = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--manifest-path"])
        .arg(root().join("tests/host_functions/Cargo.toml"))
        .env("CARGO_TARGET_DIR", target()?.join("host_functions"))
        .env("CUDA_HOME", headers.parent().unwrap_or(&headers))
        .env("HOST_FUNCTIONS_RUNTIME", "test")
        .output()?;
    if String::from_utf8_lossy(&output.stdout).contains("arguments, streams, sequences and errors are right") {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&output.stderr).as_ref().into())
}

fn number(name: &str, usual: usize) -> Result<usize, Failed> {
    Ok(env::var(name).map_or(Ok(usual), |text| text.parse())?)
}

const CROSS: Tool = Tool::program("aarch64-linux-gnu-g++");

fn random_functions() -> Result<(), Failed> {
    let seed = number("KERNEL_ARGS_LAUNCHERS_SEED", 1)?;
    let count = number("KERNEL_ARGS_LAUNCHERS", size::choose(16, 500))?;
    let mut random = Random(seed as u64);
    let library = Library::random(&mut random, count);
    let place = folder("launchers")?;
    let source = place.join("functions.cpp");
    write(&source, library.cpp(&mut random))?;
    let mut prototypes = Vec::new();
    for version in ["2", "3", "4", "5"] {
        let object = compile(GXX, &source, version)?;
        let launchers = Launchers::read(&fs::read(&object)?)?;
        let all: Result<Vec<String>, LauncherError> =
            launchers.functions().map(|(_, one)| Ok(one?.prototype())).collect();
        prototypes.push(all?);
    }
    if prototypes.iter().any(|all| *all != prototypes[0] || all.len() != 2 * count + 1) {
        return Err("the versions of DWARF describe different functions".into());
    }
    let has_cross = tools::has(CROSS);
    if has_cross {
        let other = place.join("functions.aarch64.cpp");
        write(&other, fs::read(&source)?)?;
        let launchers = Launchers::read(&fs::read(compile(CROSS, &other, "5")?)?)?;
        let all: Result<Vec<String>, LauncherError> =
            launchers.functions().map(|(_, one)| Ok(one?.prototype())).collect();
        if all? != prototypes[0] {
            return Err("the object of AArch64 describes different functions".into());
        }
    }
    let crates = folder("launchers/crates")?;
    let (mut called, mut launched) = (0, 0);
    for (version, pointers) in [("4", Pointers::Slices), ("5", Pointers::Raw)] {
        let counts = call(&crates, &library, &object(&source, version), version, pointers)?;
        called += counts[0];
        launched += counts[1];
    }
    let mistakes = mistakes(&mut random, &crates, &library, &object(&source, "5"))?;
    let cross = if has_cross { "; AArch64 read" } else { "" };
    println!(
        "launchers: seed {seed}, {count} functions{cross}; {called} calls and {launched} launches echoed; mistakes refused at their argument: {mistakes:?}"
    );
    Ok(())
}

fn object(source: &Path, version: &str) -> PathBuf {
    source.with_extension(format!("dwarf-{version}.o"))
}

fn compile(compiler: Tool, source: &Path, version: &str) -> Result<PathBuf, Failed> {
    compiled(compiler, source, version, "-std=c++17")
}

fn compiled(compiler: Tool, source: &Path, version: &str, standard: &str) -> Result<PathBuf, Failed> {
    let object = object(source, version);
    let output = tools::command(compiler)
        .args([standard, "-O1", "-w", "-fPIC", "-c", &format!("-gdwarf-{version}"), "-o"])
        .args([&object, source])
        .output()?;
    if output.status.success() { Ok(object) } else { Err(String::from_utf8_lossy(&output.stderr).as_ref().into()) }
}

/// Calls each function through its generated declaration, and launches it with its generated struct if the pointers of
/// structs are `Raw`. Returns the number of both.
fn call(
    crates: &Path,
    library: &Library,
    object: &Path,
    version: &str,
    pointers: Pointers,
) -> Result<[usize; 2], Failed> {
    let launchers = Launchers::read(&fs::read(object)?)?;
    let path = format!("{:?}", object.display().to_string());
    let mut options = generate::Options::default();
    options.pointers = pointers;
    let generated = generate::of_launchers(&launchers, Ok(&path), &options);
    let mut calls = String::new();
    let mut launched = 0;
    for (index, function) in library.functions.iter().enumerate() {
        let has_stream = function.stream.is_some();
        let mut check = |stream, call| {
            calls += &format!(
                "    check({index}, ffi::fill_f{index}, {has_stream}.then_some({stream}), |mut at| unsafe {{ {call} }});\n"
            );
        };
        let mut arguments = vec!["next(&mut at)"; function.parameters.len()];
        if let Some(stream) = function.stream {
            arguments.insert(stream, "STREAM as _");
        }
        let call = format!("ffi::f{index}({})", arguments.join(", "));
        check("STREAM", if function.result.is_some() { format!("returned({call})") } else { call });
        let is_launched = function.result.is_none_or(|result| ["i32", "u32"].contains(&rust(result).as_str()));
        let mut structs = generated.lines().filter_map(|line| line.strip_prefix("pub struct "));
        let has_struct = structs.any(|rest| rest.split([' ', '<']).next() == Some(&format!("F{index}")));
        if has_struct != is_launched || generated.contains("struct FillF") {
            return Err(
                format!("f{index} has a struct: {has_struct}. Is one expected: {is_launched}\n{generated}").into()
            );
        }
        if is_launched && pointers == Pointers::Raw {
            let fields: String = (0..function.parameters.len()).map(|at| format!("a{at}: next(&mut at), ")).collect();
            let option = if has_stream { "stream = &stream" } else { "default_stream = true" };
            let is_status = function.result.is_some();
            check(
                "stream.cu_stream() as usize",
                format!("launched(launch!(ffi::f{index}, ffi::F{index} {{ {fields}}}, {option}), {is_status})"),
            );
            launched += 1;
        }
    }
    let main = PROGRAM.replace("CALLS", &calls);
    let files = [("main.rs", main.as_str()), ("ffi.rs", &generated)];
    let link = format!("link-arg={}", object.display());
    let options = ["-C", link.as_str()];
    let compiler = Compiler { options: &options, ..Compiler::new(crates, &USUAL) };
    let output = compiler.one(&rustc::lay_out(crates, &format!("calls{version}"), Kind::Program, &files)?)?;
    let Some(program) = &output.program else {
        return Err(errors(&output).into());
    };
    let output = Session::start(&Settings::new())?.command(program).output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).as_ref().into());
    }
    Ok([library.functions.len(), launched])
}

fn errors(output: &Compiled) -> String {
    output.rendered("error").collect::<String>().chars().take(6000).collect()
}

const PROGRAM: &str = r#"#![allow(dead_code, improper_ctypes, unused_mut, unused_variables, static_mut_refs)]
use kernel_args::{Error, error::LaunchError, launch};
mod ffi { include!("ffi.rs"); }
static mut SOURCE: [u8; 1 << 16] = [0; 1 << 16];
const STREAM: usize = 0x1234_5678_9abc;
unsafe extern "C" { static mut echo: [u8; 1 << 16]; static result: [u8; 16]; }

fn next<T: Copy>(at: &mut usize) -> T {
    let value = unsafe { SOURCE.as_ptr().add(*at).cast::<T>().read_unaligned() };
    *at += size_of::<T>().div_ceil(16) * 16;
    value
}

fn returned<T: Copy>(value: T) {
    let bytes = unsafe { std::slice::from_raw_parts((&raw const value).cast::<u8>(), size_of::<T>()) };
    assert_eq!(bytes, unsafe { &result[..size_of::<T>()] }, "the result");
}

/// The function returns `result`, which is an error unless it is 0.
fn launched(returned: Result<(), Error>, is_status: bool) {
    let expected = if is_status { unsafe { i32::from_le_bytes(result[..4].try_into().unwrap()) } } else { 0 };
    match returned {
        Ok(()) => assert_eq!(expected, 0),
        Err(Error::Launch(LaunchError::Launcher(failed))) => assert_eq!(failed.code, expected),
        Err(error) => panic!("{error}"),
    }
}

fn check(index: usize, fill: unsafe extern "C" fn(*mut u8) -> u64, stream: Option<usize>, call: impl FnOnce(usize)) {
    unsafe {
        SOURCE.fill(0xff);
        echo.fill(0xff);
        let end = fill(SOURCE.as_mut_ptr()) as usize;
        println!("f{index}");
        call(0);
        assert_eq!(&echo[..end], &SOURCE[..end], "the arguments of f{index}");
        let received = usize::from_le_bytes(echo[end..end + 8].try_into().unwrap());
        assert!(stream.is_none_or(|stream| stream == received), "the stream of f{index}");
    }
}

fn main() {
    let context = cudarc::driver::CudaContext::new(0).unwrap();
    let stream = context.new_stream().unwrap();
CALLS}
"#;

/// Compares right declarations by hand, and declarations with one mistake each. Returns the number of mistakes of each
/// kind.
fn mistakes(
    random: &mut Random,
    crates: &Path,
    library: &Library,
    object: &Path,
) -> Result<BTreeMap<&'static str, usize>, Failed> {
    let launchers = Launchers::read(&fs::read(object)?)?;
    let generated = generate::of_launchers(&launchers, Ok("\"\""), &generate::Options::default());
    // Without the block and the structs of arguments, the types remain.
    let types: String = generated
        .split("\n\n")
        .filter(|item| item.contains("DeviceType)]"))
        .map(|item| format!("{item}\n\n"))
        .collect();
    let begin = format!(
        "#![allow(dead_code, improper_ctypes, non_camel_case_types, unused_imports)]\n\
         use core::ffi::*; use kernel_args::{{DeviceType, DevicePointer, DevicePointerMut, vector::*}};\n\
         pub type cudaStream_t = *mut c_void;\n{types}\n{}\n",
        library.wrong_types()
    );
    let functions: Vec<_> = library.functions.iter().enumerate().collect();
    let functions: Vec<_> =
        functions.chunks(25).enumerate().map(|(number, some)| (number, some, random.split())).collect();
    let (next, kinds) = (Mutex::new(functions.into_iter()), Mutex::new(BTreeMap::new()));
    let work = || -> Result<(), Failed> {
        loop {
            let Some((number, some, mut random)) = next.lock()?.next() else { return Ok(()) };
            let found = mistakes_in(&mut random, crates, (&format!("mistakes{number}"), &begin), some, object)?;
            let mut kinds = kinds.lock()?;
            for (kind, count) in found {
                *kinds.entry(kind).or_insert(0) += count;
            }
        }
    };
    // Most of the time is rustc's, which evaluates the messages of one crate in one thread.
    thread::scope(|scope| {
        let workers: Vec<_> = (0..thread::available_parallelism()?.get()).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().map_err(|_| "a worker panicked")?)
    })?;
    Ok(kinds.into_inner()?)
}

/// A declaration of a function, with a mistake or without.
struct Variant {
    arguments: Vec<(String, String)>,
    result: Option<String>,
    /// What is wrong, and the line of it: 0 is the line of the name.
    mistake: Option<(&'static str, usize)>,
}

/// The right declaration of a function, and one for each mistake.
fn variants(random: &mut Random, function: &Function) -> Vec<Variant> {
    let right = arguments(function);
    let result = function.result.map(rust);
    let mut all = vec![Variant { arguments: right.clone(), result: result.clone(), mistake: None }];
    for mistake in 0..right.len() + 4 {
        let mut wrong = right.clone();
        let mut wrong_result = result.clone();
        let (kind, line) = if mistake < right.len() && function.stream != Some(mistake) {
            let own = function.stream.map_or(mistake, |stream| mistake - usize::from(stream < mistake));
            let (ty, kind) = Library::mistake(random, function.parameters[own]);
            wrong[mistake].1 = ty;
            (kind, 1 + mistake)
        } else if mistake < right.len() {
            wrong[mistake].1 = "i32".into();
            ("stream", 1 + mistake)
        } else if mistake == right.len() && !right.is_empty() {
            wrong.remove(random.below(right.len()));
            ("missing", 0)
        } else if mistake == right.len() + 1 {
            let at = random.below(right.len() + 1);
            wrong.insert(at, ("extra".into(), "*mut *mut *mut i16".into()));
            ("extra", 1 + at)
        } else if mistake == right.len() + 2 {
            wrong_result = match function.result {
                Some(ty) => Some(Library::mistake(random, ty).0),
                None => Some("i32".into()),
            };
            ("result", 1 + wrong.len())
        } else if let Some(at) = (1..right.len()).find(|at| right[at - 1].1 == right[*at].1) {
            let first = wrong[at].0.clone();
            wrong[at].0 = std::mem::replace(&mut wrong[at - 1].0, first);
            ("name", at)
        } else {
            continue;
        };
        all.push(Variant { arguments: wrong, result: wrong_result, mistake: Some((kind, line)) });
    }
    all
}

/// The same for some functions, in one crate whose source starts with `begin`. Its first block has the right
/// declarations, each block after it a mistake in each function.
fn mistakes_in(
    random: &mut Random,
    crates: &Path,
    (name, begin): (&str, &str),
    functions: &[(usize, &Function)],
    object: &Path,
) -> Result<BTreeMap<&'static str, usize>, Failed> {
    let mut kinds = BTreeMap::new();
    let all: Vec<_> = functions.iter().map(|(index, function)| (*index, variants(random, function))).collect();
    let most = all.iter().map(|(_, variants)| variants.len()).max().unwrap_or(0);
    let path = object.display().to_string();
    let (mut source, mut expected) = (String::from(begin), Vec::new());
    for block in 0..most {
        source += &format!(
            "mod m{block} {{ use super::*;\n#[kernel_args::launchers(library = {path:?})]\nunsafe extern \"C\" {{\n"
        );
        let mut lines = source.lines().count();
        for (index, variant) in all.iter().filter_map(|(index, variants)| Some((*index, variants.get(block)?))) {
            let text = declaration(index, &variant.arguments, variant.result.as_deref());
            let first = lines + 1;
            lines += text.lines().count();
            source += &text;
            if let Some((kind, line)) = variant.mistake {
                *kinds.entry(kind).or_insert(0) += 1;
                expected.push((first..=lines, first + line, kind, text));
            }
        }
        source += "} }\n";
    }
    let compiler = Compiler::new(crates, &USUAL);
    let output = compiler.one(&rustc::lay_out(crates, name, Kind::CheckedLibrary, &[("lib.rs", &source)])?)?;
    let mut lines: BTreeSet<usize> = BTreeSet::new();
    for message in output.messages.iter().filter(|message| message["level"] == "error") {
        for span in message["spans"].as_array().into_iter().flatten().filter(|span| span["is_primary"] == true) {
            lines.extend(span["line_start"].as_u64().and_then(|line| usize::try_from(line).ok()));
        }
    }
    for (range, line, kind, text) in &expected {
        let found: Vec<usize> = lines.range(range.clone()).copied().collect();
        let is_refused = match *kind {
            // Several of the equal neighbours of a missing argument, or of an extra one, can be the mistake.
            "missing" | "extra" | "name" => !found.is_empty(),
            _ => found == [*line],
        };
        if !is_refused {
            let at = line - range.start();
            return Err(format!(
                "a mistake ({kind}) in line {at} is reported in {found:?} of {range:?}:\n{text}\n{}",
                errors(&output)
            )
            .into());
        }
        for line in found {
            lines.remove(&line);
        }
    }
    if !lines.is_empty() {
        return Err(format!("right declarations are refused in lines {lines:?}:\n{}", errors(&output)).into());
    }
    Ok(kinds)
}

/// The names and the types, with the stream.
fn arguments(function: &Function) -> Vec<(String, String)> {
    let own = |(index, ty): (usize, &Type)| (format!("a{index}"), rust(*ty));
    let mut arguments: Vec<_> = function.parameters.iter().enumerate().map(own).collect();
    if let Some(stream) = function.stream {
        arguments.insert(stream, ("stream".into(), "cudaStream_t".into()));
    }
    arguments
}

/// Each argument, and the returned type, has its own line.
fn declaration(index: usize, arguments: &[(String, String)], result: Option<&str>) -> String {
    let arguments: String = arguments.iter().map(|(name, ty)| format!("{name}: {ty},\n")).collect();
    let result = result.map_or_else(String::new, |result| format!("-> {result}"));
    format!("fn f{index}(\n{arguments}) {result};\n")
}
