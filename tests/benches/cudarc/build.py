#!/usr/bin/env python3
"""Builds the benchmarks against cudarc 0.19.10 with `waits.patch` applied.

    python3 tests/benches/cudarc/build.py            prints the two programs: `launch` and `instructions`

It uses the cudarc source that cargo has downloaded. The patched copy and the build are in the target directory.
`Cargo.lock` does not change.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PATCH = Path(__file__).resolve().parent / "waits.patch"
VERSION = "0.19.10"


def source():
    """The folder in which cargo has unpacked cudarc."""
    home = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
    found = sorted((home / "registry" / "src").glob(f"*/cudarc-{VERSION}"))
    if not found:
        sys.exit(f"cudarc {VERSION} is not in {home}: run `cargo fetch` first")
    return found[0]


def build():
    """The programs, by name."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve() / "patched-cudarc"
    copy = target / f"cudarc-{VERSION}"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(source(), copy)
    subprocess.run(["patch", "--quiet", "-p1", "-i", str(PATCH)], cwd=copy, check=True)
    lock = (ROOT / "Cargo.lock").read_bytes()
    command = ["cargo", "build", "--release", "-p", "kernel-args-benches", "--bin=launch", "--bin=instructions"]
    command += ["--target-dir", str(target), "--config", f'patch.crates-io.cudarc.path="{copy}"']
    try:
        subprocess.run(command, cwd=ROOT, check=True)
    finally:
        (ROOT / "Cargo.lock").write_bytes(lock)
    return {name: target / "release" / name for name in ("launch", "instructions")}


if __name__ == "__main__":
    for program in build().values():
        print(program)
