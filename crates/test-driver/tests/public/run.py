#!/usr/bin/env python3
"""Runs public CUDA programs, which nobody here wrote, on the test driver. Each compares its results with the host's and prints PASS.

    python3 crates/test-driver/tests/public/run.py                       all programs of the table
    python3 crates/test-driver/tests/public/run.py softmax scan          the named ones
    python3 crates/test-driver/tests/public/run.py --sources DIR         from a checkout of HeCBench that is there
    python3 crates/test-driver/tests/public/run.py --write               writes the results to PROGRAMS.md of the crate

The programs are from https://github.com/zjin-lcf/HeCBench (src/NAME-cuda), with smaller inputs. nvcc compiles them to PTX
(ptx/toolchain.py installs it), and they run with the CUDA runtime of the test driver. All of them also pass on an H200; programs that do not, or that an interpreter runs for minutes, are left out. Each runs a second time with the checks of the test driver (KERNEL_ARGS_TEST_DRIVER_MEMCHECK=1).
"""

import argparse
import os
import pathlib
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[3]
SOURCE = "https://github.com/zjin-lcf/HeCBench"
# The most that a program runs.
SECONDS = 300
PROGRAMS = {
    "accuracy": "64 1000 10 2",
    "adam": "1000 20 2",
    "adjacent": "100000 2",
    "all-pairs-distance": "1",
    "atomicAggregate": "2",
    "atomicCAS": "2",
    "axpby": "2",
    "background-subtract": "64 64 0 8",
    "bilateral": "64 64 0.5 0.5 2",
    "bitonic-sort": "10 2",
    "burger": "64 64 5",
    "chacha20": "10",
    "channelSum": "24 24 2",
    "colorwheel": "10 64 2",
    "convolution1D": "16384 2",
    "cooling": "1000 2",
    "cross": "1000 2",
    "dp4a": "65536 2",
    "entropy": "64 64 2",
    "filter": "10000 256 2",
    "flip": "3 32 2",
    "floydwarshall": "64 2 16",
    "fpc": "256 2",
    "ga": "1000 100 11 1",
    "gabor": "32 32 2",
    "gelu": "1 16 512 2",
    "glu": "3 32 2",
    "heat2d": "64 64 10",
    "iso2dfd": "64 64 10",
    "jenkins-hash": "256 4096 2",
    "keogh": "32 2000 2",
    "layout": "2",
    "libor": "1",
    "lif": "100 4 10",
    "lombscargle": "1",
    "matern": "30 2",
    "matrix-rotate": "100 2",
    "matrixT": "128 128 2",
    "merge": "1000 2",
    "multinomial": "16 64 2",
    "nw": "128 10 2",
    "particle-diffusion": "20 10",
    "pool": "2 3 32 32 8 8 2",
    "present": "1000 2",
    "reverse": "2",
    "rfs": "4 5000",
    "ring": "1 1024 2",
    "s8n": "4 128 2",
    "scatterAdd": "1000 32 8 2",
    "scel": "16 256 2",
    "secp256k1": "1",
    "softmax": "100 64 0 2",
    "stddev": "64 64 2",
    "threadfence": "2 100000",
    "vanGenuchten": "16 16 16 2",
    "wedford": "8 16 64 2",
    "zeropoint": "10000 2",
}


def toolchain(name):
    """The folder of a tool of NVIDIA, installed if it is not there."""
    output = subprocess.run([sys.executable, ROOT / "ptx/toolchain.py", name], check=True, stdout=subprocess.PIPE, text=True).stdout
    return next(pathlib.Path(output.strip().splitlines()[-1]).glob("nvidia/*"))


def sources(build):
    """A checkout of the programs."""
    checkout = build / "HeCBench"
    if not checkout.exists():
        print(f"fetching {SOURCE}")
        git = ["git", "-C", str(checkout)]
        subprocess.run(["git", "clone", "--quiet", "--depth=1", "--filter=blob:none", "--sparse", SOURCE, str(checkout)], check=True)
        subprocess.run([*git, "sparse-checkout", "set", *(f"src/{name}-cuda" for name in PROGRAMS)], check=True)
    return checkout


def compiled(nvcc, folder, build, name):
    """Compiles a program to PTX and links it; returns its path, or the first error."""
    program = build / name
    if program.exists():
        return program, None
    files = sorted(str(file) for kind in ("*.cu", "*.cpp", "*.cc") for file in folder.glob(kind))
    command = [nvcc, "-O2", "-std=c++17", "-arch=compute_80", "-code=compute_80", "-cudart", "none", "-w", "--expt-relaxed-constexpr", f"-I{folder}", *files,
               "-Xlinker", str(next(nvcc.parents[1].glob("lib/libcudart.so.*"))), "-o", str(program)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode == 0:
        return program, None
    errors = [line for line in done.stdout.splitlines() if "error" in line or "undefined" in line]
    return None, (errors or done.stdout.splitlines() or ["nvcc failed"])[0]


def verdict(program, arguments, folder, driver, checks):
    """Runs a program, with or without the checks: its time, and None if it passes, otherwise the reason."""
    variables = {**os.environ, "KERNEL_ARGS_TEST_DRIVER_MEMCHECK": str(int(checks))}
    start = time.monotonic()
    # The driver's program starts the program: both end at the limit.
    started = subprocess.Popen([driver, program, *arguments.split()], cwd=folder, env=variables, start_new_session=True,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    try:
        output, _ = started.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(started.pid, signal.SIGKILL)
        return SECONDS, f"more than {SECONDS} s"
    seconds = time.monotonic() - start
    lines = [line for line in output.splitlines() if line.strip()]
    reports = [line for line in lines if line.startswith("kernel-args test driver")]
    if started.returncode == 0 and "PASS" in output and "FAIL" not in output and not reports:
        return seconds, None
    telling = reports or [line for line in lines if "FAIL" in line or "rror" in line]
    return seconds, f"exit code {started.returncode}: {(telling or lines or [''])[0]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--sources", type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    build = ROOT / "target/public_programs"
    build.mkdir(parents=True, exist_ok=True)
    checkout = options.sources or sources(build)
    nvcc = toolchain("nvcc") / "bin/nvcc"
    subprocess.run(["cargo", "build", "--quiet", "--release", "-p", "kernel-args-test-driver"], cwd=ROOT, check=True)
    driver = ROOT / "target/release/kernel-args-test-driver"
    names = options.names or list(PROGRAMS)
    passed = {False: 0, True: 0}
    rows = ["| program | arguments | result | seconds | with checks | seconds |", "|---|---|---|---|---|---|"]
    print(*rows, sep="\n")
    for name in names:
        folder = checkout / f"src/{name}-cuda"
        program, error = compiled(nvcc, folder, build, name)
        cells = []
        for checks in passed:
            seconds, reason = verdict(program, PROGRAMS[name], folder, driver, checks) if program else (0, error)
            passed[checks] += reason is None
            cells.append(f"{reason or 'PASS'} | {seconds:.1f}")
        rows.append(f"| {name} | {PROGRAMS[name]} | {' | '.join(cells)} |")
        print(rows[-1], flush=True)
    summary = f"{passed[False]} of {len(names)} pass, {passed[True]} also with the checks, without a report."
    print(f"\n{summary}")
    if options.write:
        head = f"# Public programs on the test driver\n\n`run.py --write` writes this page. {summary}"
        (HERE.parents[1] / "PROGRAMS.md").write_text("\n".join([head, "", *rows, ""]))
    return 0 if set(passed.values()) == {len(names)} else 1


if __name__ == "__main__":
    sys.exit(main())
