//! Walls and edges without borders, and paths among them solved here.

use std::f64::consts::PI;

use keller::em::{Surfaces, utd::LossyWedge};
use keller::field::{PathField, Walls, transport};
use keller::geometry::Plane;
use keller::materials::{Layer, Material, Medium};
use keller::paths::{Interaction, Path, Vertex};
use keller::scene::{Edge, EdgeId, FaceId, MaterialId};
use keller::{Complex64, DVec3, Frequency};

/// One step of a sequence, by index.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Step {
    Reflect(usize),
    Pass(usize),
    Diffract(usize),
}

/// Unbounded planes and edges.
pub(crate) struct World {
    pub(crate) planes: Vec<Plane>,
    pub(crate) edges: Vec<Edge>,
    pub(crate) surfaces: Surfaces,
}

impl Walls for World {
    fn surfaces(&self) -> &Surfaces {
        &self.surfaces
    }

    fn normal(&self, face: FaceId) -> DVec3 {
        self.planes[face.index()].normal
    }

    fn material(&self, face: FaceId) -> MaterialId {
        MaterialId::from_index(face.index())
    }

    fn edge(&self, edge: EdgeId) -> Edge {
        self.edges[edge.index()]
    }
}

/// The unit vector at the angle `phi` from x towards y.
pub(crate) fn around(phi: f64) -> DVec3 {
    DVec3::new(phi.cos(), phi.sin(), 0.0)
}

pub(crate) fn pec() -> Material {
    Material::HalfSpace(Medium::PerfectConductor)
}

/// Lets nothing through and reflects nothing.
pub(crate) fn black() -> Material {
    Material::HalfSpace(Medium::Constant {
        relative_permittivity: 1.0,
        conductivity: 0.0,
    })
}

pub(crate) fn half_space(name: &str) -> Material {
    Material::from_name(name).unwrap()
}

pub(crate) fn slab(name: &str, thickness: f64) -> Material {
    let medium = Medium::from_name(name).unwrap();
    Material::Slab(vec![Layer { medium, thickness }])
}

impl World {
    pub(crate) fn new(frequency_hz: f64, walls: Vec<(Plane, Material)>, edges: Vec<Edge>) -> Self {
        let (planes, materials): (Vec<_>, Vec<_>) = walls.into_iter().unzip();
        let frequency = Frequency::from_hz(frequency_hz).unwrap();
        Self {
            planes,
            edges,
            surfaces: Surfaces::new(&materials, frequency).unwrap(),
        }
    }

    /// A wedge with the edge on the z axis, its 0-face at azimuth 0, open over `n pi` from there.
    pub(crate) fn wedge(frequency_hz: f64, n: f64, faces: [Material; 2]) -> Self {
        let [zero, nth] = faces;
        let open = n * PI;
        // The n-face's front looks into the wedge, to show that sides are distinguished.
        let walls = vec![
            (plane(DVec3::Y, DVec3::ZERO), zero),
            (plane(around(open + 0.5 * PI), DVec3::ZERO), nth),
        ];
        Self::new(frequency_hz, walls, vec![z_edge(DVec3::ZERO, 0.0, n, true)])
    }

    /// A sheet that ends on the z axis.
    pub(crate) fn sheet(frequency_hz: f64, material: Material) -> Self {
        let walls = vec![(plane(DVec3::Y, DVec3::ZERO), material)];
        Self::new(
            frequency_hz,
            walls,
            vec![z_edge(DVec3::ZERO, 0.0, 2.0, false)],
        )
    }

    pub(crate) fn with_form(mut self, form: LossyWedge) -> Self {
        self.surfaces = self.surfaces.with_lossy_wedge(form);
        self
    }

    pub(crate) fn wavenumber(&self) -> f64 {
        self.surfaces.frequency().wavenumber()
    }

    pub(crate) fn field(&self, tx: DVec3, rx: DVec3, steps: &[Step]) -> PathField {
        transport(&self.path(tx, rx, steps), self)
    }

    /// The path with those interactions, by coordinate descent on the points along the edges.
    pub(crate) fn path(&self, tx: DVec3, rx: DVec3, steps: &[Step]) -> Path {
        // Unfold: everything behind a reflecting plane is mirrored, so that reflections become straight lines.
        let reflections = |upto: usize| {
            let before: Vec<usize> = steps[..upto]
                .iter()
                .filter_map(|step| match step {
                    Step::Reflect(i) => Some(*i),
                    _ => None,
                })
                .collect();
            move |planes: &[Plane], p: DVec3| {
                before.iter().rev().fold(p, |p, i| planes[*i].mirror(p))
            }
        };
        let unfold = |upto: usize, p: DVec3| reflections(upto)(&self.planes, p);
        let end = unfold(steps.len(), rx);
        let edges: Vec<(usize, DVec3, DVec3)> = steps
            .iter()
            .enumerate()
            .filter_map(|(i, step)| match step {
                Step::Diffract(e) => {
                    let [a, b] = self.edges[*e].ends;
                    let (a, b) = (unfold(i, a), unfold(i, b));
                    Some((i, a, (b - a).normalize()))
                }
                _ => None,
            })
            .collect();
        let mut corners: Vec<DVec3> = edges.iter().map(|(_, a, _)| *a).collect();
        for _ in 0..20_000 {
            let mut change = 0.0_f64;
            for e in 0..edges.len() {
                let from = if e == 0 { tx } else { corners[e - 1] };
                let to = corners.get(e + 1).copied().unwrap_or(end);
                let (_, a, along) = edges[e];
                let place = |p: DVec3| {
                    let t = (p - a).dot(along);
                    (t, p.distance(a + t * along))
                };
                let ((t0, d0), (t1, d1)) = (place(from), place(to));
                let corner = a + along * ((t0 * d1 + t1 * d0) / (d0 + d1));
                change = change.max(corner.distance(corners[e]));
                corners[e] = corner;
            }
            if change < 1e-15 {
                break;
            }
        }

        let mut points = vec![DVec3::ZERO; steps.len()];
        let (mut last, mut next_corner, mut length) = (tx, 0, 0.0);
        for (i, step) in steps.iter().enumerate() {
            let unfolded = match step {
                Step::Diffract(_) => {
                    next_corner += 1;
                    corners[next_corner - 1]
                }
                Step::Reflect(w) | Step::Pass(w) => {
                    let to = corners.get(next_corner).copied().unwrap_or(end);
                    let normal = unfold(i, self.planes[*w].normal) - unfold(i, DVec3::ZERO);
                    let on = unfold(i, self.planes[*w].normal * self.planes[*w].offset);
                    let (here, there) = ((last - on).dot(normal), (to - on).dot(normal));
                    let share = here / (here - there);
                    assert!((-1e-6..=1.0).contains(&share), "{steps:?}: no path");
                    last.lerp(to, share)
                }
            };
            length += last.distance(unfolded);
            last = unfolded;
            // Folding is unfolding backwards.
            let mut point = unfolded;
            for step in &steps[..i] {
                if let Step::Reflect(w) = step {
                    point = self.planes[*w].mirror(point);
                }
            }
            points[i] = point;
        }
        length += last.distance(end);
        let vertices = steps.iter().zip(points).map(|(step, point)| {
            let interaction = match step {
                Step::Reflect(w) => Interaction::Reflection(FaceId::from_index(*w)),
                Step::Pass(w) => Interaction::Transmission(FaceId::from_index(*w)),
                Step::Diffract(e) => Interaction::Diffraction(EdgeId::from_index(*e)),
            };
            Vertex { interaction, point }
        });
        Path {
            tx: 0,
            rx: 0,
            tx_position: tx,
            rx_position: rx,
            vertices: vertices.collect(),
            length,
        }
    }
}

/// The plane through `point` across `normal`.
pub(crate) fn plane(normal: DVec3, point: DVec3) -> Plane {
    let normal = normal.normalize();
    Plane {
        normal,
        offset: normal.dot(point),
    }
}

/// An edge along z through `point`, whose 0-face (the first wall) lies at azimuth `zero`, open over `n pi` from there.
pub(crate) fn z_edge(point: DVec3, zero: f64, n: f64, is_wedge: bool) -> Edge {
    Edge {
        ends: [point - 100.0 * DVec3::Z, point + 100.0 * DVec3::Z],
        faces: [
            Some(FaceId::from_index(0)),
            is_wedge.then(|| FaceId::from_index(1)),
        ],
        exterior_angle: n * PI,
        inward: around(zero),
        outward: around(zero + 0.5 * PI),
        second_outward: around(zero + (n - 0.5) * PI),
    }
}

/// Largest cell.
pub(crate) fn norm(a: [[Complex64; 2]; 2]) -> f64 {
    a.as_flattened()
        .iter()
        .map(|c| c.norm())
        .fold(0.0, f64::max)
}

pub(crate) fn sum(a: [[Complex64; 2]; 2], b: [[Complex64; 2]; 2]) -> [[Complex64; 2]; 2] {
    let cell = |i: usize, j: usize| a[i][j] + b[i][j];
    [[cell(0, 0), cell(0, 1)], [cell(1, 0), cell(1, 1)]]
}

pub(crate) fn difference(a: [[Complex64; 2]; 2], b: [[Complex64; 2]; 2]) -> [[Complex64; 2]; 2] {
    sum(a, b.map(|row| row.map(|c| -c)))
}
