#!/usr/bin/env python3
"""Compiles CUDA sources with NVRTC, for the suites that run compilers.

    compile.py FOLDER TARGETS [-I INCLUDE]... [--option=OPTION]... SOURCE...

TARGETS are separated by commas: compute_NN gives FOLDER/STEM.ptx, sm_NN gives
FOLDER/STEM.sm_NN.cubin. OPTIONs are passed to NVRTC. `echo.cuh` is always available; in the PTX of a
source that includes it, every echo kernel must read and write every byte.

An image is compiled again only if its source, the options, the compiler or `echo_coverage.py` have changed. With `-I` it is
always compiled.

It prints the compiler's version, and the folder of the CUDA headers if the pinned nvcc is
installed. Without sources this is all. Exit codes: 0 done; 1 a source does
not compile, or an echo kernel leaves out a byte; 2 wrong usage; 3 the compiler is not installed (nothing is downloaded here).
"""

import argparse
import hashlib
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "ptx"))

import echo_coverage
import nvrtc
import toolchain

OPTIONS = ["--std=c++17", "--device-int128", "--disable-warnings"]


def digest(*parts):
    """A hash of texts and bytes."""
    parts = [part if isinstance(part, bytes) else part.encode() for part in parts]
    return hashlib.sha256(b"".join(b"%d:%s" % (len(part), part) for part in parts)).hexdigest()


def is_known(image, key):
    """Whether this image has been compiled with this key. The record is next to it."""
    record = image.with_name(image.name + ".key")
    try:
        return record.read_text() == key + digest(image.read_bytes())
    except OSError:
        return False


def main():
    parser = argparse.ArgumentParser(description="Compiles CUDA sources with NVRTC.")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("targets", type=lambda text: text.split(","))
    parser.add_argument("-I", dest="includes", action="append", default=[])
    parser.add_argument("--option", dest="options", action="append", default=[])
    parser.add_argument("sources", nargs="*", type=pathlib.Path)
    arguments = parser.parse_intermixed_args()

    if toolchain.installed("nvrtc") is None:
        print("NVRTC is not installed: run `python3 ptx/toolchain.py nvrtc`", file=sys.stderr)
        return toolchain.EXIT_UNAVAILABLE
    headers = {"echo.cuh": (ROOT / "ptx" / "echo.cuh").read_text()}
    options = OPTIONS + [f"--include-path={include}" for include in arguments.includes] + arguments.options
    folder = arguments.folder.resolve()
    sources = [source.resolve() for source in arguments.sources]
    # Debug information contains the folder, which must be the same on every machine.
    os.chdir(pathlib.Path(sys.executable).anchor)
    try:
        version = "NVRTC " + ".".join(map(str, nvrtc.version()))
        print(version)
        coverage = pathlib.Path(echo_coverage.__file__).read_bytes()
        if toolchain.installed("nvcc") is not None:
            print(toolchain.folder("nvcc") / "nvidia" / "cu13" / "include")
        for source in sources:
            text = source.read_text()
            for target in arguments.targets:
                suffix = "ptx" if target.startswith("compute_") else f"{target}.cubin"
                path = folder / f"{source.stem}.{suffix}"
                key = digest(version, source.name, text, target, *headers.values(), *options, coverage)
                if not arguments.includes and is_known(path, key):
                    continue
                image = nvrtc.compile(text, source.name, target, headers, options)
                path.write_bytes(image)
                if suffix == "ptx" and "echo.cuh" in text:
                    faults, _ = echo_coverage.gaps(image.decode())
                    if faults:
                        raise nvrtc.CompileError("\n".join(faults))
                path.with_name(path.name + ".key").write_text(key + digest(image))
    except toolchain.Unavailable as error:
        print(error, file=sys.stderr)
        return toolchain.EXIT_UNAVAILABLE
    except (nvrtc.CompileError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
