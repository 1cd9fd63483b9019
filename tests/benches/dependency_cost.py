#!/usr/bin/env python3
"""Measures the cost of the dependency kernel-args for a program: crates, processor time of the build, size of the program.

    python3 tests/benches/dependency_cost.py                          cudarc alone, and kernel-args with its default features
    python3 tests/benches/dependency_cost.py --features compressed,debug-info
    python3 tests/benches/dependency_cost.py --root ../other-checkout --timings
    python3 tests/benches/dependency_cost.py --structs 300             the size of a program with 300 structs, and of a framework

Builds two programs with one launch each from an empty target directory, in debug and in release. Both load the same PTX:
one with cudarc alone, the other with `kernels!`, a derived struct and `launch!`. Downloads are not counted. The size is the
size of the release program without symbols. Seconds are processor seconds of rustc, which starts under this script. `--timings`
prints them for each crate.

With `--structs`, each struct is found in its module by its family and launched. The framework has 50 generic structs for 4 types
each, and launches them through one generic function of its own, in a sequence; with cudarc alone, through cudarc's builder.
"""

import argparse
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CUDARC = 'cudarc = { version = "0.19.10", default-features = false, features = ["std", "driver", "nvrtc", "cuda-13000", "fallback-dynamic-loading"] }'
SIZES = 'let n = 1024_u32;\n    let ctx = CONTEXT;\n    let stream = ctx.default_stream();\n' \
    '    let x = stream.clone_htod(&[1.0_f32; 1024])?;\n    let mut y = stream.alloc_zeros::<f32>(1024)?;'
BARE = """use cudarc::driver::{CudaContext, LaunchConfig, PushKernelArg};
fn main() -> Result<(), Box<dyn std::error::Error>> {
    %s
    let saxpy = ctx.load_module(cudarc::nvrtc::Ptx::from_src(include_str!("saxpy.ptx")))?.load_function("saxpy")?;
    let mut launch = stream.launch_builder(&saxpy);
    launch.arg(&n).arg(&2.0_f32).arg(&x).arg(&mut y);
    unsafe { launch.launch(LaunchConfig::for_num_elems(n))? };
    println!("{}", stream.clone_dtoh(&y)?[0]);
    Ok(())
}
""" % SIZES.replace("CONTEXT", "CudaContext::new(0)?")
CHECKED = """use cudarc::driver::CudaSlice;
use kernel_args::{Kernel, KernelArgs, launch};
kernel_args::kernels! { mod saxpy = "src/saxpy.ptx"; }
#[derive(KernelArgs)]
#[kernel_args(kernel = saxpy::saxpy)]
struct Saxpy<'a> { n: u32, alpha: f32, x: &'a CudaSlice<f32>, y: &'a mut CudaSlice<f32> }
fn main() -> Result<(), Box<dyn std::error::Error>> {
    %s
    let saxpy = Kernel::<Saxpy>::load(&ctx)?;
    unsafe { launch!(saxpy, 4, 256, Saxpy { n, alpha: 2.0, x: &x, y: &mut y })? };
    println!("{}", stream.clone_dtoh(&y)?[0]);
    Ok(())
}
""" % SIZES.replace("CONTEXT", "kernel_args::context(0)?")


FAMILY = """#[derive(KernelArgs)]
#[kernel_args(kernel = saxpy, entries = "saxpy")]
struct Saxpy%d<'a> { n: u32, alpha: f32, x: &'a CudaSlice<f32>, y: &'a mut CudaSlice<f32> }
#[inline(never)]
fn saxpy%d(module: &Module, n: u32, x: &CudaSlice<f32>, y: &mut CudaSlice<f32>) -> Result<(), Error> {
    let saxpy = module.family::<Saxpy%d>("saxpy")?;
    unsafe { launch!(saxpy, 4, 256, Saxpy%d { n, alpha: 2.0, x, y }) }
}
"""
FAMILIES = """use cudarc::driver::CudaSlice;
use kernel_args::{Error, KernelArgs, Module, launch};
kernel_args::kernels! { mod saxpy = "src/saxpy.ptx"; }
%s
fn main() -> Result<(), Box<dyn std::error::Error>> {
    %s
    let module = Module::load(&ctx, saxpy::IMAGE)?;
    %s
    println!("{}", stream.clone_dtoh(&y)?[0]);
    Ok(())
}
"""


# The framework: its structs, and the types that each of them is launched with.
OPERATIONS, TYPES = 50, {"f32": ".f32", "f64": ".f64", "u32": ".u32", "u64": ".u64"}
ENTRY = """.visible .entry op%d_%s(
    .param .u32 n, .param %s alpha, .param .u64 .ptr .align 8 x, .param .u64 .ptr .align 8 y
)
{
    ret;
}
"""
OPERATION = """#[derive(KernelArgs)]
#[kernel_args(kernel = ops, entries = "op%d_*", T = f32 => "_f32", T = f64 => "_f64", T = u32 => "_u32", T = u64 => "_u64")]
struct Op%d<'a, T: DeviceType> { n: u32, alpha: T, x: &'a CudaSlice<T>, y: &'a CudaSlice<T> }
fn op%d<T: DeviceType>(module: &Module, run: &Recorder<'_, '_>, alpha: T, x: &CudaSlice<T>, y: &CudaSlice<T>) -> Result<(), Error> {
    launch(module, run, "op%d", Op%d { n: 1024, alpha, x, y })
}
"""
FRAMEWORK = """use cudarc::driver::CudaSlice;
use kernel_args::{DeviceType, Error, KernelArgs, Module, sequence::{Recorder, Sequence}};
kernel_args::kernels! { mod ops = "src/ops.ptx"; }
fn launch<A: KernelArgs>(module: &Module, run: &Recorder<'_, '_>, family: &str, args: A) -> Result<(), Error> {
    let kernel = module.family::<A>(family)?;
    unsafe { kernel_args::launch!(kernel, 4, 256, args, stream = run) }
}
%s
fn all<T: DeviceType + Copy>(module: &Module, run: &Recorder<'_, '_>, alpha: T, x: &CudaSlice<T>, y: &CudaSlice<T>) -> Result<(), Error> {
    %s
    Ok(())
}
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ctx = kernel_args::context(0)?;
    let stream = ctx.default_stream();
    let module = Module::load(&ctx, ops::IMAGE)?;
    %s
    Sequence::new(&stream).run(|run| {
        %s
        Ok(())
    })?;
    Ok(())
}
"""
BARE_OPERATION = """fn op%d<T: DeviceRepr>(module: &Ops, name: &str, alpha: T, x: &CudaSlice<T>, y: &CudaSlice<T>) -> Result<(), DriverError> {
    let (function, n) = (module.function(&format!("op%d_{name}"))?, 1024_u32);
    let mut launch = module.stream.launch_builder(&function);
    launch.arg(&n).arg(&alpha).arg(x).arg(y);
    unsafe { launch.launch(LaunchConfig::for_num_elems(n))? };
    Ok(())
}
"""
BARE_FRAMEWORK = """use cudarc::driver::*;
use std::sync::Arc;
struct Ops { module: Arc<CudaModule>, stream: Arc<CudaStream> }
impl Ops {
    fn function(&self, name: &str) -> Result<CudaFunction, DriverError> { self.module.load_function(name) }
}
%s
fn all<T: DeviceRepr + Copy>(module: &Ops, name: &str, alpha: T, x: &CudaSlice<T>, y: &CudaSlice<T>) -> Result<(), DriverError> {
    %s
    Ok(())
}
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    let ops = Ops { module: ctx.load_module(cudarc::nvrtc::Ptx::from_src(include_str!("ops.ptx")))?, stream: stream.clone() };
    %s
    %s
    Ok(())
}
"""


def framework(is_bare):
    """The framework's program, and its PTX."""
    operation, whole = (BARE_OPERATION, BARE_FRAMEWORK) if is_bare else (OPERATION, FRAMEWORK)
    structs = "".join(operation % ((i,) * operation.count("%d")) for i in range(OPERATIONS))
    arguments = "module, name, alpha, x, y" if is_bare else "module, run, alpha, x, y"
    calls = "\n    ".join(f"op{i}({arguments})?;" for i in range(OPERATIONS))
    slices = "\n    ".join(f"let {ty} = stream.alloc_zeros::<{ty}>(1024)?;" for ty in TYPES)
    each = [f'all(&ops, "{ty}", 2 as {ty}, &{ty}, &{ty})?;' if is_bare else f"all(&module, run, 2 as {ty}, &{ty}, &{ty})?;" for ty in TYPES]
    ptx = ".version 8.0\n.target sm_80\n.address_size 64\n"
    ptx += "".join(ENTRY % (i, ty, ptx_type) for i in range(OPERATIONS) for ty, ptx_type in TYPES.items())
    return whole % (structs, calls, slices, "\n        ".join(each)), ptx


def families(count):
    """A program that finds and launches the kernels of this many structs."""
    structs = "".join(FAMILY % (i, i, i, i) for i in range(count))
    launches = "".join(f"saxpy{i}(&module, n, &x, &mut y)?;" for i in range(count))
    return FAMILIES % (structs, SIZES.replace("CONTEXT", "kernel_args::context(0)?"), launches)


def program(place, name, dependencies, source, root, ptx=""):
    """A separate package with one program."""
    package = place / name
    (package / "src").mkdir(parents=True, exist_ok=True)
    (package / "Cargo.toml").write_text(
        '[package]\nname = "hello"\nversion = "0.0.0"\nedition = "2024"\n'
        f"[dependencies]\n{dependencies}\n[profile.release]\nstrip = true\n[workspace]\n"
        # Cargo compiles packages of a registry, such as cudarc, without incremental compilation. A dependency by path would be
        # compiled with it, which costs a third more.
        '[profile.dev.package."*"]\nincremental = false\n'
    )
    (package / "src" / "main.rs").write_text(source)
    (package / "src" / "saxpy.ptx").write_bytes((root / "ptx" / "saxpy.ptx").read_bytes())
    (package / "src" / "ops.ptx").write_text(ptx)
    run(["cargo", "fetch", "--quiet"], package)
    return package


def run(command, package):
    """The output of a command."""
    result = subprocess.run(command, cwd=package, capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"{' '.join(command)}:\n{result.stderr}")
    return result.stdout + result.stderr


def rustc(command, log):
    """Runs rustc for cargo, and notes its processor seconds."""
    # It inherits the jobserver, which limits the threads.
    code = subprocess.run(command, close_fds=False).returncode
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    if "--crate-name" in command:
        # Cargo asks for the version of rustc with a crate that has no source.
        crate = command[command.index("--crate-name") + 1]
        with open(log, "a") as lines:
            lines.write(f"{crate} {usage.ru_utime + usage.ru_stime:.2f}\n")
    return code


def build(package, profile):
    """Builds a program from an empty target directory. The processor seconds of each crate, in the order of the build."""
    run(["cargo", "clean", "--quiet"], package)
    log = package / "rustc.log"
    log.unlink(missing_ok=True)
    os.environ |= {"RUSTC_WRAPPER": str(pathlib.Path(__file__).resolve()), LOG: str(log)}
    run(["cargo", "build", "--quiet", *profile], package)
    del os.environ["RUSTC_WRAPPER"]
    return [(crate, float(seconds)) for crate, seconds in map(str.split, log.read_text().splitlines()) if crate != "___"]


def seconds(crates):
    return sum(seconds for _, seconds in crates)


def size(package):
    """The size of the release program in MB."""
    return (package / "target" / "release" / "hello").stat().st_size / 1e6


def crates(package):
    """The number of packages that a build compiles, without the program."""
    command = ["cargo", "tree", "--quiet", "--prefix", "none", "--edges", "normal,build", "--format", "{p}", "--no-dedupe"]
    return len(set(re.findall(r"^(\S+ v\S+)", run(command, package), re.M))) - 1


def structs(count, own, place, root):
    """Prints the tables of programs with many structs."""
    sizes = []
    for number in 1, count:
        package = program(place, f"structs{number}", own, families(number), root)
        build(package, ["--release"])
        sizes.append(size(package))
    print("| structs | size | each |\n|---|---|---|")
    print(f"| 1 | {sizes[0]:.2f} MB | |\n| {count} | {sizes[1]:.2f} MB | {(sizes[1] - sizes[0]) / (count - 1) * 1e3:.2f} kB |\n")
    print("| framework | size | its crate: processor |\n|---|---|---|")
    rows = []
    for name, dependencies in ("cudarc", CUDARC), ("kernel-args", own):
        source, ptx = framework(name == "cudarc")
        package = program(place, f"framework-{name}", dependencies, source, root, ptx)
        rows.append((dict(build(package, ["--release"]))["hello"], size(package)))
        print(f"| {name} | {rows[-1][1]:.2f} MB | {rows[-1][0]:.1f} s |", flush=True)
    (bare, bare_size), (checked, checked_size) = rows
    print(f"| growth | {checked_size - bare_size:.2f} MB | {checked / bare:.1f} times |")


def main():
    parser = argparse.ArgumentParser(description="What kernel-args costs a program that depends on it.")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT, help="the checkout to measure")
    parser.add_argument("--features", default="", help="additional features of kernel-args")
    parser.add_argument("--structs", type=int, default=0, help="the number of structs of a program whose size is measured")
    parser.add_argument("--timings", action="store_true", help="also the seconds of each crate")
    arguments = parser.parse_args()
    root = arguments.root.resolve()
    # No compilation cache, and no shared target directory.
    os.environ.pop("CARGO_TARGET_DIR", None)
    print(f"{run(['rustc', '--version'], ROOT).strip()}; {os.cpu_count()} processors\n")
    with tempfile.TemporaryDirectory(prefix="kernel-args-dependency-") as folder:
        place = pathlib.Path(folder)
        asked = arguments.features + (",graphs" if arguments.structs else "")
        features = ", ".join(f'"{feature}"' for feature in asked.split(",") if feature)
        own = f'kernel-args = {{ path = "{root}/kernel-args", features = [{features}] }}\n{CUDARC}'
        if arguments.structs:
            return structs(arguments.structs, own, place, root)
        print("| program | crates | debug | release | size |\n|---|---|---|---|---|")
        rows = []
        for name, dependencies, source in [("cudarc", CUDARC, BARE), ("kernel-args", own, CHECKED)]:
            package = program(place, name, dependencies, source, root)
            debug, release = build(package, []), build(package, ["--release"])
            rows.append((crates(package), seconds(debug), seconds(release), size(package)))
            print("| {} | {} | {:.1f} s | {:.1f} s | {:.2f} MB |".format(name, *rows[-1]), flush=True)
        print("| added | {} | {:.1f} s | {:.1f} s | {:.2f} MB |".format(*(own - bare for bare, own in zip(*rows))))
        for name, times in (("debug", debug), ("release", release)) if arguments.timings else ():
            print(f"\n| {name} | seconds |\n|---|---|")
            for crate, time in sorted(times, key=lambda unit: -unit[1]):
                print(f"| {crate} | {time:.1f} |")


# Set for rustc, which cargo then starts through this script.
LOG = "KERNEL_ARGS_RUSTC_LOG"

if __name__ == "__main__":
    sys.exit(rustc(sys.argv[1:], os.environ[LOG]) if LOG in os.environ else main())
