"""What tests of pictures share: matplotlib without a screen, and what a picture shows where."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

from matplotlib import colormaps  # noqa: E402
from matplotlib import pyplot as plt  # noqa: E402
from matplotlib.collections import LineCollection, PolyCollection  # noqa: E402
from matplotlib.colors import to_rgb  # noqa: E402

__all__ = ["LineCollection", "PolyCollection", "bar_labels", "colormaps", "only", "pixel", "plt", "to_rgb"]


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
