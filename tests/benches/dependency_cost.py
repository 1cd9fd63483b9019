#!/usr/bin/env python3
"""Measures the cost of the dependency kernel-args for a program: crates, processor time of the build, size of the program.

    python3 tests/benches/dependency_cost.py                          cudarc alone, and kernel-args with its default features
    python3 tests/benches/dependency_cost.py --features compressed,debug-info
    python3 tests/benches/dependency_cost.py --root ../other-checkout --timings
    python3 tests/benches/dependency_cost.py --structs 300             only the size of a program with 300 structs, and of one with one struct

Builds two programs with one launch each from an empty target directory, in debug and in release. Both load the same PTX:
one with cudarc alone, the other with `kernels!`, a derived struct and `launch!`. Downloads are not counted. The size is the
size of the release program without symbols. With `--structs`, each struct is found in its module by its family and launched.
`--timings` prints the processor time of each crate without `perf`:
it builds with one job, so a crate's wall time is its processor time.
"""

import argparse
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time

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


def families(count):
    """A program that finds and launches the kernels of this many structs."""
    structs = "".join(FAMILY % (i, i, i, i) for i in range(count))
    launches = "".join(f"saxpy{i}(&module, n, &x, &mut y)?;" for i in range(count))
    return FAMILIES % (structs, SIZES.replace("CONTEXT", "kernel_args::context(0)?"), launches)


def program(place, name, dependencies, source, root):
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
    run(["cargo", "fetch", "--quiet"], package)
    return package


def run(command, package):
    """The processor seconds of a command and its child processes, and its output."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = subprocess.run(command, cwd=package, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if result.returncode:
        sys.exit(f"{' '.join(command)}:\n{result.stderr}")
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, result.stdout + result.stderr


def crates(package):
    """The number of packages that a build compiles, without the program."""
    command = ["cargo", "tree", "--quiet", "--prefix", "none", "--edges", "normal,build", "--format", "{p}", "--no-dedupe"]
    return len(set(re.findall(r"^(\S+ v\S+)", run(command, package)[1], re.M))) - 1


def timings(package, profile):
    """Prints the seconds of each crate in a build with one job."""
    run(["cargo", "clean", "--quiet"], package)
    run(["cargo", "build", "--quiet", "--jobs", "1", "--timings", *profile], package)
    page = max((package / "target" / "cargo-timings").glob("*.html"), key=lambda path: path.stat().st_mtime)
    units = re.findall(r'"name": "([^"]+)",\s+"version": "[^"]+",\s+"mode": "([^"]+)",\s+"target": "([^"]*)",[^}]*?"duration": ([\d.]+)', page.read_text())
    for name, mode, target, seconds in sorted(units, key=lambda unit: -float(unit[3])):
        print(f"    {seconds:>6} s  {name}{target} ({mode})")


def main():
    parser = argparse.ArgumentParser(description="What kernel-args costs a program that depends on it.")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT, help="the checkout to measure")
    parser.add_argument("--features", default="", help="additional features of kernel-args")
    parser.add_argument("--structs", type=int, default=0, help="the number of structs of a program whose size is measured")
    parser.add_argument("--timings", action="store_true", help="also the seconds of each crate")
    arguments = parser.parse_args()
    root = arguments.root.resolve()
    features = [f'"{feature}"' for feature in arguments.features.split(",") if feature]
    own = f'kernel-args = {{ path = "{root}/kernel-args", features = [{", ".join(features)}] }}\n{CUDARC}'
    print(f"{run(['rustc', '--version'], ROOT)[1].strip()}; {os.cpu_count()} processors\n")
    if arguments.structs:
        sizes = []
        os.environ.pop("CARGO_TARGET_DIR", None)
        with tempfile.TemporaryDirectory(prefix="kernel-args-dependency-") as place:
            for count in 1, arguments.structs:
                package = program(pathlib.Path(place), "program", own, families(count), root)
                run(["cargo", "build", "--quiet", "--release"], package)
                sizes.append((package / "target" / "release" / "hello").stat().st_size)
        print("| structs | size | each |\n|---|---|---|")
        print(f"| 1 | {sizes[0] / 1e6:.2f} MB | |\n| {arguments.structs} | {sizes[1] / 1e6:.2f} MB "
              f"| {(sizes[1] - sizes[0]) / (arguments.structs - 1) / 1e3:.2f} kB |")
        return
    print("| program | crates | debug: processor | release: processor | size |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="kernel-args-dependency-") as place:
        for name, dependencies, source in [("cudarc", CUDARC, BARE), ("kernel-args", own, CHECKED)]:
            package = program(pathlib.Path(place), name, dependencies, source, root)
            # No compilation cache, and no shared target directory.
            os.environ.pop("CARGO_TARGET_DIR", None)
            times = []
            for profile in [], ["--release"]:
                run(["cargo", "clean", "--quiet"], package)
                times.append(run(["cargo", "build", "--quiet", *profile], package)[0])
            size = (package / "target" / "release" / "hello").stat().st_size
            print(f"| {name} | {crates(package)} | {times[0]:.1f} s | {times[1]:.1f} s | {size / 1e6:.2f} MB |", flush=True)
            for profile in ([], ["--release"]) if arguments.timings else ():
                timings(package, profile)


if __name__ == "__main__":
    main()
