"""The tables that notebooks show of scenes, worlds, paths and coverages."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import keller
import numpy as np
import pytest
from conftest import FLOOR, TX


class Parser(HTMLParser):
    """Reads tables and checks that every tag is closed where it should be."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.rows: list[list[str]] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ("div", "strong", "table", "tbody", "tr", "th", "td")
        assert [name for name, _ in attrs] in ([], ["style"]), attrs
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("th", "td"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)
        if self.open and self.open[-1] in ("th", "td"):
            self.rows[-1][-1] += data


def facts(value: Any) -> dict[str, list[str]]:
    text = value._repr_html_()
    assert "http" not in text and "url(" not in text
    return {row[0]: row[1:] for row in Parser(text).rows}


def test_scenes_in_notebooks(room: keller.Scene, house: keller.Scene) -> None:
    found = facts(room)
    assert found["triangles"] == ["12"] and found["faces"] == ["6"] and found["size"] == ["5.0 × 4.0 × 2.8 m"]
    # A floor of 5 m by 4 m, and four walls 2.75 m high around it.
    assert found["floor"] == ["2", "20.0"] and found["wall"] == ["8", f"{2 * (5 + 4) * 2.75:.1f}"]
    assert facts(house)["brick"] == ["6", f"{100 + 16 + 20:.1f}"]


def test_worlds_in_notebooks(room: keller.Scene) -> None:
    wall = keller.Material.itu("brick", thickness=0.3)
    default: dict[str, Any] = {"default_material": "concrete", "default_thickness": 0.2}
    found = facts(keller.World(room, 868e6, materials={"wall": wall}, **default))
    assert found["frequency"] == ["868 MHz"] and found["default material"] == ["concrete, 0.2 m"]
    assert found["wall"] == ["itu = brick, thickness = 0.3"]
    assert found["materials of the scene"] == ["floor, ceiling_board, wall"]


def test_paths_in_notebooks(links: keller.Paths) -> None:
    found = Parser(links._repr_html_()).rows
    rows = {(row[0], row[1]): row[2:] for row in found if len(row) == 6}
    powers = 10 ** (links["gain_db"] / 10)
    first = (links["tx"] == 0) & (links["rx"] == 0)
    number, gain, spread, sees = rows["access point", "desk"]
    assert int(number) == first.sum() and sees == "yes"
    assert float(gain) == pytest.approx(10 * np.log10(powers[first].sum()), abs=0.051)
    weights = powers[first] / powers[first].sum()
    mean = (weights * links["delay_s"][first]).sum()
    variance = (weights * (links["delay_s"][first] - mean) ** 2).sum()
    assert float(spread) == pytest.approx(np.sqrt(variance) * 1e9, abs=0.0051)


def test_many_links_are_cut_off(world: keller.World) -> None:
    points = np.array([[2 + 0.1 * i, 2, 1] for i in range(12)] + [[40, 2, 1]])
    with pytest.warns(keller.KellerWarning):
        paths = world.paths(TX, points, max_reflections=0)
    found = Parser(paths._repr_html_())
    assert len([row for row in found.rows if len(row) == 6]) == 11
    assert "... and 3 more" in found.texts
    with pytest.warns(keller.KellerWarning):
        paths = world.paths(TX, [[40, 2, 1]], max_reflections=0)
    assert Parser(paths._repr_html_()).rows[-1] == ["access point", "0", "0", "no path", "", "no"]


def test_coverages_in_notebooks(coverage: keller.Coverage) -> None:
    found = facts(coverage)
    assert found["cells"] == ["10 × 8, 2 levels"] and found["z"] == ["1, 1.5 m"]
    assert found["strongest gain"] == [f"{coverage.path_gain_db.max():.1f} dB"]
    assert found["x"] == ["0.25 to 4.75 m"] and found["Tx"] == ["2: access point, 1"]


def test_names_are_escaped() -> None:
    name = "<img src=x onerror=alert(1)> & \"Söhne'"
    scene = keller.scene_from_triangles(FLOOR, [[0, 1, 2], [0, 2, 3]], name)
    world = keller.World(scene, 1e9, materials={name: keller.Material(itu="concrete")})
    tx = keller.Tx([1, 1, 2], name=name)
    paths = world.paths(tx, keller.Rx([3, 3, 2], name=name), max_reflections=0)
    coverage = world.coverage(tx, resolution=5, heights=[1.5], max_reflections=0)
    for value in (scene, world, paths, coverage):
        text = value._repr_html_()
        assert "<img" not in text and "&lt;img" in text
        assert name in " ".join(Parser(text).texts)
