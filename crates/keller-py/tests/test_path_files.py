"""Files of paths: what is read back is what was found."""

from __future__ import annotations

from pathlib import Path

import keller
import numpy as np
import pytest

_SQUARE = "usemtl concrete\nv -9 -9 0\nv 9 -9 0\nv 9 9 0\nv -9 9 0\nf 1 2 3 4\n"


def _world(folder: Path, frequency: float = 3.5e9) -> keller.World:
    scene = folder / "square.obj"
    scene.write_text(_SQUARE)
    return keller.World(keller.load_scene(scene, up="z"), frequency=frequency)


def test_paths_that_are_read_back_have_the_same_fields(tmp_path: Path) -> None:
    tx, rx = keller.Tx([-4, 0.3, 3]), np.array([[4, 0, 3], [1, 2, 5.5]])
    name = tmp_path / "square.paths"
    found = _world(tmp_path).paths(tx, rx)
    found.save(name)
    read = _world(tmp_path).paths(tx, rx, file=name)
    assert len(read) == len(found) > 0
    for column in found.columns:
        # Columns of lists are a tuple of arrays, and names a list.
        ours, theirs = (values if isinstance(values, tuple) else (values,) for values in (read[column], found[column]))
        for one, other in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(one, other, err_msg=column)
    higher = _world(tmp_path, 7e9)
    assert np.array_equal(higher.paths(tx, rx, file=name)["gain_db"], higher.paths(tx, rx)["gain_db"])


def test_paths_of_other_devices_are_refused(tmp_path: Path) -> None:
    tx, name = keller.Tx([-4, 0.3, 3]), tmp_path / "square.paths"
    _world(tmp_path).paths(tx, [[4, 0, 3]]).save(name)
    with pytest.raises(keller.ScenarioError, match="other Tx and Rx"):
        _world(tmp_path).paths(tx, [[4, 0, 3.5]], file=name)
    with pytest.raises(keller.ScenarioError, match=r"none\.paths"):
        _world(tmp_path).paths(tx, [[4, 0, 3]], file=tmp_path / "none.paths")
