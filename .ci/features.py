#!/usr/bin/env python3
"""Lints the published crates without features, with each single feature, with the combinations that their READMEs and the guide
show, with all features but one, with all features, and with each version of the cudarc bindings.

`--quick` only checks the first three, with eight single features, or eight rows of a table, in one build: what a user writes compiles
without warnings.
"""

import doctest
import json
import os
import queue
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

QUICK = "--quick" in sys.argv[1:]
COMMAND = "check" if QUICK else "clippy"


# The target folders. Most of a build is one package, which rustc checks with one processor: two builds run at a time. Cargo locks a folder.
FOLDERS: queue.SimpleQueue[str] = queue.SimpleQueue()


def passes(arguments: list[str]) -> bool:
    command = ["cargo", COMMAND, "--quiet", *arguments]
    folder = FOLDERS.get()
    try:
        result = subprocess.run(command, env=os.environ | {"CARGO_TARGET_DIR": folder}, stderr=subprocess.PIPE, text=True)
    finally:
        FOLDERS.put(folder)
    print(*command, flush=True)
    print(result.stderr, end="", file=sys.stderr)
    # Each error and warning of rustc has a place in a file.
    return result.returncode == 0 and " --> " not in result.stderr


# By names of features, the features that each enables; by names of crates.
Features = dict[str, dict[str, list[str]]]


def subsets(features: dict[str, list[str]]) -> list[set[str]]:
    """No feature and each one, or each eight; all but each one, and all."""
    names = features.keys() - {"default"}
    step = 8 if QUICK else 1
    found = [set(), *(set(sorted(names)[i : i + step]) for i in range(0, len(names), step))]
    if not QUICK:
        # A feature is on with each one that names it.
        found += [{other for other in names if other != name and name not in features[other]} for name in sorted(names)]
        found.append(names)
    return found


def shown(text: str, owner: str, features: Features) -> list[tuple[str, set[str]]]:
    """The crates that a document of the crate `owner` shows as dependencies, and in commands, with their features.

    In a table `| feature | adds |`, the features of a row are added to the default features.

    >>> features = {"one": {"default": ["a"], "a": [], "b": []}, "two": {}}
    >>> def names(text): return [(crate, sorted(names)) for crate, names in shown(text, "one", features)]
    >>> names('```toml\\none = { version = "1", features = ["b"] }\\ntwo = "2"\\nthree = "3"\\n```\\n')
    [('one', ['a', 'b']), ('two', [])]
    >>> names('`cargo add two`\\n`cargo install three --features c`\\n`--no-default-features --features b`')
    [('two', []), ('one', ['b'])]
    >>> names('| feature | adds |\\n|---|---|\\n| `a` (default), `b` | text |\\n\\n| `c` | |')
    [('one', ['a', 'b'])]
    >>> names('```toml\\n[dependencies.one]\\n```\\n')
    Traceback (most recent call last):
    ValueError: no known crate is read from a block of one: [dependencies.one]
    """
    found = []

    def add(crate: str, without_default: bool, more: set[str]) -> None:
        if crate in features:
            found.append((crate, more | set([] if without_default else features[crate].get("default", []))))

    for block in re.findall(r"^```toml\n(.*?)^```", text, re.M | re.S):
        dependencies = {
            name: ("default-features = false" in value, set(re.findall(r'"([^"]+)"', value.partition("features = [")[2])))
            for name, value in re.findall(r'^([\w-]+) = ("[^"]*"|\{[^}]*\})', block, re.M)
        }
        if not dependencies.keys() & features.keys():
            raise ValueError(f"no known crate is read from a block of {owner}: {block.strip()}")
        bindings = {f"cudarc/{feature}" for feature in dependencies.get("cudarc", (False, set()))[1]}
        for name, (without_default, more) in dependencies.items():
            add(name, without_default, more | bindings if name == "kernel-args" else more)
    for line in text.splitlines():
        command = re.search(r"cargo (?:add|install) ([\w-]+)", line)
        options = re.findall(r"--features[ =]([\w,-]+)", line)
        if command or options:
            more = {feature for option in options for feature in option.split(",")}
            add(command[1] if command else owner, "--no-default-features" in line, more)
    for table in re.findall(r"^\| feature \| adds \|\n(.*?)^$", text, re.M | re.S):
        rows = re.findall(r"^\| (`[^|]*) \|", table, re.M)
        step = 8 if QUICK else 1
        for i in range(0, len(rows), step):
            add(owner, False, set(re.findall(r"`([\w-]+)`", " ".join(rows[i : i + step]))))
    return found


def main() -> int:
    if doctest.testmod().failed:
        return 1
    metadata = json.loads(subprocess.check_output(["cargo", "metadata", "--format-version", "1"]))
    packages = {package["name"]: package for package in metadata["packages"]}
    # Packages of this workspace without `publish = false`.
    published = sorted(name for name, package in packages.items() if package["source"] is None and package["publish"] != [])
    features = {name: packages[name]["features"] for name in published}
    builds = [(crate, subset) for crate in published for subset in subsets(features[crate])]
    for crate in published:
        folder = Path(packages[crate]["manifest_path"]).parent
        for file in [folder / "README.md", *sorted(folder.glob("guide/**/*.md"))]:
            builds += shown(file.read_text(), crate, features)
    runs = [["-p", crate, "--no-default-features", "--features", ",".join(sorted(subset))] for crate, subset in builds]
    versions = sorted(name for name in packages["cudarc"]["features"] if re.fullmatch(r"cuda-\d+", name))
    if not QUICK:
        runs += [["-p", "kernel-args", "--all-features", "--features", f"cudarc/{version}"] for version in versions]
    runs = [run for i, run in enumerate(runs) if run not in runs[:i]]
    FOLDERS.put(metadata["target_directory"])
    FOLDERS.put(metadata["target_directory"] + "/second")
    with ThreadPoolExecutor(2) as pool:
        failed = [run for run, is_right in zip(runs, pool.map(passes, runs)) if not is_right]
    for run in failed:
        print("FAILED: cargo", COMMAND, *run)
    print(f"{len(runs) - len(failed)} of {len(runs)} builds without warnings")
    return 1 if failed or not versions else 0


if __name__ == "__main__":
    sys.exit(main())
