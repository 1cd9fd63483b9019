#!/usr/bin/env python3
"""Applies small changes (mutants) to code whose results are trusted, and fails if the tests notice too few of them.

    .ci/mutants.py                         this week's sample of 200 mutants
    .ci/mutants.py --count 20 --part abi   20 mutants of one part
    .ci/mutants.py --suites 1              only with the quickest suite of each part
    .ci/mutants.py --week 2950             the sample of another week: all samples together have every mutant
    .ci/mutants.py --only 'Layout::same'   the mutants whose name contains this text

`cargo mutants` lists the mutants. Each is applied to a copy of the repository in the target folder, and the suites of its part run
there, the quickest first, until one fails. A mutant that does not compile does not count, nor does one in `EQUIVALENT`.

Exit codes: 0 enough were noticed; 1 too few, or the tests fail without a mutant; 2 wrong usage.
"""

import argparse
import fnmatch
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# The share of the mutants that must be noticed, in percent.
LEAST = 95
# The most seconds of a suite and its build, without a mutant. A mutant can be an endless loop, for rustc too: it gets as long as that
# took, when all was compiled, and a minute.
LIMIT = 3600


@dataclass(frozen=True)
class Part:
    """A part of the code."""

    package: str
    files: tuple[str, ...]
    # Arguments of `cargo test`, the quickest suites first.
    suites: tuple[str, ...]


LIBRARY = "-p kernel-args-tests --test library"
DRIVER = "-p kernel-args-tests --test driver --"
UNITS = "-p kernel-args --all-features --lib"
PARTS = {
    "abi": Part("kernel-args-abi", ("crates/abi/src/*",), ("-p kernel-args-abi --lib --test check", "-p kernel-args-image --all-features", LIBRARY)),
    "marshal": Part("kernel-args", ("kernel-args/src/marshal/*",), ("-p kernel-args-marshalling-tests", UNITS, LIBRARY, f"{DRIVER} echo:: launch:: sequences::")),
    "verify": Part("kernel-args", ("kernel-args/src/driver/verify/*",), (UNITS, LIBRARY, f"{DRIVER} launch:: mirrors:: debug_info:: images::")),
    "pool": Part("kernel-args", ("kernel-args/src/driver/sequence/pool.rs", "kernel-args/src/memory/pool.rs"), (UNITS, f"{DRIVER} sequences::")),
    "table": Part("kernel-args-test-driver", ("crates/test-driver/src/execute/table.rs",), ("-p kernel-args-test-driver --lib --test instructions", f"{DRIVER} echo::")),
}
# Mutants that no test can notice: the file, a part of the name without the position, and the reason. `*` is any text.
EQUIVALENT: list[tuple[str, str, str]] = [
    ("*", "replace <impl *Debug for *", "texts for developers may change"),
    ("crates/abi/src/tests.rs", "*", "the code is for Kani"),
]


@dataclass
class Mutant:
    part: str
    file: str
    name: str
    span: tuple[int, int, int, int]
    replacement: str

    def reason(self) -> str | None:
        """Why no test can notice it, if `EQUIVALENT` has it."""
        what = self.name.split(": ", 1)[1]
        rows = (why for file, name, why in EQUIVALENT if fnmatch.fnmatchcase(self.file, file) and fnmatch.fnmatchcase(what, name))
        return next(rows, None)

    def apply(self, text: str) -> str:
        lines = text.split("\n")
        first, start, last, end = self.span
        before = [*lines[: first - 1], lines[first - 1][: start - 1]]
        after = [lines[last - 1][end - 1 :], *lines[last:]]
        return "\n".join(before) + self.replacement + "\n".join(after)


def listed() -> list[Mutant]:
    """The mutants of all parts."""
    found = []
    for name, part in PARTS.items():
        files = [word for file in part.files for word in ("--file", file.replace("/*", "/**/*.rs"))]
        if gone := [file for file in part.files if not list(ROOT.glob(file))]:
            sys.exit(f"no file of the part {name} is called {', '.join(gone)}")
        command = ["cargo", "mutants", "--list", "--json", "--no-config", "--package", part.package, *files]
        for one in json.loads(subprocess.check_output(command, cwd=ROOT)):
            start, end = one["span"]["start"], one["span"]["end"]
            span = (start["line"], start["column"], end["line"], end["column"])
            found.append(Mutant(name, one["file"], one["name"], span, one["replacement"]))
    return found


def sample(mutants: list[Mutant], count: int, week: int) -> list[Mutant]:
    """The sample of a week: the weeks go through all mutants in one random order."""
    mutants = sorted(mutants, key=lambda mutant: mutant.name)
    random.Random(0).shuffle(mutants)
    start = week * count % len(mutants)
    return (mutants[start:] + mutants[:start])[:count]


def copy(tree: Path) -> None:
    """Copies the files of the repository. A file that is as it was keeps its time, so cargo does not compile it again."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    present = [name for name in subprocess.check_output(command, cwd=ROOT, text=True).split("\0") if name]
    # A link to a folder.
    for link in (name for name in present if (ROOT / name).is_dir() and not (tree / name).exists()):
        (tree / link).parent.mkdir(parents=True, exist_ok=True)
        (tree / link).symlink_to((ROOT / link).readlink())
    names = {name for name in present if (ROOT / name).is_file()}
    # Not through links: behind them are the files of the repository.
    copied = [Path(folder) / file for folder, _, inside in os.walk(tree) for file in inside]
    for old in [path for path in copied if str(path.relative_to(tree)) not in names]:
        old.unlink()
    for name in names:
        source, place = ROOT / name, tree / name
        if not place.is_file() or place.read_bytes() != source.read_bytes():
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, place)


def test(tree: Path, suite: str, limit: float) -> tuple[str, str]:
    """`passed`, `FAILED`, `late`, or `build` if it does not compile; and the output."""
    command = ["cargo", "test", "--quiet", *suite.split()]
    environment = os.environ | {"CARGO_TARGET_DIR": str(tree.parent / "target"), "RUSTFLAGS": "--cap-lints=warn", "CARGO_TERM_COLOR": "never"}
    # In a group of its own, because suites start processes.
    process = subprocess.Popen(command, cwd=tree, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
    try:
        text, _ = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return "late", process.communicate()[0]
    result = "passed" if process.returncode == 0 else "build" if "could not compile" in text else "FAILED"
    return result, text


def judge(mutant: Mutant, tree: Path, limits: dict[str, float]) -> str:
    """How a mutant ends: the suite that notices it, `build`, or an empty text if no suite does."""
    place = tree / mutant.file
    text = place.read_text()
    place.write_text(mutant.apply(text))
    try:
        for suite in filter(limits.get, PARTS[mutant.part].suites):
            result, output = test(tree, suite, limits[suite])
            # In a test, a `const` whose evaluation panics does not compile either: the error is not in the mutated file.
            if result == "build" and suite == PARTS[mutant.part].suites[0] and f"--> {mutant.file}:{mutant.span[0]}:" in output:
                return "build"
            if result != "passed":
                return f"{suite} ({result})"
    finally:
        place.write_text(text)
    return ""


def main() -> int:
    parser = argparse.ArgumentParser(description="Applies mutants, and fails if the tests notice too few.")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--week", type=int, default=date.today().toordinal() // 7)
    parser.add_argument("--part", choices=PARTS, action="append")
    parser.add_argument("--only", default="")
    parser.add_argument("--suites", type=int, default=9)
    arguments = parser.parse_args()
    tree = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).absolute() / "mutants" / "tree"
    tree.mkdir(parents=True, exist_ok=True)
    copy(tree)
    mutants = [mutant for mutant in listed() if not arguments.part or mutant.part in arguments.part]
    mutants = [mutant for mutant in mutants if arguments.only in mutant.name]
    print(f"{len(mutants)} mutants; sample {arguments.week} of {arguments.count}", flush=True)
    chosen = sample(mutants, arguments.count, arguments.week)
    limits = {}
    for suite in dict.fromkeys(suite for mutant in chosen for suite in PARTS[mutant.part].suites[: arguments.suites]):
        start = time.monotonic()
        result, output = test(tree, suite, LIMIT)
        limits[suite] = time.monotonic() - start + 60
        print(f"without a mutant: {result} in {time.monotonic() - start:.0f} s: {suite}", flush=True)
        if result != "passed":
            print(output)
            return 1
    noticed, left, equivalent, unbuilt = 0, [], 0, 0
    for mutant in chosen:
        if reason := mutant.reason():
            equivalent += 1
            print(f"equivalent ({reason}): {mutant.name}", flush=True)
            continue
        start = time.monotonic()
        by = judge(mutant, tree, limits)
        noticed += by not in ("", "build")
        unbuilt += by == "build"
        left += [] if by else [mutant.name]
        print(f"{by or 'NOT NOTICED'}: {mutant.name} ({time.monotonic() - start:.0f} s)", flush=True)
    all_ = noticed + len(left)
    share = 100 * noticed // all_ if all_ else 100
    print(f"\n{len(chosen)} mutants: {unbuilt} do not compile, {equivalent} are equivalent; {noticed} of {all_} others were noticed ({share} %)")
    for name in left:
        print(f"not noticed: {name}")
    return 0 if share >= LEAST else 1


if __name__ == "__main__":
    sys.exit(main())
