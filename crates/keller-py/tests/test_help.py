"""What ``help`` says: a map of the package, every keyword, and examples that run."""

from __future__ import annotations

import inspect
import re
import shutil
import textwrap
from pathlib import Path
from typing import Any

import keller
import numpy as np
import pytest
from conftest import ROOT
from keller._keller import KEYS

KEYS_OF: dict[str, list[str]] = {}
for title, key, *_ in KEYS:
    KEYS_OF.setdefault(title.replace("`", ""), []).append(key)
ARRAY, GRID, LAYER = "array of [[tx]] and [[rx]]", "grid of [[rx]]", "An entry of layers"
ALTERNATIVE, REFINE = "An entry of alternatives", "An entry of refine"

#: Where the keys of sections are listed.
LISTS: list[tuple[Any, list[str]]] = [
    (keller.Tx, ["[[tx]]", ARRAY]),
    (keller.Rx, ["[[rx]]", GRID, ARRAY]),
    (keller.Antenna, [ARRAY]),
    (keller.Material, ["[materials.NAME]", LAYER]),
    (keller.World, ["[diffuse]", "[background]"]),
    (keller.World.paths, ["[paths]", ALTERNATIVE, "[channel]"]),
    (keller.World.coverage, ["[coverage]", "[paths]", ALTERNATIVE, "[beams]", "[tiles]", REFINE]),
    (keller.World.beams, ["[coverage]", "[beams]"]),
    (keller.dataset.save, ["[paths]", ALTERNATIVE, "[channel]"]),
]
EXAMPLES: list[Any] = [
    keller,
    keller.Antenna,
    keller.Material,
    keller.Paths,
    keller.Rx,
    keller.World,
    keller.dataset,
    keller.scene_from_triangles,
]


def test_the_package_has_a_map() -> None:
    text = keller.__doc__ or ""
    assert [name for name in keller.__all__ if name not in text and name != "__version__"] == []


@pytest.mark.parametrize(("of", "sections"), LISTS, ids=lambda value: getattr(value, "__name__", ""))
def test_every_keyword_is_listed(of: Any, sections: list[str]) -> None:
    listed = re.findall(r"^(\w+): ", of.__doc__, re.MULTILINE)
    assert set(listed) >= {key for section in sections for key in KEYS_OF[section]}
    assert max(map(len, of.__doc__.splitlines())) <= 120


def test_an_antenna_lists_what_it_accepts() -> None:
    text = keller.Antenna.__doc__ or ""
    listed = re.findall(r"^(\w+): ", text[: text.index("Keys of ``array``")], re.MULTILINE)
    assert {"polarization", "array", "array_tracing", "gain_dbi", "downtilt_deg"} <= set(listed)
    anything: Any = keller.Antenna
    for name in {*KEYS_OF["[[tx]]"], *KEYS_OF["[[rx]]"]} - {"antenna"}:
        try:
            anything(**{name: 1})
        except keller.ScenarioError:
            assert name not in listed
        else:
            assert name in listed


@pytest.mark.parametrize("of", EXAMPLES, ids=lambda value: value.__name__)
def test_examples_run(of: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("zarr")
    pytest.importorskip("matplotlib").use("Agg")
    shutil.copytree(ROOT / "examples/room", tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"::\n\n((?: {4}.*\n|\n)+)", f"{inspect.getdoc(of)}\n")
    assert blocks
    scene = keller.load_scene("room.obj")
    world = keller.World(scene, 3.5e9, default_material="concrete")
    paths = world.paths(keller.Tx([1, 1, 2]), [[4, 3, 1.5]], max_reflections=2)
    names = {"keller": keller, "np": np, "scene": scene, "world": world, "paths": paths, "frequencies": [3.5e9]}
    for block in blocks:
        exec(textwrap.dedent(block), dict(names))
