"""Pictures of coverages: what a picture shows at a point is the number of the array."""

from __future__ import annotations

import json
from typing import Any

import keller
import numpy as np
import pytest
from conftest import TX, C
from keller import _keller, _pictures
from pictures import bar_labels, pixel, plt, to_rgb

pytestmark = pytest.mark.usefixtures("pictures")

PALETTE = json.loads(_keller.PALETTE)


def read_back(axes: Any, image: Any, x: float, y: float) -> Any:
    """What the picture says of the point that a mouse is at."""
    from matplotlib.backend_bases import MouseEvent

    axes.figure.canvas.draw()
    column, row = axes.transData.transform((x, y))
    return image.get_cursor_data(MouseEvent("motion_notify_event", axes.figure.canvas, column, row))


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


def test_cells_without_power_and_in_buildings_are_grey() -> None:
    gains = np.array([[[[-60, -70, -np.inf], [np.nan, -80, -90]]]], dtype=np.float32)
    arrays = {"x": np.array([0.5, 1.5, 2.5]), "y": np.array([0.5, 1.5]), "z": np.array([1.5])}
    arrays |= {
        "ground": np.zeros((2, 3)),
        "tx_name": np.array(["a"]),
        "tx_power_dbm": np.array([30.0]),
        "path_gain_db": gains,
    }
    devices = _pictures.Devices("Tx", ["a"], np.array([[0.2, 0.2, 3.0]]))
    in_building = [False] * 3 + [True, False, False]
    axes = _pictures.draw_cells(arrays, devices, 0, 0, "gain", None, None, lambda level: in_building)
    assert pixel(axes, 2.5, 0.5)[:3] == pytest.approx(to_rgb(PALETTE["nothing"]), abs=0.01)
    assert pixel(axes, 0.5, 1.5)[:3] == pytest.approx(to_rgb(PALETTE["building"]), abs=0.01)
    assert pixel(axes, 0.6, 0.6)[:3] == pytest.approx(to_rgb(PALETTE["scales"]["gain"][-1]), abs=0.01)
    assert image_of(axes).get_array().mask.tolist() == [[False, False, True], [True, False, False]]
    assert axes.get_title("left") == "a, 1.5 m above ground"
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["Tx", "building", "no power"]


def test_a_row_of_cells_is_as_high_as_its_cells_are_wide(world: keller.World) -> None:
    region: dict[str, Any] = {"min": [1, 1], "max": [4, 1.5], "resolution": 0.5, "heights": [1.5]}
    coverage = world.coverage(TX, max_reflections=0, **region)
    assert coverage.path_gain_db.shape == (1, 1, 1, 6)
    axes = coverage.plot()
    assert (axes.get_xlim(), axes.get_ylim()) == (pytest.approx((1, 4)), pytest.approx((1, 1.5)))


def test_tiles_of_surfaces_are_drawn(world: keller.World) -> None:
    coverage = world.coverage([TX], engine="surfaces", max_reflections=1, side=1.0)
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


@pytest.mark.parametrize(("weakest", "extend"), [(-71, "neither"), (-150, "min")])
def test_colour_bars_end_in_an_arrow_where_values_lie_beyond(weakest: float, extend: str) -> None:
    # The bar begins at the 5th percentile: half of the cells have -71 dB, and one of them may be weaker.
    gains = np.full((1, 1, 10, 10), -60.0, dtype=np.float32)
    gains[0, 0, :5] = -71
    gains[0, 0, 0, 0] = weakest
    arrays = {"x": np.arange(10.0), "y": np.arange(10.0), "z": np.array([1.5])}
    arrays |= {"tx_name": np.array(["a"]), "tx_power_dbm": np.array([30.0]), "path_gain_db": gains}
    devices = _pictures.Devices("Tx", ["a"], np.array([[0.2, 0.2, 3.0]]))
    axes = _pictures.draw_cells(arrays, devices, 0, 0, "gain", None, None)
    image = image_of(axes)
    assert image.get_clim() == (-71, -60)
    assert image.colorbar.extend == extend
