"""Every key of a scenario has a keyword, and does what it does in a file."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import keller
import numpy as np
import pytest
from conftest import C
from keller._keller import KEYS
from keller._text import split

#: Sections are arguments themselves, not keywords.
SECTIONS = {
    *("scene", "building", "opening", "materials", "tx", "rx", "paths", "channel", "coverage", "beams", "tiles"),
    *("streets", "clutter", "moving", "calibrate", "variants"),
}
#: What changes in a file, or makes many of one: `keller.program.calibrate` and `keller.Batch` read scenarios.
OF_FILES = {
    *("[calibrate]", "[calibrate.materials.NAME]", "[calibrate.background]", "A range of [calibrate]", "[variants]"),
}
#: Whose keys are keywords of `World.coverage`.
OF_COVERAGE = ("[coverage]", "[paths]", "[beams]", "[streets]", "[tiles]")
#: Where the keys of a section are keywords. `grid`, `array` and `layers` are dicts of their keys.
HOMES: dict[str, Callable[..., Any]] = {
    "[materials.NAME]": keller.Material,
    "[[building]]": lambda **keys: split(keys, "[[building]]"),
    "[[opening]]": lambda **keys: split(keys, "[[opening]]"),
    "[[tx]]": keller.Tx,
    "[[rx]]": keller.Rx,
    "[paths]": lambda **keys: split(keys, "[paths]", "[channel]"),
    "[channel]": lambda **keys: split(keys, "[paths]", "[channel]"),
    "[coverage]": lambda **keys: split(keys, *OF_COVERAGE),
    "[beams]": lambda **keys: split(keys, *OF_COVERAGE),
    "[streets]": lambda **keys: split(keys, *OF_COVERAGE),
    "[tiles]": lambda **keys: split(keys, *OF_COVERAGE),
    "[[clutter]]": lambda **keys: split(keys, "[[clutter]]"),
    "[diffuse]": lambda **keys: split(keys, "[diffuse]"),
    "[background]": lambda **keys: split(keys, "[background]"),
}
DICTS = {
    *("An entry of layers", "An entry of alternatives", "An entry of refine", "A place of replaces of [[building]]"),
    *("grid of [[rx]]", "array of [[tx]] and [[rx]]"),
}
RENAMED = {"files": "file", "frequency_hz": "frequency", "material": "moving", "velocity": "moving"}


@pytest.mark.parametrize(("section", "key"), [(title.replace("`", ""), key) for title, key, *_ in KEYS])
def test_every_key_of_a_scenario_has_a_keyword(section: str, key: str) -> None:
    if section in DICTS or section in OF_FILES or (section == "Outside any section" and key in SECTIONS):
        return
    if section in HOMES:
        value = [[0.0, 0.0]] if key == "position" else "x"
        try:
            HOMES[section](**{key: value})
        except keller.ScenarioError as error:
            assert "there is no such keyword" not in str(error)
        return
    assert section in ("Outside any section", "[scene]", "[[moving]]")
    known = {*inspect.signature(keller.World).parameters, *inspect.signature(keller.load_scene).parameters}
    assert key in known or RENAMED.get(key) in known


def test_alternatives_are_dicts_of_limits(world: keller.World) -> None:
    tx, rx = keller.Tx([1, 1, 2]), [[4.0, 3.0, 1.5]]
    two: keller.options.AlternativeOptions = {"max_reflections": 2, "max_interactions": 2, "max_diffractions": 0}
    bent: keller.options.AlternativeOptions = {"max_reflections": 1, "max_interactions": 2, "max_diffractions": 1}

    def found(**limits: Any) -> set[tuple[str, float]]:
        paths = world.paths(tx, rx, search="exhaustive", **limits)
        return set(zip(paths["types"], paths["length_m"].tolist(), strict=True))

    union = found(**two) | found(**bent)
    assert found(alternatives=[two, bent]) == found(alternatives=(bent, two, two)) == union
    with pytest.raises(keller.ScenarioError, match=r"alternatives 1 max_reflection: unknown key"):
        world.paths(tx, rx, alternatives=[two, {"max_reflection": 1}])  # type: ignore[typeddict-unknown-key]
    with pytest.raises(keller.ScenarioError, match=r"alternatives: found 2 tables; accepted with engine"):
        world.coverage(tx, resolution=1.0, heights=[1.5], engine="tubes", alternatives=[two, bent])


def test_clutter_weakens_what_crosses_it(room: keller.Scene) -> None:
    across = [[2.0, 0.1], [2.5, 0.1], [2.5, 3.9], [2.0, 3.9]]
    plants: keller.options.ClutterOptions = {"polygon": across, "height": 2.7, "attenuation_db_per_m": 6.0}
    world = keller.World(room, 3.5e9, default_material="concrete")
    tx, rx = keller.Tx([1, 2, 1.5]), [[4.0, 2.0, 1.5]]
    without = world.paths(tx, rx, max_reflections=0)
    behind = world.with_(clutter=[plants]).paths(tx, rx, max_reflections=0)
    assert without["gain_db"][0] - behind["gain_db"][0] == pytest.approx(0.5 * 6.0, abs=1e-6)
    with pytest.raises(keller.ScenarioError, match=r"hight: there is no such keyword.*height"):
        world.with_(clutter=[{"hight": 3}])  # type: ignore[typeddict-unknown-key]


def test_power_beside_paths_adds_to_theirs(room: keller.Scene) -> None:
    world = keller.World(room, 3.5e9, default_material="concrete")
    tx, rx = keller.Tx([1, 2, 1.5]), [[4.0, 2.0, 1.5]]
    alone = world.paths(tx, rx, max_reflections=0)
    more = world.with_(background={"level_db": -50.0, "exponent": 3.0})
    gain = 10 ** (more.paths(tx, rx, max_reflections=0).links_to_pandas()["gain_incoherent_db"][0] / 10)
    wanted = 10 ** (alone["gain_db"][0] / 10) + 10**-5.0 / 3.0**3
    assert gain == pytest.approx(wanted, rel=1e-9)
    found = world.with_(diffuse={}).paths(tx, rx, max_reflections=0)
    assert found["gain_db"][0] == alone["gain_db"][0]
    assert np.isfinite(found.channels().diffuse_gain_db).all()
    assert more.with_(background=None).paths(tx, rx, max_reflections=0).scenario == alone.scenario
    with pytest.raises(keller.ScenarioError, match=r"tile_ray: there is no such keyword.*tile_rays"):
        world.with_(diffuse={"tile_ray": 3})  # type: ignore[arg-type]
    with pytest.raises(keller.ScenarioError, match="background: found 3; accepted: a dict"):
        world.with_(background=3)  # type: ignore[arg-type]


def test_what_moves_shifts_frequencies(room: keller.Scene) -> None:
    """A mirror that recedes shifts what it reflects by twice its speed, over the speed of light."""
    world = keller.World(room, 3.5e9, default_material="metal", moving={"floor": [0.0, 0.0, -2.0]})
    height, rx = 1.5, [[1.0, 1.0, 1.6]]
    channels = world.paths(keller.Tx([1, 1, height]), rx, max_reflections=1).channels()
    below = channels.theta_t[0, 0] > 3.14
    shifts = channels.doppler[0, 0][below & channels.valid[0, 0]]
    assert shifts == pytest.approx(-2 * 2.0 * 3.5e9 / C, rel=1e-6)
    assert np.allclose(channels.doppler[0, 0][~below], 0, atol=1e-6)
    with pytest.raises(keller.ScenarioError, match="marble"):
        world.with_(moving={"marble": [1, 0, 0]}).paths(keller.Tx([1, 1, 1]), rx).channels()
