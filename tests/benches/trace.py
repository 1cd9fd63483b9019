#!/usr/bin/env python3
"""Measures what `kernel-args trace` costs a launch. It needs nvcc, a GPU, CUPTI, and a release build of kernel-args-cli.

    cargo build --release -p kernel-args-cli
    python3 tests/benches/trace.py [path/to/kernel-args]
"""

import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = r"""
#include <chrono>
#include <cstdio>
__global__ void work(float* out, int n, float a) { if (out && threadIdx.x > 40) out[0] = a * n; }
int main() {
    float* out;
    cudaMalloc(&out, 400);
    const int launches = 50000;
    for (int round = 0; round < 4; round++) {
        cudaDeviceSynchronize();
        auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < launches; i++) work<<<1, 32>>>(out, i, 2.0f);
        cudaDeviceSynchronize();
        std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
        printf("%.0f\n", time.count() / launches);
    }
}
"""


def main():
    tool = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "target/release/kernel-args")
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        (place / "work.cu").write_text(PROGRAM, encoding="utf-8")
        work = str(place / "work")
        subprocess.run(["nvcc", "-O2", "-arch=native", "-o", work, str(place / "work.cu")], check=True)
        ways = {
            "no trace": [],
            "`trace`": [],
            "`trace --json`": ["--json"],
            "`trace --summary`": ["--summary"],
            "`trace --check-pointers`": ["--check-pointers"],
        }
        print("| way | ns per launch, fastest and slowest of 4 |\n| --- | --- |")
        for name, options in ways.items():
            prefix = [tool, "trace", *options, "-o", str(place / "trace"), "--"] if name != "no trace" else []
            output = subprocess.run([*prefix, work], capture_output=True, text=True, check=True).stdout
            times = sorted(int(time) for time in re.findall(r"\d+", output))
            print(f"| {name} | {times[0]:,} to {times[-1]:,} |")


main()
