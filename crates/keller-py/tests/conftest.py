"""Places and the program for all tests."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import keller
import pytest

ROOT = Path(__file__).resolve().parents[3]

Run = Callable[..., str]


@pytest.fixture(scope="session")
def room_file() -> Path:
    return ROOT / "examples/room/room.obj"


@pytest.fixture(scope="session")
def room(room_file: Path) -> keller.Scene:
    return keller.load_scene(room_file)


@pytest.fixture(scope="session")
def world(room: keller.Scene) -> keller.World:
    return keller.World(room, frequency=3.5e9, default_material="concrete", default_thickness=0.2)


@pytest.fixture
def program(tmp_path: Path) -> Run:
    """Runs the program that the wheel brought."""
    found = shutil.which("keller", path=str(Path(sys.executable).parent))
    assert found, "the wheel brings the program"

    def run(*args: str) -> str:
        done = subprocess.run([found, *args], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
