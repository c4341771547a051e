//! The differences of a model from the ground, its neighbours and the building that it replaces.

use std::fmt;

use glam::{DVec2, DVec3};

use super::city::Near;
use super::shells::is_upright;
use super::site::{Site, each_point_of};

/// A way in which a model does not fit where it stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Misfit {
    /// No building of the city stands there, though one should be replaced.
    NothingReplaced,
    /// The city has no ground under most of the model.
    NoGround,
    /// Parts of the model lie below the ground.
    BelowGround {
        /// The area seen from above, m².
        area: f64,
        /// The largest depth, metres.
        depth: f64,
    },
    /// There is air between the ground and the foot of the model.
    AboveGround {
        /// The area seen from above, m².
        area: f64,
        /// The largest height of the gap, metres.
        gap: f64,
    },
    /// A building that stays stands in the model.
    Neighbour {
        /// Its object in the city, by index.
        object: Option<usize>,
        /// Its centre in the scene, x and y, metres.
        centre: DVec2,
        /// The area seen from above, m².
        area: f64,
    },
    /// Walls of the city that stay stand inside the model.
    WallsInside {
        /// The area of the walls, m².
        area: f64,
    },
    /// The model brings ground of its own that reaches far beyond it.
    OwnGround {
        /// Its material, by index of the model's.
        material: usize,
        /// Area, m².
        area: f64,
    },
    /// The building that is replaced reached beyond the model: its ground is empty now.
    Uncovered {
        /// The area seen from above, m².
        area: f64,
    },
    /// The model reaches beyond the building that it replaces.
    Beyond {
        /// The area seen from above, m².
        area: f64,
    },
}

/// Heights of model and ground may differ by this, metres: kerbs, steps and the accuracy of terrain.
const MAX_STEP: f64 = 0.3;

/// The foot of a model reaches this high above its lowest point, metres: higher parts hang over.
const FOOT: f64 = 1.0;

/// Walls that stand this far inside the model are no common walls, metres.
const INSIDE: f64 = 0.3;

/// Roofs overhang their walls by this, metres.
const EAVES: f64 = 0.5;

/// Areas below this are roundings of outlines, m², and so are those below the share of the model's footprint.
const MIN_AREA: f64 = 1.0;
const MIN_SHARE: f64 = 0.01;

/// All misfits. `gone` are the triangles that are replaced, `hulls` the shells; `is_sought`: some should be.
pub(super) fn misfits(
    site: &Site<'_>,
    gone: &[u32],
    hulls: &[usize],
    is_sought: bool,
) -> Vec<Misfit> {
    let mut all = Vec::new();
    let cell = site.grid.cell_area();
    let mut is_hull = vec![false; site.grid.len()];
    for near in site.near.iter().filter(|near| hulls.contains(&near.shell)) {
        near.footprint.mark(&mut is_hull);
    }
    let count =
        |of: &dyn Fn(usize) -> bool| (0..site.grid.len()).filter(|&k| of(k)).count() as f64 * cell;
    let is_worth = |area: &f64| *area >= MIN_AREA.max(MIN_SHARE * site.model_area());
    if is_sought && gone.is_empty() {
        all.push(Misfit::NothingReplaced);
    } else if !gone.is_empty() {
        // A strip as narrow as eaves is no gap by itself, but counts in the area of a gap.
        let [model, hull] = [&site.is_model, &is_hull].map(|marked| site.grid.grown(marked, EAVES));
        if is_worth(&count(&|k| is_hull[k] && !model[k])) {
            let area = count(&|k| is_hull[k] && !site.is_model[k]);
            all.push(Misfit::Uncovered { area });
        }
        if is_worth(&count(&|k| site.is_model[k] && !hull[k])) {
            let area = count(&|k| site.is_model[k] && !is_hull[k]);
            all.push(Misfit::Beyond { area });
        }
    }
    ground_misfits(site, gone, &is_worth, &mut all);
    neighbour_misfits(site, gone, &is_worth, &mut all);
    all
}

/// The shells of which something stays.
fn staying<'s>(site: &'s Site<'_>, gone: &'s [u32]) -> impl Iterator<Item = &'s Near> {
    let stays = |t: &u32| gone.binary_search(t).is_err();
    let shells = &site.city.shells;
    site.near
        .iter()
        .filter(move |near| shells[near.shell].triangles.iter().any(stays))
}

fn ground_misfits(
    site: &Site<'_>,
    gone: &[u32],
    is_worth: &dyn Fn(&f64) -> bool,
    all: &mut Vec<Misfit>,
) {
    let mut ground = vec![f64::NEG_INFINITY; site.grid.len()];
    for near in staying(site, gone).filter(|near| near.is_ground) {
        for &(cell, [_, high]) in &near.footprint.cells {
            ground[cell] = ground[cell].max(high);
        }
    }
    let mut covered = 0_usize;
    // Number of cells, and the largest distance.
    let [mut below, mut above] = [(0_usize, 0.0_f64); 2];
    for &(cell, [low, _]) in &site.model.cells {
        if ground[cell] == f64::NEG_INFINITY {
            continue;
        }
        covered += 1;
        let gap = low - ground[cell];
        if gap < -MAX_STEP {
            below = (below.0 + 1, below.1.max(-gap));
        } else if gap > MAX_STEP && low <= site.bounds[0].z + FOOT {
            above = (above.0 + 1, above.1.max(gap));
        }
    }
    if 2 * covered < site.model.cells.len() {
        all.push(Misfit::NoGround);
    }
    let area = |count: usize| count as f64 * site.grid.cell_area();
    if is_worth(&area(below.0)) {
        let (area, depth) = (area(below.0), below.1);
        all.push(Misfit::BelowGround { area, depth });
    }
    if is_worth(&area(above.0)) {
        let (area, gap) = (area(above.0), above.1);
        all.push(Misfit::AboveGround { area, gap });
    }
}

fn neighbour_misfits(
    site: &Site<'_>,
    gone: &[u32],
    is_worth: &dyn Fn(&f64) -> bool,
    all: &mut Vec<Misfit>,
) {
    let [low, high] = site.bounds.map(|corner| corner.z);
    let inner = site.grid.shrunk(&site.is_model, INSIDE);
    let hulls = staying(site, gone).filter(|near| near.is_house());
    for near in hulls {
        let is_level = near.bounds[0].z < high - MAX_STEP && near.bounds[1].z > low + MAX_STEP;
        let area = near.footprint.area_in(&site.grid, &inner);
        if is_level && is_worth(&area) {
            all.push(Misfit::Neighbour {
                object: site.object_of(near),
                centre: site.centre(near),
                area: site.inside(near),
            });
        }
    }
    let mut walls = 0.0;
    for near in staying(site, gone).filter(|near| !near.is_ground) {
        for &t in &site.city.shells[near.shell].triangles {
            let corners = site.city.own_corners(&site.placement, t);
            if !is_upright(&corners) || gone.binary_search(&t).is_ok() {
                continue;
            }
            each_point_of(corners, &mut |at: DVec3, area| {
                let cell = site.grid.cell_of(at.truncate());
                if at.z > low && at.z < high && cell.is_some_and(|cell| inner[cell]) {
                    walls += area;
                }
            });
        }
    }
    if is_worth(&walls) {
        all.push(Misfit::WallsInside { area: walls });
    }
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NothingReplaced => {
                write!(
                    f,
                    "no building of the city stands there: it replaces nothing"
                )
            }
            Self::NoGround => write!(f, "the city has no ground under it"),
            Self::BelowGround { area, depth } => write!(
                f,
                "{area:.1} m² of it lie below the ground, by up to {depth:.2} m"
            ),
            Self::AboveGround { area, gap } => write!(
                f,
                "there is air between the ground and {area:.1} m² of its foot, up to {gap:.2} m"
            ),
            Self::Neighbour { centre, area, .. } => write!(
                f,
                "{area:.1} m² of it stand in the building around x = {:.1}, y = {:.1}, which stays",
                centre.x, centre.y
            ),
            Self::WallsInside { area } => {
                write!(f, "{area:.1} m² of walls of the city stay inside it")
            }
            Self::OwnGround { area, .. } => write!(
                f,
                "it brings {area:.1} m² of ground of its own, over that of the city"
            ),
            Self::Uncovered { area } => write!(
                f,
                "the building that it replaces reached beyond it: {area:.1} m² are empty now"
            ),
            Self::Beyond { area } => write!(
                f,
                "it reaches beyond the building that it replaces, by {area:.1} m²"
            ),
        }
    }
}
