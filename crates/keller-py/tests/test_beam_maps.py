"""Maps by beams of many positions, from a region that is prepared once."""

from __future__ import annotations

import gc
import re
import subprocess
import sys
import threading
import weakref
from pathlib import Path
from typing import Any

import keller
import numpy as np
import pytest
from conftest import ROOT, Run

TOWN = ROOT / "examples/drive_test/town.obj"
REGION: dict[str, Any] = {"resolution": 4, "heights": [1.5, 18], "height_above": "ground"}
MAST = [155.625, 69.375, 10]
#: Over the roofs, beside a house, in a house.
PLACES = [MAST, [90.25, 69.4, 25], [210, 120.5, 2]]


@pytest.fixture(scope="module")
def town() -> keller.World:
    return keller.World(keller.load_scene(TOWN), 3.5e9, default_material="concrete")


@pytest.fixture(scope="module")
def maps(town: keller.World) -> keller.BeamMaps:
    return town.beams(**REGION)


def same(ours: np.ndarray[Any, Any], theirs: np.ndarray[Any, Any]) -> None:
    assert ours.dtype == theirs.dtype == np.float32 and ours.shape == theirs.shape
    assert np.array_equal(np.isnan(ours), np.isnan(theirs))
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-3)


@pytest.mark.parametrize("rooftops", [False, True])
def test_maps_are_coverages_of_a_tx_there(town: keller.World, rooftops: bool) -> None:
    sector = keller.Antenna.tr38901(azimuth_deg=70, downtilt_deg=5)
    options = {**REGION, "rooftops": rooftops, "corners": 1, "rotation_deg": 12, "min": [60, 10], "max": [230, 150]}
    maps = town.beams(antenna=sector, power_dbm=43, **options)
    tx = [keller.Tx(place, antenna=sector, power_dbm=43) for place in PLACES]
    coverage = town.coverage(tx, engine="beams", **options)
    for index, place in enumerate(PLACES):
        found = maps.path_gain_db(np.array(place))
        same(found, coverage.path_gain_db[index])
        assert np.isfinite(found).mean() > 0.3
    for name, array in maps.arrays.items():
        assert np.array_equal(array, coverage[name]), name
    assert {"x", "y", "z", "ground", "scene_x", "x_axis"} <= set(maps.arrays) and "ground" in maps
    assert np.array_equal(maps.x, coverage["x"]) and np.array_equal(maps.z, REGION["heights"])


def test_a_map_is_a_coverage_too(town: keller.World, maps: keller.BeamMaps, program: Run, tmp_path: Path) -> None:
    coverage = maps.coverage(MAST)
    expected = town.coverage(keller.Tx(MAST), engine="beams", **REGION)
    assert coverage.arrays.keys() == expected.arrays.keys()
    for name in set(expected.arrays) - {"scenario"}:
        assert coverage[name].tobytes() == expected[name].tobytes(), name
    same(maps.path_gain_db(MAST), coverage.path_gain_db[0])
    assert re.search(r"position = \[155.625, 69.375, 10.0\]", coverage.scenario)
    (tmp_path / "s.toml").write_text(coverage.scenario)
    program("coverage", "s.toml", "-o", "program.tif")
    coverage.save(tmp_path / "ours.tif")
    assert (tmp_path / "ours.tif").read_bytes() == (tmp_path / "program.tif").read_bytes()
    assert coverage.scene.num_faces == town.scene.num_faces
    with pytest.warns(keller.KellerWarning, match="outside the region"):
        maps.coverage([-100, -100, 10])


def test_a_map_does_not_depend_on_those_before(town: keller.World, maps: keller.BeamMaps) -> None:
    first = maps.path_gain_db(MAST)
    kept = first.copy()
    for x in np.linspace(60, 230, 30):
        assert maps.path_gain_db([x, 69.4, 12]).shape == (2, len(maps.y), len(maps.x))
    assert np.array_equal(first, kept, equal_nan=True), "a later map writes elsewhere"
    assert np.array_equal(maps.path_gain_db(MAST), kept, equal_nan=True)
    town.beams(resolution=20, heights=[1.5]).path_gain_db(MAST)


def test_a_position_that_is_none_raises_and_the_next_one_works(maps: keller.BeamMaps) -> None:
    anything: Any = maps
    for position, message in (
        ([150, 70, -3], "3.0 m below the ground"),
        ([1e6, 0, 2], "outside the scene"),
        ([150, 70], "three numbers"),
        ([150, 70, np.nan], "position"),
        ("here", "three numbers"),
        (None, "three numbers"),
    ):
        for ask in (anything.path_gain_db, anything.coverage):
            with pytest.raises(keller.ScenarioError, match=message):
                ask(position)
    assert np.isfinite(maps.path_gain_db(MAST)).any()


def test_what_is_not_prepared_raises(town: keller.World, world: keller.World) -> None:
    anything: Any = town
    for options, message in (
        ({"engine": "tubes"}, 'need one .coverage. with engine = "beams"'),
        ({"engine": "auto"}, 'need one .coverage. with engine = "beams"'),
        ({"corners": -1}, "corners"),
        ({"max_reflections": 2}, "max_reflections: there is no such keyword"),
        ({"resolution": 0}, "resolution"),
        ({"antenna": "no.msi"}, "no.msi"),
        ({"power_dbm": "much"}, "power_dbm"),
    ):
        with pytest.raises(keller.ScenarioError, match=message):
            anything.beams(**{**REGION, **options})
    with pytest.raises(keller.ScenarioError, match=r"\[background\]: maps of many positions leave it out"):
        town.with_(background={"level_db": -60, "exponent": 3}).beams(**REGION)
    flat = keller.scene_from_triangles([[0, 0, 0], [9, 0, 0], [0, 9, 0]], [[0, 1, 2]], "concrete")
    with pytest.raises(keller.ScenarioError, match="no upright walls"):
        keller.World(flat, 1e9).beams(resolution=1, heights=[1.5])


def test_closing_frees_the_region_and_says_so(town: keller.World) -> None:
    with town.beams(**REGION) as maps:
        assert "cells (z, y, x)" in repr(maps)
        maps.path_gain_db(MAST)
    for ask in (maps.path_gain_db, maps.coverage):
        with pytest.raises(keller.KellerError, match="closed"):
            ask(MAST)
    with pytest.raises(keller.KellerError, match="closed"):
        maps.__enter__()
    maps.close()
    assert repr(maps) == "<keller.BeamMaps: closed>" and len(maps.x) > 10
    with pytest.raises(KeyError, match="the arrays are x, y, z, ground"):
        maps["nothing"]
    gone = weakref.ref(town.beams(**REGION))
    gc.collect()
    assert gone() is None


def test_threads_may_share_them(maps: keller.BeamMaps) -> None:
    expected = [maps.path_gain_db(place) for place in PLACES]
    found: dict[int, Any] = {}

    def ask(number: int) -> None:
        found[number] = maps.path_gain_db(PLACES[number % len(PLACES)])

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert len(found) == 12
    for number, gains in found.items():
        assert np.array_equal(gains, expected[number % len(PLACES)], equal_nan=True)


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to a process of its own here")
def test_ctrl_c_stops_a_slider_and_maps_still_work() -> None:
    code = f"""
import keller, os, signal, threading
world = keller.World(keller.load_scene({str(TOWN)!r}), 3.5e9, default_material="concrete")
maps = world.beams(resolution=2, heights=[1.5])
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    while True:
        maps.path_gain_db({MAST})
except KeyboardInterrupt:
    print(maps.path_gain_db({MAST}).shape[0])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "1\n"), done.stderr


def test_the_program_gives_the_same_maps(maps: keller.BeamMaps, program: Run, tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(maps.coverage(MAST).scenario)
    (tmp_path / "places.txt").write_text("".join("{} {} {}\n".format(*place) for place in PLACES))
    program("coverage", "s.toml", "--positions", "places.txt", "-o", "maps.npy")
    theirs = np.load(tmp_path / "maps.npy")
    for place, expected in zip(PLACES, theirs, strict=True):
        same(maps.path_gain_db(place), expected)
