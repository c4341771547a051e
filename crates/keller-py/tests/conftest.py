"""Places and the program for all tests."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import keller
import pytest

ROOT = Path(__file__).resolve().parents[3]
#: The speed of light, m/s.
C = 299_792_458.0

FLOOR = [[0, 0, 0], [10, 0, 0], [10, 10, 0], [0, 10, 0]]
ROOF = [[2, 2, 5], [6, 2, 5], [6, 6, 5], [2, 6, 5]]
WALL = [[2, 2, 0], [6, 2, 0], [6, 2, 5], [2, 2, 5]]
TX = keller.Tx([1, 1, 2], name="access point")

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


@pytest.fixture(scope="session")
def house() -> keller.Scene:
    """A roof, a wall below one of its sides, and a floor below both, in this order."""
    return keller.scene_from_triangles(
        ROOF + WALL + FLOOR, [[4 * k, 4 * k + i, 4 * k + i + 1] for k in range(3) for i in (1, 2)], "brick"
    )


@pytest.fixture(scope="session")
def ground() -> keller.Scene:
    """A square of metal 18 km wide."""
    corners = [[-9000, -9000, 0], [9000, -9000, 0], [9000, 9000, 0], [-9000, 9000, 0]]
    return keller.scene_from_triangles(corners, [[0, 1, 2], [0, 2, 3]], "metal")


@pytest.fixture(scope="session")
def links(world: keller.World) -> keller.Paths:
    """Two Tx and three Rx, the last two of one name, in a room."""
    rx = [keller.Rx([4.0, 3.0, 1.5], name="desk"), keller.Rx([[2.0, 2.0, 1.0], [4.5, 1.0, 1.0]], name="phones")]
    return world.paths([TX, keller.Tx([4, 3, 2])], rx, max_reflections=2)


@pytest.fixture(scope="session")
def coverage(world: keller.World) -> keller.Coverage:
    """Two Tx, two heights and noise, in the room."""
    tx = [TX, keller.Tx([4, 3, 2], power_dbm=20)]
    return world.coverage(tx, resolution=0.5, heights=[1.0, 1.5], max_reflections=1, noise_dbm=-95)


@pytest.fixture(scope="session")
def picture(world: keller.World) -> keller.Picture:
    """The room, drawn once."""
    return world.scene.picture()


@pytest.fixture
def pictures() -> Iterator[None]:
    """Closes what a test has drawn, once it has been rendered without a warning."""
    from matplotlib import pyplot as plt

    yield
    for number in plt.get_fignums():
        plt.figure(number).canvas.draw()
    plt.close("all")


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
