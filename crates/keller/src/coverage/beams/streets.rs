//! Waves around corners, from street to street.
//!
//! Each corner that the transmitter sees and around which its waves go on is a source: its beam consists of the cells
//! that it sees and the transmitter does not. The corners in that beam are sources again, up to the largest number of
//! diffractions. A path has the length of its sides in plan, and falls evenly from the transmitter to the plane.
//!
//! # Source
//! T. Rick and T. Kuhlen, 2010, section 5.3, equations (5) to (10). Only the previous one of the earlier beams is taken
//! out.

#![allow(
    clippy::inline_always,
    reason = "vector code must end up inside the functions that are compiled for it"
)]

use glam::DVec2;
use pulp::Arch;

use super::approximate::{acos, exp2};
use super::corners::Corners;
use super::departure::Departure;
use super::loss::{Bends, Combination, Losses, power};
use super::mask::Mask;
use super::raster::Raster;

/// The plane, and the data that all beams in it share.
#[derive(Debug, Clone, Copy)]
pub(super) struct Streets<'a> {
    pub(super) corners: &'a Corners,
    pub(super) raster: &'a Raster,
    pub(super) losses: &'a Losses,
    pub(super) combination: Combination,
    /// The most corners in a row.
    pub(super) max_bends: usize,
    /// Wavelength over 4 pi, squared, m².
    pub(super) at_a_metre: f64,
    /// Weaker paths are not followed, linear.
    pub(super) min_gain: f64,
}

/// The view of the transmitter.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sender<'a> {
    /// The position of the transmitter, metres.
    pub(super) place: DVec2,
    /// The height over the plane, metres.
    pub(super) rise: f64,
    pub(super) departure: &'a Departure,
    /// The visible cells.
    pub(super) visibility: &'a Mask,
    /// The visible corners, rising.
    pub(super) corners: &'a [u32],
}

/// A wave at a corner.
#[derive(Debug, Clone, Copy)]
pub(super) struct Beam {
    corner: u32,
    /// The corner before; none behind the transmitter.
    before: Option<u32>,
    /// The length from the transmitter to the corner in plan, metres.
    pub(super) length: f64,
    /// The diffractions before this corner.
    pub(super) bends: Bends,
    /// The direction in which the wave comes, a unit vector.
    pub(super) direction: DVec2,
    /// The direction in which it left the transmitter, a unit vector.
    pub(super) departure: DVec2,
}

/// The masks of corners, found when they are needed.
#[derive(Debug, Default)]
pub(super) struct Masks {
    of_corner: Vec<Option<Mask>>,
    used: Vec<u32>,
    spare: Vec<Mask>,
    visible: VisibleCells,
}

/// The cells of a beam, one behind the other.
#[derive(Debug, Default)]
struct VisibleCells {
    cells: Vec<u32>,
    /// The displacements from the corner, metres.
    dx: Vec<f32>,
    dy: Vec<f32>,
    gains: Vec<f32>,
}

impl Masks {
    fn clear(&mut self, num_corners: usize) {
        for corner in self.used.drain(..) {
            self.spare.extend(self.of_corner[corner as usize].take());
        }
        self.of_corner.resize_with(num_corners, || None);
    }

    fn find(&mut self, corner: u32, streets: &Streets<'_>) {
        let slot = &mut self.of_corner[corner as usize];
        if slot.is_none() {
            let mut mask = self.spare.pop().unwrap_or_default();
            mask.fill(streets.raster, streets.corners.outline(corner));
            *slot = Some(mask);
            self.used.push(corner);
        }
    }

    fn get(&self, corner: u32) -> &Mask {
        self.of_corner[corner as usize]
            .as_ref()
            .expect("found before")
    }
}

impl Streets<'_> {
    /// Adds the waves of a transmitter to linear gains, which lie by columns.
    pub(super) fn fill(&self, sender: &Sender<'_>, masks: &mut Masks, gains: &mut [f32]) {
        self.each_beam(sender, masks, |beam, masks| {
            self.light(sender, beam, masks, gains);
        });
    }

    /// Calls `visit` with the waves of a transmitter at every corner.
    fn each_beam(
        &self,
        sender: &Sender<'_>,
        masks: &mut Masks,
        mut visit: impl FnMut(&Beam, &mut Masks),
    ) {
        masks.clear(self.corners.all.len());
        let mut beams: Vec<Beam> = Vec::new();
        for &corner in sender.corners {
            let at = self.corners.all[corner as usize];
            let away = at.place - sender.place;
            if !at.diffracts(sender.place) || away == DVec2::ZERO {
                continue;
            }
            let direction = away.normalize();
            beams.push(Beam {
                corner,
                before: None,
                length: away.length(),
                bends: Bends::default(),
                direction,
                departure: direction,
            });
        }
        for diffraction in 1..=self.max_bends {
            beams.retain(|beam| {
                let best = self.at_a_metre / (beam.length * beam.length);
                best * power(self.losses.street(beam.bends.and(0.0))) >= self.min_gain
            });
            for beam in &beams {
                masks.find(beam.corner, self);
                visit(beam, masks);
            }
            if diffraction < self.max_bends {
                beams = beams
                    .iter()
                    .flat_map(|beam| self.go_on(sender, beam))
                    .collect();
            }
        }
    }

    /// The waves around the corners in a beam.
    fn go_on<'b>(
        &'b self,
        sender: &'b Sender<'b>,
        beam: &'b Beam,
    ) -> impl Iterator<Item = Beam> + 'b {
        let here = self.corners.all[beam.corner as usize].place;
        let next = self.corners.next(beam.corner).iter().copied();
        let hidden = next.filter(|next| match beam.before {
            None => sender.corners.binary_search(next).is_err(),
            Some(before) => before != *next && !self.corners.sees(before, *next),
        });
        hidden.filter_map(move |next| {
            let away = self.corners.all[next as usize].place - here;
            let direction = away.try_normalize()?;
            let angle = beam.direction.angle_to(direction).abs();
            Some(Beam {
                corner: next,
                before: Some(beam.corner),
                length: beam.length + away.length(),
                bends: beam.bends.and(angle),
                direction,
                departure: beam.departure,
            })
        })
    }

    /// Calls `visit` with the waves at every corner and the cells of their beams: the number by columns, and where it lies
    /// from the corner, metres.
    pub(super) fn each_cell(
        &self,
        sender: &Sender<'_>,
        masks: &mut Masks,
        mut visit: impl FnMut(&Beam, usize, DVec2),
    ) {
        let num_rows = self.raster.count[1];
        self.each_beam(sender, masks, |beam, masks| {
            let before = beam
                .before
                .map_or(sender.visibility, |corner| masks.get(corner));
            let place = self.corners.all[beam.corner as usize].place;
            masks.get(beam.corner).each_word(|column, word, bits| {
                let mut bits = bits & !before.word(column, word);
                while bits != 0 {
                    let row = 64 * word + bits.trailing_zeros() as usize;
                    bits &= bits - 1;
                    let away = self.raster.centre(column, row) - place;
                    visit(beam, column * num_rows + row, away);
                }
            });
        });
    }

    /// Adds a wave to the cells of its beam.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "single precision is enough for a gain"
    )]
    fn light(&self, sender: &Sender<'_>, beam: &Beam, masks: &mut Masks, gains: &mut [f32]) {
        let mut visible = std::mem::take(&mut masks.visible);
        visible.cells.clear();
        visible.dx.clear();
        visible.dy.clear();
        let lamp = Lamp::new(self, sender, beam);
        let before = beam
            .before
            .map_or(sender.visibility, |corner| masks.get(corner));
        let num_rows = self.raster.count[1];
        let step = self.raster.resolution.y as f32;
        masks.get(beam.corner).each_word(|column, word, bits| {
            let mut bits = bits & !before.word(column, word);
            let first = self.raster.centre(column, 64 * word) - lamp.place;
            let [dx, dy] = [first.x as f32, first.y as f32];
            let cell = (column * num_rows + 64 * word) as u32;
            while bits != 0 {
                let row = bits.trailing_zeros();
                bits &= bits - 1;
                visible.cells.push(cell + row);
                visible.dx.push(dx);
                visible.dy.push(dy + row as f32 * step);
            }
        });
        lamp.gains(&visible.dx, &visible.dy, &mut visible.gains);
        match sender.departure {
            Departure::Isotropic(of_tx) => {
                visible
                    .gains
                    .iter_mut()
                    .for_each(|gain| *gain *= *of_tx as f32);
            }
            table @ Departure::Table(..) => {
                for ((gain, dx), dy) in visible.gains.iter_mut().zip(&visible.dx).zip(&visible.dy) {
                    let length = beam.length + f64::from(dx.hypot(*dy));
                    *gain *= table.gain(length * beam.departure, -sender.rise) as f32;
                }
            }
        }
        for (cell, gain) in visible.cells.iter().zip(&visible.gains) {
            let known = &mut gains[*cell as usize];
            *known = self.combination.of(*known, *gain);
        }
        masks.visible = visible;
    }
}

/// A corner as a source, in single precision.
struct Lamp {
    place: DVec2,
    direction: [f32; 2],
    length: f32,
    /// The squared rise of the transmitter, m².
    rise: f32,
    /// The gain of free space at a metre and of the diffractions before, linear.
    gain: f32,
    /// The loss of the diffraction here, as powers of two.
    diffraction: [f32; 3],
}

impl Lamp {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "single precision is enough for a gain"
    )]
    fn new(streets: &Streets<'_>, sender: &Sender<'_>, beam: &Beam) -> Self {
        let of_db = std::f64::consts::LOG2_10 / 10.0;
        Self {
            place: streets.corners.all[beam.corner as usize].place,
            direction: [beam.direction.x as f32, beam.direction.y as f32],
            length: beam.length as f32,
            rise: (sender.rise * sender.rise) as f32,
            gain: (streets.at_a_metre * power(streets.losses.street(beam.bends))) as f32,
            diffraction: streets.losses.street_bend.map(|c| (-c * of_db) as f32),
        }
    }

    /// The linear gains at places, metres from the corner.
    fn gains(&self, dx: &[f32], dy: &[f32], gains: &mut Vec<f32>) {
        gains.resize(dx.len(), 0.0);
        Arch::new().dispatch(|| {
            for ((gain, dx), dy) in gains.iter_mut().zip(dx).zip(dy) {
                *gain = self.gain(*dx, *dy);
            }
        });
    }

    #[inline(always)]
    fn gain(&self, dx: f32, dy: f32) -> f32 {
        let away = (dx * dx + dy * dy).sqrt().max(1e-3);
        let cosine = (dx * self.direction[0] + dy * self.direction[1]) / away;
        let angle = acos(cosine.clamp(-1.0, 1.0));
        let [a, b, c] = self.diffraction;
        let length = self.length + away;
        self.gain * exp2(a + angle * (b + angle * c)) / (length * length + self.rise)
    }
}
