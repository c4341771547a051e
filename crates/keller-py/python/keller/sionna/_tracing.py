"""Paths between the elements of arrays, each element a device of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._devices import Rx, Tx
from .._keller import ScenarioError
from .._paths import Paths
from .._text import PLACE_KEYS
from ._elements import Side


def paths_by_element(paths: Paths, tx: Side, rx: Side) -> Paths:
    """The paths between the elements of all devices, each a device of its own."""
    if paths._question is None:
        raise ScenarioError("synthetic_array: found False for a scenario's file; accepted: paths of a keller.World")
    question = paths._question
    tx_elements = _split([(one.options, 1) for one in question.tx], tx, paths._job.tx_positions)
    groups = [(one.options, 1 if one.points is None else len(one.points)) for one in question.rx]
    rx_elements = _split(groups, rx, paths._job.rx_positions)
    by_element = question._replace(tx=[Tx(**one) for one in tx_elements], rx=[Rx(**one) for one in rx_elements])
    return Paths._found(by_element, progress=False)


def _split(
    groups: Sequence[tuple[Mapping[str, Any], int]], side: Side, positions: NDArray[np.float64]
) -> list[dict[str, Any]]:
    """Options of a device for each element of each device."""
    elements = []
    each = iter(positions)
    for options, count in groups:
        for name in ("file", "grid"):
            if name in options:
                raise ScenarioError(f"synthetic_array: found False beside {name!r}; accepted: devices by position")
        own = {key: value for key, value in options.items() if key not in (*PLACE_KEYS, "array", "array_tracing")}
        offsets = np.asarray(side.places) @ _rotation(options).T
        for _ in range(count):
            centre = next(each)
            elements += [{**own, "position": centre + offset} for offset in offsets]
    return elements


def _rotation(options: Mapping[str, Any]) -> NDArray[np.float64]:
    """From a device's frame to the scene's: 3GPP TR 38.901, (7.1-2)."""
    ahead = [90.0 - options.get("azimuth_deg", 90.0), options.get("downtilt_deg", 0.0), 0.0]
    angles = np.radians(options.get("orientation_deg", ahead))
    (ca, cb, cc), (sa, sb, sc) = np.cos(angles), np.sin(angles)
    about_z = np.array([[ca, -sa, 0], [sa, ca, 0], [0, 0, 1]])
    about_y = np.array([[cb, 0, sb], [0, 1, 0], [-sb, 0, cb]])
    about_x = np.array([[1, 0, 0], [0, cc, -sc], [0, sc, cc]])
    rotation: NDArray[np.float64] = about_z @ about_y @ about_x
    return rotation
