//! The gains that are read back are the written ones, and the nearest cell is the one that a search through all finds.

use glam::{DVec2, DVec3};
use keller::coverage::{Coverage, Levels, Region};
use keller::scene::{Mesh, Scene};
use keller::units::power_to_db;

use super::StoredGains;
use crate::formats::{About, OutputFile, OutputFolder};
use crate::reports::coverage::{CoverageMap, Figures, MapTx};

/// A region that is cut into several chunks along x and y.
fn coverage(levels: Levels, num_tx: usize) -> Coverage {
    let region = Region {
        min: DVec2::new(-31.0, 12.0),
        axis: DVec2::X,
        resolution: DVec2::new(0.5, 0.75),
        num_columns: [540, 520],
        levels,
    };
    let num_cells = region.num_cells();
    let mut random = fastrand::Rng::with_seed(11);
    let mut gain = |cell: usize| match cell % 97 {
        0 => f64::NAN,
        1 => 0.0,
        _ => 1e-9 * random.f64(),
    };
    let is_above_ground = matches!(region.levels, Levels::AboveGround(_));
    let columns = if is_above_ground { 540 * 520 } else { 0 };
    Coverage {
        ground: (0..columns).map(|i| f64::from(i % 540) / 64.0).collect(),
        path_gain: (0..num_tx * num_cells)
            .map(|i| gain(i % num_cells))
            .collect(),
        num_tx,
        region,
    }
}

fn scene() -> Scene {
    let mut ground = Mesh::default();
    let corners = [[0., 0.], [9., 0.], [9., 9.], [0., 9.]];
    ground.add_polygon("concrete", &corners.map(|[x, y]| DVec3::new(x, y, 0.0)));
    Scene::new(&ground).unwrap()
}

fn written(coverage: &Coverage, name: &str) -> StoredGains {
    let folder = tempfile::tempdir().unwrap();
    let tx = |index: usize| MapTx {
        name: ["north", "süd"][index].into(),
        position: DVec3::ZERO,
        power_dbm: 30.0,
    };
    let map = CoverageMap {
        region: &coverage.region,
        ground: &coverage.ground,
        gains: std::rc::Rc::new(coverage),
        tx: (0..coverage.num_tx).map(tx).collect(),
        noise_dbm: None,
        min_gain: 0.0,
        has_gains_of_tx: true,
        figures: Figures::Nothing,
        is_volume: false,
        frame: None,
    };
    let about = About {
        scenario: String::new(),
        georeference: None,
    };
    let file = folder.path().join(name);
    if name.ends_with("npz") {
        map.write_npz(OutputFile::create(&file).unwrap(), &about)
            .unwrap();
    } else {
        map.write_zarr(OutputFolder::create(&file).unwrap(), &about)
            .unwrap();
    }
    StoredGains::open(&file).unwrap()
}

#[test]
fn what_is_read_is_what_was_written_at_the_nearest_cell() {
    let scene = scene();
    for levels in [
        Levels::AboveSea(vec![1.5, 4.0, 6.5]),
        Levels::AboveGround(vec![1.5]),
    ] {
        let coverage = coverage(levels, 2);
        let region = &coverage.region;
        let centres: Vec<Option<DVec3>> = (0..region.num_cells())
            .map(|cell| region.centre(region.cell(cell), &coverage.ground))
            .collect();
        let stored = ["c.npz", "c.zarr"].map(|name| written(&coverage, name));
        // NaN is not equal to itself.
        let bits = stored.each_ref().map(|gains| {
            gains
                .gains
                .iter()
                .copied()
                .map(f64::to_bits)
                .collect::<Vec<u64>>()
        });
        assert!(bits[0] == bits[1] && stored[0].places == stored[1].places);
        assert_eq!(stored[0].tx_names, ["north", "süd"]);
        let mut random = fastrand::Rng::with_seed(3);
        let mut num_found = 0;
        for _ in 0..150 {
            let mut at = || random.f64();
            let at = DVec3::new(-33.0 + 274.0 * at(), 10.0 + 394.0 * at(), 1.0 + 6.0 * at());
            let plan = at.truncate();
            let high = region.min + region.resolution * DVec2::new(540.0, 520.0);
            let is_inside = plan.cmpge(region.min).all() && plan.cmple(high).all();
            // Columns are vertical: the nearest column comes first, then its nearest level.
            let away = |centre: &DVec3| {
                let across = (centre.truncate() - plan).length();
                (across, (centre.z - at.z).abs())
            };
            let known = centres.iter().enumerate();
            let known = known.filter_map(|(cell, centre)| Some((cell, away(centre.as_ref()?))));
            let (cell, (across, above)) =
                known.min_by(|a, b| a.1.partial_cmp(&b.1).unwrap()).unwrap();
            let distance = across.hypot(above);
            // A cell of the volume is 2.5 m high; planes have cells of 0.75 m.
            let longest = if coverage.ground.is_empty() {
                2.5
            } else {
                0.75
            };
            let found = stored[0].nearest(at, &scene);
            assert_eq!(found.is_some(), is_inside && distance <= longest, "{at}");
            let Some(found) = found else { continue };
            num_found += 1;
            for tx in 0..2 {
                let gain = coverage.path_gain[tx * region.num_cells() + cell];
                let read = stored[0].gain(tx, found);
                assert_eq!(read.is_none(), gain.is_nan());
                if let Some(read) = read {
                    let expected = power_to_db(gain);
                    let is_same =
                        read.gain_db == expected || (read.gain_db - expected).abs() < 1e-4;
                    assert!(is_same, "{at}: {} {expected}", read.gain_db);
                    assert!((read.distance - distance).abs() < 1e-6, "{at}");
                }
            }
        }
        assert!(num_found > 5, "{num_found}");
    }
}

/// The centre of each cell leads back to it, over ground and in a region that is turned.
#[test]
fn centres_are_those_of_their_cells() {
    for levels in [
        Levels::AboveGround(vec![1.5, 30.0]),
        Levels::AboveSea(vec![2.0]),
    ] {
        let mut coverage = coverage(levels, 1);
        coverage.region = coverage.region.turned(0.4);
        let stored = written(&coverage, "a.npz");
        let (scene, centres) = (scene(), stored.centres());
        assert_eq!(centres.len(), coverage.region.num_cells());
        for (cell, centre) in centres.iter().enumerate().step_by(41) {
            let expected = coverage
                .region
                .centre(coverage.region.cell(cell), &coverage.ground);
            assert!(
                centre.distance(expected.unwrap()) < 1e-9,
                "{cell}: {centre}"
            );
            let near = stored.nearest(*centre, &scene).unwrap();
            assert_eq!(stored.index(near), cell);
        }
        let area: f64 = stored.areas().iter().sum();
        let of_cell = coverage.region.resolution.element_product();
        let total = of_cell * coverage.region.num_cells() as f64;
        assert!((area - total).abs() < 1e-6 * total, "{area} {total}");
    }
}
