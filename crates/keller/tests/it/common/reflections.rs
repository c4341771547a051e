//! Links between reflecting planes without borders that may move, and taps by hand.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::f64::consts::PI;

use keller::antenna::{Antenna, Polarization};
use keller::channel::{Antennas, Band, ImpulseResponse, Motion, Tap};
use keller::em::Surfaces;
use keller::field::Walls;
use keller::geometry::Plane;
use keller::materials::{Material, Medium};
use keller::paths::{Interaction, Path, Vertex};
use keller::scene::{Edge, EdgeId, FaceId, MaterialId};
use keller::{Complex64, DVec3, Direction, Frequency};

/// Planes without borders, plane `i` of material `i`, that move; and one edge of planes 0 and 1.
#[derive(Clone)]
pub(crate) struct World {
    pub(crate) planes: Vec<Plane>,
    pub(crate) materials: Vec<Material>,
    pub(crate) velocities: Vec<DVec3>,
    pub(crate) edge: [DVec3; 2],
}

/// The planes at one frequency.
pub(crate) struct WorldAt {
    pub(crate) world: World,
    pub(crate) surfaces: Surfaces,
}

impl World {
    pub(crate) fn at(&self, frequency: Frequency) -> WorldAt {
        WorldAt {
            surfaces: Surfaces::new(&self.materials, frequency).unwrap(),
            world: self.clone(),
        }
    }
}

impl Walls for WorldAt {
    fn surfaces(&self) -> &Surfaces {
        &self.surfaces
    }

    fn normal(&self, face: FaceId) -> DVec3 {
        self.world.planes[face.index()].normal
    }

    fn material(&self, face: FaceId) -> MaterialId {
        MaterialId::from_index(face.index())
    }

    fn edge(&self, _: EdgeId) -> Edge {
        Edge {
            ends: self.world.edge,
            faces: [0, 1].map(|face| Some(FaceId::from_index(face))),
            exterior_angle: 1.5 * PI,
            inward: DVec3::X,
            outward: DVec3::Y,
            second_outward: -DVec3::X,
        }
    }
}

/// Everything that a moving link is made of.
#[derive(Clone)]
pub(crate) struct Link {
    pub(crate) world: World,
    pub(crate) tx: DVec3,
    pub(crate) rx: DVec3,
    pub(crate) tx_velocity: DVec3,
    pub(crate) rx_velocity: DVec3,
    /// Reflecting planes from Tx to Rx.
    pub(crate) reflections: Vec<usize>,
}

impl Link {
    /// Four skew reflecting planes, three of them in the path, and everything in motion.
    pub(crate) fn skew(medium: Medium) -> Self {
        let plane = |x, y, z, offset| Plane {
            normal: DVec3::new(x, y, z).normalize(),
            offset,
        };
        Self {
            world: World {
                planes: vec![
                    plane(0.1, -0.2, 1.0, 0.0),
                    plane(1.0, 0.3, 0.1, -12.0),
                    plane(-0.2, 1.0, -0.1, -9.0),
                    plane(-1.0, 0.05, 0.02, -15.0),
                ],
                materials: vec![Material::HalfSpace(medium); 4],
                velocities: vec![
                    DVec3::new(0.3, -0.1, 0.7),
                    DVec3::new(-1.1, 0.2, 0.4),
                    DVec3::new(0.5, 0.9, -0.3),
                    DVec3::new(0.8, 0.0, 0.6),
                ],
                edge: [DVec3::ZERO; 2],
            },
            tx: DVec3::new(1.0, 2.0, 3.0),
            rx: DVec3::new(7.0, -1.0, 5.0),
            tx_velocity: DVec3::new(1.5, -0.5, 0.25),
            rx_velocity: DVec3::new(-0.75, 2.0, 1.0),
            reflections: vec![0, 1, 2],
        }
    }

    pub(crate) fn at(&self, time: f64) -> Self {
        let mut moved = self.clone();
        moved.tx += self.tx_velocity * time;
        moved.rx += self.rx_velocity * time;
        for (plane, velocity) in moved.world.planes.iter_mut().zip(&self.world.velocities) {
            plane.offset += plane.normal.dot(*velocity) * time;
        }
        moved
    }

    pub(crate) fn motion(&self) -> Motion<'_> {
        Motion {
            tx: self.tx_velocity,
            rx: self.rx_velocity,
            materials: &self.world.velocities,
        }
    }

    /// The path by images, and one straight line as well.
    pub(crate) fn paths(&self) -> Vec<Path> {
        let mut images = vec![self.tx];
        for plane in &self.reflections {
            images.push(self.world.planes[*plane].mirror(images[images.len() - 1]));
        }
        let length = images[images.len() - 1].distance(self.rx);
        let mut point = self.rx;
        let mut vertices = Vec::new();
        for (i, &plane) in self.reflections.iter().enumerate().rev() {
            let of = &self.world.planes[plane];
            let (here, there) = (of.distance(point), of.distance(images[i + 1]));
            point += here / (here - there) * (images[i + 1] - point);
            vertices.insert(
                0,
                Vertex {
                    interaction: Interaction::Reflection(FaceId::from_index(plane)),
                    point,
                },
            );
        }
        let path = |vertices, length| Path {
            tx: 0,
            rx: 0,
            tx_position: self.tx,
            rx_position: self.rx,
            vertices,
            length,
        };
        vec![
            path(Vec::new(), self.tx.distance(self.rx)),
            path(vertices, length),
        ]
    }
}

pub(crate) fn frequency(hz: f64) -> Frequency {
    Frequency::from_hz(hz).unwrap()
}

pub(crate) const V: Antenna = Antenna {
    pattern: keller::antenna::Pattern::Isotropic,
    polarization: Polarization::V,
    orientation: keller::antenna::Orientation {
        bearing: 0.0,
        downtilt: 0.0,
        slant: 0.0,
    },
    electrical_tilt: 0.0,
    peak_gain: None,
};
pub(crate) const BOTH_V: Antennas<'_> = Antennas {
    tx: &V,
    rx: &V,
    tx_array: None,
    rx_array: None,
};

/// A flat ground with the Tx and the Rx 10 m and 3 m above it, 100 m apart.
pub(crate) fn two_ray(medium: Medium) -> Link {
    Link {
        world: World {
            planes: vec![Plane {
                normal: DVec3::Z,
                offset: 0.0,
            }],
            materials: vec![Material::HalfSpace(medium)],
            velocities: vec![DVec3::ZERO],
            edge: [DVec3::ZERO; 2],
        },
        tx: DVec3::new(0.0, 0.0, 10.0),
        rx: DVec3::new(100.0, 0.0, 3.0),
        tx_velocity: DVec3::ZERO,
        rx_velocity: DVec3::ZERO,
        reflections: vec![0],
    }
}

pub(crate) fn over_band(link: &Link, band: &Band) -> Vec<WorldAt> {
    band.frequencies().map(|f| link.world.at(f)).collect()
}

/// Taps at the given delays, one port at each end.
pub(crate) fn taps(
    carrier: Frequency,
    delays: &[f64],
    amplitudes: &[Complex64],
) -> ImpulseResponse {
    let up = Direction {
        zenith: 0.0,
        azimuth: 0.0,
    };
    ImpulseResponse {
        carrier,
        num_ports: [1, 1],
        taps: delays
            .iter()
            .enumerate()
            .map(|(path, &delay)| Tap {
                delay,
                path,
                doppler_shift: 0.0,
                departure: up,
                arrival: up,
                is_line_of_sight: false,
            })
            .collect(),
        amplitudes: amplitudes.to_vec(),
    }
}
