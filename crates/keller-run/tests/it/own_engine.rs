//! The page *Add an engine* of CONTRIBUTING, followed to the letter: an engine in one file, and one line that makes it fill cells.

use std::f64::consts::PI;
use std::ops::Range;
use std::sync::Arc;

use keller::coverage::Region;
use keller::{Control, Tx};
use keller_run::{CellEngine, Error, Job, Rows};

use crate::places::{Ear, Folder};

/// Power that spreads in free space, and nothing else.
#[derive(Debug)]
struct FreeSpace {
    region: Region,
    ground: Vec<f64>,
    wavelength: f64,
}

impl CellEngine for FreeSpace {
    fn region(&self) -> &Region {
        &self.region
    }

    fn ground(&self) -> &[f64] {
        &self.ground
    }

    fn cells_at_once(&self) -> Option<usize> {
        Some(1 << 16)
    }

    fn rows(
        &self,
        tx: &[&Tx],
        cells: Range<usize>,
        control: &Control<'_>,
    ) -> Result<Rows, keller::Error> {
        let mut rows = Vec::new();
        for tx in tx {
            control.check()?;
            let gain = |cell: usize| {
                let Some(centre) = self.region.centre(self.region.cell(cell), &self.ground) else {
                    return f64::NAN;
                };
                let distance = centre.distance(tx.position);
                (self.wavelength / (4.0 * PI * distance)).powi(2)
            };
            rows.push(cells.clone().map(gain).collect());
        }
        Ok(Box::new(rows.into_iter()))
    }

    fn takes_memory(&self) -> String {
        "blocks of cells".to_owned()
    }
}

#[test]
fn an_engine_of_sixty_lines_fills_cells_and_resumes() {
    let cells = "[coverage]\nengine = \"model\"\nmodel = \"free-space\"\nmin = [-30, -30]\nmax = [30, 30]\nheights = [1.5]\nresolution = 0.25\n";
    let folder = Folder::new(1, cells);
    let open = |observer| Job::open(&folder.file("s.toml"), observer);
    let fill = |job: &Arc<Job>| {
        job.coverage_by(0, |region| {
            Ok(Box::new(FreeSpace {
                region: region.clone(),
                ground: region.ground(job.world.scene()),
                wavelength: job.world.frequency().wavelength(),
            }))
        })
    };
    let values = |run: &keller_run::CoverageRun| {
        let (map, mut all) = (run.filled_map(), Vec::new());
        let mut row = Vec::new();
        for tx in 0..run.num_rows() {
            map.gains
                .row(tx, 0..run.region.num_cells(), &mut row)
                .unwrap();
            all.extend_from_slice(&row);
        }
        all
    };
    let job = open(Arc::new(())).unwrap();
    let mut run = fill(&job).unwrap();
    run.complete().unwrap();
    let found = values(&run);
    // Our own model is the same but under roofs, where receivers stand on them.
    let mut judge = job.coverage(0).unwrap();
    judge.complete().unwrap();
    let judge = values(&judge);
    assert_eq!(found.len(), 2 * 240 * 240);
    let is_same = |(a, b): &(&f64, &f64)| (*a / *b - 1.0).abs() < 1e-9;
    let same = found.iter().zip(&judge).filter(is_same).count();
    let share = same as f64 / found.len() as f64;
    assert!(share > 0.9, "{share}");

    // The engine stops, keeps and resumes, which its author did not write.
    let part = folder.file("part");
    let stopped = open(Arc::new(Ear::that_stops_after(9))).and_then(|job| {
        let mut run = fill(&job)?;
        run.keep_in(&part, false)?;
        run.complete()
    });
    assert!(matches!(stopped, Err(Error::Stopped)), "{stopped:?}");
    let mut resumed = fill(&job).unwrap();
    resumed.keep_in(&part, true).unwrap();
    resumed.complete().unwrap();
    assert!(
        values(&resumed)
            .iter()
            .zip(&found)
            .all(|(a, b)| a.to_bits() == b.to_bits())
    );
}
