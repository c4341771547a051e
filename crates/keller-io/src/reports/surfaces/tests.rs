use keller::scene::{Mesh, MeshTriangle};
use keller::tiles::Tiling;

use super::*;
use crate::formats::{About, OutputFile};
use crate::reports::table::Table;

/// A ground of 20 m by 10 m in two tiles, of which the first is illuminated from above.
fn scene() -> (Scene, Tiles) {
    let mut mesh = Mesh::default();
    let material = mesh.material_index("concrete");
    let corners = [(0.0, 0.0), (20.0, 0.0), (20.0, 10.0), (0.0, 10.0)];
    mesh.vertices = corners.map(|(x, y)| DVec3::new(x, y, 0.0)).to_vec();
    mesh.triangles = [[0, 1, 2], [0, 2, 3]]
        .map(|vertices| MeshTriangle { vertices, material })
        .to_vec();
    let scene = Scene::new(&mesh).unwrap();
    let tiles = Tiles::new(&scene, Tiling::of_side(10.0)).unwrap();
    (scene, tiles)
}

fn map<'a>(scene: &'a Scene, tiles: &'a Tiles) -> SurfaceMap<'a> {
    let lit = TileField {
        path_gain: 1e-8,
        incident_power: 1e-3,
        ..TileField::default()
    };
    let above = usize::from(scene.face_normal(tiles.all()[0].face).z < 0.0);
    let mut first = [TileField::default(); 2];
    first[above] = lit;
    SurfaceMap {
        scene,
        tiles,
        fields: vec![vec![first, [TileField::default(); 2]]],
        recalls: vec![Recall {
            missing_gain: 1e-10,
            all_gain: 9.9e-9,
            ..Recall::default()
        }],
        tx: vec![MapTx {
            name: "mast".into(),
            position: DVec3::new(5.0, 5.0, 20.0),
            power_dbm: 30.0,
        }],
        min_gain_db: None,
        frame: None,
    }
}

#[test]
fn rows_are_of_sides_that_are_reached() {
    let (scene, tiles) = scene();
    let mut map = map(&scene, &tiles);
    let rows = |map: &SurfaceMap<'_>| {
        let mut text = Vec::new();
        let about = About {
            scenario: String::new(),
            georeference: None,
        };
        let table = Table::json(&mut text, "memory", &about).unwrap();
        map.write_rows(table).unwrap();
        let json: serde_json::Value = serde_json::from_slice(&text).unwrap();
        json
    };
    let all = rows(&map);
    let text = all.to_string();
    assert!(
        text.contains("path_gain_db") && text.contains("-80"),
        "{text}"
    );
    assert!(text.contains("-50"), "dBm: {text}");
    // The gain is below the smallest that counts.
    map.min_gain_db = Some(-79.0);
    assert!(!rows(&map).to_string().contains("-80"));
}

#[test]
fn a_model_has_lit_tiles_in_colour_and_others_in_grey() {
    let (scene, tiles) = scene();
    let map = map(&scene, &tiles);
    let drawing = map.drawn();
    // One side of the illuminated tile is coloured, both of the other are grey; the wall has two triangles or three a
    // piece.
    let grey = |colour: &&[u8; 3]| **colour == palette::nothing();
    let area = |is_grey: bool| -> f64 {
        let mut sum = 0.0;
        for triangle in &drawing.triangles {
            let [a, b, c] = triangle.map(|v| drawing.vertices[v as usize]);
            if grey(&&drawing.colours[triangle[0] as usize]) == is_grey {
                sum += 0.5 * (b - a).cross(c - a).length();
            }
        }
        sum
    };
    assert!((area(false) - 100.0).abs() < 1e-9, "{}", area(false));
    assert!((area(true) - 200.0).abs() < 1e-9, "{}", area(true));
    let lit = drawing.vertices.iter().zip(&drawing.colours);
    assert!(
        lit.filter(|(_, colour)| !grey(colour))
            .all(|(v, _)| v.z > 0.0)
    );
    assert!(map.view_png("", &[]).starts_with(b"\x89PNG"));
}

/// The bar next to the picture runs from the dark end of the scale at its foot to the bright end at its head.
#[test]
fn a_picture_has_the_colours_of_its_scale_beside_it() {
    let (scene, tiles) = scene();
    let mut map = map(&scene, &tiles);
    map.fields[0][1][0].path_gain = 1e-11;
    let bytes = map.view_png("", &[]);
    let decoder = png::Decoder::new(std::io::Cursor::new(bytes));
    let mut reader = decoder.read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    let width = info.width as usize;
    let bytes = info.line_size / width;
    let scale = scale(&map.strongest()).unwrap();
    // The column goes through the bar, 22 to 36 units right of the picture, which leaves 118: two pixels a unit.
    let column = width - 2 * (118 - 29);
    let pixel = |row: usize| &pixels[row * info.line_size + column * bytes..][..3];
    let is = |row: &usize, gain_db: f64| {
        let colour = scale.colour(gain_db).unwrap();
        let mut both = pixel(*row).iter().zip(colour);
        both.all(|(a, b)| a.abs_diff(b) <= 6)
    };
    let rows = 0..info.height as usize;
    let [bright, dark] = [scale.high, scale.low].map(|gain| rows.clone().find(|row| is(row, gain)));
    assert!(bright.unwrap() + 100 < dark.unwrap(), "{bright:?} {dark:?}");
}

#[test]
fn arrays_and_models_are_files() {
    let (scene, tiles) = scene();
    let map = map(&scene, &tiles);
    let folder = std::env::temp_dir().join(format!("keller-surfaces-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let about = About {
        scenario: String::new(),
        georeference: None,
    };
    let npz = folder.join("s.npz");
    map.write_npz(OutputFile::create(&npz).unwrap(), &about)
        .unwrap();
    assert!(std::fs::read(&npz).unwrap().starts_with(b"PK"));
    let model = folder.join("s.glb");
    let material = keller::materials::Material::from_name("concrete").unwrap();
    map.write_model(OutputFile::create(&model).unwrap(), &[material])
        .unwrap();
    // The tiles are no walls.
    let back = crate::formats::import::import(&model).unwrap();
    assert_eq!(back.mesh.triangles.len(), 2);
    std::fs::remove_dir_all(&folder).unwrap();
}
