#!/usr/bin/env python3
"""Runs public code, which nobody here wrote, on the test driver: programs and libraries that compare their results with the host's.

    python3 crates/test-driver/tests/public/run.py                       all programs of the tables
    python3 crates/test-driver/tests/public/run.py softmax thrust        the named ones
    python3 crates/test-driver/tests/public/run.py --libraries           all but HeCBench's programs
    python3 crates/test-driver/tests/public/run.py --sources DIR         from a checkout of HeCBench that is there
    python3 crates/test-driver/tests/public/run.py --write               writes the results to PROGRAMS.md of the crate

The programs of HeCBench are from https://github.com/zjin-lcf/HeCBench (src/NAME-cuda), with smaller inputs. All of them also pass on an H200; programs that do not, or that an interpreter runs for minutes, are left out. The programs of this folder call libraries, whose code runs in their kernels: CUB, Thrust and libcu++ of nvcc's package, CUTLASS, Triton and numba of PyPI. `random_c.py` writes programs itself.

nvcc compiles to PTX (ptx/toolchain.py installs it), and the programs run with the CUDA runtime of the test driver. Each runs with two seeds of the test driver, also of its inputs if they are random, and with the checks (KERNEL_ARGS_TEST_DRIVER_MEMCHECK=1).
"""

import argparse
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[3]
BUILD = ROOT / "target/public_programs"
PAGE = HERE.parents[1] / "PROGRAMS.md"
SOURCE = "https://github.com/zjin-lcf/HeCBench"
# The most that a program runs.
SECONDS = 300
# The ways in which a program runs: the seed, and whether accesses are checked.
WAYS = [(1, False), (7, False), (1, True)]
PACKAGES = {
    "python": ["numpy==2.4.6", "numba==0.68.1", "numba-cuda==0.30.4", "triton==3.9.0"],
    # Only its headers.
    "cutlass": ["--no-deps", "nvidia-cutlass==4.2.0.0"],
}
# The programs of this folder, and what they run.
LIBRARIES = {
    "cub_device.cu": "CUB, algorithms of the device",
    "cub_sort.cu": "CUB, sorting on the device",
    "cub_block.cu": "CUB, collectives of blocks and warps",
    "thrust.cu": "Thrust",
    "cutlass.cu": "CUTLASS, matrix products",
    "cooperative.cu": "cooperative groups",
    "libcudacxx.cu": "libcu++: barriers, pipelines, atomics, `cuda::std`",
    "triton_kernels.py": "Triton",
    "numba_kernels.py": "numba",
    "random_c.py": "random C programs and formats of `printf`, compared with g++",
}
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


def driver():
    """The program that runs a command on the test driver."""
    subprocess.run(["cargo", "build", "--quiet", "--release", "-p", "kernel-args-test-driver"], cwd=ROOT, check=True)
    return ROOT / "target/release/kernel-args-test-driver"


def package(name):
    """The folder of packages of PyPI, installed if it is not there."""
    folder = BUILD / "packages" / name
    if not folder.exists():
        print(f"installing {' '.join(PACKAGES[name])}")
        install = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-compile", "--target", folder]
        subprocess.run([*install, *PACKAGES[name]], check=True)
    return folder


def sources():
    """A checkout of HeCBench's programs."""
    checkout = BUILD / "HeCBench"
    if not checkout.exists():
        print(f"fetching {SOURCE}")
        git = ["git", "-C", str(checkout)]
        subprocess.run(["git", "clone", "--quiet", "--depth=1", "--filter=blob:none", "--sparse", SOURCE, str(checkout)], check=True)
        subprocess.run([*git, "sparse-checkout", "set", *(f"src/{name}-cuda" for name in PROGRAMS)], check=True)
    return checkout


def command(nvcc, files, program):
    """The command that compiles files to PTX, and links them with the runtime of the test driver."""
    runtime = next(nvcc.parents[1].glob("lib/libcudart.so.*"))
    options = ["-O2", "-std=c++17", "-arch=compute_80", "-code=compute_80", "-cudart", "none", "-w", "--expt-relaxed-constexpr", "--extended-lambda"]
    return [nvcc, *options, *files, "-Xlinker", runtime, "-o", program]


def compiled(nvcc, files, folder, program):
    """Compiles a program, if it is older than its files; returns its path, or the first error."""
    newest = max(file.stat().st_mtime for file in [*files, HERE / "checks.cuh"])
    if program.exists() and program.stat().st_mtime > newest:
        return program, None
    done = subprocess.run(command(nvcc, [f"-I{folder}", *files], program), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode == 0:
        return program, None
    errors = [line for line in done.stdout.splitlines() if "error" in line or "undefined" in line]
    return None, (errors or done.stdout.splitlines() or ["nvcc failed"])[0]


def verdict(started, folder, seed, checks, variables):
    """Runs a command: its time, the number of checks that its last line has, and None if it passes, otherwise the reason."""
    variables = {**os.environ, "KERNEL_ARGS_TEST_DRIVER_MEMCHECK": str(int(checks)), "KERNEL_ARGS_TEST_DRIVER_SEED": str(seed), **variables}
    start = time.monotonic()
    # The driver's program starts the program: both end at the limit.
    started = subprocess.Popen(started, cwd=folder, env=variables, start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    try:
        output, _ = started.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(started.pid, signal.SIGKILL)
        return SECONDS, 0, f"more than {SECONDS} s"
    seconds = time.monotonic() - start
    lines = [line for line in output.splitlines() if line.strip()]
    # That a kernel runs for long is no report.
    reports = [line for line in lines if line.startswith("kernel-args test driver") and " runs for " not in line]
    if started.returncode == 0 and "PASS" in output and "FAIL" not in output and not reports:
        return seconds, int((re.findall(r"PASS (\d+) checks", output) or ["1"])[-1]), None
    telling = reports or [line for line in lines if "FAIL" in line or "rror" in line]
    return seconds, 0, f"exit code {started.returncode}: {(telling or lines or [''])[0]}"


def ways(started, folder, seeded, variables=None):
    """Runs a command in each way: the cells of its row, and the number of checks."""
    cells, counts = [], []
    for seed, checks in WAYS:
        seconds, count, reason = verdict([*started, *([str(seed)] if seeded else [])], folder, seed, checks, variables or {})
        cells.append(f"{reason or 'PASS'} | {seconds:.1f}")
        counts.append(count)
    return cells, max(counts)


def library(name, nvcc, driver):
    """Runs a program of this folder: the cells of its row, and the number of checks."""
    if name == "random_c.py":
        done = subprocess.run([sys.executable, HERE / name, "--driver", driver], stdout=subprocess.PIPE, text=True)
        sys.stderr.write(done.stdout)
        checks, *cells = done.stdout.strip().splitlines()[-1].split(" | ")
        return cells, checks
    if name.endswith(".py"):
        folders = [nvcc.parents[1] / "lib", toolchain("nvrtc") / "lib"] if name.startswith("numba") else []
        variables = {
            "PYTHONPATH": str(package("python")),
            "PYTHONDONTWRITEBYTECODE": "1",
            "TRITON_CACHE_DIR": str(BUILD / "triton"),
            "TRITON_DEFAULT_FP_FUSION": "1",
            "CUDA_HOME": str(nvcc.parents[1]),
            "LD_LIBRARY_PATH": ":".join(map(str, folders)),
        }
        return ways([driver, sys.executable, HERE / name], HERE, True, variables)
    headers = package("cutlass") / "cutlass_library/source/include" if name == "cutlass.cu" else HERE
    program, error = compiled(nvcc, [HERE / name], headers, BUILD / name.removesuffix(".cu"))
    return ways([driver, program], BUILD, True) if program else ([f"{error} | 0"] * len(WAYS), 0)


def rows(text):
    """The rows of a page by their names."""
    return {line.split(" | ")[0].removeprefix("| "): line for line in text.splitlines() if line.startswith("| ")}


def passed(rows):
    """How many rows have no other result than PASS, in the ways in which they ran."""
    return sum(set(row.strip("| ").split(" | ")[-2 * len(WAYS) :: 2]) <= {"PASS", "not run"} for row in rows)


def page(known):
    """The page with the rows that are known."""
    columns = "seed 1 | seconds | seed 7 | seconds | with checks | seconds |"
    of_libraries = [known[name] for name in LIBRARIES if name in known]
    of_programs = [known[name] for name in PROGRAMS if name in known]
    checks = sum(int(row.split(" | ")[2]) for row in of_libraries if row.split(" | ")[2].isdigit())
    lines = [
        "# Public programs on the test driver",
        "",
        "`run.py --write` writes this page, with the rows of an earlier run for programs that it does not run. Seconds are of different machines.",
        "",
        f"## Libraries\n\n{checks} checks of {len(of_libraries)} programs.\n",
        f"| program | code | checks | {columns}",
        "|---|---|---|---|---|---|---|---|---|",
        *of_libraries,
        "",
        f"## HeCBench\n\n{passed(of_programs)} of {len(of_programs)} pass in each way in which they ran, without a report.\n",
        f"| program | arguments | {columns}",
        "|---|---|---|---|---|---|---|---|",
        *of_programs,
    ]
    return "\n".join([*lines, ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--libraries", action="store_true")
    parser.add_argument("--sources", type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    BUILD.mkdir(parents=True, exist_ok=True)
    nvcc, program_of_driver = toolchain("nvcc") / "bin/nvcc", driver()
    of_name = {name.partition(".")[0]: name for name in LIBRARIES}
    names = [of_name.get(name, name) for name in options.names] or [*LIBRARIES, *([] if options.libraries else PROGRAMS)]
    new = {}
    for name in names:
        if name in LIBRARIES:
            cells, checks = library(name, nvcc, program_of_driver)
            what = f"{LIBRARIES[name]} | {checks}"
        else:
            folder = (options.sources or sources()) / f"src/{name}-cuda"
            files = sorted(file for kind in ("*.cu", "*.cpp", "*.cc") for file in folder.glob(kind))
            program, error = compiled(nvcc, files, folder, BUILD / name)
            cells, _ = ways([program_of_driver, program, *PROGRAMS[name].split()], folder, False) if program else ([f"{error} | 0"] * len(WAYS), 0)
            what = PROGRAMS[name]
        new[name] = f"| {name} | {what} | {' | '.join(cells)} |"
        print(new[name], flush=True)
    if options.write:
        PAGE.write_text(page({**rows(PAGE.read_text()), **new}))
    print(f"\n{passed(new.values())} of {len(names)} pass in each way, without a report.")
    return 0 if passed(new.values()) == len(names) else 1


if __name__ == "__main__":
    sys.exit(main())
