//! The speed experiment of Lu et al. 2019 in kind (section IV.A): the field on all surfaces of half a square kilometre of a city.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result};
use glam::DVec2;
use keller::antenna::Antenna;
use keller::coverage::tiles::TileCoverage;
use keller::materials::{Lobe, Material, Materials, Scattering, Texture};
use keller::paths::{Devices, Environment, Limits, PathOptions, Search, find_paths};
use keller::scene::{Mesh, Scene};
use keller::tiles::{Tiles, Tiling, Visibility};
use keller::units::{db_to_power, power_to_db};
use keller::{Control, DVec3, Frequency, Tx, World};

use crate::machine::processor_seconds;

use super::crop::{crop, crop_to};

/// The paper's place: tiles of 100 m², how many, and the side of its area, metres.
const TILE: f64 = 10.0;
const NUM_TILES: usize = 5100;
const SIDE: f64 = 707.0;

/// Seconds for so many bounces on a Tesla K80 (section IV.A).
pub(crate) const PAPER: [f64; 3] = [2.0, 6.0, 11.0];

/// The paper's area and about the paper's number of tiles.
pub(crate) struct Area {
    pub(crate) world: World,
    pub(crate) tiles: Tiles,
    pub(crate) tx: Tx,
}

impl Area {
    /// The area in the middle of the city of `mesh`.
    pub(crate) fn of_mesh(mesh: &Mesh) -> Result<Self> {
        let centre = middle(mesh)?;
        let scene = Arc::new(Scene::new(&crop(mesh, centre, SIDE))?);
        Ok(Self {
            world: rough_world(&scene)?,
            tiles: fewer_tiles(&scene)?,
            tx: site(&scene, centre)?,
        })
    }
}

/// Bounces of which any may reflect or scatter, and some diffract.
pub(crate) fn limits(bounces: usize, diffractions: usize) -> Limits {
    Limits {
        max_interactions: bounces,
        max_reflections: bounces,
        max_diffractions: diffractions,
        max_scatterings: bounces,
        ..Limits::default()
    }
}

fn middle(mesh: &Mesh) -> Result<DVec2> {
    let [low, high] = Scene::new(mesh)?.bounds();
    Ok(0.5 * (low + high).truncate())
}

fn site(scene: &Scene, centre: DVec2) -> Result<Tx> {
    Ok(Tx {
        position: mast(scene, centre)?,
        antenna: Antenna::default(),
    })
}

/// Runs the bounces on the centre of the city in `scene`: on the paper's area with tiles on all faces, on the same with
/// about the paper's number of tiles, which leaves out faces smaller than one as the paper does, and on as much of it
/// as has that number.
pub(crate) fn surfaces(scene: &Path) -> Result<()> {
    let mesh = keller_io::formats::import::import(scene)?.mesh;
    let centre = middle(&mesh)?;
    let whole = Arc::new(Scene::new(&crop(&mesh, centre, SIDE))?);
    let tiling = Tiling::of_side(TILE);
    report(&whole, Tiles::new(&whole, tiling.clone())?, centre, SIDE)?;
    report(&whole, fewer_tiles(&whole)?, centre, SIDE)?;
    let (scene, tiles, side) = crop_to(&mesh, centre, 2.0 * SIDE, &tiling, NUM_TILES)?;
    let scene = Arc::new(scene);
    report(&scene, tiles.clone(), centre, side)?;
    exact_paths(&scene, &tiles, centre)
}

/// Receivers for which exact paths are found (figure 11 of the paper).
const RECEIVERS: [usize; 5] = [1, 10, 100, 1000, 5000];

/// Measures the exact paths to so many receivers, found by images with hidden surfaces removed: the alternative to the
/// field on all tiles, which takes the same time for any number of them.
fn exact_paths(scene: &Arc<Scene>, tiles: &Tiles, centre: DVec2) -> Result<()> {
    let world = rough_world(scene)?;
    let tx = Devices::tx(scene, [mast(scene, centre)?])?;
    println!("reflections | receivers | paths | s | processor s");
    for reflections in 1..=3 {
        for count in RECEIVERS.map(|count| count.min(tiles.len())) {
            let step = tiles.len() / count;
            let before =
                |tile: &keller::tiles::Tile| tile.centre + 1e-3 * scene.face_normal(tile.face);
            // Some tiles lie on other faces.
            let is_clear = |point: &DVec3| Devices::rx(scene, [*point]).is_ok();
            let points: Vec<DVec3> = tiles
                .all()
                .iter()
                .step_by(step)
                .map(before)
                .filter(is_clear)
                .take(count)
                .collect();
            let options = PathOptions {
                limits: Limits {
                    max_interactions: reflections,
                    max_reflections: reflections,
                    ..Limits::default()
                },
                search: Some(Search::Complete),
            };
            let rx = Devices::rx(scene, points)?;
            let (start, cpu) = (Instant::now(), processor_seconds());
            let paths = find_paths(&world, &tx, &rx, &options, &Control::default())?;
            println!(
                "{reflections} | {count} | {} | {:.2} | {:.2}",
                paths.len(),
                start.elapsed().as_secs_f64(),
                processor_seconds() - cpu
            );
        }
    }
    Ok(())
}

/// A city of rough concrete, at the frequency of their measurements.
pub(super) fn rough_world(scene: &Arc<Scene>) -> Result<World> {
    let concrete = Material::from_name("concrete").context("a material of the table")?;
    let rough = concrete.with_texture(Texture {
        scattering: Some(Scattering {
            coefficient: 0.4,
            cross_polarization: 0.0,
            lobe: Lobe::Lambertian,
        }),
        roughness: 0.0,
    });
    let names = scene.materials().iter();
    let materials: Materials = names.map(|name| (name.clone(), rough.clone())).collect();
    Ok(World::new(
        Arc::clone(scene),
        &materials,
        Frequency::from_hz(850e6)?,
    )?)
}

/// A place over a roof near the centre.
pub(super) fn mast(scene: &Scene, centre: DVec2) -> Result<DVec3> {
    let near = |v: &&DVec3| v.truncate().distance(centre) < 60.0;
    let top = scene.vertices().iter().filter(near);
    let top = top.max_by(|a, b| a.z.total_cmp(&b.z));
    let top = top.context("there are buildings in the centre")?;
    Ok(*top + 3.0 * DVec3::Z)
}

/// As many tiles as the paper has, or fewer: faces of less than a tile's area have none, and tiles grow until they are few enough.
fn fewer_tiles(scene: &Scene) -> Result<Tiles> {
    let mut tiling = Tiling {
        min_face_area: TILE * TILE,
        ..Tiling::of_side(TILE)
    };
    loop {
        let tiles = Tiles::new(scene, tiling.clone())?;
        if tiles.len() <= NUM_TILES {
            return Ok(tiles);
        }
        tiling.side *= 1.02;
    }
}

fn report(scene: &Arc<Scene>, tiles: Tiles, centre: DVec2, side: f64) -> Result<()> {
    let control = Control::default();
    let world = rough_world(scene)?;
    let (start, cpu) = (Instant::now(), processor_seconds());
    let rows = Visibility::new(scene, &tiles, &control)?;
    println!(
        "{side:.0} m of city: {} tiles of {:.1} m ({NUM_TILES}), {} pairs a tile; visibility {:.2} s, {:.2} CPU s",
        tiles.len(),
        tiles.tiling().side,
        rows.num_pairs() / tiles.len().max(1) as u64,
        start.elapsed().as_secs_f64(),
        processor_seconds() - cpu,
    );
    let environment = Environment::with_rows(tiles, Arc::new(rows));
    let tx = site(scene, centre)?;
    for (diffractions, limit_db) in [(0, None), (0, Some(130.0)), (1, None), (1, Some(130.0))] {
        let min_gain = limit_db.map_or(0.0, |limit: f64| db_to_power(-limit));
        for bounces in 1..=3 {
            let limits = limits(bounces, diffractions);
            let environment = Environment {
                min_gain: limit_db.map(|_| min_gain / tx.antenna.largest_gain()),
                ..environment.clone()
            };
            let coverage = TileCoverage::new(&world, &limits, environment)?.with_min_gain(min_gain);
            let (start, cpu) = (Instant::now(), processor_seconds());
            let survey = coverage.survey(&tx, false, &control)?;
            let fields = survey.fields;
            let (wall, cpu) = (start.elapsed().as_secs_f64(), processor_seconds() - cpu);
            let is_lit = |gain: fn(&keller::coverage::tiles::TileField) -> f64| {
                let lit = |sides: &&[_; 2]| sides.iter().any(|field| gain(field) > 0.0);
                fields.iter().filter(lit).count()
            };
            let all = || fields.iter().flatten();
            let paths: u64 = all().map(|field| u64::from(field.paths.num_paths)).sum();
            let diffuse: f64 = all().map(|field| field.diffuse_gain).sum();
            let total: f64 = all().map(|field| field.path_gain).sum();
            let limit = limit_db.map_or("no limit".to_owned(), |limit| format!("{limit} dB"));
            let incident: f64 = all().map(|field| field.incident_power).sum();
            let unfollowed = survey.recall.unfollowed_power;
            println!(
                "{bounces} bounces, {diffractions} diffractions, {limit}: {wall:.3} s, {cpu:.2} CPU s (K80: {:.0} s); {paths} paths, {} of {} tiles reached, {} without diffuse power, which is {:.1} dB under all; {:.3} % of incident power too weak at most",
                PAPER[bounces - 1],
                is_lit(|field| field.path_gain),
                fields.len(),
                is_lit(|field| field.paths.strongest_gain),
                power_to_db(total / diffuse),
                100.0 * unfollowed / (incident + unfollowed),
            );
        }
    }
    Ok(())
}
