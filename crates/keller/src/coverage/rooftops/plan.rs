//! The edges of a scene seen from above, and those that a straight line from one place passes over or under, in order.
//!
//! Between its edges a scene is plane, so the profile of the ground and the roofs along a line has its corners where the line crosses an
//! edge: no raster of heights is needed, and a corner is as exact as the edge is.
//!
//! All lines start at one place, so the plan is cut into sectors around it, each with the edges that reach into it. Cost: some
//! nanoseconds for every edge of the sector and line. What it loses: bends of less than
//! [`FLAT_WEDGE_ANGLE`](crate::geometry::tolerance::FLAT_WEDGE_ANGLE), which are no edges.

use std::f64::consts::{PI, TAU};

use glam::{DVec2, DVec3};

use crate::scene::{EdgeId, Scene};

/// A corner of the profile along a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Corner {
    /// Horizontal distance from the start of the line, metres.
    pub(super) distance: f64,
    /// Metres.
    pub(super) height: f64,
    /// The edge that it lies on.
    pub(super) edge: EdgeId,
}

impl Corner {
    /// Distance and height.
    pub(super) fn place(self) -> DVec2 {
        DVec2::new(self.distance, self.height)
    }
}

/// All edges of a scene that are not upright, by the sectors around a place that they reach into.
#[derive(Debug)]
pub(super) struct Plan {
    num_sectors: usize,
    /// Where the list of each sector starts in `listed`, and the end of the last.
    starts: Vec<u32>,
    /// The nearest first.
    listed: Vec<PlanLine>,
}

/// An edge seen from the place.
#[derive(Debug, Clone, Copy)]
struct PlanLine {
    /// From the place to where it starts, and from there to its end.
    away: DVec2,
    along: DVec2,
    /// `away.perp_dot(along)`
    moment: f64,
    id: EdgeId,
}

/// An edge that is shorter than this seen from above, metres, is upright: no line crosses it.
const SHORTEST: f64 = 1e-3;

/// The faces of a wedge look so far up at least, as the sine, if it is open upwards: more than rounding.
const LEVEL: f64 = 1e-9;

/// Edges reach this far over their ends, in parts of their length, so that no line slips between two of them.
const GROWTH: f64 = 1e-6;

/// Rounding of an azimuth must not lose an edge, radians.
const SECTOR_GROWTH: f64 = 1e-9;

impl Plan {
    /// Of the plan of `scene` around `centre`.
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
                // A wedge that is closed upwards, as the bottom of a valley is, is no corner from above.
                let rise = edge.outward.z.max(edge.second_outward.z);
                let is_met = along.length() > SHORTEST && (!edge.is_wedge() || rise > LEVEL);
                is_met.then(|| (centre.length_squared(), line))
            })
            .collect();
        // Profiles come out nearly in order.
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
        // By sector, in each in the order of the lines.
        pairs.sort_by_key(|&(sector, _)| sector);
        plan.listed = pairs.iter().map(|&(_, number)| lines[number].1).collect();
        plan
    }

    /// The sectors that a line reaches into.
    fn visit_sectors(&self, line: &PlanLine, mut visit: impl FnMut(usize)) {
        let grown = GROWTH * line.along;
        let ends = [line.away - grown, line.away + line.along + grown];
        let first = ends[0].to_angle();
        let turn = ends[0].angle_to(ends[1]);
        let (low, high) = (first.min(first + turn), first.max(first + turn));
        // Over the place itself any sector may be met.
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

    /// How many sectors there are.
    pub(super) fn num_sectors(&self) -> usize {
        self.num_sectors
    }

    /// The sector that a direction in plan lies in.
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

    /// The unit vector in plan along the centre of a sector.
    pub(super) fn centre(&self, sector: usize) -> DVec2 {
        DVec2::from_angle(TAU * (sector as f64 + 0.5) / self.num_sectors as f64)
    }

    /// The corners of the profile strictly between the place and `away` from it in plan, which lies in `sector`, by their distance.
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
            // Both in parts of the slant, whose sign tells the way that the line goes.
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
            // Nearly in order already: few steps back.
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

/// Where the straight line through an edge crosses the upright plane from a place along the unit vector `ahead`, distance and height;
/// not finite if they are parallel.
pub(super) fn crossing([a, b]: [DVec3; 2], from: DVec2, ahead: DVec2) -> DVec2 {
    let (away, along) = (a.truncate() - from, (b - a).truncate());
    let slant = ahead.perp_dot(along);
    let u = away.perp_dot(ahead) / slant;
    DVec2::new(away.perp_dot(along) / slant, a.z + u * (b.z - a.z))
}
