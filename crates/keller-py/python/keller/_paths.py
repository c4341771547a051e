"""Paths, and what radios make of them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from itertools import pairwise
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _html, _keller, _pictures
from ._channel_arrays import CHANNELS, COORDINATES, coordinates
from ._checks import file_name, real_array
from ._devices import Rx, Tx
from ._keller import ScenarioError
from ._materials import Material
from ._page import Page
from ._progress import listener
from ._scene import Scene

if TYPE_CHECKING:
    import pandas
    import pyarrow
    import xarray
    from typing_extensions import Unpack

    from ._world_changes import WorldChanges

#: Of more paths, what the links receive is not summed up for the table in a notebook.
_MAX_SUMMED = 1_000_000


class Channels:
    """Channels of all links as arrays, named and shaped as in Sionna RT; see :meth:`Paths.channels`.

    - ``a`` (num_rx, num_rx_ant, num_tx, num_tx_ant, num_paths): complex amplitudes, with antennas and carrier phase
    - ``tau``, ``doppler`` (num_rx, num_tx, num_paths): absolute delay, s; Doppler shift at the carrier, Hz
    - ``theta_t``, ``phi_t``, ``theta_r``, ``phi_r``, the same: zenith and azimuth of departure and of arrival, rad
    - ``valid``, the same, bool: whether there is such a path. Links with fewer paths than others hold zeros at the end
    - ``num_paths``, ``line_of_sight`` (num_rx, num_tx): number of paths; whether the line of sight is free, bool
    - ``interactions`` (num_rx, num_tx, num_paths, max_depth): 1 reflection, 2 scattering, 4 transmission,
      8 diffraction, 0 beyond the last
    - ``objects``, the same: the face of each interaction, the edge of a diffraction, -1 beyond the last
    - ``vertices`` (num_rx, num_tx, num_paths, max_depth, 3): interaction points, m
    - ``h`` (num_rx, num_rx_ant, num_tx, num_tx_ant, num_snapshots, num_frequencies): transfer function at ``times``
      (num_snapshots,), s, and ``frequencies`` (num_frequencies,), Hz
    - ``pdp`` (num_rx, num_tx, num_bins): power gain in each bin of delay; ``pdp_delays`` (num_bins,), s: where they
      begin
    - ``tx_name`` (num_tx,), ``rx_name`` (num_rx,): names, or indices where there are none
    - ``diffuse_gain_db``, ``background_gain_db`` (num_rx, num_tx), of worlds with ``diffuse`` and ``background``: gain
      of the power beside all paths, dB; ``diffuse_decay_time_s`` (num_tx,): in which its energy falls by the factor e
    - ``omitted_db`` (num_rx, num_tx), with ``power_threshold_db`` or ``relative_threshold_db``: gain of the paths left
      out, dB; minus infinity with none, NaN where it is not known

    Each is an attribute, such as ``channels.tau``; ``arrays`` has all by name.
    """

    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self.arrays = dict(arrays)

    def __getattr__(self, name: str) -> NDArray[Any]:
        try:
            return self.__dict__["arrays"][name]  # type: ignore[no-any-return]
        except KeyError:
            raise AttributeError(
                f"channels have no array {name!r}; there are {', '.join(self.__dict__.get('arrays', {}))}"
            ) from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.arrays]

    def __repr__(self) -> str:
        return f"<keller.Channels: {', '.join(self.__dict__.get('arrays', {}))}>"


class AskedWorld(Protocol):
    """What paths need of the :class:`World` that was asked for them; worlds make paths, so they import this module."""

    scene: Scene
    materials: dict[str, Material]

    def with_(self, **changes: Unpack[WorldChanges]) -> AskedWorld:
        """The same with other keywords."""

    def _job(
        self, tx: list[Tx], rx: list[Rx], sections: Mapping[str, Mapping[str, Any]], tell: _keller.Tell
    ) -> _keller.Job: ...


class Question(NamedTuple):
    """What Python asked for paths."""

    world: AskedWorld
    tx: list[Tx]
    rx: list[Rx]
    #: Options by section of a scenario.
    sections: dict[str, dict[str, Any]]


class Paths:
    """All paths of some links, with the field along each.

    :meth:`World.paths`, :meth:`Paths.replay` and :func:`run` make them. They are a table with one row a path, from
    which everything else follows::

        paths["gain_db"], paths["types"]        # columns; `paths.columns` has the unit of each
        paths.to_pandas(), paths.to_arrow()     # the table
        paths.links_to_pandas()                 # powers, delay and angular spreads of each link
        paths.channels()                        # arrays with an axis for receivers, transmitters and paths
        a, tau = paths.cir()                    # impulse response
        h = paths.cfr(frequencies)              # transfer function
        paths.replay(frequency=28e9)            # the same paths with other fields: nothing is traced again
        paths.view(), paths.plot(), paths.plot_pdp(tx=0, rx=0)
        paths.save("paths.parquet")

    ``len(paths)`` is the number of paths. ``paths.scene`` is the scene, ``paths.scenario`` the text of the scenario.
    Several threads may use one object.
    """

    #: Columns have names; there is nothing to go through by numbers.
    __iter__ = None

    def __init__(self, job: _keller.Job, compiled: _keller.Paths, question: Question | None = None) -> None:
        self._job, self._compiled = job, compiled
        #: None for the scenario of a file.
        self._question = question

    @classmethod
    def _found(cls, question: Question, progress: bool, file: str | None = None) -> Paths:
        with listener(progress) as tell:
            job = question.world._job(question.tx, question.rx, question.sections, tell)
            return cls(job, job.paths(False, None, tell, file), question)

    def __len__(self) -> int:
        return len(self._compiled)

    def __repr__(self) -> str:
        num_tx, num_rx = len(self._job.tx_positions), len(self._job.rx_positions)
        return f"<keller.Paths: {len(self)} paths from {num_tx} Tx to {num_rx} Rx at {self._job.frequency / 1e9:g} GHz>"

    @cached_property
    def scene(self) -> Scene:
        """The scene that the paths are in."""
        return self._question.world.scene if self._question else Scene(self._job.scene, [])

    def view(self) -> Page:
        """The paths in their scene as a page: click a receiver and see its paths; a notebook shows it."""
        return Page(self._compiled.page())

    @property
    def scenario(self) -> str:
        """The text of the scenario that was run: the program runs it too."""
        return self._job.text

    @cached_property
    def _columns(self) -> dict[str, tuple[str, Any]]:
        with listener() as tell:
            return self._compiled.table(tell)

    @cached_property
    def _links(self) -> dict[str, tuple[str, Any]]:
        with listener() as tell:
            return self._of_elements.links(tell)

    @cached_property
    def _channels(self) -> Channels:
        with listener() as tell:
            return Channels(self._of_elements.channels(tell))

    @cached_property
    def _of_elements(self) -> _keller.Paths:
        """The paths between the elements of arrays that say ``array_tracing="each"``."""
        if not self._job.has_elements:
            return self._compiled
        with listener() as tell:
            return self._job.paths(True, None, tell)

    def __getitem__(self, name: str) -> Any:
        """A column of the table of paths, such as ``gain_db`` or ``delay_s``: an array with one value a path.

        Texts are a list. ``points`` and ``objects`` have several values a path: ``offsets, values``, of which
        ``values[offsets[i]:offsets[i + 1]]`` are those of path ``i``.
        """
        try:
            return self._columns[name][1]
        except KeyError:
            raise KeyError(f"{name!r}; the columns are {', '.join(self._columns)}") from None

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    @property
    def columns(self) -> dict[str, str]:
        """The names of the columns of the table of paths, and their units."""
        return {name: unit for name, (unit, _) in self._columns.items()}

    def channels(self) -> Channels:
        """Channels of all links as arrays: impulse responses, transfer functions, angles and interactions."""
        return self._channels

    def cir(self) -> tuple[NDArray[np.complex128], NDArray[np.float64]]:
        """The impulse response, ``(a, tau)``.

        ``a`` is ``(num_rx, num_rx_ant, num_tx, num_tx_ant, num_paths, num_snapshots)`` complex128, ``tau`` is
        ``(num_rx, num_tx, num_paths)`` in seconds, as ``Paths.cir`` of Sionna RT gives them. The carrier phase is in
        ``a``. Links with fewer paths have zeros at the end.
        """
        channels = self._channels
        phase = np.exp(2j * np.pi * channels.doppler[..., np.newaxis] * channels.times)
        a = channels.a[..., np.newaxis] * phase[:, np.newaxis, :, np.newaxis]
        return a, channels.tau

    def cfr(self, frequencies: ArrayLike) -> NDArray[np.complex128]:
        """The transfer function at ``frequencies``, ``(n,)``, Hz.

        It is ``(num_rx, num_rx_ant, num_tx, num_tx_ant, num_snapshots, n)``. Frequencies are absolute: the carrier is
        ``world.frequency``, not 0. Materials and antennas are those at the carrier; ``replay`` at another frequency has
        those there.
        """
        wanted = real_array("frequencies", frequencies, lambda shape: len(shape) == 1, "an array of shape (n,), Hz")
        if (wanted <= 0).any():
            accepted = "positive numbers, Hz: frequencies themselves, not their distances from the carrier"
            raise ScenarioError(f"frequencies: found {wanted.min():g}; accepted: {accepted}")
        channels, carrier = self._channels, self._job.frequency
        a = channels.a
        h = np.zeros((*a.shape[:4], len(channels.times), len(wanted)), dtype=np.complex128)
        for path in range(a.shape[4]):
            # Doppler shifts grow with the frequency; the carrier phase is in `a`.
            turns = channels.doppler[:, :, path, np.newaxis, np.newaxis] * np.outer(channels.times, wanted / carrier)
            turns = turns - channels.tau[:, :, path, np.newaxis, np.newaxis] * (wanted - carrier)
            phase = np.exp(2j * np.pi * turns)
            h += a[:, :, :, :, path, np.newaxis, np.newaxis] * phase[:, np.newaxis, :, np.newaxis]
        return h

    def replay(self, **changes: Unpack[WorldChanges]) -> Paths:
        """The fields along the same paths at another ``frequency`` or with other ``materials``: nothing is traced.

        ``changes`` are keywords of :class:`World`, as :meth:`World.with_` takes them.
        A path that other materials would not let pass keeps its place with a weak field.
        """
        if self._question is None:
            raise ScenarioError("replay: these paths are of a scenario's file; accepted: paths of a keller.World")
        question = self._question._replace(world=self._question.world.with_(**changes))
        with listener() as tell:
            job = question.world._job(question.tx, question.rx, question.sections, tell)
            return Paths(job, job.replay(self._compiled), question)

    def plot(
        self,
        tx: int | str | None = None,
        rx: int | str | None = None,
        *,
        max_paths: int = 50,
        ax: Any = None,
        kind: str = "plan",
    ) -> Any:
        """Draws the strongest ``max_paths`` paths with matplotlib, coloured by gain, in their scene; gives the axes.

        ``tx`` and ``rx`` are an index or a name, which may stand for several; without them all are shown. ``kind`` is
        "plan" or "3d", in axes with ``projection="3d"``. Colours reach from the 5th percentile to the strongest. Raises
        :class:`ScenarioError` for a Tx or Rx that is not there, and for "3d" with more than 20 000 triangles around the
        paths.
        """
        triangles = (self.scene.vertices, self.scene.triangles)
        return _pictures.draw_paths(self._columns, self._devices, tx, rx, max_paths, triangles, kind, ax)

    def plot_pdp(self, tx: int | str = 0, rx: int | str = 0, ax: Any = None) -> Any:
        """Draws the gains of all paths of one link over their delays with matplotlib, by class of path; gives the axes.

        ``tx`` and ``rx`` are an index or a name. A path with interactions of different types is mixed. Raises
        :class:`ScenarioError` for a link without paths.
        """
        return _pictures.draw_profile(self._columns, self._devices, tx, rx, ax)

    def _repr_html_(self) -> str:
        devices = zip(("Tx", "Rx"), self._job.names, strict=True)
        facts: list[_html.Row] = [("paths", len(self)), ("frequency", _html.frequency(self._job.frequency))]
        facts += [(device, f"{len(names):,}: {_html.names(names)}") for device, names in devices]
        if len(self) > _MAX_SUMMED:
            return _html.show("keller.Paths", facts)
        links = {name: values for name, (_, values) in self._links.items()}
        tx, rx, gains, spreads = (
            links[name] for name in ("tx_name", "rx_name", "gain_incoherent_db", "delay_spread_s")
        )
        if np.isfinite(gains).any():
            best = int(np.nanargmax(gains))
            facts.append(("strongest link", f"{tx[best]} → {rx[best]}, {gains[best]:.1f} dB"))
        rows = [
            (
                tx[i],
                rx[i],
                int(links["num_paths"][i]),
                f"{gains[i]:.1f}" if np.isfinite(gains[i]) else "no path",
                f"{spreads[i] * 1e9:.2f}" if np.isfinite(spreads[i]) else "",
                "yes" if links["line_of_sight"][i] else "no",
            )
            for i in range(min(len(gains), _html.MAX_ROWS))
        ]
        head = ("Tx", "Rx", "paths", "gain, dB (powers added)", "delay spread, ns", "line of sight")
        return _html.show("keller.Paths", facts, head, rows, len(gains), num_texts=2)

    @property
    def _devices(self) -> tuple[_pictures.Devices, _pictures.Devices]:
        tx, rx = self._job.names
        return _pictures.Devices("Tx", tx, self._job.tx_positions), _pictures.Devices("Rx", rx, self._job.rx_positions)

    def save(self, file: str | PathLike[str]) -> None:
        """Writes the file that the program writes.

        A table of paths as .csv, .parquet or .json, all channels as .npz, or the paths themselves as .paths, which
        :meth:`World.paths` takes as ``file`` instead of searching.
        """
        name = file_name("file", file)
        with listener() as tell:
            self._compiled.save(name, tell)

    def to_pandas(self) -> pandas.DataFrame:
        """The table of paths, one row a path; columns and units as in :attr:`columns`."""
        import pandas

        return pandas.DataFrame({name: _listed(values) for name, (_, values) in self._columns.items()}, copy=False)

    def links_to_pandas(self) -> pandas.DataFrame:
        """The table of links: received power, delay and angular spreads, K factor, one row a Tx and Rx.

        With ``power_threshold_db`` or ``relative_threshold_db``, ``omitted_db`` is the gain of the paths left out.
        """
        import pandas

        return pandas.DataFrame({name: _listed(values) for name, (_, values) in self._links.items()})

    def to_arrow(self) -> pyarrow.Table:
        """The table of paths as Arrow; numbers are not copied."""
        import pyarrow

        return pyarrow.table({name: _arrow(values) for name, (_, values) in self._columns.items()})

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The table of paths for Polars, DuckDB and others that take Arrow's C stream; it needs pyarrow."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def to_xarray(self) -> xarray.Dataset:
        """The channels with dimensions rx, rx_ant, tx, tx_ant, path, snapshot and frequency."""
        import xarray

        channels = self._channels.arrays
        values = coordinates(self._job, channels)
        variables = {name: (about.dims, channels[name], about.attributes) for name, about in CHANNELS.items()}
        coords = {name: (about.dims, values[name], about.attributes) for name, about in COORDINATES.items()}
        attributes = {"keller": _keller.__version__, "scenario": self.scenario}
        return xarray.Dataset(variables, coords, attributes)


def _listed(values: Any) -> Any:
    """A column as pandas takes it: lists a row for points and ids."""
    if isinstance(values, tuple):
        offsets, flat = values
        return [flat[start:end] for start, end in pairwise(offsets)]
    return values


def _arrow(values: Any) -> Any:
    import pyarrow

    if not isinstance(values, tuple):
        return pyarrow.array(values)
    offsets, flat = values
    if flat.ndim == 2:
        items = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(flat.reshape(-1)), 3)
    else:
        items = pyarrow.array(flat)
    return pyarrow.LargeListArray.from_arrays(pyarrow.array(offsets), items)
