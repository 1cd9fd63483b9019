#!/usr/bin/env python3
"""Compares the `extern "C"` blocks of public Rust projects with the host functions in their `.cu` files.

    python3 tests/toolchain/corpora.py                       all projects
    python3 tests/toolchain/corpora.py candle                the named ones
    python3 tests/toolchain/corpora.py --sources DIR         from checkouts DIR/PROJECT that are there

nvcc (ptx/toolchain.py installs it) compiles each `.cu` file that defines a declared function, with debug information. A file that does
not compile is left out. Each block becomes a module with the attribute `launchers`, and `cargo check` lists the differences. Types that the
blocks name and that are not declared here are opaque.

    project     functions    arguments  `*const T` for `T*`  Rust cannot call  other differences
    candle      17 of 105    211          0                    0                 0
    mistral.rs  212 of 374   2,219      92                   0                 0
    openvm      96 of 108    881        90                   0                 1 (`rows_used`: `usize` for `uint32_t`)
    pegainfer   126 of 291   1,160        0                    0                 0
    risc0       30 of 71     167        5                    9                 0
    tfhe-rs     313 of 324   2,049      0                    0                 2

tfhe-rs defines two functions with a different `const` than its header, which declares them `extern "C"`: they are overloads in C++, and Rust's
declarations have no function. Rust cannot call functions that return a struct or take a reference. Files that do not compile
include headers of cuBLAS, CUTLASS, FlashInfer or blst.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parents[2]
SECONDS = 240
# The repositories with headers that a project's sources include. Other folders with headers, and definitions, are in FLAGS.
PROJECTS = {
    "candle": ("huggingface/candle", []),
    "mistral.rs": ("EricLBuehler/mistral.rs", []),
    "openvm": ("openvm-org/openvm", ["stark-backend"]),
    "stark-backend": ("openvm-org/stark-backend", []),
    "pegainfer": ("pegainfer-project/pegainfer", []),
    "risc0": ("risc0/risc0", []),
    "tfhe-rs": ("zama-ai/tfhe-rs", []),
}
FLAGS = {
    "pegainfer": ["-Ipegainfer-kernels/csrc"],
    "risc0": ["-Irisc0/sys/kernels/zkp/cuda", "-Irisc0/sys/cxx", "-Ivendor/sppark", "-DFEATURE_BABY_BEAR"],
    "tfhe-rs": ["-Ibackends/tfhe-cuda-backend/cuda/src", "-Ibackends/zk-cuda-backend/cuda/src", "-DCUDA_ARCH=800", "-rdc=true", "-Xcompiler=-fpermissive"],
}
# Types by value of the projects, with the layout that they have in C++.
KNOWN = {
    "F": "pub struct F(pub u32);",
    "EF": "pub struct EF(pub [u32; 4]);",
    "DeviceBufferView": "pub struct DeviceBufferView { pub ptr: usize, pub size: usize }",
    "UInt2": "pub struct UInt2 { pub x: u32, pub y: u32 }",
    "DevicePointer": "pub struct DevicePointer<T>(pub u64, pub core::marker::PhantomData<T>);",
    "StepMode": "pub struct StepMode(pub u32);",
    "CudaStreamsFFI": "pub struct CudaStreamsFFI(pub [u64; 3]);",
    "CudaLweKeyswitchKeyParamsFFI": "pub struct CudaLweKeyswitchKeyParamsFFI(pub [u64; 2]);",
    "CudaLweBootstrapKeyParamsFFI": "pub struct CudaLweBootstrapKeyParamsFFI(pub [u64; 4]);",
    "GatedAct": None,
}
# Enums of tfhe-rs.
KNOWN |= {
    name: f"pub struct {name}(pub u32);"
    for name in "PBS_MS_REDUCTION_T PBS_TYPE BITOP_TYPE SHIFT_OR_ROTATE_TYPE COMPARISON_TYPE RERAND_MODE KS_TYPE EXPAND_KIND Direction BitValue".split()
}
PRELUDE = """#![allow(unused, improper_ctypes, non_camel_case_types, clashing_extern_declarations)]
pub mod types {
    pub use core::ffi::*;
    pub use half::{bf16, f16};
    pub use cudarc::driver::sys::{CUresult, CUstream};
    pub type cudaStream_t = *mut c_void;
"""
WORDS = set("c_void c_int c_uint c_long c_ulong c_longlong c_ulonglong c_char c_uchar c_short c_ushort c_float c_double".split())
WORDS |= set("bool i8 u8 i16 u16 i32 u32 i64 u64 i128 u128 isize usize f32 f64 f16 bf16 cudaStream_t CUresult CUstream const mut".split())


def blocks(text):
    """The functions of each block, without comments, and without the macros in it."""
    text = re.sub(r"//[^\n]*", "", text)
    for start in re.finditer(r'extern "C" \{', text):
        depth, end = 1, start.end()
        while depth and end < len(text):
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        functions = re.findall(r"fn\s+(\w+)\s*\(([^;]*?)\)\s*(->\s*[^;]+)?;", text[start.end() : end - 1])
        yield [(name, arguments, result) for name, arguments, result in functions if "$" not in arguments]


def plain(types):
    """Types without paths: `candle_core::cuda::cudarc::driver::sys::CUstream` is `CUstream`."""
    return re.sub(r"\b(?:\w+::)+(\w+)", r"\1", re.sub(r"#\[[^\]]*\]", "", types))


def compile_source(source, folder, place, flags):
    output = folder / (re.sub(r"\W", "_", str(source)) + ".o")
    if not output.exists():
        nvcc = pathlib.Path(subprocess.check_output([sys.executable, ROOT / "ptx/toolchain.py", "nvcc"], text=True).strip())
        program = next(nvcc.glob("nvidia/*/bin/nvcc"))
        command = [program, "-g", "-c", "-std=c++17", "-arch=compute_80", "-Ofc=max", "-w", "--expt-relaxed-constexpr", "-o", output, source]
        try:
            done = subprocess.run(command + flags, cwd=place, capture_output=True, text=True, timeout=SECONDS)
            said = done.stderr.strip().splitlines()
        except subprocess.TimeoutExpired:
            return source, None, f"more than {SECONDS} seconds"
        if done.returncode:
            return source, None, next((line for line in said if "error" in line), said[-1] if said else "")
    return source, output, ""


def check(project, place, headers, folder):
    sources = list(place.rglob("*.cu"))
    texts = {source: source.read_text(errors="replace") for source in sources}
    found = [(file, block) for file in sorted(place.rglob("*.rs")) for block in blocks(file.read_text(errors="replace"))]
    names = {name for _, block in found for name, _, _ in block}
    # The file that defines a function, not one that declares or calls it.
    defines = {}
    # A header can declare it `extern "C"`.
    for is_extern in [True, False]:
        for source, text in texts.items():
            if is_extern != ('extern "C"' in text):
                continue
            for name in re.findall(r"\b(\w+)\s*\([^;{}()]*\)\s*\{", text):
                if name in names and name != "main":
                    defines.setdefault(name, source)
    includes = {path for root in [place, *headers] for path in root.rglob("include") if path.is_dir()}
    def flags(source):
        return FLAGS.get(project, []) + [f"-I{path}" for path in sorted({source.parent, *includes})]

    wanted = sorted(set(defines.values()))
    objects, failed = {}, []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for source, output, said in pool.map(lambda source: compile_source(source, folder, place, flags(source)), wanted):
            if output:
                objects[source] = output
            else:
                failed.append(f"{source.relative_to(place)}: {said}")
    modules, lines, opaque = [], {}, set()
    compared = arguments_compared = 0
    for number, (file, block) in enumerate(found):
        by_object = {}
        for name, arguments, result in block:
            if defines.get(name) in objects:
                by_object.setdefault(objects[defines[name]], []).append((name, plain(arguments), plain(result)))
        for index, (output, functions) in enumerate(by_object.items()):
            modules.append(f'mod m{number}_{index} {{ use super::types::*;\n#[kernel_args::launchers(library = {json.dumps(str(output))})]\nunsafe extern "C" {{')
            for name, arguments, result in functions:
                lines[f"{name}"] = file.relative_to(place)
                opaque |= set(re.findall(r"\b[A-Za-z_]\w*\b", re.sub(r"\b\w+\s*:", "", arguments + result))) - WORDS
                compared += 1
                arguments_compared += arguments.count(":")
                text = re.sub(r",\s*", ",\n", arguments.strip())
                modules.append(f"fn {name}(\n{text}) {result};")
            modules.append("} }")
    types = "".join(f"    #[repr(C)] {KNOWN.get(name) or f'pub struct {name} {{ _opaque: [u8; 0] }}'}\n" for name in sorted(opaque))
    package = folder / "package"
    (package / "src").mkdir(parents=True, exist_ok=True)
    (package / "src/lib.rs").write_text(PRELUDE + types + "}\n" + "\n".join(modules) + "\n")
    (package / "Cargo.toml").write_text(
        f'[package]\nname = "corpus"\nversion = "0.0.0"\nedition = "2024"\n[workspace]\n[dependencies]\nhalf = "2"\n'
        f'kernel-args = {{ path = {json.dumps(str(ROOT / "kernel-args"))}, default-features = false, features = ["cudarc", "debug-info", "kernels", "half"] }}\n'
        'cudarc = { version = "0.19", default-features = false, features = ["cuda-13000", "driver", "dynamic-loading", "f16"] }\n'
    )
    (package / "Cargo.lock").unlink(missing_ok=True)
    done = subprocess.run(["cargo", "check", "--message-format=json"], cwd=package, capture_output=True, text=True)
    differences = []
    for line in done.stdout.splitlines():
        message = json.loads(line).get("message") or {}
        if message.get("level") == "error" and message.get("spans"):
            differences.append(message["message"].removeprefix("evaluation panicked: "))
    only_const = [text for text in differences if "`allow(const)`" in text]
    uncallable = [text for text in differences if "`#[kernel_args(skip)]`" in text]
    print(f"{project}: {compared} of {len(names)} functions with {arguments_compared} arguments compared, {len(wanted) - len(failed)} of {len(wanted)} files compile")
    print(f"{project}: {len(only_const)} arguments `*const T` for `T*`, {len(uncallable)} functions that Rust cannot call, {len(differences) - len(only_const) - len(uncallable)} other differences")
    for text in sorted(differences):
        if text not in only_const and text not in uncallable:
            function = re.search(r"launcher `(\w+)`", text)
            print(f"  {lines.get(function and function[1], '')}: {text}")
    for text in failed:
        print(f"  not compiled: {text}")
    if done.returncode and not differences:
        print(done.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("projects", nargs="*")
    parser.add_argument("--sources", type=pathlib.Path)
    options = parser.parse_args()
    root = options.sources or ROOT / "target/corpora"
    root.mkdir(parents=True, exist_ok=True)

    def checkout(name):
        place = root / name
        if not place.exists():
            subprocess.run(["git", "clone", "--quiet", "--depth=1", f"https://github.com/{PROJECTS[name][0]}", place], check=True)
        return place

    for project in options.projects or PROJECTS:
        folder = root / "objects" / project
        folder.mkdir(parents=True, exist_ok=True)
        check(project, checkout(project), [checkout(header) for header in PROJECTS[project][1]], folder)


if __name__ == "__main__":
    main()
