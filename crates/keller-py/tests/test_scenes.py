"""Scenes: what they are made from, what they say of themselves, and what other programs open."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import keller
import numpy as np
import pytest
from conftest import ROOT, Run

VILLAGE = [ROOT / "examples/village/village.geojson", ROOT / "examples/village/hill.asc"]


def test_a_place_is_imported_as_the_program_imports_it(program: Run, tmp_path: Path) -> None:
    program("import", *map(str, VILLAGE), "-o", "ours.glb", "--margin", "50", "--default-height", "7")
    scene = keller.import_place(VILLAGE, keep=tmp_path / "kept.glb", margin=50, default_height=7)
    assert (tmp_path / "kept.glb").read_bytes() == (tmp_path / "ours.glb").read_bytes()
    again = keller.import_place(VILLAGE, margin=50, default_height=7)
    assert np.array_equal(scene.vertices, again.vertices) and scene.crs == again.crs is not None
    said = json.loads(program("scene", "ours.glb", "--json"))
    assert scene.describe() == said == again.describe()


def test_faces_and_edges_have_the_numbers_of_the_program(room: keller.Scene, room_file: Path, program: Run) -> None:
    said = json.loads(program("scene", str(room_file), "--json", "--list"))
    faces, edges = room.faces, room.edges
    assert [face["area_m2"] for face in said["face_list"]] == faces["area"].tolist()
    assert [face["plane"] for face in said["face_list"]] == faces["plane"].tolist()
    assert [face["normal"] for face in said["face_list"]] == faces["normal"].tolist()
    assert [face["material"] for face in said["face_list"]] == [room.materials[m] for m in faces["material"]]
    counts = np.bincount(faces["of_triangle"], minlength=room.num_faces)
    assert [face["triangles"] for face in said["face_list"]] == counts.tolist()
    assert [edge["ends"] for edge in said["edge_list"]] == edges["ends"].tolist()
    of = [[face for face in pair if face >= 0] for pair in edges["faces"].tolist()]
    assert [edge["faces"] for edge in said["edge_list"]] == of


def test_a_scene_is_kept_as_glb(room: keller.Scene, tmp_path: Path) -> None:
    room.save(tmp_path / "room.glb")
    again = keller.load_scene(tmp_path / "room.glb")
    assert set(again.materials) == set(room.materials) and again.num_faces == room.num_faces
    assert np.allclose(again.bounds, room.bounds, atol=1e-6)
    with pytest.raises(keller.ScenarioError, match=r"room.ply.*\.glb"):
        room.save(tmp_path / "room.ply")
    with pytest.raises(keller.KellerError, match="nowhere"):
        room.save(tmp_path / "nowhere/room.glb")


def test_a_picture_is_the_view_of_the_program(
    room: keller.Scene, room_file: Path, program: Run, tmp_path: Path
) -> None:
    program("scene", str(room_file), "--picture", "theirs.png")
    room.picture().save(tmp_path / "ours.png")
    assert (tmp_path / "ours.png").read_bytes() == (tmp_path / "theirs.png").read_bytes()


def test_terrain_of_a_mesh_becomes_fewer_facets(tmp_path: Path) -> None:
    steps = np.arange(21)
    x, y = (axis.ravel() for axis in np.meshgrid(5.0 * steps, 5.0 * steps))
    z = np.sin(x / 30) * np.cos(y / 40)
    first = (steps[:-1] + 21 * steps[:-1, None]).ravel() + 1
    lines = [f"v {a} {b} {c}" for a, b, c in zip(x, y, z, strict=True)]
    lines += [f"f {k} {k + 1} {k + 22}\nf {k} {k + 22} {k + 21}" for k in first]
    (tmp_path / "hills.obj").write_text("usemtl concrete\n" + "\n".join(lines) + "\n")
    load = partial(keller.load_scene, tmp_path / "hills.obj", up="z")
    assert len(load().triangles) == len(load(terrain_error_m=None).triangles) == 800
    # The 80 corners of its outline alone need 78.
    assert 78 <= len(load(terrain_error_m=0.2).triangles) < 300
    for wrong in (-1.0, float("nan"), float("inf")):
        with pytest.raises(keller.ScenarioError, match=r"terrain_error_m: .*accepted: a number of at least 0"):
            load(terrain_error_m=wrong)
