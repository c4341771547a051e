//! Real places become scenes: how fast, how whole, and whether a file changes the paths on them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use glam::DVec2;
use keller::DVec3;
use keller::paths::{Effort, Limits, Search};
use keller::scene::{Mesh, Scene};
use keller_geo::crs::Crs;
use keller_geo::place::{self, Roof, Shape};
use keller_geo::site::{GroundKind, Site, SiteOptions, Sources, assemble};
use keller_geo::terrain::{Raster, Terrain, TerrainOptions};
use keller_io::formats::import::Object;
use keller_io::reports::export::{Beside, glb};
use keller_io::reports::plot::View;

use crate::geometry;

/// Munich as COST 231 has it.
const BUILDINGS: usize = 2088;

/// Seconds from the file to the scene.
const LIMIT: f64 = 1.0;

/// Checks every place in the folder `data`; pictures go to `pictures`.
pub(crate) fn check(data: &Path, pictures: Option<&Path>) -> Result<()> {
    munich(&data.join("cost231_munich/Munich_buildings.res"), pictures)?;
    for name in [
        "delft.json",
        "DH_01_subs.city.json",
        "rotterdam/rotterdam_subset.json",
        "zurich/zurich_subset_lod2.json",
    ] {
        city_model(&data.join("cityjson").join(name), pictures)?;
    }
    mesh_file(&data.join("obj_cities/bruxelles.obj"), pictures)?;
    slope(pictures)
}

/// All buildings, closed, at their elevations, with no gap to the ground.
fn munich(file: &Path, pictures: Option<&Path>) -> Result<()> {
    let start = Instant::now();
    let site = site(file)?;
    let scene = Scene::new(&site.mesh)?;
    let seconds = start.elapsed().as_secs_f64();
    let read = place::read(file)?;
    ensure!(
        read.buildings.len() == BUILDINGS,
        "{} buildings",
        read.buildings.len()
    );
    let swallowed = BUILDINGS - site.num_buildings;
    println!(
        "munich: {BUILDINGS} buildings, {swallowed} of them wholly inside others at least as tall; {} triangles; {:?}; {seconds:.3} s",
        site.mesh.triangles.len(),
        site.ground.context("a ground")?,
    );
    println!("  {:?}", scene.defects());
    ensure!(seconds < LIMIT, "{seconds} s, more than {LIMIT}");
    ensure!(swallowed < 100, "too many buildings are left out");

    // Roofs lie at ground + height of the file, so each building stands at its elevation.
    let tops: BTreeMap<&str, f64> = read
        .buildings
        .iter()
        .filter_map(|building| match &building.shape {
            Shape::Prism(prism) => match (prism.roof, prism.ground) {
                (Roof::Height(height), Some(ground)) => {
                    Some((building.id.as_str(), ground + height))
                }
                _ => None,
            },
            Shape::Surfaces(_) => None,
        })
        .collect();
    for (id, triangles) in &site.parts[..site.num_buildings] {
        let corners = || {
            let triangles = site.mesh.triangles[triangles.clone()].iter();
            triangles.flat_map(|t| t.vertices.map(|v| site.mesh.vertices[v as usize]))
        };
        let top = corners().fold(f64::NEG_INFINITY, |top, p| top.max(p.z));
        ensure!(
            (top - tops[id.as_str()]).abs() < 1e-9,
            "building {id}: roof at {top}"
        );
        let gap = gap(&site.mesh, triangles.clone());
        ensure!(gap < 1e-6, "building {id} is open by {gap} m²");
    }
    cracks(&site)?;
    save(pictures, "munich", &scene)
}

/// A city model: facts about it, and its picture.
fn city_model(file: &Path, pictures: Option<&Path>) -> Result<()> {
    let start = Instant::now();
    let site = site(file)?;
    let scene = Scene::new(&site.mesh)?;
    let seconds = start.elapsed().as_secs_f64();
    let parts = &site.parts[..site.num_buildings];
    let open = parts
        .iter()
        .filter(|(_, triangles)| gap(&site.mesh, triangles.clone()) > 1e-2)
        .count();
    println!(
        "{}: {} buildings, {open} open in the file; {} triangles, {:?}, {} cracks; {seconds:.3} s",
        file.file_name().unwrap_or_default().to_string_lossy(),
        site.num_buildings,
        site.mesh.triangles.len(),
        site.ground.context("a ground")?,
        scene.defects().near_vertices,
    );
    ensure!(site.num_buildings > 0, "no building");
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    save(pictures, name.split('.').next().unwrap_or_default(), &scene)
}

/// A mesh through GLB: the same paths, exactly.
fn mesh_file(file: &Path, pictures: Option<&Path>) -> Result<()> {
    let mesh = keller_io::formats::import(file)?.mesh;
    let object = Object {
        name: "city".to_owned(),
        triangles: 0..mesh.triangles.len(),
    };
    let bytes = glb(&mesh, &[object], &Beside::default());
    let none = |_: &Path| Err(std::io::ErrorKind::NotFound.into());
    let back = keller_io::formats::import::gltf::parse(&bytes, Path::new("city.glb"), &none)?.mesh;
    let (there, here) = (paths(&mesh)?, paths(&back)?);
    ensure!(
        there.len() == here.len(),
        "{} and {} paths",
        there.len(),
        here.len()
    );
    let mut largest = 0.0_f64;
    for (a, b) in there.iter().zip(&here) {
        ensure!(a.len() == b.len(), "paths of other kinds");
        for (p, q) in a.iter().zip(b) {
            largest = largest.max(p.distance(*q));
        }
    }
    println!(
        "{}: {} triangles; {} paths on the mesh and on its GLB, points at most {largest:.1e} m apart",
        file.file_name().unwrap_or_default().to_string_lossy(),
        mesh.triangles.len(),
        here.len()
    );
    ensure!(largest < 1e-6, "points differ by {largest} m");
    save(pictures, "bruxelles", &Scene::new(&back)?)
}

/// The points of all paths between a street and a grid of receivers.
fn paths(mesh: &Mesh) -> Result<Vec<Vec<DVec3>>> {
    let world = geometry::world(Scene::new(mesh)?, |_| false)?;
    let [low, high] = world.scene().bounds();
    let centre = 0.5 * (low + high).truncate();
    let rx: Vec<DVec3> = (0..25)
        .map(|k| {
            let offset = 20.0 * DVec2::new(f64::from(k % 5) - 2.0, f64::from(k / 5) - 2.0);
            (centre + offset).extend(high.z + 1.5)
        })
        .collect();
    let limits = Limits {
        max_diffractions: 1,
        ..Limits::default()
    };
    let tx = (centre + DVec2::splat(3.3)).extend(high.z + 10.0);
    let search = Search::Launch(Effort::Quick);
    let found = geometry::paths(&world, tx, &rx, &limits, search)?;
    let points = |path: &keller::paths::Path| path.vertices.iter().map(|i| i.point).collect();
    Ok(found.iter().map(points).collect())
}

/// Footprints on a tilted, wavy terrain of five million cells.
fn slope(pictures: Option<&Path>) -> Result<()> {
    const WIDTH: usize = 2500;
    const HEIGHT: usize = 2000;
    let ground = |x: f64, y: f64| {
        500.0 + 0.08 * x - 0.05 * y
            + 6.0 * (x / 170.0).sin() * (y / 210.0).cos()
            + 1.5 * (x / 37.0).sin()
    };
    #[expect(clippy::cast_possible_truncation, reason = "heights are stored so")]
    let values =
        (0..WIDTH * HEIGHT).map(|k| ground((k % WIDTH) as f64, -((k / WIDTH) as f64)) as f32);
    let raster = Raster {
        file: "slope.tif".into(),
        width: WIDTH,
        height: HEIGHT,
        values: values.collect(),
        geotransform: [690_000.0, 1.0, 0.0, 5_336_000.0, 0.0, -1.0],
        crs: Some(Crs::parse("EPSG:25832")?),
    };
    let feature = |k: usize| {
        let (x, y) = (
            690_100.0 + 60.0 * (k % 38) as f64,
            5_334_100.0 + 60.0 * (k / 38) as f64,
        );
        let (e, n, height) = (x + 24.0, y + 18.0, 8 + k % 17);
        format!(
            r#"{{"type": "Feature", "properties": {{"height": {height}}}, "geometry": {{"type": "Polygon",
            "coordinates": [[[{x}, {y}], [{e}, {y}], [{e}, {n}], [{x}, {n}]]]}}}}"#
        )
    };
    let features: Vec<String> = (0..38 * 30).map(feature).collect();
    let text = format!(
        r#"{{"type": "FeatureCollection", "crs": {{"properties": {{"name": "EPSG:25832"}}}}, "features": [{}]}}"#,
        features.join(",")
    );
    let file = PathBuf::from("footprints.geojson");
    let none = |_: &Path| Err(std::io::ErrorKind::NotFound.into());
    let place = place::parse(
        text.as_bytes(),
        &file,
        &place::ReadOptions::default(),
        &none,
    )?;
    for max_error in [0.1, 0.5, 2.0] {
        let options = SiteOptions {
            terrain: TerrainOptions {
                max_error,
                ..TerrainOptions::default()
            },
            ..SiteOptions::default()
        };
        let sources = Sources {
            places: vec![(file.clone(), place.clone())],
            rasters: vec![raster.clone()],
        };
        let start = Instant::now();
        let site = assemble(sources, &options)?;
        let seconds = start.elapsed().as_secs_f64();
        ensure!(
            site.num_buildings == 38 * 30,
            "{} buildings",
            site.num_buildings
        );
        let Some(GroundKind::Terrain { nodes, triangles }) = site.ground else {
            bail!("the ground is {:?}", site.ground);
        };
        let worst = height_error(&site, &raster)?;
        println!(
            "slope: {nodes} heights, {} triangles uniformly, {triangles} within {max_error} m (largest error {worst:.3} m); {seconds:.2} s, {} MB at most",
            2 * nodes,
            peak_megabytes()
        );
        ensure!(worst <= max_error + 1e-3, "an error of {worst} m");
        cracks(&site)?;
        if max_error > 1.0 {
            save(pictures, "slope", &Scene::new(&site.mesh)?)?;
        }
    }
    Ok(())
}

/// The largest vertical distance of a raster's heights, where there is ground, from the ground.
fn height_error(site: &Site, raster: &Raster) -> Result<f64> {
    let terrain = terrain_of(site)?;
    let origin = DVec3::from(site.georeference.clone().context("a georeference")?.origin);
    let mut worst = 0.0_f64;
    for (k, &height) in raster.values.iter().enumerate() {
        let at = raster.position(
            (k % raster.width) as f64 + 0.5,
            (k / raster.width) as f64 + 0.5,
        );
        if let Some(ground) = terrain.height(at - origin.truncate()) {
            worst = worst.max((ground + origin.z - f64::from(height)).abs());
        }
    }
    Ok(worst)
}

/// The ground of a site as terrain that has heights.
fn terrain_of(site: &Site) -> Result<Terrain> {
    let (name, triangles) = site.parts.last().context("parts")?;
    ensure!(name == keller_geo::site::GROUND, "the last part is {name}");
    let triangles = site.mesh.triangles[triangles.clone()]
        .iter()
        .map(|t| t.vertices);
    Ok(Terrain::new(&site.mesh.vertices, triangles.collect()))
}

/// Every wall's foot lies below the ground next to it: there are no gaps.
fn cracks(site: &Site) -> Result<()> {
    let terrain = terrain_of(site)?;
    let mut least = f64::INFINITY;
    for (id, triangles) in &site.parts[..site.num_buildings] {
        let corners: Vec<DVec3> = site.mesh.triangles[triangles.clone()]
            .iter()
            .flat_map(|t| t.vertices.map(|v| site.mesh.vertices[v as usize]))
            .collect();
        let foot = corners.iter().fold(f64::INFINITY, |foot, p| foot.min(p.z));
        // The points lie along the walls' feet, every half metre.
        for side in corners
            .chunks_exact(3)
            .flat_map(|t| [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])])
        {
            if side.0.z > foot || side.1.z > foot {
                continue;
            }
            let steps = (side.0.distance(side.1) / 0.5).ceil().max(1.0);
            let mut step = 0.0;
            while step <= steps {
                let at = side.0.truncate().lerp(side.1.truncate(), step / steps);
                if let Some(ground) = terrain.height(at) {
                    least = least.min(ground - foot);
                    ensure!(
                        ground > foot,
                        "building {id} floats by {} m at {at}",
                        foot - ground
                    );
                }
                step += 1.0;
            }
        }
    }
    println!("  no cracks: walls reach {least:.2} m into the ground or more");
    Ok(())
}

/// Length of the sum of the areas of triangles as vectors, m²: zero for a closed body.
fn gap(mesh: &Mesh, triangles: std::ops::Range<usize>) -> f64 {
    let area = |t: &keller::scene::MeshTriangle| {
        let [a, b, c] = t.vertices.map(|v| mesh.vertices[v as usize]);
        0.5 * (b - a).cross(c - a)
    };
    mesh.triangles[triangles]
        .iter()
        .map(area)
        .sum::<DVec3>()
        .length()
}

fn site(file: &Path) -> Result<Site> {
    let place = place::read(file)?;
    let sources = Sources {
        places: vec![(file.to_owned(), place)],
        rasters: Vec::new(),
    };
    Ok(assemble(sources, &SiteOptions::default())?)
}

fn save(pictures: Option<&Path>, name: &str, scene: &Scene) -> Result<()> {
    let Some(folder) = pictures else {
        return Ok(());
    };
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join(format!("{name}.png")), View::new(scene).png())?;
    Ok(())
}

/// The largest memory that this process has had, MB; 0 where the system does not say.
fn peak_megabytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let kibibytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    kibibytes.unwrap_or(0) / 1000
}
