//! The bundle that leaves an edge: its cells of position and angle that a wave reaches.
//!
//! A stretch of an edge is cut into cells of position along it and of angle around it (`virtual_source`). Tubes start
//! from those cells whose position is visible and whose wave is strong enough to reach a cell of the region. They are
//! uncertain if only a part of the cell is visible.
//!
//! Cost: one wave for each position along the edge, and one diffracted wave for each angle around it. From a later edge:
//! some eleven waves to see whether any reaches the region, then one for each angle.

use super::edge_visibility::EdgePart;
use super::interaction_budget::goes_straight_on;
use crate::coverage::tubes::context::Context;
use crate::coverage::tubes::splitting::passing_by::passes_by;
use crate::coverage::tubes::tube::bundle::{Bundle, Tube, TubeInteraction};
use crate::coverage::tubes::tube::direction_cells::{DEEPEST, DirectionCell};
use crate::coverage::tubes::tube::edge_image::EdgeImage;
use crate::coverage::tubes::tube::gain_by_distance::GainByDistance;
use crate::coverage::tubes::tube::uncertain_segments::UncertainSegments;
use crate::coverage::tubes::tube::virtual_source::VirtualSource;
use crate::coverage::tubes::waves::route::WaveAtEdge;
use crate::coverage::tubes::waves::transport;

/// The number of directions around an edge in which its reach is probed.
const PROBES: u32 = 8;

/// The factor by which a tube behind several edges may be stronger than at the places that were looked at.
const MARGIN: f64 = 4.0;

/// The largest number of splits of a tube from a later edge. Where edges pass close by each other, the wave of one fans
/// out behind the other, and tubes of the usual width would be thousands.
const SPLITS: u32 = 3;

/// Tubes start from cells of this level at least.
const MIN_LEVEL: u32 = 3;

/// The cells that leave an edge at one place of it.
struct Column<'a, 'i> {
    number: u32,
    uncertain: UncertainSegments,
    at_edge: WaveAtEdge<'a, 'i>,
    /// The power of the wave before diffraction.
    power: f64,
}

/// The tubes that leave a stretch of an edge, of which these parts are visible; none if all are too weak.
pub(in crate::coverage::tubes) fn diffracted(
    ctx: &Context<'_>,
    bundle: &Bundle,
    parts: &[EdgePart],
) -> Option<Bundle> {
    let EdgePart { edge: id, span, .. } = *parts.first()?;
    let span = ctx.edge_spans.of(id)[span as usize];
    let light = bundle.source.light();
    let source = EdgeImage::new(id, &ctx.scene.edges()[id.index()], span, &light);
    let mut behind_edge = Bundle {
        source: VirtualSource::Edge(source.clone()),
        start: None,
        ..bundle.without_tubes()
    };
    behind_edge.push(TubeInteraction::Edge(id));
    let range = [0.0, source.farthest_of(ctx.grid.bounds())];
    let (reach, probes) = if behind_edge.counts.diffractions == 1 {
        (probed_reach(ctx, &behind_edge, &source, range), Vec::new())
    } else {
        let probes = probes(ctx, &behind_edge, &source, parts, range[1]);
        let reaches = probes.iter().map(|(_, gain)| gain.reach(ctx.min_gain));
        let reach = reaches.fold(0.0, f64::max);
        if reach <= source.distance_to(ctx.grid.bounds()) {
            return None;
        }
        (reach, probes)
    };
    let reach = reach.min(range[1]);
    let (source, times) = source.stretched(0.5 * reach);
    behind_edge.source = VirtualSource::Edge(source.clone());
    let ends = ctx.scene.edges()[id.index()].ends;
    let cell_size = ctx.sizes.within(ends[0].min(ends[1]), ends[0].max(ends[1]));
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "1 to 4"
    )]
    let along = (source.length() / cell_size).log2().ceil().clamp(
        1.0,
        if behind_edge.counts.diffractions == 1 {
            4.0
        } else {
            2.0
        },
    ) as u32;
    let level = (along + times).max(MIN_LEVEL);
    if behind_edge.counts.diffractions > 1 {
        behind_edge.deepest = (level + SPLITS).min(DEEPEST);
    }
    let columns: Vec<(u32, UncertainSegments)> = (0..1 << level)
        .filter_map(|number| {
            let cell = DirectionCell::of_first(level, [number, 0]);
            let uncertain = uncertain_of(&source, cell, parts, bundle.interactions.len())?;
            Some((number, uncertain))
        })
        .collect();
    let mut tubes = if behind_edge.counts.diffractions == 1 {
        first_tubes(ctx, &behind_edge, &source, level, &columns, range)
    } else {
        later_tubes(
            ctx,
            &behind_edge,
            &source,
            level,
            &columns,
            &probes,
            range[1],
        )
    };
    tubes.sort_unstable_by_key(|tube| tube.directions.cell.place());
    behind_edge.tubes = tubes;
    (!behind_edge.tubes.is_empty()).then_some(behind_edge)
}

/// The reach of the strongest of some waves from the middle of a stretch, metres.
fn probed_reach(
    ctx: &Context<'_>,
    behind_edge: &Bundle,
    source: &EdgeImage,
    range: [f64; 2],
) -> f64 {
    let middle = transport::wave_at_edge(ctx, behind_edge, source, 0.5 * source.length());
    let reach = |phi| {
        let (_, path_gain) = transport::diffracted_wave(ctx, behind_edge, &middle, phi, range);
        path_gain.reach(ctx.min_gain)
    };
    probe_angles(source).map(reach).fold(0.0, f64::max)
}

/// Angles all around an edge, radians.
fn probe_angles(source: &EdgeImage) -> impl Iterator<Item = f64> {
    let step = source.open() / f64::from(PROBES);
    (0..PROBES).map(move |k| (f64::from(k) + 0.5) * step)
}

/// Waves from the middle of the visible part of a later edge: their angles around it, radians, and their gains.
fn probes(
    ctx: &Context<'_>,
    behind_edge: &Bundle,
    source: &EdgeImage,
    parts: &[EdgePart],
    far: f64,
) -> Vec<(f64, GainByDistance)> {
    let [from, to] = parts[parts.len() / 2].range;
    let s = 0.5 * (from + to);
    // The strongest waves go straight on, or as a face would reflect them.
    let angles = probe_angles(source).chain(source.strongest_angles(s));
    let probe = |phi| {
        let gain = gain_far_away(ctx, behind_edge, source, [s, phi], far);
        (phi, gain.times(MARGIN))
    };
    angles.map(probe).collect()
}

/// The gain of a wave from the last of several edges, as if it spread at all distances as it does far away.
fn gain_far_away(
    ctx: &Context<'_>,
    behind_edge: &Bundle,
    source: &EdgeImage,
    place: [f64; 2],
    far: f64,
) -> GainByDistance {
    let behind = source.arrival(place[0]).behind;
    let wave = transport::wave_behind_several(ctx, behind_edge, source, place, far, true);
    let spreading = GainByDistance::spreading_of_edge(behind, far);
    GainByDistance::flat(behind, transport::power(ctx, &wave) / spreading)
}

/// Tubes from these columns of an edge that an image of the Tx lights.
fn first_tubes(
    ctx: &Context<'_>,
    behind_edge: &Bundle,
    source: &EdgeImage,
    level: u32,
    columns: &[(u32, UncertainSegments)],
    range: [f64; 2],
) -> Vec<Tube> {
    let columns: Vec<Column<'_, '_>> = columns
        .iter()
        .map(|&(number, uncertain)| {
            let cell = DirectionCell::of_first(level, [number, 0]);
            let [s, _] = source.place(cell.corners()[0]);
            let at_edge = transport::wave_at_edge(ctx, behind_edge, source, s);
            Column {
                number,
                uncertain,
                at_edge,
                power: transport::power(ctx, at_edge.wave()),
            }
        })
        .collect();
    // The wave changes little but its size along the stretch. So one place of it stands for all angles: the strongest,
    // because an antenna may have a null towards others.
    let strongest = columns.iter().max_by(|a, b| a.power.total_cmp(&b.power));
    let Some(strongest) = strongest.filter(|column| column.power > 0.0) else {
        return Vec::new();
    };
    let rows: Vec<GainByDistance> = (0..1 << level)
        .map(|row| {
            let [_, phi] = source.place(DirectionCell::of_first(level, [0, row]).corners()[0]);
            transport::diffracted_wave(ctx, behind_edge, &strongest.at_edge, phi, range).1
        })
        .collect();
    let starts = TubeStarts::new(ctx, behind_edge, source);
    let mut tubes: Vec<Tube> = Vec::new();
    for column in &columns {
        let behind = column.at_edge.behind();
        // The power behind an edge falls with the square of the sine of the angle to the edge.
        let sines = behind / strongest.at_edge.behind();
        let factor = column.power / strongest.power * sines * sines;
        for (row, path_gain) in (0..).zip(&rows) {
            let path_gain = path_gain.moved(behind, factor);
            let cell = DirectionCell::of_first(level, [column.number, row]);
            tubes.extend(starts.tube(cell, path_gain, column.uncertain));
        }
    }
    tubes
}

/// Tubes from these columns of an edge that another edge lights, where a probe next to their angle is strong enough. The
/// place in the middle stands for all.
fn later_tubes(
    ctx: &Context<'_>,
    behind_edge: &Bundle,
    source: &EdgeImage,
    level: u32,
    columns: &[(u32, UncertainSegments)],
    probes: &[(f64, GainByDistance)],
    far: f64,
) -> Vec<Tube> {
    let starts = TubeStarts::new(ctx, behind_edge, source);
    let Some((middle, _)) = columns.get(columns.len() / 2) else {
        return Vec::new();
    };
    let spacing = source.open() / f64::from(PROBES);
    let mut tubes = Vec::new();
    for row in 0..1 << level {
        let cell = |column| DirectionCell::of_first(level, [column, row]);
        let place = source.place(cell(*middle).corners()[0]);
        let mut near = probes
            .iter()
            .filter(|(phi, _)| (phi - place[1]).abs() <= spacing);
        if !near.any(|(_, gain)| starts.is_strong(gain)) {
            continue;
        }
        let path_gain = gain_far_away(ctx, behind_edge, source, place, far).times(MARGIN);
        let of_column =
            |(column, uncertain): &(u32, _)| starts.tube(cell(*column), path_gain, *uncertain);
        tubes.extend(columns.iter().filter_map(of_column));
    }
    tubes
}

/// Decides which tubes start at an edge.
struct TubeStarts<'a> {
    ctx: &'a Context<'a>,
    behind_edge: &'a Bundle,
    is_straight: bool,
    /// The distance from the stretch to the region, metres.
    distance: f64,
}

impl<'a> TubeStarts<'a> {
    fn new(ctx: &'a Context<'a>, behind_edge: &'a Bundle, source: &EdgeImage) -> Self {
        Self {
            ctx,
            behind_edge,
            is_straight: goes_straight_on(ctx.limits, behind_edge),
            distance: source
                .distance_to(ctx.grid.bounds())
                .max(0.25 * ctx.sizes.finest()),
        }
    }

    fn is_strong(&self, path_gain: &GainByDistance) -> bool {
        path_gain.reach(self.ctx.min_gain) > self.distance
    }

    fn passes_by(&self, cell: DirectionCell) -> bool {
        self.is_straight && passes_by(self.ctx, &self.behind_edge.source, None, cell)
    }

    /// The tube of a cell, if it may bring anything.
    fn tube(
        &self,
        cell: DirectionCell,
        path_gain: GainByDistance,
        uncertain: UncertainSegments,
    ) -> Option<Tube> {
        let is_strong = self.is_strong(&path_gain);
        (is_strong && !self.passes_by(cell)).then(|| Tube {
            directions: cell.into(),
            uncertain,
            path_gain,
            wave: None,
        })
    }
}

/// The uncertain segments of a cell of an edge; none if nothing of the cell is visible.
fn uncertain_of(
    source: &EdgeImage,
    cell: DirectionCell,
    parts: &[EdgePart],
    segment: usize,
) -> Option<UncertainSegments> {
    /// Margin for rounding, in parts of a cell.
    const NOTHING: f64 = 1e-6;
    let [low, high] = source.range_of(cell);
    let overlaps = parts.iter().filter_map(|part| {
        let length = part.range[1].min(high) - part.range[0].max(low);
        (length > 0.0).then_some((length, part.uncertain))
    });
    let (mut seen, mut uncertain) = (0.0, UncertainSegments::default());
    for (length, more) in overlaps {
        seen += length;
        uncertain = uncertain.union(more);
    }
    let whole = high - low;
    if seen <= NOTHING * whole {
        None
    } else if seen < (1.0 - NOTHING) * whole {
        Some(uncertain.with(segment))
    } else {
        Some(uncertain)
    }
}
