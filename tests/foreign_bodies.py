#!/usr/bin/env python3
"""Compares what the bodies of foreign kernels show with the C++ types in their symbols.

    python3 tests/foreign_bodies.py               downloads packages from PyPI, about 730 MB, and deletes them
    python3 tests/foreign_bodies.py FOLDER        keeps the packages in a folder, and uses those that are there

It runs the example `foreign_bodies` of kernel-args-image over the libraries in the packages. A claim that a
`const` or a type in a symbol contradicts is an error, and so are fewer than 10,000 pointers.

Exit codes: 0 no claim is wrong; 1 a claim is wrong; 3 the packages cannot be downloaded.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Libraries whose fat binaries contain PTX. Not pinned: other versions are other kernels.
PACKAGES = ["nvidia-curand", "nvidia-npp", "nvidia-cusparse", "cupy-cuda13x", "warp-lang", "ctranslate2", "torchvision"]
POINTERS = 10_000
SMALLEST_LIBRARY = 200_000
EXIT_UNAVAILABLE = 3


def main(arguments):
    if arguments:
        return judge(pathlib.Path(arguments[0]))
    with tempfile.TemporaryDirectory() as folder:
        return judge(pathlib.Path(folder))


def judge(folder):
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet", "--no-deps"]
    command += ["--only-binary=:all:", "--dest", str(folder)]
    for package in PACKAGES:
        if any(folder.glob(package.replace("-", "_") + "-*.whl")):
            continue
        result = subprocess.run(command + [package], capture_output=True, text=True)
        if result.returncode != 0:
            print(f"ignored: {package} cannot be downloaded:\n{result.stderr.strip()}", file=sys.stderr)
            return EXIT_UNAVAILABLE
    with tempfile.TemporaryDirectory(dir=folder) as unpacked:
        libraries = [library for wheel in sorted(folder.glob("*.whl")) for library in unpack(wheel, unpacked)]
        command = ["cargo", "run", "--quiet", "--release", "-p", "kernel-args-image", "--features", "bodies,compressed"]
        command += ["--example", "foreign_bodies", "--", *libraries]
        result = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    print(result.stdout, end="")
    found = re.search(r"^A ptr: a pointer is one: .* of (\d+)$", result.stdout, re.MULTILINE)
    count = int(found[1]) if found else 0
    if count < POINTERS:
        print(f"{count} pointers: expected at least {POINTERS}", file=sys.stderr)
        return 1
    return result.returncode


def unpack(wheel, folder):
    """The libraries of a package, in a folder of its own."""
    place = pathlib.Path(folder) / wheel.stem
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.infolist():
            if re.search(r"\.so(\.|$)", member.filename) and member.file_size > SMALLEST_LIBRARY:
                yield os.fspath(archive.extract(member, place))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
