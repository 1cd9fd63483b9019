//! Crates with a build script, built by cargo: one with kernels, one with structs for the kernels of the first, and one
//! whose images another crate compiles.

mod crates;

use crate::support::{Package, Ran, clear, repository};
use crates::{
    BINDGEN, BUILD, BUILD_DESCRIBED, COMPILES, DESCRIBED, FEATURES, FIELDS, FIELDS_SWAPPED, FORGE, HEADER, MEMBERS,
    MEMBERS_SWAPPED, OWN, SOURCE, app, manifest, workspace,
};
use kernel_args_test_generator::tools::{self as tools, NVCC, NVRTC, Tool};
use libtest_mimic::{Completion, Failed, Trial};
use std::{env, fs, path::Path, process::Command};

/// Runs `cargo check` of a crate, with the compiler in this folder.
fn check(package: &Package, name: &str, variables: &[(&str, &Path)]) -> Ran {
    cargo(package, "check", name, variables)
}

fn cargo(package: &Package, work: &str, name: &str, variables: &[(&str, &Path)]) -> Ran {
    let mut command = Command::new(env!("CARGO"));
    command
        .args([work, "--offline", "--color=never", "-v", "-p"])
        .arg(format!("{name}-{}", package.name))
        .current_dir(&package.root)
        .env_remove("RUSTFLAGS")
        .env_remove("RUSTC_WORKSPACE_WRAPPER");
    clear(&mut command);
    if let Some(target) = Path::new(env!("CARGO_TARGET_TMPDIR")).parent() {
        command.env("CARGO_TARGET_DIR", target);
    }
    command.envs(variables.iter().copied());
    Ran::new(&command.output().unwrap())
}

/// The errors of rustc. Checks their number.
#[track_caller]
fn errors(ran: &Ran, count: usize) -> &str {
    assert!(!ran.success, "it compiles");
    let found = ran.stderr.matches("error[E").count();
    assert_eq!(found, count, "{}", ran.stderr);
    ran.stderr.find("error[E").map_or("", |start| &ran.stderr[start..])
}

fn exchanged_fields_and_members_do_not_compile(home: &Path) {
    let package = workspace("exchanged");
    let home = [("CUDA_HOME", home)];
    let right = check(&package, "app", &home);
    assert!(right.success, "{}", right.stderr);

    app(&package, MEMBERS, FIELDS_SWAPPED);
    let ran = check(&package, "app", &home);
    let wrong = errors(&ran, 2);
    assert!(
        wrong.contains("app/src/lib.rs")
            && wrong.contains("`bias` is parameter 2 of the kernel, but here it is field 1"),
        "{wrong}"
    );

    app(&package, MEMBERS_SWAPPED, FIELDS);
    let ran = check(&package, "app", &home);
    let wrong = errors(&ran, 1);
    assert!(wrong.contains("app/src/lib.rs") && wrong.contains("`params`") && wrong.contains("`scale`"), "{wrong}");
}

fn a_changed_header_is_compared_again(home: &Path) {
    let package = workspace("header");
    let home = [("CUDA_HOME", home)];
    let script = "build-script-build`";
    let first = check(&package, "app", &home);
    assert!(first.success && first.stderr.contains(script), "{}", first.stderr);
    let again = check(&package, "app", &home);
    assert!(again.success && !again.stderr.contains(script), "the script runs without a change: {}", again.stderr);

    package.write("kernels/src/cuda/params.cuh", "struct Params { float alpha; int count; float scale; };\n");
    let ran = check(&package, "app", &home);
    let wrong = errors(&ran, 1);
    assert!(wrong.contains("`params`") && wrong.contains("`count`"), "{wrong}");
    package.write("kernels/src/cuda/params.cuh", HEADER);
    let right = check(&package, "app", &home);
    assert!(right.success, "{}", right.stderr);
}

/// Constants of the source are constants of the module: a length, a case of a `match`, a contract of another package.
fn constants_of_the_source_are_rust_constants(home: &Path) {
    let package = workspace("constants");
    let home = [("CUDA_HOME", home)];
    let build = BUILD.replace(
        ".file(",
        ".constants_of(\"src/cuda/saxpy.cu\", [\"kTile\", \"Fast\", \"EPSILON\"])\
         .constants_of(\"src/cuda/sizes.cu\", [\"LANES\"]).file(\"src/cuda/sizes.cu\").file(",
    );
    package.write("kernels/build.rs", &build);
    let header = |tile: &str| {
        let constants = format!(
            "__device__ constexpr unsigned kTile = {tile};\n\
             __device__ const unsigned* address() {{ return &kTile; }}\nenum Mode {{ Slow, Fast }};\n#define EPSILON 3.14159f\n"
        );
        package.write("kernels/src/cuda/params.cuh", &(constants + HEADER));
    };
    header("16");
    package.write("kernels/src/cuda/sizes.cu", "enum class Size : short { Lanes = -8 };\n#define LANES Size::Lanes\n");
    package.write(
        "kernels/src/lib.rs",
        "#![deny(warnings, missing_docs, clippy::all)]\n//! Kernels.\nkernel_args::include_kernels!();\n",
    );
    package.write(
        "app/src/lib.rs",
        "use kernels::saxpy::{EPSILON, Fast, kTile};\n\
         pub static TILE: [f32; kTile as usize] = [EPSILON; 16];\n\
         pub const LANES: i16 = kernels::sizes::LANES;\n\
         pub fn is_fast(mode: i32) -> bool { matches!(mode, Fast) }\n",
    );
    let right = check(&package, "app", &home);
    assert!(right.success, "{}", right.stderr);
    header("32");
    let ran = check(&package, "app", &home);
    let wrong = errors(&ran, 1);
    assert!(wrong.contains("expected an array with a size of 32, found one with a size of 16"), "{wrong}");
    package.write("kernels/build.rs", &build.replace("kTile", "kernels::kTile"));
    let ran = check(&package, "kernels", &home);
    assert!(
        !ran.success
            && ran.stderr.contains("the constants `kernels::kTile` of `src/cuda/saxpy.cu` cannot be evaluated"),
        "{}",
        ran.stderr
    );
}

/// `kernels.rs` contains the structs, which compile without a warning in a documented crate.
fn generated_structs_are_text(home: &Path) {
    let package = workspace("generated");
    let build = |contract: &str| {
        let contracts = r#".contract("axpy.n", "as = i32").contract("halves", "block = 1")"#;
        BUILD.replace(".build()", &format!(".generate().raw_pointers(){contracts}{contract}.build()"))
    };
    package.write("kernels/build.rs", &build(""));
    package.write(
        "kernels/src/cuda/saxpy.cu",
        "struct __half { unsigned short x; };\n\
         template <typename T> __global__ void axpy(int n, T a, T* y) { y[n] *= a; }\n\
         template __global__ void axpy<float>(int, float, float*);\n\
         template __global__ void axpy<double>(int, double, double*);\n\
         extern \"C\" __global__ void halves(__half value, __half* y) { y[0] = value; }\n",
    );
    package.write(
        "kernels/src/lib.rs",
        "#![deny(warnings, missing_docs, clippy::all)]\n//! Kernels.\nkernel_args::include_kernels!();\n",
    );
    package.write(
        "app/src/lib.rs",
        "use kernel_args::{DevicePointerMut, KernelArgs, image::CompiledImage};\n\
         use kernels::saxpy::{Axpy, AxpyDouble, Half, Halves, IMAGE};\n\
         pub const HALVES: Halves = Halves { value: Half { bits: 1 }, y: DevicePointerMut::NULL };\n\
         pub const IMAGES: [Option<&CompiledImage>; 3] = [Axpy::<f32>::IMAGE, AxpyDouble::IMAGE, Some(IMAGE)];\n\
         pub fn axpy<T: kernel_args::DeviceType>(n: usize, a: T, y: DevicePointerMut<T>) -> Axpy<T> { Axpy { n, a, y } }\n",
    );
    let right = check(&package, "app", &[("CUDA_HOME", home)]);
    assert!(right.success, "{}", right.stderr);
    package.write("kernels/build.rs", &build(r#".contract("halve", "block = 1")"#));
    let wrong = check(&package, "kernels", &[("CUDA_HOME", home)]);
    assert!(
        !wrong.success && wrong.stderr.contains("the contract of `halve` belongs to no generated struct"),
        "{}",
        wrong.stderr
    );
}

fn cargo_shows_the_compilers_errors(home: &Path) {
    let package = workspace("errors");
    package.write("kernels/src/cuda/saxpy.cu", "__global__ void k(int* p) { *p = undeclared; }\n");
    let ran = check(&package, "kernels", &[("CUDA_HOME", home)]);
    let stderr = ran.stderr.as_str();
    assert!(
        !ran.success && stderr.contains("src/cuda/saxpy.cu(1): error: identifier \"undeclared\" is undefined"),
        "{stderr}"
    );
    assert!(!stderr.contains("cargo::rerun-if"), "other errors would hide this one: {stderr}");
}

fn committed_images_are_checked_like_compiled_ones(home: &Path) {
    let package = workspace("committed");
    let update = [("CUDA_HOME", home), ("KERNEL_ARGS_BUILD_UPDATE", Path::new("1"))];
    let ran = check(&package, "kernels", &update);
    assert!(ran.success, "{}", ran.stderr);
    let none = [("NVCC", Path::new("/nowhere/nvcc"))];
    let ran = check(&package, "app", &none);
    assert!(ran.success && ran.stderr.contains("using the committed images in `committed`"), "{}", ran.stderr);
    app(&package, MEMBERS_SWAPPED, FIELDS);
    let ran = check(&package, "app", &none);
    assert!(errors(&ran, 1).contains("`scale`"), "{}", ran.stderr);
    package.write("kernels/src/cuda/saxpy.cu", &format!("{SOURCE}// changed\n"));
    let ran = check(&package, "app", &none);
    assert!(!ran.success && ran.stderr.contains("`src/cuda/saxpy.cu` has changed since"), "{}", ran.stderr);
}

fn images_that_another_crate_compiles_are_checked_with_one_line(home: &Path) {
    let package = workspace("described");
    let home = [("CUDA_HOME", home)];
    let update = [home[0], ("KERNEL_ARGS_BUILD_UPDATE", Path::new("1"))];
    let ran = check(&package, "kernels", &update);
    assert!(ran.success, "{}", ran.stderr);
    fs::copy(package.root.join("kernels/committed/saxpy.ptx"), package.root.join("described/saxpy.ptx")).unwrap();
    let write = |members: &str, fields: &str| {
        let text = DESCRIBED.replace("MEMBERS", members).replace("FIELDS", fields);
        package.write("described/src/lib.rs", &text.replace("PARAMS", "params::Params"));
    };
    write(MEMBERS, FIELDS);
    let ran = check(&package, "described", &home);
    assert!(ran.success, "{}", ran.stderr);
    write(MEMBERS, FIELDS_SWAPPED);
    let ran = check(&package, "described", &home);
    let wrong = errors(&ran, 2);
    assert!(wrong.contains("`bias` is parameter 2 of the kernel"), "{wrong}");
}

fn a_missing_build_script_is_reported() {
    let package = workspace("no-script");
    fs::remove_file(package.root.join("kernels/build.rs")).unwrap();
    let ran = check(&package, "kernels", &[]);
    assert!(
        !ran.success && ran.stderr.contains("this package has no build script that compiles kernels"),
        "{}",
        ran.stderr
    );
}

fn a_package_without_a_compiler_compiles_if_its_kernels_are_optional() {
    let package = workspace("optional");
    let none = ("NVCC", Path::new("/nowhere/nvcc"));
    let on = ("KERNEL_ARGS_OPTIONAL", Path::new("1"));
    package.write("kernels/src/lib.rs", &OWN.replace("NAME", "saxpy"));
    let ran = check(&package, "kernels", &[none]);
    assert!(
        !ran.success && ran.stderr.contains("`Kernels::optional`"),
        "kernels are expected by default: {}",
        ran.stderr
    );
    let ran = check(&package, "app", &[none, on]);
    assert!(
        ran.success
            && ran.stderr.contains("the images of `src/cuda/saxpy.cu` are missing, and loading one is an error"),
        "{}",
        ran.stderr
    );
    let ran = check(&package, "app", &[none, ("DOCS_RS", Path::new("1"))]);
    assert!(ran.success, "{}", ran.stderr);

    let contract = r#".generate().raw_pointers().contract("saxpy", "block = 1").optional().build()"#;
    for end in [contract, ".optional().build()"] {
        package.write("kernels/build.rs", &BUILD.replace(".build()", end));
        let ran = check(&package, "kernels", &[none]);
        assert!(ran.success, "{}", ran.stderr);
    }
    let ran = check(&package, "app", &[none]);
    assert!(
        errors(&ran, 1).contains("cannot find value `saxpy` in module `kernels::saxpy`"),
        "another package needs the variable: {}",
        ran.stderr
    );
    // Without the image of the other crate.
    package.write(
        "described/build.rs",
        &BUILD_DESCRIBED.replace("build_ptx(std", "// build_ptx(std").replace("std::fs::copy", "// std::fs::copy"),
    );
    package.write(
        "described/src/lib.rs",
        "kernel_args::include_kernels!();\npub const IMAGE: &[u8] = saxpy::IMAGE.bytes();\n",
    );
    let ran = check(&package, "described", &[none, on]);
    assert!(ran.success, "{}", ran.stderr);
    let ran = check(&package, "described", &[none]);
    assert!(!ran.success, "{}", ran.stderr);
}

fn committed_descriptions_without_images_are_compared(home: &Path) {
    let package = workspace("described-only");
    package.write("kernels/src/lib.rs", &OWN.replace("NAME", "saxpy"));
    let update = [("CUDA_HOME", home), ("KERNEL_ARGS_BUILD_UPDATE", Path::new("1"))];
    let ran = check(&package, "kernels", &update);
    assert!(ran.success, "{}", ran.stderr);
    let none = ("NVCC", Path::new("/nowhere/nvcc"));
    let on = ("KERNEL_ARGS_OPTIONAL", Path::new("1"));
    fs::remove_file(package.root.join("kernels/committed/saxpy.ptx")).unwrap();
    let ran = check(&package, "kernels", &[none]);
    assert!(
        !ran.success && ran.stderr.contains("the committed `committed/saxpy.ptx` cannot be read"),
        "{}",
        ran.stderr
    );
    let build = BUILD.replace(".build()", ".generate().raw_pointers().optional().build()");
    package.write("kernels/build.rs", &build);
    let own = format!("{}\npub use saxpy::Saxpy;\n", OWN.replace("NAME", "saxpy"));
    package.write("kernels/src/lib.rs", &own);
    // Also for structs of another package.
    let ran = check(&package, "app", &[none]);
    assert!(ran.success, "{}", ran.stderr);
    app(&package, MEMBERS_SWAPPED, FIELDS);
    for variables in [&[none][..], &[none, on]] {
        let ran = check(&package, "app", variables);
        assert!(errors(&ran, 1).contains("`scale`"), "{}", ran.stderr);
    }
    // A name that a known image does not have is an error, also where unknown images are allowed.
    package.write("kernels/src/lib.rs", &OWN.replace("NAME", "saxpi"));
    let ran = check(&package, "kernels", &[none, on]);
    let wrong = errors(&ran, 2);
    assert!(
        wrong.contains("no kernel of this image has a name that matches `saxpi`; the nearest are")
            && wrong.contains("saxpy"),
        "{wrong}"
    );
    package.write("kernels/src/cuda/saxpy.cu", &format!("{SOURCE}// changed\n"));
    let ran = check(&package, "kernels", &[none]);
    assert!(!ran.success && ran.stderr.contains("`src/cuda/saxpy.cu` has changed since"), "{}", ran.stderr);
}

/// The structs of the first hour: no build, no structs, no feature.
fn steps_that_are_missing_are_named() {
    let package = workspace("steps");
    package.write("kernels/build.rs", &BUILD.replace(".build()\n", ";\n    Ok(())\n"));
    let ran = check(&package, "kernels", &[]);
    assert!(
        !ran.success && ran.stderr.contains("these kernels are not built; help: end the settings with `.build()?`"),
        "{}",
        ran.stderr
    );
    assert!(!ran.stderr.contains("kernels.rs"), "{}", ran.stderr);

    let manifest = manifest("steps", "app", "", false);
    let defaults = manifest.replace(&format!(", {FEATURES}"), "");
    package.write("app/Cargo.toml", &defaults);
    package.write("app/src/lib.rs", COMPILES);
    let ran = check(&package, "app", &[]);
    assert!(errors(&ran, 1).contains("`Module::compile` needs the feature `nvrtc` of kernel-args"), "{}", ran.stderr);
    package.write("app/src/lib.rs", "pub use kernel_args::compile::CompileOptions;\n");
    let ran = check(&package, "app", &[]);
    assert!(errors(&ran, 1).contains("gated behind the `nvrtc` feature"), "{}", ran.stderr);
}

/// The images of the tools that frameworks use, each with one line for this crate. They run `nvcc`.
fn images_of_other_crates_are_described() -> Result<Completion, Failed> {
    let home = tools::path(NVCC);
    let package = Package::new("tools");
    package.write("Cargo.toml", "[workspace]\nresolver = \"3\"\nmembers = [\"forge\", \"bindgen\"]\n");
    for (name, tool, build) in [("forge", "cudaforge", FORGE), ("bindgen", "bindgen_cuda", BINDGEN)] {
        let text = manifest("tools", name, "", true) + &format!("[build-dependencies.{tool}]\nversion = \"0.1.6\"\n");
        package.write(&format!("{name}/Cargo.toml"), &text);
        package.write(&format!("{name}/build.rs"), build);
        // Images of an earlier run of this test are newer.
        package.write_old(&format!("{name}/src/cuda/saxpy.cu"), SOURCE);
        package.write_old(&format!("{name}/src/cuda/left_out.cu"), "__device__ int n;\n");
        package.write_old(&format!("{name}/src/cuda/params.cuh"), HEADER);
        package.write(&format!("{name}/src/lib.rs"), "");
    }
    let fetched = Command::new(env!("CARGO")).arg("fetch").current_dir(&package.root).output()?;
    if !fetched.status.success() {
        return Ok(Completion::ignored_with("cudaforge and bindgen_cuda cannot be downloaded"));
    }
    let path = env::join_paths(
        [home.join("bin")].into_iter().chain(env::split_paths(&env::var_os("PATH").unwrap_or_default())),
    )?;
    let variables = [
        ("CUDA_HOME", home.as_path()),
        ("CUDA_PATH", home.as_path()),
        ("PATH", path.as_ref()),
        ("CUDA_COMPUTE_CAP", Path::new("80")),
    ];
    for name in ["forge", "bindgen"] {
        let write = |fields: &str| {
            let text = DESCRIBED.replace("MEMBERS", MEMBERS).replace("FIELDS", fields);
            package.write(&format!("{name}/src/lib.rs"), &text.replace("PARAMS", "params::Params"));
        };
        write(FIELDS);
        let ran = check(&package, name, &variables);
        assert!(ran.success, "{}", ran.stderr);
        write(FIELDS_SWAPPED);
        let ran = check(&package, name, &variables);
        let wrong = errors(&ran, 2);
        assert!(wrong.contains("`bias` is parameter 2 of the kernel"), "{wrong}");
    }
    // A changed header: the tool that watches it compiles again, the other tool keeps an image that no longer fits.
    package.write("forge/src/cuda/params.cuh", &HEADER.replace("scale", "shift"));
    let text = DESCRIBED.replace("MEMBERS", &MEMBERS.replace("scale", "shift")).replace("FIELDS", FIELDS);
    package.write("forge/src/lib.rs", &text.replace("PARAMS", "params::Params"));
    let ran = check(&package, "forge", &variables);
    assert!(ran.success, "{}", ran.stderr);
    write_later(&package.root.join("bindgen/src/cuda/params.cuh"), &HEADER.replace("scale", "shift"));
    let ran = check(&package, "bindgen", &variables);
    assert!(
        !ran.success && ran.stderr.contains("is older than") && ran.stderr.contains("save `src/cuda/saxpy.cu` again"),
        "{}",
        ran.stderr
    );
    Ok(Completion::Completed)
}

/// Two packages whose libraries export one function. Without `+whole-archive`, both would call the function of one
/// library.
fn two_libraries_of_a_program_that_export_one_function_are_an_error() -> Result<(), Failed> {
    let home = tools::path(NVCC);
    let package = Package::new("libraries");
    package.write("Cargo.toml", "[workspace]\nresolver = \"3\"\nmembers = [\"first\", \"second\", \"app\"]\n");
    fs::copy(repository().join("Cargo.lock"), package.root.join("Cargo.lock"))?;
    for name in ["first", "second"] {
        let build = format!(
            "fn main() -> Result<(), kernel_args_build::Error> {{ kernel_args_build::Kernels::new()\
             .launchers(\"{name}\", [\"src/*.cu\"]).build() }}\n"
        );
        package.write(&format!("{name}/Cargo.toml"), &manifest("libraries", name, "", true));
        package.write(&format!("{name}/build.rs"), &build);
        let declared = format!("fn run_{name}(x: i32) -> i32; fn run(x: i32) -> i32;");
        let text = format!(
            "unsafe extern \"C\" {{ {declared} }}\npub fn call() -> i32 {{ unsafe {{ run(1) + run_{name}(1) }} }}\n"
        );
        package.write(&format!("{name}/src/lib.rs"), &text);
        package.write(&format!("{name}/src/one.cu"), "extern \"C\" int run(int x) { return x; }\n");
        package.write(&format!("{name}/src/own.cu"), &format!("extern \"C\" int run_{name}(int x) {{ return x; }}\n"));
    }
    let dependency = |name: &str| format!("{name} = {{ package = \"{name}-libraries\", path = \"../{name}\" }}\n");
    let app = manifest("libraries", "app", &(dependency("first") + &dependency("second")), false);
    package.write("app/Cargo.toml", &app.replace("[lib]\nname = \"app\"\n", ""));
    let build = |calls: &str| {
        package.write("app/src/main.rs", &format!("fn main() {{ println!(\"{{}}\", {calls}); }}\n"));
        cargo(&package, "build", "app", &[("CUDA_HOME", &home)])
    };
    let right = build("second::call()");
    assert!(right.success, "{}", right.stderr);
    let both = build("first::call() + second::call()");
    let said = &both.stderr;
    let names = ["run", "libfirst.a", "libsecond.a"];
    assert!(!both.success && names.iter().all(|name| said.contains(name)), "{said}");
    assert!(said.contains("multiple definition") || said.contains("duplicate symbol"), "{said}");
    Ok(())
}

/// Writes a file with a time after all images.
fn write_later(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(10);
    let file = fs::File::options().append(true).open(path).unwrap();
    file.set_modified(later).unwrap();
}

/// A test that is ignored if neither compiler is installed.
fn compiled(name: &str, run: fn(&Path)) -> Trial {
    const EITHER: Tool = Tool::new("nvrtc or nvcc", |_| NVRTC.found().or_else(|_| NVCC.found()));
    tools::trial(name, &[EITHER], move || run(&tools::path(EITHER)))
}

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = vec![Trial::test("a_missing_build_script_is_reported", || {
        a_missing_build_script_is_reported();
        Ok(())
    })];
    trials.push(Trial::test("a_package_without_a_compiler_compiles_if_its_kernels_are_optional", || {
        a_package_without_a_compiler_compiles_if_its_kernels_are_optional();
        Ok(())
    }));
    trials.push(Trial::test("steps_that_are_missing_are_named", || {
        steps_that_are_missing_are_named();
        Ok(())
    }));
    trials.push(tools::trial("images_of_other_crates_are_described", &[NVCC], images_of_other_crates_are_described));
    trials.push(tools::trial(
        "two_libraries_of_a_program_that_export_one_function_are_an_error",
        &[NVCC],
        two_libraries_of_a_program_that_export_one_function_are_an_error,
    ));
    macro_rules! trials {
        ($($name:ident)*) => {$(trials.push(compiled(stringify!($name), $name));)*};
    }
    trials![
        exchanged_fields_and_members_do_not_compile
        a_changed_header_is_compared_again
        constants_of_the_source_are_rust_constants
        generated_structs_are_text
        cargo_shows_the_compilers_errors
        committed_images_are_checked_like_compiled_ones
        committed_descriptions_without_images_are_compared
        images_that_another_crate_compiles_are_checked_with_one_line
    ];
    trials
}
