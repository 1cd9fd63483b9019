#!/usr/bin/env python3
"""Bundles the suites that use a GPU, for a machine with a GPU and without Rust.

    python3 tests/gpu.py              builds gpu-bundle/ (git ignores it)
    python3 tests/gpu.py --debug      the same from debug builds, at the default sizes and without benchmarks, in a fraction of the time
    python3 tests/gpu.py --check      the same, and runs it on this machine as on another: in another folder, where the sources are hidden
    sh gpu-bundle/run                 runs the suites and examples on the machine with the GPU, or only the named ones
    sh gpu-bundle/bench               measures launches on that machine: tests/benches/gpu.py

The bundle contains stripped builds of the suites and examples; their PTX is in the binaries. Without a GPU the
suites run on the test driver, which is also in the bundle, and report this. The suite `images` uses NVRTC from the
library path. Without NVRTC it ignores the trials that need it.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUNDLE = ROOT / "gpu-bundle"
# Of the test program `driver`.
SUITES = [
    "attributes", "contexts", "contracts", "debug_info", "echo", "error_texts", "faults", "generated_structs", "globals", "graphs", "images", "launch", "launchers",
    "memory_changes", "mirrors", "observe", "packed", "pointers", "recordings", "runtime_api", "scale", "sequences", "several_gpus", "textures", "trace",
]
# If there is a second GPU, these suites also run on it: `KERNEL_ARGS_DEVICE`.
ON_EACH_GPU = ["attributes", "contexts", "echo", "graphs", "launch", "runtime_api", "sequences"]
EXAMPLES = ["quickstart", "vector_add", "struct_by_value", "strided", "graph", "observe", "runtime_api", "nccl_sum", "image_filter", "nbody"]
# Examples in separate packages.
PACKAGES = ["inference", "decoder", "build-script"]
# A program with functions that nvcc compiles, in a workspace of its own.
WITH_NVCC = ["host_functions"]


CHECK = "--check" in sys.argv[1:]
DEBUG = CHECK or "--debug" in sys.argv[1:]


def build(arguments):
    """Builds, and returns the executables by the names of their targets."""
    profile = [] if DEBUG else ["--release"]
    command = ["cargo", *arguments, *profile, "--message-format=json-render-diagnostics"]
    output = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
    messages = (json.loads(line) for line in output.splitlines() if line.startswith("{"))
    return {
        message["target"]["name"]: Path(message["executable"])
        for message in messages
        if message.get("reason") == "compiler-artifact" and message.get("executable")
    }


def add(path, name):
    target = BUNDLE / name
    shutil.copy2(path, target)
    subprocess.run(["strip", "--strip-debug", str(target)], check=False)


def main():
    # A GPU is rarely available: test all derived structs, unless the variable is already set.
    if not DEBUG:
        os.environ.setdefault("KERNEL_ARGS_FULL", "1")
    shutil.rmtree(BUNDLE, ignore_errors=True)
    BUNDLE.mkdir()
    suites = build(["test", "--no-run", "-p", "kernel-args-tests", "--test=driver"])
    examples = build(["build", "-p", "kernel-args-examples", *(f"--example={example}" for example in EXAMPLES)])
    add(suites["driver"], "driver")
    add(build(["build", "-p", "kernel-args-cli"])["kernel-args"], "kernel-args")
    for name in EXAMPLES:
        add(examples[name], name)
    for name in PACKAGES:
        add(build(["build", "-p", name])[name], name)
    add_host_functions()
    driver = "libkernel_args_test_driver.so"
    add(suites["driver"].parent / driver, driver)
    add_corpus()
    add_runtime()
    if not DEBUG:
        subprocess.run([sys.executable, "tests/benches/gpu.py"], cwd=ROOT, check=True)

    run = BUNDLE / "run"
    run.write_text(
        "#!/bin/sh\n"
        "# Runs every suite and example of the bundle; the exit status is the last failure.\n"
        'cd "$(dirname "$0")" || exit 2\n'
        # Libraries that a machine may lack are next to the suites: libcudart, libnccl, libcurand.
        'LD_LIBRARY_PATH="$PWD${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"; export LD_LIBRARY_PATH\n'
        'KERNEL_ARGS_PROGRAM="$PWD/kernel-args"; export KERNEL_ARGS_PROGRAM\n'
        "nvidia-smi --query-gpu=name,driver_version,compute_cap --format=csv 2>/dev/null\n"
        "status=0\n"
        f"[ $# -gt 0 ] || set -- {' '.join([*EXAMPLES, *PACKAGES, *WITH_NVCC, *(f'{suite}::' for suite in SUITES)])}\n"
        'for name in "$@"; do\n'
        '    echo "=== $name"\n'
        # A suite and an example may have one name.
        '    case "$name" in *::*) ./driver "$name" ;; *) "./$name" ;; esac || status=$?\n'
        "done\n"
        "if [ \"$(nvidia-smi -L 2>/dev/null | wc -l)\" -gt 1 ]; then\n"
        f"    for name in {' '.join(ON_EACH_GPU)}; do\n"
        '        echo "=== $name on device 1"\n'
        '        KERNEL_ARGS_DEVICE=1 ./driver "$name::" || status=$?\n'
        "    done\n"
        "fi\n"
        "if command -v compute-sanitizer >/dev/null 2>&1; then\n"
        '    echo "=== echo under compute-sanitizer"\n'
        # Verification queries one parameter too many: an intended error, not one to report.
        "    compute-sanitizer --report-api-errors no --error-exitcode 9 ./driver echo::echo_struct || status=$?\n"
        "fi\n"
        + "exit $status\n"
    )
    run.chmod(0o755)
    files = [path for path in BUNDLE.rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files)
    print(f"{BUNDLE.relative_to(ROOT)}: {len(files)} files, {size / 2**20:.1f} MiB")
    print("run on a machine with a GPU: sh gpu-bundle/run, and sh gpu-bundle/bench for the benchmarks")
    return check() if CHECK else 0


def check():
    """Runs the bundle in another folder. Where Linux allows it, an empty file system hides the sources."""
    hidden = ["unshare", "--map-root-user", "--mount", "sh", "-c", 'mount -t tmpfs none "$0" && exec "$@"', str(ROOT)]
    if not shutil.which("unshare") or subprocess.run([*hidden, "true"], check=False).returncode != 0:
        print("the sources cannot be hidden on this machine: only the suite `bundle` shows that no suite reads them")
        hidden = []
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(BUNDLE, folder, dirs_exist_ok=True)
        return subprocess.run([*hidden, "sh", f"{folder}/run"], cwd=folder, check=False).returncode


def add_host_functions():
    """Adds a program with a library that nvcc compiles. NVIDIA's runtime is in it, except for the test driver."""
    toolkit = next(toolchain().glob("nvidia/*"))
    os.environ |= {"CUDA_HOME": str(toolkit), "HOST_FUNCTIONS_RUNTIME": "test" if CHECK else ""}
    manifest = "--manifest-path=tests/host_functions/Cargo.toml"
    add(build(["build", manifest, "--target-dir=target/host_functions"])["host_functions"], "host_functions")
    del os.environ["CUDA_HOME"], os.environ["HOST_FUNCTIONS_RUNTIME"]


def toolchain():
    """The folder of nvcc."""
    command = [sys.executable, "ptx/toolchain.py", "nvcc"]
    return Path(subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout.strip())


def add_runtime():
    """Adds the CUDA runtime, for a machine that has only the driver."""
    for library in toolchain().rglob("libcudart.so.*"):
        shutil.copy2(library, BUNDLE / library.name)


def add_corpus():
    """Adds the random kernels of the suite `scale`, compiled by NVIDIA's compiler."""
    subprocess.run([sys.executable, "ptx/toolchain.py", "nvrtc"], cwd=ROOT, check=True)
    generate = "run -q -p kernel-args-test-generator --bin echo_corpus"
    subprocess.run(["cargo", *generate.split()], cwd=ROOT, check=True)
    corpus = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "echo-corpus"
    shutil.copytree(corpus, BUNDLE / "echo-corpus", ignore=shutil.ignore_patterns("*.cu"))


if __name__ == "__main__":
    sys.exit(main())
