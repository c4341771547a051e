"""Data sets: their rows are the channels, strongest paths first, and others' readers open them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import keller
import keller.dataset
import numpy as np
import pytest
from conftest import ROOT, C
from numpy.typing import NDArray

TX = [keller.Tx([1, 1, 2], name="desk"), keller.Tx([4, 1, 2.2], antenna="dipole", polarization="VH")]
RX = np.array([[4, 3, 1.5], [2, 2, 1], [0.5, 3.2, 0.7], [3.3, 0.4, 1.9], [2.5, 3.5, 2.2], [1.1, 2.9, 1.2]])
BAND: dict[str, Any] = {"bandwidth_hz": 200e6, "num_frequencies": 8, "snapshots": 2, "snapshot_interval_s": 1e-3}
PER_PATH = ("tau", "doppler", "theta_t", "phi_t", "theta_r", "phi_r", "valid")
FORMS = (".zarr", ".h5", ".hdf5")

Arrays = dict[str, NDArray[Any]]


def read(file: Path) -> Arrays:
    """All arrays, read by the package of the format alone."""
    if file.suffix == ".zarr":
        root = pytest.importorskip("zarr").open_group(str(file), mode="r")
        return {name: np.asarray(array[...]) for name, array in root.arrays()}
    with pytest.importorskip("h5py").File(file) as root:
        return {name: array[...] for name, array in root.items()}


def attributes(file: Path) -> dict[str, Any]:
    if file.suffix == ".zarr":
        return dict(pytest.importorskip("zarr").open_group(str(file), mode="r").attrs)
    with pytest.importorskip("h5py").File(file) as root:
        return dict(root.attrs)


def sorted_by_power(channels: keller.Channels) -> Arrays:
    """The arrays of channels with the paths of every link sorted, one link at a time."""
    names = ("h", "a", *PER_PATH, "interactions", "num_paths", "line_of_sight")
    arrays = {name: channels.arrays[name].copy() for name in names}
    for rx, tx in np.ndindex(*channels.num_paths.shape):
        count = channels.num_paths[rx, tx]
        power = (np.abs(channels.a[rx, :, tx, :, :count]) ** 2).sum(axis=(0, 1))
        order = sorted(range(count), key=lambda path: -power[path])
        arrays["a"][rx, :, tx, :, :count] = channels.a[rx, :, tx][:, :, order]
        for name in (*PER_PATH, "interactions"):
            arrays[name][rx, tx, :count] = channels.arrays[name][rx, tx, order]
    return arrays


@pytest.mark.parametrize("form", FORMS)
def test_rows_are_the_channels_with_the_strongest_paths_first(world: keller.World, tmp_path: Path, form: str) -> None:
    expected = sorted_by_power(world.paths(TX, RX, max_reflections=2, **BAND).channels())
    double, single = tmp_path / f"double{form}", tmp_path / f"single{form}"
    keller.dataset.save(double, world, TX, RX, dtype="complex128", max_paths=None, max_reflections=2, **BAND)
    keller.dataset.save(single, world, TX, RX, max_paths=None, max_reflections=2, **BAND)
    in_double, in_single = read(double), read(single)
    rounded = {np.dtype("c16"): np.dtype("c8"), np.dtype("f8"): np.dtype("f4")}
    assert expected["a"].shape[:4] == (6, 1, 2, 2) and expected["h"].shape == (6, 1, 2, 2, 2, 8)
    for name, values in expected.items():
        assert in_double[name].dtype == values.dtype, name
        assert np.array_equal(in_double[name], values), name
        dtype = values.dtype if name == "tau" else rounded.get(values.dtype, values.dtype)
        assert in_single[name].dtype == dtype, name
        assert np.array_equal(in_single[name], values.astype(dtype)), name
    assert np.array_equal(in_single["rx_position"], RX) and in_single["rx_position"].dtype == np.float64


def test_labels_of_two_rays_over_metal_have_their_closed_forms(ground: keller.Scene, tmp_path: Path) -> None:
    world = keller.World(ground, 1e9, materials={"metal": keller.Material(pec=True)})
    tx, rx = np.array([0, 0, 10.0]), np.array([80.0, 30.0, 2.0])
    file = tmp_path / "two.zarr"
    keller.dataset.save(file, world, keller.Tx(tx), [rx], dtype="complex128", max_paths=4, max_reflections=1)
    data = read(file)
    lengths = np.array([np.linalg.norm(tx - rx), np.linalg.norm(tx * [1, 1, -1] - rx)])
    # A perfect conductor keeps the sign of the vertical field and all of its power.
    a = C / 1e9 / (4 * np.pi * lengths) * np.exp(-2j * np.pi * 1e9 * lengths / C)
    power = np.abs(a) ** 2
    assert np.allclose(data["a"][0, 0, 0, 0], [*a, 0, 0], rtol=1e-8)
    assert np.allclose(data["tau"][0, 0], [*lengths / C, 0, 0], rtol=1e-12)
    assert data["valid"][0, 0].tolist() == [True, True, False, False] and data["num_paths"].tolist() == [[2]]
    assert data["interactions"][0, 0, :, 0].tolist() == [0, 1, 0, 0] and data["line_of_sight"].all()
    assert data["h"][0, 0, 0, 0, 0, 0] == pytest.approx(a.sum(), rel=1e-8)
    assert data["path_gain_db"][0, 0] == pytest.approx(10 * np.log10(power.sum()), abs=1e-9)
    spread = np.sqrt(power.prod()) / power.sum() * np.ptp(lengths) / C
    assert data["delay_spread"][0, 0] == pytest.approx(spread, rel=1e-9)


@pytest.mark.parametrize("form", FORMS[:2])
def test_values_depend_on_neither_batches_nor_chunks(
    world: keller.World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    # Outside, links have no path: the first batch is smaller than others in every dimension.
    rx = np.vstack([[9.0, 9.0, 1.0], RX, RX + 0.05])
    options: dict[str, Any] = {"max_reflections": 2, "max_paths": None, **BAND}
    with pytest.warns(keller.KellerWarning, match="1 of 13 receivers have no path"):
        keller.dataset.save(tmp_path / f"many{form}", world, TX, rx, **options)
        for batch, chunk in ((1, 5), (40_000, 1), (1 << 26, 13), (40_000, 1000), (40_000, None)):
            monkeypatch.setattr("keller.dataset._trace.BATCH_BYTES", batch)
            monkeypatch.setattr("keller.dataset._write.BATCH_BYTES", batch)
            monkeypatch.setattr("keller.dataset._writer.CHUNK_BYTES", 700)
            keller.dataset.save(tmp_path / f"few{form}", world, TX, rx, chunk=chunk, overwrite=True, **options)
            many, few = read(tmp_path / f"many{form}"), read(tmp_path / f"few{form}")
            assert many.keys() == few.keys()
            for name, values in many.items():
                assert values.dtype == few[name].dtype, name
                is_equal = np.array_equal(values, few[name], equal_nan=values.dtype.kind == "f")
                assert is_equal, (name, batch, chunk)


def test_chunks_have_the_wanted_size(world: keller.World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    zarr = pytest.importorskip("zarr")
    monkeypatch.setattr("keller.dataset._writer.CHUNK_BYTES", 600)
    keller.dataset.save(tmp_path / "by_size.zarr", world, TX, RX, max_paths=10, max_reflections=1, **BAND)
    for name, array in zarr.open_group(str(tmp_path / "by_size.zarr"), mode="r").arrays():
        assert np.prod(array.chunks) * array.dtype.itemsize <= 600, name
    keller.dataset.save(tmp_path / "by_rows.zarr", world, TX, RX, chunk=4, max_paths=10, max_reflections=1, **BAND)
    root = zarr.open_group(str(tmp_path / "by_rows.zarr"), mode="r")
    assert root["h"].chunks == (4, 1, 2, 2, 2, 8) and root["tau"].chunks == (4, 2, 10)
    # Blosc takes no 2 GiB.
    monkeypatch.setattr("keller.dataset._writer.MAX_CHUNK_BYTES", 600)
    keller.dataset.save(tmp_path / "huge.zarr", world, TX, RX, chunk=4, max_paths=10, max_reflections=1, **BAND)
    root = zarr.open_group(str(tmp_path / "huge.zarr"), mode="r")
    assert root["h"].chunks == (1, 1, 2, 2, 2, 8) and root["num_paths"].chunks == (4, 2)


def test_kept_paths_are_the_strongest(world: keller.World, tmp_path: Path) -> None:
    channels = world.paths(TX, RX, max_reflections=2).channels()
    keller.dataset.save(tmp_path / "cut.h5", world, TX, RX, dtype="complex128", max_paths=5, max_reflections=2)
    cut = read(tmp_path / "cut.h5")
    power = (np.abs(channels.a) ** 2).sum(axis=(1, 3))
    strongest = -np.sort(-power, axis=-1)[..., :5]
    assert np.array_equal((np.abs(cut["a"]) ** 2).sum(axis=(1, 3)), strongest)
    assert np.array_equal(cut["num_paths"], channels.num_paths) and cut["num_paths"].min() > 5
    assert cut["tau"].shape == (6, 2, 5) and cut["valid"].all()
    # Labels and responses are those of all paths. The ports of a Tx share its power.
    ports = [1, 2]
    gain = 10 * np.log10(power.sum(axis=-1) / ports)
    assert np.allclose(cut["path_gain_db"], gain, rtol=0, atol=1e-9)
    assert np.array_equal(cut["h"], channels.h)


def test_responses_are_the_sums_of_all_paths(world: keller.World, tmp_path: Path) -> None:
    tx, rx = keller.Tx([1, 1, 2], velocity=[3, 0, 0]), keller.Rx(RX, polarization="VH")
    options: dict[str, Any] = {"max_reflections": 2, "dispersion": "carrier", **BAND}
    keller.dataset.save(tmp_path / "sum.zarr", world, tx, rx, dtype="complex128", max_paths=100, **options)
    data, about = read(tmp_path / "sum.zarr"), attributes(tmp_path / "sum.zarr")
    carrier = about["carrier_frequency"]
    # Motion changes delays, so that each frequency has a Doppler shift of its own; `doppler` is that of the carrier.
    shift = data["frequency"] * data["doppler"][..., np.newaxis, np.newaxis] / carrier
    lag = (data["frequency"] - carrier) * data["tau"][..., np.newaxis, np.newaxis]
    turns = shift * data["snapshot"][:, np.newaxis] - lag
    phase = np.exp(2j * np.pi * turns)
    h = np.einsum("rmtnp,rtpsf->rmtnsf", data["a"], phase)
    assert data["h"].shape == (6, 2, 1, 1, 2, 8) and np.abs(data["doppler"]).max() > 10
    assert np.allclose(h, data["h"], rtol=1e-9, atol=1e-14)


def test_elements_that_are_traced_one_by_one(world: keller.World, tmp_path: Path) -> None:
    array: keller.options.ArrayOptions = {"rows": 1, "columns": 2, "spacing_wavelengths": [0.5, 0.5]}
    tx = keller.Tx([1, 1, 2], array=array, array_tracing="each")
    keller.dataset.save(tmp_path / "each.h5", world, tx, RX, dtype="complex128", max_paths=None, max_reflections=1)
    data = read(tmp_path / "each.h5")
    expected = sorted_by_power(world.paths(tx, RX, max_reflections=1).channels())
    assert data["a"].shape == (6, 1, 1, 2, 7)
    assert all(np.array_equal(data[name], expected[name]) for name in expected)
    gain = (np.abs(expected["a"]) ** 2).sum(axis=(1, 3, 4)) / 2
    assert np.allclose(data["path_gain_db"], 10 * np.log10(gain), rtol=0, atol=1e-9)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("max_paths", [None, 3])
def test_receivers_without_a_path_are_rows_of_zeros(
    world: keller.World, tmp_path: Path, form: str, max_paths: int | None
) -> None:
    outside = [[9.0, 9.0, 1.0], [-4.0, 2.0, 1.0]]
    with pytest.warns(keller.KellerWarning, match=r"2 of 2 receivers have no path \(rx 0"):
        keller.dataset.save(tmp_path / f"none{form}", world, TX, outside, max_paths=max_paths, max_reflections=1)
    data = read(tmp_path / f"none{form}")
    assert data["valid"].shape == (2, 2, max_paths or 0) and not data["valid"].any()
    assert not data["a"].any() and not data["tau"].any() and not data["h"].any()
    assert data["h"].shape == (2, 1, 2, 2, 1, 1)
    assert not data["num_paths"].any() and not data["line_of_sight"].any()
    assert (data["path_gain_db"] == -np.inf).all() and np.isnan(data["delay_spread"]).all()


@pytest.mark.parametrize("form", FORMS)
def test_xarray_opens_it_with_dimensions_coordinates_and_units(world: keller.World, tmp_path: Path, form: str) -> None:
    xarray = pytest.importorskip("xarray")
    file = tmp_path / f"x{form}"
    if form == ".zarr":
        pytest.importorskip("zarr")
        keller.dataset.save(file, world, TX, RX, dtype="complex128", max_paths=None, max_reflections=1, **BAND)
        data = xarray.open_zarr(file, chunks=None)
    else:
        pytest.importorskip("h5netcdf")
        keller.dataset.save(file, world, TX, RX, dtype="complex128", max_paths=None, max_reflections=1, **BAND)
        data = xarray.open_dataset(file, engine="h5netcdf")
    with data:
        expected = world.paths(TX, RX, max_reflections=1, **BAND).to_xarray()
        assert dict(data.sizes) == {name: expected.sizes[name] for name in data.sizes} and len(data.sizes) == 9
        assert set(data.coords) == set(expected.coords)
        for name in data.variables:
            if name not in ("path_gain_db", "delay_spread"):
                assert data[name].dims == expected[name].dims, name
                assert data[name].dtype == expected[name].dtype or data[name].dtype.kind in "UO", name
                if "units" in expected[name].attrs:
                    assert data[name].attrs["units"] == expected[name].attrs["units"], name
            assert data[name].attrs["description"] and data[name].attrs["units"], name
            if "path" not in data[name].dims and name in expected.variables:
                assert np.array_equal(data[name].values, expected[name].values), name
        assert data.tx.values.tolist() == ["desk", "1"] and data.axis.values.tolist() == ["x", "y", "z"]
        assert data.attrs["keller"] == keller.__version__ and data.attrs["carrier_frequency"] == 3.5e9
        assert data.attrs["scenario"] == expected.attrs["scenario"]
        assert data.sel(frequency=slice(3.5e9, None)).sizes["frequency"] == 4


def test_a_long_scenario_fits(world: keller.World, tmp_path: Path) -> None:
    """An attribute of HDF5 itself holds no more than 64 KB."""
    tx = [keller.Tx([1, 1, 2], name="x" * 1000)] * 100
    for form in FORMS[:2]:
        keller.dataset.save(tmp_path / f"long{form}", world, tx, RX[:1], max_reflections=0)
        assert len(attributes(tmp_path / f"long{form}")["scenario"]) > 100_000


def test_every_chunk_is_in_the_folder(world: keller.World, tmp_path: Path) -> None:
    """Without a fill value, the contents of a missing chunk are undefined; with one, xarray makes NaN of zeros."""
    with pytest.warns(keller.KellerWarning, match="no path"):
        keller.dataset.save(tmp_path / "all.zarr", world, TX, np.vstack([RX, RX + 50]), chunk=5, max_reflections=1)
    root = pytest.importorskip("zarr").open_group(str(tmp_path / "all.zarr"), mode="r")
    for name, array in root.arrays():
        files = [file for file in (tmp_path / "all.zarr" / name).iterdir() if not file.name.startswith(".")]
        assert len(files) == np.prod([-(-n // c) for n, c in zip(array.shape, array.chunks, strict=True)]), name
        assert '"fill_value": null' in (tmp_path / "all.zarr" / name / ".zarray").read_text()


def test_the_scenario_of_a_file(tmp_path: Path, room_file: Path) -> None:
    (tmp_path / "room.toml").write_text(f"""
frequency_hz = 3.5e9
[scene]
file = {str(room_file)!r}
default_material = "concrete"
[[tx]]
position = [1, 1, 2]
[[rx]]
position = [4, 3, 1.5]
name = "sofa"
[[rx]]
grid = {{ min = [1, 1], max = [3, 3], spacing = 1, height = 1.2 }}
[paths]
max_reflections = 2
[channel]
bandwidth_hz = 100e6
num_frequencies = 4
""")
    keller.dataset.save(tmp_path / "room.h5", tmp_path / "room.toml", dtype="complex128", max_paths=None)
    data = read(tmp_path / "room.h5")
    paths = keller.run(tmp_path / "room.toml")
    assert isinstance(paths, keller.Paths)
    expected = sorted_by_power(paths.channels())
    assert all(np.array_equal(data[name], expected[name]) for name in expected)
    assert [name.decode() for name in data["rx"]][:2] == ["sofa", "1"]
    assert attributes(tmp_path / "room.h5")["scenario"] == (tmp_path / "room.toml").read_text()


def test_a_place_on_earth_says_where(tmp_path: Path) -> None:
    pytest.importorskip("zarr")
    place = keller.import_place([ROOT / "examples/village/village.geojson", ROOT / "examples/village/hill.asc"])
    world = keller.World(place, 3.5e9, default_material="concrete")
    tx = keller.Tx([-60, -54], height_above_ground=6)
    rx = keller.Rx(file=None, position=[-40, -50], height_above_ground=1.5)
    keller.dataset.save(tmp_path / "village.zarr", world, tx, rx, max_reflections=1)
    about = attributes(tmp_path / "village.zarr")
    assert about["crs"] == place.crs and place.origin is not None and about["origin"] == list(place.origin)


Tell = Callable[[str, str, "float | None"], None]


@pytest.fixture
def interrupt(monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], list[str]]:
    """Interrupts runs while they trace, or when that is done and the file is being written."""

    def when(is_traced: bool) -> list[str]:
        stages: list[str] = []

        @contextmanager
        def listener(progress: bool = False) -> Iterator[Tell]:
            def tell(kind: str, text: str, done: float | None) -> None:
                stages.append(text)
                if kind == "progress" and (text == "write") == is_traced:
                    raise KeyboardInterrupt

            yield tell

        monkeypatch.setattr("keller.dataset._save.listener", listener)
        return stages

    return when


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("is_traced", [False, True])
def test_an_interrupted_run_leaves_what_was_there(
    world: keller.World, tmp_path: Path, interrupt: Callable[[bool], list[str]], form: str, is_traced: bool
) -> None:
    file = tmp_path / f"data{form}"
    keller.dataset.save(file, world, TX, RX[:1], max_reflections=0)
    before = {name: array.tolist() for name, array in read(file).items() if array.dtype.kind != "f"}
    stages = interrupt(is_traced)
    for name, overwrite in ((file, True), (tmp_path / f"new{form}", False)):
        with pytest.raises(KeyboardInterrupt):
            keller.dataset.save(name, world, TX, RX, max_reflections=1, overwrite=overwrite)
    assert stages.count("write") == (2 if is_traced else 0)
    assert os.listdir(tmp_path) == [file.name]
    assert {name: array.tolist() for name, array in read(file).items() if array.dtype.kind != "f"} == before


@pytest.mark.parametrize("form", FORMS[:2])
def test_ctrl_c_leaves_nothing(room_file: Path, tmp_path: Path, form: str) -> None:
    pytest.importorskip("zarr" if form == ".zarr" else "h5py")
    code = f"""
import sys, keller, keller.dataset
world = keller.World(keller.load_scene({str(room_file)!r}), 3.5e9, default_material="concrete")
rx = keller.Rx(grid={{"min": [0.2, 0.2], "max": [4.8, 3.8], "spacing": 0.01, "height": 1.5}})
print("ready", flush=True)
try:
    keller.dataset.save({str(tmp_path / f"data{form}")!r}, world, keller.Tx([1, 1, 2]), rx, max_reflections=4)
except KeyboardInterrupt:
    sys.exit(17)
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None and running.stdout.readline() == "ready\n"
        # Wait for the first finished batch.
        while not list(tmp_path.glob(".data*/*.npz")):
            assert running.poll() is None
            time.sleep(0.01)
        running.send_signal(signal.SIGINT)
        assert running.wait(timeout=60) == 17
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("form", FORMS)
def test_what_is_there_is_replaced_only_on_demand(world: keller.World, tmp_path: Path, form: str) -> None:
    file = tmp_path / f"data{form}"
    keller.dataset.save(file, world, TX, RX[:2], max_reflections=0)
    with pytest.raises(keller.ScenarioError, match="exists; accepted: a new name, or overwrite=True"):
        keller.dataset.save(file, world, TX, RX, max_reflections=0)
    assert len(read(file)["valid"]) == 2
    keller.dataset.save(file, world, TX, RX, max_reflections=0, overwrite=True)
    assert len(read(file)["valid"]) == 6 and os.listdir(tmp_path) == [file.name]
    other = tmp_path / f"photos{form}"
    other.mkdir()
    (other / "one.jpg").touch()
    with pytest.raises(keller.ScenarioError, match="something else"):
        keller.dataset.save(other, world, TX, RX, max_reflections=0, overwrite=True)
    assert os.listdir(other) == ["one.jpg"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"max_reflektions": 1}, "max_reflektions: there is no such keyword"),
        ({"max_reflections": -1}, "max_reflections"),
        ({"resolution": 1}, "resolution: there is no such keyword"),
        ({"dtype": "float32"}, "dtype: found 'float32'; accepted: complex64, complex128"),
        ({"dtype": "complex"}, None),
        ({"dtype": "nonsense"}, "dtype: found 'nonsense'"),
        ({"dtype": ">c8"}, "dtype"),
        ({"dtype": None}, "dtype: found None"),
        ({"max_paths": 0}, "max_paths: found 0; accepted: None or a whole number from 1 on"),
        ({"max_paths": 2.5}, "max_paths: found 2.5"),
        ({"max_paths": True}, "max_paths: found True"),
        ({"chunk": -3}, "chunk: found -3"),
        ({"chunk": "many"}, "chunk: found 'many'"),
        ({"file": "data.npz"}, "file: found '.*data.npz'; accepted: a name that ends in .zarr, .h5 or .hdf5"),
        ({"file": "no/such/folder/data.h5"}, "existing folder"),
        ({"rx": None}, "rx: found None"),
        ({"tx": None}, "tx: found None"),
        ({"rx": [[1, 2]]}, "rx: found an array of shape"),
        ({"world": 7}, "world: found 7"),
        ({"world": "missing.toml"}, "tx: found beside"),
        ({"world": "missing.toml", "tx": None, "rx": None}, "missing.toml"),
        ({"world": "missing.toml", "tx": None, "rx": None, "max_depth": 3}, "max_depth: found beside"),
    ],
)
def test_bad_arguments_are_named_and_leave_nothing(
    world: keller.World, tmp_path: Path, arguments: dict[str, Any], message: str | None
) -> None:
    call: dict[str, Any] = {"file": "data.h5", "world": world, "tx": TX, "rx": RX[:1], **arguments}
    call["file"] = tmp_path / call["file"]
    if message is None:
        keller.dataset.save(**call)
        return
    with pytest.raises(keller.KellerError, match=message):
        keller.dataset.save(**call)
    assert os.listdir(tmp_path) == []


def test_a_scenario_without_receivers_is_refused(tmp_path: Path, room_file: Path) -> None:
    text = f'frequency_hz = 1e9\n[scene]\nfile = {str(room_file)!r}\ndefault_material = "concrete"\n'
    text += "[[tx]]\nposition = [1, 1, 2]\n[coverage]\nresolution = 1\nheights = [1]\n"
    (tmp_path / "map.toml").write_text(text)
    with pytest.raises(keller.ScenarioError, match=r"\[\[rx\]\]"):
        keller.dataset.save(tmp_path / "map.h5", tmp_path / "map.toml")
    assert os.listdir(tmp_path) == ["map.toml"]


def test_a_missing_package_is_named(world: keller.World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for package, form in (("zarr", ".zarr"), ("h5py", ".h5")):
        monkeypatch.setitem(sys.modules, package, None)
        with pytest.raises(ModuleNotFoundError, match=rf"{package}.*keller\[learning\]"):
            keller.dataset.save(tmp_path / f"data{form}", world, TX, RX)
    assert os.listdir(tmp_path) == []


def test_progress_goes_from_nothing_to_all(
    world: keller.World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shares: list[float] = []

    @contextmanager
    def listener(progress: bool = False) -> Iterator[Tell]:
        def tell(kind: str, text: str, done: float | None) -> None:
            if kind == "progress" and text != "write" and done is not None:
                shares.append(done)

        yield tell

    monkeypatch.setattr("keller.dataset._save.listener", listener)
    monkeypatch.setattr("keller.dataset._trace.BATCH_BYTES", 1)
    keller.dataset.save(tmp_path / "data.h5", world, TX, RX, max_reflections=1)
    assert shares == sorted(shares) and shares[-1] == 1.0
    # A receiver at a time.
    assert {round(share * 6, 6) % 1 for share in shares} and len(set(shares)) >= 6
