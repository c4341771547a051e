//! Warnings about a valid scenario: receivers without a place to stand, devices at the same place, links without a
//! path, edges that do not diffract. Each is one warning and names the key that changes it.

use keller::World;
use keller::coverage::Surroundings;
use keller::geometry::tolerance::MIN_SEGMENT_LENGTH;
use keller::materials::Material;
use keller::parallel;
use keller::paths::Limits;
use keller::scene::Scene;
use keller_io::scenario::{LeftOut, NoPlace, Positions, Scenario};

use crate::observer::{Observer, Tell};

/// A scene with less than this share of its edge length on borders of open sheets consists of closed bodies.
const MANY_FREE_EDGES: f64 = 0.1;

/// A face whose unit normal has a smaller z, which is steeper than 26 degrees, counts as a wall.
const MAX_UPRIGHT_NORMAL_Z: f64 = 0.9;

/// Largest number of receivers without a path for which the cause is searched.
const MAX_LOOKED_INTO: usize = 10_000;

/// The largest number of receivers that a warning names.
const MAX_NAMED: usize = 5;

/// Warns of receivers of grids and files that have no place.
pub(crate) fn left_out(scenario: &Scenario, positions: &Positions, observer: &dyn Observer) {
    let receivers = &scenario.receivers;
    let (of_grids, of_files): (Vec<LeftOut>, Vec<LeftOut>) = positions
        .left_out
        .iter()
        .copied()
        .partition(|left_out| receivers.is_of_grid(left_out.rx));
    let num_rx = positions.rx.len();
    if let Some(LeftOut { rx: first, .. }) = of_grids.first() {
        observer.warn(format!(
            "{}: {} of {num_rx} receivers are grid points inside walls or without ground below (rx {first} is the first); they are skipped, and the numbers of the others do not change",
            receivers.origin(*first),
            of_grids.len(),
        ));
    }
    if let Some(first) = of_files.first() {
        let count = |reason| of_files.iter().filter(|l| l.reason == reason).count();
        let reasons = [NoPlace::InWall, NoPlace::NoGround].map(|reason| (count(reason), reason));
        let reasons = reasons.iter().filter(|(count, _)| *count > 0);
        let reasons: Vec<String> = reasons
            .map(|(count, reason)| format!("{count} {}", reason.name()))
            .collect();
        let named = of_files.iter().take(MAX_NAMED);
        let mut named: Vec<String> = named
            .map(|left_out| format!("rx {} of {}", left_out.rx, receivers.origin(left_out.rx)))
            .collect();
        if of_files.len() > MAX_NAMED {
            named.push(format!("{} more", of_files.len() - MAX_NAMED));
        }
        observer.warn(format!(
            "{}: {} of {num_rx} receivers have no place in the scene and are left out: {} ({}); the numbers of the others do not change; in [[rx]], `strict = true` makes this an error",
            receivers.origin(first.rx),
            of_files.len(),
            reasons.join(", "),
            named.join(", ")
        ));
    }
}

/// Warns of a receiver at the position of a Tx.
pub(crate) fn coinciding(scenario: &Scenario, positions: &Positions, observer: &dyn Observer) {
    let at_rx = |rx: usize| {
        let meets = |tx: &keller::DVec3| tx.distance(positions.rx[rx]) < MIN_SEGMENT_LENGTH;
        let tx = positions.tx.iter().position(meets)?;
        positions.has_rx(rx).then_some((tx, rx))
    };
    let pairs: Vec<(usize, usize)> =
        parallel::flat_map(positions.rx.len(), |rx, pairs| pairs.extend(at_rx(rx)));
    if let Some((tx, rx)) = pairs.first() {
        let at = positions.rx[*rx];
        let others = match pairs.len() - 1 {
            0 => String::new(),
            more => format!(", and {more} more receivers have the position of a Tx"),
        };
        observer.warn(format!(
            "{}: rx {rx} has the same position as tx {tx}, ({}, {}, {}){others}; there is no direct path between them",
            scenario.receivers.origin(*rx),
            at.x,
            at.y,
            at.z
        ));
    }
}

/// Warns if scattering is requested but has no effect.
pub(crate) fn scattering(scenario: &Scenario, world: &World, observer: &dyn Observer) {
    let file = scenario.file.display();
    let count = scenario.paths.largest(|limits| limits.max_scatterings);
    if count > 0 && !world.scatters() {
        observer.warn(format!(
            "{file}: [paths] max_scatterings has no effect: no material of the scene has `scattering`"
        ));
    }
    if count > 2 {
        observer.warn(format!(
            "{file}: [paths] max_scatterings = {count}: paths are scattered at most twice; only coverages of surfaces (engine = \"surfaces\") use a higher number. [diffuse] has the power of all further scatterings"
        ));
    }
}

/// Warns of receivers without a path, and reports the obstacles on the direct path from the nearest Tx.
pub(crate) fn unreached(
    scenario: &Scenario,
    world: &World,
    positions: &Positions,
    observer: &dyn Observer,
    is_reached: &[bool],
) {
    let (scene, materials) = (world.scene(), world.materials());
    let missing = (0..is_reached.len()).filter(|rx| !is_reached[*rx] && positions.has_rx(*rx));
    let missing: Vec<usize> = missing.collect();
    if missing.is_empty() {
        return;
    }
    let looked_into = &missing[..missing.len().min(MAX_LOOKED_INTO)];
    let ways: Vec<Way> = parallel::flat_map(looked_into.len(), |n, ways| {
        ways.extend(Way::to(scene, materials, positions, looked_into[n]));
    });
    let allowed = scenario.paths.largest(|limits| limits.max_transmissions);
    let is_passable = |way: &&Way| way.opaque.is_none() && way.num_walls > allowed;
    let mut reasons = Vec::new();
    let num_passable = ways.iter().filter(is_passable).count();
    if num_passable > 0 {
        let most = ways.iter().filter(is_passable).map(|way| way.num_walls);
        reasons.push(format!(
            "{num_passable} are behind walls that waves can pass, up to {} walls, but [paths] max_transmissions is {allowed}",
            most.max().unwrap_or(0)
        ));
    }
    let opaque: Vec<usize> = ways.iter().filter_map(|way| way.opaque).collect();
    if let Some(material) = opaque.first() {
        reasons.push(format!(
            "{} are behind opaque walls, such as `{}` (only materials with `thickness` transmit; half spaces and metal do not)",
            opaque.len(),
            scene.materials()[*material]
        ));
    }
    let places: Vec<Option<Surrounded>> =
        parallel::map_slice(looked_into, |rx| Surrounded::of(scene, positions.rx[*rx]));
    for (place, name) in [
        (
            Surrounded::ByBody,
            "inside closed bodies, such as buildings",
        ),
        (Surrounded::ByGround, "below the ground"),
    ] {
        let mut found = looked_into.iter().zip(&places);
        let first = found.find(|(_, found)| **found == Some(place));
        if let Some((first, _)) = first {
            let count = places.iter().filter(|found| **found == Some(place)).count();
            reasons.push(format!("{count} are {name} (rx {first} is the first)"));
        }
    }
    let limits = scenario.paths.all_limits().iter();
    let reasons: Vec<String> = limits
        .filter_map(cut_by_the_total)
        .take(1)
        .chain(reasons)
        .collect();
    let reasons = match &reasons[..] {
        [] => "allow more interactions, diffractions or effort in [paths]".to_owned(),
        reasons => reasons.join("; "),
    };
    observer.warn(format!(
        "{}: {} of {} receivers have no path (rx {} is the first): {reasons}",
        scenario.file.display(),
        missing.len(),
        positions.rx.len() - positions.left_out.len(),
        missing[0]
    ));
}

/// The kind of enclosure of a receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Surrounded {
    ByBody,
    ByGround,
}

impl Surrounded {
    fn of(scene: &Scene, at: keller::DVec3) -> Option<Self> {
        if Surroundings::is_enclosed(scene, at) {
            return Some(Self::ByBody);
        }
        let ground = scene.ground(at.truncate());
        ground
            .is_some_and(|ground| at.z < ground)
            .then_some(Self::ByGround)
    }
}

/// The limit of one kind of interaction that the limit of all kinds together cuts down to less, in words.
fn cut_by_the_total(limits: &Limits) -> Option<String> {
    let [name, total] = if limits.max_interactions <= limits.max_depth {
        ["max_interactions", &limits.max_interactions.to_string()]
    } else {
        ["max_depth", &limits.max_depth.to_string()]
    };
    let kinds = [
        ("max_diffractions", limits.max_diffractions),
        ("max_reflections", limits.max_reflections),
        ("max_scatterings", limits.max_scatterings),
    ];
    let (kind, allowed) = kinds
        .into_iter()
        .find(|(_, allowed)| *allowed > limits.max_interactions.min(limits.max_depth))?;
    Some(format!(
        "[paths] {kind} is {allowed}, but {name} = {total} allows fewer"
    ))
}

/// The direct path from the nearest Tx to a receiver.
struct Way {
    num_walls: usize,
    /// The material of the first opaque wall on it.
    opaque: Option<usize>,
}

impl Way {
    fn to(scene: &Scene, materials: &[Material], positions: &Positions, rx: usize) -> Option<Self> {
        let rx = positions.rx[rx];
        let tx = positions
            .tx
            .iter()
            .min_by(|a, b| a.distance(rx).total_cmp(&b.distance(rx)))?;
        let mut crossings = Vec::new();
        scene.crossings(*tx, rx, &[], usize::MAX, &mut crossings)?;
        let mut walls = crossings
            .iter()
            .map(|c| scene.face(c.face).material.index());
        Some(Self {
            num_walls: crossings.len(),
            opaque: walls.find(|material| materials[*material].is_opaque()),
        })
    }
}

/// Warns if many edges of a scene could diffract but do not because `free_edges` is not given. Borders of flat faces do
/// not count, because the ground ends where the map does.
pub(crate) fn free_edges(scenario: &Scenario, scene: &Scene, observer: &dyn Observer) {
    let settings = &scenario.paths;
    if settings.largest(|limits| limits.max_diffractions) == 0 || settings.says_free_edges {
        return;
    }
    let (mut of_wedges, mut free) = (0.0, 0.0);
    for edge in scene.edges() {
        if edge.is_wedge() {
            of_wedges += edge.length();
        } else if edge.outward.z.abs() < MAX_UPRIGHT_NORMAL_Z {
            free += edge.length();
        }
    }
    if free > MANY_FREE_EDGES * (free + of_wedges) {
        observer.warn(format!(
            "{}: {free:.0} m of {:.0} m of edges are free edges of open walls, which diffract only with [paths] free_edges = true; set free_edges to true or false to silence this",
            scenario.file.display(),
            free + of_wedges
        ));
    }
}
