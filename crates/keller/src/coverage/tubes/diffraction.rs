//! The bundle that leaves an edge: its cells of position and angle that a wave reaches.
//!
//! A stretch of an edge is cut into cells of position along it and of angle around it (`virtual_source`). Tubes start
//! from those cells whose position is visible and whose wave is strong enough to reach a cell of the region. They are
//! uncertain if only a part of the cell is visible.
//!
//! Cost: one wave for each position along the edge, and one diffracted wave for each angle around it.

use super::bundle::{Bundle, Tube, TubeInteraction};
use super::context::Context;
use super::direction_cells::DirectionCell;
use super::edge_visibility::EdgePart;
use super::gain_by_distance::GainByDistance;
use super::interaction_budget::goes_straight_on;
use super::passing_by::passes_by;
use super::route::WaveAtEdge;
use super::transport;
use super::uncertain_segments::UncertainSegments;
use super::virtual_source::{EdgeImage, VirtualSource};

/// The number of directions around an edge in which its reach is probed.
const PROBES: u32 = 8;

/// Tubes start from cells of this level at least.
const MIN_LEVEL: u32 = 3;

/// The cells that leave an edge at one place of it.
struct Column<'a, 'i> {
    number: u32,
    uncertain: UncertainSegments,
    at_edge: WaveAtEdge<'a, 'i>,
    /// Of the wave before it is diffracted.
    power: f64,
}

/// The tubes that leave a stretch of an edge, of which these parts are visible; none if all are too weak.
pub(super) fn diffracted(ctx: &Context<'_>, bundle: &Bundle, parts: &[EdgePart]) -> Option<Bundle> {
    let VirtualSource::Point(image) = bundle.source else {
        return None;
    };
    let EdgePart { edge: id, span, .. } = *parts.first()?;
    let span = ctx.edge_spans.of(id)[span as usize];
    let source = EdgeImage::new(id, &ctx.scene.edges()[id.index()], span, image);
    let mut interactions = bundle.interactions.clone();
    interactions.push(TubeInteraction::Edge(id));
    let mut bent = Bundle {
        source: VirtualSource::Edge(source),
        start: None,
        diffractions: 1,
        interactions,
        tubes: Vec::new(),
        ..*bundle
    };
    let [low, high] = ctx.grid.bounds();
    let range = [0.0, low.distance(high)];
    // The reach of the strongest of its waves.
    let middle = transport::wave_at_edge(ctx, &bent, &source, 0.5 * source.length());
    let probes = (0..PROBES).map(|k| {
        let phi = (f64::from(k) + 0.5) / f64::from(PROBES) * source.open();
        let (_, path_gain) = transport::diffracted_wave(ctx, &bent, &middle, phi, range);
        path_gain.reach(ctx.min_gain)
    });
    let reach = probes.fold(0.0, f64::max).min(range[1]);
    let (source, times) = source.stretched(0.5 * reach);
    bent.source = VirtualSource::Edge(source);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "1 to 4"
    )]
    let along = (source.length() / ctx.cell_size)
        .log2()
        .ceil()
        .clamp(1.0, 4.0) as u32;
    let level = (along + times).max(MIN_LEVEL);
    let is_straight = goes_straight_on(ctx.limits, &bent);
    let count = 1_u32 << level;
    let columns: Vec<Column<'_, '_>> = (0..count)
        .filter_map(|number| {
            let cell = DirectionCell::of_first(level, [number, 0]);
            let uncertain = uncertain_of(&source, cell, parts, bundle.interactions.len())?;
            let [s, _] = source.place(cell.corners()[0]);
            let at_edge = transport::wave_at_edge(ctx, &bent, &source, s);
            Some(Column {
                number,
                uncertain,
                at_edge,
                power: transport::power(ctx, at_edge.wave()),
            })
        })
        .collect();
    // Along the stretch hardly more than the size of the wave changes, so one place of it stands for all angles: the
    // strongest, because an antenna may have a null towards others.
    let strongest = columns.iter().max_by(|a, b| a.power.total_cmp(&b.power))?;
    if strongest.power <= 0.0 {
        return None;
    }
    let rows: Vec<GainByDistance> = (0..count)
        .map(|row| {
            let [_, phi] = source.place(DirectionCell::of_first(level, [0, row]).corners()[0]);
            transport::diffracted_wave(ctx, &bent, &strongest.at_edge, phi, range).1
        })
        .collect();
    let mut tubes: Vec<Tube> = Vec::new();
    for column in &columns {
        let behind = column.at_edge.behind();
        // The power behind an edge falls with the square of the sine of the angle to the edge.
        let sines = behind / strongest.at_edge.behind();
        let factor = column.power / strongest.power * sines * sines;
        for (row, path_gain) in (0..).zip(&rows) {
            let path_gain = path_gain.moved(behind, factor);
            let cell = DirectionCell::of_first(level, [column.number, row]);
            let is_weak = path_gain.reach(ctx.min_gain) <= 0.25 * ctx.cell_size;
            if is_weak || is_straight && passes_by(ctx, &bent.source, None, cell) {
                continue;
            }
            tubes.push(Tube {
                directions: cell.into(),
                uncertain: column.uncertain,
                path_gain,
                wave: None,
            });
        }
    }
    tubes.sort_unstable_by_key(|tube| tube.directions.cell.place());
    bent.tubes = tubes;
    (!bent.tubes.is_empty()).then_some(bent)
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
    let [_, low, _, high, _] = cell.corners().map(|corner| source.place(corner)[0]);
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
