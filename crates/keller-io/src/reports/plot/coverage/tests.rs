use super::*;
use crate::reports::plot::colour_bar::tests::beyond;
use crate::reports::plot::outlines::tests::scene;
use glam::DVec2;
use keller::DVec3;
use keller::clutter::{Clutter, Volume};
use keller::coverage::Levels;
use keller::scene::{Mesh, MeshTriangle};

#[test]
fn every_cell_is_a_pixel_with_north_up() {
    let scene = scene();
    let plot = CoveragePlot {
        title: "gain".to_owned(),
        quantity: GAIN,
        nothing: "below the limit",
        scene: &scene,
        tx: vec![mast()],
        marks: Vec::new(),
        region: &region(DVec2::ZERO, DVec2::new(2.0, 1.0), [2, 3]),
        slices: vec![slice(
            "low",
            vec![-100.0, -60.0, f64::NAN, -80.0, f64::NEG_INFINITY, -60.0],
        )],
    };
    let svg = plot.svg();
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    let document = roxmltree::Document::parse(&svg).unwrap();
    let image = document
        .descendants()
        .find(|n| n.tag_name().name() == "image")
        .unwrap();
    let data = image.attribute("href").unwrap();
    let bytes = STANDARD
        .decode(data.strip_prefix("data:image/png;base64,").unwrap())
        .unwrap();
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes))
        .read_info()
        .unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    // The squares have 507 pixels, so that the longer side has at least 1520.
    assert_eq!((info.width, info.height), (2 * 507, 3 * 507));
    let pixel = |i: usize, j: usize| {
        let at = 4 * ((j * 507 + 253) * 2 * 507 + i * 507 + 253);
        <[u8; 4]>::try_from(&pixels[at..at + 4]).unwrap()
    };
    let colour = |share| [&Palette::Gain.rgb(share)[..], &[255]].concat();
    // The first row of values is the last of pixels; places without a cell are clear.
    assert_eq!(pixel(0, 2)[..], colour(0.0));
    assert_eq!(pixel(1, 2)[..], colour(1.0));
    assert_eq!(pixel(1, 1)[..], colour(0.5));
    assert_eq!(pixel(1, 0)[..], colour(1.0));
    assert_eq!(pixel(0, 0)[..], [&palette::nothing()[..], &[255]].concat());
    assert_eq!(pixel(0, 1)[3], 0);
    let empty = CoveragePlot {
        slices: vec![slice("low", vec![f64::NAN; 6])],
        ..plot.clone()
    };
    assert!(empty.svg().contains("below the limit"));
}

const GAIN: Quantity<'_> = Quantity::Numbers {
    name: "path gain / dB",
    range: [f64::NEG_INFINITY, f64::INFINITY],
    scale: Scale::Gain,
};

fn mast() -> PlotTx {
    PlotTx {
        position: DVec3::ONE,
        name: "mast".to_owned(),
        azimuth: None,
    }
}

/// The words of a picture.
fn words(svg: &str) -> Vec<String> {
    let document = roxmltree::Document::parse(svg).unwrap();
    let nodes = document.descendants();
    let texts = nodes.filter(|n| n.tag_name().name() == "text");
    let words = texts.filter_map(|n| n.text().map(|t| t.trim().to_owned()));
    words.collect()
}

#[test]
fn the_legend_tells_what_every_colour_is() {
    let scene = house_in_a_wood();
    let values = vec![-160.0, -60.0, f64::NAN, -80.0, f64::NEG_INFINITY, -60.0];
    let plot = CoveragePlot {
        title: String::new(),
        quantity: GAIN,
        nothing: "below the limit",
        scene: &scene,
        tx: vec![mast()],
        marks: Vec::new(),
        region: &region(DVec2::ZERO, DVec2::ONE, [2, 3]),
        slices: vec![slice("", values)],
    };
    let all = words(&plot.svg());
    for word in [
        "mast",
        "Tx",
        "N",
        "building",
        "woods",
        "below the limit",
        "path gain / dB",
    ] {
        assert!(all.iter().any(|known| known == word), "{word}: {all:?}");
    }
    let empty = self::scene();
    let plain = CoveragePlot {
        scene: &empty,
        slices: vec![slice("", vec![-60.0; 6])],
        ..plot
    };
    let all = words(&plain.svg());
    assert!(
        !all.iter()
            .any(|w| w == "building" || w == "woods" || w == "below the limit")
    );
}

#[test]
fn ends_of_the_bar_say_that_values_lie_beyond_them() {
    let scene = scene();
    let beyond_in = |quantity, values: [f64; 2]| {
        let plot = CoveragePlot {
            title: String::new(),
            quantity,
            nothing: "below the limit",
            scene: &scene,
            tx: vec![mast()],
            marks: Vec::new(),
            region: &region(DVec2::ZERO, DVec2::ONE, [2, 1]),
            slices: vec![slice("", values.to_vec())],
        };
        beyond(&plot.svg()).0
    };
    // The value -160 dB lies below the range of 80 dB with different colours; minus infinity is no value.
    assert_eq!(beyond_in(GAIN, [-60.0, -160.0]), ["≤ -140"]);
    assert!(beyond_in(GAIN, [-60.0, -140.0]).is_empty());
    assert!(beyond_in(GAIN, [-60.0, f64::NEG_INFINITY]).is_empty());
    let sinr = Quantity::Numbers {
        name: "SINR / dB",
        range: [-10.0, 30.0],
        scale: Scale::Sinr,
    };
    assert_eq!(beyond_in(sinr, [-11.0, 31.0]), ["≤ -10", "≥ 30"]);
    assert_eq!(beyond_in(sinr, [0.0, 31.0]), ["≥ 30"]);
    assert!(beyond_in(sinr, [-10.0, 30.0]).is_empty());
}

#[test]
fn servers_have_names_and_colours_of_their_own() {
    let scene = scene();
    let tx = |k: usize| PlotTx {
        name: format!("site {k}"),
        ..mast()
    };
    let plot = CoveragePlot {
        title: String::new(),
        quantity: Quantity::Servers,
        nothing: "no service",
        scene: &scene,
        tx: (0..20).map(tx).collect(),
        marks: Vec::new(),
        region: &region(DVec2::ZERO, DVec2::ONE, [3, 1]),
        slices: vec![slice("", vec![0.0, 19.0, f64::NEG_INFINITY])],
    };
    let all = words(&plot.svg());
    // All stand in one place, for which three names are enough.
    for word in [
        "site 0, site 1, site 2 + 17",
        "site 11",
        "and 8 more",
        "no service",
    ] {
        assert!(all.iter().any(|known| known == word), "{word}: {all:?}");
    }
}

/// A house of 2 m by 2 m, 3 m high, and a wood.
fn house_in_a_wood() -> Scene {
    let outline = [[1.0, 0.5], [3.0, 0.5], [3.0, 2.5], [1.0, 2.5]];
    let mut mesh = Mesh::default();
    let material = mesh.material_index("concrete");
    for z in [0.0, 3.0] {
        mesh.vertices
            .extend(outline.map(|[x, y]| DVec3::new(x, y, z)));
    }
    let sides = (0..4_u32).flat_map(|k| {
        let next = (k + 1) % 4;
        [[k, next, next + 4], [k, next + 4, k + 4]]
    });
    let lids = [[4, 5, 6], [4, 6, 7], [0, 2, 1], [0, 3, 2]];
    mesh.triangles = sides
        .chain(lids)
        .map(|vertices| MeshTriangle { vertices, material })
        .collect();
    let wood = outline.map(|[x, y]| [x - 1.0, y + 0.25]);
    let wood = Volume::prism(&wood, [0.0, 9.0], 0.4, None).unwrap();
    Scene::new(&mesh)
        .unwrap()
        .with_clutter(Clutter::new(vec![wood]))
}

fn slice(title: &str, values: Vec<f64>) -> Slice {
    Slice {
        title: title.to_owned(),
        values,
        buildings: Vec::new(),
    }
}

#[test]
fn levels_stand_side_by_side_in_one_scale() {
    let scene = scene();
    let levels = ["1 m", "2 m", "3 m", "4 m"];
    let plot = CoveragePlot {
        title: "gain".to_owned(),
        quantity: GAIN,
        nothing: "below the limit",
        scene: &scene,
        tx: vec![mast()],
        marks: Vec::new(),
        region: &region(DVec2::ZERO, DVec2::ONE, [1, 1]),
        // The first level has no strong value of its own.
        slices: levels
            .iter()
            .zip([-100.0, -60.0, -80.0, f64::NAN])
            .map(|(title, value)| slice(title, vec![value]))
            .collect(),
    };
    let svg = plot.svg();
    let document = roxmltree::Document::parse(&svg).unwrap();
    let all = || document.descendants();
    let texts = || all().filter(|n| n.tag_name().name() == "text");
    for title in levels {
        let is_title = |n: &roxmltree::Node<'_, '_>| n.text().unwrap_or_default().trim() == title;
        assert_eq!(texts().filter(is_title).count(), 1, "{title}");
    }
    let mut first_pixels = document.descendants().filter_map(|node| {
        let data = node
            .attribute("href")?
            .strip_prefix("data:image/png;base64,")?;
        let bytes = STANDARD.decode(data).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes))
            .read_info()
            .unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        Some(<[u8; 4]>::try_from(&pixels[..4]).unwrap())
    });
    for share in [0.0, 1.0, 0.5] {
        assert_eq!(first_pixels.next().unwrap()[..3], Palette::Gain.rgb(share));
    }
    assert_eq!(first_pixels.next().unwrap()[3], 0);
    // Three maps stand side by side, the fourth below the first.
    let moved = |by: &str| svg.contains(&format!("translate({by})"));
    assert!(
        moved("522.0 0.0") && moved("1044.0 0.0") && moved("0.0 518.0"),
        "{svg}"
    );
}

fn region(min: DVec2, resolution: DVec2, num_columns: [usize; 2]) -> Region {
    Region {
        min,
        axis: DVec2::X,
        resolution,
        num_columns,
        levels: Levels::AboveSea(vec![1.5]),
    }
}

#[test]
fn cells_of_a_turned_region_are_drawn_where_they_lie() {
    let scene = scene();
    for rotation in [0.4, -2.3] {
        let region = region(DVec2::new(5.0, -3.0), DVec2::new(2.0, 1.0), [4, 3]).turned(rotation);
        let plot = CoveragePlot {
            title: "gain".to_owned(),
            quantity: GAIN,
            nothing: "below the limit",
            scene: &scene,
            tx: Vec::new(),
            marks: Vec::new(),
            region: &region,
            slices: vec![slice("low", vec![-80.0; 12])],
        };
        let svg = plot.svg();
        let document = roxmltree::Document::parse(&svg).unwrap();
        let mut nodes = document.descendants();
        let image = nodes.find(|n| n.tag_name().name() == "image").unwrap();
        let number = |name: &str| image.attribute(name).unwrap().parse::<f64>().unwrap();
        let turn = image.attribute("transform").unwrap();
        let turn = turn.trim_start_matches("rotate(").trim_end_matches(')');
        let turn: Vec<f64> = turn.split(' ').map(|v| v.parse().unwrap()).collect();
        let pivot = DVec2::new(turn[1], turn[2]);
        let turned = |at: DVec2| pivot + DVec2::from_angle(turn[0].to_radians()).rotate(at - pivot);
        let (x, y) = (number("x"), number("y"));
        let (width, height) = (number("width"), number("height"));
        // The corners are anticlockwise in the scene; y grows down the page.
        let drawn = [
            [x, y + height],
            [x + width, y + height],
            [x + width, y],
            [x, y],
        ];
        let drawn = drawn.map(|corner| turned(corner.into()));
        let corners = region.corners();
        // The corners are as far apart and in the same directions as in the scene, at one scale.
        let scale = width / region.extent().x;
        for (corner, drawn_at) in corners.iter().zip(drawn) {
            let by = scale * (*corner - corners[0]) * DVec2::new(1.0, -1.0);
            assert!((drawn_at - drawn[0] - by).length() < 0.1, "{drawn_at} {by}");
        }
    }
}

/// Floors over a terrain lie above the lowest place too, and face the other way than roofs.
#[test]
fn buildings_over_a_terrain_are_filled() {
    let mut mesh = Mesh::default();
    let [ground, wall] = ["ground", "wall"].map(|name| mesh.material_index(name));
    let mut triangle = |corners: [[f64; 3]; 3], material| {
        let base = u32::try_from(mesh.vertices.len()).unwrap();
        mesh.vertices.extend(corners.map(DVec3::from));
        let vertices = [base, base + 1, base + 2];
        mesh.triangles.push(MeshTriangle { vertices, material });
    };
    triangle(
        [[-9.0, -9.0, 0.0], [-8.0, -9.0, 0.0], [-9.0, -8.0, 0.0]],
        ground,
    );
    for (z, [second, third]) in [(2.0, [2, 1]), (6.0, [1, 2])] {
        let corners = [[0.0, 0.0, z], [8.0, 0.0, z], [0.0, 8.0, z]];
        triangle([corners[0], corners[second], corners[third]], wall);
    }
    let scene = Scene::new(&mesh).unwrap();
    let plot = CoveragePlot {
        title: String::new(),
        quantity: GAIN,
        nothing: NO_POWER,
        scene: &scene,
        tx: Vec::new(),
        marks: Vec::new(),
        region: &region(DVec2::ZERO, DVec2::splat(8.0), [1, 1]),
        slices: vec![slice("", vec![f64::NAN])],
    };
    let svg = plot.svg();
    let painted = crate::reports::plot::png(&svg).unwrap();
    let pixels = tiny_skia::Pixmap::decode_png(&painted).unwrap();
    let (x, y) = plot.axes();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "pixels of a picture"
    )]
    let [column, row] = [x.at(2.0), y.at(2.0)].map(|at| (PIXELS_PER_UNIT * at) as u32);
    let pixel = pixels.pixel(column, row).unwrap();
    assert_eq!(
        [pixel.red(), pixel.green(), pixel.blue()],
        palette::building()
    );
}
