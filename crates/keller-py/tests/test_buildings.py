"""Buildings with an inside, by keywords as in a file."""

from __future__ import annotations

from pathlib import Path

import keller
import pytest


def _box(x: float, y: float, plates: list[float]) -> str:
    """A house of 10 m x 8 m x 6 m, with plates at some heights."""
    ring = [(x, y), (x + 10, y), (x + 10, y + 8), (x, y + 8)]
    text = "usemtl brick\n"
    for (ax, ay), (bx, by) in zip(ring, ring[1:] + ring[:1], strict=True):
        text += f"v {ax} {ay} 0\nv {bx} {by} 0\nv {bx} {by} 6\nv {ax} {ay} 6\nf -4 -3 -2 -1\n"
    for z in plates:
        text += "".join(f"v {x} {y} {z}\n" for x, y in ring) + "f -4 -3 -2 -1\n"
    return text


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    ground = "usemtl concrete\nv -60 -60 0\nv 60 -60 0\nv 60 60 0\nv -60 60 0\nf 1 2 3 4\n"
    city, office = tmp_path / "city.obj", tmp_path / "office.obj"
    city.write_text(ground + _box(0, 0, [6]) + _box(20, 0, [6]))
    office.write_text(_box(0, 0, [0, 3, 6]))
    return city, office


def test_a_model_takes_the_place_of_a_building(files: tuple[Path, Path], tmp_path: Path) -> None:
    city, office = files
    building: keller.options.BuildingOptions = {"file": office, "position": [20, 0, 0], "up": "z", "unit": "m"}
    scene = keller.load_scene(city, buildings=[building], up="z", unit="m")
    (facts,) = scene.describe()["buildings"]
    assert facts["name"] == "office"
    assert facts["floors"] == [0, 3]
    assert facts["misfits"] == []
    assert len(facts["replaced"]) == 1
    assert len(scene.triangles) == 2 + 10 + 14
    # The text of the scenario makes the same scene.
    world = keller.World(scene, 3.5e9, default_thickness=0.3)
    paths = world.paths(keller.Tx([15, -9, 3]), [[25.0, 4.0, 1.5]], max_transmissions=2)
    file = tmp_path / "again.toml"
    file.write_text(paths.scenario)
    again = keller.run(file)
    assert isinstance(again, keller.Paths)
    assert again["gain_db"].tolist() == paths["gain_db"].tolist()


def test_bad_buildings_are_refused(files: tuple[Path, Path]) -> None:
    city, office = files
    with pytest.raises(keller.ScenarioError, match=r"rotation: there is no such keyword.*rotation_deg"):
        keller.load_scene(city, buildings=[{"file": office, "rotation": 3}])  # type: ignore[typeddict-unknown-key]
    with pytest.raises(keller.ScenarioError, match=r"\[\[building\]\] 0 position: missing"):
        keller.load_scene(city, buildings=[{"file": office}], up="z", unit="m")
    with pytest.raises(keller.ScenarioError, match=r"buildings\[0\]: found 3; accepted: a dict"):
        keller.load_scene(city, buildings=[3])  # type: ignore[list-item]
