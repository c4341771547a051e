//! The edges of a scene in plan, and the edges that a straight line from one place crosses, in order.
//!
//! Between its edges a scene is plane. The profile of ground and roofs along a line therefore has its corners where the
//! line crosses an edge. No raster of heights is needed, and a corner is as exact as its edge.
//!
//! All lines start at one place, the centre. The plan is divided into sectors around it, each with a list of the edges
//! that reach into it. **Cost:** some nanoseconds for every edge of the sector and line. **Loses** wedges of less than
//! [`FLAT_WEDGE_ANGLE`](crate::geometry::tolerance::FLAT_WEDGE_ANGLE), which are no edges.

use std::f64::consts::{PI, TAU};

use glam::{DVec2, DVec3};

use crate::scene::{EdgeId, Scene};

/// A corner of the profile along a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Corner {
    /// Horizontal distance from the start of the line, metres.
    pub(super) distance: f64,
    /// The height, metres.
    pub(super) height: f64,
    /// The edge on which the corner lies.
    pub(super) edge: EdgeId,
}

impl Corner {
    /// Distance and height.
    pub(super) fn place(self) -> DVec2 {
        DVec2::new(self.distance, self.height)
    }
}

/// All edges of a scene that are not vertical, by the sectors around the centre that they reach into.
#[derive(Debug)]
pub(super) struct Plan {
    num_sectors: usize,
    /// The index in `listed` at which the list of each sector starts, and the end of the last list.
    starts: Vec<u32>,
    /// The edges of all sectors, in each sector from the nearest to the farthest.
    listed: Vec<PlanLine>,
}

/// An edge in plan, relative to the centre.
#[derive(Debug, Clone, Copy)]
struct PlanLine {
    /// Vectors from the centre to the edge's start, and from there to its end, metres.
    away: DVec2,
    along: DVec2,
    /// `away.perp_dot(along)`
    moment: f64,
    id: EdgeId,
}

/// An edge shorter than this in plan, metres, counts as vertical: no line crosses it.
const SHORTEST: f64 = 1e-3;

/// A wedge is open upwards if a normal of its faces rises by more than this sine, which is above rounding.
const LEVEL: f64 = 1e-9;

/// Edges are extended at both ends by this part of their length, so that no line slips between two of them.
const GROWTH: f64 = 1e-6;

/// Margin of a sector, radians, so that rounding of an azimuth loses no edge.
const SECTOR_GROWTH: f64 = 1e-9;

impl Plan {
    /// The plan of `scene` around `centre`.
    pub(super) fn new(scene: &Scene, centre: DVec2, num_sectors: usize) -> Self {
        let mut lines: Vec<(f64, PlanLine)> = scene
            .edges()
            .iter()
            .enumerate()
            .filter_map(|(i, edge)| {
                let [a, b] = edge.ends.map(DVec3::truncate);
                let (away, along) = (a - centre, b - a);
                let line = PlanLine {
                    away,
                    along,
                    moment: away.perp_dot(along),
                    id: EdgeId::from_index(i),
                };
                let centre = away + 0.5 * along;
                // A wedge that is closed upwards, such as the bottom of a valley, is no corner when seen from above.
                let rise = edge.outward.z.max(edge.second_outward.z);
                let is_met = along.length() > SHORTEST && (!edge.is_wedge() || rise > LEVEL);
                is_met.then(|| (centre.length_squared(), line))
            })
            .collect();
        // Profiles come out nearly sorted with this order.
        lines.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        let mut plan = Self {
            num_sectors,
            starts: vec![0; num_sectors + 1],
            listed: Vec::new(),
        };
        let mut pairs = Vec::new();
        for (number, (_, line)) in lines.iter().enumerate() {
            plan.visit_sectors(line, |sector| pairs.push((sector, number)));
        }
        for &(sector, _) in &pairs {
            plan.starts[sector + 1] += 1;
        }
        for sector in 0..num_sectors {
            plan.starts[sector + 1] += plan.starts[sector];
        }
        // The pairs are sorted by sector, and within each in the order of the lines.
        pairs.sort_by_key(|&(sector, _)| sector);
        plan.listed = pairs.iter().map(|&(_, number)| lines[number].1).collect();
        plan
    }

    /// Visits the sectors that a line reaches into.
    fn visit_sectors(&self, line: &PlanLine, mut visit: impl FnMut(usize)) {
        let grown = GROWTH * line.along;
        let ends = [line.away - grown, line.away + line.along + grown];
        let first = ends[0].to_angle();
        let turn = ends[0].angle_to(ends[1]);
        let (low, high) = (first.min(first + turn), first.max(first + turn));
        // A line over the centre itself reaches into any sector.
        let is_over = high - low > PI - SECTOR_GROWTH || !turn.is_finite();
        let per_radian = self.num_sectors as f64 / TAU;
        let from = ((low - SECTOR_GROWTH) * per_radian).floor();
        let to = ((high + SECTOR_GROWTH) * per_radian).floor();
        #[expect(
            clippy::cast_possible_truncation,
            reason = "at most a turn around and less than 2^32 sectors"
        )]
        let (from, to) = (from as i64, to as i64);
        let num = i64::try_from(self.num_sectors).expect("sectors are few");
        if is_over || to - from >= num {
            (0..self.num_sectors).for_each(visit);
            return;
        }
        for sector in from..=to {
            visit(usize::try_from(sector.rem_euclid(num)).expect("counted from zero"));
        }
    }

    /// The number of sectors.
    pub(super) fn num_sectors(&self) -> usize {
        self.num_sectors
    }

    /// The sector of a direction in plan.
    pub(super) fn sector(&self, away: DVec2) -> usize {
        let share = away.to_angle().rem_euclid(TAU) / TAU;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "from 0 to the number of sectors"
        )]
        let sector = (share * self.num_sectors as f64) as usize;
        sector.min(self.num_sectors - 1)
    }

    /// The unit vector in plan along the centre line of a sector.
    pub(super) fn centre(&self, sector: usize) -> DVec2 {
        DVec2::from_angle(TAU * (sector as f64 + 0.5) / self.num_sectors as f64)
    }

    /// The corners of the profile strictly between the centre and the place `away` from it in plan, which lies in
    /// `sector`, in the order of their distance.
    pub(super) fn profile(
        &self,
        scene: &Scene,
        sector: usize,
        away: DVec2,
        corners: &mut Vec<Corner>,
    ) {
        corners.clear();
        let length = away.length();
        let listed = self.starts[sector] as usize..self.starts[sector + 1] as usize;
        for line in &self.listed[listed] {
            // `t` along the line and `u` along the edge are both multiplied by the slant. Its sign says from which side
            // the edge crosses the line.
            let slant = away.perp_dot(line.along);
            let turned = slant.signum();
            let (size, t) = (slant.abs(), turned * line.moment);
            let u = turned * line.away.perp_dot(away);
            if !(t > 0.0 && t < size && u >= -GROWTH * size && u <= (1.0 + GROWTH) * size) {
                continue;
            }
            let [a, b] = scene.edges()[line.id.index()].ends.map(|end| end.z);
            let corner = Corner {
                distance: t / size * length,
                height: a + (u / size).clamp(0.0, 1.0) * (b - a),
                edge: line.id,
            };
            // The corners are nearly in order already, so few steps back are needed.
            let mut place = corners.len();
            while place > 0 && is_before(&corner, &corners[place - 1]) {
                place -= 1;
            }
            corners.insert(place, corner);
        }
    }
}

fn is_before(a: &Corner, b: &Corner) -> bool {
    let order = a.distance.total_cmp(&b.distance);
    order.then(a.edge.cmp(&b.edge)).is_lt()
}

/// The intersection of the straight line through an edge with the vertical plane from a place along the unit vector
/// `ahead`, as distance and height. It is not finite if the two are parallel.
pub(super) fn crossing([a, b]: [DVec3; 2], from: DVec2, ahead: DVec2) -> DVec2 {
    let (away, along) = (a.truncate() - from, (b - a).truncate());
    let slant = ahead.perp_dot(along);
    let u = away.perp_dot(ahead) / slant;
    DVec2::new(away.perp_dot(along) / slant, a.z + u * (b.z - a.z))
}
