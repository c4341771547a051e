"""Pages: what they hold is what was asked for, and nothing of them reaches the notebook that shows them."""

from __future__ import annotations

import base64
import gzip
import json
import re
from pathlib import Path
from typing import Any

import keller
import numpy as np
import pytest

NAME = "</script><img src=x onerror=alert(1)>"
TX = keller.Tx([1, 1, 2], name=NAME)
RX = [[4.0, 3.0, 1.5], [2.0, 2.0, 1.0]]


def read(page: keller.Page) -> tuple[dict[str, Any], list[bytes]]:
    """The manifest and the parts of a page."""
    text = page.html.decode()
    found = re.search(r'<script type="application/json" id="view">(.*?)</script>', text)
    assert found is not None
    parts = re.findall(r'<script type="text/plain" id="part-\d+">(.*?)</script>', text)
    return json.loads(found[1]), [gzip.decompress(base64.b64decode(part)) for part in parts]


def test_a_preview_holds_the_triangles_of_its_scene(world: keller.World) -> None:
    view, parts = read(world.scene.preview())
    positions = np.frombuffer(parts[view["scene"]["positions"]["part"]], "<f4").reshape(-1, 3)
    triangles = np.frombuffer(parts[view["scene"]["triangles"]["part"]], "<u4").reshape(-1, 3)
    ours = (positions + np.array(view["origin"]))[triangles]
    assert np.allclose(ours, world.scene.vertices[world.scene.triangles], atol=1e-5)
    assert [material["name"] for material in view["scene"]["materials"]] == list(world.scene.materials)
    assert len(parts) == len(view["parts"])


def test_views_hold_paths_and_coverages(world: keller.World) -> None:
    paths = world.paths(TX, RX, max_reflections=1)
    view, parts = read(paths.view())
    (snapshot,) = view["snapshots"]
    assert snapshot["tx"][0]["name"] == NAME
    gains = np.frombuffer(parts[snapshot["paths"]["gain_db"]["part"]], "<f4")
    assert np.array_equal(gains, np.asarray(paths["gain_db"], dtype="f4"))
    coverage = world.coverage(TX, resolution=0.5, heights=[1.0, 2.0], max_reflections=1)
    view, parts = read(coverage.view())
    (shown,) = view["maps"]
    layer = shown["layers"][0]
    assert layer["key"] == "path_gain_db" and shown["heights"] == [1.0, 2.0]
    for height, array in enumerate(layer["slices"]):
        codes = np.frombuffer(parts[array["part"]], "<u2").reshape(array["shape"])
        ours = array["offset"] + array["scale"] * (codes.astype(float) - 2)
        theirs = coverage.path_gain_db[0, height]
        assert np.array_equal(codes == 0, np.isnan(theirs))
        finite = np.isfinite(theirs)
        assert np.allclose(ours[finite], theirs[finite], atol=array["scale"])
    surfaces = world.coverage(TX, engine="surfaces", side=1.0, max_reflections=1)
    view, _ = read(surfaces.view())
    assert view["surfaces"][0]["count"] == len(surfaces["area"])


def test_a_notebook_shows_a_page_in_a_frame_of_its_own(world: keller.World, tmp_path: Path) -> None:
    page = world.paths(TX, RX, max_reflections=0).view()
    html = page._repr_html_()
    assert html.startswith("<iframe ") and html.endswith("</iframe>")
    assert 'sandbox="allow-scripts allow-downloads"' in html
    # All of the page is the value of one attribute.
    assert html.count("<") == 2
    page.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_bytes() == page.html


def test_a_page_opens_in_the_browser(world: keller.World, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    page = world.scene.preview()
    file = page.open()
    assert file.read_bytes() == page.html and opened == [file.as_uri()]
    file.unlink()
