//! Found paths as bytes, and the [file](PathFile) of a finished run, to be read again.
//!
//! A block is a Tx, some receivers, which of them have paths at all, the paths that are strong enough, and the power of
//! those that are too weak. Fields are not kept: they follow from the paths, and cost little.

mod file;

pub use file::{PathDigests, PathFile, PathFileWriter};

use std::ops::Range;

use keller::DVec3;
use keller::paths::{Interaction, PatchArea, Path, Vertex};
use keller::scene::{EdgeId, FaceId};

use crate::formats::bytes::{ByteReader, ByteWriter};
use crate::store::Unit;

/// The paths from one Tx to some receivers.
#[derive(Debug, Clone, PartialEq)]
pub struct PathBlock {
    /// Index of the transmitter.
    pub tx: usize,
    /// Indices of the receivers.
    pub rx: Range<usize>,
    /// Whether each of them has a path at all, however weak.
    pub is_reached: Vec<bool>,
    /// The number of `paths` of each of them.
    pub counts: Vec<usize>,
    /// The paths that are strong enough, receiver after receiver. If elements of arrays are traced, a link has the
    /// paths of all their pairs.
    pub paths: Vec<Path>,
    /// The power of the paths of each receiver that are too weak: the sum of their gains, linear, in the units of the
    /// incoherent gain of the link. `None` if no path was left out for its power, or the omitted power is unknown.
    pub omitted: Option<Vec<f64>>,
}

impl PathBlock {
    /// The unit whose result this is.
    pub fn unit(&self) -> Unit {
        Unit {
            family: 0,
            region: 0,
            tx: vec![self.tx],
            range: self.rx.clone(),
        }
    }

    /// The paths of each of the receivers, maybe none.
    pub fn links(&self) -> impl Iterator<Item = (usize, &[Path])> {
        let mut left = &self.paths[..];
        self.rx.clone().zip(&self.counts).map(move |(rx, count)| {
            let (paths, rest) = left.split_at(*count);
            left = rest;
            (rx, paths)
        })
    }

    /// The block as bytes, every number to its last bit.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut writer = ByteWriter::default();
        write(&mut writer, self);
        writer.into_bytes()
    }

    /// The block that [`Self::to_bytes`] wrote; `None` if it is damaged.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut reader = ByteReader::new(bytes);
        read(&mut reader).filter(|_| reader.is_at_end())
    }

    /// Adds the block of the same Tx and the receivers that follow.
    ///
    /// # Panics
    /// If it is another block.
    pub fn append(&mut self, next: Self) {
        assert_eq!(
            (self.tx, self.rx.end),
            (next.tx, next.rx.start),
            "the next block"
        );
        self.rx.end = next.rx.end;
        self.is_reached.extend(next.is_reached);
        self.counts.extend(next.counts);
        self.paths.extend(next.paths);
        // All blocks of a run agree on whether the omitted power is known.
        self.omitted = self
            .omitted
            .take()
            .zip(next.omitted)
            .map(|(mut all, more)| {
                all.extend(more);
                all
            });
    }

    /// Keeps the receivers before `rx`, and returns the block of the others.
    ///
    /// # Panics
    /// If `rx` lies outside the block.
    #[must_use]
    pub fn split_off(&mut self, rx: usize) -> Self {
        let at = rx - self.rx.start;
        let counts = self.counts.split_off(at);
        let num_kept = self.counts.iter().sum();
        let rest = Self {
            tx: self.tx,
            rx: rx..self.rx.end,
            is_reached: self.is_reached.split_off(at),
            counts,
            paths: self.paths.split_off(num_kept),
            omitted: self.omitted.as_mut().map(|omitted| omitted.split_off(at)),
        };
        self.rx.end = rx;
        rest
    }
}

fn write(writer: &mut ByteWriter, block: &PathBlock) {
    for count in [block.tx, block.rx.start, block.rx.end, block.paths.len()] {
        writer.count(count);
    }
    block.is_reached.iter().for_each(|is| writer.flag(*is));
    block.counts.iter().for_each(|count| writer.count(*count));
    writer.flag(block.omitted.is_some());
    writer.reals(block.omitted.as_deref().unwrap_or_default());
    for path in &block.paths {
        writer.count(path.tx);
        writer.count(path.rx);
        writer.reals(&path.tx_position.to_array());
        writer.reals(&path.rx_position.to_array());
        writer.reals(&[path.length]);
        writer.count(path.vertices.len());
        for vertex in &path.vertices {
            let index = vertex.interaction.object_index();
            let (kind, area) = match vertex.interaction {
                Interaction::Reflection(_) => (0, 0.0),
                Interaction::Transmission(_) => (1, 0.0),
                Interaction::Diffraction(_) => (2, 0.0),
                Interaction::Scattering(_, area) => (3, area.square_metres()),
            };
            writer.raw(&[kind]);
            writer.count(index);
            if kind == 3 {
                writer.reals(&[area]);
            }
            writer.reals(&vertex.point.to_array());
        }
    }
}

fn read(reader: &mut ByteReader) -> Option<PathBlock> {
    let (tx, start, end) = (reader.count()?, reader.count()?, reader.count()?);
    let num_paths = reader.count()?;
    if start > end {
        return None;
    }
    let is_reached = (start..end).map(|_| reader.flag()).collect::<Option<_>>()?;
    let counts: Vec<usize> = (start..end)
        .map(|_| reader.count())
        .collect::<Option<_>>()?;
    let omitted = if reader.flag()? {
        let gains = (start..end).map(|_| reader.reals().map(|[gain]| gain));
        Some(gains.collect::<Option<Vec<f64>>>()?)
    } else {
        None
    };
    let paths = (0..num_paths)
        .map(|_| read_path(reader))
        .collect::<Option<Vec<_>>>()?;
    let mut counted = counts.iter();
    if counted.try_fold(0_usize, |sum, count| sum.checked_add(*count)) != Some(num_paths) {
        return None;
    }
    Some(PathBlock {
        tx,
        rx: start..end,
        is_reached,
        counts,
        paths,
        omitted,
    })
}

fn read_path(reader: &mut ByteReader) -> Option<Path> {
    let (tx, rx) = (reader.count()?, reader.count()?);
    let (tx_position, rx_position) = (point(reader)?, point(reader)?);
    let [length] = reader.finite()?;
    let count = reader.count()?;
    Some(Path {
        tx,
        rx,
        tx_position,
        rx_position,
        vertices: (0..count)
            .map(|_| read_vertex(reader))
            .collect::<Option<_>>()?,
        length,
    })
}

fn read_vertex(reader: &mut ByteReader) -> Option<Vertex> {
    let kind = reader.take(1)?[0];
    // Scenes number their parts in 32 bits.
    let index = reader
        .count()
        .filter(|index| u32::try_from(*index).is_ok())?;
    let interaction = match kind {
        0 => Interaction::Reflection(FaceId::from_index(index)),
        1 => Interaction::Transmission(FaceId::from_index(index)),
        2 => Interaction::Diffraction(EdgeId::from_index(index)),
        3 => {
            let [area] = reader.finite().filter(|[area]| *area > 0.0)?;
            let area = PatchArea::from_square_metres(area);
            Interaction::Scattering(FaceId::from_index(index), area)
        }
        _ => return None,
    };
    Some(Vertex {
        interaction,
        point: point(reader)?,
    })
}

fn point(reader: &mut ByteReader) -> Option<DVec3> {
    reader.finite().map(DVec3::from_array)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(tx: usize) -> PathBlock {
        let vertex = |interaction, x| Vertex {
            interaction,
            point: DVec3::new(x, 1.0 / 3.0, -0.0),
        };
        let area = PatchArea::from_square_metres(0.1);
        PathBlock {
            tx,
            rx: 3..5,
            is_reached: vec![true, false],
            counts: vec![1, 0],
            paths: vec![Path {
                tx,
                rx: 3,
                tx_position: DVec3::splat(0.1),
                rx_position: DVec3::splat(7.7),
                vertices: vec![
                    vertex(Interaction::Reflection(FaceId::from_index(4)), 1.0),
                    vertex(Interaction::Transmission(FaceId::from_index(5)), 2.0),
                    vertex(Interaction::Diffraction(EdgeId::from_index(6)), 3.0),
                    vertex(Interaction::Scattering(FaceId::from_index(7), area), 4.0),
                ],
                length: 1e3 / 7.0,
            }],
            omitted: (tx > 0).then(|| vec![1e-12 / 3.0, 0.0]),
        }
    }

    /// Numbers that no scene has, points that are not finite, and counts that do not fit.
    #[test]
    fn blocks_that_make_no_sense_are_damage() {
        let whole = block(1).to_bytes();
        assert_eq!(PathBlock::from_bytes(&whole), Some(block(1)));
        let mut long = whole.clone();
        long.push(0);
        assert_eq!(PathBlock::from_bytes(&long), None, "too long");
        // The counts of the head, of the paths of each receiver, of points, and of a path's interactions.
        let huge = [1 << 32, 1 << 40, u64::MAX].map(u64::to_le_bytes);
        let mut refused = 0;
        for place in 0..whole.len() - 8 {
            for value in huge
                .into_iter()
                .chain([f64::NAN, f64::INFINITY].map(f64::to_le_bytes))
            {
                let mut changed = whole.clone();
                changed[place..place + 8].copy_from_slice(&value);
                let Some(read) = PathBlock::from_bytes(&changed) else {
                    refused += 1;
                    continue;
                };
                assert_eq!(read.counts.iter().sum::<usize>(), read.paths.len());
                for path in &read.paths {
                    let points = path.vertices.iter().map(|vertex| vertex.point);
                    assert!(points.chain([path.tx_position]).all(DVec3::is_finite));
                }
            }
        }
        assert!(refused > whole.len(), "{refused} of {}", 5 * whole.len());
    }
}
