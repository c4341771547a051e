//! Waves of MR-FDPF in rooms, corners and streets of tens of wavelengths, with which keller's paths are compared.
//!
//! The solver is checked first, by the exact field near a conducting corner.

mod errors;
mod pictures;
mod places;
mod rays;

use std::f64::consts::{PI, TAU};
use std::path::Path;
use std::time::Instant;

use anyhow::{Result, bail, ensure};
use keller::Complex64;
use keller_lab::parflow::{Tree, wedge};
use rayon::prelude::*;

use errors::errors;
use places::{NODES, Place, Solid};
use rays::{CORNERS, Reach, Received};

/// The largest error of the waves relative to the exact field near the conducting corner, dB of the power of the
/// difference.
const WORST_WAVES: f64 = -10.0;

/// `lab parflow [PICTURES]`.
pub(super) fn check(arguments: &[&str]) -> Result<()> {
    let folder = match arguments {
        [] => None,
        [folder] => Some(Path::new(*folder)),
        _ => bail!("usage: keller-validation lab parflow [PICTURES]"),
    };
    if let Some(folder) = folder {
        std::fs::create_dir_all(folder)?;
    }
    println!("MR-FDPF beside keller's paths: about two minutes on two cores\n");
    for place in places::all() {
        run(place, folder)?.print()?;
    }
    Ok(())
}

/// The fields in a place by waves, by paths, and exact where that is known.
struct Compared {
    place: Place,
    received: Vec<Option<Received>>,
    waves: Vec<Option<Complex64>>,
    exact: Option<Vec<Option<Complex64>>>,
}

fn run(place: Place, folder: Option<&Path>) -> Result<Compared> {
    let plan = place.plan()?;
    let start = Instant::now();
    let tree = Tree::new(&plan);
    let of_tree = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let field = tree.field(place.source);
    let of_source = start.elapsed().as_secs_f64();
    let nodes = place.receivers();
    let width = plan.size()[0];
    let of_node = |rx: &Option<[usize; 2]>| rx.map(|[i, j]| field[j * width + i]);
    let waves: Vec<Option<Complex64>> = nodes.iter().map(of_node).collect();
    let start = Instant::now();
    let (received, paths) = rays::received(&place)?;
    let of_paths = start.elapsed().as_secs_f64();
    println!(
        "\n{}: {width}² nodes, {NODES} a wavelength, joined in {of_tree:.1} s ({:.0} MB); a source takes {of_source:.2} s. {} receivers, {paths} paths in {of_paths:.1} s.\n",
        place.name,
        tree.memory_bytes() as f64 / 1e6,
        nodes.iter().flatten().count(),
    );
    let exact = (place.solid == Solid::Conductor).then(|| beside_corner(&place, &nodes));
    let compared = Compared {
        place,
        received,
        waves,
        exact,
    };
    if let Some(folder) = folder {
        let most = compared.place.reflections;
        let all = compared.of_paths(CORNERS, most);
        pictures::draw(folder, &compared.place, &compared.waves, &all)?;
    }
    Ok(compared)
}

/// The exact field near the corner of a conductor, whose faces look along -y and -x.
fn beside_corner(place: &Place, nodes: &[Option<[usize; 2]>]) -> Vec<Option<Complex64>> {
    let edge = place.walls[0][1];
    let polar = |node: [usize; 2]| {
        let from = place.at(node) - edge;
        [from.length(), (-from.y).atan2(from.x).rem_euclid(TAU)]
    };
    let source = polar(place.source);
    nodes
        .par_iter()
        .map(|node| node.map(|node| wedge::field(TAU, 1.5 * PI, source, polar(node))))
        .collect()
}

impl Compared {
    fn of_paths(&self, corners: usize, reflections: usize) -> Vec<Option<Complex64>> {
        let of = |received: &Option<Received>| {
            let received = received.as_ref()?;
            Some(received.field(corners, reflections))
        };
        self.received.iter().map(of).collect()
    }

    /// Prints tables of the errors, by region, edges and reflections.
    fn print(&self) -> Result<()> {
        let Self { place, waves, .. } = self;
        let reaches: Vec<Option<Reach>> = self
            .received
            .iter()
            .map(|r| r.as_ref().map(|r| r.reach))
            .collect();
        println!("| region | share | patches | what | field dB | mean dB | deviation dB |");
        println!("|---|---|---|---|---|---|---|");
        let total = reaches.iter().flatten().count() as f64;
        let most = place.reflections;
        for reach in Reach::ALL {
            let mut rows = Vec::new();
            if let Some(exact) = &self.exact {
                rows.push(("waves, to the exact field".to_owned(), waves.clone(), exact));
                rows.push((
                    "paths, to the exact field".to_owned(),
                    self.of_paths(CORNERS, most),
                    exact,
                ));
            }
            for (corners, reflections) in self.orders() {
                let what = format!("{reflections} reflections, {corners} corners");
                rows.push((what, self.of_paths(corners, reflections), waves));
            }
            for (what, fields, reference) in rows {
                let found = errors(&fields, reference, &reaches, |of| of == reach);
                if found.patches() == 0 {
                    continue;
                }
                println!(
                    "| {} | {:.0} % | {} | {what} | {:.1} | {:+.2} | {:.2} |",
                    reach.text(),
                    100.0 * found.receivers as f64 / total,
                    found.patches(),
                    found.field_db(),
                    found.mean_db(),
                    found.deviation_db(),
                );
            }
        }
        if let Some(exact) = &self.exact {
            let all = errors(waves, exact, &reaches, |_| true);
            ensure!(
                all.field_db() < WORST_WAVES,
                "waves are {:.1} dB from the exact field",
                all.field_db()
            );
        }
        Ok(())
    }

    /// Numbers of corners and reflections that are tried.
    fn orders(&self) -> Vec<(usize, usize)> {
        let most = self.place.reflections;
        let mut orders: Vec<(usize, usize)> =
            (0..=CORNERS).map(|corners| (corners, most)).collect();
        orders.extend(
            [most / 2, most / 4]
                .into_iter()
                .filter(|r| *r > 0)
                .map(|r| (CORNERS, r)),
        );
        orders
    }
}
