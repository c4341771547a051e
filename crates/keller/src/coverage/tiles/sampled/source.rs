//! Waves that arrive at tiles with an edge at their border, which the edges send on.

use glam::DVec3;
use num_complex::{Complex32, Complex64};

use super::super::arrival::TileWave;
use super::wavefront::Wavefront;
use crate::antenna::Antenna;
use crate::field::PlaneWave;
use crate::paths::{Interaction, InteractionCounts, Path};
use crate::scene::{PlaneId, Scene};
use crate::tiles::Tile;
use crate::units::SPEED_OF_LIGHT;

/// A wave that arrives at a tile.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Source {
    pub(super) tile: u32,
    pub(super) used: InteractionCounts,
    /// Unit vector from the tile to where it comes from.
    pub(super) into: DVec3,
    pub(super) front: Wavefront,
    /// Length from the Tx, metres.
    pub(super) length: f64,
    /// The plane that reflected it last, if anything did behind its last edge; and the distance of the place where it was
    /// turned last, as seen from the tile, metres.
    pub(super) mirror: Option<PlaneId>,
    pub(super) leg: f64,
    /// The fields that it brings to a receiver of both polarisations at the tile, by port. The sum of the squares is
    /// the gain.
    pub(super) ports: [[Complex32; 2]; 2],
    pub(super) num_ports: u8,
}

impl Source {
    /// The wave that a path brings to a tile.
    pub(in super::super) fn of_path(
        scene: &Scene,
        (number, tile): (usize, &Tile),
        antenna: &Antenna,
        path: &Path,
        wave: &TileWave,
    ) -> Self {
        let field = &wave.field;
        let [[tt, tp], [pt, pp]] = field.coefficient;
        let fields = antenna.fields(field.departure);
        let share = (fields.len() as f64).sqrt().recip();
        let ports =
            fields.map(|f| [tt * f[0] + tp * f[1], pt * f[0] + pp * f[1]].map(|e| share * e));
        let way = Way::along(scene, path, tile.centre);
        Self {
            tile: number_of(number),
            used: wave.used,
            front: way.front,
            mirror: way.mirror,
            leg: way.leg,
            into: field.arrival.unit_vector(),
            length: SPEED_OF_LIGHT * field.delay,
            ..Self::without_wave(number).with_ports(ports)
        }
    }

    /// A source of a tile whose wave is not known yet.
    pub(super) fn without_wave(tile: usize) -> Self {
        Self {
            tile: number_of(tile),
            used: InteractionCounts::NONE,
            into: DVec3::Z,
            front: Wavefront::of_sphere(DVec3::Z, 1.0),
            length: 1.0,
            mirror: None,
            leg: 1.0,
            ports: [[Complex32::ZERO; 2]; 2],
            num_ports: 0,
        }
    }

    /// The same with a wave that brings this to a receiver of both polarisations, by port.
    pub(super) fn with_ports(mut self, ports: impl Iterator<Item = [Complex64; 2]>) -> Self {
        self.num_ports = 0;
        for (own, port) in self.ports.iter_mut().zip(ports) {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "fields need no more digits"
            )]
            let single = |e: Complex64| Complex32::new(e.re as f32, e.im as f32);
            *own = port.map(single);
            self.num_ports += 1;
        }
        self
    }

    /// The wave, in the direction of the unit vector `direction`, which is nearly its own.
    pub(super) fn wave(&self, direction: DVec3) -> PlaneWave {
        let ports = &self.ports[..usize::from(self.num_ports)];
        let double = |e: Complex32| Complex64::new(f64::from(e.re), f64::from(e.im));
        PlaneWave::of_received(direction, ports.iter().map(|port| port.map(double)))
    }

    /// Gain to an isotropic receiver of both polarisations, linear.
    pub(super) fn gain(&self) -> f64 {
        let all = self.ports.iter().flatten();
        all.map(|e| f64::from(e.norm_sqr())).sum()
    }

    /// The same wave with so many times the power.
    pub(super) fn times(mut self, power: f64) -> Self {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "fields need no more digits"
        )]
        let scale = power.sqrt() as f32;
        self.ports = self.ports.map(|port| port.map(|e| scale * e));
        self
    }
}

/// The way of a path up to its end.
struct Way {
    front: Wavefront,
    /// The plane that reflected it last, if anything did behind its last edge; and the length from where it turned last.
    mirror: Option<PlaneId>,
    leg: f64,
}

impl Way {
    fn along(scene: &Scene, path: &Path, end: DVec3) -> Self {
        let mut points: Vec<DVec3> = path.points().collect();
        if let Some(last) = points.last_mut() {
            *last = end;
        }
        let direction = |k: usize| (points[k + 1] - points[k]).normalize_or(DVec3::Z);
        let mut way = Self {
            front: Wavefront::of_sphere(direction(0), 0.0),
            mirror: None,
            leg: 0.0,
        };
        for k in 0..=path.vertices.len() {
            let length = points[k].distance(points[k + 1]);
            way.front = way.front.advanced(length);
            way.leg += length;
            match path.vertices.get(k).map(|vertex| vertex.interaction) {
                Some(Interaction::Reflection(face)) => {
                    way.front = way.front.mirrored(scene.face_normal(face));
                    way.mirror = Some(scene.plane_of(face));
                    way.leg = 0.0;
                }
                Some(Interaction::Diffraction(edge)) => {
                    let edge = scene.edges()[edge.index()].along();
                    way.front = way.front.bent(edge, [direction(k), direction(k + 1)]);
                    way.mirror = None;
                    way.leg = 0.0;
                }
                _ => {}
            }
        }
        way
    }
}

fn number_of(tile: usize) -> u32 {
    u32::try_from(tile).expect("fewer than 2^32 tiles")
}

/// Sources, of which weak ones stand for many: about as many as are wanted, whatever number is offered.
///
/// **Source.** N. Duffield, C. Lund and M. Thorup, "Priority sampling for estimation of arbitrary subset sums", J. ACM
/// 54, 2007, doi:10.1145/1314690.1314696, of which this is the form with one threshold for all.
#[derive(Debug)]
pub(super) struct Thinned {
    /// Each with its own random number between 0 and 1.
    all: Vec<(f64, Source)>,
    wanted: usize,
    /// A source of this gain or more is always kept.
    surely: f64,
}

impl Thinned {
    pub(super) fn new(wanted: usize) -> Self {
        Self {
            all: Vec::new(),
            wanted,
            surely: 0.0,
        }
    }

    /// The chance of a source to be kept. It falls as the root of its gain: weak sources matter where it is dark.
    fn chance(&self, gain: f64) -> f64 {
        if gain >= self.surely {
            1.0
        } else {
            (gain / self.surely).sqrt()
        }
    }

    /// Offers a source with a random number between 0 and 1. One without power is not kept.
    pub(super) fn offer(&mut self, random: f64, source: Source) {
        let gain = source.gain();
        if gain <= 0.0 || random >= self.chance(gain) {
            return;
        }
        self.all.push((random, source));
        while self.all.len() > 2 * self.wanted {
            let most = self.all.iter().map(|(_, source)| source.gain());
            let most = most.fold(0.0, f64::max);
            // Sixteen times the gain halves the number twice, once all are below it.
            self.surely = if self.surely > 0.0 {
                16.0 * self.surely
            } else {
                1e-12 * most
            };
            let all = std::mem::take(&mut self.all);
            let kept = all
                .into_iter()
                .filter(|(random, source)| *random < self.chance(source.gain()));
            self.all = kept.collect();
        }
    }

    /// The sources that are kept, each with the power of those that it stands for.
    pub(super) fn sources(self) -> Vec<Source> {
        let of = |(_, source): &(f64, Source)| source.times(1.0 / self.chance(source.gain()));
        self.all.iter().map(of).collect()
    }
}
