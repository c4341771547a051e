"""How pip builds the package: maturin compiles it, and the program `keller` comes beside it.

    pip install ./crates/keller-py

Settings, each as `-C NAME=VALUE` of pip: `program`, a program that is built already; `build-args`, arguments of
maturin.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import maturin
from maturin import (
    build_editable,
    build_sdist,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
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
#: What lies here, maturin installs beside the interpreter. It must be there before anything is asked of maturin.
SCRIPTS = HERE / "keller.data/scripts"
SCRIPTS.mkdir(parents=True, exist_ok=True)


def build_wheel(
    wheel_directory: str, config_settings: Mapping[str, Any] | None = None, metadata_directory: str | None = None
) -> str:
    """The wheel: the compiled half of the package, its Python, and the program."""
    settings = dict(config_settings or {})
    given = settings.pop("program", None)
    program = ROOT / given if given else built_program()
    shutil.rmtree(SCRIPTS)
    SCRIPTS.mkdir()
    shutil.copy2(program, SCRIPTS)
    if shutil.which("strip"):
        subprocess.run(["strip", str(SCRIPTS / program.name)], check=True)
    wheel: str = maturin.build_wheel(wheel_directory, settings, metadata_directory)
    return wheel


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: Mapping[str, Any] | None = None) -> str:
    """The name, version and requirements of the package."""
    settings = {name: value for name, value in (config_settings or {}).items() if name != "program"}
    metadata: str = maturin.prepare_metadata_for_build_wheel(metadata_directory, settings)
    return metadata


def built_program() -> Path:
    """The program, built for release."""
    command = ["cargo", "build", "--locked", "--release", "-p", "keller-cli", "--message-format", "json"]
    built = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    messages = map(json.loads, built.stdout.splitlines())
    return next(Path(m["executable"]) for m in messages if m.get("executable"))
