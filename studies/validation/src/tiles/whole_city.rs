//! All of a city's scene, in kind like Lu et al. 2019, section IV, whose city is larger: the field on all surfaces, the
//! tiles that a site sees at once, and the changes by larger tiles.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context as _, Result};
use glam::DVec2;
use keller::antenna::Antenna;
use keller::coverage::tiles::{Survey, TileCoverage};
use keller::paths::{Environment, Limits};
use keller::scene::Scene;
use keller::tiles::{Tiles, Tiling, VisibilityQuery};
use keller::units::{db_to_power, power_to_db};
use keller::{Control, DVec3, Tx, World};
use keller_io::store::visibility::{Header, VisibilityFile, VisibilityWriter};

use super::crop::crop;
use super::surfaces::{mast, rough_world};
use super::{exactness, sampled};
use crate::machine::{peak_memory, processor_seconds, reset_peak_memory};
use crate::progress::watched;

/// The city of Lu et al. 2019: 20 km² and 466 529 tiles of 100 m², on a Tesla K80.
const PAPER: &str = "Lu et al. 2019, table II: 466 529 tiles, 1 584 and 1 281 s with 3 bounces, 3 044 and 2 345 s with 5";

/// The time of all sites at once in the paper (figure 9), milliseconds.
const FIRST_LEVEL: &str = "30 to 180 ms on a K80";

/// Waves of more path loss are not followed, dB: where their measurements end.
const LIMIT_DB: f64 = 132.0;

/// The largest numbers of bounces, reflections, diffractions and scatterings of a path.
const ROWS: [Row; 6] = [
    Row::pairs([3, 3, 0, 1]),
    Row::pairs([3, 3, 0, 3]),
    Row::pairs([5, 5, 0, 1]),
    Row::pairs([3, 3, 1, 1]),
    Row {
        is_complete: true,
        ..Row::pairs([3, 2, 1, 1])
    },
    Row {
        exact: Some(3),
        ..Row::pairs([5, 5, 2, 1])
    },
];

/// Height of sites in streets, metres.
const IN_STREETS: f64 = 5.0;

/// Three sites over roofs and three in streets.
fn sites(scene: &Scene) -> Vec<DVec3> {
    let [low, high] = scene.bounds().map(DVec3::truncate);
    let at = |x: f64, y: f64| low + DVec2::new(x, y) * (high - low);
    let street = |centre: DVec2| {
        let grid = (0..441)
            .map(|k| centre + 3.0 * DVec2::new(f64::from(k % 21) - 10.0, f64::from(k / 21) - 10.0));
        // The site has nothing over the ground, and is in the middle of the widest opening.
        let open = grid.filter_map(|at| {
            let ground = scene.ground(at)?;
            let up = keller::geometry::bvh::Ray::new(
                (at.extend(ground + 0.5) - scene.origin()).as_vec3(),
                glam::Vec3::Z,
            );
            scene
                .index()
                .is_free(&up)
                .then(|| at.extend(ground + IN_STREETS))
        });
        open.min_by(|a, b| {
            let [a, b] = [a, b].map(|p| p.truncate().distance(centre));
            a.total_cmp(&b)
        })
    };
    let places = [(0.5, 0.5), (0.35, 0.6), (0.65, 0.4)];
    let roofs = places
        .iter()
        .filter_map(|(x, y)| mast(scene, at(*x, *y)).ok());
    let streets = places.iter().filter_map(|(x, y)| street(at(*x, *y)));
    roofs.chain(streets).collect()
}

/// The request: `SIDE`, and of it `@WIDTH`, and of it `:BOUNCES,R,D,S[,complete|,exact=N]`, `:exact` or `:sampled`.
struct Wanted {
    /// The side of tiles, metres.
    side: f64,
    /// The width of a square around the centre, metres; the whole city if absent.
    width: Option<f64>,
    /// All rows and checks if absent.
    part: Option<Part>,
}

enum Part {
    Row(Row),
    /// A comparison of the tiles with exact paths.
    Exact,
    /// A comparison of sampled paths with exact ones.
    Sampled,
}

/// A row of the table.
#[derive(Clone, Copy)]
struct Row {
    /// Bounces, reflections, diffractions and scatterings.
    most: [usize; 4],
    /// Whether tiles look for paths with diffractions, as receivers of the complete search.
    is_complete: bool,
    /// The largest number of interactions of paths with a diffraction that are found one by one, if others are sampled.
    exact: Option<usize>,
}

impl Row {
    const fn pairs(most: [usize; 4]) -> Self {
        Self {
            most,
            is_complete: false,
            exact: None,
        }
    }

    fn search(&self) -> String {
        match self.exact {
            Some(most) => format!("exact to {most}"),
            None if self.is_complete => "complete".to_owned(),
            None => "pairs".to_owned(),
        }
    }
}

impl FromStr for Wanted {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let split = |text, at| match str::split_once(text, at) {
            Some((first, rest)) => (first, Some(rest)),
            None => (text, None),
        };
        let metres = |text: &str| -> Result<f64> {
            (text.parse()).with_context(|| format!("`{text}` is no length in metres"))
        };
        let part = |text: &str| {
            if text == "exact" {
                return Ok(Part::Exact);
            }
            if text == "sampled" {
                return Ok(Part::Sampled);
            }
            let (text, is_complete) = match text.strip_suffix(",complete") {
                Some(text) => (text, true),
                None => (text, false),
            };
            let (text, exact) = match text.split_once(",exact=") {
                Some((text, most)) => (text, Some(most.parse()?)),
                None => (text, None),
            };
            let numbers: Option<Vec<usize>> = text.split(',').map(|n| n.parse().ok()).collect();
            let numbers = numbers.and_then(|numbers| numbers.try_into().ok());
            let row = numbers.map(|most| {
                Part::Row(Row {
                    most,
                    is_complete,
                    exact,
                })
            });
            row.with_context(|| format!("`{text}` is no list of bounces, R, D and S"))
        };
        let (place, wanted) = split(text, ':');
        let (side, width) = split(place, '@');
        Ok(Self {
            side: metres(side)?,
            width: width.map(metres).transpose()?,
            part: wanted.map(part).transpose()?,
        })
    }
}

/// All of it for tiles of some sides, or one row of it. Visibility is kept in `folder`, if there is one.
pub(crate) fn whole_city(scene: &Path, sides: &[&str], folder: Option<&Path>) -> Result<()> {
    let mesh = keller_io::formats::import::import(scene)?.mesh;
    println!("{PAPER}");
    let mut of_sides: Vec<(Tiles, Survey)> = Vec::new();
    let mut judged = Ok(());
    for wanted in sides {
        let Wanted { side, width, part } = wanted.parse()?;
        let mut scene = Arc::new(Scene::new(&mesh)?);
        if let Some(width) = width {
            let [low, high] = scene.bounds();
            scene = Arc::new(Scene::new(&crop(
                &mesh,
                0.5 * (low + high).truncate(),
                width,
            ))?);
        }
        let world = rough_world(&scene)?;
        let sites = sites(&scene);
        let site = *sites.first().context("the city has a roof in its centre")?;
        let tiles = Tiles::new(&scene, Tiling::of_side(side))?;
        let environment = environment(&scene, &tiles, folder)?;
        match part {
            Some(Part::Row(row)) => {
                rows(&world, &environment, site, &[row])?;
                continue;
            }
            Some(Part::Exact) => {
                exactness::check(&world, &environment, site)?;
                continue;
            }
            Some(Part::Sampled) => {
                sampled::check(&world, &environment, site)?;
                continue;
            }
            None => {}
        }
        first_level(&scene, &tiles, &sites);
        let survey = rows(&world, &environment, site, &ROWS)?;
        judged = judged.and(exactness::check(&world, &environment, site));
        of_sides.push((tiles, survey));
    }
    for pair in of_sides.windows(2) {
        beside(&pair[0], &pair[1]);
    }
    judged
}

fn environment(scene: &Arc<Scene>, tiles: &Tiles, folder: Option<&Path>) -> Result<Environment> {
    let header = Header::new(scene, tiles);
    let temporary = std::env::temp_dir();
    let file: PathBuf = folder.unwrap_or(&temporary).join(format!(
        "keller-city-{}-{}.vis",
        tiles.tiling().side,
        tiles.len()
    ));
    if let Ok(rows) = VisibilityFile::open(&file, &header) {
        println!("\n{} tiles, whose visibility is known", tiles.len());
        return Ok(Environment::with_rows(tiles.clone(), Arc::new(rows)));
    }
    let (start, before) = (Instant::now(), processor_seconds());
    reset_peak_memory();
    let mut writer = VisibilityWriter::open(&file, header.clone())?;
    writer.fill(&VisibilityQuery::new(scene, tiles), &Control::default())?;
    let pairs = writer.num_pairs();
    let bytes = writer.finish()?;
    println!(
        "\n{} tiles of {} m, {} pairs a tile; visibility in {:.1} s, {:.1} processor s, {:.2} GB, {:.0} MB of memory",
        tiles.len(),
        tiles.tiling().side,
        pairs / tiles.len().max(1) as u64,
        start.elapsed().as_secs_f64(),
        processor_seconds() - before,
        bytes as f64 / 1e9,
        peak_memory() / 1e6,
    );
    let rows = VisibilityFile::open(&file, &header)?;
    Ok(Environment::with_rows(tiles.clone(), Arc::new(rows)))
}

/// The tiles that each site sees at once (figure 9 of the paper).
fn first_level(scene: &Arc<Scene>, tiles: &Tiles, sites: &[DVec3]) {
    let query = VisibilityQuery::new(scene, tiles);
    println!("first-level visibility, {FIRST_LEVEL}:");
    for (number, site) in sites.iter().enumerate() {
        let kind = if number < 3 { "roof" } else { "street" };
        // The first answer fills caches.
        query.seen_from(*site);
        let before = processor_seconds();
        let start = Instant::now();
        let mut seen = 0;
        for _ in 0..10 {
            seen = query.seen_from(*site).len();
        }
        println!(
            "  {kind} {:.0} m over the sea: {seen} tiles, {:.1} ms, {:.1} processor ms",
            site.z,
            100.0 * start.elapsed().as_secs_f64(),
            100.0 * (processor_seconds() - before)
        );
    }
}

/// The rows of their table II, and more. Returns the first.
fn rows(world: &World, environment: &Environment, site: DVec3, rows: &[Row]) -> Result<Survey> {
    let tx = Tx {
        position: site,
        antenna: Antenna::default(),
    };
    let min_gain = db_to_power(-LIMIT_DB);
    println!(
        "limit {LIMIT_DB} dB\nbounces, R, D, S, search | s | processor s | MB | paths | tiles reached | of them by diffuse power alone | incident power left out at most %"
    );
    let mut first = None;
    for row in rows {
        let [bounces, reflections, diffractions, scatterings] = row.most;
        let limits = Limits {
            max_interactions: bounces,
            max_reflections: reflections,
            max_diffractions: diffractions,
            max_scatterings: scatterings,
            ..Limits::default()
        };
        let environment = Environment {
            min_gain: Some(min_gain / tx.antenna.largest_gain()),
            is_complete: row.is_complete,
            ..environment.clone()
        };
        reset_peak_memory();
        let (start, before) = (Instant::now(), processor_seconds());
        let mut coverage = TileCoverage::new(world, &limits, environment)?.with_min_gain(min_gain);
        if let Some(most) = row.exact {
            coverage = coverage.with_exact(most)?;
        }
        let survey = watched(|control| coverage.survey(&tx, false, control))?;
        let (wall, processor) = (start.elapsed().as_secs_f64(), processor_seconds() - before);
        let fields = &survey.fields;
        let is_reached = |sides: &&[keller::coverage::tiles::TileField; 2]| {
            sides.iter().any(|field| field.path_gain >= min_gain)
        };
        let is_diffuse = |sides: &&[keller::coverage::tiles::TileField; 2]| {
            sides
                .iter()
                .all(|field| field.paths.num_paths == 0 && field.sampled_gain == 0.0)
        };
        let reached: Vec<_> = fields.iter().filter(is_reached).collect();
        let incident: f64 = fields.iter().flatten().map(|f| f.incident_power).sum();
        let unfollowed = survey.recall.unfollowed_power;
        println!(
            "{bounces}, {reflections}, {diffractions}, {scatterings}, {} | {wall:.1} | {processor:.1} | {:.0} | {} | {} | {} | {:.2}",
            row.search(),
            peak_memory() / 1e6,
            fields
                .iter()
                .flatten()
                .map(|f| u64::from(f.paths.num_paths))
                .sum::<u64>(),
            reached.len(),
            reached.iter().filter(|sides| is_diffuse(sides)).count(),
            100.0 * unfollowed / (incident + unfollowed),
        );
        first.get_or_insert(survey);
    }
    first.context("there are rows")
}

/// Compares the field on each smaller tile with that on the larger one at the same place (about 1 dB in the paper,
/// between 25 and 100 m²).
fn beside((large, of_large): &(Tiles, Survey), (small, of_small): &(Tiles, Survey)) {
    let mut sums = [0.0; 3];
    for (tile, sides) in small.all().iter().zip(&of_small.fields) {
        let Some(other) = large.at(tile.face, tile.centre) else {
            continue;
        };
        for (small, large) in sides.iter().zip(&of_large.fields[other]) {
            let least = db_to_power(-130.0);
            if small.path_gain >= least && large.path_gain >= least {
                let error = power_to_db(large.path_gain / small.path_gain);
                sums[0] += tile.area;
                sums[1] += tile.area * error;
                sums[2] += tile.area * error * error;
            }
        }
    }
    let mean = sums[1] / sums[0];
    println!(
        "\ntiles of {} m beside tiles of {} m, gains of at least -130 dB: mean {mean:.2} dB, standard deviation {:.2} dB",
        large.tiling().side,
        small.tiling().side,
        (sums[2] / sums[0] - mean * mean).max(0.0).sqrt()
    );
}
