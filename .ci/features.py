#!/usr/bin/env python3
"""Lints the published crates without features, with each single feature, with all features, and with each version of cudarc's bindings."""

import json
import re
import subprocess
import sys


def lint(*arguments: str) -> bool:
    print("cargo clippy", *arguments, flush=True)
    command = ["cargo", "clippy", "--quiet", *arguments, "--", "-D", "warnings"]
    return subprocess.run(command).returncode == 0


def main() -> int:
    metadata = subprocess.check_output(["cargo", "metadata", "--format-version", "1"])
    packages = json.loads(metadata)["packages"]
    features = {package["name"]: package["features"] for package in packages}
    # Packages of this workspace without `publish = false`.
    published = sorted(package["name"] for package in packages if package["source"] is None and package["publish"] is None)
    runs = []
    for crate in published:
        runs.append(["-p", crate, "--no-default-features"])
        for feature in sorted(features[crate].keys() - {"default"}):
            runs.append(["-p", crate, "--no-default-features", "--features", feature])
        runs.append(["-p", crate, "--all-features"])
    versions = sorted(name for name in features["cudarc"] if re.fullmatch(r"cuda-\d+", name))
    for version in versions:
        runs.append(["-p", "kernel-args", "--all-features", "--features", f"cudarc/{version}"])
    failed = [run for run in runs if not lint(*run)]
    for run in failed:
        print("FAILED: cargo clippy", *run)
    print(f"{len(runs) - len(failed)} of {len(runs)} builds without warnings, {len(versions)} of these for versions of cudarc's bindings")
    return 1 if failed or not versions else 0


if __name__ == "__main__":
    sys.exit(main())
