"""Pictures of paths and power-delay profiles: routes, gains and delays are read back from them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import keller
import numpy as np
import pytest
from conftest import TX, C
from keller import _pictures
from keller._pictures.paths import _route
from pictures import LineCollection, bar_labels, only, plt

pytestmark = pytest.mark.usefixtures("pictures")


def test_paths_over_ground_are_the_lines_of_their_closed_form(ground: keller.Scene) -> None:
    tx, rx = np.array([0, 0, 10.0]), np.array([80.0, 30.0, 2.0])
    paths = keller.World(ground, 1e9).paths(keller.Tx(tx), [rx], max_reflections=1)
    axes = paths.plot()
    # The wave meets the ground where the line to the image of the Rx does: 10 of 12 parts of the way.
    bounce = rx[:2] * 10 / 12
    lines = only(axes, LineCollection)
    found = {len(line): line for line in lines.get_segments()}
    assert found[2] == pytest.approx(np.array([tx[:2], rx[:2]]))
    assert found[3] == pytest.approx(np.array([tx[:2], bounce, rx[:2]]))
    gains = dict(zip(paths["types"], paths["gain_db"], strict=True))
    assert [gains["LOS" if len(line) == 2 else "R"] for line in lines.get_segments()] == lines.get_array().tolist()
    assert axes.get_title("left") == "Tx 0 → Rx 0, 2 paths"
    # The picture shows the link, not the 18 km of ground around it.
    assert np.diff(axes.get_xlim())[0] < 200


def test_drawn_paths_are_as_long_as_their_delays_say(links: keller.Paths) -> None:
    routes = [_route(links._columns, links._devices, row) for row in range(len(links))]
    lengths = [np.linalg.norm(np.diff(route, axis=0), axis=1).sum() for route in routes]
    assert lengths == pytest.approx(links["delay_s"] * C, rel=1e-9)
    drawn = [one for one in links.plot(kind="3d", max_paths=1000).collections if one.get_array() is not None]
    assert [sorted(one.get_array()) for one in drawn] == [sorted(links["gain_db"])]


def test_the_strongest_paths_of_a_link_are_drawn(links: keller.Paths) -> None:
    of_link = (links["tx"] == 1) & (links["rx"] == 0)
    expected = np.sort(links["gain_db"][of_link])
    for tx, rx in ((1, "desk"), ("1", 0)):
        axes = links.plot(tx, rx, max_paths=4)
        # The strongest is drawn last, over the others.
        assert only(axes, LineCollection).get_array().tolist() == expected[-4:].tolist()
        assert axes.get_title("left") == f"Tx 1 → desk, 4 of {of_link.sum()} paths"
        assert bar_labels(axes) == ["path gain, dB"]


def test_the_strongest_paths_are_the_brightest(links: keller.Paths) -> None:
    lines = only(links.plot(), LineCollection)
    lines.update_scalarmappable()
    brightness = lines.get_edgecolors()[:, :3] @ [0.2126, 0.7152, 0.0722]
    # They are drawn from the weakest to the strongest.
    assert (np.diff(brightness) >= -0.005).all() and brightness[-1] > brightness[0] + 0.5


def test_markers_stand_at_the_devices(links: keller.Paths) -> None:
    axes = links.plot(rx="phones")
    marks = {line.get_label(): line for line in axes.lines}
    assert marks["Tx"].get_xydata().tolist() == [[1, 1], [4, 3]] and marks["Tx"].get_marker() == "^"
    assert marks["Rx"].get_xydata().tolist() == [[2, 2], [4.5, 1]] and marks["Rx"].get_marker() == "o"
    assert sorted(text.get_text() for text in axes.texts) == ["Tx 1", "access point", "phones", "phones"]
    every = np.isin(links["rx"], [1, 2])
    assert len(only(axes, LineCollection).get_array()) == min(50, every.sum())


def test_links_without_paths_and_paths_of_files_are_drawn(world: keller.World, tmp_path: Path) -> None:
    with pytest.warns(keller.KellerWarning):
        paths = world.paths(TX, [keller.Rx([4, 3, 1.5]), keller.Rx([40, 3, 1.5])], max_reflections=1)
    for kind in ("plan", "3d"):
        axes = paths.plot(rx=1, kind=kind)
        assert axes.get_title("left") == "access point → Rx 1, 0 paths"
    (tmp_path / "s.toml").write_text(paths.scenario)
    with pytest.warns(keller.KellerWarning):
        of_file = keller.run(tmp_path / "s.toml")
    assert isinstance(of_file, keller.Paths)
    for kind in ("plan", "3d"):
        assert len(of_file.plot(kind=kind).collections) == len(paths.plot(kind=kind).collections) > 1, (
            "with their scene"
        )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tx": 2}, "tx: found 2; accepted: 0 to 1, 'access point'"),
        ({"tx": -1}, "tx: found -1"),
        ({"tx": True}, "tx: found True"),
        ({"rx": "chair"}, "rx: found 'chair'; accepted: 0 to 2, 'desk', 'phones'"),
        ({"rx": 0.5}, "rx: found 0.5"),
        ({"max_paths": 0}, "max_paths: found 0; accepted: a whole number from 1 on"),
        ({"max_paths": 2.0}, "max_paths: found 2.0"),
        ({"kind": "top"}, "kind: found 'top'"),
    ],
)
def test_what_paths_do_not_accept(links: keller.Paths, options: dict[str, Any], message: str) -> None:
    with pytest.raises(keller.ScenarioError, match=message):
        links.plot(**options)
    assert not plt.get_fignums()


# Power-delay profiles


def stems(axes: Any) -> dict[str, Any]:
    """Tips of stems by class, sorted by delay; each is the end of a line from the foot of the axes."""
    found = {}
    for container in axes.containers:
        tips = container.markerline.get_xydata()
        lines = np.array(container.stemlines.get_segments())
        assert np.array_equal(lines[:, 1], tips)
        assert (lines[:, 0, 1] == axes.get_ylim()[0]).all() and np.array_equal(lines[:, 0, 0], tips[:, 0])
        found[container.get_label()] = tips[np.argsort(tips[:, 0], kind="stable")]
    return found


def test_stems_over_metal_are_those_of_their_closed_form(ground: keller.Scene) -> None:
    tx, rx = np.array([0, 0, 10.0]), np.array([80.0, 30.0, 2.0])
    axes = keller.World(ground, 1e9).paths(keller.Tx(tx), [rx], max_reflections=1).plot_pdp()
    found = stems(axes)
    lengths = [np.linalg.norm(tx - rx), np.linalg.norm(tx * [1, 1, -1] - rx)]
    assert found["line of sight"][:, 0] == pytest.approx([lengths[0] / C * 1e9])
    assert found["reflection"][:, 0] == pytest.approx([lengths[1] / C * 1e9])
    friis = 20 * np.log10(C / 1e9 / (4 * np.pi * lengths[0]))
    assert found["line of sight"][0, 1] == pytest.approx(friis, abs=1e-9)
    assert axes.get_xlabel() == "delay, ns" and axes.get_ylabel() == "path gain, dB"
    assert axes.get_title("left") == "Tx 0 → Rx 0"


def test_long_delays_are_microseconds(ground: keller.Scene) -> None:
    axes = keller.World(ground, 1e9).paths(keller.Tx([-3000, 0, 50]), [[3000, 0, 50]], max_reflections=0).plot_pdp()
    assert stems(axes)["line of sight"][0, 0] == pytest.approx(6000 / C * 1e6)
    assert axes.get_xlabel() == "delay, µs"


def test_stems_are_the_paths_of_one_link(links: keller.Paths) -> None:
    rows = (links["tx"] == 0) & (links["rx"] == 2)
    found = stems(links.plot_pdp("access point", 2))
    tips = np.concatenate(list(found.values()))
    expected = np.stack([links["delay_s"][rows] * 1e9, links["gain_db"][rows]], axis=1)
    assert sorted(map(tuple, tips)) == sorted(map(tuple, expected))
    types = [kind for kind, is_of_link in zip(links["types"], rows, strict=True) if is_of_link]
    assert len(found["line of sight"]) == types.count("LOS") == 1


@pytest.mark.parametrize(
    ("types", "expected"),
    [
        ("LOS", "line of sight"),
        ("R", "reflection"),
        ("RRR", "reflection"),
        ("TT", "transmission"),
        ("D", "diffraction"),
        ("S", "scattering"),
        ("RD", "mixed"),
        ("TRT", "mixed"),
    ],
)
def test_classes_of_paths(types: str, expected: str) -> None:
    assert _pictures.class_of(types) == expected


def test_what_profiles_do_not_accept(links: keller.Paths, world: keller.World) -> None:
    with pytest.raises(keller.ScenarioError, match="rx: found 'phones', which stands for 2 Rx; accepted: 0 to 2"):
        links.plot_pdp(0, "phones")
    with pytest.raises(keller.ScenarioError, match="tx: found 7"):
        links.plot_pdp(7)
    with pytest.raises(keller.ScenarioError, match="tx: found None"):
        links.plot_pdp(None)  # type: ignore[arg-type]
    with pytest.warns(keller.KellerWarning):
        paths = world.paths(TX, [[40, 3, 1.5]], max_reflections=0)
    with pytest.raises(keller.ScenarioError, match="found no path of the link access point → Rx 0"):
        paths.plot_pdp()
    assert not plt.get_fignums()


def test_names_are_texts_and_no_formulas(world: keller.World) -> None:
    paths = world.paths(keller.Tx([1, 1, 2], name="a $x_1$ and $\\frac$"), [[4.0, 3.0, 1.5]], max_reflections=0)
    for axes in (paths.plot(), paths.plot_pdp(), paths.plot(kind="3d")):
        axes.figure.canvas.draw()
        assert "a \\$x_1\\$ and \\$\\frac\\$" in axes.get_title("left")
