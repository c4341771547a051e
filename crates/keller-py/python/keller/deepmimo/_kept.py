"""The paths of a scenario of DeepMIMO: the strongest of each link, in its order and units."""

from __future__ import annotations

import logging

import numpy as np

from .._keller import ScenarioError
from .._paths import Paths

#: Letters of the column ``types``, and the digits that DeepMIMO has for them.
_DIGITS = str.maketrans({"R": "1", "D": "2", "S": "3", "T": "4"})
#: As many digits, none of them 0, are exact in numbers of 32 and of 64 bits.
EXACT_DIGITS = {np.float32: 7, np.float64: 15}

_log = logging.getLogger("keller")


class Kept:
    """The paths that are written, one row a path: link after link, and within a link in DeepMIMO's order."""

    def __init__(self, paths: Paths, max_paths: int) -> None:
        self.paths = paths
        tx_positions, rx_positions = paths._job.tx_positions, paths._job.rx_positions
        amplitude = np.asarray(paths["a_vv_re"]) + 1j * np.asarray(paths["a_vv_im"])
        tx, rx = np.asarray(paths["tx"], dtype=np.intp), np.asarray(paths["rx"], dtype=np.intp)
        types, kind = np.unique(np.asarray(paths["types"], dtype=str), return_inverse=True)
        power = np.abs(amplitude)
        # DeepMIMO takes a link as in line of sight if its first path is.
        order = np.lexsort((-power, types[kind] != "LOS", rx, tx))
        order = order[power[order] > 0]
        if not len(order):
            devices = f"{len(tx_positions)} Tx to {len(rx_positions)} receivers"
            raise ScenarioError(f"paths: found none from {devices}; accepted: one or more")
        link = tx[order] * len(rx_positions) + rx[order]
        links, first, counts = np.unique(link, return_index=True, return_counts=True)
        rank = np.arange(len(order)) - np.repeat(first, counts)
        if counts.max() > max_paths:
            sums = np.add.reduceat(power[order] ** 2, first)
            share = np.add.reduceat(np.where(rank < max_paths, 0, power[order] ** 2), first) / sums
            _log.info(
                f"max_paths: {np.count_nonzero(counts > max_paths)} of {len(links)} links have more than {max_paths} "
                f"paths, up to {counts.max()}; what is left out holds up to {100 * share.max():.2g} % of a link's power"
            )
        rows = order[rank < max_paths]
        self.rank = rank[rank < max_paths]
        self.tx, self.rx = tx[rows], rx[rows]
        self.tx_positions, self.rx_positions = tx_positions, rx_positions
        self.types = types[kind[rows]]
        codes = [0.0 if name == "LOS" else float(name.translate(_DIGITS)) for name in types]
        self.codes = np.array(codes)[kind[rows]]
        self.scalars = {
            "power": 20 * np.log10(power[rows]),
            "phase": np.angle(amplitude[rows], deg=True),
            "delay": np.asarray(paths["delay_s"])[rows],
            "aoa_az": np.degrees(paths["aoa"])[rows],
            "aoa_el": np.degrees(paths["zoa"])[rows],
            "aod_az": np.degrees(paths["aod"])[rows],
            "aod_el": np.degrees(paths["zod"])[rows],
        }
        offsets, self.points = paths["points"]
        self.first_point = offsets[:-1][rows]
        self.depth = offsets[1:][rows] - self.first_point
        max_depth = max(EXACT_DIGITS.values())
        if self.depth.max() > max_depth:
            raise ScenarioError(f"paths: found one with {self.depth.max()} interactions; accepted: up to {max_depth}")

    def max_interactions(self, letter: str, among: str = "") -> int:
        """The largest number of interactions of a kind in a path, or in paths that have another kind too."""
        return max((name.count(letter) for name in set(self.types) if name != "LOS" and among in name), default=0)
