//! The part of a square of a wall that one end illuminates.

use glam::DVec2;

use super::outline::{Outline, Overlap};
use super::shade::{Pass, Passes, Shade, add_pass};
use crate::scene::FaceId;

/// The part of a [`Shade`] that affects a square.
#[derive(Debug, Clone)]
pub(super) struct View<'a> {
    shade: &'a Shade,
    /// Reflecting planes of which no face covers the whole square, each with the faces that cover a part of it.
    planes: Vec<(usize, Vec<u32>)>,
    shadows: Vec<u32>,
    /// Walls through which the whole square is seen.
    passed: Passes,
}

/// A part of a wall that is illuminated in one way.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub(super) outline: Outline,
    pub(super) face: FaceId,
    /// Walls passed on the way from each end.
    pub(super) passed: [Passes; 2],
}

impl<'a> View<'a> {
    pub(super) fn new(shade: &'a Shade) -> Self {
        let all = |count: usize| (0..u32::try_from(count).unwrap_or(u32::MAX)).collect();
        let planes = shade.planes.iter().enumerate();
        Self {
            shade,
            planes: planes.map(|(m, faces)| (m, all(faces.len()))).collect(),
            shadows: all(shade.shadows.len()),
            passed: shade.passed.clone(),
        }
    }

    /// Number of outlines that cross the square.
    pub(super) fn num_outlines(&self) -> usize {
        let faces: usize = self.planes.iter().map(|(_, faces)| faces.len()).sum();
        faces + self.shadows.len()
    }

    /// Number of walls through which the whole square is seen, from both ends together.
    pub(super) fn num_passed(views: &[Self; 2]) -> usize {
        views.iter().map(|view| view.passed.len()).sum()
    }

    /// The view of a smaller square; `None` where it is not illuminated, or only through more than `max_walls` walls.
    pub(super) fn within(&self, low: DVec2, high: DVec2, max_walls: usize) -> Option<Self> {
        let mut view = Self {
            shade: self.shade,
            planes: Vec::new(),
            shadows: Vec::with_capacity(self.shadows.len()),
            passed: self.passed.clone(),
        };
        for (plane, faces) in &self.planes {
            let mut kept = Vec::with_capacity(faces.len());
            let mut is_whole = false;
            for &face in faces {
                match self.shade.planes[*plane][face as usize].overlap(low, high) {
                    Overlap::None => {}
                    Overlap::Part => kept.push(face),
                    Overlap::Whole => is_whole = true,
                }
            }
            if is_whole {
                continue;
            }
            if kept.is_empty() {
                return None;
            }
            view.planes.push((*plane, kept));
        }
        for &shadow in &self.shadows {
            let (outline, pass) = &self.shade.shadows[shadow as usize];
            match (outline.overlap(low, high), pass) {
                (Overlap::None, _) => {}
                (Overlap::Part, _) => view.shadows.push(shadow),
                (Overlap::Whole, None) => return None,
                (Overlap::Whole, Some(pass)) => {
                    add_pass(&mut view.passed, *pass);
                    if view.passed.len() > max_walls {
                        return None;
                    }
                }
            }
        }
        (view.passed.len() <= max_walls).then_some(view)
    }

    /// Cuts pieces of the square down to their illuminated parts. `end` is the number of this end.
    pub(super) fn light(&self, pieces: &mut Vec<Piece>, end: usize, max_walls: usize) {
        for piece in &mut *pieces {
            piece.passed[end].clone_from(&self.passed);
        }
        let (mut rest, mut others) = (Vec::new(), Vec::new());
        for (plane, faces) in &self.planes {
            let mut illuminated = Vec::new();
            for &face in faces {
                let face = &self.shade.planes[*plane][face as usize];
                for piece in pieces.drain(..) {
                    illuminated.extend(piece.cut(face, &mut rest, &mut others));
                }
                std::mem::swap(pieces, &mut others);
            }
            *pieces = illuminated;
        }
        // Opaque walls cut first: less is then left for the walls that waves pass.
        for passes in [false, true] {
            for &shadow in &self.shadows {
                let (outline, pass) = &self.shade.shadows[shadow as usize];
                if pass.is_some() != passes {
                    continue;
                }
                for piece in pieces.drain(..) {
                    let inside = piece.cut(outline, &mut rest, &mut others);
                    if let Some((mut inside, pass)) = inside.zip(*pass) {
                        add_pass(&mut inside.passed[end], pass);
                        let [before, after] = &inside.passed;
                        if before.len() + after.len() <= max_walls {
                            others.push(inside);
                        }
                    }
                }
                std::mem::swap(pieces, &mut others);
                if pieces.is_empty() {
                    return;
                }
            }
        }
    }
}

impl Piece {
    /// The common properties of all pieces of one patch: their face, and the walls passed from each end.
    pub(super) fn kind(&self) -> (FaceId, [&[Pass]; 2]) {
        (self.face, self.passed.each_ref().map(|passed| &**passed))
    }

    fn cut(self, by: &Outline, rest: &mut Vec<Outline>, others: &mut Vec<Self>) -> Option<Self> {
        rest.clear();
        let Self {
            outline,
            face,
            passed,
        } = self;
        let inside = outline.cut(by, rest);
        let like = |outline| Self {
            outline,
            face,
            passed: passed.clone(),
        };
        others.extend(rest.drain(..).map(like));
        inside.map(like)
    }
}
