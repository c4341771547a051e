"""Builds the wheel: the compiled half of the package, and the program `keller` beside it.

    python crates/keller-py/wheel.py [--profile release] [--out target/wheels] [--program target/release/keller]

It needs cargo, and maturin in the same environment as this Python.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def program(profile: str) -> Path:
    """The program, built with a profile of cargo."""
    command = ["cargo", "build", "--locked", "-p", "keller-cli", "--profile", profile, "--message-format", "json"]
    built = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    messages = map(json.loads, built.stdout.splitlines())
    return next(Path(m["executable"]) for m in messages if m.get("executable"))


def main() -> None:
    parser = argparse.ArgumentParser(description="Builds the wheel of the Python package keller.")
    parser.add_argument("--profile", default="release", help="a profile of cargo, release by default")
    parser.add_argument("--out", type=Path, default=ROOT / "target/wheels", help="the folder of the wheel")
    parser.add_argument("--program", type=Path, help="a program that is built already")
    parser.add_argument("--features", default="", help="features of the crate keller-py")
    args = parser.parse_args()
    built = args.program or program(args.profile)
    scripts = HERE / "keller.data/scripts"
    shutil.rmtree(scripts, ignore_errors=True)
    scripts.mkdir(parents=True)
    shutil.copy2(built, scripts)
    if shutil.which("strip"):
        subprocess.run(["strip", str(scripts / built.name)], check=True)
    command = [sys.executable, "-m", "maturin", "build", "--locked", "--profile", args.profile, "--out", str(args.out.resolve())]
    command += ["--features", args.features] if args.features else []
    subprocess.run(command, cwd=HERE, check=True)


if __name__ == "__main__":
    main()
