"""Pictures of scenes: vertices, heights and colours are read back from them."""

from __future__ import annotations

from typing import Any

import keller
import numpy as np
import pytest
from keller import _pictures
from pictures import PolyCollection, bar_labels, colormaps, only, pixel, plt

pytestmark = pytest.mark.usefixtures("pictures")


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
