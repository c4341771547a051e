//! Houses and devices on whole numbers: rays meet corners, edges and planes of walls exactly. All engines decide such ties alike, as
//! one of the neighbouring places does, and no path goes through a closed house.

use std::collections::BTreeSet;

use crate::common::place::{self, at};
use crate::common::turning::{all_aslant, aslant, with_turned};
use crate::common::{Random, add_box, add_polygon, add_prism, inside_out, paths};
use glam::DVec2;
use keller::antenna::Antenna;
use keller::coverage::points::Points;
use keller::coverage::tubes::{self, Accuracy, Tubes};
use keller::coverage::{Levels, Region};
use keller::paths::{Limits, Path, PathFinder, Search, Sequence, Step};
use keller::scene::Mesh;
use keller::{Control, DVec3, World};

/// Boxes with corners on whole numbers, of which some touch, on a ground.
struct Houses {
    mesh: Mesh,
    boxes: Vec<[DVec3; 2]>,
}

impl Houses {
    fn new(seed: u64) -> Self {
        let mut random = Random(seed ^ 0x71e5);
        let mut mesh = Mesh::default();
        let ground = [[-30., -30.], [40., -30.], [40., 40.], [-30., 40.]];
        let ground = ground.map(|[x, y]| DVec3::new(x, y, 0.0));
        add_polygon(&mut mesh, "ground", &ground);
        let whole = |random: &mut Random, low: usize, high: usize| {
            (low + random.below(high - low + 1)) as f64
        };
        let mut boxes: Vec<[DVec3; 2]> = Vec::new();
        for k in 0..3 {
            let low = if k == 1 && random.below(2) == 0 {
                // The box touches the first; the other offset is a whole number.
                let [low, high] = boxes[0];
                DVec3::new(high.x, low.y + whole(&mut random, 0, 2), 0.0)
            } else {
                DVec3::new(
                    whole(&mut random, 0, 4) + [0.0, 9.0, 2.0][k],
                    whole(&mut random, 0, 4) + [0.0, 1.0, 9.0][k],
                    0.0,
                )
            };
            let size = DVec3::new(
                whole(&mut random, 1, 4),
                whole(&mut random, 1, 4),
                whole(&mut random, 3, 6),
            );
            boxes.push([low, low + size]);
            let material = ["brick", "concrete"][random.below(2)];
            add_box(&mut mesh, material, low, low + size);
        }
        Self { mesh, boxes }
    }

    /// Whole numbers outdoors, off all walls.
    fn device(&self, random: &mut Random) -> DVec3 {
        loop {
            let mut whole = |low: f64, count: usize| low + random.below(count) as f64;
            let p = DVec3::new(whole(-4., 24), whole(-4., 24), whole(1., 7));
            let is_in = |[low, high]: &[DVec3; 2]| p.cmpge(*low).all() && p.cmple(*high).all();
            if !self.boxes.iter().any(is_in) {
                return p;
            }
        }
    }

    /// The length inside a house along the way between two points, metres.
    fn inside(&self, a: DVec3, b: DVec3) -> f64 {
        let of_box = |[low, high]: &[DVec3; 2]| {
            let (mut from, mut to) = (0.0_f64, 1.0_f64);
            for axis in 0..3 {
                let (start, way) = (a[axis], b[axis] - a[axis]);
                let (low, high) = (low[axis] + 1e-7, high[axis] - 1e-7);
                if way.abs() < 1e-12 {
                    if start <= low || start >= high {
                        return 0.0;
                    }
                } else {
                    let (p, q) = ((low - start) / way, (high - start) / way);
                    from = from.max(p.min(q));
                    to = to.min(p.max(q));
                }
            }
            (to - from).max(0.0) * a.distance(b)
        };
        self.boxes.iter().map(of_box).fold(0.0, f64::max)
    }
}

fn limits() -> Limits {
    Limits {
        max_interactions: 2,
        max_reflections: 2,
        max_diffractions: 1,
        ..Limits::default()
    }
}

fn find(place: &World, tx: DVec3, rx: &[DVec3], search: Search) -> Vec<Path> {
    paths(place, tx, rx, &limits(), search)
}

fn sequences(place: &World, paths: &[Path], rx: usize) -> BTreeSet<Sequence> {
    let own = paths.iter().filter(|path| path.rx == rx);
    own.map(|path| path.sequence(place.scene())).collect()
}

/// The sequences, with successive reflections at walls that stand square on each other in one order: both orders are one image.
fn images(place: &World, paths: &[Path], rx: usize) -> BTreeSet<Sequence> {
    let one_order = |sequence: Sequence| -> Sequence {
        let mut steps = sequence.steps().to_vec();
        for _ in 0..steps.len() {
            for k in 1..steps.len() {
                if let [Step::Reflection(a), Step::Reflection(b)] = [steps[k - 1], steps[k]] {
                    let [m, n] = [a, b].map(|id| place.scene().plane(id).normal);
                    if b < a && m.dot(n).abs() < 1e-9 {
                        steps.swap(k - 1, k);
                    }
                }
            }
        }
        steps.into_iter().collect()
    };
    let own = paths.iter().filter(|path| path.rx == rx);
    let images: Vec<_> = own
        .map(|path| one_order(path.sequence(place.scene())))
        .collect();
    let set: BTreeSet<Sequence> = images.iter().cloned().collect();
    assert_eq!(set.len(), images.len(), "an image counts twice: {images:?}");
    set
}

/// Offsets of neighbouring places: farther off than walls reach over their borders, in odd directions.
fn beside() -> Vec<DVec3> {
    let mut random = Random(99);
    let mut all = Vec::new();
    while all.len() < 24 {
        let to = random.point(DVec3::NEG_ONE, DVec3::ONE);
        if to.length() > 0.3 && to.length() < 1.0 {
            all.push(3e-4 * to.normalize());
        }
    }
    all
}

#[test]
fn no_path_goes_through_a_house_and_ties_are_as_one_of_the_neighbours() {
    let beside = beside();
    let (mut ties, mut brighter, mut total) = (0, 0, 0);
    for seed in 0..24 {
        let houses = Houses::new(seed);
        let is_turned = seed % 3 == 2;
        let place = place::named(&if is_turned {
            all_aslant(&houses.mesh)
        } else {
            houses.mesh.clone()
        });
        let put = |p: DVec3| if is_turned { aslant(p) } else { p };
        let mut random = Random(seed);
        let tx = houses.device(&mut random);
        for _ in 0..12 {
            let rx = houses.device(&mut random);
            if rx == tx {
                continue;
            }
            let mut all = vec![put(rx)];
            all.extend(beside.iter().map(|to| put(rx + *to)));
            let paths = find(&place, put(tx), &all, Search::Exhaustive);
            if !is_turned {
                for path in &paths {
                    let mut from = path.tx_position;
                    let points = path.vertices.iter().map(|i| i.point);
                    for to in points.chain([path.rx_position]) {
                        let inside = houses.inside(from, to);
                        assert!(
                            inside < 1e-6,
                            "seed {seed}: {inside} m of {path:?} in a house"
                        );
                        from = to;
                    }
                }
            }
            let here = images(&place, &paths, 0);
            total += here.len();
            let around: Vec<BTreeSet<Sequence>> =
                (1..all.len()).map(|r| images(&place, &paths, r)).collect();
            let somewhere: BTreeSet<&Sequence> = around.iter().flatten().collect();
            let is_everywhere = |s: &&Sequence| around.iter().all(|found| found.contains(*s));
            ties += somewhere.iter().filter(|s| !is_everywhere(s)).count();
            for found in &here {
                assert!(
                    somewhere.contains(found),
                    "seed {seed}, {tx} to {rx}: {found:?} is nowhere around"
                );
                brighter += usize::from(!is_everywhere(&found));
            }
            for found in somewhere.iter().filter(|s| is_everywhere(s)) {
                assert!(
                    here.contains(*found),
                    "seed {seed}, {tx} to {rx}: {found:?} is everywhere around"
                );
            }
        }
    }
    assert!(total > 2000 && ties > 200, "{total} paths, {ties} ties");
    assert_eq!(brighter, 0, "of {ties} ties are on the bright side");
}

#[test]
fn searches_agree_on_whole_numbers() {
    let (mut total, mut missed) = (0, [0; 3]);
    for seed in 0..24 {
        let houses = Houses::new(seed);
        let mesh = match seed % 4 {
            0 => houses.mesh.clone(),
            1 => inside_out(&houses.mesh),
            2 => all_aslant(&houses.mesh),
            _ => all_aslant(&with_turned(&houses.mesh, |t| t % 3 == 0)),
        };
        let place = place::named(&mesh);
        let put = |p: DVec3| if seed % 4 > 1 { aslant(p) } else { p };
        let mut random = Random(seed);
        let tx = houses.device(&mut random);
        let rx: Vec<DVec3> = (0..40)
            .map(|_| houses.device(&mut random))
            .filter(|rx| *rx != tx)
            .map(put)
            .collect();
        let expected = find(&place, put(tx), &rx, Search::Exhaustive);
        let searches = [Search::Complete, Search::default(), Search::Tiles];
        for (search, missed) in searches.into_iter().zip(&mut missed) {
            let found = find(&place, put(tx), &rx, search);
            for (r, position) in rx.iter().enumerate() {
                let [a, b] = [&expected, &found].map(|paths| sequences(&place, paths, r));
                let extra: Vec<_> = b.difference(&a).collect();
                assert!(extra.is_empty(), "seed {seed}, {search:?}: {extra:?}");
                *missed += a.difference(&b).count();
                if search == Search::Complete {
                    total += a.len();
                    let lost: Vec<_> = a.difference(&b).collect();
                    assert!(
                        lost.is_empty(),
                        "seed {seed}, {search:?}: {lost:?} to {position}"
                    );
                }
            }
        }
    }
    // Launched rays and tiles may miss paths, on whole numbers or not.
    assert!(total > 8000, "{total}");
    let few = [0, total / 500, total / 40];
    assert!(
        missed.iter().zip(few).all(|(n, few)| *n <= few),
        "{missed:?} of {total}"
    );
}

/// The shares of cells where tubes differ by more than 1 dB from exact paths, and where one has a path of `STRONG` and the other none; cells lie
/// so far off whole numbers.
fn tubes_beside_points(off: DVec2, seeds: std::ops::Range<u64>) -> [f64; 2] {
    const STRONG: f64 = 1e-11;
    let limits = limits();
    let control = Control::default();
    let (mut cells, mut different, mut lost) = (0.0, 0.0, 0.0);
    for seed in seeds {
        let houses = Houses::new(seed);
        let place = place::named(&houses.mesh);
        let tx = houses.device(&mut Random(seed));
        let (low, high) = (DVec2::splat(-5.5) + off, DVec2::splat(20.5) + off);
        let levels = Levels::AboveSea(vec![1.0, 3.0, 5.0]);
        let region = Region::planes(low, high, DVec2::ONE, levels).unwrap();
        let all = 0..region.num_cells();
        let settings = tubes::Settings {
            limits,
            accuracy: Accuracy::Default,
            min_gain: 1e-16,
        };
        let tubes = Tubes::new(&place, &region, settings);
        let finder = PathFinder::new(&place, &limits, Search::Exhaustive, &control).unwrap();
        let points = Points::new(&place, &region, finder);
        let tx = at(tx.to_array(), Antenna::default());
        let exact = points.gains(&tx, all.clone(), &control).unwrap();
        let found = tubes.gains(&tx, all, &control).unwrap();
        for (a, b) in exact.iter().zip(&found) {
            if a.is_nan() || a.max(*b) < STRONG {
                continue;
            }
            cells += 1.0;
            let db = (10.0 * (b.max(1e-20) / a.max(1e-20)).log10()).abs();
            if db > 1.0 {
                different += 1.0;
            }
            if db > 60.0 {
                lost += 1.0;
            }
        }
    }
    [different / cells, lost / cells]
}

#[test]
fn tubes_are_as_near_to_exact_paths_on_whole_numbers_as_off_them() {
    let on = tubes_beside_points(DVec2::ZERO, 0..4);
    let off = tubes_beside_points(DVec2::new(0.0371, 0.0193), 0..4);
    for (on, off) in on.into_iter().zip(off) {
        assert!(on <= off + 2e-3, "{on} on whole numbers, {off} off them");
    }
}

/// Two houses of one height whose roofs overlap by millimetres along lines that are not quite parallel, as drawings of touching houses do. The
/// roof goes on over both walls below, so no wave is diffracted down into either house.
#[test]
fn no_wave_enters_a_house_between_roofs_that_overlap() {
    let mut mesh = Mesh::default();
    let ground = [[-60., -60.], [60., -60.], [60., 60.], [-60., 60.]];
    add_polygon(
        &mut mesh,
        "ground",
        &ground.map(|[x, y]| DVec3::new(x, y, 0.0)),
    );
    // The walls between both start at one point and part by 4 mm over 10 m.
    let one = [[-20., -30.], [20., -30.], [20., 0.], [-20., 0.]];
    let other = [[10., -0.004], [20., 0.0], [20., 25.], [10., 25.]];
    add_prism(&mut mesh, "brick", &one, 0.0, 12.0, false);
    add_prism(&mut mesh, "brick", &other, 0.0, 12.0, false);
    for mesh in [mesh.clone(), inside_out(&mesh), all_aslant(&mesh)] {
        let is_aslant = mesh.vertices[0].x.fract() != 0.0;
        let put = |p: DVec3| if is_aslant { aslant(p) } else { p };
        let place = place::named(&mesh);
        let tx = put(DVec3::new(13.7, -50.0, 12.9));
        let rx: Vec<DVec3> = (0..60)
            .map(|k| put(DVec3::new(10.3 + 0.16 * f64::from(k), 6.2, 1.5)))
            .collect();
        for search in [Search::Exhaustive, Search::Complete] {
            let found = find(&place, tx, &rx, search);
            assert!(found.is_empty(), "{search:?}: {:?}", found[0]);
        }
        let [low, high] = [rx[0], rx[59]].map(DVec3::truncate);
        let (low, high) = (low.min(high) - 0.2, low.max(high) + 0.2);
        let region = Region::planes(low, high, DVec2::splat(0.4), Levels::AboveSea(vec![1.5]));
        let region = region.unwrap();
        let settings = tubes::Settings {
            limits: limits(),
            accuracy: Accuracy::Exact,
            min_gain: 1e-18,
        };
        let tubes = Tubes::new(&place, &region, settings);
        let tx = at(tx.to_array(), Antenna::default());
        let gains = tubes.gains(&tx, 0..region.num_cells(), &Control::default());
        assert!(
            gains
                .unwrap()
                .iter()
                .all(|gain| gain.is_nan() || *gain == 0.0)
        );
    }
}
