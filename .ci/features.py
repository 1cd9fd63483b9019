#!/usr/bin/env python3
"""Lints the published crates without features, with each single feature, with all features but one, with all features, and with
each version of the cudarc bindings."""

import json
import re
import subprocess
import sys


def lint(*arguments: str) -> bool:
    print("cargo clippy", *arguments, flush=True)
    command = ["cargo", "clippy", "--quiet", *arguments, "--", "-D", "warnings"]
    return subprocess.run(command).returncode == 0


def subsets(features: dict[str, list[str]]) -> list[list[str]]:
    """No feature, each one, all but each one, and all."""
    names = sorted(features.keys() - {"default"})
    # A feature is on with each one that names it.
    rests = [[other for other in names if other != name and name not in features[other]] for name in names]
    found = [[], *([name] for name in names), *rests, names]
    return [subset for i, subset in enumerate(found) if subset not in found[:i]]


def main() -> int:
    metadata = subprocess.check_output(["cargo", "metadata", "--format-version", "1"])
    packages = json.loads(metadata)["packages"]
    features = {package["name"]: package["features"] for package in packages}
    # Packages of this workspace without `publish = false`.
    published = sorted(package["name"] for package in packages if package["source"] is None and package["publish"] != [])
    runs = []
    for crate in published:
        for subset in subsets(features[crate]):
            runs.append(["-p", crate, "--no-default-features", "--features", ",".join(subset)])
    versions = sorted(name for name in features["cudarc"] if re.fullmatch(r"cuda-\d+", name))
    for version in versions:
        runs.append(["-p", "kernel-args", "--all-features", "--features", f"cudarc/{version}"])
    failed = [run for run in runs if not lint(*run)]
    for run in failed:
        print("FAILED: cargo clippy", *run)
    print(f"{len(runs) - len(failed)} of {len(runs)} builds without warnings, {len(versions)} of these for versions of the cudarc bindings")
    return 1 if failed or not versions else 0


if __name__ == "__main__":
    sys.exit(main())
