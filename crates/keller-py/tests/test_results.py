"""What results are, by physics and by closed forms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import keller
import numpy as np
import pytest
from conftest import C


def free_space_db(distance: float, frequency: float) -> float:
    return float(20 * np.log10(C / frequency / (4 * np.pi * distance)))


def test_two_rays_over_metal_add_as_their_closed_form(ground: keller.Scene) -> None:
    world = keller.World(ground, 1e9)
    tx, rx = np.array([0, 0, 10.0]), np.array([80.0, 30.0, 2.0])
    paths = world.paths(keller.Tx(tx), [rx], max_reflections=1)
    assert sorted(paths["types"]) == ["LOS", "R"]
    direct, image = np.linalg.norm(tx - rx), np.linalg.norm(tx * [1, 1, -1] - rx)
    assert np.allclose(np.sort(paths["length_m"]), [direct, image], rtol=1e-12)
    los = list(paths["types"]).index("LOS")
    assert paths["gain_db"][los] == pytest.approx(free_space_db(float(direct), 1e9), abs=1e-9)
    a, tau = paths.cir()
    assert a.shape == (1, 1, 1, 1, 2, 1) and a.dtype == np.complex128
    assert tau.shape == (1, 1, 2) and tau.dtype == np.float64
    assert np.allclose(np.sort(tau[0, 0]), np.array([direct, image]) / C, rtol=1e-12)
    # Metal has a conductivity of 1e7 S/m in ITU-R P.2040; the vertical field is TM, and keeps its sign.
    eta = 1 - 1j * 1e7 / (2 * np.pi * 1e9 * 8.8541878128e-12)
    cos = 12 / image
    root = np.sqrt(eta - (1 - cos**2))
    reflection = (eta * cos - root) / (eta * cos + root)
    k, wavelength = 2 * np.pi * 1e9 / C, C / 1e9
    rays = np.exp(-1j * k * direct) / direct + reflection * np.exp(-1j * k * image) / image
    assert a.sum() == pytest.approx(wavelength / (4 * np.pi) * rays, rel=1e-9)
    assert paths.cfr([1e9])[0, 0, 0, 0, 0, 0] == pytest.approx(a.sum(), rel=1e-12)


def test_a_replay_at_another_frequency_is_a_run_at_that_frequency(world: keller.World) -> None:
    tx, rx = keller.Tx([1, 1, 2]), [[4, 3, 1.5]]
    options: dict[str, Any] = {"max_reflections": 2, "search": "exhaustive"}
    replayed = world.paths(tx, rx, **options).replay(frequency=28e9)
    fresh = world.with_(frequency=28e9).paths(tx, rx, **options)
    assert np.array_equal(replayed["gain_db"], fresh["gain_db"])
    assert np.array_equal(replayed.channels().a, fresh.channels().a)


def test_the_response_over_a_band_is_the_sum_of_paths(world: keller.World) -> None:
    rx = keller.Rx(np.array([[4, 3, 1.5], [2, 2, 1]]))
    paths = world.paths(keller.Tx([1, 1, 2]), rx, max_reflections=2, bandwidth_hz=200e6, num_frequencies=16)
    channels = paths.channels()
    assert np.allclose(paths.cfr(channels.frequencies), channels.h, rtol=1e-9, atol=1e-14)


def test_the_response_of_what_moves_is_that_of_the_channel(world: keller.World) -> None:
    rx = keller.Rx([[4.0, 3.0, 1.5], [2.0, 2.0, 1.0]], velocity=[20.0, -11.0, 3.0])
    band: dict[str, Any] = {"bandwidth_hz": 400e6, "num_frequencies": 8, "snapshots": 3, "snapshot_interval_s": 1e-3}
    paths = world.paths(keller.Tx([1, 1, 2], velocity=[0, 30.0, 0]), rx, max_reflections=2, **band)
    channels = paths.channels()
    assert abs(channels.doppler).max() > 100
    assert np.allclose(paths.cfr(channels.frequencies), channels.h, rtol=1e-7, atol=1e-14)


def test_links_of_traced_elements_are_those_of_the_program(world: keller.World, tmp_path: Path, program: Any) -> None:
    pandas = pytest.importorskip("pandas")
    array: keller.options.ArrayOptions = {"rows": 2, "columns": 2, "spacing_wavelengths": [0.5, 0.5]}
    tx = keller.Tx([1, 1, 2], antenna=keller.Antenna.isotropic(array=array, array_tracing="each"))
    paths = world.paths(tx, keller.Rx([4, 3, 1.5]), max_reflections=2)
    (tmp_path / "s.toml").write_text(paths.scenario)
    program("channel", "s.toml", "-o", "links.parquet")
    theirs = pandas.read_parquet(tmp_path / "links.parquet")
    ours = paths.links_to_pandas()
    for name in ("gain_incoherent_db", "gain_coherent_db", "delay_spread_s"):
        assert np.array_equal(ours[name], theirs[name], equal_nan=True), name


def test_receivers_may_come_in_many_ways(world: keller.World, tmp_path: Path) -> None:
    tx = keller.Tx([1, 1, 2])
    points = np.array([[4, 3, 1.5], [2, 2, 1]])
    grid: keller.options.GridOptions = {"min": [1, 2], "max": [2, 2], "spacing": 1, "height": 1.5}
    file = tmp_path / "rx.csv"
    file.write_text("x,y,z\n4,3,1.5\n2,2,1\n")
    expected = world.paths(tx, points, max_reflections=1)["gain_db"]
    ways: list[Any] = [
        points.tolist(),
        keller.Rx(points),
        [keller.Rx(points[:1]), keller.Rx([2, 2, 1])],
        str(file),
        file,
    ]
    for rx in ways:
        assert np.array_equal(world.paths(tx, rx, max_reflections=1)["gain_db"], expected)
    assert len(world.paths(tx, keller.Rx(grid=grid), max_reflections=0)) == 2


def test_tables_and_data_sets(world: keller.World) -> None:
    paths = world.paths(keller.Tx([1, 1, 2]), [[4.0, 3.0, 1.5], [2.0, 2.0, 1.0]], max_reflections=1)
    pandas = pytest.importorskip("pandas")
    table = paths.to_pandas()
    assert isinstance(table, pandas.DataFrame) and len(table) == len(paths)
    arrow = pytest.importorskip("pyarrow")
    columns = paths.to_arrow()
    assert isinstance(columns, arrow.Table) and columns.column_names == list(table.columns)
    streamed = arrow.table(paths)
    assert streamed.schema == columns.schema, "through the C stream"
    pandas.testing.assert_frame_equal(streamed.to_pandas(), columns.to_pandas())
    for name in ("gain_db", "delay_s", "tx"):
        ours = paths[name]
        assert np.shares_memory(ours, columns[name].chunk(0).to_numpy()), name
        assert np.shares_memory(ours, table[name].to_numpy()), name
    assert np.shares_memory(paths["points"][1], columns["points"].chunk(0).flatten().flatten().to_numpy())
    pytest.importorskip("xarray")
    data = paths.to_xarray()
    assert data["a"].dims == ("rx", "rx_ant", "tx", "tx_ant", "path") and data["tau"].attrs["units"] == "s"
    coverage = world.coverage(keller.Tx([1, 1, 2]), resolution=1.0, heights=[1.5])
    data = coverage.to_xarray()
    assert data["path_gain_db"].dims == ("tx", "z", "y", "x")
    assert np.array_equal(data["path_gain_db"].values, coverage.path_gain_db)
