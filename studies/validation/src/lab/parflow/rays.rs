//! The field of a line source by keller's paths.
//!
//! In the plane across endless prisms, paths are those of the prisms in space. A point source loses 1 / L on a way of length L
//! where a line loses 1 / sqrt(L), and at vertical edges both lose the same; so a path's coefficient times the square root of its
//! unfolded length is its share of the line's field, for any number of reflections and diffractions.

use std::f64::consts::{FRAC_PI_4, PI, TAU};

use anyhow::Result;
use keller::field::PathField;
use keller::paths::{Devices, InteractionKind, Limits, PathFinder, Search};
use keller::{Complex64, Control, DVec3};
use rayon::prelude::*;

use super::places::Place;

/// The largest number of edges on a path.
pub(super) const CORNERS: usize = 2;

/// Receivers whose paths are found together.
const AT_ONCE: usize = 500;

/// A detour by an edge shorter than this, wavelengths, is near a border of its shadow.
const NEAR: f64 = 0.5;

/// The way in which a receiver is reached. The last that holds is that of a patch of receivers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reach {
    Sight,
    Walls,
    OneCorner,
    TwoCorners,
    /// A place near the border of the shadow of an edge, visible or not.
    Border,
    /// A place without a path.
    Nothing,
}

impl Reach {
    pub(super) const ALL: [Self; 6] = [
        Self::Sight,
        Self::Walls,
        Self::Border,
        Self::OneCorner,
        Self::TwoCorners,
        Self::Nothing,
    ];

    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Sight => "in sight",
            Self::Walls => "by walls only",
            Self::Border => "at a border of sight",
            Self::OneCorner => "around one corner",
            Self::TwoCorners => "around two",
            Self::Nothing => "not reached",
        }
    }
}

/// The field that paths bring to a receiver.
#[derive(Debug, Clone)]
pub(super) struct Received {
    pub(super) reach: Reach,
    /// The fields by the number of edges, then of reflections.
    parts: Vec<Vec<Complex64>>,
}

impl Received {
    /// The sum of the fields of paths with at most so many edges and reflections.
    pub(super) fn field(&self, corners: usize, reflections: usize) -> Complex64 {
        let parts = self.parts.iter().take(corners + 1);
        parts
            .flat_map(|parts| parts.iter().take(reflections + 1))
            .sum()
    }
}

/// The fields that paths bring to the receivers of a place, and the number of paths.
pub(super) fn received(place: &Place) -> Result<(Vec<Option<Received>>, usize)> {
    let world = place.world()?;
    let limits = Limits {
        max_interactions: place.reflections.max(CORNERS),
        max_reflections: place.reflections,
        max_diffractions: CORNERS,
        ..Limits::default()
    };
    let control = Control::default();
    let finder = PathFinder::new(&world, &limits, Search::Complete, &control)?;
    let tx = Devices::tx(world.scene(), [place.source_position().extend(0.0)])?;
    let from = finder.views_from(&tx, 0, &control)?;
    let nodes = place.receivers();
    let mut all: Vec<Option<Received>> = nodes
        .iter()
        .map(|node| {
            node.map(|_| Received {
                reach: Reach::Nothing,
                parts: vec![vec![Complex64::ZERO; limits.max_interactions + 1]; CORNERS + 1],
            })
        })
        .collect();
    let used: Vec<usize> = (0..nodes.len()).filter(|k| nodes[*k].is_some()).collect();
    // The unit of a path's share of the field of a line, in the units of the waves.
    let unit = Complex64::from_polar(0.25 * (2.0 / (PI * TAU)).sqrt(), -FRAC_PI_4);
    let mut count = 0;
    for chunk in used.chunks(AT_ONCE) {
        let positions: Vec<DVec3> = chunk
            .iter()
            .filter_map(|k| nodes[*k].map(|node| place.at(node).extend(0.0)))
            .collect();
        let rx = Devices::rx(world.scene(), positions)?;
        let paths = finder.paths(&from, &rx, &control)?;
        count += paths.len();
        let fields: Vec<Complex64> = paths
            .par_iter()
            .map(|path| {
                let field = PathField::new(path, &world);
                2.0 * TAU * path.length.sqrt() * unit * field.coefficient[0][0]
            })
            .collect();
        for (path, field) in paths.iter().zip(fields) {
            let Some(received) = &mut all[chunk[path.rx]] else {
                continue;
            };
            let is_edge = |kind| kind == InteractionKind::Diffraction;
            let edges = path.interactions().filter(|i| is_edge(i.kind())).count();
            let reflections = path.vertices.len() - edges;
            received.parts[edges][reflections] += field;
            let reach = match (edges, reflections) {
                (0, 0) => Reach::Sight,
                (0, _) => Reach::Walls,
                (1, _) => Reach::OneCorner,
                _ => Reach::TwoCorners,
            };
            let detour = path.length - path.tx_position.distance(path.rx_position);
            if edges == 1 && reflections == 0 && detour < NEAR {
                received.reach = Reach::Border;
            } else if received.reach != Reach::Border {
                received.reach = received.reach.min(reach);
            }
        }
    }
    Ok((all, count))
}
