#!/usr/bin/env python3
"""Checks the published crates with the lowest versions of their dependencies that the manifests allow.

It checks a copy of the crates without dev-dependencies, because the tests require higher versions.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

NIGHTLY = os.environ.get("KERNEL_ARGS_NIGHTLY", "nightly")


def without(sections: str, manifest: str) -> str:
    """The text of a manifest without the sections whose headers match."""
    parts = re.split(r"(?m)^(?=\[)", manifest)
    return "".join(part for part in parts if not re.match(sections, part))


def copy(metadata: dict) -> Path:
    """A workspace of the published crates alone."""
    root = Path(metadata["workspace_root"])
    folder = Path(metadata["target_directory"]) / "minimal-versions" / "workspace"
    shutil.rmtree(folder, ignore_errors=True)
    members = [Path(package["manifest_path"]).parent for package in metadata["packages"] if package["publish"] != []]
    for member in members:
        place = folder / member.relative_to(root)
        shutil.copytree(member, place, ignore=shutil.ignore_patterns("fuzz", "target"))
        manifest = (member / "Cargo.toml").read_text()
        (place / "Cargo.toml").write_text(without(r"\[dev-dependencies|\[\[test\]\]", manifest))
    names = json.dumps([str(member.relative_to(root)) for member in members])
    manifest = without(r"\[workspace\]", (root / "Cargo.toml").read_text())
    (folder / "Cargo.toml").write_text(f'[workspace]\nresolver = "3"\nmembers = {names}\n\n{manifest}')
    return folder


def main() -> int:
    metadata = json.loads(subprocess.check_output(["cargo", "metadata", "--format-version", "1", "--no-deps"]))
    folder = copy(metadata)
    subprocess.run(["cargo", f"+{NIGHTLY}", "generate-lockfile", "-Z", "direct-minimal-versions"], cwd=folder, check=True)
    command = ["cargo", "check", "--locked", "--workspace", "--all-features", "--target-dir", folder.parent / "target"]
    return subprocess.run(command, cwd=folder).returncode


if __name__ == "__main__":
    sys.exit(main())
