"""Objects survive threads, copies, pickles, forks and Ctrl-C, or say why not, and never end the interpreter."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Literal

import keller
import numpy as np
import pytest
from keller import _keller

TX = keller.Tx([1, 1, 2], antenna=keller.Antenna.dipole(polarization="VH"), power_dbm=20)
RX = keller.Rx(np.array([[4.0, 3.0, 1.5], [2.0, 2.0, 1.0]]), antenna="tr38901")

#: Classes of the package.
CLASSES: list[Any] = [
    keller.Antenna,
    keller.BeamMaps,
    keller.Channels,
    keller.Coverage,
    keller.Material,
    keller.Page,
    keller.Paths,
    keller.Picture,
    keller.Rx,
    keller.Scene,
    keller.Tx,
    keller.World,
]


@pytest.mark.parametrize("again", [lambda one: pickle.loads(pickle.dumps(one)), copy.copy, copy.deepcopy])
def test_devices_and_materials_are_pickled_and_copied(world: keller.World, again: Callable[[Any], Any]) -> None:
    wall = keller.Material(layers=[{"itu": "brick", "thickness": 0.1}, {"permittivity": 1.0, "thickness": 0.05}])
    for one in (TX, RX, keller.Antenna("dipole", array={"elements_m": np.eye(3)}), wall):
        assert type(again(one)) is type(one) and repr(again(one)) == repr(one)
    ours = world.with_(materials={"wall": wall}).paths(TX, RX, max_reflections=1)
    theirs = world.with_(materials={"wall": again(wall)}).paths(again(TX), again(RX), max_reflections=1)
    assert ours["gain_db"].tobytes() == theirs["gain_db"].tobytes() and len(ours) == 14


@pytest.mark.parametrize("again", [lambda one: pickle.loads(pickle.dumps(one)), copy.copy, copy.deepcopy])
def test_arrays_pictures_and_errors_are_pickled_and_copied(
    world: keller.World, picture: keller.Picture, again: Callable[[Any], Any]
) -> None:
    paths = world.paths(TX, RX, max_reflections=1)
    channels = paths.channels()
    assert again(channels).arrays.keys() == channels.arrays.keys() and np.array_equal(again(channels).a, channels.a)
    arrays = keller.sionna.arrays(paths)
    assert np.array_equal(again(arrays).tau, arrays.tau)
    assert again(picture).png == picture.png
    assert again(world.scene.preview()).html == world.scene.preview().html
    error: Exception
    for error in (
        keller.KellerError("a"),
        keller.ScenarioError("b"),
        keller.ImportError("c"),
        keller.KellerWarning("d"),
    ):
        assert type(again(error)) is type(error) and again(error).args == error.args


def test_what_the_compiled_half_holds_is_not_pickled(world: keller.World, coverage: keller.Coverage) -> None:
    paths = world.paths(TX, RX, max_reflections=0)
    for one in (world.scene, world, paths, coverage, keller.sionna.Setup(world, [TX], [RX])):
        for again in (pickle.dumps, copy.deepcopy):
            with pytest.raises(TypeError, match=r"cannot pickle 'keller\._keller\.(Scene|Job)' object"):
                again(one)


def test_copies_share_what_the_compiled_half_holds(world: keller.World, coverage: keller.Coverage) -> None:
    paths = world.paths(TX, RX, max_reflections=0)
    assert np.array_equal(copy.copy(paths)["gain_db"], paths["gain_db"])
    assert len(copy.copy(world).paths(TX, RX, max_reflections=0)) == len(paths)
    assert copy.copy(world.scene).num_faces == world.scene.num_faces
    assert np.array_equal(copy.copy(coverage).path_gain_db, coverage.path_gain_db)


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_an_object_that_was_never_made_raises(kind: Any, world: keller.World, tmp_path: Path) -> None:
    empty = kind.__new__(kind)
    for name in [name for name in dir(kind) if not name.startswith("__") or name in ("__len__", "__getitem__")]:
        for arguments in ((), ("x",), (TX,), (TX, RX)):
            try:
                found = getattr(empty, name)
                if callable(found):
                    found(*arguments)
            except (AttributeError, TypeError, ValueError, keller.KellerError):
                pass
    uses: list[Callable[[], Any]] = [
        lambda: keller.World(empty, 1e9).paths(TX, RX),
        lambda: world.paths(empty, RX),
        lambda: world.paths(TX, empty),
        lambda: world.with_(materials={"wall": empty}).paths(TX, RX),
        lambda: keller.deepmimo.save(empty, tmp_path / "scenario"),
        lambda: keller.dataset.save(tmp_path / "data.h5", empty, TX, RX),
        lambda: keller.sionna.arrays(empty),
    ]
    for use in uses:
        with pytest.raises((AttributeError, keller.ScenarioError)):
            use()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["Scene", "Job", "Paths", "Coverage", "BeamMaps"])
def test_the_compiled_classes_are_not_made_by_hand(name: str) -> None:
    kind = getattr(_keller, name)
    for make in (kind, lambda: kind.__new__(kind), lambda: object.__new__(kind)):
        with pytest.raises(TypeError):
            make()


def test_threads_may_share_a_world(world: keller.World) -> None:
    expected = world.paths(TX, RX, max_reflections=2)["gain_db"]
    found: list[Any] = []
    in_threads([lambda: found.append(world.paths(TX, RX, max_reflections=2)["gain_db"])] * 4)
    assert len(found) == 4 and all(np.array_equal(gains, expected) for gains in found)


@pytest.mark.parametrize("tracing", ["phase", "each"])
def test_threads_may_share_paths_and_coverages(
    world: keller.World, coverage: keller.Coverage, tmp_path: Path, tracing: Literal["phase", "each"]
) -> None:
    pytest.importorskip("pandas")
    tx = keller.Tx([1, 1, 2], array={"elements_m": [[0, 0, 0], [0, 0.04, 0]]}, array_tracing=tracing)

    def results(paths: keller.Paths, folder: Path) -> list[Callable[[], Any]]:
        folder.mkdir()
        return [
            lambda: paths["gain_db"].tobytes(),
            lambda: paths.channels().a.tobytes(),
            lambda: paths.cir()[1].tobytes(),
            lambda: paths.links_to_pandas()["delay_spread_s"].to_numpy().tobytes(),
            lambda: paths.replay(frequency=5e9)["gain_db"].tobytes(),
            lambda: paths._repr_html_(),
            lambda: saved(paths, folder / "paths.csv"),
            lambda: saved(paths, folder / "paths.npz"),
            lambda: saved(coverage, folder / "map.tif"),
        ]

    expected = [result() for result in results(world.paths(tx, RX, max_reflections=2), tmp_path / "one")]
    together = results(world.paths(tx, RX, max_reflections=2), tmp_path / "other")
    found: dict[int, Any] = {}

    def work(number: int) -> None:
        found[number] = together[number]()

    in_threads([partial(work, number) for number in range(len(together))])
    assert [found[number] for number in range(len(together))] == expected


def saved(result: keller.Paths | keller.Coverage, file: Path) -> bytes:
    result.save(file)
    return file.read_bytes()


def in_threads(works: list[Callable[[], Any]]) -> None:
    threads = [threading.Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
        assert not thread.is_alive()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_process_gets_an_exception(world: keller.World) -> None:
    world.paths(TX, RX, max_reflections=0)
    child = os.fork()
    if child == 0:
        try:
            world.paths(TX, RX, max_reflections=0)
        except RuntimeError as error:
            os._exit(0 if "fork" in str(error) else 2)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


#: What is stopped, and what must work afterwards.
STOPPED = {
    "paths": "world.paths(tx, floor, max_reflections=4, max_diffractions=2)",
    "coverage": "world.coverage(tx, resolution=0.01, heights=[1.5], max_reflections=4, engine='points')",
    "surfaces": "world.coverage(tx, engine='surfaces', side=0.05, max_reflections=4)",
    "channels": "paths.channels()",
    "file": "paths.save('channels.npz')",
}


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to a process of its own here")
@pytest.mark.parametrize("what", STOPPED)
def test_ctrl_c_stops_a_run_and_what_was_there_still_works(room_file: Path, tmp_path: Path, what: str) -> None:
    code = f"""
import os, signal, threading, time
import keller
world = keller.World(keller.load_scene({str(room_file)!r}), 3.5e9, default_material="concrete")
tx = keller.Tx([1, 1, 2])
floor = keller.Rx(grid={{"min": [0.2, 0.2], "max": [4.8, 3.8], "spacing": 0.01, "height": 1.5}})
few = keller.Rx(grid={{"min": [0.2, 0.2], "max": [4.8, 3.8], "spacing": 0.05, "height": 1.5}})
paths = world.paths(tx, few, max_reflections=2, bandwidth_hz=1e8, num_frequencies=256)
sent = []

def stop():
    time.sleep(0.3)
    sent.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=stop, daemon=True).start()
try:
    {STOPPED[what]}
    time.sleep(120)
except KeyboardInterrupt:
    late = time.monotonic() - sent[0]
# A fast machine may have been done before.
assert set(os.listdir()) <= {{"channels.npz"}}, os.listdir()
assert len(paths["gain_db"]) == len(paths)
assert len(world.paths(tx, [[4, 3, 1.5]], max_reflections=1)) == 7
assert world.coverage(tx, resolution=1, heights=[1.5], max_reflections=0).path_gain_db.shape == (1, 1, 4, 5)
print(late)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    # Left alone, a search takes a minute or more; what is heard is heard within a second.
    assert float(done.stdout) < 20
