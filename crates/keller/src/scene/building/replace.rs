//! The surfaces of the city that a model replaces.
//!
//! 1. Shells with a roof are *hulls* if at least half of their footprint lies under the model, or half of the model's in
//!    theirs; or those at the points that the user names. Ground is none.
//! 2. Surfaces within the footprint of hulls and model go with them: floors, chimneys, the lower of two roofs.
//! 3. So do walls of which at least half stands within or around it, but not those at which a neighbour stays.
//!
//! Everything is decided by areas on a grid in the model's own axes.

use glam::{DVec2, DVec3};

use super::city::{City, Near};
use super::placement::Placement;
use super::site::Site;
use crate::Error;

/// The choice of what a model replaces.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Replaces {
    /// The hulls whose footprint overlaps the model's.
    #[default]
    Overlap,
    /// The model replaces nothing: it stands on free ground.
    Nothing,
    /// The hulls over these points of the scene, x and y, metres.
    Places(Vec<DVec2>),
    /// Objects of the city, by index.
    Objects(Vec<usize>),
}

/// A building of the city that is gone.
#[derive(Debug, Clone, PartialEq)]
pub struct Hull {
    /// Its object, by index, if it has one.
    pub object: Option<usize>,
    /// The centre of the box around it in the scene, x and y, metres.
    pub centre: DVec2,
    /// Its footprint, m².
    pub area: f64,
    /// The part of that area that lies under the model, m².
    pub inside: f64,
}

/// Shells and model overlap enough for one to replace the other from this share of either footprint.
const MIN_SHARE: f64 = 0.5;

/// The share of its footprint from which on a surface within the footprint of the hulls goes with them.
const WITHIN: f64 = 0.9;

/// A hull of more than so many times the model's footprint is a block of houses, and is not guessed.
const MAX_TIMES: f64 = 2.0;

/// A shell so far above or below the model replaces nothing, metres: a bridge, a tunnel.
const FAR: f64 = 3.0;

/// Walls this far outside a footprint still stand around it, metres.
const AROUND: f64 = 0.15;

/// A neighbour stands at a wall that is no farther away, metres.
const AT_WALL: f64 = 0.3;

/// The surroundings of a model, with the triangles of the city that it replaces, ascending, and the shells that are hulls.
pub(super) fn replaced<'a>(
    city: &'a City<'a>,
    model: &[[DVec3; 3]],
    placement: Placement,
    replaces: &Replaces,
) -> Result<(Site<'a>, Vec<u32>, Vec<usize>), Error> {
    let mut plan = model
        .iter()
        .flatten()
        .fold([DVec2::INFINITY, DVec2::NEG_INFINITY], |all, p| {
            around(all, p.truncate())
        });
    if let Replaces::Places(places) = replaces {
        let own = places
            .iter()
            .map(|at| placement.to_own(at.extend(0.0)).truncate());
        plan = own.fold(plan, around);
    }
    let site = Site::new(city, model, placement, plan);
    let named = match replaces {
        Replaces::Objects(objects) => Some(triangles_of(city, objects)),
        _ => None,
    };
    let hulls = match (replaces, &named) {
        (Replaces::Overlap, _) => overlapping(&site)?,
        (Replaces::Places(places), _) => at_places(&site, places)?,
        (_, Some(gone)) => with_roof_among(&site, gone),
        (_, None) => Vec::new(),
    };
    // Hulls that reach beyond the model take the surfaces on them with them.
    let is_hull = |near: &&Near| hulls.contains(&near.shell);
    let wide = site.near.iter().filter(is_hull).fold(plan, |all, near| {
        let corners = near.bounds.iter();
        corners.fold(all, |all, corner| around(all, corner.truncate()))
    });
    let site = if wide == plan {
        site
    } else {
        Site::new(city, model, placement, wide)
    };
    let gone = match (replaces, named) {
        (_, Some(gone)) => gone,
        (Replaces::Nothing, _) => Vec::new(),
        (of, _) => with_company(&site, &hulls, *of == Replaces::Overlap),
    };
    Ok((site, gone, hulls))
}

/// The triangles of objects, ascending.
fn triangles_of(city: &City<'_>, objects: &[usize]) -> Vec<u32> {
    let all = objects
        .iter()
        .flat_map(|&object| city.objects[object].clone());
    let mut triangles: Vec<u32> = all.filter_map(|t| u32::try_from(t).ok()).collect();
    triangles.sort_unstable();
    triangles.dedup();
    triangles
}

/// Whether a shell and the model are at about the same height.
fn is_level(site: &Site<'_>, near: &Near) -> bool {
    near.bounds[0].z < site.bounds[1].z + FAR && near.bounds[1].z > site.bounds[0].z - FAR
}

/// The hulls that overlap the model.
fn overlapping(site: &Site<'_>) -> Result<Vec<usize>, Error> {
    let mut hulls = Vec::new();
    let model_area = site.model_area();
    for near in &site.near {
        let inside = site.inside(near);
        if !near.is_house()
            || !is_level(site, near)
            || inside < MIN_SHARE * near.plan_area.min(model_area)
            || inside <= 0.0
        {
            continue;
        }
        if near.plan_area > MAX_TIMES * model_area {
            let centre = site.centre(near);
            return Err(Error::Building(format!(
                "the building that it overlaps, around x = {:.1}, y = {:.1}, has a footprint of {:.1} m², the model one of {model_area:.1} m²: replacing it would leave a gap of {:.1} m²; name what the model replaces by places or objects, or `nothing`",
                centre.x,
                centre.y,
                near.plan_area,
                near.plan_area - inside
            )));
        }
        hulls.push(near.shell);
    }
    Ok(hulls)
}

/// The hulls over points of the scene.
fn at_places(site: &Site<'_>, places: &[DVec2]) -> Result<Vec<usize>, Error> {
    let mut hulls = Vec::new();
    for place in places {
        let own = site.placement.to_own(place.extend(0.0)).truncate();
        let cell = site.grid.cell_of(own);
        let covers = |near: &&Near| {
            let cells = &near.footprint.cells;
            cell.is_some_and(|cell| cells.binary_search_by_key(&cell, |c| c.0).is_ok())
        };
        let before = hulls.len();
        let here = site.near.iter().filter(|near| near.is_house());
        hulls.extend(here.filter(covers).map(|near| near.shell));
        if hulls.len() == before {
            return Err(Error::Building(format!(
                "no building of the city stands at x = {}, y = {}",
                place.x, place.y
            )));
        }
    }
    hulls.sort_unstable();
    hulls.dedup();
    Ok(hulls)
}

/// The shells with a roof of which all triangles are `gone`.
fn with_roof_among(site: &Site<'_>, gone: &[u32]) -> Vec<usize> {
    let is_gone = |t: &u32| gone.binary_search(t).is_ok();
    let all = site.near.iter().map(|near| (near, near.shell));
    let all = all.filter(|(near, shell)| {
        near.is_house() && site.city.shells[*shell].triangles.iter().all(is_gone)
    });
    all.map(|(_, shell)| shell).collect()
}

/// The triangles of the hulls, and of the surfaces that go with them; `with_model`: also of those that go with the
/// model.
fn with_company(site: &Site<'_>, hulls: &[usize], with_model: bool) -> Vec<u32> {
    let mut union = if with_model {
        site.is_model.clone()
    } else {
        vec![false; site.grid.len()]
    };
    let [mut low, mut high] = if with_model {
        site.bounds.map(|corner| corner.z)
    } else {
        [f64::INFINITY, f64::NEG_INFINITY]
    };
    let mut is_gone = vec![false; site.near.len()];
    for (near, gone) in site.near.iter().zip(&mut is_gone) {
        if hulls.contains(&near.shell) {
            near.footprint.mark(&mut union);
            [low, high] = [low.min(near.bounds[0].z), high.max(near.bounds[1].z)];
            *gone = true;
        }
    }
    let is_level = |near: &Near| near.bounds[0].z < high + FAR && near.bounds[1].z > low - FAR;
    for (near, gone) in site.near.iter().zip(&mut is_gone) {
        *gone |= near.has_roof()
            && is_level(near)
            && near.footprint.area_in(&site.grid, &union) >= WITHIN * near.plan_area;
    }
    let mut stays = vec![false; site.grid.len()];
    for (near, _) in site.near.iter().zip(&is_gone).filter(|(_, gone)| !**gone) {
        if !near.is_ground && near.has_roof() {
            near.footprint.mark(&mut stays);
        }
    }
    let union = site.grid.grown(&union, AROUND);
    let stays = site.grid.grown(&stays, AT_WALL);
    for (near, gone) in site.near.iter().zip(&mut is_gone) {
        if near.has_roof() || !is_level(near) {
            continue;
        }
        let [mut all, mut around, mut shared] = [0.0; 3];
        site.each_point(near.shell, |at, area| {
            all += area;
            let cell = site.grid.cell_of(at.truncate());
            around += if cell.is_some_and(|cell| union[cell]) {
                area
            } else {
                0.0
            };
            shared += if cell.is_some_and(|cell| stays[cell]) {
                area
            } else {
                0.0
            };
        });
        *gone = around >= MIN_SHARE * all && shared < MIN_SHARE * all;
    }
    let gone = site.near.iter().zip(is_gone).filter(|(_, gone)| *gone);
    let mut triangles: Vec<u32> = gone
        .flat_map(|(near, _)| site.city.shells[near.shell].triangles.iter().copied())
        .collect();
    triangles.sort_unstable();
    triangles
}

fn around([low, high]: [DVec2; 2], point: DVec2) -> [DVec2; 2] {
    [low.min(point), high.max(point)]
}
