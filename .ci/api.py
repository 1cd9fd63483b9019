#!/usr/bin/env python3
"""Compares the public items of kernel-args, with all features, with the listing in .ci/api/kernel-args.txt. `--bless` writes the listing.

Implementations that a derive, the compiler or a blanket implementation adds are left out.
"""

import difflib
import os
import subprocess
import sys
from pathlib import Path

NIGHTLY = os.environ.get("KERNEL_ARGS_NIGHTLY", "nightly")
LISTING = Path(__file__).resolve().parent / "api" / "kernel-args.txt"


def main() -> int:
    command = ["cargo", f"+{NIGHTLY}", "public-api", "-sss", "--color", "never", "-p", "kernel-args", "--all-features"]
    # Otherwise the toolchain of this variable would override the one of `+`.
    environment = {name: value for name, value in os.environ.items() if name != "RUSTUP_TOOLCHAIN"}
    found = subprocess.check_output(command, cwd=LISTING.parents[2], env=environment, text=True)
    if sys.argv[1:] == ["--bless"]:
        LISTING.parent.mkdir(exist_ok=True)
        LISTING.write_text(found)
        return 0
    lines = [LISTING.read_text().splitlines(), found.splitlines()]
    difference = list(difflib.unified_diff(*lines, ".ci/api/kernel-args.txt", "kernel-args", lineterm="", n=0))
    for line in difference:
        print(line)
    if difference:
        print("help: if the change is meant, write the listing: python3 .ci/api.py --bless")
    return 1 if difference else 0


if __name__ == "__main__":
    sys.exit(main())
