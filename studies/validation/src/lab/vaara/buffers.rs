//! Time and memory over the size of the buffers, and removal of doubles by sorting and by hashes.

use std::time::Instant;

use anyhow::{Result, ensure};
use keller::Control;
use keller_lab::tile_rays::{Hit, Order, stream};
use keller_lab::vaara::buffers::{Buffering, Size, Traffic};
use keller_lab::vaara::removal::{Known, Removal};
use keller_lab::vaara::{coarse, search};

use super::place::{Place, settings};
use super::thesis::rows;

/// Buffers are swept over in these rows. Sizes of 1 and 10 hand millions of buffers on in the larger.
const SWEPT: [([usize; 2], &[usize]); 2] = [
    ([3, 1], &[1, 10, 100, 1000]),
    ([4, 1], &[10, 100, 1000, 2500, 5000, 7500, 10_000]),
];

/// Doubles are removed in these rows.
const REMOVED: [[usize; 2]; 9] = [
    [2, 0],
    [3, 0],
    [4, 0],
    [5, 0],
    [2, 1],
    [3, 1],
    [4, 1],
    [2, 2],
    [3, 2],
];

/// Size of the buffer of a receiver; seconds with one buffer and with two, refinement included.
pub(super) type Swept = (usize, [f64; 2]);

pub(super) fn run(place: &Place) -> Result<Vec<Swept>> {
    removal(place)?;
    let mut swept = Vec::new();
    for (row, sizes) in SWEPT {
        swept = sweep(place, row, sizes)?;
    }
    Ok(swept)
}

fn megabytes(items: usize) -> f64 {
    (items * size_of::<Hit>()) as f64 / 1e6
}

fn sweep(place: &Place, row: [usize; 2], sizes: &[usize]) -> Result<Vec<Swept>> {
    let finder = place.finder(row)?;
    let control = Control::default();
    let run = |buffering, removal| -> Result<(f64, Traffic)> {
        let settings = keller_lab::vaara::Settings {
            buffering,
            removal,
            ..settings()
        };
        let start = Instant::now();
        let (_, traffic) = coarse(&finder, place.tx, &place.rx, &settings, &control, |_| ())?;
        let alone = start.elapsed().as_secs_f64();
        Ok((alone, traffic))
    };
    let whole = |size, is_double| -> Result<(f64, keller_lab::vaara::Outcome)> {
        let settings = keller_lab::vaara::Settings {
            buffering: Buffering { size, is_double },
            ..settings()
        };
        let start = Instant::now();
        let outcome = search(&finder, place.tx, &place.rx, &settings, &control)?;
        Ok((start.elapsed().as_secs_f64(), outcome))
    };
    let (twin_seconds, twin) = whole(Size::Unbounded, false)?;
    println!(
        "\nBuffers in the row {}, {}: {} hits with doubles, {} coarse paths, {} valid. Unbounded: {twin_seconds:.2} s with refinement, {:.1} MB of hits. Search: seconds without refinement, one or two buffers, doubles removed by hashes or by sorting; all: with refinement, hashes. The set of coarse paths and every valid path is the same in each.\n\n| size a receiver | handed on | MB of buffers, two | most hits at once | search, one, hash | two, hash | two, sort | all, one | all, two |\n|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
        row[0],
        row[1],
        twin.traffic.num_items,
        twin.hits.len(),
        twin.paths.len(),
        megabytes(twin.traffic.num_items),
    );
    let mut swept = Vec::new();
    for &size in sizes {
        let buffering = |is_double| Buffering {
            size: Size::PerRx(size),
            is_double,
        };
        let one = run(buffering(false), Removal::Hash)?;
        let two = run(buffering(true), Removal::Hash)?;
        let sorted = run(buffering(true), Removal::Sort)?;
        let mut all = Vec::new();
        for is_double in [false, true] {
            let (seconds, outcome) = whole(Size::PerRx(size), is_double)?;
            ensure!(outcome.hits == twin.hits, "size {size}: other coarse paths");
            ensure!(outcome.paths == twin.paths, "size {size}: other paths");
            ensure!(outcome.report == twin.report, "size {size}: another report");
            all.push(seconds);
        }
        println!(
            "| {size} | {} | {:.2} | {} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} |",
            two.1.num_batches,
            2.0 * megabytes(size * place.rx.len()),
            two.1.largest,
            one.0,
            two.0,
            sorted.0,
            all[0],
            all[1],
        );
        swept.push((size, [all[0], all[1]]));
    }
    Ok(swept)
}

/// Removes the doubles of all hits at once, as the original of the document does.
fn removal(place: &Place) -> Result<()> {
    println!(
        "\nRemoval of doubles from all hits together, one core, ms (thesis: table 12 of the appendix, by sorting).\n\n| row | hits | different (thesis) | sort | hash | sort, ns a hit | hash, ns a hit | thesis |\n|---|--:|--:|--:|--:|--:|--:|--:|"
    );
    let control = Control::default();
    for row in rows().filter(|row| REMOVED.contains(&row.limits)) {
        let finder = place.finder(row.limits)?;
        let mut settings = settings();
        settings.streaming.rays.order = Order::Chained;
        let all = std::sync::Mutex::new(Vec::new());
        let keep = |hits: &[Hit]| all.lock().expect("nothing panics").extend_from_slice(hits);
        stream(
            &finder,
            place.tx,
            &place.rx,
            &settings.streaming,
            &keep,
            &control,
        )?;
        let all = all.into_inner().expect("nothing panics");
        let timed = |removal| {
            let mut batch = all.clone();
            let start = Instant::now();
            let mut known = Known::new(removal);
            known.keep_new(&mut batch);
            let seconds = start.elapsed().as_secs_f64();
            (1e3 * seconds, known.into_sorted())
        };
        let (sort, different) = timed(Removal::Sort);
        let (hash, same) = timed(Removal::Hash);
        ensure!(different == same, "sorting and hashes leave other paths");
        let nanoseconds = |ms: f64| 1e6 * ms / all.len() as f64;
        println!(
            "| {}, {} | {} | {} ({}) | {sort:.2} | {hash:.2} | {:.0} | {:.0} | {} |",
            row.limits[0],
            row.limits[1],
            all.len(),
            different.len(),
            row.coarse,
            nanoseconds(sort),
            nanoseconds(hash),
            row.removal_ms.unwrap_or(f64::NAN),
        );
    }
    Ok(())
}
