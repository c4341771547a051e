//! What patches send to the cells of the region.

use glam::DVec3;
use rayon::prelude::*;

use super::footprint::{MAX_HALVINGS, width};
use super::patch::Patch;
use super::{FLOOR, Illumination};
use crate::Error;
use crate::coverage::tubes::accumulator::{GainAccumulator, Snapshot};
use crate::coverage::tubes::bundle::group;
use crate::coverage::tubes::path_accumulator::PathContribution;
use crate::coverage::tubes::propagation::Tracer;
use crate::em::Surface;
use crate::em::scattering::lobe;
use crate::geometry::bvh::Ray;
use crate::materials::Lobe;
use crate::paths::PatchArea;
use crate::scene::PlaneId;
use crate::units::db_to_power;

/// Lobes that turn with the wave allow patches of this part of the distance that it comes from.
const WIDEST_LIT: f64 = 0.5;

/// Cells that are asked for together.
const AT_ONCE: usize = 4096;

/// Cells whose rays are traced together.
const TOGETHER: usize = 256;

/// A wall in the light of a bundle.
struct LitWall<'a> {
    /// Without its squares.
    light: Illumination,
    plane: PlaneId,
    /// On the side that is lit.
    normal: DVec3,
    surface: &'a Surface,
    lobe: Lobe,
    patches: Vec<Patch>,
}

/// Cells in a sphere: its centre and radius, metres.
type Sphere = (DVec3, f64);

/// A patch, and the spheres of all patches that it is a part of: they are too large for the cells in these.
struct Task<'a> {
    wall: &'a LitWall<'a>,
    patch: &'a Patch,
    within: Vec<Sphere>,
}

/// A cell that a patch may reach.
#[derive(Debug, Clone, Copy)]
struct Target {
    number: usize,
    centre: DVec3,
    gain: f64,
    /// Patches that bring less are seen by one sample.
    least: f64,
}

/// Whether a target sees a patch is asked, and what it gets if so.
#[derive(Debug)]
struct Asked<'a> {
    patch: &'a Patch,
    /// Of the target among others.
    index: usize,
    target: Target,
}

/// What a patch sends in one direction after the other.
struct Lobes<'a> {
    wall: &'a LitWall<'a>,
    patch: &'a Patch,
    /// Where the wave comes from.
    into: DVec3,
    mirror: DVec3,
    cos_in: f64,
}

/// What receives.
#[derive(Debug, Clone, Copy)]
struct Cells<'a> {
    sums: &'a GainAccumulator,
    /// What comes to them but for scattering.
    before: &'a Snapshot,
}

impl Asked<'_> {
    /// The samples of the patch that tell whether the target sees it: one where it brings little of what the cell has.
    fn samples(&self) -> &[DVec3] {
        if self.target.gain < self.target.least {
            &self.patch.samples[..1]
        } else {
            &self.patch.samples
        }
    }
}

impl Tracer<'_> {
    /// Adds what lit squares send to the cells.
    pub(super) fn spread(
        &self,
        lights: Vec<Illumination>,
        sums: &GainAccumulator,
    ) -> Result<(), Error> {
        let walls: Vec<LitWall<'_>> = lights
            .into_par_iter()
            .filter_map(|light| self.lit_wall(light))
            .collect();
        let mut tasks = Vec::new();
        for wall in &walls {
            for patch in &wall.patches {
                self.add_tasks(wall, patch, &[], &mut tasks);
            }
        }
        let cells = Cells {
            sums,
            before: &sums.snapshot(self.min_gain),
        };
        tasks.par_iter().try_for_each(|task| {
            self.control.check()?;
            self.send(cells, task.wall, task.patch, &mut task.within.clone());
            Ok(())
        })
    }

    fn lit_wall(&self, mut light: Illumination) -> Option<LitWall<'_>> {
        let face = self.scene.face(light.face);
        let plane = self.scene.plane_of(light.face);
        let surface = self.surfaces.surface(face.material);
        let lobe = surface.texture().scattering?.lobe;
        let origin = |at| light.bundle.source.locate(at).origin;
        let widest = |centre: DVec3| match lobe {
            Lobe::Lambertian => f64::INFINITY,
            _ => WIDEST_LIT * centre.distance(origin(centre)),
        };
        let axes = self.scene.plane(plane).axes();
        let patches = Patch::joined(&light.squares, axes, self.size, widest);
        let first = patches.first()?.centre;
        let normal = self.scene.plane(plane).normal;
        let is_above = normal.dot(origin(first) - first) > 0.0;
        light.squares = Vec::new();
        Some(LitWall {
            light,
            plane,
            normal: if is_above { normal } else { -normal },
            surface,
            lobe,
            patches,
        })
    }

    /// How near the cells are for which a patch is too large, metres.
    fn too_near(&self, patch: &Patch) -> f64 {
        patch.width / self.fineness.patch
    }

    fn add_tasks<'a>(
        &self,
        wall: &'a LitWall<'a>,
        patch: &'a Patch,
        within: &[Sphere],
        tasks: &mut Vec<Task<'a>>,
    ) {
        tasks.push(Task {
            wall,
            patch,
            within: within.to_vec(),
        });
        let own = (patch.centre, self.too_near(patch));
        let within: Vec<Sphere> = within.iter().copied().chain([own]).collect();
        for part in &patch.parts {
            self.add_tasks(wall, part, &within, tasks);
        }
    }

    /// Adds what a patch sends to the cells for which it is not too large and which lie in all of these spheres; of a square, quartered
    /// as need be, all.
    fn send(&self, cells: Cells<'_>, wall: &LitWall<'_>, patch: &Patch, within: &mut Vec<Sphere>) {
        let is_last = patch.width <= width(self.size, MAX_HALVINGS);
        let beyond = if is_last { 0.0 } else { self.too_near(patch) };
        let lobes = Lobes::new(wall, patch);
        let Some(lobes) = lobes else {
            return;
        };
        let floor = FLOOR * self.min_gain;
        let mut low = patch.centre - lobes.reach(floor);
        let mut high = patch.centre + lobes.reach(floor);
        for (centre, radius) in within.iter() {
            (low, high) = (low.max(centre - radius), high.min(centre + radius));
        }
        let [all_low, all_high] = self.grid.bounds();
        if low.cmpgt(all_high).any() || high.cmplt(all_low).any() {
            return;
        }
        let is_within =
            |at: DVec3, (centre, radius): &Sphere| centre.distance_squared(at) < radius * radius;
        let mut targets = Vec::new();
        self.grid.within([low, high], |number, centre| {
            if !cells.sums.has(number)
                || is_within(centre, &(patch.centre, beyond))
                || !within.iter().rev().all(|sphere| is_within(centre, sphere))
            {
                return;
            }
            let gain = lobes.gain(centre);
            if gain >= floor {
                targets.push(Target {
                    number,
                    centre,
                    gain,
                    least: self.fineness.whole_patch * cells.before.gain(number),
                });
                if targets.len() == AT_ONCE {
                    self.deliver(cells, wall, patch, &targets);
                    targets.clear();
                }
            }
        });
        self.deliver(cells, wall, patch, &targets);
        if patch.parts.is_empty() && !is_last {
            within.push((patch.centre, beyond));
            let axes = self.scene.plane(wall.plane).axes();
            for quarter in patch.quarters(axes) {
                self.send(cells, wall, &quarter, within);
            }
            within.pop();
        }
    }

    /// Adds the gains of the cells that a patch sees, all of it or in part.
    fn deliver(&self, cells: Cells<'_>, wall: &LitWall<'_>, patch: &Patch, targets: &[Target]) {
        let has_clutter = !self.scene.clutter().volumes().is_empty();
        targets.par_chunks(TOGETHER).for_each(|targets| {
            let gains = self.gains_of_seen(wall, patch, targets);
            for (target, mut gain) in targets.iter().zip(gains) {
                if gain == 0.0 {
                    continue;
                }
                if has_clutter {
                    // Of a point that is lit, which the centre of its power need not be.
                    let from = patch.samples[0];
                    let before = self.clutter_loss_db(&wall.light.bundle, from);
                    let behind = self.scene.clutter().loss_db([from, target.centre]);
                    gain *= db_to_power(-before - behind);
                }
                cells.sums.add(target.number, gain, || {
                    self.scattered(wall, patch, target.centre, gain)
                });
            }
        });
    }

    /// What each target gets of what it sees of a patch: where it sees some samples and others not, what it sees of the parts.
    fn gains_of_seen(&self, wall: &LitWall<'_>, patch: &Patch, targets: &[Target]) -> Vec<f64> {
        let mut gains = vec![0.0; targets.len()];
        let whole = |(index, target): (usize, &Target)| Asked {
            patch,
            index,
            target: *target,
        };
        let mut asked: Vec<Asked<'_>> = targets.iter().enumerate().map(whole).collect();
        let (mut rays, mut free) = (Vec::new(), Vec::new());
        while !asked.is_empty() {
            rays.clear();
            for ask in &asked {
                rays.extend(self.ways(wall, ask.samples(), ask.target.centre));
            }
            free.resize(rays.len(), false);
            self.scene.index().are_free(&rays, &mut free);
            let mut rest = free.as_slice();
            let mut parts = Vec::new();
            for ask in asked {
                let (own, others) = rest.split_at(ask.samples().len());
                rest = others;
                let Asked {
                    patch,
                    index,
                    target,
                } = ask;
                let num_free = own.iter().filter(|is_free| **is_free).count();
                if num_free == 0 {
                    continue;
                }
                if num_free == own.len() || patch.parts.is_empty() {
                    gains[index] += target.gain * num_free as f64 / own.len() as f64;
                    continue;
                }
                parts.extend(patch.parts.iter().filter_map(|patch| {
                    let gain = Lobes::new(wall, patch)?.gain(target.centre);
                    Some(Asked {
                        patch,
                        index,
                        target: Target { gain, ..target },
                    })
                }));
            }
            asked = parts;
        }
        gains
    }

    /// From samples of a wall to a point.
    fn ways<'a>(
        &self,
        wall: &LitWall<'_>,
        samples: &'a [DVec3],
        to: DVec3,
    ) -> impl Iterator<Item = Ray> + 'a {
        let origin = self.scene.origin();
        let local = move |point: DVec3| (point - origin).as_vec3();
        let (to, skip) = (local(to), [group(wall.plane), Ray::NO_GROUP]);
        let way = move |from: &DVec3| Ray::between(local(*from), to).skipping(skip);
        samples.iter().map(way)
    }

    /// What the path by a patch brings to the centre of a cell.
    fn scattered(
        &self,
        wall: &LitWall<'_>,
        patch: &Patch,
        centre: DVec3,
        gain: f64,
    ) -> PathContribution {
        let source = &wall.light.bundle.source;
        let located = source.locate(patch.centre);
        let way = centre - patch.centre;
        let before = located.behind + patch.centre.distance(located.origin);
        let length = before + way.length();
        let excess = self.excess_length(&wall.light.bundle, &located, patch.centre);
        let (departure, mut wave) = self.wave_to(&wall.light.bundle, &located, patch.centre);
        wave.scatter(
            wall.normal_of_face(self),
            wall.surface,
            way.normalize(),
            (PatchArea::from_square_metres(patch.area), patch.centre),
            self.surfaces.scattering_phase(),
        );
        self.contribution_of(&wave, gain, [length, excess], [departure, way, centre])
    }
}

impl LitWall<'_> {
    /// To the front of its faces, whichever side is lit.
    fn normal_of_face(&self, tracer: &Tracer<'_>) -> DVec3 {
        tracer.scene.face_normal(self.light.face)
    }
}

impl<'a> Lobes<'a> {
    /// None if the wave comes along the wall.
    fn new(wall: &'a LitWall<'a>, patch: &'a Patch) -> Option<Self> {
        let origin = wall.light.bundle.source.locate(patch.centre).origin;
        let into = (origin - patch.centre).try_normalize()?;
        let cos_in = into.dot(wall.normal);
        (cos_in > 0.0).then_some(Self {
            wall,
            patch,
            into,
            mirror: 2.0 * cos_in * wall.normal - into,
            cos_in,
        })
    }

    /// At a point.
    fn gain(&self, at: DVec3) -> f64 {
        let way = at - self.patch.centre;
        let squared = way.length_squared();
        let out = way / squared.sqrt();
        let cos_out = out.dot(self.wall.normal);
        // Nothing is known of NaN.
        let is_before = cos_out > 0.0;
        if !is_before {
            return 0.0;
        }
        let density = lobe(
            self.wall.lobe,
            self.cos_in,
            cos_out,
            out.dot(self.mirror),
            out.dot(self.into),
        );
        self.at(density, squared)
    }

    /// Nothing of it counts beyond, metres.
    fn reach(&self, floor: f64) -> f64 {
        let most = lobe(self.wall.lobe, self.cos_in, 1.0, 1.0, 1.0);
        (self.patch.power * most / (self.cos_in * floor)).sqrt()
    }

    /// At the distance with this square: no stronger than next to a disc of its area.
    fn at(&self, density: f64, squared: f64) -> f64 {
        let least = self.patch.area / std::f64::consts::PI;
        self.patch.power * density / (self.cos_in * squared.max(least))
    }
}
