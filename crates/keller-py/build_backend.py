"""How pip builds the package: maturin compiles it, and the program `keller` comes beside it.

    pip install ./crates/keller-py

Settings, each as `-C NAME=VALUE` of pip:

- `features`: cargo features of the package and the program, such as `gpu`.
- `target`: a Rust target for both. Zig links them if it is one of musl, or ends in a version of glibc.
- `program`: a program that is built already.
- `documents`: a folder whose files are installed to `share/doc/keller`.
- `build-args`: arguments of maturin.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import maturin
from maturin import (
    build_editable,
    build_sdist,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    prepare_metadata_for_build_editable,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
DATA = HERE / "keller.data"
#: What lies here, maturin installs beside the interpreter. It must be there before anything is asked of maturin.
SCRIPTS = DATA / "scripts"
SCRIPTS.mkdir(parents=True, exist_ok=True)
#: Settings that maturin does not know.
OURS = ("documents", "features", "program", "target")

Settings = Mapping[str, Any] | None


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:
    """What must be installed to build the wheel."""
    needed: list[str] = maturin.get_requires_for_build_wheel(config_settings)
    return [*needed, "cargo-zigbuild"] if is_for_zig(config_settings or {}) else needed


def build_wheel(wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None) -> str:
    """The wheel: the compiled half of the package, its Python, and the program."""
    settings = config_settings or {}
    # The Python that has zig.
    os.environ["CARGO_ZIGBUILD_PYTHON_PATH"] = sys.executable
    given = settings.get("program")
    program = ROOT / given if given else built_program(settings)
    shutil.rmtree(DATA)
    SCRIPTS.mkdir(parents=True)
    shutil.copy2(program, SCRIPTS)
    if shutil.which("strip") and os.name != "nt":
        # It may not know programs for another machine, and leaves them as they are.
        subprocess.run(["strip", str(SCRIPTS / program.name)], check="target" not in settings)
    if "documents" in settings:
        shutil.copytree(ROOT / settings["documents"], DATA / "data/share/doc/keller")
    wheel: str = maturin.build_wheel(wheel_directory, for_maturin(settings), metadata_directory)
    return wheel


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: Settings = None) -> str:
    """The name, version and requirements of the package."""
    metadata: str = maturin.prepare_metadata_for_build_wheel(metadata_directory, for_maturin(config_settings or {}))
    return metadata


def built_program(settings: Mapping[str, Any]) -> Path:
    """The program, built for release."""
    # The package beside the program: all crates have the features that serve both, and maturin finds them built.
    command = ["cargo", "zigbuild" if is_for_zig(settings) else "build", "--locked", "--release", "--bin", "keller"]
    command += ["-p", "keller-cli", "-p", "keller-py"]
    command += [word for name in ("features", "target") if name in settings for word in (f"--{name}", settings[name])]
    command += ["--message-format", "json"]
    built = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    messages = map(json.loads, built.stdout.splitlines())
    return next(Path(m["executable"]) for m in messages if m.get("executable"))


def for_maturin(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that maturin knows. Features and target are among its arguments."""
    known = {name: value for name, value in settings.items() if name not in OURS}
    target, _, glibc = settings.get("target", "").partition(".")
    options = ["--features", settings["features"]] if "features" in settings else []
    options += ["--target", target] if target else []
    if is_for_zig(settings):
        tag = f"manylinux_{glibc.replace('.', '_')}" if glibc else "musllinux_1_2"
        options += ["--zig", "--compatibility", tag]
    if options:
        known["build-args"] = shlex.join([*maturin.get_maturin_pep517_args(known), *options])
    return known


def is_for_zig(settings: Mapping[str, Any]) -> bool:
    """Whether zig links what is built: for a version of glibc, or for musl."""
    target = settings.get("target", "")
    return "." in target or "-musl" in target
