"""Type checkers know every key of a scenario: they refuse misspelt keywords and other types."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import get_type_hints, is_typeddict

from keller import options
from keller._keller import KEYS

RIGHT = """
import keller
import numpy as np


def right(world: keller.World, tx: keller.Tx) -> None:
    rx = [[4.0, 3.0, 1.5]]
    world.paths(tx, rx, search="tiles", max_reflections=2, window="hann", power_threshold_db=None)
    world.paths(tx, rx, alternatives=[{"max_reflections": 2}, {"max_diffractions": 1, "free_edges": True}])
    world.coverage(tx, engine="tubes", resolution=[1, 2], heights=1.5, min=np.zeros(2), max=(3.0, 4.0), side=2)
    world.beams(antenna="dipole", resolution=2, heights=[1.5], corners=3, wall_loss_db=[10, 8])
    world.with_(diffuse={"side": 2.0}, background={"level_db": -60, "exponent": 3})
    world.with_(clutter=[{"polygon": [[0, 0], [1, 0], [1, 1]], "height": 3, "attenuation_db_per_m": 1}])
    panel: keller.options.ArrayOptions = {"rows": 4, "columns": 4, "spacing_wavelengths": [0.5, 0.5]}
    keller.Tx([0, 0, 9], antenna=keller.Antenna("tr38901", array=panel), power_dbm=43, azimuth_deg=120)
    keller.Rx(grid={"min": [1, 1], "max": [4, 3], "spacing": 0.5, "height": 1.5}, polarization=45.0)
    keller.Material.itu("brick", 0.2, scattering=0.3)
    keller.Material(layers=[{"itu": "glass", "thickness": 0.004}])


def wrong(world: keller.World, tx: keller.Tx) -> None:
    rx = [[4.0, 3.0, 1.5]]
"""

#: Each is an error.
WRONG = (
    "world.paths(tx, rx, max_reflection=2)",
    'world.paths(tx, rx, max_reflections="two")',
    'world.paths(tx, rx, search="tile")',
    'world.paths(tx, rx, alternatives=[{"max_reflection": 2}])',
    "world.coverage(tx, resolution=1, hights=[1.5])",
    'world.coverage(tx, resolution=1, heights="low")',
    "world.beams(resolution=1, heights=[1.5], corner=3)",
    'world.with_(diffuse={"sides": 2.0})',
    'world.with_(background={"level_db": "low"})',
    'world.with_(clutter=[{"hight": 3}])',
    "world.with_(frequncy=1e9)",
    "keller.Tx([0, 0, 9], power_db=43)",
    'keller.Rx([0, 0, 9], strict="yes")',
    'keller.Antenna("tr38901", gain="high")',
    'keller.Material.itu("brick", thicknes=0.2)',
    "keller.Material(pec=1.5)",
    'keller.World(world.scene, 1e9, background={"level": -60})',
    'keller.load_scene("a.obj", buildings=[{"fil": "b.obj"}])',
)


def test_a_type_checker_accepts_what_is_right_and_refuses_what_is_wrong(tmp_path: Path) -> None:
    text = RIGHT + "".join(f"    {line}\n" for line in WRONG)
    (tmp_path / "calls.py").write_text(text)
    mypy = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "calls.py"]
    told = subprocess.run(mypy, cwd=tmp_path, capture_output=True, text=True, check=False).stdout
    errors = {int(line.split(":")[1]) for line in told.splitlines() if ": error: " in line}
    first = len(RIGHT.splitlines()) + 1
    assert errors == set(range(first, first + len(WRONG))), told


def test_every_key_of_a_scenario_has_a_type() -> None:
    types = [one for one in vars(options).values() if is_typeddict(one)]
    keys = {frozenset(get_type_hints(one)) for one in types}
    sections: dict[str, set[str]] = {}
    for title, key, *_ in KEYS:
        sections.setdefault(title, set()).add(key)
    assert len(sections) > 20
    assert [title for title, names in sections.items() if frozenset(names) not in keys] == []
