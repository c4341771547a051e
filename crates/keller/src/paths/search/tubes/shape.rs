//! The directions of a tube: a part of the sphere around an image of the Tx, or of the cones around an edge.
//!
//! Reflections mirror a tube as a whole. So its rays are straight lines from one image, however many walls it has met.

use glam::Vec3;

use crate::geometry::Plane;

/// The directions of a tube, metres from the scene's origin.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shape {
    Beam(Beam),
    Fan(Fan),
}

/// Rays from an image of the Tx.
#[derive(Debug, Clone, Copy)]
pub(super) struct Beam {
    pub(super) image: Vec3,
    /// A unit vector.
    pub(super) direction: Vec3,
    /// The sides of the tube at a distance of one metre.
    pub(super) sides: [Vec3; 2],
}

/// Rays from a stretch of an edge, or of its image: by Keller's law they make the same angle with the edge as the wave
/// that arrives.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fan {
    /// The end from which places count.
    pub(super) start: Vec3,
    /// Into the first face, out of it, and along the edge.
    pub(super) axes: [Vec3; 3],
    /// The place along the edge next to the image that illuminates it, and the distance of the image from the line, metres.
    pub(super) image: [f32; 2],
    /// The places along the edge, metres.
    pub(super) along: [f32; 2],
    /// The angles around it, radians.
    pub(super) around: [f32; 2],
}

/// The central ray of a tube.
#[derive(Debug, Clone, Copy)]
pub(super) struct Axis {
    pub(super) origin: Vec3,
    /// A unit vector.
    pub(super) direction: Vec3,
    /// The length of the way before the origin, metres.
    pub(super) behind: f32,
    /// The sine of the angle with the edge; 1 without one.
    pub(super) sin_beta: f32,
}

impl Axis {
    pub(super) fn at(&self, t: f32) -> Vec3 {
        self.origin + t * self.direction
    }
}

impl Shape {
    pub(super) fn axis(&self) -> Axis {
        match self {
            Self::Beam(beam) => Axis {
                origin: beam.image,
                direction: beam.direction,
                behind: 0.0,
                sin_beta: 1.0,
            },
            Self::Fan(fan) => fan.axis(),
        }
    }

    /// The widths of the tube around this axis, at a distance from its origin, metres.
    pub(super) fn widths(&self, axis: &Axis, t: f32) -> [f32; 2] {
        match self {
            Self::Beam(beam) => beam.sides.map(|side| t * side.length()),
            Self::Fan(fan) => {
                let [along, around] = [fan.along, fan.around].map(|[low, high]| high - low);
                let spread = (axis.behind + t) / axis.behind;
                [along * axis.sin_beta * spread, around * axis.sin_beta * t]
            }
        }
    }

    /// The parts of the tube where it has these widths.
    pub(super) fn split(&self, [along, around]: [f32; 2], mut part: impl FnMut(Self)) {
        match self {
            Self::Beam(beam) => {
                for [a, b] in [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]] {
                    let [u, v] = beam.sides.map(|side| 0.25 * side);
                    part(Self::Beam(Beam {
                        image: beam.image,
                        direction: (beam.direction + a * u + b * v).normalize(),
                        sides: beam.sides.map(|side| 0.5 * side),
                    }));
                }
            }
            Self::Fan(fan) => {
                let halves = |[low, high]: [f32; 2]| {
                    let middle = 0.5 * (low + high);
                    [[low, middle], [middle, high]]
                };
                if along > around {
                    for along in halves(fan.along) {
                        part(Self::Fan(Fan { along, ..*fan }));
                    }
                } else {
                    for around in halves(fan.around) {
                        part(Self::Fan(Fan { around, ..*fan }));
                    }
                }
            }
        }
    }

    /// Mirrored at a plane through a point, with this unit normal.
    pub(super) fn mirrored(self, (point, normal): (Vec3, Vec3)) -> Self {
        let turn = |v: Vec3| v - 2.0 * v.dot(normal) * normal;
        let mirror = |at: Vec3| at - 2.0 * (at - point).dot(normal) * normal;
        match self {
            Self::Beam(beam) => Self::Beam(Beam {
                image: mirror(beam.image),
                direction: turn(beam.direction).normalize(),
                sides: beam.sides.map(turn),
            }),
            Self::Fan(fan) => Self::Fan(Fan {
                start: mirror(fan.start),
                axes: fan.axes.map(turn),
                ..fan
            }),
        }
    }
}

impl Fan {
    fn axis(&self) -> Axis {
        let [s, phi] = [self.along, self.around].map(|[low, high]| 0.5 * (low + high));
        let [place, away] = self.image;
        let behind = ((s - place) * (s - place) + away * away).sqrt();
        let [cos_beta, sin_beta] = [(s - place) / behind, away / behind];
        let [x, y, along] = self.axes;
        let (sin, cos) = libm::sincosf(phi);
        Axis {
            origin: self.start + s * along,
            direction: (cos_beta * along + sin_beta * (cos * x + sin * y)).normalize(),
            behind,
            sin_beta,
        }
    }
}

/// A plane in the coordinates of tubes.
pub(super) fn local(plane: &Plane, origin: glam::DVec3) -> (Vec3, Vec3) {
    let foot = origin - plane.distance(origin) * plane.normal;
    ((foot - origin).as_vec3(), plane.normal.as_vec3())
}
