"""What is drawn is what was computed: vertices, gains and delays are read back from the pictures."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import keller
import numpy as np
import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

from keller import _pictures  # noqa: E402
from keller._pictures.paths import _route  # noqa: E402
from matplotlib import colormaps  # noqa: E402
from matplotlib import pyplot as plt  # noqa: E402
from matplotlib.backend_bases import MouseEvent  # noqa: E402
from matplotlib.collections import LineCollection, PolyCollection  # noqa: E402

C = 299_792_458.0
FLOOR = [[0, 0, 0], [10, 0, 0], [10, 10, 0], [0, 10, 0]]
ROOF = [[2, 2, 5], [6, 2, 5], [6, 6, 5], [2, 6, 5]]
WALL = [[2, 2, 0], [6, 2, 0], [6, 2, 5], [2, 2, 5]]
TX = keller.Tx([1, 1, 2], name="access point")


@pytest.fixture(autouse=True)
def pictures() -> Iterator[None]:
    """Closes what a test has drawn, once it has been rendered without a warning."""
    yield
    for number in plt.get_fignums():
        plt.figure(number).canvas.draw()
    plt.close("all")


@pytest.fixture(scope="module")
def house() -> keller.Scene:
    """A roof, a wall below one of its sides, and a floor below both, in this order."""
    return keller.scene_from_triangles(
        ROOF + WALL + FLOOR, [[4 * k, 4 * k + i, 4 * k + i + 1] for k in range(3) for i in (1, 2)], "brick"
    )


@pytest.fixture(scope="module")
def ground() -> keller.Scene:
    corners = [[-9000, -9000, 0], [9000, -9000, 0], [9000, 9000, 0], [-9000, 9000, 0]]
    return keller.scene_from_triangles(corners, [[0, 1, 2], [0, 2, 3]], "metal")


@pytest.fixture(scope="module")
def links(world: keller.World) -> keller.Paths:
    """Two Tx and three Rx, the last two of one name, in a room."""
    rx = [keller.Rx([4.0, 3.0, 1.5], name="desk"), keller.Rx([[2.0, 2.0, 1.0], [4.5, 1.0, 1.0]], name="phones")]
    return world.paths([TX, keller.Tx([4, 3, 2])], rx, max_reflections=2)


@pytest.fixture(scope="module")
def coverage(world: keller.World) -> keller.Coverage:
    tx = [TX, keller.Tx([4, 3, 2], power_dbm=20)]
    return world.coverage(tx, resolution=0.5, heights=[1.0, 1.5], max_reflections=1, noise_dbm=-95)


def only(axes: Any, kind: type[Any]) -> Any:
    found = [one for one in (*axes.collections, *axes.images) if isinstance(one, kind)]
    assert len(found) == 1
    return found[0]


def bar_labels(axes: Any) -> list[str]:
    """Labels of the colour bars of a plan."""
    return [child.get_ylabel() for child in axes.child_axes]


def pixel(axes: Any, x: float, y: float) -> Any:
    """The colour of a picture at a point of its axes, 0 to 1."""
    canvas = axes.figure.canvas
    canvas.draw()
    image = np.asarray(canvas.buffer_rgba())
    column, row = axes.transData.transform((x, y))
    return image[image.shape[0] - 1 - int(row), int(column)] / 255


def read_back(axes: Any, image: Any, x: float, y: float) -> Any:
    """What the picture says of the point that a mouse is at."""
    axes.figure.canvas.draw()
    column, row = axes.transData.transform((x, y))
    return image.get_cursor_data(MouseEvent("motion_notify_event", axes.figure.canvas, column, row))


# Scenes


def test_a_plan_has_the_triangles_of_the_scene(house: keller.Scene) -> None:
    axes = house.plot()
    drawn = only(axes, PolyCollection)
    expected = house.vertices[house.triangles]
    found = sorted(tuple(map(tuple, path.vertices[:3])) for path in drawn.get_paths())
    assert found == sorted(tuple(map(tuple, triangle[:, :2])) for triangle in expected)
    assert sorted(drawn.get_array()) == pytest.approx(sorted(expected[:, :, 2].mean(axis=1)))
    assert axes.get_aspect() == 1 and axes.get_xlabel() == "x, m" and bar_labels(axes) == ["height, m"]


def test_what_is_higher_covers_what_is_lower(house: keller.Scene) -> None:
    axes = house.plot()
    colours = colormaps["YlGnBu"]
    # Two centroids of triangles of the floor and of the roof: heights 0 and 5 are the ends of the colours.
    assert pixel(axes, 8, 7) == pytest.approx(colours(0.0), abs=0.01)
    assert pixel(axes, 3, 5) == pytest.approx(colours(1.0), abs=0.01)
    # The wall is a dark line on the side of the roof.
    assert pixel(axes, 4, 2)[:3].max() < 0.4


def test_ground_that_rises_beside_a_roof_does_not_cover_it() -> None:
    # On average the slope is higher than the roof that stands at its foot.
    slope = [[0, 0, 0], [100, 0, 100], [100, 100, 100], [0, 100, 0]]
    corners = np.array(slope + [[5, 40, 15], [10, 40, 15], [10, 45, 15], [5, 45, 15]], dtype=float)
    triangles = np.array([[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]], dtype=np.uint32)
    axes = _pictures.draw_scene(corners, triangles, "plan", None, None)
    low, high = only(axes, PolyCollection).get_clim()
    roof = colormaps["YlGnBu"]((15 - low) / (high - low))
    assert pixel(axes, 8.5, 41.5) == pytest.approx(roof, abs=0.01)


def test_a_ceiling_can_be_left_out(room: keller.Scene) -> None:
    heights = room.vertices[room.triangles][:, :, 2]
    drawn = only(room.plot(below=2.7), PolyCollection)
    assert len(drawn.get_paths()) == (heights.min(axis=1) < 2.7).sum() == 10
    assert room.plot(below=2.7, kind="3d").name == "3d"


def test_a_view_has_the_triangles_of_the_scene(house: keller.Scene) -> None:
    from mpl_toolkits.mplot3d import proj3d

    axes = house.plot(kind="3d")
    axes.figure.canvas.draw()
    found = np.concatenate([path.vertices[:3] for path in only(axes, PolyCollection).get_paths()])
    x, y, _ = proj3d.proj_transform(*house.vertices[house.triangles].reshape(-1, 3).T, axes.get_proj())
    assert np.allclose(np.sort(found[:, 0]), np.sort(x)) and np.allclose(np.sort(found[:, 1]), np.sort(y))
    assert np.allclose([axes.get_xlim(), axes.get_ylim(), axes.get_zlim()], house.bounds.T)


def test_scenes_are_drawn_where_one_wants(house: keller.Scene) -> None:
    figure, (left, right) = plt.subplots(1, 2)
    assert house.plot(left) is left and house.plot(ax=right) is right
    assert plt.get_fignums() == [figure.number]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "front"}, 'kind: found .front.; accepted: "plan", "3d"'),
        ({"below": -1}, "below: found -1; accepted: more than 0"),
        ({"below": float("nan")}, "below: found nan"),
        ({"below": "roof"}, "below: found 'roof'"),
        ({"ax": "axes"}, "ax: found 'axes'; accepted: axes of two"),
        ({"ax": "axes", "kind": "3d"}, "ax: .*; accepted: axes with projection"),
    ],
)
def test_what_scenes_do_not_accept(house: keller.Scene, options: dict[str, Any], message: str) -> None:
    with pytest.raises(keller.ScenarioError, match=message):
        house.plot(**options)
    assert not plt.get_fignums()


def test_axes_must_suit_the_picture(house: keller.Scene, links: keller.Paths) -> None:
    flat, space = plt.figure().add_subplot(), plt.figure().add_subplot(projection="3d")
    for draw in (house.plot, links.plot):
        with pytest.raises(keller.ScenarioError, match=r"ax: found axes with .*rectilinear.*accepted: .*3d"):
            draw(ax=flat, kind="3d")
        with pytest.raises(keller.ScenarioError, match=r"ax: found axes with .*3d.*accepted: axes of two dimensions"):
            draw(ax=space)
    with pytest.raises(keller.ScenarioError, match="ax: found"):
        links.plot_pdp(ax=space)


def test_many_triangles_are_for_plans_only() -> None:
    corners = np.random.default_rng(1).uniform(0, 100, (60_003, 3))
    triangles = np.arange(60_003, dtype=np.uint32).reshape(-1, 3)
    with pytest.raises(keller.ScenarioError, match='found "3d" for 20001 triangles; accepted: "plan"'):
        _pictures.draw_scene(corners, triangles, "3d", None, None)
    assert not plt.get_fignums()
    axes = _pictures.draw_scene(corners, triangles, "plan", None, None)
    assert len(only(axes, PolyCollection).get_paths()) == 20_001


# Paths


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
        ({"max_paths": 0}, "max_paths: found 0; accepted: 1 or more"),
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


# Coverages


def image_of(axes: Any) -> Any:
    return axes.images[-1]


@pytest.mark.parametrize(
    ("layer", "array", "label"),
    [
        ("gain", "path_gain_db", "path gain, dB"),
        ("power", "received_power_dbm", "received power, dBm"),
        ("sinr", "sinr_db", "SINR, dB"),
        ("server", "best_server", "best server"),
    ],
)
def test_a_map_says_what_the_array_says(coverage: keller.Coverage, layer: str, array: str, label: str) -> None:
    axes = coverage.plot(level=1, layer=layer)
    expected = coverage[array][0, 1] if layer == "gain" else coverage[array][1]
    image = image_of(axes)
    assert np.array_equal(image.get_array(), expected)
    for column, row in ((0, 0), (9, 2), (3, 7)):
        assert read_back(axes, image, coverage["x"][column], coverage["y"][row]) == expected[row, column]
    assert bar_labels(axes) == [label]
    assert axes.get_title("left").endswith("z = 1.5 m")
    if layer != "server":
        assert image.get_clim() == pytest.approx((np.percentile(expected, 5), expected.max()))


def test_maps_are_of_the_wanted_tx(coverage: keller.Coverage) -> None:
    for wanted in (1, "1"):
        axes = coverage.plot(wanted)
        assert np.array_equal(image_of(axes).get_array(), coverage.path_gain_db[1, 0])
        assert axes.get_title("left") == "Tx 1, z = 1 m"
        assert axes.lines[0].get_xydata().tolist() == [[4, 3]]
    axes = coverage.plot(layer="server")
    assert axes.lines[0].get_xydata().tolist() == [[1, 1], [4, 3]]
    ticks = [text.get_text() for text in axes.child_axes[0].get_yticklabels()]
    assert ticks == ["access point", "Tx 1"]
    # Each server has the colour that the bar has at its name.
    image = image_of(axes)
    assert len({tuple(image.to_rgba(np.array([[server]]))[0, 0]) for server in (0, 1)}) == 2


def test_the_power_of_one_tx_is_its_gain_and_its_power(world: keller.World) -> None:
    coverage = world.coverage(keller.Tx([1, 1, 2], power_dbm=17), resolution=1, heights=[1.5], max_reflections=0)
    shown = image_of(coverage.plot(layer="power")).get_array()
    # Free space to the centre of the nearest cell, which is 0.5 m below the Tx and 0.5 m beside it in x and in y.
    gain = 20 * np.log10(C / 3.5e9 / (4 * np.pi * np.sqrt(0.75)))
    assert float(shown[0, 0]) == pytest.approx(17 + gain, abs=0.01)


def test_cells_without_a_path_are_grey_and_others_empty() -> None:
    gains = np.array([[[[-60, -70, -np.inf], [np.nan, -80, -90]]]], dtype=np.float32)
    arrays = {"x": np.array([0.5, 1.5, 2.5]), "y": np.array([0.5, 1.5]), "z": np.array([1.5])}
    arrays |= {
        "ground": np.zeros((2, 3)),
        "tx_name": np.array(["a"]),
        "tx_power_dbm": np.array([30.0]),
        "path_gain_db": gains,
    }
    devices = _pictures.Devices("Tx", ["a"], np.array([[0.2, 0.2, 3.0]]))
    axes = _pictures.draw_cells(arrays, devices, 0, 0, "gain", None, None)
    assert pixel(axes, 2.5, 0.5)[:3] == pytest.approx([0.85] * 3, abs=0.01)
    assert pixel(axes, 0.5, 1.5)[:3] == pytest.approx([1, 1, 1])
    assert pixel(axes, 0.6, 0.6) == pytest.approx(colormaps["viridis"](1.0), abs=0.01)
    assert image_of(axes).get_array().mask.tolist() == [[False, False, True], [True, False, False]]
    assert axes.get_title("left") == "a, 1.5 m above ground"
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["Tx", "no path"]


def test_a_row_of_cells_is_as_high_as_its_cells_are_wide(world: keller.World) -> None:
    region: dict[str, Any] = {"min": [1, 1], "max": [4, 1.5], "resolution": 0.5, "heights": [1.5]}
    coverage = world.coverage(TX, max_reflections=0, **region)
    assert coverage.path_gain_db.shape == (1, 1, 1, 6)
    axes = coverage.plot()
    assert (axes.get_xlim(), axes.get_ylim()) == (pytest.approx((1, 4)), pytest.approx((1, 1.5)))


def test_tiles_of_surfaces_are_drawn(world: keller.World) -> None:
    coverage = world.coverage([TX], engine="tiles", max_reflections=1, side=1.0)
    axes = coverage.plot()
    best = coverage.path_gain_db[0].max(axis=1)
    drawn = [one for one in axes.collections if one.get_array() is not None]
    assert axes.name == "3d" and len(drawn) == 1
    assert np.array_equal(drawn[0].get_array(), best[np.isfinite(best)])
    with pytest.raises(keller.ScenarioError, match="layer: found 'sinr'; accepted: \"gain\""):
        coverage.plot(layer="sinr")
    with pytest.raises(keller.ScenarioError, match="tx: found 1"):
        coverage.plot(1)
    assert "tiles of surfaces" in coverage._repr_html_()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tx": 2}, "tx: found 2; accepted: 0 to 1, 'access point'"),
        ({"tx": "street"}, "tx: found 'street'"),
        ({"level": 2}, "level: found 2; accepted: 0 to 1"),
        ({"level": -1}, "level: found -1"),
        ({"level": "ground"}, "level: found 'ground'"),
        ({"layer": "rsrp"}, 'layer: found \'rsrp\'; accepted: "gain", "power", "server", "sinr"'),
        ({"ax": 3}, "ax: found 3"),
    ],
)
def test_what_maps_do_not_accept(coverage: keller.Coverage, options: dict[str, Any], message: str) -> None:
    with pytest.raises(keller.ScenarioError, match=message):
        coverage.plot(**options)
    assert not plt.get_fignums()


def test_layers_that_are_not_there_are_not_accepted(world: keller.World) -> None:
    coverage = world.coverage([TX, keller.Tx([4, 3, 2])], resolution=1, heights=[1.5], max_reflections=0, per_tx=False)
    with pytest.raises(keller.ScenarioError, match=r'found .gain.; accepted: "power", "server" of this coverage'):
        coverage.plot()
    assert np.array_equal(image_of(coverage.plot(layer="power")).get_array(), coverage["received_power_dbm"][0])


def test_names_are_texts_and_no_formulas(world: keller.World) -> None:
    paths = world.paths(keller.Tx([1, 1, 2], name="a $x_1$ and $\\frac$"), [[4.0, 3.0, 1.5]], max_reflections=0)
    for axes in (paths.plot(), paths.plot_pdp(), paths.plot(kind="3d")):
        axes.figure.canvas.draw()
        assert "a \\$x_1\\$ and \\$\\frac\\$" in axes.get_title("left")


# Notebooks


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
