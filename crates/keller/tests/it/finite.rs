//! A law: no NaN and no infinity leaves a public function.
//!
//! Every search and every engine runs over places that tempt rounding: sheets, touching houses and walls that cross, all on whole
//! numbers, with devices in line with edges, in the planes of walls, and as near to walls, edges and corners as they may stand.

use std::ops::Deref;

use crate::common::engines::{points, rooftops, tubes};
use crate::common::place::{self, both};
use crate::common::{add_box, add_polygon, links};
use glam::DVec2;
use keller::channel::{Antennas, Band, ImpulseResponse, Motion, replay};
use keller::coverage::tubes::Accuracy;
use keller::coverage::{CellPaths, Levels, Multipath, Region};
use keller::field::PathField;
use keller::materials::{ItuMaterial, Lobe, Material, Medium, Scattering, Texture};
use keller::paths::{Effort, Interaction, Limits, PatchArea, Path, Search, Vertex, has_room};
use keller::scene::{FaceId, Mesh};
use keller::{Complex64, Control, DVec3, Tx, World};

struct Place {
    walls: World,
    tx: Vec<DVec3>,
    rx: Vec<DVec3>,
}

impl Deref for Place {
    type Target = World;

    fn deref(&self) -> &World {
        &self.walls
    }
}

impl Place {
    /// Rough walls that let waves through, each material with another lobe.
    fn new(mesh: &Mesh, tx: &[[f64; 3]], rx: &[[f64; 3]]) -> Self {
        let lobes = [
            Lobe::Directive { forward: 20 },
            Lobe::Lambertian,
            Lobe::Backscattering {
                forward: 3,
                back: 9,
                forward_share: 0.5,
            },
        ];
        let materials: Vec<Material> = (0..mesh.materials.len())
            .map(|k| {
                let texture = Texture {
                    scattering: Some(Scattering {
                        coefficient: 0.5,
                        cross_polarization: 0.2,
                        lobe: lobes[k % lobes.len()],
                    }),
                    roughness: 0.0,
                };
                Material::slab(Medium::Itu(ItuMaterial::Concrete), 0.1).with_texture(texture)
            })
            .collect();
        let walls = place::of(mesh, &materials);
        let usable = |all: &[[f64; 3]]| -> Vec<DVec3> {
            let all = all.iter().map(|&p| DVec3::from(p));
            all.filter(|&p| has_room(walls.scene(), p)).collect()
        };
        Self {
            tx: usable(tx),
            rx: usable(rx),
            walls,
        }
    }

    /// 10 x 8 x 3 m of sheets, with a partition, a door in it, and a wall that crosses it.
    fn room() -> Self {
        let mut mesh = Mesh::default();
        let mut add = |material, corners: [[f64; 3]; 4]| {
            add_polygon(&mut mesh, material, &corners.map(DVec3::from));
        };
        let level = |z: f64| [[0., 0., z], [10., 0., z], [10., 8., z], [0., 8., z]];
        let along_x = |y: f64, [a, b]: [f64; 2]| [[a, y, 0.], [b, y, 0.], [b, y, 3.], [a, y, 3.]];
        let along_y = |x: f64, [a, b]: [f64; 2]| [[x, a, 0.], [x, b, 0.], [x, b, 3.], [x, a, 3.]];
        add("floor", level(0.0));
        add("floor", level(3.0));
        add("wall", along_x(0.0, [0., 10.]));
        add("wall", along_x(8.0, [0., 10.]));
        add("wall", along_y(0.0, [0., 8.]));
        add("wall", along_y(10.0, [0., 8.]));
        add("partition", along_y(4.0, [0., 5.]));
        add("partition", along_y(4.0, [6., 8.]));
        add("partition", along_x(2.0, [2., 6.]));
        let near = 1.000_001e-4;
        Self::new(
            &mesh,
            &[[2., 4., 1.], [4., 5.5, 2.], [8., 2., 1.5], [1., 1., 1.]],
            &[
                [6., 4., 1.],
                [7., 2., 1.],
                [4., 5.25, 1.],
                [8., 6., 2.],
                [2., 7., 1.],
                [5., 3., 1.5],
                [near, near, near],
                [4. - near, 4., 1.],
                [4., 5. + near, 1.5],
            ],
        )
    }

    /// Touching houses on a ground, and a Tx in line with their roofs, walls and edges.
    fn houses() -> Self {
        let mut mesh = Mesh::default();
        let ground = [
            [-10., -10., 0.],
            [20., -10., 0.],
            [20., 20., 0.],
            [-10., 20., 0.],
        ];
        add_polygon(&mut mesh, "ground", &ground.map(DVec3::from));
        for (low, high) in [
            ([2., 2., 0.], [6., 6., 4.]),
            ([6., 2., 0.], [10., 6., 4.]),
            ([6., 6., 0.], [9., 9., 3.]),
            ([2., 2., 4.], [4., 4., 6.]),
        ] {
            add_box(&mut mesh, "house", low.into(), high.into());
        }
        Self::new(
            &mesh,
            &[[-4., 2., 4.], [6., -6., 4.], [4., 4., 9.], [-2., -2., 2.]],
            &[
                [12., 2., 4.],
                [6., 12., 3.],
                [12., 6., 1.],
                [1., 6., 1.],
                [6., 1., 4.],
                [14., 14., 2.],
                [5., 8., 1.],
                [6., 6., 4.0002],
                [1.9998, 4., 4.],
                [10.0002, 6.0002, 2.],
            ],
        )
    }

    /// Open sheets that cross, lean on each other, and stand in a row.
    fn screens() -> Self {
        let mut mesh = Mesh::default();
        let mut add = |material, corners: [[f64; 3]; 4]| {
            add_polygon(&mut mesh, material, &corners.map(DVec3::from));
        };
        add(
            "east",
            [[0., 0., 0.], [8., 0., 0.], [8., 0., 4.], [0., 0., 4.]],
        );
        add(
            "north",
            [[4., -4., 0.], [4., 4., 0.], [4., 4., 4.], [4., -4., 4.]],
        );
        add(
            "north",
            [[12., -4., 0.], [12., 4., 0.], [12., 4., 4.], [12., -4., 4.]],
        );
        add(
            "tilted",
            [[4., 0., 4.], [8., 0., 4.], [8., 4., 8.], [4., 4., 8.]],
        );
        Self::new(
            &mesh,
            &[[-4., 0., 2.], [2., -2., 2.], [-4., -4., 4.], [4., -8., 4.]],
            &[
                [16., 0., 2.],
                [6., 2., 2.],
                [16., 4., 4.],
                [4., 8., 4.],
                [2., 2., 6.],
                [10., 0., 1.],
                [4., 4.0002, 2.],
                [4.0002, 0.0002, 1.],
            ],
        )
    }

    fn all() -> [Self; 3] {
        [Self::room(), Self::houses(), Self::screens()]
    }

    fn paths(&self, limits: &Limits, search: Search) -> Vec<Path> {
        links(self, &self.tx, &self.rx, limits, search)
    }

    /// Holds the law for paths and for all that a channel makes of them.
    fn check_paths(&self, paths: &[Path], name: &str) {
        let motion = Motion {
            tx: DVec3::new(1.0, -2.0, 0.5),
            ..Motion::default()
        };
        let antenna = both();
        let antennas = Antennas::single(&antenna, &antenna);
        let band = Band::new(self.surfaces().frequency(), 1e8, 3).unwrap();
        for path in paths {
            let field = PathField::new(path, self);
            let gain = field.gain(&antenna, &antenna);
            let is_finite = path.length.is_finite()
                && path.vertices.iter().all(|i| i.point.is_finite())
                && field.coefficient.as_flattened().iter().all(finite)
                && field.departure.unit_vector().is_finite()
                && field.arrival.unit_vector().is_finite()
                && (gain + field.delay + field.clutter_loss_db).is_finite();
            assert!(is_finite, "{name}: {field:?} along {path:?}");
        }
        for link in paths.chunk_by(|a, b| (a.tx, a.rx) == (b.tx, b.rx)) {
            let name = format!("{name}, tx {} rx {}", link[0].tx, link[0].rx);
            let response = ImpulseResponse::new(link, &self.walls, antennas, &motion);
            assert!(response.amplitudes.iter().all(finite), "{name}: taps");
            let dopplers = response.taps.iter().map(|tap| tap.doppler_shift);
            assert!(dopplers.sum::<f64>().is_finite(), "{name}: Doppler");
            let statistics = response.statistics();
            let gains = [statistics.coherent_gain, statistics.incoherent_gain];
            assert!(gains.iter().all(|g| g.is_finite()), "{name}: {gains:?}");
            if let Some(spreads) = statistics.spreads {
                let mut values = vec![spreads.mean_delay, spreads.delay_spread];
                values.extend([spreads.mean_doppler, spreads.doppler_spread]);
                values.extend(spreads.departure.iter().chain(&spreads.arrival));
                assert!(values.iter().all(|v| v.is_finite()), "{name}: {spreads:?}");
                // Infinite where there is one path.
                assert!(!spreads.k_factor.is_nan(), "{name}: K factor");
            }
            let response = response.over(&band, &[0.0, 0.1]);
            assert!(response.values.iter().all(finite), "{name}: response");
            let replayed = replay(
                link,
                std::slice::from_ref(&self.walls),
                antennas,
                &motion,
                &[0.1],
            );
            assert!(replayed.values.iter().all(finite), "{name}: replay");
        }
    }

    fn check_cells(&self, region: &Region, multipath: &Multipath, name: &str) {
        for (cell, (gain, paths)) in multipath.path_gain.iter().zip(&multipath.cells).enumerate() {
            let centre = region.centre(region.cell(cell), &[]).unwrap();
            let name = format!("{name}, cell at {centre}");
            self.check_gain(*gain, centre, &name);
            check_cell(paths, &name);
        }
    }

    /// NaN says that no receiver can be there, and nothing else.
    fn check_gain(&self, gain: f64, centre: DVec3, name: &str) {
        let is_blocked = !has_room(self.scene(), centre);
        let is_good = gain.is_finite() || (gain.is_nan() && is_blocked);
        assert!(is_good, "{name}: {gain}");
    }

    /// Cells whose centres lie on whole numbers, on walls and corners too.
    fn region(&self) -> Region {
        let [low, high] = self.scene().bounds();
        let low = low.truncate().floor() - 1.5;
        let size = (high.truncate().ceil() + 1.5 - low).round();
        Region::planes(
            low,
            low + size,
            DVec2::splat(1.0),
            Levels::AboveSea(vec![1.0, 4.0]),
        )
        .unwrap()
    }

    fn senders(&self) -> impl Iterator<Item = Tx> {
        self.tx.iter().map(|&position| Tx {
            position,
            antenna: both(),
        })
    }
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "iterators over slices give references"
)]
fn finite(value: &Complex64) -> bool {
    value.re.is_finite() && value.im.is_finite()
}

fn check_cell(cell: &CellPaths, name: &str) {
    let gains = cell.strongest_gain + cell.coherent_gain;
    assert!(gains.is_finite(), "{name}: {cell:?}");
    if let Some(spreads) = cell.spreads {
        let angles = spreads.departure.iter().chain(&spreads.arrival);
        let sum: f64 = angles.map(|angle| angle.mean + angle.spread).sum();
        let sum = sum + spreads.mean_delay + spreads.delay_spread;
        assert!(sum.is_finite(), "{name}: {cell:?}");
    }
}

fn limits(max_interactions: usize, [r, t, d, s]: [usize; 4]) -> Limits {
    Limits {
        max_interactions,
        max_reflections: r,
        max_transmissions: t,
        max_diffractions: d,
        max_scatterings: s,
        free_edges: true,
        ..Limits::default()
    }
}

#[test]
fn paths_of_every_search_have_finite_fields() {
    let mixes = [
        limits(2, [2, 3, 0, 1]),
        limits(2, [1, 2, 2, 0]),
        limits(2, [1, 2, 1, 1]),
    ];
    for (k, place) in Place::all().iter_mut().enumerate() {
        place.tx.truncate(1);
        place.rx = place.rx.iter().rev().step_by(2).copied().collect();
        for limits in &mixes {
            for search in [
                Search::Launch(Effort::Quick),
                Search::Complete,
                Search::Tiles,
            ] {
                let paths = place.paths(limits, search);
                assert!(!paths.is_empty(), "place {k}, {search:?}");
                place.check_paths(&paths, &format!("place {k}, {search:?}, {limits:?}"));
            }
        }
    }
}

#[test]
fn paths_of_every_sequence_have_finite_fields() {
    for (k, mut place) in Place::all().into_iter().enumerate() {
        place.tx.truncate(1);
        place.rx.truncate(3);
        for limits in [limits(2, [1, 2, 1, 0]), limits(1, [1, 2, 1, 1])] {
            let paths = place.paths(&limits, Search::Exhaustive);
            place.check_paths(&paths, &format!("place {k}, {limits:?}"));
        }
    }
}

/// Patches there lie exactly on the junctions of walls.
#[test]
fn hundreds_of_scattered_links_in_a_room_are_finite() {
    let mut place = Place::room();
    let at = |k: usize| [k % 9 + 1, (k / 9) % 7 + 1].map(|i| i as f64);
    let all = (0..63).map(at).map(|[x, y]| DVec3::new(x, y, 1.0));
    place.rx = all.filter(|&p| has_room(place.scene(), p)).collect();
    place.tx.truncate(2);
    let limits = limits(2, [1, 4, 0, 1]);
    let paths = place.paths(&limits, Search::Launch(Effort::Quick));
    place.check_paths(&paths, "room");
}

#[test]
fn coverages_by_points_and_tubes_are_finite() {
    let control = Control::default();
    let all = [limits(2, [1, 2, 1, 1]), limits(3, [1, 1, 2, 0])];
    let places = Place::all();
    let all = all
        .iter()
        .flat_map(|limits| places.iter().map(move |place| (limits, place)));
    for (k, (limits, place)) in all.enumerate() {
        let region = place.region();
        let points = points(place, &region, limits, Search::Launch(Effort::Quick));
        let tubes = tubes(place, &region, limits, Accuracy::Default);
        let cells = 0..region.num_cells();
        for (t, tx) in place.senders().take(1).enumerate() {
            let name = |engine| format!("place {k}, tx {t}, {engine}");
            // A part of the cells is enough where each costs as much as a receiver.
            let few = 0..cells.end / 20;
            let found = points.multipath(&tx, few, &control).unwrap();
            place.check_cells(&region, &found, &name("points"));
            let found = tubes.multipath(&tx, cells.clone(), &control).unwrap();
            place.check_cells(&region, &found, &name("tubes"));
            let gains = tubes.gains(&tx, cells.clone(), &control).unwrap();
            for (cell, gain) in gains.into_iter().enumerate() {
                let centre = region.centre(region.cell(cell), &[]).unwrap();
                place.check_gain(gain, centre, &name("tubes, gains"));
            }
        }
    }
}

#[test]
fn fields_on_surfaces_are_finite() {
    let control = Control::default();
    let limits = limits(2, [2, 0, 1, 2]);
    let all = Place::all();
    let places = || all.iter().enumerate();
    let both = [None, Some(1)]
        .into_iter()
        .flat_map(|exact| places().map(move |p| (p, exact)));
    for ((k, place), exact) in both {
        let coverage = place::coverage(place, &limits, 2.0);
        let coverage = match exact {
            Some(most) => coverage.with_exact(most).unwrap(),
            None => coverage,
        };
        for (t, tx) in place.senders().enumerate() {
            let name = format!("place {k}, tx {t}");
            let fields = coverage.fields(&tx, &control).unwrap();
            for field in fields.iter().flatten() {
                let delays = [field.mean_delay, field.delay_spread];
                let sum: f64 = delays.into_iter().flatten().sum();
                let sum = sum + field.path_gain + field.diffuse_gain + field.incident_power;
                assert!(sum.is_finite(), "{name}: {field:?}");
                check_cell(&field.paths, &name);
            }
            for ray in coverage.rays(&tx, &control).unwrap() {
                let is_finite = ray.field.coefficient.as_flattened().iter().all(finite);
                assert!(is_finite && ray.gain.is_finite(), "{name}: {ray:?}");
            }
        }
    }
}

#[test]
fn gains_over_rooftops_are_finite() {
    let control = Control::default();
    for (k, place) in Place::all().iter().enumerate() {
        let region = place.region();
        for is_exact in [false, true] {
            let rooftops = rooftops(place, &region, is_exact);
            for tx in place.senders() {
                let found = rooftops.fill(&tx, 0..region.num_cells(), &control).unwrap();
                let replaced: f64 = found.replaced.iter().sum();
                assert!(replaced.is_finite(), "place {k} from {}", tx.position);
                for (cell, gain) in found.gains.into_iter().enumerate() {
                    let centre = region.centre(region.cell(cell), &[]).unwrap();
                    place.check_gain(gain, centre, &format!("place {k} from {}", tx.position));
                }
            }
        }
    }
}

/// A ray may pass two walls in the one point where they cross: there is no way from the one to the other.
#[test]
fn two_walls_passed_in_one_point_weaken_as_two() {
    let place = Place::screens();
    let (tx, rx) = (DVec3::new(2.0, -2.0, 2.0), DVec3::new(6.0, 2.0, 2.0));
    let through = |points: [DVec3; 2]| Path {
        tx: 0,
        rx: 0,
        tx_position: tx,
        rx_position: rx,
        vertices: points
            .iter()
            .enumerate()
            .map(|(k, &point)| Vertex {
                interaction: Interaction::Transmission(FaceId::from_index(k)),
                point,
            })
            .collect(),
        length: tx.distance(rx),
    };
    let crossing = DVec3::new(4.0, 0.0, 2.0);
    let before = crossing + (tx - crossing) * 1e-3;
    let gain = |path: &Path| {
        let field = PathField::new(path, &place);
        field.gain(&both(), &both())
    };
    let (apart, together) = (
        gain(&through([before, crossing])),
        gain(&through([crossing; 2])),
    );
    assert!((together / apart - 1.0).abs() < 1e-12, "{together} {apart}");
}

/// A path from a patch to itself carries no field, and makes no NaN.
#[test]
fn a_path_without_a_way_carries_no_field() {
    let place = Place::screens();
    let (tx, rx) = (place.tx[0], place.rx[0]);
    let area = PatchArea::from_square_metres(1.0);
    let patch = |point| Vertex {
        interaction: Interaction::Scattering(FaceId::from_index(0), area),
        point,
    };
    let path = Path {
        tx: 0,
        rx: 0,
        tx_position: tx,
        rx_position: rx,
        vertices: vec![patch(tx)],
        length: tx.distance(rx),
    };
    let field = PathField::new(&path, &place);
    let zero = [[Complex64::ZERO; 2]; 2];
    assert_eq!(field.coefficient, zero);
}
