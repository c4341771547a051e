//! What a tube brings to the cells of the region whose middles lie in it.

use glam::{DVec2, DVec3};

use super::bundle::{Bundle, Met};
use super::contribution::Contribution;
use super::grid::Hull;
use super::haul::Haul;
use super::source::{Line, Source};
use super::split::Leaf;
use super::tracer::{Sink, Tracer};
use super::verify::Candidate;
use crate::geometry::Plane;
use crate::paths::InteractionKind;
use crate::units::db_to_power;

/// Cells that are looked at one by one are collected to so many.
const AT_ONCE: usize = 4096;

/// Cells that are to be looked at one by one.
#[derive(Debug, Default)]
struct Open {
    /// Because rays of their tubes disagree.
    doubtful: Vec<Candidate>,
    /// Because they lie on the border of their tubes.
    ties: Vec<Candidate>,
}

impl Tracer<'_> {
    /// Adds the gains of tubes to the cells of the region whose middles lie in them.
    pub(super) fn fill(&self, bundle: &Bundle, leaves: &[Leaf]) {
        let mut open = Open::default();
        let mut haul = self.haul();
        for leaf in leaves {
            self.visit(bundle, leaf, &mut open, &mut haul);
            if open.doubtful.len() + open.ties.len() >= AT_ONCE {
                self.settle(bundle, &mut open, &mut haul);
            }
        }
        self.settle(bundle, &mut open, &mut haul);
        self.hand_over(haul);
    }

    /// Adds the gains of those of the cells to which a path leads.
    fn settle(&self, bundle: &Bundle, open: &mut Open, haul: &mut Option<Haul<'_>>) {
        if !open.doubtful.is_empty() {
            self.verify(bundle, None, &mut open.doubtful);
        }
        self.judge(bundle, &mut open.ties);
        for cell in open.doubtful.drain(..).chain(open.ties.drain(..)) {
            self.add(bundle, &cell, haul);
        }
    }

    /// Adds what a path brings to a cell.
    pub(super) fn add(&self, bundle: &Bundle, cell: &Candidate, haul: &mut Option<Haul<'_>>) {
        let &Candidate { gain, middle, .. } = cell;
        match (&self.sink, haul) {
            (Sink::Sums(sums), _) => sums.add(cell.number, gain, || {
                self.contribution(bundle, middle, gain)
            }),
            (Sink::Taker(_), Some(haul)) => haul.reach(cell.tube, cell.number, gain),
            (Sink::Taker(_), None) => {}
        }
    }

    /// What the path by the walls of a bundle brings to the middle of a cell.
    pub(super) fn contribution(&self, bundle: &Bundle, middle: DVec3, gain: f64) -> Contribution {
        let located = bundle.source.locate(middle);
        let way = middle - located.origin;
        let length = located.behind + way.length();
        let excess = self.excess_length(bundle, &located, middle);
        let (departure, wave) = self.wave_to(bundle, &located, middle);
        Contribution {
            is_line_of_sight: bundle.met.is_empty(),
            ..self.contribution_of(&wave, gain, [length, excess], [departure, way, middle])
        }
    }

    /// Adds the gain of a tube to the cells in it, or lists them if they must be looked at one by one.
    fn visit(&self, bundle: &Bundle, leaf: &Leaf, open: &mut Open, haul: &mut Option<Haul<'_>>) {
        let cell = leaf.piece.cell;
        let middle = bundle.source.ray(cell.corners()[0]);
        let corners = frame(bundle, leaf);
        let doubts = leaf.doubts_behind(bundle);
        let is_verified = !doubts.is_none();
        let may_tie = !self.ladder.follows_middle();
        let axis = middle.direction.normalize();
        // Beyond, nothing of it counts.
        let weak = leaf.strength.reach(self.least_gain);
        let far = exit_along(middle.origin, axis, self.grid.bounds()).min(weak);
        // Nor does anything of it lead beyond the farthest wall: but for tubes that were mirrored behind an edge, whose rays may begin
        // beside the face that mirrors.
        let is_mirrored = matches!(bundle.source, Source::Edge(_)) && bundle.start.is_some();
        let far = if leaf.is_clear || is_mirrored {
            far
        } else {
            let ends = leaf.seen().iter().map(|ahead| match ahead.face {
                Some(_) => f64::from(ahead.reach),
                None => far,
            });
            ends.fold(0.0, f64::max).min(far)
        };
        let end_plane = leaf.seen()[0]
            .face
            .filter(|_| leaf.is_clear)
            .map(|face| self.scene.plane(self.scene.plane_of(face)));
        let start_plane = bundle.start.map(|plane| self.scene.plane(plane));
        let ends = corners.map(|line| {
            let across = far / line.direction.dot(axis);
            let end: f64 = end_plane.map_or(across, |plane| {
                let t = line.meets(plane);
                if t > 0.0 { t.min(across) } else { across }
            });
            let start = start_plane.map_or(0.0, |plane| line.meets(plane));
            [start.clamp(0.0, end), end]
        });
        let lengths = corners.iter().zip(ends);
        let longest = lengths.map(|(line, [_, end])| end * line.direction.length());
        let hull = Hull {
            edges: corners,
            ends,
            margin: bundle.source.sag(cell, longest.fold(0.0, f64::max)),
        };
        let has_clutter = !self.scene.clutter().volumes().is_empty();
        let has_own = haul.is_some() && self.has_own_matrices(bundle);
        let gain_at = (!has_own).then(|| self.gain_in(bundle, cell, leaf.strength));
        let kept_at = has_own.then(|| self.kept_in(bundle, cell));
        let mut tube_of_all = None;
        self.grid.near(&hull, |number, middle_of_cell| {
            let located = bundle.source.locate(middle_of_cell);
            if !leaf.piece.contains(located.on) {
                return;
            }
            let direction = middle_of_cell - located.origin;
            let ahead = direction.length();
            let is_behind =
                |plane: &Plane| plane.distance(middle_of_cell) * plane.normal.dot(direction) > 0.0;
            if start_plane.is_some_and(|plane| !is_behind(plane))
                || end_plane.is_some_and(is_behind)
            {
                return;
            }
            let kept = kept_at
                .as_ref()
                .map(|kept_at| kept_at(&located, middle_of_cell, ahead));
            let mut gain = match (&gain_at, &kept) {
                (Some(gain_at), _) => gain_at(&located, middle_of_cell, ahead),
                (None, Some(kept)) => kept.gain,
                (None, None) => 0.0,
            };
            if has_clutter {
                gain *= db_to_power(-self.clutter_loss_db(bundle, middle_of_cell));
            }
            if gain < self.least_gain {
                return;
            }
            let tube = match (&kept, haul.as_mut()) {
                (_, None) => 0,
                (Some(kept), Some(haul)) => haul.begin(kept.departure, &kept.matrix, kept.power),
                (None, Some(haul)) => {
                    *tube_of_all.get_or_insert_with(|| self.begin(bundle, leaf, haul))
                }
            };
            let cell = Candidate {
                number,
                middle: middle_of_cell,
                gain,
                doubts,
                tube,
            };
            if may_tie && leaf.piece.has_on_border(located.on) {
                open.ties.push(cell);
            } else if is_verified {
                open.doubtful.push(cell);
            } else {
                self.add(bundle, &cell, haul);
            }
        });
    }

    /// What clutter takes of the path to `end`, dB.
    pub(super) fn clutter_loss_db(&self, bundle: &Bundle, end: DVec3) -> f64 {
        let mut points = vec![end];
        let (mut from, mut to) = (bundle.source.locate(end).origin, end);
        for met in bundle.met.iter().rev() {
            match *met {
                Met::Wall {
                    kind: InteractionKind::Reflection,
                    face,
                } => {
                    let plane = self.scene.plane(self.scene.plane_of(face));
                    to = plane.between(to, from);
                    from = plane.mirror(from);
                    points.push(to);
                }
                Met::Wall { .. } => {}
                Met::Edge(_) => {
                    to = from;
                    points.push(to);
                    from = bundle.source.position();
                }
            }
        }
        points.push(from);
        self.scene.clutter().loss_db(points)
    }
}

/// Four rays around all of a tube.
fn frame(bundle: &Bundle, leaf: &Leaf) -> [Line; 4] {
    let cell = leaf.piece.cell;
    match &bundle.source {
        Source::Point(image) if !leaf.piece.is_whole() => {
            let [low, high] = leaf.piece.outline().frame();
            [
                low,
                DVec2::new(high.x, low.y),
                high,
                DVec2::new(low.x, high.y),
            ]
            .map(|at| image.line(cell.direction(at)))
        }
        Source::Point(_) | Source::Edge(_) => {
            let [_, corners @ ..] = cell.corners();
            corners.map(|corner| bundle.source.ray(corner))
        }
    }
}

/// How far a box reaches along a unit vector, metres from a point.
fn exit_along(from: DVec3, axis: DVec3, [low, high]: [DVec3; 2]) -> f64 {
    let corner = DVec3::select(axis.cmpge(DVec3::ZERO), high, low);
    (corner - from).dot(axis).max(0.0)
}
