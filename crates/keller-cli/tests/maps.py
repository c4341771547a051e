"""What a user of xarray and numpy finds in a coverage, for the test `maps.rs`."""

import csv
import math

import numpy
import xarray

store = xarray.open_zarr("c.zarr")
gain = store.path_gain_db
assert gain.dims == ("tx", "z", "y", "x"), gain.dims
assert gain.shape == (1, 2, 6, 12), gain.shape
assert gain.units == "dB" and gain.long_name == "path gain", gain.attrs
assert store.x.units == "m" and store.received_power_dbm.units == "dBm"
assert {"x", "y", "z", "easting", "northing"} <= set(gain.coords), gain.coords
assert store.easting.standard_name == "projection_x_coordinate"
assert store.attrs["crs"] == "EPSG:25832"
assert store.attrs["origin"] == [691000.0, 5334000.0, 515.0]
assert store.attrs["scenario"] == open("c.toml", encoding="utf-8").read()

# Every row of the table is where its coordinates say, by all of their names.
on_earth = gain.swap_dims(x="easting", y="northing")
rows = list(csv.DictReader(open("c.csv")))
for row in rows:
    x, y = float(row["x"]), float(row["y"])
    height = float(row["z"]) - 2
    value = gain.sel(tx=0, x=x, y=y, z=height)
    there = on_earth.sel(tx=0, easting=691000 + x, northing=5334000 + y, z=height)
    assert float(value) == float(there) == float(row["path_gain_db"]), row
finite = int(numpy.isfinite(gain).sum())
assert finite == len(rows) > 0, (finite, len(rows))
# Over no ground.
assert math.isnan(gain.sel(tx=0, z=1.5, x=-22, y=1.5))

arrays = numpy.load("c.npz")
assert bytes(arrays["crs"]).decode() == "EPSG:25832"
assert arrays["origin"].tolist() == store.attrs["origin"]
for name in ["easting", "northing", "path_gain_db", "sinr_db", "best_server"]:
    numpy.testing.assert_array_equal(arrays[name], store[name].values)
