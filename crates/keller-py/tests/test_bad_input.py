"""What is not accepted is one exception, which names the argument, what was found, and what is accepted."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import keller
import numpy as np
import pytest

TX = keller.Tx([1, 1, 2])
RX = [[4.0, 3.0, 1.5], [2.0, 2.0, 1.0]]
ARRAY = np.array(RX)
CORNERS = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
#: Without its types.
masked: Any = np.ma.MaskedArray

#: What makes no array of real numbers, and what errors say of it.
NO_NUMBERS: list[tuple[Any, str]] = [
    (None, "found None"),
    (b"abc", "found b'abc'"),
    ({"x": 1}, "found {'x': 1}"),
    ({1, 2, 3}, "found {1, 2, 3}"),
    (object(), "found <object"),
    ([[1, 2, 3], [1, 2]], "inhomogeneous"),
    ([[1, None, 3]], "found None in an array"),
    ([[10**400, 0, 0]], "too large"),
    (ARRAY.astype(str), "found an array of texts"),
    (ARRAY.astype(bool), "found an array of truth values"),
    (ARRAY.astype(complex), "found an array of complex numbers"),
    (ARRAY.astype("M8[s]"), "found an array of dates"),
    (ARRAY.astype("m8[s]"), "found an array of time spans"),
    (np.zeros(2, dtype=[("x", "f8"), ("y", "f8"), ("z", "f8")]), "found an array of records"),
    (masked(ARRAY, ARRAY == 1.5), "found masked entries"),
    (np.array([[1, "2", 3]], dtype=object), "found '2' in an array"),
    (ARRAY[np.newaxis], r"found an array of shape \(1, 2, 3\)"),
    (7, "found 7"),
]

#: Arguments that are arrays.
ARRAYS: dict[str, Callable[[keller.World, Any], Any]] = {
    "rx": lambda world, found: world.paths(TX, found),
    "vertices": lambda world, found: keller.scene_from_triangles(found, [[0, 1, 2]], "metal"),
    "position": lambda world, found: keller.Tx(np.array([None]) if found is None else found),
    "frequencies": lambda world, found: world.paths(TX, RX, max_reflections=0).cfr(found),
    r"moving\['wall'\]": lambda world, found: world.with_(moving={"wall": found}),
}


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize(("found", "message"), NO_NUMBERS, ids=[message for _, message in NO_NUMBERS])
def test_arrays_hold_real_numbers(world: keller.World, name: str, found: Any, message: str) -> None:
    if name == "position" and found is None:
        # Without a position there may be another place.
        message = "found None in an array"
    with pytest.raises(keller.ScenarioError, match=f"^{name}: .*{message}.*; accepted: "):
        ARRAYS[name](world, found)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda world: world.paths(TX, [[1, 2, np.nan]]),
            r"rx\[0\]: found \[1.0, 2.0, nan\]; accepted: finite numbers",
        ),
        (lambda world: world.paths(TX, [[1, 2, 3], [-np.inf, 2, 3]]), r"rx\[1\]: found \[-inf"),
        (lambda world: world.paths(TX, [[1e300, 0, 0]]), r"rx|accepted"),
        (lambda world: world.paths(TX, [[np.longdouble("1e400"), 0, 0]]), r"rx\[0\]: found \[inf"),
        (lambda world: world.paths(TX, [[1.0, 2.0]]), r"rx: found an array of shape \(1, 2\); accepted: .*\(n, 3\)"),
        (lambda world: world.paths(TX, np.zeros((0, 3))), r"rx: found an array of shape \(0, 3\)"),
        (lambda world: world.paths(TX, []), r"rx: found an array of shape \(0,\)"),
        (lambda world: world.paths(TX, "no_such.csv"), r"no_such.csv"),
        (lambda world: world.paths(TX, [keller.Rx([4, 3, 1.5]), [2, 2, 1]]), r"rx\[1\]: found \[2, 2, 1\]"),
        (lambda world: world.paths(TX, TX), r"rx: found Tx"),
        (lambda world: world.paths(TX, keller.Rx()), "place|position"),
        (lambda world: world.paths(None, RX), "tx: found None; accepted: a keller.Tx or a list"),
        (lambda world: world.paths([], RX), r"tx: found \[\]"),
        (lambda world: world.paths(3, RX), "tx: found 3"),
        (lambda world: world.paths([1, 1, 2], RX), r"tx: found \[1, 1, 2\]"),
        (lambda world: world.paths(keller.Tx(), RX), "place|position"),
        (lambda world: keller.Tx([1, 2, np.inf]), r"position\[2\]: found inf; accepted: finite numbers"),
        (lambda world: keller.Tx([1, 2, 3, 4]), r"position: found an array of shape \(4,\); accepted: three numbers"),
        (lambda world: keller.Tx("1, 2, 3"), "position: found '1, 2, 3'"),
        (lambda world: keller.Rx(np.zeros((4, 2))), r"rx: found an array of shape \(4, 2\)"),
        (lambda world: world.paths(keller.Tx([1e300, 0, 0]), RX), "position.*1e7"),
        (lambda world: world.paths(keller.Tx([1, 1, 2], name="\ud800"), RX), r"name: found '\\ud800'; accepted"),
        (lambda world: world.paths(keller.Tx([1, 1, 2], name=b"mast"), RX), "name: found b'mast' of type bytes"),  # type: ignore[arg-type]
        (lambda world: world.paths(keller.Tx([1, 1, 2], velocity=iter([1, 2, 3])), RX), "velocity: found <list_iter"),  # type: ignore[arg-type]
        (lambda world: world.paths(keller.Tx([1, 1, 2], power_dbm=np.nan), RX), "power_dbm: found nan"),
        (lambda world: world.paths(keller.Tx([1, 1, 2], antenna=keller.Antenna(None)), RX), "antenna: found None"),  # type: ignore[arg-type]
        (lambda world: world.paths(keller.Tx([1, 1, 2], array={"rows = 2\ncolumns": 2}), RX), "unknown key"),  # type: ignore[arg-type]
        (lambda world: world.paths(keller.Tx([1, 1, 2], array={3: 1}), RX), "array: found the key 3; accepted: texts"),  # type: ignore[arg-type]
        (lambda world: keller.Antenna(position=[1, 2, 3]), "position: there is no such keyword; accepted: .*array"),  # type: ignore[call-arg]
        (lambda world: keller.Antenna(name="a"), "name: there is no such keyword"),  # type: ignore[call-arg]
    ],
)
def test_devices(world: keller.World, call: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(keller.ScenarioError, match=message):
        call(world)


WAYS: dict[str, Callable[[Any], Any]] = {
    "tuples": lambda rows: tuple(map(tuple, rows.tolist())),
    "rows": list,
    "an iterator": iter,
    "read-only": lambda rows: np.broadcast_to(rows, rows.shape),
    "by columns": np.asfortranarray,
    "strided": lambda rows: np.repeat(rows, 2, axis=0)[::2],
    "backwards": lambda rows: rows[::-1].copy()[::-1],
    "float32": lambda rows: rows.astype(np.float32),
    "whole": lambda rows: rows.astype(int),
    "whole, 8 bits": lambda rows: rows.astype(np.uint8),
    "big-endian": lambda rows: rows.astype(">f8"),
    "objects": lambda rows: np.array([[Decimal(int(one)) for one in row] for row in rows], dtype=object),
    "nothing masked": lambda rows: masked(rows, False),
    "a view of memory": memoryview,
    "pandas": lambda rows: pytest.importorskip("pandas").DataFrame(rows, columns=list("xyz"), index=["a", "b"]),
    "pandas with arrow": lambda rows: (
        pytest.importorskip("pandas").DataFrame(rows).convert_dtypes(dtype_backend="pyarrow")
    ),
    "xarray": lambda rows: pytest.importorskip("xarray").DataArray(rows),
}


@pytest.mark.parametrize("way", WAYS)
def test_arrays_of_any_layout_are_taken(world: keller.World, way: str) -> None:
    rows = np.array([[4.0, 3.0, 1.0], [2.0, 2.0, 1.0]])
    expected = world.paths(TX, rows, max_reflections=1)
    found = world.paths(TX, WAYS[way](rows), max_reflections=1)
    assert np.array_equal(found["gain_db"], expected["gain_db"])
    if way != "an iterator":
        points = keller.Rx(WAYS[way](rows)).points
        assert points is not None and np.array_equal(points, rows)


@pytest.mark.parametrize("way", ["read-only", "backwards", "float32", "whole", "big-endian", "pandas"])
def test_vectors_of_any_layout_are_taken(world: keller.World, way: str) -> None:
    rows = np.array([[1.0, 1.0, 2.0], [3.0, 5.0, 7.0]])
    taken = WAYS[way](rows)
    first, second = (taken.iloc[n] if way == "pandas" else taken[n] for n in (0, 1))
    paths = world.paths(keller.Tx(first, velocity=second), RX, max_reflections=0)
    expected = world.paths(keller.Tx(rows[0], velocity=rows[1]), RX, max_reflections=0)
    assert np.array_equal(paths.channels().doppler, expected.channels().doppler)
    assert np.array_equal(paths.cfr(second), paths.cfr(rows[1]))


def test_an_array_of_receivers_is_copied(world: keller.World) -> None:
    points = ARRAY.copy()
    paths = world.paths(TX, points, max_reflections=1)
    points[:] = np.nan
    assert np.isfinite(paths.replay(frequency=5e9)["gain_db"]).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_reflektions": 2}, "max_reflektions.*max_reflections"),
        ({"max_reflections": -1}, "max_reflections"),
        ({"max_reflections": 2.5}, "max_reflections"),
        ({"max_reflections": True}, "max_reflections: found true"),
        ({"max_reflections": 10**30}, "max_reflections"),
        ({"max_reflections": float("nan")}, "finite"),
        ({"max_reflections": object()}, "type object"),
        ({"max_reflections": {"a b": {'"': 1}}}, "max_reflections: found a table"),
        ({"search": "quantum"}, "search.*complete"),
        ({"search": b"launch"}, "search: found b'launch' of type bytes"),
    ],
)
def test_options(world: keller.World, options: dict[str, Any], message: str) -> None:
    with pytest.raises(keller.ScenarioError, match=message):
        world.paths(TX, [[4, 3, 1.5]], **options)


@pytest.mark.parametrize("frequency", [np.nan, np.inf, 0, -1.0, True, np.True_, "3.5e9", None, 10**400, 1j, [1e9], {}])
def test_frequencies_of_worlds_are_positive(world: keller.World, frequency: Any) -> None:
    with pytest.raises(keller.ScenarioError, match=r"^frequency: found .*; accepted: a positive number, Hz"):
        keller.World(world.scene, frequency)
    with pytest.raises(keller.ScenarioError, match=r"^frequency: found .*; accepted: a positive number, Hz"):
        world.with_(frequency=frequency)


def test_a_frequency_in_gigahertz_is_asked_about(world: keller.World) -> None:
    with pytest.raises(keller.ScenarioError, match=r"found 3.5, did you mean 3.5e9\?"):
        world.with_(frequency=3.5).paths(TX, RX)


@pytest.mark.parametrize("frequency", [np.float32(3.5e9), np.int64(3_500_000_000), np.array(3.5e9), 3_500_000_000])
def test_frequencies_of_any_type_of_number_are_taken(world: keller.World, frequency: Any) -> None:
    same = world.with_(frequency=frequency)
    assert same.frequency == 3.5e9 and "3.5 GHz" in repr(same) and "3.5 GHz" in same._repr_html_()
    gains = [one.paths(TX, RX, max_reflections=1)["gain_db"] for one in (world, same)]
    assert np.array_equal(*gains)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"default_material": "unobtainium"}, "unobtainium.*known are .*concrete"),
        ({"default_material": 'x"\n[[tx]]'}, "has control characters"),
        ({"default_material": 'x" [[tx]]'}, "is not known"),
        ({"default_material": None}, "floor.*is not known"),
        ({"default_material": "\ud800"}, "default_material: found .*accepted: text that UTF-8 can hold"),
        ({"default_thickness": -1}, "default_thickness: found -1"),
        ({"default_thickness": "thin"}, "default_thickness"),
        ({"itu_below_range": "x"}, "itu_below_range.*forbid"),
        ({"materials": "brick"}, "materials: found 'brick'; accepted: a dict from names"),
        ({"materials": 3}, "materials: found 3"),
        ({"materials": [1]}, r"materials: found \[1\]"),
        ({"materials": {3: keller.Material(pec=True)}}, "materials: found {3: "),
        ({"materials": {"wall": "brick"}}, r"materials\['wall'\]: found 'brick'; accepted: a keller.Material"),
        ({"materials": {"wall": keller.Material.itu("bricks")}}, "bricks.*did you mean `brick`"),
        ({"materials": {"wall": keller.Material(permittivity=np.nan)}}, "permittivity: found nan"),
        ({"materials": {"wall": keller.Material(permittivity=-2)}}, "permittivity: found -2"),
        ({"materials": {"wall": keller.Material(permittivity=3 - 1j)}}, r"permittivity: found \(3-1j\) of type"),  # type: ignore[arg-type]
        ({"materials": {"wall": keller.Material(layers=iter([]))}}, "layers: found <list_iterator"),  # type: ignore[arg-type]
        ({"clutter": 3}, r"clutter\[0\]: found 3; accepted: a dict"),
        ({"clutter": "ab"}, r"clutter\[0\]: found 'a'"),
        ({"clutter": [{}]}, "clutter.*polygon"),
        ({"moving": 3}, "moving: found 3; accepted: a dict from names"),
        ({"moving": ["floor"]}, r"moving: found \['floor'\]"),
        ({"moving": {"floor": [1, 2]}}, r"moving\['floor'\]: found an array of shape \(2,\); accepted: three numbers"),
        ({"moving": {"floor": "fast"}}, r"moving\['floor'\]: found 'fast'"),
        ({"moving": {"floor": [0, 0, np.nan]}}, r"moving\['floor'\]\[2\]: found nan"),
        ({"moving": {"floor": [4e8, 0, 0]}}, "velocity"),
        ({"scene": None}, "scene: there is no such keyword"),
    ],
)
def test_worlds(world: keller.World, options: dict[str, Any], message: str) -> None:
    with pytest.raises(keller.ScenarioError, match=message):
        world.with_(**options).paths(TX, RX, max_reflections=0)
    with pytest.raises(keller.ScenarioError, match=message):
        world.with_(**options).coverage(TX, resolution=2, heights=[1.5], max_reflections=0)
    with pytest.raises(keller.ScenarioError, match=message):
        world.paths(TX, RX, max_reflections=0).replay(**options)


def test_scenes_and_materials_of_worlds(room: keller.Scene) -> None:
    with pytest.raises(keller.ScenarioError, match=r"scene: found 'room.obj'; accepted: what keller.load_scene gives"):
        keller.World("room.obj", 1e9)  # type: ignore[arg-type]
    with pytest.raises(keller.ScenarioError, match=r"thicknes: there is no such keyword.*thickness"):
        keller.Material(itu="brick", thicknes=0.1)  # type: ignore[call-arg]
    with pytest.raises(keller.ScenarioError, match=r"bare_transmission: .*, it is called ignore_displaced_air now;"):
        keller.Material(itu="brick", bare_transmission=True)  # type: ignore[call-arg]
    with pytest.raises(keller.ScenarioError, match="Material: found no keyword; accepted: one of itu"):
        keller.Material()
    wall = keller.Material(itu="brick", pec=True)
    with pytest.raises(keller.ScenarioError, match="more than one definition"):
        keller.World(room, 1e9, materials={"wall": wall}, default_material="concrete").paths(TX, RX)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="no reader of TOML here")
def test_texts_are_the_same_in_the_scenario() -> None:
    import tomllib

    name = "".join(map(chr, range(0x20, 0x7F))) + "\u2028é中🙂 '''  \"\"\" \\u0041 [[rx]] #"
    square = keller.scene_from_triangles(CORNERS, [[0, 1, 2]], name)
    velocity = [1, 0.1, -2e-9]
    world = keller.World(square, 1e9, materials={name: keller.Material(pec=True)}, moving={name: velocity})
    paths = world.paths(keller.Tx([0, 0, 2], name=name), keller.Rx([1, 1, 3], name=name), max_reflections=0)
    found = tomllib.loads(paths.scenario)
    assert found["materials"] == {name: {"pec": True}}
    assert found["tx"][0]["name"] == found["rx"][0]["name"] == name
    assert found["moving"] == [{"material": name, "velocity": velocity}]
    assert list(paths["tx_name"]) == [name]
    for control in [*map(chr, range(0x20)), "\x7f", "\x85"]:
        with pytest.raises(keller.ScenarioError, match="has control characters"):
            world.paths(keller.Tx([0, 0, 2], name=f"a{control}b"), keller.Rx([1, 1, 3]), max_reflections=0)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"vertices": np.zeros((3, 2))}, r"vertices: found an array of shape \(3, 2\); accepted: .*\(n, 3\)"),
        ({"vertices": np.full((3, 3), np.inf)}, r"vertices\[0\]: found \[inf, inf, inf\]"),
        ({"vertices": np.array(CORNERS) * 1e300}, "within 1e7 m"),
        ({"vertices": np.array(CORNERS) * 1e-300}, "no triangles"),
        ({"vertices": np.zeros((0, 3))}, r"vertices: found an array of shape \(0, 3\)"),
        ({"triangles": [[0, 1, 9]]}, "triangles: found index 9; accepted: 0 to 2"),
        ({"triangles": [[0, 1, -1]]}, "triangles: found index -1; accepted: 0 to 2"),
        ({"triangles": [[0, 1, 2**40]]}, f"triangles: found index {2**40}"),
        ({"triangles": [[0, 1, 2**70]]}, "triangles: found .*; accepted: whole numbers"),
        (
            {"triangles": [[0.0, 1, 2]]},
            r"found an array of float64 of shape \(1, 3\); accepted: whole numbers, .*\(m, 3",
        ),
        ({"triangles": [[False, True, True]]}, "found an array of truth values"),
        ({"triangles": [["0", "1", "2"]]}, "found an array of texts"),
        ({"triangles": masked([[0, 1, 2]], [[0, 1, 0]])}, "triangles: found masked entries"),
        ({"triangles": [[0, 1, 2], [0, 1]]}, "triangles: found .*inhomogeneous"),
        ({"triangles": [[0, 1, 2, 0]]}, r"shape \(1, 4\)"),
        ({"triangles": [0, 1, 2]}, r"shape \(3,\)"),
        ({"triangles": None}, "triangles: found None"),
        ({"triangles": iter([[0, 1, 2]])}, "triangles: found <list_it"),
        ({"triangles": np.zeros((0, 3), int)}, r"triangles: found an array of shape \(0, 3\)"),
        ({"triangles": [[1, 1, 1]]}, "no triangles"),
        ({"material": None}, "material: found None; accepted: a name, or a list of names"),
        ({"material": []}, r"material: found \[\]"),
        ({"material": 3}, "material: found 3"),
        ({"material": [3]}, r"material: found \[3\]"),
        ({"material": b"metal"}, "material: found b'metal'"),
        ({"material": "\ud800"}, "material: found .*UTF-8"),
        ({"material_of": [1]}, "material_of: found index 1; accepted: 0 to 0"),
        ({"material_of": [-1]}, "material_of: found index -1"),
        ({"material_of": [0, 0]}, r"material_of: found an array of shape \(2,\); accepted: .*\(m,\)"),
        ({"material_of": [0.0]}, "material_of: found an array of float64"),
        ({"material_of": "metal"}, "material_of: found 'metal'"),
    ],
)
def test_scenes_of_arrays(changes: dict[str, Any], message: str) -> None:
    arguments = {"vertices": CORNERS, "triangles": [[0, 1, 2]], "material": ["metal"], **changes}
    with pytest.raises(keller.ScenarioError, match=message):
        keller.scene_from_triangles(**arguments)


@pytest.mark.parametrize("dtype", ["u1", "i8", ">i4", "u8", "i2"])
def test_indices_of_any_type_are_taken(dtype: str) -> None:
    triangles, material_of = np.array([[0, 1, 2]], dtype=dtype), np.array([1], dtype=dtype)
    scene = keller.scene_from_triangles(CORNERS, triangles, ["a", "b"], material_of)
    assert scene.vertices[scene.triangles].tolist() == [CORNERS] and scene.material_of.tolist() == [1]


def test_scenes_of_files(tmp_path: Path) -> None:
    with pytest.raises(keller.ImportError, match=r"missing.obj"):
        keller.load_scene(tmp_path / "missing.obj")
    (tmp_path / "bad.ply").write_bytes(b"ply\nformat binary_little_endian 1.0\nelement vertex 99999999\n")
    with pytest.raises(keller.ImportError, match=r"bad.ply"):
        keller.load_scene(tmp_path / "bad.ply")
    anything: Any = keller.load_scene
    for options, message in (({"up": 3}, "up: found 3"), ({"up": "x"}, 'up: found "x"; accepted: "y", "z"')):
        with pytest.raises(keller.ScenarioError, match=message):
            anything(tmp_path / "bad.ply", **options)


@pytest.mark.parametrize("name", [3, None, [], [3], b"a.obj", "", "a\0b.obj", 1.5])
def test_names_of_files(
    world: keller.World,
    picture: keller.Picture,
    coverage: keller.Coverage,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: Any,
) -> None:
    monkeypatch.chdir(tmp_path)
    paths = world.paths(TX, RX, max_reflections=0)
    calls: list[Callable[[Any], Any]] = [
        keller.load_scene,
        keller.run,
        paths.save,
        coverage.save,
        world.scene.save,
        world.scene.preview().save,
        picture.save,
        keller.sionna.load_scene,
        lambda found: keller.load_scene("room.obj", cache=found or ""),
        lambda found: keller.dataset.save(found, world, TX, RX),
        lambda found: keller.deepmimo.save(paths, found),
    ]
    for call in calls:
        with pytest.raises(keller.ScenarioError, match=r"^(file|scenario|name|folder|cache): found .*; accepted: "):
            call(name)
    assert not list(tmp_path.iterdir())


def test_the_working_folder_is_not_replaced(
    world: keller.World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    with pytest.raises(keller.ScenarioError, match="folder: found the working folder 'here'"):
        keller.deepmimo.save(world.paths(TX, RX, max_reflections=0), ".")
    assert Path.cwd() == tmp_path / "here"


@pytest.mark.parametrize(
    ("frequencies", "message"),
    [
        ([[1e9]], r"frequencies: found an array of shape \(1, 1\); accepted: an array of shape \(n,\), Hz"),
        (3.5e9, "frequencies: found 3500000000.0"),
        ([3.5e9, np.nan], r"frequencies\[1\]: found nan; accepted: finite numbers"),
        ([np.inf], r"frequencies\[0\]: found inf"),
        (
            [-50e6, 50e6],
            "frequencies: found -5e.07; accepted: positive numbers, .*not their distances from the carrier",
        ),
        ([0], "frequencies: found 0; accepted: positive"),
        (["3.5e9"], "frequencies: found an array of texts"),
        ("3.5e9", "frequencies: found '3.5e9'"),
        ([3.5e9, [1]], "frequencies: found .*inhomogeneous"),
    ],
)
def test_frequencies_of_transfer_functions(world: keller.World, frequencies: Any, message: str) -> None:
    with pytest.raises(keller.ScenarioError, match=message):
        world.paths(TX, RX, max_reflections=0).cfr(frequencies)


def test_names_of_arrays_and_columns(world: keller.World) -> None:
    paths = world.paths(TX, RX, max_reflections=0)
    coverage = world.coverage(TX, resolution=2, heights=[1.5], max_reflections=0)
    found: Any
    for found, known in ((paths, "gain_db"), (coverage, "path_gain_db")):
        assert known in found and "nonsense" not in found
        for name in ("nonsense", 0, None):
            with pytest.raises(KeyError, match=known):
                found[name]
        with pytest.raises(TypeError, match="not iterable"):
            list(found)
    with pytest.raises(AttributeError, match="no array 'nonsense'; there are a, tau"):
        _ = paths.channels().nonsense


def test_sionna(world: keller.World) -> None:
    paths = world.paths(TX, RX, max_reflections=0)
    anything: Any = keller.sionna
    with pytest.raises(keller.ScenarioError, match=r"paths: found None; accepted: keller.Paths"):
        anything.arrays(None)
    with pytest.raises(keller.ScenarioError, match="scene: found None; accepted: a Scene of Sionna RT"):
        anything.from_scene(None)
    for options in ({"max_depth": 1.5}, {"max_depth": -1}, {"dtype": "text"}, {"dtype": int}, {"dtype": complex}):
        with pytest.raises(keller.ScenarioError, match=r"(max_depth|dtype): found .*; accepted: "):
            anything.arrays(paths, **options)


def test_warnings_are_warnings_of_python(room: keller.Scene) -> None:
    brick = keller.Material.itu("brick", thickness=0.3)
    world = keller.World(room, 3.5e9, default_material="concrete", materials={"marble": brick})
    with pytest.warns(keller.KellerWarning, match="marble") as warned:
        world.paths(TX, [[4, 3, 1.5]], max_reflections=0)
    assert {warning.filename for warning in warned} == {__file__}, "the line that called"


def test_nothing_outside_a_folder_is_read(tmp_path: Path) -> None:
    inside = tmp_path / "theirs"
    inside.mkdir()
    for folder in (tmp_path, inside):
        (folder / "floor.obj").write_text("v 0 0 0\nv 9 0 0\nv 9 9 0\nf 1 2 3\n")
    (inside / "link.obj").symlink_to(tmp_path / "floor.obj")
    lines = """
        import keller
        keller.read_only_from("theirs")
        paths = keller.World(keller.load_scene("theirs/floor.obj"), 1e9, default_material="concrete")
        paths = paths.paths(keller.Tx([5, 2, 3]), [[6, 3, 1]], max_reflections=1)
        assert len(paths) == 2, paths
        for name in ("floor.obj", "theirs/../floor.obj", "theirs/link.obj"):
            try:
                keller.load_scene(name)
            except keller.ImportError as error:
                assert "outside" in str(error), error
            else:
                raise AssertionError(name)
        try:
            keller.read_only_from(".")
        except keller.ScenarioError as error:
            print(error)
    """
    command = [sys.executable, "-c", textwrap.dedent(lines)]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout == "read_only_from: .: files are read from one folder alone already\n"
