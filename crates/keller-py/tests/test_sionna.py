"""Scenes and arrays of Sionna RT, by stand-ins for its objects. `benches/peer/python_arrays.py` runs Sionna."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace as Thing
from typing import Any

import keller
import keller.sionna
import numpy as np
import pytest
from conftest import C
from numpy.typing import NDArray

FREQUENCY = 3.5e9
WAVELENGTH = C / FREQUENCY

# ---- Stand-ins with the attributes of Sionna's objects


def f32(values: Any) -> NDArray[np.float32]:
    return np.asarray(values, dtype=np.float32)


class Mesh:
    """A square of two triangles around ``centre``, across the axis ``axis``."""

    def __init__(self, centre: Sequence[float], axis: int, half: float = 50.0) -> None:
        u, v = np.delete(np.eye(3), axis, axis=0) * half
        self.corners = f32([centre - u - v, centre + u - v, centre + u + v, centre - u + v])

    def vertex_positions_buffer(self) -> NDArray[np.float32]:
        return self.corners.reshape(-1)

    def faces_buffer(self) -> NDArray[np.uint32]:
        return np.array([0, 1, 2, 0, 2, 3], dtype=np.uint32)


class LambertianPattern:
    pass


class BackscatteringPattern:
    alpha_r, alpha_i, lambda_ = 5, 3, f32([0.7])


class AbsorberRadioMaterial:
    name = "foam"


def material(name: str, **changes: Any) -> Any:
    values = {
        "relative_permittivity": [5.0],
        "conductivity": [0.01],
        "thickness": [0.1],
        "scattering_coefficient": [0.0],
        "xpd_coefficient": [0.0],
    }
    arrays = {key: f32(changes.pop(key, value)) for key, value in values.items()}
    others = {"scattering_pattern": LambertianPattern(), "frequency_update_callback": None}
    return Thing(name=name, **arrays, **{**others, **changes})


def v_iso_pattern(theta: float, phi: float) -> complex:
    return 1.0


def v_tr38901_pattern(theta: float, phi: float) -> complex:
    return 10**0.4


def v_hw_dipole_pattern(theta: float, phi: float) -> complex:
    return complex(1.28 * np.cos(np.pi / 2 * np.cos(theta)) / np.sin(theta))


def v_mine_pattern(theta: float, phi: float) -> complex:
    return 1.0


Pattern = Callable[[float, float], complex]


def array(
    rows: int = 1,
    columns: int = 1,
    pattern: Pattern = v_iso_pattern,
    slants: Sequence[float] = (0.0,),
    spacing: tuple[float, float] = (0.5, 0.5),
) -> Any:
    """A PlanarArray: elements by columns, each from the top, as its documentation has it."""

    def port(slant: float) -> Callable[[float, float], tuple[complex, complex]]:
        angle = np.radians(slant)
        return lambda theta, phi: (np.cos(angle) * pattern(theta, phi), np.sin(angle) * pattern(theta, phi))

    places = [
        [0.0, spacing[1] * (column - (columns - 1) / 2), spacing[0] * ((rows - 1) / 2 - row)]
        for column in range(columns)
        for row in range(rows)
    ]
    ports = Thing(v_pattern=pattern, patterns=[port(slant) for slant in slants])
    return Thing(antenna_pattern=ports, normalized_positions=f32(places).T)


def device(
    position: Sequence[float],
    orientation: Sequence[float] = (0.0, 0.0, 0.0),
    velocity: Sequence[float] = (0.0, 0.0, 0.0),
    **more: Any,
) -> Any:
    """Points are columns, as numpy has those of Mitsuba."""
    columns = {"position": position, "orientation": orientation, "velocity": velocity}
    return Thing(**{name: f32(value).reshape(3, 1) for name, value in columns.items()}, **more)


def tx_device(position: Sequence[float], **more: Any) -> Any:
    return device(position, power_dbm=f32([44.0]), **more)


def wall(mesh: Mesh, of: Any, **more: Any) -> Any:
    return Thing(mi_mesh=mesh, radio_material=of, **more)


def scene(objects: dict[str, Any] | None = None, **changes: Any) -> Any:
    """A scene with one Tx, one Rx, and by default a plate far below both."""
    if objects is None:
        objects = {"plate": wall(Mesh([0, 0, -9000], 2, 1.0), material("plate"))}
    values: dict[str, Any] = {
        "frequency": np.float32(FREQUENCY),
        "objects": objects,
        "radio_materials": {one.radio_material.name: one.radio_material for one in objects.values()},
        "transmitters": {"tx": tx_device([0.0, 0.0, 0.0])},
        "receivers": {"rx": device([20.0, 0.0, 0.0])},
        "tx_array": array(),
        "rx_array": array(),
        "sensing_targets": {},
    }
    return Thing(**{**values, **changes})


def free_space(distance: float) -> float:
    return WAVELENGTH / (4 * np.pi * distance)


# ---- Scenes by name


@pytest.fixture
def wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package like that of the wheel, which does not bear to be imported."""
    folder = tmp_path / "sionna" / "rt" / "scenes"
    for name in ("floor", "other"):
        (folder / name).mkdir(parents=True)
        (folder / name / f"{name}.xml").write_text(
            '<scene version="2.1.0"><bsdf type="itu-radio-material" id="mat-floor"><string name="type" value="brick"/>'
            '</bsdf><shape type="rectangle"><ref id="mat-floor" name="bsdf"/></shape></scene>'
        )
    (tmp_path / "sionna" / "__init__.py").write_text("raise RuntimeError('imported')")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "sionna", raising=False)
    return folder


def test_a_scene_of_the_wheel_is_found_without_importing_it(wheel: Path) -> None:
    found = keller.sionna.load_scene("floor")
    assert found.materials == ["floor"] and found.num_faces == 1
    assert "sionna" not in sys.modules
    assert keller.sionna.load_scene(wheel / "other" / "other.xml").num_faces == 1


def test_an_unknown_scene_is_refused_with_the_names_of_all(wheel: Path) -> None:
    with pytest.raises(keller.ScenarioError, match="found 'munchen'; accepted: floor, other, or a scene's file"):
        keller.sionna.load_scene("munchen")


def test_without_the_wheel_the_error_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(keller.ScenarioError, match="pip install sionna-rt"):
        keller.sionna.load_scene("munich")


# ---- Scene objects


def test_meshes_materials_and_devices_become_a_world() -> None:
    brick = material("brick", itu_type="brick", thickness=[0.25])
    board = material("board", relative_permittivity=[2.5], conductivity=[0.03])
    objects = {"floor": wall(Mesh([0, 0, 0], 2), brick), "side": wall(Mesh([60, 0, 50], 0), board)}
    transmitters = {"mast": tx_device([1, 2, 3], orientation=[np.pi / 2, 0.1, -0.2], velocity=[1, 0, 0])}
    world, tx, rx = keller.sionna.from_scene(scene(objects, transmitters=transmitters))
    assert world.frequency == 3.5e9
    assert world.scene.num_faces == 2 and world.scene.materials == ["brick", "board"]
    assert world.scene.bounds.tolist() == [[-50, -50, 0], [60, 50, 100]]
    assert world.materials["brick"].options == {"itu": "brick", "thickness": 0.25}
    # 0.03 of 32 bits is 0.03, not 0.029999999329447746.
    assert world.materials["board"].options == {"permittivity": 2.5, "conductivity": 0.03, "thickness": 0.1}
    assert tx[0].options["name"] == "mast" and tx[0].options["power_dbm"] == 44
    assert tx[0].options["orientation_deg"] == pytest.approx([90, np.degrees(0.1), np.degrees(-0.2)], abs=1e-5)
    assert tx[0].options["position"] == [1, 2, 3] and tx[0].options["velocity"] == [1, 0, 0]
    assert rx[0].options["name"] == "rx" and rx[0].options["position"] == [20, 0, 0]


@pytest.mark.parametrize("target", [(30, 40, 0), (-10, 5, 8), (3, -20, -6)])
def test_a_sector_that_looks_at_its_receiver_has_its_full_gain(target: tuple[float, float, float]) -> None:
    distance = float(np.linalg.norm(target))
    zenith, azimuth = np.arccos(target[2] / distance), np.arctan2(target[1], target[0])
    # What Sionna's `look_at` sets.
    transmitters = {"tx": tx_device([0, 0, 0], orientation=[azimuth, zenith - np.pi / 2, 0])}
    sector = array(pattern=v_tr38901_pattern)
    setup = keller.sionna.from_scene(
        scene(transmitters=transmitters, receivers={"rx": device(target)}, tx_array=sector)
    )
    paths = setup.world.paths(setup.tx, setup.rx, max_reflections=0)
    assert paths["gain_db"] == pytest.approx([20 * np.log10(free_space(distance)) + 8.0], abs=1e-5)


def test_a_dipole_rolled_to_its_side_has_its_null_along_y() -> None:
    transmitters = {"tx": tx_device([0, 0, 0], orientation=[0, 0, np.pi / 2])}
    receivers = {"along": device([0, 20, 0]), "across": device([0, 0, 20])}
    dipole = array(pattern=v_hw_dipole_pattern)
    setup = keller.sionna.from_scene(scene(transmitters=transmitters, receivers=receivers, tx_array=dipole))
    a = np.hypot(*keller.sionna.arrays(setup.world.paths(setup.tx, setup.rx, max_reflections=0)).a)[:, 0, 0, 0, 0]
    assert a[0] < 1e-4 * free_space(20.0)
    # The receiver above looks along +x: its theta at the zenith is +x, across the dipole.
    assert a[1] < 1e-4 * free_space(20.0)
    up = setup.world.paths(setup.tx, keller.Rx([0, 0, 20], polarization="H"), max_reflections=0)
    assert up["gain_db"] == pytest.approx([20 * np.log10(free_space(20.0)) + 2.15], abs=0.01)


def test_a_wall_reflects_as_the_slab_of_its_values() -> None:
    side = material("side", relative_permittivity=[4.0], conductivity=[0.0], thickness=[0.03])
    setup = keller.sionna.from_scene(
        scene(
            {"side": wall(Mesh([10, 0, 0], 0), side)},
            transmitters={"tx": tx_device([0, 0, 0])},
            receivers={"rx": device([-5, 0, 0])},
        )
    )
    paths = setup.world.paths(setup.tx, setup.rx, max_reflections=1)
    by_type = dict(zip(paths["types"], paths["gain_db"], strict=True))
    # P.2040-3, (43), at normal incidence.
    r, once = (1 - 2) / (1 + 2), np.exp(-2j * np.pi / WAVELENGTH * 0.03 * 2)
    expected = abs(r * (1 - once**2) / (1 - r**2 * once**2)) * free_space(25.0)
    assert by_type["R"] == pytest.approx(20 * np.log10(expected), abs=1e-6)


def test_scattering_is_carried_over() -> None:
    coefficients = {"scattering_coefficient": [0.3], "xpd_coefficient": [0.1]}
    rough = material("rough", itu_type="marble", scattering_pattern=BackscatteringPattern(), **coefficients)
    world, _, _ = keller.sionna.from_scene(scene({"one": wall(Mesh([0, 0, 0], 2), rough)}))
    assert world.materials["rough"].options == {
        "itu": "marble",
        "thickness": 0.1,
        "scattering": 0.3,
        "cross_polarization": 0.1,
        "scattering_pattern": "backscattering",
        "scattering_alpha": 5,
        "scattering_alpha_back": 3,
        "scattering_forward_share": 0.7,
    }


def itu_row(values: tuple[float, float]) -> Callable[[Any], tuple[Any, Any]]:
    return lambda frequency: (f32([values[0]]), f32([values[1]]))


def test_what_keller_has_no_row_for_keeps_its_values_with_a_warning() -> None:
    # A type of a later edition of ITU-R P.2040; and values that are not those of the material's type.
    asphalt = material("road", itu_type="cobblestone", frequency_update_callback=itu_row((5.0, 0.01)))
    changed = material("brick", itu_type="brick", frequency_update_callback=itu_row((3.91, 0.029)))
    for one in (asphalt, changed):
        with pytest.warns(keller.KellerWarning, match="at 3.5 GHz stand for all frequencies"):
            world, _, _ = keller.sionna.from_scene(scene({"one": wall(Mesh([0, 0, 0], 2), one)}))
        assert world.materials[one.name].options == {"permittivity": 5.0, "conductivity": 0.01, "thickness": 0.1}


def test_an_absorber_reflects_nothing_and_lets_nothing_pass() -> None:
    objects = {"one": wall(Mesh([10, 0, 0], 0), AbsorberRadioMaterial())}
    receivers = {"behind": device([20, 0, 0]), "before": device([-5, 1, 0])}
    with pytest.warns(keller.KellerWarning, match="its edges diffract"):
        setup = keller.sionna.from_scene(scene(objects, receivers=receivers))
    with pytest.warns(keller.KellerWarning, match="behind opaque walls, such as `foam`"):
        paths = setup.world.paths(setup.tx, setup.rx, max_reflections=1, max_transmissions=1)
    heard = [
        (rx, kind) for rx, kind, gain in zip(paths["rx"], paths["types"], paths["gain_db"], strict=True) if gain > -200
    ]
    assert heard == [(1, "LOS")]


def test_moving_objects_and_targets_are_warned_of() -> None:
    objects = {"car": wall(Mesh([0, 0, 0], 2), material("m"), velocity=f32([[3], [0], [0]]))}
    with pytest.warns(keller.KellerWarning, match=r"objects\['car'\].velocity"):
        keller.sionna.from_scene(scene(objects))
    with pytest.warns(keller.KellerWarning, match="drone count as walls"):
        keller.sionna.from_scene(scene(sensing_targets={"drone": None}))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"tx_array": array(pattern=v_mine_pattern)}, "tx_array: found the antenna pattern v_mine_pattern; accepted"),
        ({"rx_array": None}, "rx_array: found None; accepted: an array, or rx_antenna"),
        ({"tx_array": array(slants=[10.0, 100.0])}, r"found ports slanted by \[10.0, 100.0\] degrees"),
        ({"objects": {"a": wall(Mesh([0, 0, 0], 2), material("a", thickness=[0.0]))}}, "thickness: found 0; accepted"),
        ({"objects": {"a": wall(Mesh([0, 0, 0], 2), Thing(name="a"))}}, "found SimpleNamespace; accepted: Radio"),
        (
            {"objects": {"a": wall(Mesh([0, 0, 0], 2), material("a", scattering_coefficient=1, scattering_pattern=1))}},
            "scattering_pattern: found int; accepted: LambertianPattern",
        ),
    ],
)
def test_what_has_no_counterpart_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(keller.ScenarioError, match=message):
        keller.sionna.from_scene(scene(**changes))


def test_another_polarization_model_is_refused() -> None:
    turned = array()
    slant = np.radians(45)

    def port(theta: float, phi: float) -> tuple[float, float]:
        # TR 38.901, (7.3-3): the first model.
        cos_psi = np.cos(slant) * np.sin(theta) + np.sin(slant) * np.sin(phi) * np.cos(theta)
        sin_psi = np.sin(slant) * np.cos(phi)
        return cos_psi, sin_psi

    turned.antenna_pattern.patterns = [port]
    with pytest.raises(keller.ScenarioError, match="accepted: tr38901_2"):
        keller.sionna.from_scene(scene(rx_array=turned))
    antenna = keller.Antenna("dipole")
    _, _, rx = keller.sionna.from_scene(scene(rx_array=turned), rx_antenna=antenna)
    assert rx[0].options["antenna"] == "dipole"


# ---- Arrays


def test_names_shapes_types_and_codes_are_those_of_sionna(world: keller.World) -> None:
    rx = keller.Rx(np.array([[4, 3, 1.5], [2, 2, 1], [9, 3, 1.5]]))
    paths = world.paths(keller.Tx([1, 1, 2]), rx, max_reflections=2, max_transmissions=1)
    found, count = keller.sionna.arrays(paths), max(np.bincount(paths["rx"]))
    assert [part.shape for part in found.a] == 2 * [(3, 1, 1, 1, count)]
    for name in ("tau", "theta_t", "phi_t", "theta_r", "phi_r", "doppler"):
        assert getattr(found, name).shape == (3, 1, count) and getattr(found, name).dtype == np.float32
    depth = max(len(types) for types in paths["types"] if types != "LOS")
    assert found.interactions.shape == found.objects.shape == (depth, 3, 1, count)
    assert found.vertices.shape == (depth, 3, 1, count, 3)
    assert [one.dtype.name for one in (found.interactions, found.objects, found.valid)] == ["uint32", "uint32", "bool"]
    assert (found.tau[~found.valid] == -1).all() and not found.valid.all()
    letters = {0: "", 1: "R", 4: "T"}
    for link, path in np.argwhere(found.valid[:, 0]):
        codes = found.interactions[:, link, 0, path]
        own = [types for types, rx in zip(paths["types"], paths["rx"], strict=True) if rx == link]
        assert "".join(letters[code] for code in codes) == own[path].replace("LOS", "")
        assert ((found.objects[:, link, 0, path] == 0xFFFF_FFFF) == (codes == 0)).all()
    deeper = keller.sionna.arrays(paths, max_depth=5)
    assert deeper.interactions.shape[0] == 5 and not deeper.interactions[depth:].any()
    with pytest.raises(keller.ScenarioError, match=f"max_depth: found 1; accepted: {depth} or more"):
        keller.sionna.arrays(paths, max_depth=1)


def test_amplitudes_have_no_carrier_phase(world: keller.World) -> None:
    paths = world.paths(keller.Tx([1, 1, 2]), [[4.0, 3.0, 1.5], [2.0, 2.0, 1.0]], max_reflections=2)
    found = keller.sionna.arrays(paths, dtype=np.float64)
    a, _ = paths.cir()
    turned = (found.a[0] + 1j * found.a[1]) * np.exp(-2j * np.pi * 3.5e9 * found.tau[:, np.newaxis, :, np.newaxis])
    assert np.allclose(turned, a[..., 0], rtol=1e-9, atol=0)
    # Line of sight is a positive number then: the closed form.
    distance = np.sqrt(9 + 4 + 0.25)
    assert found.a[0][0, 0, 0, 0, 0] == pytest.approx(free_space(distance), rel=1e-9)
    assert abs(found.a[1][0, 0, 0, 0, 0]) < 1e-9 * free_space(distance)


def places_of(one: Any) -> NDArray[np.float64]:
    return np.asarray(one.normalized_positions, dtype=float).T * WAVELENGTH


def test_antennas_are_in_the_order_of_sionna() -> None:
    panel, pair = array(2, 3, slants=[-45, 45], spacing=(0.7, 0.5)), array(1, 2, slants=[90])
    target = np.array([300.0, 200.0, 100.0])
    setup = keller.sionna.from_scene(scene(receivers={"rx": device(target.tolist())}, tx_array=panel, rx_array=pair))
    found = keller.sionna.arrays(setup.world.paths(setup.tx, setup.rx, max_reflections=0), dtype=np.float64)
    a = (found.a[0] + 1j * found.a[1])[0, :, 0, :, 0] / free_space(float(np.linalg.norm(target)))
    away = target / np.linalg.norm(target)
    wavenumber = 2 * np.pi / WAVELENGTH
    at_tx, at_rx = (np.exp(1j * wavenumber * places_of(one) @ d) for one, d in ((panel, away), (pair, -away)))
    # Line of sight is diag(1, -1) in theta and phi; ports are slanted by -45 and +45 degrees, the receiver's by 90.
    ports = -np.sin(np.radians([-45, 45]))
    assert np.allclose(a, np.outer(at_rx, np.kron(ports, at_tx)), atol=1e-6)


def test_elements_that_do_not_form_a_panel_keep_their_places() -> None:
    ring = array()
    angles = np.arange(5) * 2 * np.pi / 5
    ring.normalized_positions = f32([np.cos(angles), np.sin(angles), 0 * angles])
    _, _, rx = keller.sionna.from_scene(scene(rx_array=ring))
    assert np.allclose(rx[0].options["array"]["elements_m"], places_of(ring))


def test_without_a_synthetic_array_every_pair_of_antennas_has_its_own_paths() -> None:
    panel, pair = array(2, 2, slants=[0, 90]), array(1, 2)
    turned = [np.pi / 3, 0.2, -0.4]
    one = scene(
        transmitters={"tx": tx_device([0, 0, 0], orientation=turned)},
        receivers={"rx": device([4, 1, 2]), "far": device([9, 1, 2])},
        tx_array=panel,
        rx_array=pair,
    )
    setup = keller.sionna.from_scene(one, synthetic_array=False)
    found = keller.sionna.arrays(setup.world.paths(setup.tx, setup.rx, max_reflections=0), dtype=np.float64)
    assert found.a[0].shape == found.tau.shape == found.valid.shape == (2, 2, 1, 8, 1)
    assert found.interactions.shape == (1, 2, 2, 1, 8, 1) and found.vertices.shape == (1, 2, 2, 1, 8, 1, 3)
    (ca, cb, cc), (sa, sb, sc) = np.cos(turned), np.sin(turned)
    # TR 38.901, (7.1-4).
    rotation = np.array(
        [
            [ca * cb, ca * sb * sc - sa * cc, ca * sb * cc + sa * sc],
            [sa * cb, sa * sb * sc + ca * cc, sa * sb * cc - ca * sc],
            [-sb, cb * sc, cb * cc],
        ]
    )
    tx_places = np.tile(places_of(panel) @ rotation.T, (2, 1))
    for number, centre in enumerate([[4, 1, 2], [9, 1, 2]]):
        rx_places = np.array(centre) + places_of(pair)
        distances = np.linalg.norm(rx_places[:, np.newaxis] - tx_places[np.newaxis], axis=-1)
        assert np.allclose(found.tau[number, :, 0, :, 0], distances / C, rtol=1e-6)
        # Both ports of an element together have all power of free space, whichever way they are turned.
        power = (found.a[0] ** 2 + found.a[1] ** 2)[number, :, 0, :, 0].reshape(2, 2, 4).sum(axis=1)
        assert np.allclose(power, (WAVELENGTH / (4 * np.pi * distances[:, :4])) ** 2, rtol=1e-5)


@pytest.mark.parametrize(
    "turned",
    [{}, {"azimuth_deg": 30.0}, {"downtilt_deg": 20.0}, {"azimuth_deg": -50.0, "downtilt_deg": 10.0}]
    + [{"orientation_deg": [20.0, 10.0, 40.0]}],
)
@pytest.mark.parametrize("spacing", [{"spacing_wavelengths": [0.7, 0.5]}, {}])
def test_elements_stand_where_the_compiled_half_puts_them(
    world: keller.World, turned: dict[str, Any], spacing: dict[str, Any]
) -> None:
    panel: Any = {"rows": 2, "columns": 3, **spacing}
    tx = keller.Tx([1, 1, 2], antenna="tr38901", polarization="cross", array=panel, array_tracing="each", **turned)
    paths = world.paths(tx, keller.Rx(np.array([[4, 3, 1.5], [3, 2, 1]])), max_reflections=0)
    found, own = keller.sionna.arrays(paths, dtype=np.float64), paths.channels().a
    a = (found.a[0] + 1j * found.a[1]) * np.exp(-2j * np.pi * FREQUENCY * found.tau)
    # From ports of every element, rows upwards, to elements of every port, columns from the top.
    order = [2 * (row * 3 + column) + port for port in (1, 0) for column in range(3) for row in (1, 0)]
    assert np.allclose(a, own[:, :, :, order], rtol=1e-8, atol=0)


def test_arrays_of_a_scenario_are_those_of_its_paths(room_file: Path, tmp_path: Path) -> None:
    world = keller.World(keller.load_scene(room_file), 3.5e9, default_material="concrete")
    panel = keller.Antenna(polarization="cross", array={"rows": 2, "columns": 2, "spacing_wavelengths": [0.5, 0.5]})
    paths = world.paths(keller.Tx([1, 1, 2], antenna=panel), [[4.0, 3.0, 1.5]], max_reflections=1)
    file = tmp_path / "same.toml"
    file.write_text(paths.scenario)
    again = keller.run(file)
    assert isinstance(again, keller.Paths)
    if sys.version_info >= (3, 11):
        assert np.array_equal(keller.sionna.arrays(again).a, keller.sionna.arrays(paths).a)
    with pytest.raises(keller.ScenarioError, match="paths"):
        keller.sionna.arrays(again, synthetic_array=False)


def test_devices_with_other_arrays_are_refused(world: keller.World) -> None:
    rx = [keller.Rx([4, 3, 1.5]), keller.Rx([2, 2, 1], polarization="VH")]
    paths = world.paths(keller.Tx([1, 1, 2]), rx, max_reflections=0)
    with pytest.raises(keller.ScenarioError, match="rx: found devices that differ in array or polarization"):
        keller.sionna.arrays(paths)


def test_a_synthetic_array_of_elements_traced_one_by_one_is_refused(world: keller.World) -> None:
    pair: keller.options.ArrayOptions = {"elements_m": [[0, -0.05, 0], [0, 0.05, 0]]}
    tx = keller.Tx([1, 1, 2], array=pair, array_tracing="each")
    paths = world.paths(tx, [[4.0, 3.0, 1.5]], max_reflections=0)
    with pytest.raises(keller.ScenarioError, match="synthetic_array: found True"):
        keller.sionna.arrays(paths, synthetic_array=True)
    grid = keller.Rx(grid={"min": [1, 1], "max": [2, 1], "spacing": 1, "height": 1.5})
    with pytest.raises(keller.ScenarioError, match="found False beside 'grid'"):
        keller.sionna.arrays(world.paths(tx, grid, max_reflections=0))
