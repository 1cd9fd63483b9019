#!/usr/bin/env python3
"""Compiles each `.cu` in this folder to the PTX next to it, with the pinned compiler (toolchain.py).

    python3 ptx/build.py                       write every .ptx
    python3 ptx/build.py --check               check that the committed files are equal to the compiler's output
    python3 ptx/build.py saxpy echo_counts     the same for some sources
    python3 ptx/build.py --images DIR [NAME]   cubins and fat binaries, for tests of readers

For the sources in DEBUG it also writes `NAME.debug.ptx`, the compiler's output with `--device-debug`,
reduced to the description of the parameters: the declarations of the kernels, and the sections
.debug_info and .debug_abbrev.

The result does not depend on the machine: NVRTC needs no host compiler and writes no path.
Images: `NAME.sm_NN.cubin` for each of SMS, and `NAME.MODE.fatbin` for each of COMPRESSIONS,
which contains the PTX and all these cubins.

Exit codes: 0 done; 1 a committed file differs, a source does not compile, or an echo kernel
leaves out a byte; 2 wrong usage; 3 the compiler is not available.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys

import echo_coverage
import nvrtc
import toolchain

HERE = pathlib.Path(__file__).resolve().parent

# The oldest target that CUDA 13 compiles for. Newer GPUs run it too.
TARGET = "compute_75"
# Features that older GPUs lack are in separate files.
TARGETS = {"attributes_sm90": "compute_90", "confused": "compute_80", "confused_c": "compute_80"}
OPTIONS = ["--std=c++17", "--device-int128"]

# Also compiled with debug information.
DEBUG = {
    "confused_c", "echo_spread", "generated", "globals", "long_double", "matrix", "matrix_c", "mirrors", "packed", "real_bugs", "shade",
}

# Compiled with line numbers.
LINES = {"code", "mean"}

SMS = [75, 80, 89, 90, 100, 120]
# `speed` is LZ4, all other modes are Zstandard. Only `size` compresses cubins by default; the
# remaining modes need an option for this.
COMPRESSIONS = {
    "none": ["--compress-mode=none"],
    "default": ["--compress-mode=default"],
    "size": ["--compress-mode=size"],
    "speed": ["--compress-mode=speed"],
    "balance": ["--compress-mode=balance"],
    "speed-all": ["--compress-mode=speed", "--compress-all"],
    "balance-all": ["--compress-mode=balance", "--compress-all"],
}


def compile_source(source, target, options=()):
    """The PTX or cubin of one `.cu` of this folder."""
    headers = {header.name: header.read_text() for header in HERE.glob("*.cuh")}
    lines = ["--generate-line-info"] if source.stem in LINES else []
    image = nvrtc.compile(source.read_text(), source.name, target, headers, [*OPTIONS, *lines, *options])
    # Without the folder in which it was compiled.
    return re.sub(rb'(\.file\s+\d+ ")[^"]*/', rb"\1", image) if lines else image


def only_parameters(ptx):
    """The description of parameters and variables in PTX with debug information."""
    text = ptx.decode()
    heads = re.findall(r"^\.(?:version|target|address_size) .*$", text, re.MULTILINE)
    heads = [head.replace(", debug", "") for head in heads]
    entries = re.findall(r"^\.(?:visible|weak) \.entry [^{]*", text, re.MULTILINE)
    # Without initializers.
    variables = re.findall(r"^(?:\.visible |\.weak )?\.(?:global|const) [^=;]*", text, re.MULTILINE)
    variables = [f"{variable.rstrip()};" for variable in variables]
    sections = []
    for name in [".debug_info", ".debug_abbrev"]:
        body = re.search(rf"\.section\s+{re.escape(name)}\s*{{(.*?)}}", text, re.DOTALL)[1]
        # Addresses of code, and offsets in removed sections, are numbers.
        body = re.sub(r"(\.b\d+) (?!\.debug_abbrev|\d)\S+", r"\1 0", body)
        # Joins consecutive bytes into one directive.
        lines = [line.split("//")[0].strip() for line in body.splitlines()]
        packed = []
        for line in filter(None, lines):
            if line.startswith(".b8 ") and packed and packed[-1].startswith(".b8 "):
                packed[-1] += "," + line[4:]
            elif not line.endswith(":"):
                packed.append(line)
        packed = [part for line in packed for part in wrapped(line)]
        sections.append(f".section {name} {{\n" + "\n".join(packed) + "\n}\n")
    bodies = [f"{entry.rstrip()}\n{{\n\tret;\n}}\n" for entry in entries]
    return "\n".join(["\n".join(heads), *variables, *bodies, *sections]).encode()


def wrapped(line, width=120):
    """Splits a `.b8` directive into directives of at most `width` characters."""
    if not line.startswith(".b8 "):
        return [line]
    lines, numbers = [], line[4:].split(",")
    while numbers:
        part = ".b8 " + numbers.pop(0)
        while numbers and len(part) + len(numbers[0]) < width:
            part += "," + numbers.pop(0)
        lines.append(part)
    return lines


def without_header(ptx):
    """The PTX without the comment at its top, which contains the compiler's build number."""
    lines = ptx.splitlines()
    while lines and (not lines[0].strip() or lines[0].startswith(b"//")):
        lines.pop(0)
    return lines


def write_ptx(sources, check):
    """Writes or checks the PTX of `sources`. Returns the number of wrong files."""
    wrong, echoes = 0, 0
    # NVRTC compiles structs by value differently after its first compilation with debug information.
    compiled = [compile_source(source, TARGETS.get(source.stem, TARGET)) for source in sources]
    for source, ptx in zip(sources, compiled):
        faults, count = echo_coverage.gaps(ptx.decode())
        for fault in faults:
            print(f"{source.name}: {fault}", file=sys.stderr)
        echoes += count
        wrong += bool(faults)

        made = {".ptx": ptx}
        if source.stem in DEBUG:
            target = TARGETS.get(source.stem, TARGET)
            # Debug information contains the folder in which the compiler runs.
            os.chdir("/")
            ptx = compile_source(source, target, ["--device-debug"])
            made[".debug.ptx"] = only_parameters(ptx)
        for suffix, ptx in made.items():
            place = source.with_suffix(suffix)
            if not check:
                place.write_bytes(ptx)
            elif not place.is_file():
                print(f"{place.name}: does not exist; run ptx/build.py", file=sys.stderr)
                wrong += 1
            elif without_header(place.read_bytes()) != without_header(ptx):
                print(
                    f"{place.name}: differs from the output of NVRTC {version()} for {source.name}; "
                    "run ptx/build.py and commit the result",
                    file=sys.stderr,
                )
                wrong += 1
    verb = "checked" if check else "written"
    print(f"{len(sources)} PTX files {verb}, NVRTC {version()}, {TARGET}; {wrong} wrong")
    if not wrong:
        print(f"{echoes} echo kernels read and write every byte")
    return wrong


def write_images(sources, place):
    """Cubins of every SM and fat binaries of every compression mode, in `place`."""
    place.mkdir(parents=True, exist_ok=True)
    fatbinary = toolchain.program("nvcc", "fatbinary")
    # A source that does not compile for every SM is skipped.
    sources = [source for source in sources if source.stem not in TARGETS]
    for source in sources:
        ptx = place / f"{source.stem}.{TARGET}.ptx"
        ptx.write_bytes(compile_source(source, TARGET))
        members = [f"--image3=kind=ptx,sm={TARGET[8:]},file={ptx}"]
        for sm in SMS:
            cubin = place / f"{source.stem}.sm_{sm}.cubin"
            cubin.write_bytes(compile_source(source, f"sm_{sm}"))
            members.append(f"--image3=kind=elf,sm={sm},file={cubin}")
        for mode, flags in COMPRESSIONS.items():
            fatbin = place / f"{source.stem}.{mode}.fatbin"
            command = [fatbinary, "-64", f"--create={fatbin}"]
            subprocess.run(command + flags + members, check=True)
    print(f"{len(sources) * (1 + len(SMS) + len(COMPRESSIONS))} images in {place}")


def version():
    return ".".join(map(str, nvrtc.version()))


def main():
    parser = argparse.ArgumentParser(description="Makes the PTX of this folder's kernels.")
    parser.add_argument("names", nargs="*", help="sources, without .cu; all by default")
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    parser.add_argument("--images", type=pathlib.Path, metavar="DIR", help="cubins and fatbins")
    arguments = parser.parse_args()

    sources = [HERE / f"{name}.cu" for name in arguments.names] or sorted(HERE.glob("*.cu"))
    unknown = [source.stem for source in sources if not source.is_file()]
    if unknown:
        parser.error(f"no such source in ptx/: {', '.join(unknown)}")
    try:
        if arguments.images:
            write_images(sources, arguments.images)
            return 0
        return 1 if write_ptx(sources, arguments.check) else 0
    except toolchain.Unavailable as error:
        print(f"build: {error}", file=sys.stderr)
        return toolchain.EXIT_UNAVAILABLE
    except (nvrtc.CompileError, subprocess.CalledProcessError, OSError) as error:
        print(f"build: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
