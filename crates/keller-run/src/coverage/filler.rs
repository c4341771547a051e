//! Which engine fills the cells of a coverage, and what it gives for a part of them.

use std::ops::Range;

use bytesize::ByteSize;
use keller::antenna::Antenna;
use keller::coverage::points::Points;
use keller::coverage::rooftops::Rooftops;
use keller::coverage::tubes::Tubes;
use keller::{Control, Tx};
use keller_io::coverage::{Figures, rows};

/// Cells that the paths are found for at a time: what a Tx sees is looked for once for all of them, and this is what stopping may cost.
const POINTS_AT_ONCE: usize = 1 << 15;

/// Who fills, and with what.
#[derive(Debug)]
pub(super) struct Filler {
    pub(super) engine: Filling,
    pub(super) figures: Figures,
}

#[derive(Debug)]
pub(super) enum Filling {
    Points(Box<Points>),
    Tubes {
        tubes: Box<Tubes>,
        /// Chains of edges over the rooftops beside them, if they are asked for.
        rooftops: Option<Box<Rooftops>>,
    },
}

impl Filler {
    pub(super) fn ground(&self) -> &[f64] {
        match &self.engine {
            Filling::Points(points) => points.ground(),
            Filling::Tubes { tubes, .. } => tubes.ground(),
        }
    }

    pub(super) fn num_cells(&self) -> usize {
        match &self.engine {
            Filling::Points(points) => points.region().num_cells(),
            Filling::Tubes { tubes, .. } => tubes.region().num_cells(),
        }
    }

    /// A part of each of [`rows_of`] these Tx, which are a [group](Self::groups).
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
            };
            return Ok(Box::new(rows(multipath?)));
        }
        let gains = match &self.engine {
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

    /// Which Tx are filled together: tubes trace all at one place once. Memory and blocks do not decide it, for they change no byte.
    pub(super) fn groups(&self, tx: &[Tx]) -> Vec<Vec<usize>> {
        let is_shared = match &self.engine {
            Filling::Tubes { tubes, .. } => !tubes.scatters() && self.figures != Figures::Multipath,
            Filling::Points(_) => false,
        };
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

    /// What takes the memory, in words.
    pub(super) fn takes_memory(&self) -> String {
        /// At least, of the tubes of all directions, which are as narrow as a column is wide.
        const COLUMN_BYTES: u64 = 300;
        match &self.engine {
            Filling::Points(_) => "blocks of cells and the paths to them".to_owned(),
            Filling::Tubes { tubes, .. } => {
                let [nx, ny, _] = tubes.region().shape();
                let bytes = ByteSize(COLUMN_BYTES * (nx * ny) as u64);
                format!("tubes over {nx} x {ny} columns, which take {bytes} or more at once")
            }
        }
    }

    /// The largest block where so many cells may be held.
    pub(super) fn max_cells(&self, most: usize) -> usize {
        match self.engine {
            Filling::Points(_) => most.min(POINTS_AT_ONCE),
            // Every block costs the tubes of the whole region again.
            Filling::Tubes { .. } => most,
        }
    }
}
