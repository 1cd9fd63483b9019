//! The program `kernel-args-test-driver`, with a package of a user: its program and its tests run without a GPU.

use kernel_args_test_generator::tools::{self as tools, GXX, NVCC, PYTHON, Tool};
use libtest_mimic::{Arguments, Completion, Trial};
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Output},
};

const TAR: Tool = Tool::program("tar");

const MANIFEST: &str = r#"
[package]
name = "user-of-test-driver"
edition = "2024"

[dependencies]
kernel-args = { path = "ROOT/kernel-args" }
cudarc = { version = "0.19.10", default-features = false, features = ["cuda-13000"] }

[dev-dependencies]
kernel-args-test-driver = { path = "ROOT/crates/test-driver", default-features = false }

[profile.dev]
debug = false

[workspace]
"#;

const LIB: &str = r#"
use cudarc::driver::{CudaContext, CudaSlice};
use kernel_args::{Error, Kernel, KernelArgs, launch};
use std::sync::Arc;

#[derive(KernelArgs)]
#[kernel_args(ptx = "saxpy.ptx", entry = "saxpy")]
struct Saxpy<'a> { n: u32, alpha: f32, x: &'a CudaSlice<f32>, y: &'a mut CudaSlice<f32> }

#[derive(KernelArgs)]
#[kernel_args(ptx = "scale.ptx", entry = "scale")]
struct Scale<'a> { n: u32, factor: f32, data: &'a mut CudaSlice<f32> }

/// 2 * 3 + 1
pub fn saxpy(ctx: &Arc<CudaContext>) -> Result<Vec<f32>, Error> {
    let stream = ctx.default_stream();
    let x = stream.clone_htod(&[3.0_f32; 4]).map_err(Error::from)?;
    let mut y = stream.clone_htod(&[1.0_f32; 4]).map_err(Error::from)?;
    let saxpy = Kernel::<Saxpy>::load(ctx)?;
    unsafe { launch!(saxpy, 1, 4, Saxpy { n: 4, alpha: 2.0, x: &x, y: &mut y })? };
    stream.clone_dtoh(&y).map_err(Error::from)
}

pub fn scale(ctx: &Arc<CudaContext>, block: u32) -> Result<Vec<f32>, Error> {
    let stream = ctx.default_stream();
    let mut data = stream.clone_htod(&[3.0_f32; 4]).map_err(Error::from)?;
    let scale = Kernel::<Scale>::load(ctx)?;
    unsafe { launch!(scale, 1, block, Scale { n: 4, factor: 2.0, data: &mut data })? };
    stream.clone_dtoh(&data).map_err(Error::from)
}
"#;

const MAIN: &str = r#"
use user_of_test_driver::{saxpy, scale};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ctx = kernel_args::context(0)?;
    println!("{:?}: saxpy {:?}", ctx.compute_capability()?, saxpy(&ctx)?);
    println!("scale {:?}", scale(&ctx, 4)?);
    println!("{}", scale(&ctx, 2048).expect_err("a large block"));
    std::process::exit(7)
}
"#;

const TESTS: &str = r#"
use kernel_args_test_driver::{Settings, within};
use user_of_test_driver::scale;

#[test]
fn the_arguments_of_a_launch_arrive() {
    within(&Settings::new().sm(80), |driver| {
        let ctx = kernel_args::context(0).unwrap();
        assert_eq!(ctx.compute_capability().unwrap(), (8, 0));
        scale(&ctx, 4).unwrap();
        let launch = driver.last_launch().unwrap();
        assert_eq!((&*launch.name, launch.grid, launch.block), ("scale", [1; 3], [4, 1, 1]));
        assert_eq!(launch.bank[..8], [4, 0, 0, 0, 0, 0, 0, 0x40], "n: 4, factor: 2.0");
        assert_eq!(driver.not_executed(), ["scale"]);
    });
}
"#;

/// A kernel with an instruction that is not executed.
const SCALE: &str = ".version 8.0\n.target sm_75\n.address_size 64\n\
    .visible .entry scale(.param .u32 n, .param .f32 factor, .param .u64 data)\n\
    { .reg .b32 %r; .reg .b64 %t; txq.width.b32 %r, [%t]; ret; }\n";

/// What the program of the package writes.
const WRITTEN: &str = "(9, 0): saxpy [7.0, 7.0, 7.0, 7.0]\nscale [3.0, 3.0, 3.0, 3.0]\n\
    kernel `scale` was not launched: requested block (2048, 1, 1), but this device allows at most (1024, 1024, 64)";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A package of a user, in a folder of cargo.
fn user(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    for inside in ["src", "tests"] {
        fs::create_dir_all(folder.join(inside)).unwrap();
    }
    let root = root().canonicalize().unwrap();
    let manifest = MANIFEST.replace("ROOT", &root.display().to_string());
    let saxpy = fs::read_to_string(root.join("ptx/saxpy.ptx")).unwrap();
    for (path, text) in [
        ("Cargo.toml", &*manifest),
        ("src/lib.rs", LIB),
        ("src/main.rs", MAIN),
        ("tests/launches.rs", TESTS),
        ("saxpy.ptx", &saxpy),
        ("scale.ptx", SCALE),
    ] {
        fs::write(folder.join(path), text).unwrap();
    }
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    folder
}

/// Cargo, in a folder, on the test driver: the documented command.
///
/// It has its own target folder. The name of the test driver's library has no hash of its features. So in the folder of
/// this workspace, it would replace the workspace's library, and all suites would be compiled again.
fn cargo(program: &Path, folder: &Path, words: &[&str]) -> Output {
    let tests = Path::new(env!("CARGO_TARGET_TMPDIR"));
    Command::new(program)
        .arg(env!("CARGO"))
        .args(words)
        .args(["--offline", "--quiet"])
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", tests.join("users-target"))
        .output()
        .unwrap()
}

#[track_caller]
fn assert_written(output: &Output, code: i32, expected: &str) {
    let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.code() == Some(code) && text.contains(expected), "{}\n{text}\n{errors}", output.status);
}

fn main() -> ExitCode {
    let trial = |name, run: fn()| {
        Trial::test(name, move || {
            run();
            Ok(())
        })
    };
    let packed = "the_packed_program_contains_its_library";
    let mut trials = vec![
        trial("a_program_and_its_tests_run_on_the_stand_in", a_program_and_its_tests_run_on_the_stand_in),
        trial("the_quickstart_runs_on_the_stand_in", the_quickstart_runs_on_the_stand_in),
        tools::trial(
            "a_function_that_is_not_simulated_says_so_once",
            &[PYTHON],
            a_function_that_is_not_simulated_says_so_once,
        ),
        tools::trial("a_static_runtime_is_reported", &[PYTHON], a_static_runtime_is_reported),
        tools::trial(
            "a_programmatic_launch_that_does_not_wait_is_a_remark",
            &[PYTHON],
            a_programmatic_launch_that_does_not_wait_is_a_remark,
        ),
        trial("the_exit_code_is_the_commands", the_exit_code_is_the_commands),
        trial("wrong_variables_end_the_program", wrong_variables_end_the_program),
        tools::trial(
            "random_c_programs_have_the_results_of_gxx",
            &[GXX, NVCC, PYTHON],
            random_c_programs_have_the_results_of_gxx,
        ),
        if is_full() {
            tools::trial(packed, &[TAR, PYTHON], the_packed_program_contains_its_library)
        } else {
            ignored(packed, "it builds the package twice: set KERNEL_ARGS_FULL=1")
        },
    ];
    trials.extend(EXAMPLES.map(|(package, example)| {
        let name = format!("the_examples_run_on_the_stand_in::{}", example.unwrap_or(package));
        if !is_full() && !compiled(package, example).exists() {
            return ignored(&name, "it is not compiled: `cargo test` of the workspace does, or KERNEL_ARGS_FULL=1");
        }
        Trial::test(name, move || {
            runs_on_the_stand_in(package, example);
            Ok(())
        })
    }));
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn ignored(name: &str, why: &'static str) -> Trial {
    Trial::ignorable_test(name, move || Ok(Completion::ignored_with(why)))
}

fn is_full() -> bool {
    env::var_os("KERNEL_ARGS_FULL").is_some()
}

const PROGRAM: &str = env!("CARGO_BIN_EXE_kernel-args-test-driver");

fn a_program_and_its_tests_run_on_the_stand_in() {
    let folder = user("user");
    let program = Path::new(PROGRAM);
    let output = cargo(program, &folder, &["run"]);
    assert_written(&output, 7, WRITTEN);
    assert_eq!(not_executed(&output), 1, "once, although it is launched again");
    assert_written(&cargo(program, &folder, &["test"]), 0, "1 passed");

    let compiled = Path::new(env!("CARGO_TARGET_TMPDIR")).join("users-target/debug/user-of-test-driver");
    let with = |name: &str, value: &str| {
        Command::new(program).arg(&compiled).env(format!("KERNEL_ARGS_TEST_DRIVER_{name}"), value).output().unwrap()
    };
    let quiet = with("NOT_EXECUTED", "quiet");
    assert_written(&quiet, 7, WRITTEN);
    assert_eq!(not_executed(&quiet), 0);
    // Saxpy is executed.
    let failed = with("NOT_EXECUTED", "fail");
    assert_written(&failed, 1, "saxpy [7.0, 7.0, 7.0, 7.0]");
    assert!(String::from_utf8_lossy(&failed.stderr).contains("801"), "{failed:?}");
    // The example of `--help`.
    let failed = with("FAIL", "cuLaunchKernelEx=700");
    assert_written(&failed, 1, "");
    assert!(String::from_utf8_lossy(&failed.stderr).contains("700"), "{failed:?}");
    for (name, value) in [("FAIL", "cuLaunchKernle=700"), ("FAIL", "cuLaunchKernelEx"), ("NOT_EXECUTED", "loud")] {
        let refused = with(name, value);
        assert_written(&refused, 2, "");
        assert!(String::from_utf8_lossy(&refused.stderr).contains(value.split('=').next().unwrap()), "{refused:?}");
    }
}

/// How often it is said that `scale` was not executed.
fn not_executed(output: &Output) -> usize {
    String::from_utf8_lossy(&output.stderr).matches("`scale` was launched, not executed").count()
}

/// `cargo test` of the workspace has compiled the quickstart. Cargo compiles it once more, with the features that it
/// has alone, if it has not been compiled or with `KERNEL_ARGS_FULL=1`.
fn the_quickstart_runs_on_the_stand_in() {
    let compiled = Path::new(PROGRAM).with_file_name("examples").join("quickstart");
    let output = if !is_full() && compiled.exists() {
        Command::new(PROGRAM).arg(compiled).output().unwrap()
    } else {
        let example = ["-p", "kernel-args-examples", "--example", "quickstart"];
        let words = [&["run"], &example[..]].concat();
        cargo(Path::new(PROGRAM), &root(), &words)
    };
    assert_written(&output, 0, "saxpy of 1000000 elements: 0 wrong");
}

/// A package, and its example if it is not the package's program.
const EXAMPLES: [(&str, Option<&str>); 12] = [
    ("kernel-args-examples", Some("vector_add")),
    ("kernel-args-examples", Some("struct_by_value")),
    ("kernel-args-examples", Some("strided")),
    ("kernel-args-examples", Some("graph")),
    ("kernel-args-examples", Some("observe")),
    ("kernel-args-examples", Some("image_filter")),
    ("kernel-args-examples", Some("runtime_api")),
    ("kernel-args-examples", Some("nccl_sum")),
    ("kernel-args-examples", Some("nbody")),
    ("inference", None),
    ("decoder", None),
    ("build-script", None),
];

fn compiled(package: &str, example: Option<&str>) -> PathBuf {
    let programs = Path::new(PROGRAM).with_file_name("");
    example.map_or_else(|| programs.join(package), |example| programs.join("examples").join(example))
}

/// The kernels of an example are executed, and it compares their results.
fn runs_on_the_stand_in(package: &str, example: Option<&str>) {
    // A folder for each: one of them writes a picture.
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("examples").join(example.unwrap_or(package));
    fs::create_dir_all(&folder).unwrap();
    if is_full() {
        let target = example.map_or(["--bin", package], |example| ["--example", example]);
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--offline", "-p", package]).args(target).current_dir(root());
        let output = build.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let output = Command::new(PROGRAM).arg(compiled(package, example)).current_dir(&folder).output().unwrap();
    assert_written(&output, 0, "");
    assert!(!String::from_utf8_lossy(&output.stderr).contains("was launched, not executed"), "{output:?}");
}

fn a_function_that_is_not_simulated_says_so_once() {
    let program = "import ctypes; cuda = ctypes.CDLL('libcuda.so.1'); cuda.cuInit(0)\n\
                   print([cuda.cuIpcGetMemHandle(), cuda.cuIpcGetMemHandle(), cuda.cuIpcCloseMemHandle()])";
    let output = Command::new(PROGRAM).arg(tools::path(PYTHON)).args(["-c", program]).output().unwrap();
    assert_written(&output, 0, "[801, 801, 801]");
    let errors = String::from_utf8_lossy(&output.stderr);
    let of = |name: &str| errors.matches(&format!("kernel-args test driver: `{name}` is not simulated here")).count();
    assert_eq!((of("cuIpcGetMemHandle"), of("cuIpcCloseMemHandle")), (1, 1), "{errors}");
}

/// It requests this table first, and cuBLAS does too.
fn a_static_runtime_is_reported() {
    let program = "import ctypes; cuda = ctypes.CDLL('libcuda.so.1'); cuda.cuInit(0); table = ctypes.c_void_p()\n\
                   for id in ['da9151d33ae6cc41a5c04f26d533e328'] + 2 * ['6bd5fb6c5bf4e74a8987d93912fd9df9']:\n\
                   \x20   print(cuda.cuGetExportTable(ctypes.byref(table), bytes.fromhex(id)))";
    let output = Command::new(PROGRAM).arg(tools::path(PYTHON)).args(["-c", program]).output().unwrap();
    assert_written(&output, 0, "500\n500\n500");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(errors.matches("the static CUDA runtime does not run").count(), 1, "{errors}");
    assert!(errors.contains("link with `-cudart shared`"), "{errors}");
}

/// Launches kernels by their names: `W` behind a name is a programmatic launch.
const LAUNCHES: &str = r#"
import ctypes, struct, sys
cuda = ctypes.CDLL("libcuda.so.1")
device, context, module, function = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
codes = [cuda.cuInit(0), cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device), cuda.cuCtxSetCurrent(context)]
kernel = ".visible .entry {}() {{ {} ret; }}\n"
text = ".version 8.0\n.target sm_90\n.address_size 64\n" + kernel.format("plain", "")
text += kernel.format("early", "griddepcontrol.launch_dependents;") + kernel.format("waits", "griddepcontrol.wait;")
codes.append(cuda.cuModuleLoadData(ctypes.byref(module), text.encode()))
attribute = ctypes.create_string_buffer(struct.pack("<i4xi60x", 6, 1))
for name in sys.argv[1:]:
    codes.append(cuda.cuModuleGetFunction(ctypes.byref(function), module, name.rstrip("W").encode()))
    config = struct.pack("<7I4xQQI4x", 1, 1, 1, 1, 1, 1, 0, 0, ctypes.addressof(attribute), name.endswith("W"))
    codes.append(cuda.cuLaunchKernelEx(config, function, None, None))
print(any(codes))
"#;

/// Only behind a kernel that lets the next one start.
fn a_programmatic_launch_that_does_not_wait_is_a_remark() {
    for (names, remarks) in [
        (["early", "plainW"], 1),
        (["early", "waitsW"], 0),
        (["early", "plain"], 0),
        (["plain", "plainW"], 0),
        (["plainW", "earlyW"], 0),
    ] {
        let mut command = Command::new(PROGRAM);
        command.arg(tools::path(PYTHON)).args(["-c", LAUNCHES]).args(names);
        let output = command.env("KERNEL_ARGS_TEST_DRIVER_MEMCHECK", "1").output().unwrap();
        assert_written(&output, 0, "False");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(errors.matches("can start before").count(), remarks, "{names:?}: {errors}");
    }
}

fn the_exit_code_is_the_commands() {
    let code = |words: &[&str]| Command::new(PROGRAM).args(words).output().unwrap();
    assert_written(&code(&["/bin/sh", "-c", "exit 3"]), 3, "");
    assert_written(&code(&["/bin/sh", "-c", "kill -9 $$"]), 137, "");
    assert_written(&code(&["/bin/sh", "-c", "cd ${LD_LIBRARY_PATH%%:*} && echo *"]), 0, "libcuda.so.1");
    assert_written(&code(&["--help"]), 0, "kernel-args-test-driver cargo test");
    let missing = code(&["/nowhere/program"]);
    assert_written(&missing, 127, "");
    let said = String::from_utf8_lossy(&missing.stderr);
    assert!(said.starts_with("error: `/nowhere/program` cannot be started"), "{said}");
    assert_written(&code(&[]), 2, "");
}

/// Before the command starts.
fn wrong_variables_end_the_program() {
    for (name, value, said) in [
        ("SM", "7.5", "_SM is `7.5`, but it can be 75 to 121, or sm_75 to sm_121"),
        ("DEVICES", "99", "_DEVICES is `99`, but it can be 0 to 8"),
        ("MEMCHEK", "1", "_MEMCHEK does not exist: did you mean `KERNEL_ARGS_TEST_DRIVER_MEMCHECK`?"),
    ] {
        let mut command = Command::new(PROGRAM);
        command.args(["/bin/sh", "-c", "echo started"]).env(format!("KERNEL_ARGS_TEST_DRIVER_{name}"), value);
        let output = command.output().unwrap();
        assert_eq!((output.status.code(), &*output.stdout), (Some(2), &b""[..]), "{name}");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(errors.contains(said), "{errors}");
    }
}

/// Also random formats of `printf`. The full number is in batches, of which each second one is not optimized.
fn random_c_programs_have_the_results_of_gxx() {
    let count = if is_full() { "2000" } else { "12" };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("random_c");
    let mut script = tools::command(PYTHON);
    script.arg(root().join("crates/test-driver/tests/public/random_c.py"));
    script.args(["--programs", count, "--seed", &env::var("KERNEL_ARGS_SEED").unwrap_or_else(|_| "1".into())]);
    script.arg("--folder").arg(folder).arg("--driver").arg(PROGRAM).arg("--nvcc").arg(tools::path(NVCC));
    let output = script.env("GXX", tools::path(GXX)).output().unwrap();
    assert_written(&output, 0, "PASS");
}

/// The published package, as `cargo install` builds it: the program contains the library.
fn the_packed_program_contains_its_library() {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("packed");
    let _ = fs::remove_dir_all(&home);
    fs::create_dir_all(&home).unwrap();
    let run = |command: &mut Command| {
        let output = command.output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{errors}");
    };
    let target = home.join("target");
    run(Command::new(env!("CARGO"))
        .args(["package", "-p", "kernel-args-test-driver", "--offline", "--allow-dirty", "--no-verify"])
        .env("CARGO_TARGET_DIR", &target)
        .current_dir(root()));
    let name = concat!("kernel-args-test-driver-", env!("CARGO_PKG_VERSION"));
    run(tools::command(TAR).arg("-xzf").arg(target.join(format!("package/{name}.crate"))).current_dir(&home));
    run(Command::new(env!("CARGO"))
        .args(["install", "--offline", "--path", name, "--root", "."])
        .env("CARGO_TARGET_DIR", &target)
        .current_dir(&home));
    // Only the program is left.
    fs::remove_dir_all(&target).unwrap();
    fs::remove_dir_all(home.join(name)).unwrap();
    let program = home.join("bin/kernel-args-test-driver");
    assert_written(&cargo(&program, &user("user-of-packed"), &["run"]), 7, WRITTEN);
    // With the CUDA runtime.
    let runtime = "import ctypes; print(ctypes.CDLL('libcudart.so.13').cudaSetDevice(0))";
    assert_written(&Command::new(program).arg(tools::path(PYTHON)).args(["-c", runtime]).output().unwrap(), 0, "0");
}
