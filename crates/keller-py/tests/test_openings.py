"""Windows and doors, by keywords as in a file."""

from __future__ import annotations

from pathlib import Path

import keller
import pytest

WINDOWS: keller.options.OpeningOptions = {
    "walls": "brick",
    "material": "glass",
    "width": 1.2,
    "height": 1.4,
    "sill": 0.9,
    "spacing": 3,
    "storey": 3.2,
}


@pytest.fixture
def wall(tmp_path: Path) -> Path:
    """10 m x 6.4 m."""
    file = tmp_path / "wall.obj"
    file.write_text("usemtl brick\nv 0 0 0\nv 10 0 0\nv 10 0 6.4\nv 0 0 6.4\nf 1 2 3 4\n")
    return file


def test_windows_are_cut_into_walls(wall: Path, tmp_path: Path) -> None:
    scene = keller.load_scene(wall, openings=[WINDOWS], up="z", unit="m")
    (facts,) = scene.describe()["openings"]
    assert (facts["material"], facts["openings"], facts["walls"]) == ("glass", 6, 1)
    assert facts["share_percent"] == pytest.approx(100 * 6 * 1.2 * 1.4 / 64)
    assert scene.materials == ["brick", "glass"]
    # The text of the scenario makes the same scene.
    world = keller.World(scene, 3.5e9, default_thickness=0.02)
    paths = world.paths(keller.Tx([5, -5, 1.6]), [[5.0, 4.0, 1.6]], max_transmissions=2)
    file = tmp_path / "again.toml"
    file.write_text(paths.scenario)
    again = keller.run(file)
    assert isinstance(again, keller.Paths)
    assert again["gain_db"].tolist() == paths["gain_db"].tolist()


def test_bad_openings_are_refused(wall: Path) -> None:
    with pytest.raises(keller.ScenarioError, match=r"\[\[opening\]\] 0 spacing: found 1, and openings are 1.2 m wide"):
        keller.load_scene(wall, openings=[{**WINDOWS, "spacing": 1}])
    with pytest.raises(keller.ScenarioError, match=r"openings\[0\]: found 3; accepted: a dict"):
        keller.load_scene(wall, openings=[3])  # type: ignore[list-item]
