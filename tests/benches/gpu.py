#!/usr/bin/env python3
"""Bundles the benchmark of launches with its peers, for a machine with a GPU and without Rust.

    python3 tests/benches/gpu.py            adds to gpu-bundle/ (git ignores it)
    sh gpu-bundle/bench               on the GPU machine: builds the C++ peer, measures everything in one interleaved run

The run takes about six minutes and uses Python, nvcc, and, for the peers in Python, cuda.core, CuPy and Triton. Missing
parts are reported and left out. Its output goes to `$OUT`, or to `gpu-bundle/benches/results`: `launch.tsv`,
`samples.tsv` and logs. The bundle also has a build with `tests/benches/cudarc/waits.patch`,
which measures tracked slices in the same run. Arguments are passed on to compare.py; a rehearsal without a GPU:

    sh gpu-bundle/bench --seconds 5 --stand-in libkernel_args_test_driver.so
"""

import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUNDLE = ROOT / "gpu-bundle"
PEERS = ["launch.cu", "driver.h", "rounds.h", "launch.py"]
KERNELS = ["launch_cost.cu", "launch_cost.ptx"]

BENCH = """\
#!/bin/sh
# Measures launches of kernel-args and its peers; see tests/benches/README.md.
cd "$(dirname "$0")/benches" || exit 2
out="${OUT:-$PWD/results}"
mkdir -p "$out"
{ nvidia-smi; nvidia-smi -q -d CLOCK,COMPUTE; lscpu; uptime; } >"$out/machine.txt" 2>&1
PATH="$PATH:/usr/local/cuda/bin"
rm -f ./launch_c
for arch in -arch=native ""; do
    # shellcheck disable=SC2086
    nvcc -O3 -std=c++17 $arch launch.cu -o launch_c -ldl >>"$out/nvcc.txt" 2>&1 && break
done
[ -x ./launch_c ] || cat "$out/nvcc.txt"
./sequence >"$out/sequence.md" || cat "$out/sequence.md"
exec python3 compare.py --output "$out" --seconds 300 "$@" \\
    "kernel-args=./launch --rounds" \\
    "patched cudarc=./launch_patched --rounds --patched-cudarc" \\
    "C=./launch_c driver launch_cost.ptx" \\
    "C++=./launch_c runtime launch_cost.ptx" \\
    "cuda.core=python3 launch.py cuda.core launch_cost.ptx" \\
    "CuPy=python3 launch.py cupy launch_cost.ptx" \\
    "Triton=python3 launch.py triton launch_cost.ptx"
"""


def build(name):
    """An executable from a release build."""
    command = f"cargo build --release -p kernel-args-benches --bin {name} --message-format=json-render-diagnostics"
    output = subprocess.run(command.split(), cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
    messages = (json.loads(line) for line in output.splitlines() if line.startswith("{"))
    return next(Path(message["executable"]) for message in messages if message.get("executable"))


def build_patched():
    """The executable with a patched cudarc."""
    path = ROOT / "tests" / "benches" / "cudarc" / "build.py"
    spec = importlib.util.spec_from_file_location("build", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.build()["launch"]


def add(path, target):
    shutil.copy2(path, target)
    subprocess.run(["strip", "--strip-debug", str(target)], check=False)


def main():
    if sys.argv[1:]:
        sys.exit("usage: gpu.py")
    executable, sequence = build("launch"), build("sequence")
    target = BUNDLE / "benches"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    driver = executable.parent / "deps" / "libkernel_args_test_driver.so"
    for path in [executable, sequence, driver]:
        add(path, target / path.name)
    add(build_patched(), target / "launch_patched")
    for name in PEERS:
        shutil.copy2(ROOT / "tests" / "benches" / "peers" / name, target)
    for name in KERNELS:
        shutil.copy2(ROOT / "ptx" / name, target)
    shutil.copy2(ROOT / "tests" / "benches" / "compare.py", target)
    (BUNDLE / "bench").write_text(BENCH)
    size = sum(path.stat().st_size for path in target.rglob("*"))
    print(f"{target.relative_to(ROOT)}: {size / 2**20:.1f} MiB")
    print("run on a machine with a GPU: sh gpu-bundle/bench")


if __name__ == "__main__":
    sys.exit(main())
