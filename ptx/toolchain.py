#!/usr/bin/env python3
"""Installs NVIDIA's compiler parts, at pinned versions, from PyPI into `.toolchain/`.

    python3 ptx/toolchain.py nvrtc        only the runtime compiler (PTX and cubins)
    python3 ptx/toolchain.py nvcc         nvcc, ptxas, fatbinary and the headers they need
    python3 ptx/toolchain.py headers      the headers of the driver, the runtime and cuRAND
    python3 ptx/toolchain.py cuobjdump    the dumper of cubins and fat binaries

Each prints the folder of the part. A part that is already installed does not
change. They are NVIDIA's, under its EULA: they are downloaded, never committed.

Exit codes: 0 installed; 2 wrong usage; 3 the download failed (no pip, no
network, no package for this machine): a suite may count this as skipped.

The same from a script: `toolchain.ensure("nvrtc")` returns the folder or raises
`Unavailable`; `toolchain.installed("nvrtc")` never uses the network.
The variable KERNEL_ARGS_TOOLCHAIN replaces the folder `.toolchain/`.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent

# All parts are from toolkit 13.0: a driver of CUDA 13.0 rejects newer PTX. Without
# `--no-deps` pip would install newer parts too. There is no 13.0 package of the dumper.
PARTS = {
    "nvrtc": ["nvidia-cuda-nvrtc==13.0.88"],
    "nvcc": [
        "nvidia-cuda-nvcc==13.0.88",
        "nvidia-nvvm==13.0.88",
        "nvidia-cuda-crt==13.0.88",
        "nvidia-cuda-runtime==13.0.96",
        "nvidia-cuda-cccl==13.0.85",
    ],
    "headers": ["nvidia-cuda-runtime==13.0.96", "nvidia-cuda-crt==13.0.88", "nvidia-curand==10.4.0.35"],
    "cuobjdump": ["nvidia-cuda-cuobjdump==13.2.51", "nvidia-cuda-nvdisasm==13.2.51"],
}

EXIT_UNAVAILABLE = 3


class Unavailable(Exception):
    """A part is not installed and cannot be downloaded. The text is the reason."""


def folder(part):
    """The folder of `part` after installation: one folder for each part and version."""
    home = os.environ.get("KERNEL_ARGS_TOOLCHAIN")
    home = pathlib.Path(home) if home else ROOT / ".toolchain"
    version = PARTS[part][0].split("==")[1]
    return home / f"{part}-{version}"


def installed(part):
    """The folder of `part` if it is installed, else None. Never uses the network."""
    place = folder(part)
    return place if place.is_dir() else None


def ensure(part):
    """The folder of `part`. Downloads it if it is not installed. Raises `Unavailable`."""
    place = folder(part)
    if not place.is_dir():
        place.parent.mkdir(parents=True, exist_ok=True)
        _fetch(part, place)
    return place


def _fetch(part, place):
    # pip installs into a temporary folder next to the target, which is then renamed in one
    # step: an interrupted download leaves nothing that looks installed.
    with tempfile.TemporaryDirectory(dir=place.parent, prefix=f"{part}-") as scratch:
        staged = pathlib.Path(scratch) / "part"
        command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install"]
        command += ["--quiet", "--no-deps", "--only-binary=:all:", "--no-compile"]
        command += ["--target", str(staged)] + PARTS[part]
        result = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        if result.returncode != 0 or not staged.is_dir():
            raise Unavailable(
                f"{part}: pip could not fetch {', '.join(PARTS[part])}.\n"
                f"It needs pip and a way to PyPI. What it said:\n{result.stdout.strip()}"
            )
        # A second copy of the compiler, for an unused C++ ABI.
        for spare in staged.glob("nvidia/*/lib/*.alt.*"):
            spare.unlink()
        # A wheel does not keep the executable bit of all programs that nvcc starts.
        for program in list(staged.glob("nvidia/*/bin/*")) + list(
            staged.glob("nvidia/*/nvvm/bin/*")
        ):
            if program.is_file():
                program.chmod(program.stat().st_mode | 0o111)
        try:
            os.rename(staged, place)
        except OSError:
            # A concurrent process was faster: its copy is the same.
            if not place.is_dir():
                raise


def nvrtc_libraries():
    """Paths of libnvrtc and of its builtins, which must be loaded first."""
    lib = ensure("nvrtc") / "nvidia" / "cu13" / "lib"
    return _one(lib, "libnvrtc.so.*"), _one(lib, "libnvrtc-builtins.so.*")


def program(part, name):
    """Path of a program of a part: `program("nvcc", "ptxas")`."""
    path = ensure(part) / "nvidia" / "cu13" / "bin" / name
    if not path.is_file():
        raise Unavailable(f"{part}: no program {name} in {path.parent}")
    return path


def _one(directory, pattern):
    found = sorted(directory.glob(pattern))
    if not found:
        raise Unavailable(f"no {pattern} in {directory}: delete that part and fetch it again")
    return found[0]


def main(arguments):
    if not arguments or any(part not in PARTS for part in arguments):
        print(f"usage: {pathlib.Path(__file__).name} [{'|'.join(PARTS)}]...", file=sys.stderr)
        return 2
    for part in arguments:
        try:
            print(ensure(part))
        except (Unavailable, OSError) as error:
            print(f"toolchain: {error}", file=sys.stderr)
            return EXIT_UNAVAILABLE
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
