"""Scenarios of DeepMIMO: its own reader and its own channels beside keller's, and closed forms."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import keller
import numpy as np
import pytest
from conftest import ROOT, C
from numpy.typing import NDArray

CARRIER = 3.5e9
SUBCARRIERS = 64
BANDWIDTH = 100e6
FREQUENCIES = CARRIER + np.arange(0, SUBCARRIERS, 7) * BANDWIDTH / SUBCARRIERS
TX = [1.0, 1.0, 2.0]

Load = Callable[..., Any]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Saves paths, and reads them with DeepMIMO: a list of data sets, one a Tx and set of receivers."""
    deepmimo = pytest.importorskip("deepmimo")

    def reading(paths: keller.Paths, **options: Any) -> Any:
        keller.deepmimo.save(paths, tmp_path / "scenario", overwrite=True, **options)
        deepmimo.config.set("scenarios_folder", str(tmp_path))
        found = deepmimo.load("scenario", max_paths=options.get("max_paths", 25))
        return found.datasets if isinstance(found, deepmimo.MacroDataset) else [found]

    return reading


def transfer_function(
    data: Any, bs: Sequence[int] = (1, 1), ue: Sequence[int] = (1, 1), bearing: float = 0
) -> NDArray[np.complex128]:
    """DeepMIMO's channel at FREQUENCIES: (num_rx, num_rx_ant, num_tx_ant, num_frequencies)."""
    ofdm = {"subcarriers": SUBCARRIERS, "bandwidth": BANDWIDTH, "selected_subcarriers": np.arange(0, SUBCARRIERS, 7)}
    bs_antenna = {"shape": np.array(bs), "rotation": np.array([0, 0, bearing])}
    found = data.compute_channels(bs_antenna=bs_antenna, ue_antenna={"shape": np.array(ue)}, ofdm=ofdm, num_paths=1000)
    return np.asarray(found, dtype=np.complex128) * float(np.sqrt(SUBCARRIERS))


def closest(found: NDArray[np.complex128], expected: NDArray[np.complex128]) -> float:
    """The largest error over the largest value."""
    return float(np.abs(found - expected).max() / np.abs(expected).max())


@pytest.fixture
def conductor(ground: keller.Scene) -> keller.World:
    """Ground that conducts perfectly."""
    return keller.World(ground, CARRIER, materials={"metal": keller.Material(pec=True)})


def read(folder: Path, number: str = "t000_tx000_r001") -> dict[str, NDArray[Any]]:
    """The matrices of a Tx and set of receivers, read by numpy alone."""
    keys = [file.name[: -len(f"_{number}.npz")] for file in folder.glob(f"*_{number}.npz")]
    return {key: np.load(folder / f"{key}_{number}.npz")[key] for key in keys}


def test_two_rays_over_metal_are_their_closed_form(conductor: keller.World, tmp_path: Path) -> None:
    tx, rx = np.array([0, 0, 10.0]), np.array([80.0, 30.0, 2.0])
    devices = keller.Tx(tx, antenna="tr38901", azimuth_deg=200, power_dbm=46), keller.Rx([rx], antenna="dipole")
    keller.deepmimo.save(conductor.paths(*devices, max_reflections=1), tmp_path / "two_rays")
    matrices = read(tmp_path / "two_rays")
    assert set(matrices) == {
        "power",
        "phase",
        "delay",
        "aoa_az",
        "aoa_el",
        "aod_az",
        "aod_el",
        "inter",
        "inter_pos",
        "rx_pos",
        "tx_pos",
    }
    assert {matrix.dtype for matrix in matrices.values()} == {np.dtype("float32")}
    assert matrices["rx_pos"].tolist() == [rx.tolist()] and matrices["tx_pos"].tolist() == [tx.tolist()]
    lengths = np.array([np.linalg.norm(tx - rx), np.linalg.norm(tx * [1, 1, -1] - rx)])
    wavelength = C / CARRIER
    assert np.allclose(matrices["power"], [20 * np.log10(wavelength / (4 * np.pi * lengths))], atol=1e-5)
    # The vertical field keeps its sign at metal, seen along the unit vectors of growing zenith.
    phase = np.exp(1j * np.deg2rad(matrices["phase"][0].astype(float)))
    assert np.allclose(phase, np.exp(-2j * np.pi * lengths / wavelength), atol=1e-6)
    assert np.allclose(matrices["delay"], [lengths / C], rtol=1e-7)
    azimuth = np.degrees(np.arctan2(30, 80))
    flat = np.hypot(80, 30)
    down, up = np.degrees(np.arctan2(8, flat)), np.degrees(np.arctan2(12, flat))
    assert np.allclose(matrices["aod_az"], [[azimuth] * 2])
    assert np.allclose(matrices["aod_el"], [[90 + down, 90 + up]])
    # Arrival points to where the wave comes from.
    assert np.allclose(matrices["aoa_az"], [[azimuth - 180] * 2])
    assert np.allclose(matrices["aoa_el"], [[90 - down, 90 + up]])
    assert matrices["inter"].tolist() == [[0, 1]]
    assert np.isnan(matrices["inter_pos"][0, 0]).all()
    assert np.allclose(matrices["inter_pos"][0, 1], [[80 * 10 / 12, 30 * 10 / 12, 0]], atol=1e-4)


def test_the_channel_of_deepmimo_is_the_transfer_function(world: keller.World, load: Load) -> None:
    tx = [keller.Tx(TX), keller.Tx([4.2, 3.1, 1.2]), keller.Tx([2.5, 0.4, 2.4])]
    rx = keller.Rx(grid={"min": [0.5, 0.6], "max": [4.5, 3.6], "spacing": 1, "height": 1.1})
    paths = world.paths(tx, rx, max_reflections=3)
    expected = paths.cfr(FREQUENCIES)[:, :, :, :, 0]
    sets = load(paths, max_paths=1000)
    assert len(sets) == 3
    for number, data in enumerate(sets):
        assert np.allclose(data.tx_pos, [tx[number].options["position"]])
        assert closest(transfer_function(data), expected[:, :, number]) < 1e-5


def test_antennas_and_arrays_of_the_world_make_no_difference(world: keller.World, load: Load) -> None:
    options: dict[str, Any] = {"max_reflections": 2}
    rx = [[4.0, 3.0, 1.5], [2.0, 2.0, 1.0]]
    panel: keller.options.ArrayOptions = {"rows": 2, "columns": 2, "spacing_wavelengths": [0.5, 0.5]}
    antenna = keller.Antenna.tr38901(polarization="cross", array=panel, array_tracing="each")
    tx = keller.Tx(TX, antenna=antenna, azimuth_deg=40, downtilt_deg=10)
    paths = world.paths(tx, keller.Rx(rx, antenna="dipole"), **options)
    [data] = load(paths, max_paths=1000)
    plain = world.paths(keller.Tx(TX), rx, **options).cfr(FREQUENCIES)
    assert closest(transfer_function(data), plain[:, :, 0, :, 0]) < 1e-5


@pytest.mark.parametrize("bearing", [0, 35])
def test_arrays_of_deepmimo_on_the_paths_are_arrays_of_keller(world: keller.World, load: Load, bearing: float) -> None:
    """DeepMIMO's panels lie in the y-z plane, half a wavelength between elements, along y first."""
    half = C / CARRIER / 2
    panel = [[0, y * half, z * half] for z in range(2) for y in range(3)]
    line = [[0, y * half, 0] for y in range(2)]
    rx = [[4.0, 3.0, 1.5], [2.0, 2.0, 1.0]]
    tx = keller.Tx(TX, array={"elements_m": panel}, orientation_deg=[bearing, 0, 0])
    paths = world.paths(tx, keller.Rx(rx, array={"elements_m": line}), max_reflections=2)
    [data] = load(paths, max_paths=1000)
    found = transfer_function(data, [3, 2], [2, 1], bearing)
    expected = paths.cfr(FREQUENCIES)[:, :, 0, :, 0]
    assert found.shape == expected.shape == (2, 2, 6, len(FREQUENCIES))
    assert closest(found, expected) < 1e-5


def test_paths_are_those_of_the_table(load: Load) -> None:
    """Reflection, transmission, diffraction and scattering, path by path."""
    pytest.importorskip("pandas")
    corners = [[0, -3, 0], [0, 3, 0], [0, 3, 4], [0, -3, 4], [4, 0, 0], [8, 0, 0], [8, 0, 4], [4, 0, 4]]
    walls = keller.scene_from_triangles(corners, [[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]], "wall")
    wall = keller.Material(permittivity=3.0, conductivity=0.02, thickness=0.1, scattering=0.4)
    world = keller.World(walls, CARRIER, materials={"wall": wall})
    rx = [[3.0, 1.0, 1.5], [6.0, -2.0, 1.0], [-4.0, 0.5, 1.7]]
    options: dict[str, Any] = {"max_transmissions": 1, "max_diffractions": 1, "max_scatterings": 1, "free_edges": True}
    paths = world.paths(keller.Tx([-3, -1, 2]), rx, max_interactions=2, **options)
    [data] = load(paths, max_paths=10_000)
    table = paths.to_pandas()
    assert {letter for name in table["types"] for letter in name} >= set("LORTDS")
    table["power"] = table["a_vv_re"] ** 2 + table["a_vv_im"] ** 2
    for number in range(len(rx)):
        ours = table[(table["rx"] == number) & (table["power"] > 0)]
        ours = ours.sort_values("power", ascending=False, kind="stable")
        count = len(ours)
        assert data.num_paths[number] == count
        assert np.allclose(data.power[number][:count], 10 * np.log10(ours["power"]), atol=1e-4)
        assert np.allclose(data.delay[number][:count], ours["delay_s"], rtol=1e-6)
        for name, column in {"aoa_az": "aoa", "aoa_el": "zoa", "aod_az": "aod", "aod_el": "zod"}.items():
            assert np.allclose(np.deg2rad(data[name][number][:count]), ours[column], atol=1e-6), name
        assert [str(text) or "LOS" for text in data.inter_str[number][:count]] == list(ours["types"])
        for path, points in enumerate(ours["points"]):
            assert np.allclose(data.inter_pos[number][path, : len(points)], points, atol=1e-5)
            assert np.isnan(data.inter_pos[number][path, len(points) :]).all()
    found = data.rt_params
    limits = ["max_reflections", "max_transmissions", "max_diffractions", "max_scattering"]
    assert [found[name] for name in limits] == [1, 1, 1, 1]
    assert found["frequency"] == CARRIER and found["raytracer_name"] == "keller"
    [material] = data.materials
    assert (material.name, material.thickness) == ("wall", 0.1)
    assert (material.permittivity, material.conductivity) == pytest.approx((3.0, 0.02), rel=1e-12)
    assert (material.scattering_model, material.scattering_coefficient) == ("lambertian", 0.4)


def test_materials_are_those_of_the_carrier(load: Load, tmp_path: Path) -> None:
    """A scenario in a file has its scene and materials too: concrete as in ITU-R P.2040-3, Table 3."""
    corners = [[-5, -5, 0], [5, -5, 0], [5, 5, 0], [-5, 5, 0]]
    ground = keller.scene_from_triangles(corners, [[0, 1, 2], [0, 2, 3]], "slab")
    ground.save(tmp_path / "ground.glb")
    layers = '[{ itu = "concrete", thickness = 0.2 }, { permittivity = 1.0, conductivity = 0.0, thickness = 0.05 }]'
    (tmp_path / "s.toml").write_text(
        f'frequency_hz = 2e9\n[scene]\nfile = "ground.glb"\n[materials.slab]\nlayers = {layers}\n'
        "[[tx]]\nposition = [0, 0, 3]\n[[rx]]\nposition = [1, 2, 1]\n"
    )
    paths = keller.run(tmp_path / "s.toml")
    assert isinstance(paths, keller.Paths)
    [data] = load(paths)
    [material] = data.materials
    assert material.permittivity == pytest.approx(5.24, rel=1e-12)
    assert material.conductivity == pytest.approx(0.0462 * 2**0.7822, rel=1e-12)
    assert material.thickness == pytest.approx(0.25)
    assert data.scene.objects[0].label == "terrain"


def test_line_of_sight_and_receivers_without_paths(world: keller.World, load: Load) -> None:
    """The first receiver is outside the room, whose walls nothing passes."""
    rx = [[20.0, 3.0, 1.5], [4.0, 3.0, 1.5], [2.0, 2.0, 1.0]]
    opaque = world.with_(default_thickness=None)
    paths = opaque.paths([keller.Tx(TX), keller.Tx([20, 1, 1.5])], rx, max_reflections=1)
    inside, outside = load(paths)
    assert inside.los.tolist() == [-1, 1, 1] and inside.num_paths.tolist() == [0, 7, 7]
    assert outside.los.tolist() == [1, -1, -1] and outside.num_paths.tolist() == [2, 0, 0]
    expected = paths.cfr(FREQUENCIES)[:, :, :, :, 0]
    for number, data in enumerate((inside, outside)):
        assert closest(transfer_function(data), expected[:, :, number]) < 1e-5
        assert np.allclose(data.rx_pos, rx)


def test_a_link_without_line_of_sight_is_one(world: keller.World, load: Load) -> None:
    paths = world.paths(keller.Tx(TX), [[4.0, 3.0, 1.5]], max_reflections=1, line_of_sight=False)
    [data] = load(paths)
    assert data.los.tolist() == [0] and data.num_paths.tolist() == [6]


def test_the_line_of_sight_comes_first_even_if_it_is_weak(load: Load, tmp_path: Path) -> None:
    """A tree crown weakens the direct ray and not the one from the ground, in a scenario's file."""
    (tmp_path / "scene.obj").write_text((ROOT / "examples/two_ray/ground.obj").read_text())
    (tmp_path / "tree.toml").write_text(
        """
        frequency_hz = 3.5e9
        [scene]
        file = "scene.obj"
        [materials.ground]
        pec = true
        [[clutter]]
        polygon = [[80, -2], [85, -2], [85, 2], [80, 2]]
        base = 2
        height = 3
        attenuation_db_per_m = 4
        [[tx]]
        position = [0, 0, 10]
        antenna = "dipole"
        [[rx]]
        position = [100, 0, 1.5]
        """
    )
    paths = keller.run(tmp_path / "tree.toml")
    assert isinstance(paths, keller.Paths)
    [data] = load(paths)
    assert data.inter[0].tolist() == [0, 1] and data.power[0][0] < data.power[0][1] - 15
    assert data.los.tolist() == [1]
    [first] = load(paths, max_paths=1)
    assert first.inter.tolist() == [[0]]


def test_the_strongest_paths_stay(world: keller.World, load: Load, caplog: pytest.LogCaptureFixture) -> None:
    paths = world.paths(keller.Tx(TX), [[4.0, 3.0, 1.5]], max_reflections=3)
    [everything] = load(paths, max_paths=1000)
    assert len(paths) > 25
    with caplog.at_level("INFO", "keller"):
        [data] = load(paths)
    power = np.sort(10 * np.log10(np.asarray(paths["a_vv_re"]) ** 2 + np.asarray(paths["a_vv_im"]) ** 2))[::-1]
    assert np.allclose(data.power[0], power[:25], atol=1e-4)
    assert np.array_equal(data.power[0], everything.power[0][:25])
    lost = 100 * (10 ** (power[25:] / 10)).sum() / (10 ** (power / 10)).sum()
    assert f"more than 25 paths, up to {len(paths)}; what is left out holds up to {lost:.2g} %" in caplog.text


def test_sets_of_receivers(world: keller.World, load: Load, tmp_path: Path) -> None:
    csv = tmp_path / "desks.csv"
    csv.write_text("x,y,z\n0.5,3.5,1\n1.5,3.4,1\n")
    spacing: Any = np.float32(1)
    grid = keller.Rx(grid={"min": [1, 1.2], "max": [4, 3.2], "spacing": spacing, "height": 1.5}, name="floor")
    array = [[4.0, 3.0, 1.5], [2.0, 2.0, 1.0], [2.2, 2.0, 1.0]]
    rx = [keller.Rx([3, 3, 2]), grid, keller.Rx(array), keller.Rx(file=csv), keller.Rx([3.5, 3, 2])]
    sets = load(world.paths([keller.Tx(TX), keller.Tx([2, 2, 2])], rx, max_reflections=1))
    assert [data.txrx for data in sets] == [
        {"tx_set_id": 0, "rx_set_id": number, "tx_idx": tx} for number in (1, 2, 3, 4) for tx in (0, 1)
    ]
    assert [(one.name, one.num_points, one.num_active_points, one.is_tx) for one in sets[0].txrx_sets] == [
        ("tx", 2, 2, True),
        ("floor", 12, 12, False),
        ("array", 3, 3, False),
        ("file", 2, 2, False),
        ("rx", 2, 2, False),
    ]
    floor, places, desks, single = sets[1], sets[2], sets[4], sets[6]
    assert [one.grid_spacing for one in sets[0].txrx_sets] == [None, 1, None, None, None]
    assert floor.grid_size.tolist() == [4, 3] and floor.has_valid_grid()
    assert floor.grid_spacing.tolist() == pytest.approx([1, 1])
    assert np.allclose(floor.rx_pos[floor.get_idxs("row", row_idxs=[1])], [[x, 2.2, 1.5] for x in range(1, 5)])
    assert np.allclose(places.rx_pos, array)
    assert np.allclose(desks.rx_pos, [[0.5, 3.5, 1], [1.5, 3.4, 1]])
    assert single.rx_pos.tolist() == [[3, 3, 2], [3.5, 3, 2]]
    for data in sets:
        distance = np.linalg.norm(data.rx_pos - data.tx_pos, axis=1)
        assert np.allclose(data.delay[:, 0], distance / C, rtol=1e-6)


def test_the_scene_and_its_objects(load: Load) -> None:
    """Two boxes on a ground: reflections lie on the object that DeepMIMO finds nearest."""
    box = np.array([[x, y, z] for x in (0, 4) for y in (0, 4) for z in (0, 5)], dtype=float)
    quads = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [1, 5, 7, 3]]
    sides = np.array([half for a, b, c, d in quads for half in ([a, b, c], [a, c, d])])
    ground = np.array([[-50, -50, 0], [50, -50, 0], [50, 50, 0], [-50, 50, 0]], dtype=float)
    corners = np.concatenate([ground, box + [10, 0, 0], box + [-14, 0, 0]])
    triangles = np.concatenate([[[0, 1, 2], [0, 2, 3]], sides + 4, sides + 12])
    scene = keller.scene_from_triangles(corners, triangles, ["concrete", "soil"], np.array([1] * 2 + [0] * 20))
    world = keller.World(scene, CARRIER, default_material="concrete")
    [data] = load(world.paths(keller.Tx([0, -1, 3]), [[1, 5, 2.5]], max_reflections=1))
    labels = sorted((one.label, len(one.faces)) for one in data.scene.objects)
    assert labels == [("buildings", 10), ("buildings", 10), ("terrain", 2)]
    assert np.array_equal(data.scene.bounding_box.bounds, scene.bounds)
    assert data.materials.name == scene.materials
    names = {one.object_id: (one.label, float(one.bounding_box.center[0])) for one in data.scene.objects}
    reflections = data.inter[0] == 1
    points, objects = data.inter_pos[0][reflections, 0], data.inter_objects[0][reflections, 0]
    assert len(points) == 3
    for point, number in zip(points, objects, strict=True):
        expected = ("terrain", 0.0) if abs(point[2]) < 1e-6 else ("buildings", 12.0 if point[0] > 0 else -12.0)
        assert names[int(number)] == expected
    areas = {one.label: sum(face.area for face in one.faces) for one in data.scene.objects}
    assert areas == pytest.approx({"terrain": 100 * 100, "buildings": 4 * 4 * 5 + 4 * 4})


def test_deep_paths_keep_every_interaction(load: Load) -> None:
    """Between two metal plates; DeepMIMO's decimal codes of more than 7 interactions need 64 bits."""
    plate = np.array([[0, 0, 0], [40, 0, 0], [40, 0, 4], [0, 0, 4]], dtype=float)
    corners = np.concatenate([plate, plate + [0, 3, 0]])
    scene = keller.scene_from_triangles(corners, [[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]], "metal")
    world = keller.World(scene, CARRIER, materials={"metal": keller.Material(pec=True)})
    paths = world.paths(keller.Tx([1, 1, 2]), [[39, 2, 2]], max_reflections=12, relative_threshold_db=200)
    [data] = load(paths)
    once, twice = [""], ["R" * depth for depth in range(1, 13)]
    assert sorted(str(text) for text in data.inter_str[0]) == sorted(once + twice + twice)
    assert data.num_interactions[0].max() == 12 and data.inter_pos.shape == (1, 25, 12, 3)
    too_deep = world.paths(keller.Tx([1, 1, 2]), [[39, 2, 2]], max_reflections=16, relative_threshold_db=200)
    with pytest.raises(keller.ScenarioError, match="one with 16 interactions; accepted: up to 15"):
        load(too_deep, max_paths=100)


def test_a_replay_is_saved_at_its_own_frequency(conductor: keller.World, tmp_path: Path) -> None:
    paths = conductor.paths(keller.Tx([0, 0, 10]), [[30, 0, 10]], max_reflections=0).replay(frequency=28e9)
    keller.deepmimo.save(paths, tmp_path / "replay")
    assert json.loads((tmp_path / "replay/params.json").read_text())["rt_params"]["frequency"] == 28e9
    expected = 20 * np.log10(C / 28e9 / (4 * np.pi * 30))
    assert read(tmp_path / "replay")["power"][0, 0] == pytest.approx(expected, abs=1e-5)


@pytest.fixture
def paths(world: keller.World) -> keller.Paths:
    return world.paths(keller.Tx(TX), [[4.0, 3.0, 1.5]], max_reflections=1)


def everything(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_only_a_scenario_is_overwritten(paths: keller.Paths, world: keller.World, tmp_path: Path) -> None:
    folder = tmp_path / "deep/er/room"
    keller.deepmimo.save(paths, folder)
    before = everything(tmp_path)
    with pytest.raises(keller.KellerError, match="room: found a scenario of DeepMIMO; accepted: overwrite=True"):
        keller.deepmimo.save(paths, folder)
    assert everything(tmp_path) == before
    other = world.paths([keller.Tx(TX), keller.Tx([2, 2, 2])], [[4.0, 3.0, 1.5]], max_reflections=0)
    keller.deepmimo.save(other, str(folder), overwrite=True)
    keller.deepmimo.save(other, tmp_path / "fresh")
    assert everything(folder) == everything(tmp_path / "fresh")
    assert {found.name for found in folder.parent.iterdir()} == {"room"}
    (tmp_path / "empty").mkdir()
    keller.deepmimo.save(paths, tmp_path / "empty")
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "diary.txt").write_text("mine")
    for overwrite in (False, True):
        with pytest.raises(keller.KellerError, match="notes: found a folder with other files"):
            keller.deepmimo.save(paths, notes, overwrite=overwrite)
    assert everything(notes) == {"diary.txt": b"mine"}
    with pytest.raises(keller.KellerError, match=r"diary.txt: found a file"):
        keller.deepmimo.save(paths, notes / "diary.txt")
    with pytest.raises(keller.KellerError, match="cannot be written"):
        keller.deepmimo.save(paths, notes / "diary.txt" / "room")


def test_nothing_half_written_stays(paths: keller.Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "room"
    keller.deepmimo.save(paths, folder)
    before = everything(tmp_path)

    def full(*_: Any, **__: Any) -> Any:
        raise OSError(28, "No space left on device")

    replace = Path.replace

    def stuck(place: Path, to: Path) -> Path:
        return full() if place.name == "new" else replace(place, to)

    for owner, function, replacement in ((np, "savez_compressed", full), (Path, "replace", stuck)):
        monkeypatch.setattr(owner, function, replacement)
        for place in (folder, tmp_path / "other"):
            with pytest.raises(keller.KellerError, match=r"cannot be written.*No space left"):
                keller.deepmimo.save(paths, place, overwrite=True)
        assert everything(tmp_path) == before and {found.name for found in tmp_path.iterdir()} == {"room"}
        monkeypatch.undo()


def test_bad_arguments(paths: keller.Paths, world: keller.World, tmp_path: Path) -> None:
    coverage: Any = world.coverage(keller.Tx(TX), resolution=2.0, heights=[1.5], max_reflections=0)
    with pytest.raises(keller.ScenarioError, match=r"paths: found .*Coverage.*accepted: keller.Paths"):
        keller.deepmimo.save(coverage, tmp_path / "room")
    for name in ("Room", "a:b", "two\nlines"):
        with pytest.raises(keller.ScenarioError, match="folder: found the name"):
            keller.deepmimo.save(paths, tmp_path / name)
    wrong: list[Any] = [0, -1, 2.5, True, "all", None]
    for number in wrong:
        with pytest.raises(keller.ScenarioError, match=r"max_paths: found .*accepted: a whole number from 1"):
            keller.deepmimo.save(paths, tmp_path / "room", max_paths=number)
    with pytest.warns(keller.KellerWarning, match="no path"):
        none = world.paths(keller.Tx(TX), [[4.0, 3.0, 1.5]], max_reflections=0, line_of_sight=False)
    with pytest.raises(keller.ScenarioError, match="paths: found none from 1 Tx to 1 receivers"):
        keller.deepmimo.save(none, tmp_path / "room")
    assert not any(tmp_path.iterdir())


def test_the_page_is_true(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its programs run, and so do the lines for DeepMIMO."""
    text = (ROOT / "docs/src/guide/deepmimo.md").read_text()
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    names: dict[str, Any] = {}
    for code in re.findall(r"^```python\n(.*?)^```", text, re.M | re.S):
        exec(code, names)
    deepmimo = pytest.importorskip("deepmimo")
    deepmimo.config.reset()
    lines = re.findall(r"^>>> (.*)", text, re.M)
    assert len(lines) > 5
    exec("\n".join(lines), names)
