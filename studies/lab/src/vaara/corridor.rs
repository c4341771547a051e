//! A made-up corridor of about the numbers of tiles and edges of the one in Vaara 2022 (section 5.1.2).
//!
//! The thesis has a picture of its corridor, no plan. It says that every door is recessed, that there are one Tx and
//! a grid of 53 Rx, 611 tiles of 1 m and 245 diffraction edges, and its table 4 says that two reflections reach 21
//! receivers, three 28, and four or one diffraction all of them. So this corridor has an L, whose Tx stands in the
//! long leg.

use keller::DVec3;
use keller::scene::{EdgeId, Mesh, MeshTriangle, Scene};

/// A box along the axes, from its lowest to its highest corner, metres.
type Cuboid = [DVec3; 2];

/// Width and height, and how far the legs reach from the outer corner, metres.
const WIDTH: f64 = 2.0;
const HEIGHT: f64 = 2.6;
const LEGS: [f64; 2] = [22.0, 19.0];

/// Doors: width, height and depth of the recess, metres.
const DOOR: [f64; 3] = [1.0, 2.1, 0.25];

/// The starts of doors on the inner and the outer side of the long leg, and on the same of the short leg, metres from
/// the outer corner.
const DOORS: [&[f64]; 4] = [
    &[3.0, 5.6, 8.2, 10.8, 13.4, 16.0, 18.6],
    &[2.2, 4.8, 7.4, 10.0, 12.6, 15.2, 17.8],
    &[3.0, 5.6, 8.2, 10.8, 13.4, 16.0],
    &[4.3, 9.5, 14.7],
];

/// Beams below the ceiling across the long leg: where they begin, their width and height, metres.
const BEAMS: &[f64] = &[4.3, 9.5, 14.7, 20.0];
const BEAM: [f64; 2] = [0.4, 0.3];

/// Its material.
pub const MATERIAL: &str = "wall";

/// Height of Tx and receivers, metres.
const TX_HEIGHT: f64 = 2.0;
const RX_HEIGHT: f64 = 1.5;

/// Number of receivers.
pub const NUM_RX: usize = 53;

/// The corridor's walls, floor and ceiling, whose fronts look into it.
pub fn mesh() -> Mesh {
    walls(&rooms(), &beams())
}

/// The position of the transmitter.
pub fn tx() -> DVec3 {
    DVec3::new(LEGS[0] - 1.37, 0.53 * WIDTH, TX_HEIGHT)
}

/// Receivers in two lines along the corridor, a metre apart: 32 in the short leg, which the transmitter does not see,
/// and 21 in the long one.
pub fn rx() -> Vec<DVec3> {
    let place = |k: usize, at: &dyn Fn(f64, f64) -> [f64; 2]| {
        let along = 0.61 + (k / 2) as f64;
        let [x, y] = at(along, [0.29, 0.73][k % 2] * WIDTH);
        DVec3::new(x, y, RX_HEIGHT)
    };
    let short = (0..32).map(|k| place(k, &|along, across| [across, WIDTH + along]));
    let long = (0..NUM_RX - 32).map(|k| place(k, &|along, across| [WIDTH + along, across]));
    short.chain(long).collect()
}

/// The edges at which waves in the corridor diffract. The scene's other wedges are those of the shell seen from
/// outside, which no wave reaches.
pub fn inner_edges(scene: &Scene) -> Vec<EdgeId> {
    let is_inner = |(_, edge): &(usize, &keller::scene::Edge)| {
        edge.faces[0].is_some_and(|face| edge.outward.dot(scene.face_normal(face)) > 0.0)
    };
    let edges = scene.edges().iter().enumerate();
    let inner = edges.filter(is_inner);
    inner.map(|(k, _)| EdgeId::from_index(k)).collect()
}

fn rooms() -> Vec<Cuboid> {
    let [long, short] = LEGS;
    let mut all = vec![
        [DVec3::ZERO, DVec3::new(long, WIDTH, HEIGHT)],
        [DVec3::ZERO, DVec3::new(WIDTH, short, HEIGHT)],
    ];
    let [width, height, depth] = DOOR;
    for (side, doors) in DOORS.into_iter().enumerate() {
        // The interval across the leg, from the wall into the recess.
        let across = if side % 2 == 0 {
            [WIDTH, WIDTH + depth]
        } else {
            [-depth, 0.0]
        };
        for from in doors {
            let ends = [[*from, across[0]], [from + width, across[1]]];
            let [[a, b], [c, d]] = ends;
            all.push(if side < 2 {
                [DVec3::new(a, b, 0.0), DVec3::new(c, d, height)]
            } else {
                [DVec3::new(b, a, 0.0), DVec3::new(d, c, height)]
            });
        }
    }
    all
}

fn beams() -> Vec<Cuboid> {
    let [width, height] = BEAM;
    let beam = |at: &f64| {
        [
            DVec3::new(*at, 0.0, HEIGHT - height),
            DVec3::new(at + width, WIDTH, HEIGHT),
        ]
    };
    BEAMS.iter().map(beam).collect()
}

/// The faces between what is inside `open` but not `solid`, and the rest.
///
/// All planes of all boxes cut space into cells. A face lies between an open cell and one that is not, so neighbours
/// share their corners, and no face has a corner of another within a side.
fn walls(open: &[Cuboid], solid: &[Cuboid]) -> Mesh {
    let cuts: [Vec<f64>; 3] = std::array::from_fn(|axis| {
        let ends = open.iter().chain(solid).flatten().map(|end| end[axis]);
        let mut all: Vec<f64> = ends.collect();
        all.sort_by(f64::total_cmp);
        all.dedup();
        all
    });
    let holds = |cuboids: &[Cuboid], at: DVec3| {
        let mut all = cuboids.iter();
        all.any(|[low, high]| low.cmplt(at).all() && at.cmplt(*high).all())
    };
    let is_open = |cell: [usize; 3]| {
        let at = |axis: usize| {
            let (before, after) = cell[axis].checked_sub(1).zip(Some(cell[axis]))?;
            Some(0.5 * (cuts[axis].get(before)? + cuts[axis].get(after)?))
        };
        let centre = at(0).zip(at(1)).zip(at(2));
        centre.is_some_and(|((x, y), z)| {
            let at = DVec3::new(x, y, z);
            holds(open, at) && !holds(solid, at)
        })
    };
    let mut mesh = Mesh::default();
    let material = mesh.material_index(MATERIAL);
    let mut add = |corners: [DVec3; 4]| {
        let base = u32::try_from(mesh.vertices.len()).expect("a small mesh");
        mesh.vertices.extend(corners);
        for vertices in [[0, 1, 2], [0, 2, 3]] {
            mesh.triangles.push(MeshTriangle {
                vertices: vertices.map(|v| base + v),
                material,
            });
        }
    };
    // Cell k of an axis lies between its cuts k - 1 and k.
    for axis in 0..3 {
        let [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
        for at in 0..cuts[axis].len() {
            for i in 1..cuts[u].len() {
                for j in 1..cuts[v].len() {
                    let mut cell = [0; 3];
                    (cell[axis], cell[u], cell[v]) = (at, i, j);
                    let below = is_open(cell);
                    cell[axis] += 1;
                    if below == is_open(cell) {
                        continue;
                    }
                    let corner = |a: usize, b: usize| {
                        let mut corner = DVec3::ZERO;
                        (corner[axis], corner[u], corner[v]) =
                            (cuts[axis][at], cuts[u][a], cuts[v][b]);
                        corner
                    };
                    let mut corners = [
                        corner(i - 1, j - 1),
                        corner(i, j - 1),
                        corner(i, j),
                        corner(i - 1, j),
                    ];
                    if below {
                        corners.reverse();
                    }
                    add(corners);
                }
            }
        }
    }
    mesh
}
