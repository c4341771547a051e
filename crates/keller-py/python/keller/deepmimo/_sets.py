"""Sets of Tx and of receivers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._keller import KellerError
from .._paths import Paths
from .._progress import listener


class ReceiverSet(NamedTuple):
    """Receivers that DeepMIMO takes together."""

    name: str
    #: The spacing of a grid, metres.
    spacing: float | None
    #: Numbers of the receivers.
    members: NDArray[np.intp]


def receiver_sets(paths: Paths) -> list[ReceiverSet]:
    """A set for each array, grid or file of receivers, and one for all single receivers."""
    num_rx = len(paths._job.rx_positions)
    if paths._question is None:
        return [ReceiverSet("rx", None, np.arange(num_rx))]
    world, tx, groups = paths._question.world, paths._question.tx, paths._question.rx
    found: list[ReceiverSet] = []
    single: list[int] = []
    start = 0
    for group in groups:
        kinds = [key for key in ("grid", "file") if key in group.options] + ["array"] * (group.points is not None)
        if not kinds:
            single.append(start)
            start += 1
            continue
        if len(groups) == 1:
            count = num_rx
        elif group.points is not None:
            count = len(group.points)
        else:
            with listener() as tell:
                count = len(world._job(tx, [group], {}, tell).rx_positions)
        spacing = float(group.options["grid"]["spacing"]) if kinds[0] == "grid" else None
        name = group.options.get("name", kinds[0])
        found.append(ReceiverSet(name, spacing, np.arange(start, start + count)))
        start += count
    if start != num_rx:
        raise KellerError(f"rx: found {start} receivers in files that held {num_rx} when the paths were found")
    return found + ([ReceiverSet("rx", None, np.array(single))] if single else [])


def set_entry(number: int, name: str, num_points: int, num_active: int, **more: Any) -> dict[str, Any]:
    """What ``params.json`` says of a set of Tx or receivers."""
    plain = {
        "name": name,
        "id_orig": number,
        "id": number,
        "is_tx": False,
        "is_rx": False,
        "num_points": num_points,
        "num_active_points": num_active,
        "num_ant": 1,
        "dual_pol": False,
        "ant_rel_positions": [[0, 0, 0]],
        "array_orientation": [0, 0, 0],
        "grid_spacing": None,
    }
    return {**plain, **more}
