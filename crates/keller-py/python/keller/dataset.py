"""Data sets for learning: the channels of many receivers in one file, a row for every receiver.

A first data set::

    import keller
    import keller.dataset

    world = keller.World(keller.load_scene("room.obj"), frequency=3.5e9, default_material="concrete")
    rx = keller.Rx(grid={"min": [0.5, 0.5], "max": [4.5, 3.5], "spacing": 0.1, "height": 1.5})
    keller.dataset.save("room.zarr", world, keller.Tx([1, 1, 2]), rx, max_reflections=3)

Receivers are traced in batches, so that memory does not grow with their number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from importlib import import_module
from math import prod
from os import PathLike, fspath
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ._devices import RxLike, TxLike, all_rx, all_tx
from ._keller import Job, ScenarioError, __version__
from ._progress import listener
from ._text import document, split
from ._world import World

__all__ = ["save"]

#: About so many bytes of channels are held at a time.
_BATCH_BYTES = 1 << 26

#: Chunks of files have about so many bytes before compression.
_CHUNK_BYTES = 1 << 20

#: No chunk has more: Blosc, with which those of Zarr are compressed, takes no 2 GiB.
_MAX_CHUNK_BYTES = 1 << 30


def save(
    file: str | PathLike[str],
    world: World | str | PathLike[str],
    tx: TxLike | None = None,
    rx: RxLike | None = None,
    *,
    dtype: DTypeLike = "complex64",
    max_paths: int | None = 25,
    chunk: int | None = None,
    overwrite: bool = False,
    progress: bool = False,
    **options: Any,
) -> None:
    """Writes the channels of all links to a data set: a Zarr folder (``.zarr``) or an HDF5 file (``.h5``, ``.hdf5``).

    ``world`` is a :class:`keller.World`, with ``tx``, ``rx`` and ``options`` as in :meth:`keller.World.paths`; or the
    name of a scenario's file, which says all of that itself.

    ``max_paths`` is the size of the dimension ``path``: the strongest paths of each link are kept, by their power
    summed over pairs of antennas. With None every path is kept, and the link with the most determines the size.
    ``chunk`` is the number of receivers in a chunk of the file; without it a chunk has about 1 MB. ``dtype`` is
    "complex64" or "complex128". ``overwrite`` replaces an existing data set.

    The arrays have the names and dimensions of :meth:`keller.Paths.to_xarray`:

    - ``h`` (rx, rx_ant, tx, tx_ant, snapshot, frequency): transfer function, of all paths
    - ``a`` (rx, rx_ant, tx, tx_ant, path): complex amplitudes, the strongest path first
    - ``tau`` (rx, tx, path): absolute delay, s, always float64
    - ``doppler`` (rx, tx, path): Doppler shift at the carrier, Hz
    - ``theta_t``, ``phi_t``, ``theta_r``, ``phi_r`` (rx, tx, path): zenith and azimuth of departure and arrival, rad
    - ``valid`` (rx, tx, path): whether there is such a path
    - ``interactions`` (rx, tx, path, depth): 1 reflection, 2 scattering, 4 transmission, 8 diffraction; 0 at the end
    - ``num_paths`` (rx, tx): number of paths found, kept or not
    - ``line_of_sight`` (rx, tx): whether the line of sight is free
    - ``path_gain_db`` (rx, tx): all paths added as powers, dB; minus infinity without a path
    - ``delay_spread`` (rx, tx): rms, of all paths, s; NaN without a path
    - ``rx_position`` (rx, axis), ``tx_position`` (tx, axis): where devices stand, m, float64
    - ``rx``, ``tx``: names, or indices where there are none; ``frequency``, Hz; ``snapshot``, s; ``axis``: x, y, z

    With complex64, real numbers are float32 unless said otherwise; with complex128, float64. Arrays have ``units`` and
    ``description``. Attributes of the data set are ``keller`` (version), ``scenario`` (text), ``carrier_frequency``
    (Hz), and ``crs`` and ``origin`` if the scene says where on earth it lies.

    Zarr is of format 2, which versions 2 and 3 of the package zarr open, and ``xarray.open_zarr``. HDF5 has dimensions
    as netCDF-4 has them: ``xarray.open_dataset(file, engine="h5netcdf")`` opens it.

    The file gets its name when it is whole. A run that fails or is interrupted leaves nothing behind. Meanwhile a
    temporary folder beside it takes the size of the uncompressed arrays.

    Raises :class:`keller.ScenarioError` for bad input, ``ModuleNotFoundError`` where zarr or h5py is not installed.
    """
    target = Path(file)
    form = _form(target)
    is_double = _is_double(dtype)
    max_paths, chunk = _count("max_paths", max_paths), _count("chunk", chunk)
    form.load()
    _check_free(target, form, overwrite)
    with (
        listener(progress) as tell,
        TemporaryDirectory(dir=target.parent, prefix=f".{target.name}.", ignore_cleanup_errors=True) as folder,
    ):
        told = _Told(tell)
        job = _job(world, tx, rx, options, told)
        data = _trace(job, Path(folder), max_paths, is_double, told)
        whole = Path(folder) / f"whole{target.suffix}"
        with closing(form(whole, data.attributes, data.sizes)) as out:
            _write(out, data, chunk, told)
        _check_free(target, form, overwrite)
        _rename(whole, target, Path(folder))


save.__doc__ = (save.__doc__ or "") + document("[paths]", "[channel]")


class _Array(NamedTuple):
    dims: tuple[str, ...]
    units: str
    description: str


_LINK = ("rx", "tx")
_PATH = ("rx", "tx", "path")

#: What receivers have a row in, in batches.
_ROWS = {
    "h": _Array(("rx", "rx_ant", "tx", "tx_ant", "snapshot", "frequency"), "1", "transfer function"),
    "a": _Array(("rx", "rx_ant", "tx", "tx_ant", "path"), "1", "complex amplitude, with antennas and carrier phase"),
    "tau": _Array(_PATH, "s", "absolute delay"),
    "doppler": _Array(_PATH, "Hz", "Doppler shift at the carrier"),
    "theta_t": _Array(_PATH, "rad", "zenith of departure"),
    "phi_t": _Array(_PATH, "rad", "azimuth of departure"),
    "theta_r": _Array(_PATH, "rad", "zenith of arrival"),
    "phi_r": _Array(_PATH, "rad", "azimuth of arrival"),
    "valid": _Array(_PATH, "1", "whether there is such a path"),
    "interactions": _Array(
        (*_PATH, "depth"), "1", "1 reflection, 2 scattering, 4 transmission, 8 diffraction; 0 beyond the last"
    ),
    "num_paths": _Array(_LINK, "1", "number of paths found, kept or not"),
    "line_of_sight": _Array(_LINK, "1", "whether the line of sight is free"),
    "path_gain_db": _Array(_LINK, "dB", "path gain, all paths added as powers"),
    "delay_spread": _Array(_LINK, "s", "rms delay spread of all paths"),
}

#: What is written at once. Coordinates come before arrays that have them.
_WHOLE = {
    "rx": _Array(("rx",), "1", "name of the receiver, else its index"),
    "tx": _Array(("tx",), "1", "name of the transmitter, else its index"),
    "frequency": _Array(("frequency",), "Hz", "frequency of h"),
    "snapshot": _Array(("snapshot",), "s", "time of h"),
    "axis": _Array(("axis",), "1", "axis of positions"),
    "rx_position": _Array(("rx", "axis"), "m", "position of the receiver"),
    "tx_position": _Array(("tx", "axis"), "m", "position of the transmitter"),
}


class _Data(NamedTuple):
    """What was traced: batches of receivers in files, and what all have in common."""

    #: The first receiver of each batch, and its file.
    batches: list[tuple[int, Path]]
    whole: dict[str, NDArray[Any]]
    sizes: dict[str, int]
    attributes: dict[str, Any]


def _trace(job: Job, folder: Path, max_paths: int | None, is_double: bool, tell: _Told) -> _Data:
    """Traces batches of receivers, which grow to about :data:`_BATCH_BYTES`, and writes their rows to `folder`."""
    num_rx = len(job.rx_positions)
    sizes = {"rx": num_rx, "tx": len(job.tx_positions), "axis": 3, "path": max_paths or 0}
    batches: list[tuple[int, Path]] = []
    whole: dict[str, NDArray[Any]] = {}
    attributes: dict[str, Any] = {}
    unreached: list[int] = []
    first, size = 0, 1
    while first < num_rx:
        end = min(first + size, num_rx)
        tell.share = (first / num_rx, end / num_rx)
        found, rows = _batch(job, (first, end), max_paths, is_double, tell)
        for name, values in rows.items():
            for dim, length in zip(_ROWS[name].dims[1:], values.shape[1:], strict=True):
                sizes[dim] = max(sizes.get(dim, 0), length)
        unreached += (first + np.flatnonzero(~rows["num_paths"].any(axis=1))).tolist()
        batches.append((first, folder / f"{first}.npz"))
        np.savez(batches[-1][1], **rows)
        if not whole:
            whole = {"frequency": found["frequencies"], "snapshot": found["times"]}
            attributes = _attributes(job, found)
        nbytes = sum(values.nbytes for values in found.values())
        first, size = end, max(1, min(8 * size, size * _BATCH_BYTES // max(nbytes, 1)))
    if unreached:
        missing = f"{len(unreached)} of {num_rx} receivers have no path (rx {unreached[0]} is the first)"
        tell("warning", f"{missing}: their rows are zeros", None)
    tx_names, rx_names = job.names
    whole.update(rx=np.array(rx_names), tx=np.array(tx_names), axis=np.array(["x", "y", "z"]))
    whole.update(rx_position=job.rx_positions, tx_position=job.tx_positions)
    return _Data(batches, whole, sizes, attributes)


def _batch(
    job: Job, rx: tuple[int, int], max_paths: int | None, is_double: bool, tell: _Told
) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """The channels of some receivers as they are found, and the rows of the data set."""
    paths = job.paths(job.has_elements, rx, tell)
    found = paths.channels(tell)
    power = (np.abs(found["a"]) ** 2).sum(axis=(1, 3))
    order = np.argsort(np.where(found["valid"], -power, np.inf), axis=-1, kind="stable")[..., :max_paths]
    rows: dict[str, Any] = {}
    for name, array in _ROWS.items():
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


def _write(out: _Zarr | _Hdf5, data: _Data, chunk: int | None, tell: _Told) -> None:
    """Writes the batches to a file of the data set, and removes them."""
    tell.share = (0.0, 1.0)
    for name, array in _WHOLE.items():
        values = data.whole[name]
        out.create(name, array, values.shape, values.dtype, chunk)
        out.put(name, 0, values)
    for number, (first, batch) in enumerate(data.batches):
        with np.load(batch) as rows:
            for name, array in _ROWS.items():
                values = rows[name]
                shape = tuple(data.sizes[dim] for dim in array.dims)
                if number == 0:
                    out.create(name, array, shape, values.dtype, chunk)
                for start, piece in _padded(values, shape):
                    out.put(name, first + start, piece)
        batch.unlink()
        tell("progress", "write", (number + 1) / len(data.batches))


def _padded(values: NDArray[Any], shape: tuple[int, ...]) -> Iterator[tuple[int, NDArray[Any]]]:
    """Pieces of rows with zeros at their ends, so that rows have `shape`, and the first row of each."""
    more = [(0, length - found) for found, length in zip(values.shape[1:], shape[1:], strict=True)]
    step = max(1, _BATCH_BYTES // max(1, prod(shape[1:]) * values.dtype.itemsize))
    for start in range(0, len(values), step):
        yield start, np.pad(values[start : start + step], [(0, 0), *more])


def _chunks(shape: tuple[int, ...], dtype: np.dtype[Any], chunk: int | None) -> tuple[int, ...]:
    """The shape of chunks: cut along the first dimension, and along the next where one row is too large."""
    lengths = [max(1, length) for length in shape]
    limit = _MAX_CHUNK_BYTES if chunk else _CHUNK_BYTES
    if chunk:
        lengths[0] = min(chunk, lengths[0])
    for axis, length in enumerate(lengths):
        nbytes = prod(lengths) * dtype.itemsize
        if nbytes > limit:
            lengths[axis] = max(1, length * limit // nbytes)
    return tuple(lengths)


class _Zarr:
    """Zarr of format 2.

    Arrays have no fill value: xarray would take numbers that are equal to it for missing ones. So all chunks are
    written, those of zeros too.
    """

    def __init__(self, file: Path, attributes: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
        self.zarr, self.store = self.load(), str(file)
        is_new = int(self.zarr.__version__.split(".")[0]) >= 3
        self.format: dict[str, Any] = {"zarr_format": 2} if is_new else {}
        self.options: dict[str, Any] = {**self.format, "config": {"write_empty_chunks": True}} if is_new else {}
        self.zarr.open_group(self.store, mode="w", **self.format).attrs.update(attributes)
        self.arrays: dict[str, Any] = {}

    @staticmethod
    def load() -> Any:
        return _library("zarr")

    @staticmethod
    def is_one(file: Path) -> bool:
        return (file / ".zgroup").is_file() or (file / "zarr.json").is_file()

    def create(self, name: str, array: _Array, shape: tuple[int, ...], dtype: np.dtype[Any], chunk: int | None) -> None:
        """A new array. Coordinates come before arrays that have them."""
        blosc = _library("numcodecs").Blosc
        created = self.zarr.create(
            shape,
            chunks=_chunks(shape, dtype, chunk),
            dtype=dtype,
            compressor=blosc("zstd", clevel=3, shuffle=blosc.SHUFFLE),
            fill_value=None,
            store=self.store,
            path=name,
            **self.options,
        )
        created.attrs.update(_ARRAY_DIMENSIONS=list(array.dims), units=array.units, description=array.description)
        self.arrays[name] = created

    def put(self, name: str, first: int, values: NDArray[Any]) -> None:
        if values.size:
            self.arrays[name][first : first + len(values)] = values

    def close(self) -> None:
        self.zarr.consolidate_metadata(self.store, **self.format)


class _Hdf5:
    """HDF5 with the dimension scales of netCDF-4."""

    def __init__(self, file: Path, attributes: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
        self.h5py, self.sizes = self.load(), sizes
        self.file = self.h5py.File(file, "w", track_order=True)
        self.file.attrs.update(attributes)

    @staticmethod
    def load() -> Any:
        return _library("h5py")

    @staticmethod
    def is_one(file: Path) -> bool:
        return file.is_file()

    def create(self, name: str, array: _Array, shape: tuple[int, ...], dtype: np.dtype[Any], chunk: int | None) -> None:
        stored = self.h5py.string_dtype() if dtype.kind == "U" else dtype
        packed = {"chunks": _chunks(shape, dtype, chunk), "compression": "gzip", "compression_opts": 1, "shuffle": True}
        created = self.file.create_dataset(name, shape, stored, **(packed if prod(shape) else {}))
        created.attrs.update({"units": array.units, "description": array.description})
        if array.dims == (name,):
            created.make_scale(name)
            return
        for number, dim in enumerate(array.dims):
            created.dims[number].attach_scale(self._scale(dim))

    def _scale(self, dim: str) -> Any:
        if dim not in self.file:
            # As netCDF-4 has dimensions without coordinates.
            length = self.sizes[dim]
            scale = self.file.create_dataset(dim, (length,), ">f4")
            scale.make_scale(f"This is a netCDF dimension but not a netCDF variable.{length:10d}")
        return self.file[dim]

    def put(self, name: str, first: int, values: NDArray[Any]) -> None:
        if values.size:
            rows = values.astype(object) if values.dtype.kind == "U" else values
            self.file[name][first : first + len(values)] = rows

    def close(self) -> None:
        self.file.close()


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(f"{error}: pip install 'keller[learning]' brings it", name=error.name) from None


def _form(file: Path) -> type[_Zarr] | type[_Hdf5]:
    suffix = file.suffix.lower()
    if suffix == ".zarr":
        return _Zarr
    if suffix in (".h5", ".hdf5"):
        return _Hdf5
    raise ScenarioError(f"file: found {fspath(file)!r}; accepted: a name that ends in .zarr, .h5 or .hdf5")


def _is_double(dtype: DTypeLike) -> bool:
    try:
        found = np.dtype(dtype)
    except TypeError:
        found = np.dtype(object)
    if found not in (np.complex64, np.complex128):
        raise ScenarioError(f"dtype: found {dtype!r}; accepted: complex64, complex128")
    return found == np.complex128


def _count(name: str, count: int | None) -> int | None:
    if count is None:
        return None
    if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 1:
        raise ScenarioError(f"{name}: found {count!r}; accepted: None or a whole number from 1 on")
    return int(count)


def _job(
    world: World | str | PathLike[str],
    tx: TxLike | None,
    rx: RxLike | None,
    options: Mapping[str, Any],
    tell: _Told,
) -> Job:
    if isinstance(world, (str, PathLike)):
        given = [name for name, value in (("tx", tx), ("rx", rx)) if value is not None] + list(options)
        if given:
            raise ScenarioError(f"{given[0]}: found beside a scenario's file; accepted: what that file says")
        job = Job.open(fspath(world), tell)
    elif isinstance(world, World):
        if tx is None or rx is None:
            raise ScenarioError(f"{'tx' if tx is None else 'rx'}: found None; accepted: devices as in World.paths")
        job = world._job(all_tx(tx), all_rx(rx), split(options, "[paths]", "[channel]"), tell)
    else:
        raise ScenarioError(f"world: found {world!r}; accepted: a keller.World or the name of a scenario's file")
    if len(job.rx_positions) == 0:
        raise ScenarioError("rx: found none; accepted: a scenario with [[rx]]")
    return job


def _check_free(file: Path, form: type[_Zarr] | type[_Hdf5], overwrite: bool) -> None:
    if not file.parent.is_dir():
        raise ScenarioError(f"file: found {fspath(file)!r}; accepted: a name in an existing folder")
    if not file.exists():
        return
    if not overwrite:
        raise ScenarioError(f"file: found that {fspath(file)!r} exists; accepted: a new name, or overwrite=True")
    if not form.is_one(file):
        raise ScenarioError(f"file: found that {fspath(file)!r} is something else; accepted: a data set to overwrite")


def _rename(whole: Path, target: Path, folder: Path) -> None:
    """Gives a finished data set its name. A folder does not replace another by itself."""
    if not target.is_dir():
        whole.replace(target)
        return
    old = target.rename(folder / "old")
    try:
        whole.rename(target)
    except BaseException:
        old.rename(target)
        raise


class _Told:
    """Passes on what a run says: a warning once, and progress as a share of all batches."""

    def __init__(self, tell: Callable[[str, str, float | None], None]) -> None:
        self._tell = tell
        #: Where the progress of this batch begins and ends.
        self.share = (0.0, 0.0)
        self._said: set[str] = set()

    def __call__(self, kind: str, text: str, done: float | None) -> None:
        if kind != "progress":
            if text in self._said:
                return
            self._said.add(text)
        elif done is not None:
            first, end = self.share
            done = first + (end - first) * done
        self._tell(kind, text, done)
