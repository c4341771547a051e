//! Mitsuba scenes.

use glam::DVec3;
use keller::materials::{ItuMaterial, Layer, Material, Medium};
use keller::scene::Mesh;

use super::{Files, UNIT_TRIANGLE, area, bounds, corners, names, vector_area, warnings};

fn cube_with(files: &Files, inside: &str) -> Mesh {
    let scene = format!(
        "<scene version='3.0.0'><bsdf type='diffuse' id='wall'/><shape type='cube'><ref id='wall'/>{inside}</shape></scene>"
    );
    files.import("cube.xml", scene).mesh
}

#[test]
fn mitsuba_cube_and_rectangle_face_outwards() {
    let files = Files::new();
    let cube = cube_with(&files, "");
    assert_eq!(bounds(&cube), (DVec3::NEG_ONE, DVec3::ONE));
    for [a, b, c] in corners(&cube) {
        assert!((b - a).cross(c - a).dot(a + b + c) > 0.0, "inward face");
    }
    assert_eq!(area(&cube), 24.0);
    let scene =
        "<scene version='3.0.0'><shape type='rectangle'><bsdf type='diffuse'/></shape></scene>";
    let rectangle = files.import("rectangle.xml", scene).mesh;
    assert_eq!(vector_area(&rectangle), DVec3::new(0.0, 0.0, 4.0));
    assert_eq!(
        bounds(&rectangle),
        (DVec3::new(-1.0, -1.0, 0.0), DVec3::new(1.0, 1.0, 0.0))
    );
}

#[test]
fn mitsuba_shapes_are_objects_by_their_ids() {
    let files = Files::new();
    let shape = |id: &str| format!("<shape type='rectangle' {id}><bsdf type='diffuse'/></shape>");
    let shapes = [shape("id='tower'"), shape(""), shape("id='shed'")].concat();
    let scene = format!("<scene version='3.0.0'>{shapes}</scene>");
    let imported = files.import("town.xml", scene);
    let objects = imported.objects.into_iter().map(|o| (o.name, o.triangles));
    let wanted = [("tower", 0..2), ("town", 2..4), ("shed", 4..6)];
    let wanted = wanted.map(|(name, triangles)| (name.to_owned(), triangles));
    assert_eq!(objects.collect::<Vec<_>>(), wanted);
}

#[test]
fn mitsuba_transforms_apply_in_the_order_of_the_file() {
    let files = Files::new();
    let moved = |steps: &str| {
        let mesh = cube_with(
            &files,
            &format!("<transform name='to_world'>{steps}</transform>"),
        );
        let (min, max) = bounds(&mesh);
        for [a, b, c] in corners(&mesh) {
            let outward = (a + b + c) / 3.0 - (min + max) / 2.0;
            assert!(
                (b - a).cross(c - a).dot(outward) > 0.0,
                "{steps} turns faces inward"
            );
        }
        (min, max)
    };
    let v = DVec3::new;
    assert_eq!(
        moved("<scale value='2'/><translate x='10' z='1'/>"),
        (v(8.0, -2.0, -1.0), v(12.0, 2.0, 3.0))
    );
    assert_eq!(
        moved("<translate value='10, 0, 1'/><scale x='2'/>"),
        (v(18.0, -1.0, 0.0), v(22.0, 1.0, 2.0))
    );
    assert_eq!(
        moved("<translate value='3 0 0'/><rotate z='1' angle='90'/>"),
        (v(-1.0, 2.0, -1.0), v(1.0, 4.0, 1.0))
    );
    assert_eq!(
        moved("<translate value='3 0 0'/><rotate value='0 0 2' angle='-90'/>"),
        (v(-1.0, -4.0, -1.0), v(1.0, -2.0, 1.0))
    );
    assert_eq!(
        moved("<scale x='-1' y='2'/>"),
        (v(-1.0, -2.0, -1.0), v(1.0, 2.0, 1.0))
    );
    assert_eq!(
        moved("<matrix value='0 -1 0 5  2 0 0 6  0 0 1 7  0 0 0 1'/>"),
        (v(4.0, 4.0, 6.0), v(6.0, 8.0, 8.0))
    );
    assert_eq!(
        moved("<matrix value='1 0 0 0 3 0 0 0 1'/>"),
        (v(-1.0, -3.0, -1.0), v(1.0, 3.0, 1.0))
    );
    assert_eq!(
        moved("<translate z='5'/><lookat origin='1 2 3' target='9 2 3' up='0 0 1'/>"),
        (v(5.0, 1.0, 2.0), v(7.0, 3.0, 4.0))
    );
    let (min, max) = moved("<rotate y='1' angle='45'/>");
    let half = 2.0_f64.sqrt();
    assert!(
        min.abs_diff_eq(v(-half, -1.0, -half), 1e-15) && max.abs_diff_eq(v(half, 1.0, half), 1e-15)
    );
}

#[test]
fn mitsuba_flipped_normals_turn_faces() {
    let cube = cube_with(&Files::new(), "<boolean name='flip_normals' value='true'/>");
    for [a, b, c] in corners(&cube) {
        assert!((b - a).cross(c - a).dot(a + b + c) < 0.0, "outward face");
    }
}

#[test]
fn mitsuba_files_include_others() {
    let files = Files::new();
    let triangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl anything\nf 1 2 3\n";
    files.write("meshes/one.obj", format!("mtllib none.mtl\n{triangle}"));
    files.write("library/two.obj", triangle);
    files.write("parts/materials.xml", "<scene version='3.0.0'><default name='lift' value='9'/><bsdf type='diffuse' id='mat-stone'/></scene>");
    files.write(
        "parts/shift.xml",
        "<transform name='to_world'><translate x='$shift' z='$lift'/></transform>",
    );
    let imported = files.import(
        "scene.xml",
        "<scene version='3.0.0'><default name='shift' value='3'/><default name='shift_more' value='x'/><default name='shift' value='4'/>\
         <path value='library'/><include filename='parts/materials.xml'/><alias id='mat-stone' as='rock'/><default name='m' value='mat-stone'/>\
         <sensor type='perspective' id='eye'/><integrator type='path'/><emitter type='constant'/>\
         <shape type='merge'><shape type='obj' id='a'><string name='filename' value='meshes\\one.obj'/><ref id='eye'/><ref name='bsdf' id='$m'/>\
         <include filename='parts/shift.xml'/></shape></shape>\
         <shape type='obj' id='b'><string name='filename' value='two.obj'/><ref id='rock'/></shape></scene>",
    );
    assert_eq!(imported.warnings, []);
    assert_eq!(names(&imported.mesh), ["stone"]);
    let shift = DVec3::new(3.0, 0.0, 9.0);
    assert_eq!(
        corners(&imported.mesh),
        [UNIT_TRIANGLE.map(|v| v + shift), UNIT_TRIANGLE]
    );
}

#[test]
fn mitsuba_materials() {
    let files = Files::new();
    let materials = [
        (
            "<bsdf type='itu-radio-material' id='mat-wall'><string name='type' value='brick'/><float name='thickness' value='0.24'/></bsdf>",
            "wall",
        ),
        (
            "<bsdf type='itu-radio-material' id='pane'><string name='type' value='glass'/></bsdf>",
            "pane",
        ),
        (
            "<bsdf type='twosided' id='mat-board'><bsdf type='radio-material'><float name='relative_permittivity' value='2.5'/><float name='conductivity' value='0.01'/></bsdf></bsdf>",
            "board",
        ),
        (
            "<bsdf type='radio-material' id='air'><float name='thickness' value='10'/></bsdf>",
            "air",
        ),
        (
            "<bsdf type='diffuse' id='mat-itu_wood'><float name='thickness' value='0.03'/></bsdf>",
            "itu_wood",
        ),
        (
            "<bsdf type='twosided'><bsdf type='diffuse' id='mat-itu_metal'/></bsdf>",
            "itu_metal",
        ),
        (
            "<bsdf type='itu-radio-material'><string name='type' value='marble'/></bsdf>",
            "marble",
        ),
        ("<bsdf type='diffuse'/>", "default"),
    ];
    let slab = |medium, thickness| Some(Material::Slab(vec![Layer { medium, thickness }]));
    let itu = |name| Medium::Itu(ItuMaterial::from_name(name).unwrap());
    let constant = |relative_permittivity, conductivity| Medium::Constant {
        relative_permittivity,
        conductivity,
    };
    let definitions = [
        slab(itu("brick"), 0.24),
        slab(itu("glass"), 0.1),
        slab(constant(2.5, 0.01), 0.1),
        Some(Material::HalfSpace(constant(1.0, 0.0))),
        slab(itu("wood"), 0.03),
        None,
        slab(itu("marble"), 0.1),
        None,
    ];
    for ((material, name), definition) in materials.into_iter().zip(definitions) {
        let scene = format!("<scene version='3.0.0'><shape type='cube'>{material}</shape></scene>");
        let imported = files.import("scene.xml", scene);
        assert_eq!(imported.warnings, [], "{material}");
        assert_eq!(names(&imported.mesh), [name]);
        assert_eq!(
            imported.mesh.materials[0].definition, definition,
            "{material}"
        );
    }
}

#[test]
fn numbers_of_radio_in_a_material_of_another_type_are_warned_of() {
    let files = Files::new();
    let imported = files.import(
        "scene.xml",
        "<scene version='2.1.0'><bsdf type='plastic' id='mat-itu_glass.001'><float name='int_ior' value='1.5'/></bsdf>\
         <bsdf type='my-radio' id='itu_brick'><float name='relative_permittivity' value='4.44'/>\
         <float name='electrical_conductivity' value='0.001'/></bsdf>\
         <shape type='rectangle'><ref id='mat-itu_glass.001'/></shape><shape type='rectangle'><ref id='itu_brick'/></shape></scene>",
    );
    let warnings = warnings(&imported);
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    for word in [
        "`itu_brick`",
        "relative_permittivity, electrical_conductivity",
        "`my-radio`",
    ] {
        assert!(warnings[0].contains(word), "{warnings:?}");
    }
    assert_eq!(names(&imported.mesh), ["itu_glass.001", "itu_brick"]);
}

#[test]
fn mitsuba_warns_of_what_it_leaves_out() {
    let files = Files::new();
    files.write("empty.ply", "ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\nproperty float y\nproperty float z\nend_header\n");
    let imported = files.import(
        "scene.xml",
        "<scene version='3.0.0'><bsdf type='itu-radio-material' id='slime'><string name='type' value='slime'/></bsdf>\
         <bsdf type='radio-material' id='rough'><float name='scattering_coefficient' value='0.3'/></bsdf>\
         <bsdf type='diffuse' id='mat-rough'/>\
         <shape type='sphere' id='ball'/><shape type='ply' id='nothing'><string name='filename' value='empty.ply'/><ref id='slime'/></shape>\
         <shape type='cube' id='plain'/></scene>",
    );
    let warnings = warnings(&imported);
    let expected = [
        ["`slime`", "P.2040-4"],
        ["`rough`", "scattering"],
        ["`mat-rough`", "first"],
        ["`ball`", "`sphere`"],
        ["`plain`", "no material"],
        ["`nothing`", "no triangles"],
    ];
    for (warning, words) in warnings.iter().zip(expected) {
        for word in words.into_iter().chain(["scene.xml"]) {
            assert!(warning.contains(word), "no {word} in: {warning}");
        }
    }
    assert_eq!(warnings.len(), expected.len(), "{warnings:?}");
    assert_eq!(names(&imported.mesh), ["default"]);
}
