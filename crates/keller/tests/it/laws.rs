//! Laws that all engines obey: Tx and Rx may change places, the world may be turned and moved, threads change no bit, and the field goes on
//! through the boundaries of light.
//!
//! Tiny places, one kind of interaction after the other. Each law names the engines that hold it to rounding, and those that cannot, with
//! the reason and how far they are from it.

mod accelerators;
mod worlds;

use std::f64::consts::PI;

use crate::common::add_box;
use crate::common::engines::{ENGINES, Engine, MIN_GAIN, Received, Row, link_paths, tile_fields};
use crate::common::place::{self, at, both, free_space};
use glam::DMat3;
use keller::antenna::{Antenna, Orientation, Pattern, Polarization};
use keller::coverage::tiles::TileField;
use keller::coverage::tubes::Accuracy;
use keller::field::PathField;
use keller::materials::Material;
use keller::paths::Search;
use keller::scene::Mesh;
use keller::units::power_to_db;
use keller::{DVec3, Tx};

pub(crate) use self::worlds::limits;
use self::worlds::{Kind, World, edges_behind_scatterings, kinds, sampled};

/// Every engine that follows a kind. Tubes take seconds where edges light, so they do so among the sheets alone.
fn engines_for<'a>(world: &'a World, kind: &'a Kind) -> impl Iterator<Item = Engine> + 'a {
    let is_slow_for_tubes = kind.limits.max_diffractions > 0;
    ENGINES.into_iter().filter(move |engine| {
        let is_possible = match engine {
            Engine::Tubes(_) => !is_slow_for_tubes || world.name == "sheets",
            // No roof is between the devices of the last two.
            Engine::Rooftops { .. } => {
                world.is_upright && !["room", "crossing"].contains(&world.name)
            }
            _ => true,
        };
        is_possible && engine.follows(&kind.limits)
    })
}

/// The largest difference of two gains, dB, where less than so much counts as that.
fn apart_db(pair: [f64; 2], floor: f64) -> f64 {
    let [a, b] = pair.map(|gain| power_to_db(gain.max(floor)));
    (a - b).abs()
}

/// The differences of two runs of an engine: powers in dB, and the sums of fields over the root of the power.
#[derive(Debug, Clone, Copy, Default)]
struct Apart {
    db: f64,
    field: f64,
}

impl Apart {
    fn of(engine: Engine, kind: &Kind, free: &[f64], runs: [&[Received]; 2]) -> Self {
        let mut worst = Self::default();
        assert!(
            runs[0].iter().any(|r| r.gain > 0.0),
            "{}, {engine:?}",
            kind.name
        );
        for ((a, b), free) in runs[0].iter().zip(runs[1]).zip(free) {
            let floor = match engine {
                Engine::Tubes(_) => (1e-6 * free).max(100.0 * MIN_GAIN),
                _ => 1e-7 * free,
            };
            worst.db = worst.db.max(apart_db([a.gain, b.gain], floor));
            // Scattered power has no phase.
            if let (Some(c), Some(d), 0) = (a.coherent, b.coherent, kind.limits.max_scatterings) {
                let root = a.gain.max(b.gain).max(floor).sqrt();
                worst.field = worst.field.max((c.sqrt() - d.sqrt()).abs() / root);
            }
        }
        worst
    }
}

/// Free space to each receiver.
fn free(world: &World) -> Vec<f64> {
    let points = world.rx.points();
    let gains = points.iter().map(|rx| free_space(rx.distance(world.tx)));
    gains.collect()
}

/// The largest deviation of an engine from a law.
///
/// Rounding is all that searches of every sequence differ by, and tubes that are verified.
fn most(engine: Engine, world: &World, kind: &Kind) -> Apart {
    let [db, field] = match engine {
        // Rounding chooses between both orders where a wave meets the edge of two walls, in which its polarisation
        // differs a little.
        Engine::Tubes(Accuracy::Exact)
            if world.name == "room" && kind.limits.max_scatterings == 0 =>
        {
            [1e-6, 5e-4]
        }
        // Most cells are near the borders of walls through each other.
        Engine::Tubes(Accuracy::Default) if world.name == "crossing" => [1.0, 0.12],
        // Sums over patches, which walls are cut into by a grid that does not turn and move with them.
        Engine::Link(_) | Engine::Points if kind.limits.max_scatterings > 0 => [0.1, 0.0],
        // Sums over squares, which are parts of the width of cells.
        Engine::Tubes(_) if kind.limits.max_scatterings > 0 => [0.7, 0.0],
        // Rays are launched in directions that do not turn with the world, and from the Tx alone: what they hardly see, they may miss.
        Engine::Link(Search::Launch(_)) => [0.01, 0.02],
        // Tubes leave the Tx and the edges that it illuminates, and end where little power is left.
        Engine::Link(Search::Tubes(_)) => [0.02, 0.02],
        // Small visible parts of tiles are missed, and tiles are followed from the Tx.
        Engine::Link(Search::Tiles) => [1.0, 0.25],
        // Cells far from doubt are not verified.
        Engine::Tubes(Accuracy::Default) => [0.7, 0.12],
        // Chains are marched from the Tx, and read from tables unless exact.
        Engine::Rooftops { is_exact: true } => [0.15, 0.0],
        Engine::Rooftops { is_exact: false } => [0.5, 0.0],
        _ => [1e-6, 1e-6],
    };
    Apart { db, field }
}

struct Verdict {
    law: &'static str,
    failures: Vec<String>,
}

impl Verdict {
    fn new(law: &'static str) -> Self {
        Self {
            law,
            failures: Vec::new(),
        }
    }

    fn check(&mut self, world: &World, kind: &Kind, engine: Engine, found: Apart) {
        let most = most(engine, world, kind);
        if !(found.db <= most.db && found.field <= most.field) {
            self.failures.push(format!(
                "{}: {}, {}, {engine:?}: {found:?}",
                self.law, world.name, kind.name
            ));
        }
    }

    fn finish(self) {
        assert!(self.failures.is_empty(), "{:#?}", self.failures);
    }
}

/// Antennas that are not isotropic and look in odd directions, turned with the world.
fn odd(turn: DMat3) -> [Antenna; 2] {
    let one = |polarization: &str, angles| {
        let own = Orientation::from_degrees(angles).global_from_local();
        Antenna {
            pattern: Pattern::from_name("tr38901").unwrap(),
            polarization: Polarization::from_name(polarization).unwrap(),
            orientation: orientation(turn * own),
            ..Antenna::default()
        }
    };
    [
        one("cross", [27.0, 8.0, 11.0]),
        one("V", [-171.0, -13.0, 29.0]),
    ]
}

/// The bearing, downtilt and slant of a rotation.
fn orientation(global_from_local: DMat3) -> Orientation {
    let [x, y, z] = global_from_local.to_cols_array_2d();
    Orientation {
        bearing: x[1].atan2(x[0]),
        downtilt: -x[2].asin(),
        slant: y[2].atan2(z[2]),
    }
}

fn sender(position: DVec3, antenna: &Antenna) -> Tx {
    at(position.to_array(), antenna.clone())
}

/// Antennas of both polarisations at both ends.
#[test]
fn tx_and_rx_may_change_places() {
    let mut verdict = Verdict::new("reciprocity");
    for world in World::all() {
        for kind in kinds() {
            let place = world.place(&kind);
            for engine in engines_for(&world, &kind) {
                let tx = sender(world.tx, &both());
                let there = engine.received(&place, &tx, &world.rx, &kind.limits);
                let row = Row {
                    step: world.rx.step,
                    ..Row::of_one(world.tx)
                };
                let back = world.rx.points().into_iter().flat_map(|from| {
                    engine.received(&place, &sender(from, &both()), &row, &kind.limits)
                });
                let back: Vec<Received> = back.collect();
                let found = Apart::of(engine, &kind, &free(&world), [&there, &back]);
                verdict.check(&world, &kind, engine, found);
            }
        }
    }
    verdict.finish();
}

/// Antennas turned with the world.
#[test]
fn the_world_may_be_turned() {
    let mut verdict = Verdict::new("rotation");
    let aslant = DMat3::from_axis_angle(DVec3::new(0.3, -0.5, 0.81).normalize(), 0.777);
    let upright = DMat3::from_rotation_z(0.531);
    for world in World::all() {
        for kind in kinds() {
            let runs = |turn: DMat3, engine: Engine, is_above_ground: bool| {
                let worlds = [world.clone(), world.moved(turn, DVec3::ZERO)];
                let antennas = [DMat3::IDENTITY, turn].map(|turn| odd(turn)[0].clone());
                let [a, b] = [0, 1].map(|k| {
                    let tx = sender(worlds[k].tx, &antennas[k]);
                    let rx = Row {
                        is_above_ground,
                        ..worlds[k].rx
                    };
                    engine.received(&worlds[k].place(&kind), &tx, &rx, &kind.limits)
                });
                Apart::of(engine, &kind, &free(&world), [&a, &b])
            };
            for engine in engines_for(&world, &kind) {
                let is_over_roofs = matches!(engine, Engine::Rooftops { .. });
                let mut found = runs(if is_over_roofs { upright } else { aslant }, engine, false);
                // Fields are added up for each polarisation of a receiver that stays upright.
                found.field = 0.0;
                verdict.check(&world, &kind, engine, found);
                let is_coverage = !matches!(engine, Engine::Link(_));
                if world.is_upright && is_coverage && kind.name == "reflection" {
                    let found = runs(upright, engine, true);
                    verdict.check(&world, &kind, engine, found);
                }
            }
        }
    }
    verdict.finish();
}

/// The world is moved as far from the origin as places in UTM are.
#[test]
fn the_world_may_be_moved() {
    let mut verdict = Verdict::new("translation");
    let way = DVec3::new(691_607.3, 5_334_760.1, 517.7);
    let antenna = &odd(DMat3::IDENTITY)[0];
    for world in World::all() {
        let moved = world.moved(DMat3::IDENTITY, way);
        for kind in kinds() {
            for engine in engines_for(&world, &kind) {
                let [a, b] = [&world, &moved].map(|world| {
                    let place = world.place(&kind);
                    engine.received(&place, &sender(world.tx, antenna), &world.rx, &kind.limits)
                });
                let found = Apart::of(engine, &kind, &free(&world), [&a, &b]);
                verdict.check(&world, &kind, engine, found);
            }
        }
    }
    verdict.finish();
}

#[test]
fn threads_change_no_bit() {
    let antenna = &odd(DMat3::IDENTITY)[0];
    for world in World::all() {
        let tx = sender(world.tx, antenna);
        for kind in kinds() {
            let place = world.place(&kind);
            for engine in engines_for(&world, &kind) {
                let [one, three] = [1, 3].map(|threads| {
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
                    let run = || engine.received(&place, &tx, &world.rx, &kind.limits);
                    pool.build().unwrap().install(run)
                });
                assert_eq!(one, three, "{}, {}, {engine:?}", world.name, kind.name);
            }
        }
    }
}

/// Every search of links is tried between two antennas that are not isotropic.
#[test]
fn antennas_may_change_places_with_their_devices() {
    let [one, other] = odd(DMat3::IDENTITY);
    for world in World::all() {
        for kind in kinds() {
            let place = world.place(&kind);
            let gain = |search: Search, tx: (DVec3, &Antenna), rx: (DVec3, &Antenna)| -> f64 {
                let paths = link_paths(&place, tx.0, &[rx.0], &kind.limits, search);
                let fields = paths.iter().map(|path| PathField::new(path, &place));
                fields.map(|field| field.gain(tx.1, rx.1)).sum()
            };
            for engine in engines_for(&world, &kind) {
                let Engine::Link(search) = engine else {
                    continue;
                };
                for rx in world.rx.points() {
                    let there = gain(search, (world.tx, &one), (rx, &other));
                    // A Tx of two ports shares its power between them, an Rx of two adds up its received powers.
                    let back = 0.5 * gain(search, (rx, &other), (world.tx, &one));
                    let floor = 1e-7 * free_space(world.tx.distance(rx));
                    let found = apart_db([there, back], floor);
                    let most = most(engine, &world, &kind).db;
                    assert!(
                        found <= most,
                        "{}, {}, {search:?}, {found}",
                        world.name,
                        kind.name
                    );
                }
            }
        }
    }
}

/// The fields of both worlds on the sides of tiles, which are found by their centres.
fn tiles_apart(
    [one, two]: [&World; 2],
    kind: &Kind,
    [antenna, other]: [&Antenna; 2],
    map: impl Fn(DVec3) -> DVec3,
) -> [f64; 2] {
    let fields = |world: &World, antenna: &Antenna| {
        let tx = sender(world.tx, antenna);
        tile_fields(&world.place(kind), &tx, kind.on_tiles(), 4.0)
    };
    let (ours, theirs) = (fields(one, antenna), fields(two, other));
    let mut worst = 0.0_f64;
    let mut num_lost = 0;
    for (centre, sides) in &ours {
        let there = map(*centre);
        let same = theirs.iter().find(|(at, _)| at.distance(there) < 1e-4);
        let Some((_, others)) = same else {
            num_lost += 1;
            continue;
        };
        // Few rays bring most of the power round edges into deep shadow.
        let floor = match kind.name {
            "edges behind scatterings" => 1e-4,
            "sampled" => 1e-3,
            _ => 1e-6,
        };
        let floor = floor * free_space(centre.distance(one.tx));
        let gain = |field: &TileField| field.path_gain + field.diffuse_gain;
        for (a, b) in sides.iter().zip(others) {
            worst = worst.max(apart_db([gain(a), gain(b)], floor));
        }
    }
    [worst, f64::from(num_lost) / ours.len() as f64]
}

/// Tiles lie along the sides of their faces, so they turn with the world. (No device stands in a tile that a Tx could change places with:
/// `tiles_coverage` asks for the way back between tiles.)
#[test]
fn fields_on_surfaces_obey_too() {
    let turn = DMat3::from_axis_angle(DVec3::new(0.3, -0.5, 0.81).normalize(), 0.777);
    let way = DVec3::new(691_607.3, 5_334_760.1, 517.7);
    let antennas = [DMat3::IDENTITY, turn].map(|turn| odd(turn)[0].clone());
    let [upright, turned] = &antennas;
    // Centres of tiles stand in the planes of symmetry of the others, where rounding says which end of an edge a wave meets.
    for world in World::all()
        .into_iter()
        .filter(|world| world.name != "crossing")
    {
        let [there, far] = [
            world.moved(turn, DVec3::ZERO),
            world.moved(DMat3::IDENTITY, way),
        ];
        let all = kinds()
            .into_iter()
            .chain([edges_behind_scatterings(), sampled()]);
        let all: Vec<Kind> = all.collect();
        for kind in all.iter().filter(|kind| kind.limits.max_transmissions == 0) {
            let check = |[worst, lost]: [f64; 2], law: &str| {
                let is_triangular = world.name == "hills" && law == "rotation";
                let most = match kind.name {
                    // Small visible parts of tiles are missed.
                    "two edges" => 1.0,
                    "scattering" => 1e-3,
                    // Sums over rays, which may meet either of two tiles at a border. Triangles are cut otherwise.
                    "edges behind scatterings" if is_triangular => 2.0,
                    "sampled" if is_triangular => 3.0,
                    "sampled" => 1.5,
                    "edges behind scatterings" => 0.5,
                    _ => 1e-6,
                };
                let is_lawful = worst < most && (lost == 0.0 || is_triangular);
                assert!(
                    is_lawful,
                    "{law}: {}, {}: {worst} dB, {lost} lost",
                    world.name, kind.name
                );
            };
            let found = tiles_apart([&world, &there], kind, [upright, turned], |p| turn * p);
            check(found, "rotation");
            let found = tiles_apart([&world, &far], kind, [upright; 2], |p| p + way);
            check(found, "translation");
            let place = world.place(kind);
            let tx = sender(world.tx, upright);
            let [one, three] = [1, 3].map(|threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
                let run = || tile_fields(&place, &tx, kind.on_tiles(), 4.0);
                pool.build().unwrap().install(run)
            });
            assert!(one == three, "{}, {}", world.name, kind.name);
        }
    }
}

/// Receivers a tenth of a millimetre apart, around the upright edge of a tall house: through the boundary of its wall's reflection, and
/// through that of its shadow. (Fields on tiles stand still, and rooftops add powers.)
#[test]
fn the_field_goes_on_through_the_boundaries_of_light() {
    const STEP: f64 = 1e-4;
    let mut mesh = Mesh::default();
    add_box(
        &mut mesh,
        "house",
        DVec3::new(-12.0, -9.0, 0.0),
        DVec3::new(0.0, 0.0, 14.0),
    );
    let turn = DMat3::from_rotation_z(0.417);
    for vertex in &mut mesh.vertices {
        *vertex = turn * *vertex;
    }
    let limits = limits(1, [1, 0, 1, 0]);
    for name in ["pec", "concrete", "flat"] {
        let material = Material::from_name(name).unwrap_or_else(|| worlds::flat(None));
        let place = place::of(&mesh, &[material]);
        // The Tx is before the wall that looks along y, near the edge at the origin.
        let tx = DVec3::new(-9.0, 12.0, 7.3);
        let away = tx.y.atan2(tx.x);
        for (boundary, angle) in [("reflection", PI - away), ("shadow", away - PI)] {
            let on = DVec3::new(21.0 * angle.cos(), 21.0 * angle.sin(), 6.1);
            let step = STEP * DVec3::new(-angle.sin(), angle.cos(), 0.2);
            let (on, step) = (turn * on, turn * step);
            let row = Row::new((on - 2.5 * step).to_array(), step.to_array(), 6);
            let tx = sender(turn * tx, &both());
            let free = free_space(tx.position.distance(on));
            for engine in ENGINES.into_iter().filter(|engine| engine.follows(&limits)) {
                let is_slow = matches!(engine, Engine::Tubes(_));
                if matches!(engine, Engine::Rooftops { .. }) || (is_slow && name == "pec") {
                    continue;
                }
                let received: Vec<Received> = if is_slow {
                    // Each in a cell of its own, as tubes are split to the size of cells.
                    let rows = row.points()[2..5]
                        .iter()
                        .map(|rx| Row::of_one(*rx))
                        .collect::<Vec<_>>();
                    let each = rows
                        .iter()
                        .flat_map(|row| engine.received(&place, &tx, row, &limits));
                    each.collect()
                } else {
                    engine.received(&place, &tx, &row, &limits)
                };
                let amplitude = |r: &Received| (r.coherent.unwrap() / free).sqrt();
                let fields: Vec<f64> = received.iter().map(amplitude).collect();
                // The kinks are the distances of fields from the line through their neighbours.
                let kinks = fields
                    .windows(3)
                    .map(|f| (f[1] - 0.5 * (f[0] + f[2])).abs());
                let worst = kinks.fold(0.0, f64::max);
                // Tubes interpolate the cells that they do not verify.
                let most = if engine == Engine::Tubes(Accuracy::Default) {
                    1e-5
                } else {
                    1e-6
                };
                assert!(worst < most, "{name}, {boundary}, {engine:?}: {fields:?}");
            }
        }
    }
}
