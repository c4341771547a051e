//! Beams over COST 231 Munich: how many maps a second, and whether they are exact.

use std::path::Path;
use std::time::Instant;

use anyhow::{Result, ensure};
use glam::DVec2;
use keller::coverage::beams::{Beams, Memory, Settings};
use keller::coverage::{Levels, Region, Surroundings};
use keller::{Control, DVec3, Tx};
use rayon::prelude::*;

use crate::machine;
use crate::tubes::Place;

/// The height of the cells over the ground, metres.
const PLANE: f64 = 1.5;

/// The height over the ground, metres.
const MAST: f64 = 13.0;

/// Prepares the city for cells of 5 and of 2 m, and measures; or measures `only` maps with such a name, of 5 m.
pub(crate) fn check(data: &Path, only: Option<&str>) -> Result<()> {
    let all = |name: &str| only.is_none_or(|only| only == name);
    let resolutions = if only.is_some() {
        &[5.0][..]
    } else {
        &[5.0, 2.0]
    };
    for &resolution in resolutions {
        let (place, beams) = prepared(data, resolution, 1.0)?;
        rates(&place, &beams, CITY, all)?;
        if only.is_none() {
            exactness(&place, &beams)?;
        }
    }
    Ok(())
}

/// The city with a share of its buildings, and all of its cells.
fn prepared(data: &Path, resolution: f64, share: f64) -> Result<(Place, Beams)> {
    let place = Place::cost_share(data, resolution, share)?;
    let levels = Levels::AboveGround(vec![PLANE]);
    let [_, high] = CITY;
    // No centre of a cell lies on the coordinates of a wall, which are whole centimetres.
    let low = DVec2::new(0.0013, 0.0029);
    let region = Region::planes(low, high, DVec2::splat(resolution), levels)?;
    let start = Instant::now();
    let settings = Settings::default();
    let beams = Beams::new(&place.world, &region, settings, &Control::default())?;
    let [nx, ny, _] = region.shape();
    println!(
        "\n{nx} x {ny} cells of {resolution} m; {} walls, {} corners, {:.1} % of the scene's area left out; prepared in {:.2} s; {:.0} MB",
        beams.walls().walls.len(),
        beams.num_corners(0),
        100.0 * beams.walls().share_left_out,
        start.elapsed().as_secs_f64(),
        machine::peak_memory() / 1e6
    );
    Ok((place, beams))
}

/// Measures a quarter, a half and all of the buildings, over all cells; then cells of 10 m.
pub(crate) fn scale(data: &Path) -> Result<()> {
    const SHOWN: [&str; 5] = [
        "in sight from 13 m",
        "walls before every cell",
        "1 corner, walls",
        "2 corners, walls",
        "2 corners, walls, roofs",
    ];
    for (share, resolution) in [(0.25, 5.0), (0.5, 5.0), (1.0, 5.0), (1.0, 10.0)] {
        let (place, beams) = prepared(data, resolution, share)?;
        let [low, high] = CITY;
        let within = [low, DVec2::new(high.x, share * high.y)];
        rates(&place, &beams, within, |name| SHOWN.contains(&name))?;
    }
    Ok(())
}

/// The corners of all of COST 231 Munich, metres.
const CITY: [DVec2; 2] = [DVec2::ZERO, DVec2::new(2400.0, 3400.0)];

/// Places outdoors in a box, drawn by lot.
pub(crate) fn masts(
    place: &Place,
    [low, high]: [DVec2; 2],
    count: usize,
    height: f64,
) -> Vec<DVec3> {
    let scene = place.world.scene();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut share = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut found = Vec::with_capacity(count);
    while found.len() < count {
        let at = low + (high - low) * DVec2::new(share(), share());
        let Some(ground) = scene.ground(at) else {
            continue;
        };
        if !Surroundings::is_enclosed(scene, at.extend(ground + 1.5)) {
            found.push(at.extend(ground + height));
        }
    }
    found
}

/// Prints how many of `count` maps are done in a second: all cores, each map on one.
fn rate(
    name: &str,
    is_asked: impl Fn(&str) -> bool,
    count: usize,
    map: impl Fn(usize, &mut Memory) -> Result<usize> + Sync,
) -> Result<()> {
    if !is_asked(name) {
        return Ok(());
    }
    let (start, before) = (Instant::now(), machine::processor_seconds());
    let sums: Result<Vec<usize>> = (0..count)
        .into_par_iter()
        .with_min_len(count.div_ceil(8 * rayon::current_num_threads()).min(64))
        .map_init(Memory::default, |memory, k| map(k, memory))
        .collect();
    let seconds = start.elapsed().as_secs_f64();
    let mean = sums?.into_iter().sum::<usize>() as f64 / count as f64;
    let busy = machine::processor_seconds() - before;
    let undisturbed = count as f64 * rayon::current_num_threads() as f64 / busy.max(0.01);
    println!(
        "{name:44} {:>10.0} {undisturbed:>12.0}   {mean:10.0}",
        count as f64 / seconds
    );
    Ok(())
}

/// Prints the rates of maps of places in a box, for the names that are asked for.
fn rates(
    place: &Place,
    beams: &Beams,
    within: [DVec2; 2],
    is_asked: impl Fn(&str) -> bool + Copy,
) -> Result<()> {
    println!(
        "{:44} {:>10} {:>12}   {:>10}",
        "maps a second, each of another place", "taken", "undisturbed", "mean cells"
    );
    for (height, count) in [(MAST, 20_000), (1.5, 20_000), (35.0, 200)] {
        let at = masts(place, within, count, height);
        rate(
            &format!("in sight from {height} m"),
            is_asked,
            count,
            |k, memory| Ok(beams.count_in_sight(at[k], 0, memory)?),
        )?;
    }
    let corners = beams.num_corners(0);
    rate("in sight of a corner", is_asked, corners, |k, memory| {
        Ok(beams.count_in_sight_of_corner(u32::try_from(k)?, 0, memory))
    })?;
    let at = masts(place, within, 1000, MAST);
    rate("walls before every cell", is_asked, 400, |k, memory| {
        let depth = beams.depth_by_columns(at[k], 0, memory)?;
        Ok(depth.iter().filter(|count| **count == 0).count())
    })?;
    for (name, max_bends, has_walls, has_roofs, count) in [
        ("1 corner", 1, false, false, 1000),
        ("2 corners", 2, false, false, 500),
        ("1 corner, walls", 1, true, false, 500),
        ("2 corners, walls", 2, true, false, 300),
        ("3 corners, walls", 3, true, false, 60),
        ("1 corner, walls, roofs", 1, true, true, 30),
        ("2 corners, walls, roofs", 2, true, true, 30),
    ] {
        let settings = Settings {
            max_bends,
            has_walls,
            has_roofs,
            ..Settings::default()
        };
        let of_settings = beams.clone().with_settings(settings)?;
        rate(name, is_asked, count, |k, memory| {
            let tx = Tx {
                position: at[k],
                ..place.tx.clone()
            };
            let gains = of_settings.gains_by_columns(&tx, 0, memory)?;
            Ok(gains.iter().filter(|gain| **gain > 1e-15).count())
        })?;
    }
    Ok(())
}

/// Counts the walls before every cell one by one.
fn exactness(place: &Place, beams: &Beams) -> Result<()> {
    const TOUCH: f64 = 1e-6;
    let region = beams.region();
    let [nx, ny, _] = region.shape();
    let walls = beams.walls();
    for (height, count) in [(MAST, 6), (1.5, 4), (35.0, 4)] {
        let [mut judged, mut lit, mut touching, mut wrong] = [0_usize; 4];
        for position in masts(place, CITY, count, height) {
            let is_lit = beams.line_of_sight(position, 0)?;
            let depth = beams.depth(position, 0)?;
            let (from, height) = beams.place(position)?;
            let of_cell = |cell: usize| {
                let to = region.own_column(cell % nx, cell / nx);
                let mut count = 0_u16;
                for wall in &walls.walls {
                    let [a, b] = walls.ends(wall);
                    let along = to - from;
                    let of_ends = [a, b].map(|end| along.perp_dot(end - from) / along.length());
                    let of_line = [from, to].map(|end| (b - a).perp_dot(end - a) / a.distance(b));
                    let reaches = |[p, q]: [f64; 2]| p.min(q) < TOUCH && p.max(q) > -TOUCH;
                    if !reaches(of_ends) || !reaches(of_line) {
                        continue;
                    }
                    let share = of_line[0] / (of_line[0] - of_line[1]);
                    let line = height + (PLANE - height) * share;
                    if wall.height < line - TOUCH {
                        continue;
                    }
                    let is_near = of_ends
                        .iter()
                        .chain(&of_line)
                        .any(|side| side.abs() < TOUCH);
                    if is_near || (wall.height - line).abs() < TOUCH {
                        return [0, 0, 1, 0];
                    }
                    count += 1;
                }
                let is_wrong = depth[cell] != count || is_lit[cell] != (count == 0);
                [1, usize::from(count == 0), 0, usize::from(is_wrong)]
            };
            // Every seventh cell, which is a few million lines in all.
            let sums = (0..nx * ny / 7).into_par_iter().map(|k| of_cell(7 * k));
            let sums = sums.reduce(|| [0; 4], |a, b| [0, 1, 2, 3].map(|k| a[k] + b[k]));
            judged += sums[0];
            lit += sums[1];
            touching += sums[2];
            wrong += sums[3];
        }
        println!(
            "{count} masts of {height} m: {judged} cells judged, {lit} in sight, {touching} on a wall's line, {wrong} wrong"
        );
        ensure!(wrong == 0, "{wrong} cells are wrong");
    }
    Ok(())
}
