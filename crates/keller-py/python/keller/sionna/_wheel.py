"""Scenes of the wheel ``sionna-rt``: found by name, without importing it."""

from __future__ import annotations

import importlib.util
from os import PathLike
from pathlib import Path
from typing import Any

from .._checks import file_name
from .._keller import ScenarioError
from .._scene import Scene
from .._scene import load_scene as load_file


def load_scene(name: str | PathLike[str], **options: Any) -> Scene:
    """A scene of the wheel ``sionna-rt`` by its name, such as ``"munich"``, or the scene in any file.

    ``options`` are those of :func:`keller.load_scene`. The wheel is found without importing it. Its scenes give every
    material a thickness, so that waves can pass walls.

    Raises ScenarioError for a name that the wheel does not have, and where there is no wheel.
    """
    return load_file(_scene_file(name), **options)


def _scene_file(name: str | PathLike[str]) -> Path:
    """A file as it is named, or that of a scene of the wheel."""
    path = Path(file_name("name", name))
    if path.suffix or len(path.parts) > 1 or path.is_file():
        return path
    folders = [folder / "rt" / "scenes" for folder in _package_folders()]
    for folder in folders:
        file = folder / path.name / f"{path.name}.xml"
        if file.is_file():
            return file
    if not any(folder.is_dir() for folder in folders):
        raise ScenarioError(
            f"load_scene: found {path.name!r}, and no package with scenes; accepted: a scene's file, or one of these "
            "names after `pip install sionna-rt`"
        )
    files = [file for folder in folders for file in folder.glob("*/*.xml")]
    names = sorted({file.stem for file in files if file.stem == file.parent.name})
    raise ScenarioError(f"load_scene: found {path.name!r}; accepted: {', '.join(names)}, or a scene's file")


def _package_folders() -> list[Path]:
    """Where the package ``sionna`` lies: finding a package at the top does not import it."""
    try:
        found = importlib.util.find_spec("sionna")
    except ValueError:
        found = None
    return [Path(folder) for folder in (found.submodule_search_locations or [])] if found else []
