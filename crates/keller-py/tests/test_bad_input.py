"""What is not accepted is one exception with the program's words, and never the end of the interpreter."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import keller
import numpy as np
import pytest

TX = keller.Tx([1, 1, 2])


@pytest.mark.parametrize(
    ("rx", "message"),
    [
        ([[1.0, 2.0]], r"shape \(1, 2\)"),
        (np.zeros((0, 3)), r"shape \(0, 3\)"),
        ([[1, 2, np.nan]], r"rx\[0\]: found .*nan"),
        ([["a", "b", "c"]], "could not convert"),
        ([[1, 2, 3], [1, 2]], "accepted: an array"),
        (np.zeros((2, 3), complex), "accepted: an array|shape"),
        (7, "shape"),
        (None, "accepted"),
        ("no_such.csv", "no_such.csv"),
        ([[1e300, 0, 0]], "Rx|rx|accepted"),
    ],
)
def test_receivers(world: keller.World, rx: Any, message: str) -> None:
    with pytest.raises(keller.KellerError, match=message):
        world.paths(TX, rx)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_reflektions": 2}, "max_reflektions.*max_reflections"),
        ({"max_reflections": -1}, "max_reflections"),
        ({"max_reflections": 2.5}, "max_reflections"),
        ({"max_reflections": float("nan")}, "finite"),
        ({"max_reflections": object()}, "type object"),
        ({"search": "quantum"}, "search.*complete"),
    ],
)
def test_options(world: keller.World, options: dict[str, Any], message: str) -> None:
    with pytest.raises(keller.ScenarioError, match=message):
        world.paths(TX, [[4, 3, 1.5]], **options)


def test_worlds(room: keller.Scene) -> None:
    with pytest.raises(keller.ScenarioError, match="frequency_hz"):
        keller.World(room, -1.0, default_material="concrete").paths(TX, [[4, 3, 1.5]])
    with pytest.raises(keller.ScenarioError, match=r"unobtainium|accepted"):
        keller.World(room, 1e9, default_material="unobtainium").paths(TX, [[4, 3, 1.5]])
    with pytest.raises(keller.ScenarioError, match=r"accepted: what keller.load_scene gives"):
        keller.World("room.obj", 1e9)  # type: ignore[arg-type]
    with pytest.raises(keller.ScenarioError, match=r"keller.Material"):
        keller.World(room, 1e9, materials={"wall": "brick"})  # type: ignore[dict-item]
    with pytest.raises(keller.ScenarioError, match="thicknes"):
        keller.Material(itu="brick", thicknes=0.1)
    with pytest.raises(keller.ScenarioError, match=r"keller.Tx"):
        keller.World(room, 1e9, default_material="concrete").paths([1, 1, 2], [[4, 3, 1.5]])  # type: ignore[list-item]


def test_scenes(tmp_path: Path) -> None:
    with pytest.raises(keller.KellerError, match=r"missing.obj"):
        keller.load_scene(tmp_path / "missing.obj")
    (tmp_path / "bad.ply").write_bytes(b"ply\nformat binary_little_endian 1.0\nelement vertex 99999999\n")
    with pytest.raises(keller.KellerError, match=r"bad.ply"):
        keller.load_scene(tmp_path / "bad.ply")
    with pytest.raises(keller.ScenarioError, match="index 9"):
        keller.scene_from_triangles(np.zeros((3, 3)), [[0, 1, 9]], "metal")
    with pytest.raises(keller.ScenarioError, match="whole numbers"):
        keller.scene_from_triangles(np.zeros((3, 3)), [[0.5, 1, 2]], "metal")
    with pytest.raises(keller.KellerError):
        keller.scene_from_triangles(np.full((3, 3), np.inf), [[0, 1, 2]], "metal")
    with pytest.raises(keller.KellerError):
        keller.scene_from_triangles(np.zeros((0, 3)), np.zeros((0, 3), int), "metal")


def test_nothing_is_pickled(world: keller.World, room: keller.Scene) -> None:
    paths = world.paths(TX, [[4, 3, 1.5]], max_reflections=0)
    for value in (room, world, paths):
        with pytest.raises(TypeError, match="pickle"):
            pickle.dumps(value)


def test_threads_may_share_a_world(world: keller.World) -> None:
    expected = world.paths(TX, [[4, 3, 1.5]], max_reflections=2)["gain_db"]
    found: list[Any] = []

    def run() -> None:
        found.append(world.paths(TX, [[4, 3, 1.5]], max_reflections=2)["gain_db"])

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4 and all(np.array_equal(gains, expected) for gains in found)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_process_gets_an_exception(world: keller.World) -> None:
    world.paths(TX, [[4, 3, 1.5]], max_reflections=0)
    child = os.fork()
    if child == 0:
        try:
            world.paths(TX, [[4, 3, 1.5]], max_reflections=0)
        except RuntimeError as error:
            os._exit(0 if "fork" in str(error) else 2)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_ctrl_c_stops_a_run(room_file: Path) -> None:
    code = f"""
import keller, sys
world = keller.World(keller.load_scene({str(room_file)!r}), 3.5e9, default_material="concrete")
rx = keller.Rx(grid={{"min": [0.2, 0.2], "max": [4.8, 3.8], "spacing": 0.01, "height": 1.5}})
print("ready", flush=True)
try:
    world.paths(keller.Tx([1, 1, 2]), rx, max_reflections=4, max_diffractions=2)
except KeyboardInterrupt:
    sys.exit(17)
"""
    running = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert running.stdout is not None and running.stdout.readline() == "ready\n"
    time.sleep(0.5)
    began = time.monotonic()
    running.send_signal(signal.SIGINT)
    assert running.wait(timeout=60) == 17
    running.stdout.close()
    assert time.monotonic() - began < 10


def test_warnings_are_warnings_of_python(room: keller.Scene) -> None:
    world = keller.World(
        room, 3.5e9, default_material="concrete", materials={"marble": keller.Material.itu("brick", thickness=0.3)}
    )
    with pytest.warns(keller.KellerWarning, match="marble") as warned:
        world.paths(TX, [[4, 3, 1.5]], max_reflections=0)
    assert {warning.filename for warning in warned} == {__file__}, "the line that called"
