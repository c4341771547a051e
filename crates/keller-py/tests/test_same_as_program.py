"""Python gives the numbers of the program, bit for bit.

Every result stands beside the file that the program writes of the same scenario.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import keller
import numpy as np
import pytest
from conftest import Run

RX = [[4.0, 3.0, 1.5], [2.0, 2.0, 1.0], [0.5, 3.5, 2.0]]


def same(ours: dict[str, Any], file: Path) -> None:
    with np.load(file) as theirs:
        assert set(ours) == set(theirs.files)
        for name in theirs.files:
            assert ours[name].dtype == theirs[name].dtype, name
            assert ours[name].shape == theirs[name].shape, name
            assert ours[name].tobytes() == theirs[name].tobytes(), name


def antennas() -> tuple[keller.Tx, keller.Rx]:
    array: keller.options.ArrayOptions = {"rows": 2, "columns": 2, "spacing_wavelengths": [0.5, 0.5]}
    tx = keller.Tx(
        [1, 1, 2], antenna=keller.Antenna.tr38901(polarization="cross", array=array), azimuth_deg=40, power_dbm=43
    )
    return tx, keller.Rx(RX, antenna="dipole", velocity=[1.0, 0.5, 0.0])


def scenario(folder: Path, text: str, points: list[list[float]] | None = None) -> str:
    """The scenario in a file; receivers of an array stand in a CSV beside it."""
    if points is not None:
        lines = ["x,y,z"] + [",".join(repr(float(v)) for v in point) for point in points]
        (folder / "rx.csv").write_text("\n".join(lines) + "\n")
        start = text.index("position = [", text.index("[[rx]]"))
        end = text.index("\n", start)
        text = text[:start] + 'file = "rx.csv"' + text[end:]
    (folder / "s.toml").write_text(text)
    return "s.toml"


def test_tables_of_paths_and_links(world: keller.World, program: Run, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    tx, rx = antennas()
    paths = world.paths(tx, rx, max_reflections=2, max_diffractions=1)
    file = scenario(tmp_path, paths.scenario, RX)
    program("paths", file, "-o", "paths.parquet")
    theirs = parquet.read_table(tmp_path / "paths.parquet").to_pandas()
    ours = paths.to_pandas()
    assert len(ours) == len(theirs) > 50
    assert list(ours.columns) == list(theirs.columns)
    for name in ours.columns:
        if name == "points":
            flat = [
                np.array([[p["x"], p["y"], p["z"]] if isinstance(p, dict) else p for p in row]) for row in theirs[name]
            ]
            assert all(np.array_equal(a, b.reshape(-1, 3)) for a, b in zip(ours[name], flat, strict=True))
        elif name == "objects":
            assert all(np.array_equal(a, b) for a, b in zip(ours[name], theirs[name], strict=True))
        elif ours[name].dtype == object or str(ours[name].dtype) in ("str", "string"):
            assert list(ours[name]) == list(theirs[name])
        else:
            assert ours[name].to_numpy().tobytes() == theirs[name].to_numpy().astype(ours[name].dtype).tobytes(), name

    program("channel", file, "-o", "links.parquet")
    theirs = parquet.read_table(tmp_path / "links.parquet").to_pandas()
    ours = paths.links_to_pandas()
    assert list(ours.columns) == list(theirs.columns) and len(ours) == len(theirs) == 3
    for name in ours.columns:
        if ours[name].dtype == object or str(ours[name].dtype) in ("str", "string"):
            assert list(ours[name]) == list(theirs[name]), name
        else:
            assert ours[name].to_numpy().tobytes() == theirs[name].to_numpy().astype(ours[name].dtype).tobytes(), name


def test_channels(world: keller.World, program: Run, tmp_path: Path) -> None:
    tx, rx = antennas()
    band: dict[str, Any] = {"bandwidth_hz": 100e6, "num_frequencies": 8}
    paths = world.paths(tx, rx, max_reflections=2, max_transmissions=1, **band)
    program("channel", scenario(tmp_path, paths.scenario, RX), "-o", "c.npz")
    ours = paths.channels().arrays
    with np.load(tmp_path / "c.npz") as theirs:
        text = bytes(theirs["scenario"]).decode()
    assert "rx.csv" in text
    ours["scenario"] = np.frombuffer(text.encode(), np.uint8)
    same(ours, tmp_path / "c.npz")


def test_power_beside_paths(world: keller.World, program: Run, tmp_path: Path) -> None:
    world = world.with_(diffuse={"side": 0.7, "rx_rays": 500}, background={"level_db": -70.0, "exponent": 2.5})
    tx, rx = antennas()
    paths = world.paths(tx, rx, max_reflections=1, bandwidth_hz=50e6, num_frequencies=8)
    file = scenario(tmp_path, paths.scenario, RX)
    program("channel", file, "-o", "c.npz")
    ours = paths.channels().arrays
    with np.load(tmp_path / "c.npz") as theirs:
        ours["scenario"] = theirs["scenario"]
    assert {"diffuse_gain_db", "diffuse_decay_time_s", "background_gain_db"} <= set(ours)
    same(ours, tmp_path / "c.npz")
    program("channel", file, "-o", "c.parquet")
    theirs = pytest.importorskip("pyarrow.parquet").read_table(tmp_path / "c.parquet").to_pandas()
    links = paths.links_to_pandas()
    assert list(links.columns) == list(theirs.columns)
    for name in ("gain_incoherent_db", "diffuse_gain_db", "diffuse_decay_time_s", "background_gain_db"):
        assert links[name].to_numpy().tobytes() == theirs[name].to_numpy().tobytes(), name
    ways: list[dict[str, Any]] = [{"heights": [1.5], "resolution": 1.0}, {"engine": "surfaces", "side": 1.0}]
    for options in ways:
        coverage = world.coverage(keller.Tx([1, 1, 2]), max_reflections=1, **options)
        program("coverage", scenario(tmp_path, coverage.scenario), "-o", "c.npz")
        same(coverage.arrays, tmp_path / "c.npz")


def test_power_left_out(world: keller.World, program: Run, tmp_path: Path) -> None:
    tx, rx = antennas()
    whole = world.paths(tx, rx, max_reflections=2).links_to_pandas()
    assert "omitted_db" not in whole.columns
    paths = world.paths(tx, rx, max_reflections=2, relative_threshold_db=15.0)
    links = paths.links_to_pandas()
    kept, omitted = (10 ** (links[name].to_numpy() / 10) for name in ("gain_incoherent_db", "omitted_db"))
    np.testing.assert_allclose(kept + omitted, 10 ** (whole["gain_incoherent_db"].to_numpy() / 10), rtol=1e-12)
    assert (omitted > 0).any()
    np.testing.assert_array_equal(paths.channels().omitted_db, links[["omitted_db"]].to_numpy())
    # With other fields it is not known how much the paths have that were left out.
    assert np.isnan(paths.replay(frequency=5e9).links_to_pandas()["omitted_db"].to_numpy()).all()
    program("channel", scenario(tmp_path, paths.scenario, RX), "-o", "c.parquet")
    theirs = pytest.importorskip("pyarrow.parquet").read_table(tmp_path / "c.parquet").to_pandas()
    assert list(links.columns) == list(theirs.columns)
    assert links["omitted_db"].to_numpy().tobytes() == theirs["omitted_db"].to_numpy().tobytes()


@pytest.mark.parametrize("engine", ["points", "tubes"])
def test_coverages_of_cells(
    world: keller.World, program: Run, tmp_path: Path, engine: Literal["points", "tubes"]
) -> None:
    coverage = world.coverage(
        keller.Tx([1, 1, 2]), engine=engine, resolution=0.5, heights=[1.0, 1.5], max_reflections=2
    )
    program("coverage", scenario(tmp_path, coverage.scenario), "-o", "c.npz")
    same(coverage.arrays, tmp_path / "c.npz")


def test_coverages_of_surfaces(world: keller.World, program: Run, tmp_path: Path) -> None:
    coverage = world.coverage([keller.Tx([1, 1, 2])], engine="surfaces", max_reflections=1, side=1.0)
    program("coverage", scenario(tmp_path, coverage.scenario), "-o", "c.npz")
    same(coverage.arrays, tmp_path / "c.npz")


def test_files_are_those_of_the_program(world: keller.World, program: Run, tmp_path: Path) -> None:
    tx, _ = antennas()
    options: dict[str, Any] = {"resolution": 0.5, "heights": [1.5], "max_reflections": 1}
    coverage = world.coverage(keller.Tx([1, 1, 2]), **options)
    paths = world.paths(
        tx, keller.Rx(grid={"min": [1, 1], "max": [4, 3], "spacing": 1, "height": 1.5}), max_reflections=1
    )
    for result, command, names in (
        (coverage, "coverage", ["a.npz", "a.tif", "a.csv", "a.geojson", "a.glb"]),
        (paths, "paths", ["b.csv", "b.json"]),
        (paths, "channel", ["c.npz"]),
    ):
        file = scenario(tmp_path, result.scenario)
        for name in names:
            program(command, file, "-o", f"program-{name}")
            result.save(tmp_path / name)
            assert (tmp_path / name).read_bytes() == (tmp_path / f"program-{name}").read_bytes(), name
        ran = keller.run(tmp_path / file)
        assert type(ran) is type(result)
    with pytest.raises(keller.ScenarioError, match=r"accepted: a name that ends in .csv"):
        coverage.save(tmp_path / "a.docx")
    with pytest.raises(keller.KellerError, match="no_such_folder"):
        paths.save(tmp_path / "no_such_folder/a.csv")


def test_a_scenario_in_a_file_runs(room_file: Path, program: Run, tmp_path: Path) -> None:
    found = keller.run(room_file.parent / "scenario.toml")
    assert isinstance(found, (keller.Paths, keller.Coverage))
    with pytest.raises(keller.KellerError, match=r"missing.toml"):
        keller.run(tmp_path / "missing.toml")
