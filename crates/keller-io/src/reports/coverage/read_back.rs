//! Tests that the colours of every map lead back to its values.

use std::io::Cursor;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use glam::DVec2;
use keller::coverage::Coverage;
use keller::scene::{Mesh, MeshTriangle, Scene};

use super::tests::map;
use super::*;
use crate::reports::palette::tests::{STEPS, share_of};
use crate::reports::palette::{self, Palette, Rgb};
use crate::reports::plot::{BELOW_LIMIT, CoveragePlot, Slice, png};

const SIDE: usize = 20;

/// Gains of two Tx from -60 dB to -100 dB in cells of a metre: the first two cells have none, and one is a building.
fn gains() -> Coverage {
    let cells = SIDE * SIDE;
    let gain = |tx: usize, cell: usize| match cell {
        0 | 1 => 0.0,
        _ => 10.0_f64.powf(-6.0 - 4.0 * ((cell * (7 + 6 * tx) % cells) as f64 / cells as f64)),
    };
    Coverage {
        region: Region {
            min: DVec2::ZERO,
            axis: DVec2::X,
            resolution: DVec2::ONE,
            num_columns: [SIDE; 2],
            levels: Levels::AboveSea(vec![1.5]),
        },
        ground: Vec::new(),
        path_gain: (0..2)
            .flat_map(|tx| (0..cells).map(move |cell| gain(tx, cell)))
            .collect(),
        num_tx: 2,
    }
}

/// A ground away from the cells, so that no line crosses them.
fn scene() -> Scene {
    let mut mesh = Mesh::default();
    let material = mesh.material_index("ground");
    let corners = [[-1.0, -1.0], [-1.0, -0.5], [-0.5, -1.0]];
    mesh.vertices = corners.map(|[x, y]| DVec3::new(x, y, 0.0)).into();
    mesh.triangles = vec![MeshTriangle {
        vertices: [0, 1, 2],
        material,
    }];
    Scene::new(&mesh).unwrap()
}

/// Red, green and blue of the pixels of a PNG, its width and its height.
fn pixels(bytes: &[u8]) -> (Vec<Rgb>, [usize; 2]) {
    let mut decoder = ::png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(::png::Transformations::ALPHA);
    let mut reader = decoder.read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    let colours = pixels
        .as_chunks::<4>()
        .0
        .iter()
        .map(|[r, g, b, _]| [*r, *g, *b]);
    (
        colours.collect(),
        [info.width as usize, info.height as usize],
    )
}

/// The colours at the centres of all cells: those of the image in an SVG, and of the whole drawing as PNG.
fn colours_of_cells(svg: &str) -> [Vec<Rgb>; 2] {
    let document = roxmltree::Document::parse(svg).unwrap();
    let image = document
        .descendants()
        .find(|node| node.has_tag_name("image"))
        .unwrap();
    let number = |name: &str| image.attribute(name).unwrap().parse::<f64>().unwrap();
    let data = image.attribute("href").unwrap();
    let data = data.strip_prefix("data:image/png;base64,").unwrap();
    let embedded = pixels(&STANDARD.decode(data).unwrap());
    let painted = pixels(&png(svg).unwrap());
    let own_size = embedded.1.map(|side| side as f64);
    // A unit of the drawing is two pixels.
    let on_page = [number("x"), number("y"), number("width"), number("height")].map(|v| 2.0 * v);
    let frames = [[0.0, 0.0, own_size[0], own_size[1]], on_page];
    let cells = |((colours, [width, _]), [x, y, w, h]): ((Vec<Rgb>, [usize; 2]), [f64; 4])| {
        let of_cell = |cell: usize| {
            let share = |k: usize| (k as f64 + 0.5) / SIDE as f64;
            let at = [
                x + w * share(cell % SIDE),
                y + h * (1.0 - share(cell / SIDE)),
            ];
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "pixels of a picture"
            )]
            let [column, row] = at.map(|v| v as usize);
            colours[row * width + column]
        };
        (0..SIDE * SIDE).map(of_cell).collect()
    };
    let [first, second] = frames;
    [cells((embedded, first)), cells((painted, second))]
}

#[test]
fn colours_of_every_map_lead_back_to_its_values() {
    let coverage = gains();
    let map = map(&coverage);
    let scene = scene();
    for (layer, palette) in [
        (PicturedLayer::Gain, Palette::Gain),
        (PicturedLayer::Loss, Palette::Loss),
        (PicturedLayer::Power, Palette::Gain),
        (PicturedLayer::Sinr, Palette::Sinr),
    ] {
        let mut values = map.pictured(layer, 0).unwrap();
        let mut buildings = vec![false; values.len()];
        (values[7], buildings[7]) = (f64::NEG_INFINITY, true);
        let finite = values.iter().copied().filter(|value| value.is_finite());
        let [low, high] = finite.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], v| {
            [low.min(v), high.max(v)]
        });
        // The range of SINR that colours distinguish.
        let [low, high] = if layer == PicturedLayer::Sinr {
            [low.max(-10.0), high.min(30.0)]
        } else {
            [low, high]
        };
        let plot = CoveragePlot {
            title: layer.title(2),
            quantity: layer.quantity(),
            nothing: BELOW_LIMIT,
            scene: &scene,
            tx: Vec::new(),
            marks: Vec::new(),
            region: map.region,
            slices: vec![Slice {
                title: String::new(),
                values: values.clone(),
                buildings,
            }],
        };
        for colours in colours_of_cells(&plot.svg()) {
            assert_eq!(colours[..2], [palette::nothing(); 2], "{layer:?}");
            assert_eq!(colours[7], palette::building(), "{layer:?}");
            let half_a_step = 0.5 * (high - low) / f64::from(STEPS);
            for (cell, (colour, value)) in colours.iter().zip(&values).enumerate() {
                if value.is_finite() {
                    let read = low + share_of(palette, *colour).0 * (high - low);
                    let error = (read - value.clamp(low, high)).abs();
                    assert!(error <= half_a_step, "{layer:?} {cell}: {value} {read}");
                }
            }
        }
    }
}
