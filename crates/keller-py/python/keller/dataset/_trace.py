"""Batches of receivers: traced one after the other, each kept in a file until all are known."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._channel_arrays import CHANNELS, Array, coordinates
from .._keller import Job, __version__
from ._listener import BatchListener

#: The arrays with a row for each receiver.
ROWS = {
    **{name: array for name, array in CHANNELS.items() if name not in ("objects", "vertices")},
    "path_gain_db": Array(("rx", "tx"), "dB", "path gain, all paths added as powers"),
    "delay_spread": Array(("rx", "tx"), "s", "rms delay spread of all paths"),
}

#: About so many bytes of channels are held at a time.
BATCH_BYTES = 1 << 26


class Batches(NamedTuple):
    """What was traced: batches of receivers in files, and what all have in common."""

    #: The first receiver of each batch, and its file.
    files: list[tuple[int, Path]]
    coordinates: dict[str, NDArray[Any]]
    #: Lengths of dimensions.
    sizes: dict[str, int]
    #: Attributes of the data set.
    attributes: dict[str, Any]


def trace(job: Job, folder: Path, max_paths: int | None, is_double: bool, tell: BatchListener) -> Batches:
    """Traces batches of receivers, which grow to about :data:`BATCH_BYTES`, and writes their rows to `folder`."""
    num_rx = len(job.rx_positions)
    sizes = {"rx": num_rx, "tx": len(job.tx_positions), "axis": 3, "path": max_paths or 0}
    files: list[tuple[int, Path]] = []
    whole: dict[str, NDArray[Any]] = {}
    attributes: dict[str, Any] = {}
    unreached: list[int] = []
    first, size = 0, 1
    while first < num_rx:
        end = min(first + size, num_rx)
        tell.share = (first / num_rx, end / num_rx)
        found, rows = _batch(job, (first, end), max_paths, is_double, tell)
        for name, values in rows.items():
            for dim, length in zip(ROWS[name].dims[1:], values.shape[1:], strict=True):
                sizes[dim] = max(sizes.get(dim, 0), length)
        unreached += (first + np.flatnonzero(~rows["num_paths"].any(axis=1))).tolist()
        files.append((first, folder / f"{first}.npz"))
        np.savez(files[-1][1], **rows)
        if not whole:
            whole, attributes = coordinates(job, found), _attributes(job, found)
        nbytes = sum(values.nbytes for values in found.values())
        first, size = end, max(1, min(8 * size, size * BATCH_BYTES // max(nbytes, 1)))
    if unreached:
        missing = f"{len(unreached)} of {num_rx} receivers have no path (rx {unreached[0]} is the first)"
        tell("warning", f"{missing}: their rows are zeros", None)
    return Batches(files, whole, sizes, attributes)


def _batch(
    job: Job, rx: tuple[int, int], max_paths: int | None, is_double: bool, tell: BatchListener
) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """The channels of some receivers as they are found, and the rows of the data set."""
    paths = job.paths(job.has_elements, rx, tell)
    found = paths.channels(tell)
    power = (np.abs(found["a"]) ** 2).sum(axis=(1, 3))
    order = np.argsort(np.where(found["valid"], -power, np.inf), axis=-1, kind="stable")[..., :max_paths]
    rows: dict[str, Any] = {}
    for name, array in ROWS.items():
        if name not in found:
            continue
        values = found[name]
        if name == "a":
            values = np.take_along_axis(values, order[:, np.newaxis, :, np.newaxis], axis=-1)
        elif name == "interactions":
            values = np.take_along_axis(values, order[..., np.newaxis], axis=-2)
        elif "path" in array.dims:
            values = np.take_along_axis(values, order, axis=-1)
        rows[name] = values
    links = {name: values for name, (_, values) in paths.links(tell).items()}
    at = links["rx"].astype(int) - rx[0], links["tx"].astype(int)
    for name, column in (("path_gain_db", "gain_incoherent_db"), ("delay_spread", "delay_spread_s")):
        rows[name] = np.full(found["num_paths"].shape, np.nan)
        rows[name][at] = links[column]
    if not is_double:
        rows = {name: values if name == "tau" else _single(values) for name, values in rows.items()}
    return found, rows


def _single(values: NDArray[Any]) -> NDArray[Any]:
    single = {np.dtype(np.complex128): np.complex64, np.dtype(np.float64): np.float32}
    return values.astype(single.get(values.dtype, values.dtype), copy=False)


def _attributes(job: Job, found: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
    attributes: dict[str, Any] = {
        "keller": __version__,
        "scenario": job.text,
        "carrier_frequency": job.frequency,
        # xarray makes these coordinates, as `Paths.to_xarray` does.
        "coordinates": "rx_position tx_position",
    }
    if "crs" in found:
        attributes |= {"crs": bytes(found["crs"]).decode(), "origin": found["origin"].tolist()}
    return attributes
