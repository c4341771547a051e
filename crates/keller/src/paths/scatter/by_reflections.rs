//! Patches that both ends reach by reflections alone. They are exact, because the part that each end illuminates has a
//! closed form.
//!
//! A coarse cell is quartered until a patch's centre represents its square ([`precision`](super::precision)). The part
//! of the wall that both ends illuminate in the square ([`shade`](super::shade)) is one patch for each face and each
//! set of walls passed. The patch has the area and the centre of gravity of just that part. Shadow borders therefore
//! need no small squares, and no sliver is lost.

use glam::{DVec2, DVec3};

use super::cells::{Patch, PatchSquare};
use super::ends::with_root;
use super::meeting::Meeting;
use super::outline::{MIN_AREA, Outline, Overlap, range_of};
use super::precision::Integrand;
use super::shade::{Air, Passes};
use super::view::{Piece, View};
use super::wall_cells::WallCell;
use super::ways::{Way, narrow};
use crate::geometry::tolerance::ON_FACE_DISTANCE;
use crate::paths::PatchArea;
use crate::scene::FaceId;

/// The number of times that a square is quartered if the centre of a patch is not illuminated itself: around a hole, or
/// behind a corner.
const TRIES: u32 = 3;

/// The illuminated part of a face in a square is left out if even this many times its power would be too little for a
/// square.
const MIN_PART: f64 = 10.0;

/// The values that all squares of a coarse cell share for a pair of ways.
struct Task<'a> {
    integrand: Integrand,
    ways: [Way; 2],
    axes: (DVec3, DVec3),
    faces: &'a [(FaceId, Outline)],
    /// The largest number of walls that a path may pass.
    max_walls: usize,
}

/// A square of the coarse cell.
struct Square<'a> {
    cell: PatchSquare,
    /// The faces that reach into it.
    faces: Vec<u32>,
    /// The views from both ends; `None` if the square is too weak for shadow borders to matter. Its centre then decides
    /// whether it is illuminated.
    views: Option<[View<'a>; 2]>,
}

impl<'a> Meeting<'a> {
    /// Adds the patches reached by reflections alone. Few reflections come first, so that the strongest patches are
    /// known early.
    pub(super) fn meet(&mut self) {
        let walls = self.walls;
        let ends = self.ends();
        let roots = ends.map(|end| &end.illuminated.tree.nodes[0]);
        let bound = |wall: &WallCell| {
            let normal = self.job.scene.plane(wall.cell.plane).normal;
            let integrand = Integrand::new(wall.lobe, normal, wall.centre, roots)?;
            Some(integrand.bound(wall.centre, wall.cell.side()))
        };
        let with_bound = |(k, wall)| Some((bound(wall)?, k));
        let mut by_bound: Vec<(f64, usize)> =
            walls.iter().enumerate().filter_map(with_bound).collect();
        by_bound.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        for (_, wall) in by_bound {
            self.meet_at(wall, [0, 0], 0);
        }
        for reflections in 1..=self.max_reflections {
            for (wall, at) in walls.iter().enumerate() {
                let [from_tx, from_rx] = ends.map(|end| end.nodes(&at.cell));
                for tx in with_root(from_tx) {
                    let before = ends[0].illuminated.tree.nodes[tx].depth as usize;
                    if before > reflections {
                        continue;
                    }
                    for rx in with_root(from_rx) {
                        let after = ends[1].illuminated.tree.nodes[rx].depth as usize;
                        if before + after == reflections {
                            self.meet_at(wall, [tx, rx], reflections);
                        }
                    }
                }
            }
        }
    }

    /// Adds the patches of a coarse cell for one node of each end's tree.
    fn meet_at(&mut self, wall: usize, nodes: [usize; 2], reflections: usize) {
        let scene = self.job.scene;
        let at = &self.walls[wall];
        let plane = scene.plane(at.cell.plane);
        let ends = self.ends();
        let of_tree = [0, 1].map(|k| &ends[k].illuminated.tree.nodes[nodes[k]]);
        let Some(integrand) = Integrand::new(at.lobe, plane.normal, at.centre, of_tree) else {
            return;
        };
        let bound = integrand.bound(at.centre, at.cell.side());
        if self.precision.leaves_out(bound, self.total) {
            return;
        }
        let faces = at.faces(self.job, self.pieces);
        let Some(range) = range_of(faces.iter().map(|face| &face.1), at.cell.range()) else {
            return;
        };
        let max_walls = self.job.limits.transmissions_beside(reflections + 1);
        let air = Air {
            walls: self.pieces,
            transparency: self.job.transparency,
            limits: self.job.limits,
        };
        let view = |k: usize| {
            let shade = ends[k].shade(&air, wall, nodes[k], &at.cell, range);
            shade.map(View::new)
        };
        let views = if self.precision.is_faint(bound, self.total) {
            None
        } else {
            let views = view(0).and_then(|from_tx| Some([from_tx, view(1)?]));
            let Some(views) = views.filter(|views| View::num_passed(views) <= max_walls) else {
                return;
            };
            Some(views)
        };
        let task = Task {
            integrand,
            ways: nodes.map(Way::Reflections),
            axes: plane.axes(),
            faces,
            max_walls,
        };
        let square = Square {
            cell: at.cell,
            faces: (0..narrow(faces.len())).collect(),
            views,
        };
        self.quarter(&task, &square, bound);
    }

    /// Makes patches of a square that contributes at most `bound`, quartered as needed.
    fn quarter(&mut self, task: &Task<'a>, square: &Square<'a>, bound: f64) {
        let scene = self.job.scene;
        let precision = self.precision;
        let (centre, side) = (square.cell.centre(scene), square.cell.side());
        let is_weak = precision.is_weak(bound, self.total);
        let is_one = is_weak
            || task
                .integrand
                .is_smooth(centre, side, task.axes, &precision, self.total);
        if !is_one && let Some(quarters) = square.cell.quarters() {
            for cell in quarters {
                let bound = task.integrand.bound(cell.centre(scene), cell.side());
                if precision.leaves_out(bound, self.total) {
                    continue;
                }
                let is_faint = precision.is_faint(bound, self.total);
                if let Some(part) = square.within(cell, task, is_faint) {
                    self.quarter(task, &part, bound);
                }
            }
            return;
        }
        let pieces = square.pieces(task);
        let tries = if is_weak { 0 } else { TRIES };
        self.patches_of(task, square, pieces, tries);
    }

    /// Makes one patch for each face and each set of walls passed.
    fn patches_of(
        &mut self,
        task: &Task<'a>,
        square: &Square<'a>,
        mut pieces: Vec<Piece>,
        tries: u32,
    ) {
        let scene = self.job.scene;
        pieces.sort_by(|a, b| a.kind().cmp(&b.kind()));
        for alike in pieces.chunk_by(|a, b| a.kind() == b.kind()) {
            let (mut area, mut moment) = (0.0, DVec2::ZERO);
            for piece in alike {
                let (part, centre) = piece.outline.area_and_centre();
                area += part;
                moment += part * centre;
            }
            if area < MIN_AREA {
                continue;
            }
            let plane = scene.plane(square.cell.plane);
            let (u, v) = task.axes;
            let on_wall = |at: DVec2| u * at.x + v * at.y + plane.normal * plane.offset;
            let centre = moment / area;
            // Parts of a square may be far weaker than the square.
            let power = task.integrand.at(on_wall(centre)) * area;
            if self.precision.leaves_out(MIN_PART * power, self.total) {
                continue;
            }
            let mut at = centre;
            if !alike
                .iter()
                .any(|piece| piece.outline.holds(centre, ON_FACE_DISTANCE))
            {
                let is_weak = self.precision.is_weak(power, self.total);
                let tries = if is_weak { 0 } else { tries };
                if let Some(quarters) = square.cell.quarters().filter(|_| tries > 0) {
                    for cell in quarters {
                        let Some(part) = square.within(cell, task, false) else {
                            continue;
                        };
                        let mut inside = part.pieces(task);
                        inside.retain(|p| p.kind() == alike[0].kind());
                        self.patches_of(task, &part, inside, tries - 1);
                    }
                    continue;
                }
                let areas = alike.iter().map(|piece| piece.outline.area_and_centre());
                at = areas
                    .max_by(|a, b| a.0.total_cmp(&b.0))
                    .map_or(centre, |a| a.1);
            }
            let point = on_wall(at);
            let patch = Patch {
                face: alike[0].face,
                area: PatchArea::from_square_metres(area),
                centre: point,
            };
            if self.try_patch(&patch, task.ways) {
                self.total += task.integrand.at(point) * area;
            }
        }
    }
}

impl<'a> Square<'a> {
    /// The part of this square in `cell`; `None` if no wall there is illuminated from both ends.
    fn within(&self, cell: PatchSquare, task: &Task<'a>, is_faint: bool) -> Option<Self> {
        let [low, high] = cell.range();
        let outline = |face: &u32| &task.faces[*face as usize].1;
        let reaches = |face: &u32| outline(face).overlap(low, high) != Overlap::None;
        let faces: Vec<u32> = self.faces.iter().copied().filter(reaches).collect();
        let [low, high] = range_of(faces.iter().map(outline), [low, high])?;
        let mut views = None;
        if let Some([from_tx, from_rx]) = &self.views {
            let within = [
                from_tx.within(low, high, task.max_walls)?,
                from_rx.within(low, high, task.max_walls)?,
            ];
            if View::num_passed(&within) > task.max_walls {
                return None;
            }
            views = (!is_faint).then_some(within);
        }
        Some(Self { cell, faces, views })
    }

    /// The parts of the square that both ends illuminate.
    fn pieces(&self, task: &Task) -> Vec<Piece> {
        let [low, high] = self.cell.range();
        let square = Outline::square(low, high);
        let mut pieces = Vec::with_capacity(self.faces.len());
        let mut rest = Vec::new();
        for &face in &self.faces {
            let (face, outline) = &task.faces[face as usize];
            rest.clear();
            let inside = match outline.overlap(low, high) {
                Overlap::Whole => Some(square.clone()),
                _ => outline.clone().cut(&square, &mut rest),
            };
            pieces.extend(inside.map(|outline| Piece {
                outline,
                face: *face,
                passed: [Passes::default(), Passes::default()],
            }));
        }
        for (end, view) in self.views.iter().flatten().enumerate() {
            view.light(&mut pieces, end, task.max_walls);
        }
        pieces
    }
}
