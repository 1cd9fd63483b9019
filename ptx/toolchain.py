#!/usr/bin/env python3
"""Installs NVIDIA's compiler parts, at pinned versions, from PyPI into `.toolchain/`.

    python3 ptx/toolchain.py nvrtc        the runtime compiler alone (PTX and cubins)
    python3 ptx/toolchain.py nvcc         nvcc, ptxas, fatbinary and the headers they need
    python3 ptx/toolchain.py cuobjdump    the dumper of cubins and fat binaries

Each prints the folder that the part stands in. A part that is already there is
left alone. They are NVIDIA's, under its EULA: they are fetched, never committed.

Exit codes: 0 it is there; 2 wrong usage; 3 it could not be fetched (no pip, no
network, no package for this machine): a suite may count that as skipped.

The same from a script: `toolchain.ensure("nvrtc")` returns the folder or raises
`Unavailable`; `toolchain.installed("nvrtc")` never goes to the network.
Other folders than `.toolchain/` are named in the variable KERNEL_ARGS_TOOLCHAIN.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent

# One release of the toolkit, 13.0: newer PTX is refused by a driver of CUDA 13.0.
# Without `--no-deps` pip would mix newer parts in. The dumper has no 13.0 package.
PARTS = {
    "nvrtc": ["nvidia-cuda-nvrtc==13.0.88"],
    "nvcc": [
        "nvidia-cuda-nvcc==13.0.88",
        "nvidia-nvvm==13.0.88",
        "nvidia-cuda-crt==13.0.88",
        "nvidia-cuda-runtime==13.0.96",
        "nvidia-cuda-cccl==13.0.85",
    ],
    "cuobjdump": ["nvidia-cuda-cuobjdump==13.2.51", "nvidia-cuda-nvdisasm==13.2.51"],
}

EXIT_UNAVAILABLE = 3


class Unavailable(Exception):
    """A part that is not installed and cannot be fetched; the text says why."""


def folder(part):
    """Where `part` stands once it is installed: one folder for each part and version."""
    home = os.environ.get("KERNEL_ARGS_TOOLCHAIN")
    home = pathlib.Path(home) if home else ROOT / ".toolchain"
    version = PARTS[part][0].split("==")[1]
    return home / f"{part}-{version}"


def installed(part):
    """The folder of `part` when it is there, else None. Never touches the network."""
    place = folder(part)
    return place if place.is_dir() else None


def ensure(part):
    """The folder of `part`, fetched first when it is not there. Raises `Unavailable`."""
    place = folder(part)
    if not place.is_dir():
        place.parent.mkdir(parents=True, exist_ok=True)
        _fetch(part, place)
    return place


def _fetch(part, place):
    # pip fills a folder of its own beside the target, which then takes its name in one
    # step: an interrupted fetch leaves nothing that looks installed.
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
        # A second copy of the compiler, for a C++ ABI that nothing here uses.
        for spare in staged.glob("nvidia/*/lib/*.alt.*"):
            spare.unlink()
        # A wheel does not keep the executable bit of everything that nvcc starts.
        for program in list(staged.glob("nvidia/*/bin/*")) + list(
            staged.glob("nvidia/*/nvvm/bin/*")
        ):
            if program.is_file():
                program.chmod(program.stat().st_mode | 0o111)
        try:
            os.rename(staged, place)
        except OSError:
            # Another process was first: its copy is the same.
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
