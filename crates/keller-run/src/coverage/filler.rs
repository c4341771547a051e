//! Fills some cells of a coverage with the chosen engine.

use std::ops::Range;
use std::sync::Arc;

use bytesize::ByteSize;
use keller::antenna::Antenna;
use keller::coverage::beams::Beams;
use keller::coverage::models::Models;
use keller::coverage::points::Points;
use keller::coverage::rooftops::Rooftops;
use keller::coverage::tubes::Tubes;
use keller::{Control, Tx};
use keller_io::coverage::{Figures, rows};

use crate::observer::Observer;

/// Number of cells for which paths are found at a time. What a Tx sees is found once for all of them. A stop loses at
/// most this work.
const POINTS_AT_ONCE: usize = 1 << 15;

/// Number of Tx whose maps beams fill together: several for each core of most machines, so that few cores wait for the
/// last map. A stop loses at most this work.
const MAPS_AT_ONCE: usize = 32;

/// Bytes that a cell of one level takes while beams fill its map: sight, walls and what arrives, and the cells sorted by
/// direction for waves over roofs. An open town takes 35; the more cells lie behind roofs, the more.
const MAP_CELL_BYTES: u64 = 64;

/// The engine that fills, and the figures that it computes.
#[derive(Debug)]
pub(super) struct Filler {
    pub(super) engine: Filling,
    pub(super) figures: Figures,
}

#[derive(Debug)]
pub(super) enum Filling {
    /// Shared with maps of other positions.
    Beams(Arc<Beams>),
    Models(Box<Models>),
    Points(Box<Points>),
    Tubes {
        tubes: Box<Tubes>,
        /// Chains of edges over the rooftops, if requested.
        rooftops: Option<Box<Rooftops>>,
    },
}

impl Filler {
    pub(super) fn ground(&self) -> &[f64] {
        match &self.engine {
            Filling::Beams(beams) => beams.ground(),
            Filling::Models(models) => models.ground(),
            Filling::Points(points) => points.ground(),
            Filling::Tubes { tubes, .. } => tubes.ground(),
        }
    }

    pub(super) fn num_cells(&self) -> usize {
        match &self.engine {
            Filling::Beams(beams) => beams.region().num_cells(),
            Filling::Models(models) => models.region().num_cells(),
            Filling::Points(points) => points.region().num_cells(),
            Filling::Tubes { tubes, .. } => tubes.region().num_cells(),
        }
    }

    /// The values of some cells for each of the [`rows_of`] these Tx, which are a [group](Self::groups).
    pub(super) fn rows(
        &self,
        tx: &[&Tx],
        cells: Range<usize>,
        control: &Control<'_>,
    ) -> Result<Box<dyn Iterator<Item = Vec<f64>>>, keller::Error> {
        if let ([tx], Figures::Multipath) = (tx, self.figures) {
            let multipath = match &self.engine {
                Filling::Points(points) => points.multipath(tx, cells, control),
                Filling::Tubes { tubes, .. } => tubes.multipath(tx, cells, control),
                Filling::Beams(_) | Filling::Models(_) => {
                    unreachable!("scenarios refuse multipath of beams and models")
                }
            };
            return Ok(Box::new(rows(multipath?)));
        }
        let gains = match &self.engine {
            Filling::Beams(beams) => beams.gains_of_all(tx, cells, control)?,
            Filling::Models(models) => {
                let each = tx.iter();
                let gains = each.map(|tx| models.gains(tx, cells.clone(), control));
                gains.collect::<Result<Vec<_>, _>>()?
            }
            Filling::Points(points) => {
                let each = tx.iter();
                let gains = each.map(|tx| points.gains(tx, cells.clone(), control));
                gains.collect::<Result<Vec<_>, _>>()?
            }
            Filling::Tubes { tubes, rooftops } => {
                let gains = match tx {
                    [tx] => vec![tubes.gains(tx, cells.clone(), control)?],
                    of_place => {
                        let antennas: Vec<Antenna> =
                            of_place.iter().map(|tx| tx.antenna.clone()).collect();
                        let position = of_place[0].position;
                        tubes.gains_of_antennas(position, &antennas, cells.clone(), control)?
                    }
                };
                if let Some(rooftops) = rooftops {
                    let mut rows = Vec::with_capacity(2 * tx.len());
                    for (mut gains, tx) in gains.into_iter().zip(tx) {
                        let chains = rooftops.fill(tx, cells.clone(), control)?;
                        chains.add_to(&mut gains);
                        let number = |is: &bool| f64::from(u8::from(*is));
                        let doubtful = chains.is_doubtful.iter().map(number).collect();
                        rows.extend([gains, doubtful]);
                    }
                    return Ok(Box::new(rows.into_iter()));
                }
                gains
            }
        };
        Ok(Box::new(gains.into_iter()))
    }

    /// The Tx that are filled together: tubes trace all Tx at one place once, beams fill the maps of several Tx at a
    /// time. Grouping does not depend on memory or blocks, so they change no byte of the result. Groups that
    /// [can be split](Self::can_split_groups) may become smaller where memory is scarce.
    pub(super) fn groups(&self, tx: &[Tx]) -> Vec<Vec<usize>> {
        if let Filling::Beams(_) = &self.engine {
            let all: Vec<usize> = (0..tx.len()).collect();
            return all.chunks(MAPS_AT_ONCE).map(<[usize]>::to_vec).collect();
        }
        let is_shared = self.shares_traces();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for (index, sender) in tx.iter().enumerate() {
            let same = groups
                .iter_mut()
                .find(|group| is_shared && tx[group[0]].position == sender.position);
            match same {
                Some(group) => group.push(index),
                None => groups.push(vec![index]),
            }
        }
        groups
    }

    /// Whether one trace serves all Tx at a place. It follows what any of them can bring, so the result of a Tx depends a
    /// little on the others there.
    pub(super) fn shares_traces(&self) -> bool {
        match &self.engine {
            Filling::Tubes { tubes, .. } => !tubes.scatters() && self.figures != Figures::Multipath,
            Filling::Beams(_) | Filling::Models(_) | Filling::Points(_) => false,
        }
    }

    /// Whether a group may be split: the result of a Tx does not depend on the others.
    pub(super) fn can_split_groups(&self) -> bool {
        matches!(self.engine, Filling::Beams(_))
    }

    /// Whether the cost of some cells does not grow with the rest of the region.
    pub(super) fn fills_any_cells(&self) -> bool {
        matches!(self.engine, Filling::Points(_) | Filling::Models(_))
    }

    /// The largest number of Tx of a group that [can be split](Self::can_split_groups), where `memory` bytes may be
    /// held and a cell of the result takes `cell_bytes`. One map at least is filled, however large it is.
    pub(super) fn max_tx(&self, memory: u64, cell_bytes: u64) -> usize {
        let Filling::Beams(beams) = &self.engine else {
            return usize::MAX;
        };
        let [nx, ny, _] = beams.region().shape();
        let of_result = cell_bytes.saturating_mul(self.num_cells() as u64);
        let of_map = MAP_CELL_BYTES.saturating_mul((nx * ny) as u64);
        let most = memory / of_result.saturating_add(of_map).max(1);
        usize::try_from(most).unwrap_or(usize::MAX).max(1)
    }

    /// A description of what takes the memory.
    pub(super) fn takes_memory(&self, observer: &dyn Observer) -> String {
        /// Lower bound for a column, for tubes of all directions as narrow as a column.
        const COLUMN_BYTES: u64 = 300;
        match &self.engine {
            Filling::Models(_) => "blocks of cells".to_owned(),
            Filling::Points(_) => "blocks of cells and the paths to them".to_owned(),
            Filling::Beams(_) => "what every corner of the city sees".to_owned(),
            Filling::Tubes { tubes, .. } => {
                let [nx, ny, _] = tubes.region().shape();
                let columns = format!("tubes over {nx} x {ny} columns");
                match COLUMN_BYTES * (nx * ny) as u64 {
                    least if least > observer.memory_left() => {
                        let least = ByteSize(least);
                        format!("{columns}, which need at least {least} of memory at a time")
                    }
                    _ => columns,
                }
            }
        }
    }

    /// The size of the largest block, where `most` cells may be held.
    pub(super) fn max_cells(&self, most: usize) -> usize {
        match self.engine {
            Filling::Points(_) => most.min(POINTS_AT_ONCE),
            // Every block costs the tubes, or the beams, of the whole region again.
            // A model tells its progress within a block.
            Filling::Tubes { .. } | Filling::Beams(_) | Filling::Models(_) => most,
        }
    }
}
