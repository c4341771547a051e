"""What a user of pandas and numpy finds in tables and archives, for the test `readers.rs`."""

import json

import numpy
import pandas

paths = pandas.read_parquet("paths.parquet")
as_text = pandas.read_csv("paths.csv")
as_json = json.load(open("paths.json"))["paths"]
assert len(paths) == len(as_text) == len(as_json) > 10
assert set(paths.tx_name) == set(as_text.tx_name) == {'mast, "west"', "1"}
assert set(paths.rx_name) == {"square", "1"}
for row, path in zip(paths.itertuples(), as_json):
    # Lists of numbers, which need no parsing.
    points = numpy.array([list(point) for point in row.points]).reshape(-1, 3)
    assert points.tolist() == path["points"]
    assert row.objects.tolist() == path["objects"]
    assert len(points) == len(row.objects) == (0 if row.types == "LOS" else len(row.types))
    assert [row.rx_longitude, row.rx_latitude] == [path["rx_longitude"], path["rx_latitude"]]
west = paths[paths.tx == 0]
assert west.tx_longitude.sub(11.57).abs().max() < 1e-8 and west.tx_latitude.sub(48.1301).abs().max() < 1e-8

links = pandas.read_parquet("channel.parquet")
assert links.rx_name.tolist() == ["square", "1"] * 2 == pandas.read_csv("channel.csv", dtype=str).rx_name.tolist()
sees = paths[paths.types == "LOS"][["tx", "rx"]].values.tolist()
for link in links.itertuples():
    assert link.line_of_sight == ([link.tx, link.rx] in sees), link
assert set(links.line_of_sight) == {0, 1}
assert links.rx_longitude[0] == 11.5705 and links.rx_latitude[0] == 48.13

archive = numpy.load("channel.npz")
assert archive["tx_name"].tolist() == ['mast, "west"', "1"] and archive["rx_name"].tolist() == ["square", "1"]
codes = {"R": 1, "S": 2, "T": 4, "D": 8}
for tx in range(2):
    for rx in range(2):
        own = paths[(paths.tx == tx) & (paths.rx == rx)]
        assert archive["num_paths"][rx, tx] == len(own)
        assert archive["line_of_sight"][rx, tx] == ([tx, rx] in sees)
        for k, path in enumerate(own.itertuples()):
            kinds = [] if path.types == "LOS" else [codes[letter] for letter in path.types]
            found = archive["interactions"][rx, tx, k]
            assert found[found > 0].tolist() == kinds, (path, found)
            depth = len(kinds)
            assert archive["objects"][rx, tx, k, :depth].tolist() == path.objects.tolist()
            assert (archive["objects"][rx, tx, k, depth:] == -1).all()
            vertices = archive["vertices"][rx, tx, k, :depth]
            assert vertices.tolist() == [list(point) for point in path.points]

cells = pandas.read_parquet("cells.parquet")
assert set(cells.tx_name) == {'mast, "west"', "1"}
