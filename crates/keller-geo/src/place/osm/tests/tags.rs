//! Tags that make more or less of a building than a block on its outline, tested by the triangles that they become.

mod roofs;

use std::fmt::Write as _;

use glam::DVec3;
use keller::scene::{Defects, Edge, Mesh, Scene};

use super::*;
use crate::place::mesh::{Built, MeshOptions, build};
use crate::place::repair::{RepairOptions, repair};

/// The south-western corner of maps, degrees, and degrees in a metre there.
const CORNER: DVec2 = DVec2::new(9.0, 50.0);
const DEGREES: DVec2 = DVec2::new(1.4e-5, 9.0e-6);

/// A map in the making, in metres from its corner.
#[derive(Default)]
struct Map {
    nodes: String,
    elements: String,
    last: i64,
}

impl Map {
    fn tags(tags: &[(&str, &str)]) -> String {
        let tag = |(k, v): &(&str, &str)| format!("<tag k=\"{k}\" v=\"{v}\"/>");
        tags.iter().map(tag).collect()
    }

    fn nodes(&mut self, points: &[(f64, f64)]) -> Vec<i64> {
        let mut ids = Vec::new();
        for &point in points {
            self.last += 1;
            let at = CORNER + DEGREES * DVec2::from(point);
            let (id, lon, lat) = (self.last, at.x, at.y);
            let _ = write!(
                self.nodes,
                "<node id=\"{id}\" lon=\"{lon}\" lat=\"{lat}\"/>"
            );
            ids.push(id);
        }
        ids
    }

    fn line(&mut self, nodes: &[i64], tags: &[(&str, &str)]) -> i64 {
        self.last += 1;
        let refs: Vec<String> = nodes.iter().map(|n| format!("<nd ref=\"{n}\"/>")).collect();
        let refs = refs.concat();
        let (id, tags) = (self.last, Self::tags(tags));
        let _ = write!(self.elements, "<way id=\"{id}\">{refs}{tags}</way>");
        id
    }

    fn way(&mut self, points: &[(f64, f64)], tags: &[(&str, &str)]) -> i64 {
        let mut nodes = self.nodes(points);
        nodes.push(nodes[0]);
        self.line(&nodes, tags)
    }

    fn block(&mut self, [x0, y0, x1, y1]: [f64; 4], tags: &[(&str, &str)]) -> i64 {
        self.way(&[(x0, y0), (x1, y0), (x1, y1), (x0, y1)], tags)
    }

    fn relation(&mut self, members: &[(i64, &str)], tags: &[(&str, &str)]) {
        self.last += 1;
        let member = |(way, role): &(i64, &str)| {
            format!("<member type=\"way\" ref=\"{way}\" role=\"{role}\"/>")
        };
        let members: String = members.iter().map(member).collect();
        let (id, tags) = (self.last, Self::tags(tags));
        let _ = write!(
            self.elements,
            "<relation id=\"{id}\">{members}{tags}</relation>"
        );
    }

    fn place(&self) -> Place {
        let mut place = xml(&format!("<osm>{}{}</osm>", self.nodes, self.elements)).unwrap();
        place
            .map(|at| Ok::<_, String>((at - CORNER) / DEGREES))
            .unwrap();
        repair(&mut place, &RepairOptions::default());
        place
    }

    /// The buildings on the ground at 0 m, and all warnings. On foundations every one of them is closed.
    fn built(&self) -> (Mesh, Vec<String>) {
        let place = self.place();
        let stand = |foundation: f64| {
            let options = MeshOptions {
                foundation,
                ..MeshOptions::default()
            };
            build(&place.buildings, &|_| Some(0.0), &options)
        };
        let closed: Built = stand(1.0);
        for building in &closed.buildings {
            let alone = Mesh {
                triangles: closed.mesh.triangles[building.triangles.clone()].to_vec(),
                ..closed.mesh.clone()
            };
            let scene = Scene::new(&alone).unwrap();
            assert_eq!(scene.defects(), Defects::default(), "{}", building.id);
            assert!(scene.edges().iter().all(Edge::is_wedge), "{}", building.id);
        }
        let mut warnings: Vec<String> = place.warnings.iter().map(ToString::to_string).collect();
        warnings.extend(closed.warnings);
        (stand(0.0).mesh, warnings)
    }
}

/// The heights at which a plumb line meets triangles, from below.
fn heights(mesh: &Mesh, x: f64, y: f64) -> Vec<f64> {
    let at = DVec2::new(x, y);
    let mut heights: Vec<f64> = mesh
        .triangles
        .iter()
        .filter_map(|triangle| {
            let [a, b, c] = triangle.vertices.map(|v| mesh.vertices[v as usize]);
            let part = |p: DVec2, q: DVec2| (q - p).perp_dot(at - p);
            let [p, q, r] = [a, b, c].map(DVec3::truncate);
            let parts = [part(q, r), part(r, p), part(p, q)];
            let whole: f64 = parts.iter().sum();
            let is_over = parts.iter().all(|part| part * whole > 0.0);
            let z = (parts[0] * a.z + parts[1] * b.z + parts[2] * c.z) / whole;
            is_over.then(|| (1e4 * z).round() / 1e4)
        })
        .collect();
    heights.sort_by(f64::total_cmp);
    heights
}

/// The volume between triangles and the ground at 0 m.
fn volume(mesh: &Mesh) -> f64 {
    let six = mesh.triangles.iter().map(|t| {
        let [a, b, c] = t.vertices.map(|v| mesh.vertices[v as usize]);
        a.dot(b.cross(c))
    });
    six.sum::<f64>() / 6.0
}

fn assert_volume(mesh: &Mesh, wanted: f64) {
    let found = volume(mesh);
    assert!(
        (found - wanted).abs() < 1e-4 * wanted,
        "{found}, not {wanted}"
    );
}

#[test]
fn a_part_without_a_height_has_its_buildings() {
    let mut map = Map::default();
    map.block(
        [0.0, 0.0, 20.0, 20.0],
        &[("building", "yes"), ("height", "12.5")],
    );
    map.block(
        [0.0, 0.0, 20.0, 12.0],
        &[("building:part", "yes"), ("height", "tall")],
    );
    map.block(
        [0.0, 12.0, 20.0, 20.0],
        &[("building:part", "yes"), ("height", "8")],
    );
    let (mesh, _) = map.built();
    assert_eq!(heights(&mesh, 9.1, 6.0), [12.5]);
    assert_eq!(heights(&mesh, 9.1, 16.0), [8.0]);
    assert_volume(&mesh, 20.0 * 12.0 * 12.5 + 20.0 * 8.0 * 8.0);
}

#[test]
fn parts_take_over_the_materials_of_their_building() {
    let mut map = Map::default();
    let tags = [
        ("building", "yes"),
        ("height", "9"),
        ("building:material", "brick"),
    ];
    map.block([0.0, 0.0, 20.0, 20.0], &tags);
    map.block([0.0, 0.0, 20.0, 12.0], &[("building:part", "yes")]);
    let glass = [("building:part", "yes"), ("building:material", "glass")];
    map.block([0.0, 12.0, 20.0, 20.0], &glass);
    let walls = map.place().buildings.into_iter().map(|b| b.wall_material);
    assert_eq!(walls.flatten().collect::<Vec<_>>(), ["brick", "glass"]);
}

#[test]
fn nothing_under_the_ground_or_indoors_stands_above_it() {
    let below: [&[(&str, &str)]; 4] = [
        &[
            ("building", "yes"),
            ("layer", "-1"),
            ("building:levels", "0"),
            ("building:levels:underground", "3"),
        ],
        &[
            ("building:part", "yes"),
            ("indoor", "room"),
            ("level", "-2"),
        ],
        &[("building:part", "yes"), ("level", "1")],
        &[("building", "garage"), ("location", "underground")],
    ];
    for tags in below {
        let mut map = Map::default();
        map.block([0.0, 0.0, 20.0, 20.0], tags);
        map.block(
            [40.0, 0.0, 50.0, 10.0],
            &[("building", "yes"), ("height", "6")],
        );
        let (mesh, warnings) = map.built();
        assert_eq!(heights(&mesh, 9.1, 10.0), [0.0; 0], "{tags:?}");
        assert_volume(&mesh, 600.0);
        assert!(
            warnings
                .iter()
                .any(|w| w.contains("way 5: it") && w.contains("left out")),
            "{warnings:?}"
        );
    }
}

#[test]
fn an_indoor_part_leaves_its_building_whole() {
    let mut map = Map::default();
    map.block(
        [0.0, 0.0, 20.0, 20.0],
        &[("building", "yes"), ("height", "12")],
    );
    let room = [("building:part", "yes"), ("indoor", "room"), ("level", "1")];
    map.block([0.0, 0.0, 20.0, 15.0], &room);
    let (mesh, warnings) = map.built();
    assert_volume(&mesh, 4800.0);
    assert_eq!(warnings.len(), 1, "{warnings:?}");
}

#[test]
fn a_roof_on_open_sides_has_no_walls() {
    for tags in [
        &[("building", "roof"), ("height", "5"), ("layer", "1")][..],
        &[("building", "yes"), ("wall", "no"), ("height", "5")],
        &[("building:part", "roof")],
    ] {
        let mut map = Map::default();
        map.block([0.0, 0.0, 20.0, 20.0], tags);
        let (mesh, warnings) = map.built();
        assert_eq!(heights(&mesh, 10.1, 10.0), [4.7, 5.0], "{tags:?}");
        assert_volume(&mesh, 120.0);
        let lowest = mesh.vertices.iter().map(|v| v.z).fold(9.0, f64::min);
        assert!((lowest - 4.7).abs() < 1e-9, "{lowest}");
        assert!(
            warnings.iter().any(|w| w.contains("open sides")),
            "{warnings:?}"
        );
    }
    let mut map = Map::default();
    let tags = [
        ("building", "roof"),
        ("height", "6"),
        ("roof:shape", "gabled"),
        ("roof:height", "2"),
    ];
    map.block([0.0, 0.0, 20.0, 10.0], &tags);
    let (mesh, _) = map.built();
    assert_eq!(heights(&mesh, 10.1, 2.5), [3.7, 5.0]);
    assert_volume(&mesh, 200.0 * (0.3 + 1.0));
}

const YARD: [(&str, &str); 2] = [("building", "yes"), ("height", "15")];

#[test]
fn courtyards_are_those_of_relations_whose_outer_ways_have_the_tags() {
    let mut map = Map::default();
    let outer = map.block([0.0, 0.0, 40.0, 40.0], &YARD);
    let inner = map.block([10.0, 10.0, 30.0, 30.0], &[]);
    let source = [
        ("type", "multipolygon"),
        ("source", "survey"),
        ("name", "Hof"),
    ];
    map.relation(&[(outer, "outer"), (inner, "inner")], &source);
    let (mesh, warnings) = map.built();
    assert_eq!(heights(&mesh, 20.1, 20.0), [0.0; 0]);
    assert_eq!(heights(&mesh, 5.1, 20.0), [15.0]);
    assert_volume(&mesh, 15.0 * 1200.0);
    assert!(warnings.is_empty(), "{warnings:?}");
}

#[test]
fn outer_ways_with_tags_keep_apart_and_come_in_pieces() {
    let multipolygon = [("type", "multipolygon")];
    // Two houses of different heights, each with its yard; one inner way is a house of its own, one has the tags of its outer.
    let mut map = Map::default();
    let low = map.block([0.0, 0.0, 40.0, 40.0], &YARD);
    let high = map.block(
        [50.0, 0.0, 90.0, 40.0],
        &[("building", "yes"), ("height", "20")],
    );
    let first = map.block([10.0, 10.0, 30.0, 30.0], &YARD);
    let second = map.block(
        [60.0, 10.0, 80.0, 30.0],
        &[("building", "hall"), ("height", "4")],
    );
    let members = [
        (low, "outer"),
        (high, ""),
        (first, "inner"),
        (second, "inner"),
    ];
    map.relation(&members, &multipolygon);
    let (mesh, warnings) = map.built();
    let wanted = [
        (5.1, vec![15.0]),
        (20.1, vec![]),
        (55.1, vec![20.0]),
        (70.1, vec![4.0]),
    ];
    for (x, wanted) in wanted {
        assert_eq!(heights(&mesh, x, 20.0), wanted, "{x}");
    }
    assert_volume(&mesh, 1200.0 * 15.0 + 1200.0 * 20.0 + 400.0 * 4.0);
    assert!(warnings.is_empty(), "{warnings:?}");

    // One outline of two pieces.
    let mut map = Map::default();
    let nodes = map.nodes(&[(0.0, 0.0), (40.0, 0.0), (40.0, 40.0), (0.0, 40.0)]);
    let south = map.line(&nodes[..3], &YARD);
    let north = map.line(&[nodes[2], nodes[3], nodes[0]], &YARD);
    let inner = map.block([10.0, 10.0, 30.0, 30.0], &[]);
    map.relation(
        &[(south, "outer"), (north, "outer"), (inner, "inner")],
        &multipolygon,
    );
    let (mesh, warnings) = map.built();
    assert_volume(&mesh, 15.0 * 1200.0);
    assert!(warnings.is_empty(), "{warnings:?}");

    // A relation that says what it is has nothing to do with the buildings around it.
    let mut map = Map::default();
    let outer = map.block([0.0, 0.0, 40.0, 40.0], &YARD);
    let inner = map.block([10.0, 10.0, 30.0, 30.0], &[]);
    let lawn = [("type", "multipolygon"), ("landuse", "grass")];
    map.relation(&[(outer, "outer"), (inner, "inner")], &lawn);
    assert_volume(&map.built().0, 15.0 * 1600.0);

    // A house in the courtyard of a relation that has its tags.
    let mut map = Map::default();
    let outer = map.block([0.0, 0.0, 40.0, 40.0], &[]);
    let inner = map.block(
        [10.0, 10.0, 30.0, 30.0],
        &[("building", "yes"), ("height", "4")],
    );
    let tags = [
        ("type", "multipolygon"),
        ("building", "yes"),
        ("height", "15"),
    ];
    map.relation(&[(outer, "outer"), (inner, "inner")], &tags);
    assert_volume(&map.built().0, 15.0 * 1200.0 + 4.0 * 400.0);
}

#[test]
fn what_no_part_covers_stays_as_the_building_has_it() {
    let mut map = Map::default();
    map.block(
        [0.0, 0.0, 30.0, 10.0],
        &[("building", "yes"), ("building:levels", "6")],
    );
    let part = [("building:part", "yes"), ("building:levels", "5")];
    map.block([0.0, 0.0, 10.0, 10.0], &part);
    map.block([20.0, 0.0, 30.0, 10.0], &part);
    let (mesh, warnings) = map.built();
    assert_eq!(heights(&mesh, 15.1, 5.0), [18.0]);
    assert_eq!(heights(&mesh, 5.1, 5.0), [15.0]);
    assert_volume(&mesh, 1800.0 + 2.0 * 1500.0);
    let wanted = "`town.osm`, way 5: no part of the building covers a part of its outline, which stands at the building's own height";
    assert_eq!(warnings, [wanted]);
}

#[test]
fn narrow_strips_between_parts_and_outline_are_left_out() {
    let mut map = Map::default();
    map.block(
        [0.0, 0.0, 30.0, 10.0],
        &[("building", "yes"), ("height", "30")],
    );
    let part = [("building:part", "yes"), ("height", "9")];
    map.block([0.2, 0.2, 29.8, 9.8], &part);
    let (mesh, warnings) = map.built();
    assert_volume(&mesh, 9.0 * 29.6 * 9.6);
    assert!(warnings[0].contains("strips"), "{warnings:?}");
}

#[test]
fn parts_above_the_ground_have_the_building_under_them_or_nothing() {
    let raised = |height: &'static str, min: &'static str| {
        [
            ("building:part", "yes"),
            ("height", height),
            ("min_height", min),
        ]
    };
    // A box on the roof, as the building states or leaves out its height.
    for whole in ["10", "13"] {
        let mut map = Map::default();
        map.block(
            [0.0, 0.0, 20.0, 20.0],
            &[("building", "yes"), ("height", whole)],
        );
        map.block([5.0, 5.0, 10.0, 10.0], &raised("13", "10"));
        let (mesh, _) = map.built();
        assert_eq!(heights(&mesh, 7.1, 7.0), [10.0, 10.0, 13.0], "{whole}");
        let rest = if whole == "10" {
            400.0 * 10.0
        } else {
            375.0 * 13.0 + 25.0 * 10.0
        };
        assert_volume(&mesh, rest + 75.0);
    }
    // A house on stilts.
    let mut map = Map::default();
    map.block(
        [0.0, 0.0, 20.0, 20.0],
        &[("building", "yes"), ("height", "13")],
    );
    map.block([0.0, 0.0, 20.0, 20.0], &raised("13", "4"));
    assert_volume(&map.built().0, 400.0 * 9.0);
}

#[test]
fn longitudes_run_on_across_the_antimeridian() {
    let text = "<osm><node id=\"1\" lon=\"179.9999\" lat=\"-16.8\"/><node id=\"2\" lon=\"-179.9999\" lat=\"-16.8\"/>\
         <node id=\"3\" lon=\"-179.9999\" lat=\"-16.7999\"/><node id=\"4\" lon=\"179.9999\" lat=\"-16.7999\"/>\
         <way id=\"5\"><nd ref=\"1\"/><nd ref=\"2\"/><nd ref=\"3\"/><nd ref=\"4\"/><nd ref=\"1\"/>\
         <tag k=\"building\" v=\"yes\"/><tag k=\"height\" v=\"7\"/></way></osm>";
    let [low, high] = xml(text).unwrap().bounds().unwrap();
    assert!((high.x - low.x - 2e-4).abs() < 1e-9, "{low} to {high}");
}
