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
use super::transport;
use super::uncertain_segments::UncertainSegments;
use super::virtual_source::{EdgeImage, VirtualSource};

/// The number of directions around an edge in which its reach is probed.
const PROBES: u32 = 8;

/// Tubes start from cells of this level at least.
const MIN_LEVEL: u32 = 3;

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
    let mut tubes = Vec::new();
    let is_straight = goes_straight_on(ctx.limits, &bent);
    // Of the wave by angle only its size changes much along the stretch.
    let middle = transport::wave_at_edge(ctx, &bent, &source, 0.5 * source.length());
    let mut rows = vec![None; 1 << level];
    let mut columns = vec![None; 1 << level];
    for cell in DirectionCell::all_of_first(level) {
        let Some(uncertain) = uncertain_of(&source, cell, parts, bundle.interactions.len()) else {
            continue;
        };
        if is_straight && passes_by(ctx, &bent.source, None, cell) {
            continue;
        }
        let [s, phi] = source.place(cell.corners()[0]);
        let [column, row] = cell.numbers();
        let path_gain: &GainByDistance = rows[row].get_or_insert_with(|| {
            let (_, path_gain) = transport::diffracted_wave(ctx, &bent, &middle, phi, range);
            path_gain
        });
        let (behind, factor) = columns[column].get_or_insert_with(|| {
            let here = transport::wave_at_edge(ctx, &bent, &source, s);
            let [power, of_middle] = [here, middle].map(|at| transport::power(ctx, at.wave()));
            // The field behind an edge falls with the sine of the angle to the edge.
            let sines = here.behind() / middle.behind();
            (here.behind(), power / of_middle * sines * sines)
        });
        let path_gain = path_gain.moved(*behind, *factor);
        if path_gain.reach(ctx.min_gain) > 0.25 * ctx.cell_size {
            tubes.push(Tube {
                directions: cell.into(),
                uncertain,
                path_gain,
                wave: None,
            });
        }
    }
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
