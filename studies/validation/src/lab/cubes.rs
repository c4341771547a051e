//! Compares cubes, which are CORLA in kind, with beams of the same losses on COST 231 Munich: time, visibility, walls,
//! and gains.
//!
//! Beams are exact for the walls of the plan, so differences are losses of the cubes.

use std::path::Path;
use std::time::Instant;

use anyhow::{Result, ensure};
use glam::DVec2;
use keller::coverage::beams::{Beams, Combination, Memory, Settings as BeamSettings};
use keller::coverage::{Levels, Region};
use keller::units::power_to_db;
use keller::{Control, DVec3, Tx};
use keller_io::reports::plot::{CoveragePlot, PlotTx, Quantity, Scale, Slice};
use keller_lab::cubes::{Cubes, Settings};

use super::irla::write_picture;
use crate::beams::masts;
use crate::machine;
use crate::tubes::Place;

/// The whole city, metres; and the height of the cells over the ground.
const CITY: [DVec2; 2] = [DVec2::ZERO, DVec2::new(2400.0, 3400.0)];
const PLANE: f64 = 1.5;

/// Sizes of cells, metres; the second is that of the documents.
const RESOLUTIONS: [f64; 3] = [10.0, 5.0, 2.5];

/// Places of masts drawn by lot, and their height over the ground, metres.
const MASTS: usize = 20;
const MAST: f64 = 13.0;

/// The ways that count: corners, walls, roofs.
const KINDS: [(&str, usize, bool, bool); 6] = [
    ("walls", 0, true, false),
    ("roofs", 0, false, true),
    ("1 corner", 1, false, false),
    ("2 corners", 2, false, false),
    ("1 corner, walls, roofs", 1, true, true),
    ("2 corners, walls, roofs", 2, true, true),
];

/// Runs on the city in DATA, and draws maps into the folder PICTURES.
pub(super) fn check(arguments: &[&str]) -> Result<()> {
    let (data, folder) = match arguments {
        [data] => (Path::new(data), None),
        [data, folder] => (Path::new(data), Some(Path::new(folder))),
        _ => anyhow::bail!("usage: keller-validation lab cubes DATA [PICTURES]"),
    };
    println!("cubes and beams over COST 231 Munich: about two minutes on two cores");
    println!(
        "Hu 2020 and Rick and Kuhlen 2010 have of CORLA: 8 s for 7 km² at 5 m, 4.2 dB on route 201 after calibration"
    );
    let mut other_sight = Vec::new();
    for resolution in RESOLUTIONS {
        let city = City::new(data, resolution)?;
        other_sight.push(city.sight_and_depth()?);
        city.gains(folder.filter(|_| resolution == 5.0))?;
    }
    // Smaller cubes come nearer to the walls.
    ensure!(
        other_sight.windows(2).all(|pair| pair[1] < pair[0]),
        "the shares of cells with another sight do not fall with the cubes: {other_sight:?}"
    );
    Ok(())
}

/// Both models of the city.
struct City {
    place: Place,
    region: Region,
    cubes: Cubes,
    beams: Beams,
    /// Cells outdoors for beams, and of these those that the cubes leave free.
    outdoors: Vec<usize>,
    both: Vec<usize>,
}

impl City {
    fn new(data: &Path, resolution: f64) -> Result<Self> {
        let place = Place::cost_share(data, resolution, 1.0)?;
        // Walls lie on whole centimetres.
        let low = DVec2::new(0.0013, 0.0029);
        let levels = Levels::AboveGround(vec![PLANE]);
        let region = Region::planes(low, CITY[1], DVec2::splat(resolution), levels)?;
        let before = machine::reset_peak_memory();
        let start = Instant::now();
        let cubes = Cubes::new(&place.world, &region)?;
        let of_cubes = start.elapsed().as_secs_f64();
        let of_beams = Instant::now();
        let beams = Beams::new(
            &place.world,
            &region,
            settings(2, true, true),
            &Control::default(),
        )?;
        let of_beams = of_beams.elapsed().as_secs_f64();
        let outdoors = beams.filled_cells();
        let is_free = |cell: &usize| cubes.heights().is_free(*cell);
        let both: Vec<usize> = outdoors.iter().copied().filter(is_free).collect();
        let [nx, ny, _] = region.shape();
        println!(
            "\n{nx} x {ny} cubes of {resolution} m, prepared in {of_cubes:.2} s; beams in {of_beams:.2} s; {:.0} MB for both; {} cells outdoors, {:.1} % of them in a cube of a building\n",
            (machine::peak_memory() - before).max(0.0) / 1e6,
            outdoors.len(),
            100.0 * (1.0 - both.len() as f64 / outdoors.len() as f64)
        );
        Ok(Self {
            place,
            region,
            cubes,
            beams,
            outdoors,
            both,
        })
    }

    /// Prints the numbers of cells that differ in visibility and in the number of walls, and returns the share visible
    /// in one model alone among those visible in either.
    fn sight_and_depth(&self) -> Result<f64> {
        println!(
            "| Tx | in sight of beams | of cubes alone | of beams alone | other depth % | other by more than 1 % | mean difference | cubes s | beams s |"
        );
        println!("|---|---|---|---|---|---|---|---|---|");
        let own = [self.place.tx.position];
        let drawn = masts(&self.place, CITY, MASTS, MAST);
        let mut share = 0.0;
        for (name, positions) in [("COST 231", &own[..]), ("20 masts, mean", &drawn[..])] {
            let of_positions: Result<Vec<Counts>> = positions
                .iter()
                .map(|position| self.counts(*position))
                .collect();
            let counts = of_positions?;
            let mean =
                |of: fn(&Counts) -> f64| counts.iter().map(of).sum::<f64>() / counts.len() as f64;
            let cells = self.both.len() as f64;
            println!(
                "| {name} | {:.0} | {:.0} | {:.0} | {:.1} | {:.1} | {:+.2} | {:.3} | {:.4} |",
                mean(|c| c.lit),
                mean(|c| c.lit_of_cubes),
                mean(|c| c.lit_of_beams),
                100.0 * mean(|c| c.other_depth) / cells,
                100.0 * mean(|c| c.far_depth) / cells,
                mean(|c| c.more_walls) / cells,
                mean(|c| c.seconds[0]),
                mean(|c| c.seconds[1]),
            );
            let alone = mean(|c| c.lit_of_cubes) + mean(|c| c.lit_of_beams);
            share = alone / (mean(|c| c.lit) + mean(|c| c.lit_of_cubes));
        }
        Ok(share)
    }

    fn counts(&self, position: DVec3) -> Result<Counts> {
        let start = Instant::now();
        let depth = self.cubes.depth(position)?;
        let of_cubes = start.elapsed().as_secs_f64();
        let lit = self.cubes.line_of_sight(position)?;
        let start = Instant::now();
        self.beams
            .depth_by_columns(position, 0, &mut Memory::default())?;
        let of_beams = start.elapsed().as_secs_f64();
        let exact = self.beams.depth(position, 0)?;
        let exact_lit = self.beams.line_of_sight(position, 0)?;
        let mut counts = Counts {
            seconds: [of_cubes, of_beams],
            ..Counts::default()
        };
        for &cell in &self.both {
            let [found, exact] = [f64::from(depth[cell]), f64::from(exact[cell])];
            counts.lit += f64::from(u8::from(exact_lit[cell]));
            counts.lit_of_cubes += f64::from(u8::from(lit[cell] && !exact_lit[cell]));
            counts.lit_of_beams += f64::from(u8::from(!lit[cell] && exact_lit[cell]));
            counts.other_depth += f64::from(u8::from(found != exact));
            counts.far_depth += f64::from(u8::from((found - exact).abs() > 1.0));
            counts.more_walls += found - exact;
        }
        Ok(counts)
    }

    /// Prints the gains of both models with ways of each kind.
    fn gains(&self, folder: Option<&Path>) -> Result<()> {
        println!(
            "\n| ways | cubes s | beams s | mean dB | RMSE dB | median of sizes dB | within 6 dB % | beams alone % | cubes alone % |"
        );
        println!("|---|---|---|---|---|---|---|---|---|");
        for (name, max_bends, has_walls, has_roofs) in KINDS {
            let of_cubes = Settings {
                max_bends,
                has_roofs,
                has_walls,
                ..Settings::default()
            };
            let start = Instant::now();
            let found = self.cubes.gains(self.place.tx.position, &of_cubes)?;
            let seconds = start.elapsed().as_secs_f64();
            let beams = self
                .beams
                .clone()
                .with_settings(settings(max_bends, has_walls, has_roofs))?;
            let cells = 0..self.region.num_cells();
            let tx = Tx {
                position: self.place.tx.position,
                antenna: self.place.tx.antenna.clone(),
            };
            let start = Instant::now();
            let exact = beams.gains(&tx, cells, &Control::default())?;
            let of_beams = start.elapsed().as_secs_f64();
            println!(
                "| {name} | {seconds:.3} | {of_beams:.4} | {} |",
                self.figures(&found, &exact)
            );
            if let Some(folder) = folder.filter(|_| name == KINDS[KINDS.len() - 1].0) {
                std::fs::create_dir_all(folder)?;
                self.draw(folder, &found, &exact)?;
            }
        }
        Ok(())
    }

    /// Errors of the cubes in the cells that both models fill, dB.
    fn figures(&self, found: &[f64], exact: &[f64]) -> String {
        let mut errors = Vec::new();
        let [mut beams_alone, mut cubes_alone] = [0.0, 0.0];
        for &cell in &self.both {
            match (found[cell] >= LEAST, exact[cell] >= LEAST) {
                (true, true) => errors.push(power_to_db(found[cell] / exact[cell])),
                (false, true) => beams_alone += 1.0,
                (true, false) => cubes_alone += 1.0,
                (false, false) => {}
            }
        }
        let filled = errors.len() as f64 + beams_alone + cubes_alone;
        let count = errors.len().max(1) as f64;
        let mean = errors.iter().sum::<f64>() / count;
        let square = errors.iter().map(|error| error * error).sum::<f64>() / count;
        let near = errors.iter().filter(|error| error.abs() <= 6.0).count();
        errors.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
        let median = errors.get(errors.len() / 2).map_or(f64::NAN, |e| e.abs());
        format!(
            "{mean:+.2} | {:.2} | {median:.2} | {:.1} | {:.1} | {:.1}",
            square.sqrt(),
            100.0 * near as f64 / count,
            100.0 * beams_alone / filled,
            100.0 * cubes_alone / filled
        )
    }

    /// Maps of both models, and of their difference.
    fn draw(&self, folder: &Path, found: &[f64], exact: &[f64]) -> Result<()> {
        let slice = |title: &str, value: &dyn Fn(usize) -> f64| {
            let mut values = vec![f64::NAN; self.region.num_cells()];
            for &cell in &self.outdoors {
                values[cell] = value(cell);
            }
            Slice {
                title: title.to_owned(),
                values,
                buildings: Vec::new(),
            }
        };
        let of = |gains: &[f64], cell: usize| power_to_db(gains[cell]);
        let gains = [
            slice("beams", &|cell| of(exact, cell)),
            slice("cubes of 5 m", &|cell| of(found, cell)),
        ];
        let difference = slice("", &|cell| of(found, cell) - of(exact, cell));
        for (file, name, range, scale, slices) in [
            (
                "cubes-gains.png",
                "path gain / dB",
                [-160.0, -60.0],
                Scale::Gain,
                gains.to_vec(),
            ),
            (
                "cubes-difference.png",
                "cubes less beams / dB",
                [-20.0, 20.0],
                Scale::Difference,
                vec![difference],
            ),
        ] {
            let plot = CoveragePlot {
                title: "COST 231 Munich, 2 corners, walls and roofs".to_owned(),
                quantity: Quantity::Numbers { name, range, scale },
                nothing: "no path",
                scene: self.place.world.scene(),
                tx: vec![PlotTx {
                    position: self.place.tx.position,
                    name: String::new(),
                    azimuth: None,
                }],
                marks: Vec::new(),
                region: &self.region,
                slices,
            };
            write_picture(&folder.join(file), &plot.svg())?;
        }
        Ok(())
    }
}

/// The counts of one place of the Tx: cells, and seconds of cubes and beams.
#[derive(Debug, Default)]
struct Counts {
    lit: f64,
    lit_of_cubes: f64,
    lit_of_beams: f64,
    other_depth: f64,
    far_depth: f64,
    more_walls: f64,
    seconds: [f64; 2],
}

/// The gain below which ways count for neither, linear: beams no longer follow them.
const LEAST: f64 = 1e-20;

/// The settings of beams: the strongest way counts, as it does for cubes.
fn settings(max_bends: usize, has_walls: bool, has_roofs: bool) -> BeamSettings {
    BeamSettings {
        max_bends,
        has_roofs,
        has_walls,
        combination: Combination::Strongest,
        ..BeamSettings::default()
    }
}
