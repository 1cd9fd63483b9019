#!/usr/bin/env python3
"""Compares what the bodies of foreign kernels show with the C++ types in their symbols.

    python3 tests/foreign_bodies.py               downloads packages from PyPI and crates.io, about 11 GB, and deletes them
    python3 tests/foreign_bodies.py FOLDER        keeps the packages in a folder, and uses those that are there

It runs the example `foreign_bodies` of kernel-args-image over the libraries of each package, and over what nvcc (ptx/toolchain.py
installs it) makes of the CUDA C++ in packages of crates.io, without files that do not compile alone. It prints a table: the kernels
of each package, the claims about their parameters that a type could contradict, and how many are contradicted. Such a claim
is an error, and so are fewer than 217,000 kernels or 1,000,000 claims.

Exit codes: 0 no claim is wrong; 1 a claim is wrong; 3 the packages cannot be downloaded.
"""

import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import urllib.request
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Libraries whose fat binaries contain PTX. Each version contains other kernels. mxnet contains cuDNN 7.
PACKAGES = """
    bitsandbytes==0.50.2 catboost==1.2.10 ctranslate2==4.8.5 cuequivariance-ops-cu11==0.5.1 cuequivariance-ops-cu12==0.13.0
    cupoch==0.2.11.0 cupy-cuda13x==14.2.0 custatevec-cu12==1.15.0 cutensornet-cu12==2.14.0 faiss-gpu==1.15.1
    gpu4pyscf-cuda12x==1.9.0 libcudf-cu12==26.10.2 libcugraph-cu12==26.10.0 libcuml-cu12==26.10.0 libcuvs-cu12==26.10.0
    libraft-cu12==26.10.0 mxnet-cu102==1.7.0 nvidia-cublas-cu11==11.11.3.6 nvidia-cublas-cu12==12.9.3.13
    nvidia-cudnn-cu11==8.5.0.96 nvidia-cudnn-cu12==8.9.7.29 nvidia-cudss-cu12==1.0.0.35 nvidia-cufft-cu12==11.4.1.4
    nvidia-curand==10.4.5.25 nvidia-cusolver-cu11==11.4.1.48 nvidia-cusolver-cu12==11.7.5.82 nvidia-cusparse==12.9.4.2
    nvidia-npp-cu11==11.8.0.86 nvidia-npp-cu12==12.4.1.87 nvidia-npp==13.2.0.93 nvidia-nvjpeg-cu12==12.4.0.76
    nvidia-nvjpeg2k-cu12==0.11.0.51 nvidia-nvshmem-cu12==3.8.0 nvidia-nvtiff-cu12==0.8.0.82 onnxruntime-gpu==1.16.3
    spconv-cu120==2.3.6 tensorflow==2.10.1 tensorflow==2.8.4 torchvision==0.29.2 warp-lang==1.19.0 xgboost==3.2.0
""".split()
# The version of Python of packages that are for one version, or for old ones only.
PYTHON = {"cupoch==0.2.11.0": "3.11", "spconv-cu120==2.3.6": "3.11", "tensorflow==2.10.1": "3.9", "tensorflow==2.8.4": "3.9"}
# Of crates.io.
CRATES = "candle-kernels==0.11.1 mistralrs-paged-attn==0.8.1 mistralrs-quant==0.8.1 tract-cuda==0.22.5".split()
KERNELS, CLAIMS = 217_000, 1_000_000
SMALLEST_LIBRARY = 200_000
EXIT_UNAVAILABLE = 3

COUNTS = re.compile(r"^(\d+) kernels, ([\d.]+) MB of bodies in ([\d.]+) s", re.MULTILINE)
RULE = re.compile(r"^[A-E].*: (\d+) claimed rightly, (\d+) wrongly, of \d+$", re.MULTILINE)
ROW = "{:36}{:>9}{:>10}{:>7}{:>9}{:>8}"


def main(arguments):
    if arguments:
        return judge(pathlib.Path(arguments[0]))
    with tempfile.TemporaryDirectory() as folder:
        return judge(pathlib.Path(folder))


def judge(folder):
    folder.mkdir(parents=True, exist_ok=True)
    archives = {package: found(folder, package) or downloaded(folder, package) for package in PACKAGES + CRATES}
    if None in archives.values():
        return EXIT_UNAVAILABLE
    print(ROW.format("package", "kernels", "claims", "wrong", "MB", "s"), flush=True)
    total = [0, 0, 0, 0, 0]
    for package, archive in archives.items():
        with tempfile.TemporaryDirectory(dir=folder) as unpacked:
            numbers = counts((compiled if package in CRATES else unpack)(archive, unpacked))
        print_row(package, numbers)
        total = [sum(pair) for pair in zip(total, numbers)]
    print_row("all", total)
    kernels, claims, wrong, _, _ = total
    too_few = kernels < KERNELS or claims < CLAIMS
    if too_few:
        print(f"{kernels} kernels and {claims} claims: expected at least {KERNELS} and {CLAIMS}", file=sys.stderr)
    return int(wrong > 0 or too_few)


def found(folder, package):
    if package in CRATES:
        return next(folder.glob(package.replace("==", "-") + ".crate"), None)
    name, version = package.replace("-", "_").split("==")
    return next(folder.glob(f"{name}-{version}-*.whl"), None)


def downloaded(folder, package):
    if package in CRATES:
        name, version = package.split("==")
        file = f"{name}-{version}.crate"
        try:
            (folder / file).write_bytes(urllib.request.urlopen(f"https://static.crates.io/crates/{name}/{file}").read())
        except OSError as error:
            print(f"ignored: {package} cannot be downloaded: {error}", file=sys.stderr)
        return found(folder, package)
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet", "--no-deps"]
    command += ["--only-binary=:all:", "--dest", str(folder), package]
    command += ["--python-version", PYTHON[package]] if package in PYTHON else []
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        print(f"ignored: {package} cannot be downloaded:\n{result.stderr.strip()}", file=sys.stderr)
    return found(folder, package)


def unpack(wheel, folder):
    """The libraries of a package."""
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.infolist():
            if re.search(r"\.so(\.|$)", member.filename) and member.file_size > SMALLEST_LIBRARY:
                yield archive.extract(member, folder)


def compiled(crate, folder):
    """The PTX of a crate's CUDA C++."""
    sys.path.insert(0, str(ROOT / "ptx"))
    import toolchain

    nvcc = toolchain.program("nvcc", "nvcc")
    with tarfile.open(crate) as archive:
        archive.extractall(folder, filter="data")
    for number, file in enumerate(sorted(pathlib.Path(folder).rglob("*.cu"))):
        text = pathlib.Path(folder) / f"{number}.ptx"
        command = [nvcc, "-ptx", "-O3", "-std=c++17", "-arch=compute_80", "-w", "--expt-relaxed-constexpr", f"-I{file.parent}", file, "-o", text]
        if subprocess.run(command, capture_output=True).returncode == 0:
            yield text


def counts(libraries):
    """The numbers of kernels, claims and wrong claims in libraries, the megabytes of their bodies, and the seconds."""
    command = ["cargo", "run", "--quiet", "--release", "-p", "kernel-args-image", "--features", "bodies,compressed,zstd"]
    command += ["--example", "foreign_bodies", "--", *libraries]
    output = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True).stdout
    kernels, megabytes, seconds = COUNTS.search(output).groups()
    rules = [(int(right), int(wrong)) for right, wrong in RULE.findall(output)]
    wrong = [line for line in output.splitlines() if line.startswith("wrong: ")]
    print(*wrong, sep="\n", end="\n" if wrong else "", file=sys.stderr)
    return int(kernels), sum(map(sum, rules)), len(wrong), float(megabytes), float(seconds)


def print_row(package, numbers):
    kernels, claims, wrong, megabytes, seconds = numbers
    print(ROW.format(package, f"{kernels:,}", f"{claims:,}", wrong, f"{megabytes:.1f}", f"{seconds:.2f}"), flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
