//! Long rows of roofs near grazing, against an independent march of the angular spectrum and closed forms.
//!
//! The figures of the march are in `benches/record/2026-11-22-right-rooftops.md` with how they were made: a two-dimensional field on a
//! grid of heights goes from edge to edge by Fourier transforms, without the approximation of small angles, over black screens
//! and over roofs with the image of Fresnel's reflection, with a line source and an absorbing sky and underground.

mod laws;

use crate::common::{add_box, add_polygon, paths, world_of};
use glam::{DMat3, DVec2};
use keller::antenna::{Antenna, Pattern, Polarization};
use keller::coverage::rooftops::{Filled, Rooftops, Settings};
use keller::coverage::{Levels, Region};
use keller::field::PathField;
use keller::materials::{Material, Medium};
use keller::paths::{Limits, Path, Search};
use keller::scene::{Mesh, Scene};
use keller::{Control, DVec3, Tx, World};
use std::f64::consts::PI;

/// A row of equal houses or, with no width, screens; all roofs 20 m high.
#[derive(Clone, Copy)]
struct Row {
    num: u32,
    period: f64,
    width: f64,
    /// The distances from the ends to the row, and their heights over the roofs.
    away: [f64; 2],
    over: [f64; 2],
    material: &'static str,
    polarization: Polarization,
    /// Turned about the vertical by this, radians.
    turned: f64,
}

const SCREENS: Row = Row {
    num: 1,
    period: 50.0,
    width: 0.0,
    away: [50.0; 2],
    over: [-3.0; 2],
    material: "black",
    polarization: Polarization::H,
    turned: 0.0,
};

const BLOCKS: Row = Row {
    period: 30.0,
    width: 10.0,
    away: [25.0; 2],
    material: "pec",
    ..SCREENS
};

const WALLS: Row = Row {
    width: 0.3,
    ..Row {
        material: "pec",
        ..SCREENS
    }
};

const EVERY_EDGE: Settings = Settings {
    min_edges: 1,
    has_reflections: false,
    min_gain: 0.0,
    is_exact: true,
};

impl Row {
    fn place(&self) -> (World, [DVec3; 2]) {
        let turn = DMat3::from_rotation_z(self.turned);
        let mut mesh = Mesh::default();
        for i in 0..self.num {
            let low = DVec3::new(self.period * f64::from(i), -3000.0, 0.0);
            let high = DVec3::new(low.x + self.width, 3000.0, 20.0);
            if self.width > 0.0 {
                add_box(&mut mesh, "wall", low, high);
            } else {
                let corners = [low, low.with_y(3000.0), high, low.with_z(20.0)];
                add_polygon(&mut mesh, "wall", &corners);
            }
        }
        for vertex in &mut mesh.vertices {
            *vertex = turn * *vertex;
        }
        let scene = Scene::new(&mesh).unwrap();
        let material = match self.material {
            "black" => Material::HalfSpace(Medium::Constant {
                relative_permittivity: 1.0,
                conductivity: 0.0,
            }),
            name => Material::from_name(name).unwrap(),
        };
        let world = world_of(scene, &material, 1e9);
        let end = self.period * f64::from(self.num - 1) + self.width + self.away[1];
        let ends = [
            DVec3::new(-self.away[0], 0.3, 20.0 + self.over[0]),
            DVec3::new(end, 0.3, 20.0 + self.over[1]),
        ]
        .map(|place| turn * place);
        (world, ends)
    }

    fn antenna(&self) -> Antenna {
        Antenna {
            pattern: Pattern::from_name("isotropic").unwrap(),
            polarization: self.polarization,
            ..Antenna::default()
        }
    }

    fn fill(&self, settings: Settings) -> (Filled, f64) {
        let (world, [tx, rx]) = self.place();
        let low = rx.truncate() - 1.0;
        let level = Levels::AboveSea(vec![rx.z]);
        let region = Region::planes(low, low + 2.0, DVec2::splat(2.0), level).unwrap();
        let rooftops = Rooftops::new(&world, &region, settings).unwrap();
        let tx = Tx {
            position: tx,
            antenna: self.antenna(),
        };
        let filled = rooftops.fill(&tx, 0..1, &Control::default()).unwrap();
        let length = tx.position.distance(rx);
        let free = (world.frequency().wavelength() / (4.0 * PI * length)).powi(2);
        (filled, free)
    }

    /// Gain over that in free space, dB; there is no chain along a free line of sight with no edge close under it.
    fn gain_db(&self) -> f64 {
        let (filled, free) = self.fill(EVERY_EDGE);
        let mut gains = [if filled.gains[0] > 0.0 {
            filled.replaced[0]
        } else {
            free
        }];
        if self.is_in_shadow() {
            gains[0] = 0.0;
        }
        filled.add_to(&mut gains);
        10.0 * (gains[0] / free).log10()
    }

    /// Whether a roof is in the way, all being as high.
    fn is_in_shadow(&self) -> bool {
        let end = self.period * f64::from(self.num - 1) + self.width + self.away[1];
        let slope = (self.over[1] - self.over[0]) / (end + self.away[0]);
        let over_first = self.over[0] + slope * self.away[0];
        let over_last = self.over[1] - slope * self.away[1];
        over_first.min(over_last) < 1e-6
    }
}

impl std::fmt::Display for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            material,
            polarization,
            width,
            ..
        } = self;
        write!(f, "{material}, {polarization:?}, {width} m wide")
    }
}

const NUMBERS: [u32; 6] = [1, 2, 5, 10, 20, 40];

/// Compares behind [`NUMBERS`] rows for a Tx 3 m below the roofs, at their height and 1 m above it; a single row has larger angles than
/// those the march over lossy roofs takes and is the path engine's.
fn compare(row: Row, expected: [[f64; 6]; 3], most: f64, from: usize) {
    let mut wrong = Vec::new();
    for (height, expected) in [-3.0, 0.0, 1.0].into_iter().zip(expected) {
        for (num, expected) in NUMBERS.into_iter().zip(expected).skip(from) {
            let mut row = row;
            row.num = num;
            row.over[0] = height;
            let found = row.gain_db();
            let is_right = (found - expected).abs() < most;
            if !is_right {
                wrong.push(format!(
                    "{num} rows, {height} m: {found:.2}, not {expected} dB"
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn rows_of_screens_have_the_field_of_the_march() {
    let expected = [
        [-17.04, -25.02, -34.78, -41.52, -47.93, -54.15],
        [-12.34, -17.62, -25.25, -31.2, -37.2, -43.21],
        [-10.37, -14.86, -21.78, -27.44, -33.28, -39.22],
    ];
    compare(SCREENS, expected, 0.3, 0);
    // The material of a sheet matters at large angles only.
    for material in ["pec", "concrete"] {
        for polarization in [Polarization::V, Polarization::H] {
            let row = Row {
                material,
                polarization,
                ..SCREENS
            };
            compare(row, expected, 1.0, 1);
        }
    }
}

#[test]
fn rows_of_conducting_blocks_have_the_field_of_the_march() {
    let soft = [
        [-37.25, -46.55, -56.74, -63.59, -70.04, -76.27],
        [-25.36, -31.8, -40.18, -46.39, -52.52, -58.58],
        [-20.88, -26.38, -34.06, -40.0, -45.98, -51.98],
    ];
    compare(BLOCKS, soft, 1.0, 0);
    let hard = [
        [-22.52, -29.18, -37.22, -43.11, -49.06, -55.0],
        [-15.06, -19.36, -25.68, -30.91, -36.5, -42.24],
        [-12.09, -15.54, -21.16, -26.09, -31.5, -37.16],
    ];
    let row = Row {
        polarization: Polarization::V,
        ..BLOCKS
    };
    compare(row, hard, 1.0, 0);
}

#[test]
fn rows_of_concrete_blocks_have_the_field_of_the_march() {
    let along = [
        [-34.83, -45.33, -55.65, -62.51, -68.96, -75.2],
        [-24.64, -31.16, -39.53, -45.73, -51.85, -57.91],
        [-20.52, -25.87, -33.49, -39.41, -45.39, -51.38],
    ];
    let across = [
        [-33.21, -41.74, -51.94, -58.79, -65.24, -71.48],
        [-22.53, -28.76, -37.04, -43.21, -49.32, -55.38],
        [-18.59, -23.9, -31.4, -37.27, -43.22, -49.2],
    ];
    for (polarization, expected) in [(Polarization::H, along), (Polarization::V, across)] {
        let row = Row {
            material: "concrete",
            polarization,
            ..BLOCKS
        };
        compare(row, expected, 1.0, 1);
    }
}

#[test]
fn rows_of_thin_walls_have_the_field_of_the_march() {
    let soft = [
        [-18.67, -26.81, -36.64, -43.41, -49.83, -56.05],
        [-13.41, -18.88, -26.66, -32.66, -38.68, -44.71],
        [-11.3, -15.96, -23.04, -28.76, -34.63, -40.58],
    ];
    compare(WALLS, soft, 1.0, 0);
    let hard = [
        [-17.09, -25.03, -34.75, -41.47, -47.88, -54.09],
        [-12.36, -17.63, -25.24, -31.18, -37.18, -43.19],
        [-10.4, -14.88, -21.78, -27.43, -33.26, -39.2],
    ];
    let row = Row {
        polarization: Polarization::V,
        ..WALLS
    };
    compare(row, hard, 1.0, 0);
}

/// S. W. Lee, "Path integrals for solving some electromagnetic edge diffraction problems", J. Math. Phys. 19(6), 1978,
/// doi:10.1063/1.523796: 1/(N + 1) of the field in free space, exactly.
#[test]
fn forty_equal_screens_at_grazing_leave_one_part_in_forty_one() {
    for num in [1, 3, 10, 40] {
        let row = Row {
            num,
            away: [50.0; 2],
            over: [0.0; 2],
            ..SCREENS
        };
        let error = row.gain_db() + 20.0 * f64::from(num + 1).log10();
        assert!(error.abs() < 0.02, "{num} screens: {error} dB");
    }
}

/// H. H. Xia and H. L. Bertoni, "Diffraction of cylindrical and plane waves by an array of absorbing half-screens", IEEE Trans. Antennas
/// Propag. 40(2), 1992: a plane wave that grazes leaves at the edge behind N screens the part Gamma(N + 1/2) / (sqrt(pi) N!)
/// (Boersma).
#[test]
fn a_distant_source_at_grazing_leaves_the_closed_form_of_a_plane_wave() {
    let mut expected = 1.0;
    for num in 1..=30_u32 {
        expected *= (f64::from(num) - 0.5) / f64::from(num);
        if ![1, 4, 12, 30].contains(&num) {
            continue;
        }
        let row = Row {
            num,
            away: [1e7, 50.0],
            over: [0.0; 2],
            ..SCREENS
        };
        let error = row.gain_db() - 20.0 * expected.log10();
        assert!(error.abs() < 0.05, "{num} screens: {error} dB");
    }
}

/// The path by the last edge alone would have nothing of the row before it: the chain stands in its place.
#[test]
fn a_tx_above_the_roofs_has_the_settled_field_in_place_of_the_path_by_one_edge() {
    let row = Row {
        num: 40,
        over: [1.0, -3.0],
        ..SCREENS
    };
    let settings = Settings {
        min_edges: 2,
        ..EVERY_EDGE
    };
    let (filled, free) = row.fill(settings);
    let alone = filled.replaced[0];
    assert!(10.0 * (alone / free).log10() > -25.0);
    let mut gains = [alone * 1.000_001];
    filled.add_to(&mut gains);
    let found = 10.0 * (gains[0] / free).log10();
    assert!((found + 39.22).abs() < 0.5, "{found} dB");
}

#[test]
fn edges_nearer_than_a_wavelength_are_doubtful() {
    let row = Row { num: 3, ..WALLS };
    let narrow = Row { width: 0.1, ..row };
    assert_eq!(row.fill(EVERY_EDGE).0.is_doubtful, [false]);
    assert_eq!(narrow.fill(EVERY_EDGE).0.is_doubtful, [true]);
}

/// H. H. Xia and H. L. Bertoni 1992, whose settled field behind many absorbing screens H. L. Bertoni, "Radio Propagation for Modern
/// Wireless Systems", 2000, gives as a polynomial of `g = sin(alpha) sqrt(d / lambda)` for `g` from 0.01 to 1, within half a decibel.
#[test]
fn a_distant_source_over_the_roofs_has_the_settled_field() {
    for (g, num) in [(0.1_f64, 150), (0.2, 60), (0.4, 40), (0.7, 30), (1.0, 30)] {
        let sine = g * (0.299_792_458_f64 / 50.0).sqrt();
        let away = 3e5;
        let row = Row {
            num,
            away: [away, 50.0],
            over: [(away + f64::from(num) * 50.0) * sine, 0.0],
            ..SCREENS
        };
        let settled = 3.502 * g - 3.327 * g.powi(2) + 0.962 * g.powi(3);
        let error = row.gain_db() - 20.0 * settled.log10();
        assert!(error.abs() < 0.5, "{g}: {error} dB");
    }
}

/// The chain along a free line of sight stands for the free line, and for the changes that the edges and roofs close
/// under it make to the paths of the engine.
#[test]
fn over_roofs_the_chain_stands_for_all_paths_of_one_interaction() {
    for row in [BLOCKS, SCREENS] {
        for (num, over) in [(1, [0.4, 0.7]), (3, [0.5, 0.5]), (6, [1.0, 0.6])] {
            for material in ["pec", "concrete"] {
                let row = Row {
                    num,
                    over,
                    material,
                    polarization: Polarization::V,
                    ..row
                };
                let settings = Settings {
                    min_edges: 2,
                    has_reflections: true,
                    ..EVERY_EDGE
                };
                let (filled, _) = row.fill(settings);
                let (world, [tx, rx]) = row.place();
                let limits = Limits {
                    max_interactions: 1,
                    max_reflections: 1,
                    max_diffractions: 1,
                    free_edges: true,
                    ..Limits::default()
                };
                let paths = paths(&world, tx, &[rx], &limits, Search::Exhaustive);
                let antenna = row.antenna();
                let isotropic = Antenna {
                    polarization: Polarization::VH,
                    ..Antenna::default()
                };
                let over_roofs = |path: &Path| {
                    let mut points = path.vertices.iter().map(|i| i.point);
                    points.all(|p| p.z > 19.9 && p.y.abs() < 100.0)
                };
                let of_paths = paths.into_iter().filter(over_roofs);
                let gains =
                    of_paths.map(|path| PathField::new(&path, &world).gain(&antenna, &isotropic));
                let gains: Vec<f64> = gains.collect();
                let error = 10.0 * (filled.replaced[0] / gains.iter().sum::<f64>()).log10();
                assert!(gains.len() > 1, "{row}, {num} rows: {gains:?}");
                assert!(error.abs() < 0.05, "{row}, {num} rows: {error} dB");
                // Added to these, the chain alone is left.
                let mut sum = [gains.iter().sum::<f64>() * 1.000_001];
                filled.add_to(&mut sum);
                let error = 10.0 * (sum[0] / filled.gains[0]).log10();
                assert!(error.abs() < 0.3, "{row}, {num} rows: {error} dB");
            }
        }
    }
}
