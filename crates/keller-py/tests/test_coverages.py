"""Coverages: what other programs read of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import keller
import numpy as np
import pytest
from conftest import ROOT


@pytest.fixture(scope="module")
def village() -> keller.Coverage:
    """A coverage on a map."""
    folder = ROOT / "examples/village"
    scene = keller.import_place([folder / "village.geojson", folder / "hill.asc"])
    world = keller.World(scene, 3.5e9, default_material="concrete")
    tx = [keller.Tx([0, 0], height_above_ground=20), keller.Tx([100, 50], height_above_ground=15)]
    return world.coverage(tx, resolution=20, heights=[1.5, 10], height_above="ground", max_reflections=1)


# Of the library that rasterio computes transforms with.
@pytest.mark.filterwarnings("ignore:Use `@` matmul:PendingDeprecationWarning")
def test_rioxarray_finds_the_reference_system_and_the_places(village: keller.Coverage, tmp_path: Path) -> None:
    rioxarray = pytest.importorskip("rioxarray")
    data = village.to_xarray()
    assert data.rio.crs.to_epsg() == 32632
    village.save(tmp_path / "map.tif")
    with rioxarray.open_rasterio(tmp_path / "map.tif") as file:
        assert file.rio.crs == data.rio.crs and file.rio.resolution() == (20, -20)
        names = file.attrs["long_name"]
        for level, height in enumerate(("1.5", "10")):
            for tx in range(2):
                band = next(n for n, name in enumerate(names) if f"path gain of Tx {tx}, {height} m" in name)
                ours = data.path_gain_db.isel(tx=tx, z=level).sel(x=file.x, y=file.y).values
                assert np.array_equal(np.where(np.isinf(ours), np.nan, ours), file.values[band], equal_nan=True)
    data.path_gain_db.isel(tx=0, z=0).rio.to_raster(tmp_path / "again.tif")
    with rioxarray.open_rasterio(tmp_path / "again.tif") as again:
        assert again.rio.bounds() == pytest.approx(data.rio.bounds())


def test_a_data_set_has_dimensions_and_units(village: keller.Coverage) -> None:
    pytest.importorskip("xarray")
    data = village.to_xarray()
    assert data.path_gain_db.dims == ("tx", "z", "y", "x") and data.path_gain_db.attrs["units"] == "dB"
    assert data.best_server.dims == ("z", "y", "x") and data.ground.dims == ("y", "x")
    origin = village["origin"]
    assert np.allclose(data.x - data.local_x, origin[0]) and np.allclose(data.y - data.local_y, origin[1])
    assert list(data.z.values) == [1.5, 10]


def test_a_data_set_without_a_place_has_metres_of_the_scene(world: keller.World) -> None:
    pytest.importorskip("xarray")
    coverage = world.coverage(keller.Tx([1, 1, 2]), resolution=0.5, heights=[1.5], max_reflections=0)
    data = coverage.to_xarray()
    assert np.array_equal(data.x, coverage["x"]) and "spatial_ref" not in data.coords


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.json", "a.npz", "a.png", "a.glb"])
def test_surfaces_are_saved_as_the_program_saves_them(
    world: keller.World, program: Any, tmp_path: Path, name: str
) -> None:
    coverage = world.coverage(keller.Tx([1, 1, 2]), engine="surfaces", max_reflections=1, side=1.0)
    coverage.save(tmp_path / name)
    coverage.save(tmp_path / name)
    (tmp_path / "s.toml").write_text(coverage.scenario)
    # The program's title begins with the name of the scenario's file, which Python has not.
    title = ["--title", "path gain, dB; 3.5 GHz, on surfaces"] if name.endswith(".png") else []
    program("coverage", "s.toml", "-o", f"program-{name}", *title)
    assert (tmp_path / name).read_bytes() == (tmp_path / f"program-{name}").read_bytes()
    with pytest.raises(keller.ScenarioError, match=r"accepted: a name that ends in .csv.* \(of surfaces\)"):
        coverage.save(tmp_path / "a.tif")
    with pytest.raises(keller.ScenarioError, match="no grid"):
        coverage.to_xarray()
