"""Data sets: what is asked, and the order of steps."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike

from .._checks import file_name, gpu_name, whole_number
from .._devices import RxLike, TxLike, all_rx, all_tx
from .._keller import Job, ScenarioError
from .._output import written_beside
from .._progress import listener
from .._text import ALTERNATIVE, documented, renamed, split
from .._world import World
from ._hdf5 import Hdf5
from ._listener import BatchListener
from ._trace import trace
from ._write import write
from ._writer import Writer
from ._zarr import Zarr

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..options import PathsKeywords


@documented("[paths]", ALTERNATIVE, "[channel]")
@renamed
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
    gpu: str | None = None,
    progress: bool = False,
    **options: Unpack[PathsKeywords],
) -> None:
    """Writes the channels of all links to a data set: a Zarr folder (``.zarr``) or an HDF5 file (``.h5``, ``.hdf5``).

    ``world`` is a :class:`keller.World`, with ``tx``, ``rx`` and ``options`` as in :meth:`keller.World.paths`; or the
    name of a scenario's file, which says all of that itself.

    ``max_paths`` is the size of the dimension ``path``: the strongest paths of each link are kept, by their power
    summed over pairs of antennas. With None every path is kept, and the link with the most determines the size.
    ``chunk`` is the number of receivers in a chunk of the file; without it a chunk has about 1 MB. ``dtype`` is
    "complex64" or "complex128". ``overwrite`` replaces an existing data set. ``gpu`` is as in :class:`keller.World`,
    instead of the world's own.

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
    target = Path(file_name("file", file))
    writer = _writer(target)
    is_double = _is_double(dtype)
    max_paths, chunk = _count("max_paths", max_paths), _count("chunk", chunk)
    writer.load()
    _check_free(target, writer, overwrite)
    with listener(progress) as tell, written_beside(target) as new:
        told = BatchListener(tell)
        job = _job(world, tx, rx, options, gpu, told)
        batches = trace(job, new.parent, max_paths, is_double, told)
        with closing(writer(new, batches.attributes, batches.sizes)) as out:
            write(out, batches, chunk, told)
        _check_free(target, writer, overwrite)


def _writer(file: Path) -> type[Writer]:
    suffix = file.suffix.lower()
    if suffix == ".zarr":
        return Zarr
    if suffix in (".h5", ".hdf5"):
        return Hdf5
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
    return None if count is None else whole_number(name, count, 1, also="None or ")


def _job(
    world: World | str | PathLike[str],
    tx: TxLike | None,
    rx: RxLike | None,
    options: Mapping[str, Any],
    gpu: str | None,
    tell: BatchListener,
) -> Job:
    if isinstance(world, (str, PathLike)):
        given = [name for name, value in (("tx", tx), ("rx", rx)) if value is not None] + list(options)
        if given:
            raise ScenarioError(f"{given[0]}: found beside a scenario's file; accepted: what that file says")
        used = "cpu" if gpu is None else gpu_name(gpu)
        job = Job.open(file_name("world", world), used, tell)
    elif isinstance(world, World):
        if tx is None or rx is None:
            raise ScenarioError(f"{'tx' if tx is None else 'rx'}: found None; accepted: devices as in World.paths")
        if gpu is not None:
            world = world.with_(gpu=gpu)
        job = world._job(all_tx(tx), all_rx(rx), split(options, "[paths]", "[channel]"), tell)
    else:
        raise ScenarioError(f"world: found {world!r}; accepted: a keller.World or the name of a scenario's file")
    if len(job.rx_positions) == 0:
        raise ScenarioError("rx: found none; accepted: a scenario with [[rx]]")
    return job


def _check_free(file: Path, writer: type[Writer], overwrite: bool) -> None:
    if not file.parent.is_dir():
        raise ScenarioError(f"file: found {fspath(file)!r}; accepted: a name in an existing folder")
    if not file.exists():
        return
    if not overwrite:
        raise ScenarioError(f"file: found that {fspath(file)!r} exists; accepted: a new name, or overwrite=True")
    if not writer.is_one(file):
        raise ScenarioError(f"file: found that {fspath(file)!r} is something else; accepted: a data set to overwrite")
