use std::io::Write as _;

use flate2::write::ZlibEncoder;

use super::*;
use crate::place::{Prism, Roof, Shape};

mod tags;

/// A town of 10 × 10 units of 1e-3 degrees: a house, a courtyard as a relation of two half rings, a tower of two parts with an
/// outline, and a bench.
const TOWN: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<osm version="0.6">
 <node id="1" lon="8.000" lat="50.000"/><node id="2" lon="8.001" lat="50.000"/>
 <node id="3" lon="8.001" lat="50.001"/><node id="4" lon="8.000" lat="50.001"/>
 <node id="5" lon="8.002" lat="50.000"/><node id="6" lon="8.005" lat="50.000"/>
 <node id="7" lon="8.005" lat="50.003"/><node id="8" lon="8.002" lat="50.003"/>
 <node id="9" lon="8.003" lat="50.001"/><node id="10" lon="8.004" lat="50.001"/>
 <node id="11" lon="8.004" lat="50.002"/><node id="12" lon="8.003" lat="50.002"/>
 <node id="21" lon="8.006" lat="50.000"/><node id="22" lon="8.007" lat="50.000"/>
 <node id="23" lon="8.008" lat="50.000"/><node id="24" lon="8.008" lat="50.001"/>
 <node id="25" lon="8.007" lat="50.001"/><node id="26" lon="8.006" lat="50.001"/>
 <way id="100"><nd ref="1"/><nd ref="2"/><nd ref="3"/><nd ref="4"/><nd ref="1"/>
  <tag k="building" v="house"/><tag k="height" v="12 m"/><tag k="building:material" v="brick"/><tag k="roof:shape" v="gabled"/></way>
 <way id="101"><nd ref="5"/><nd ref="6"/><nd ref="7"/></way>
 <way id="102"><nd ref="5"/><nd ref="8"/><nd ref="7"/></way>
 <way id="103"><nd ref="9"/><nd ref="10"/><nd ref="11"/><nd ref="12"/><nd ref="9"/></way>
 <way id="200"><nd ref="21"/><nd ref="23"/><nd ref="24"/><nd ref="26"/><nd ref="21"/>
  <tag k="building" v="yes"/><tag k="height" v="50"/></way>
 <way id="201"><nd ref="21"/><nd ref="22"/><nd ref="25"/><nd ref="26"/><nd ref="21"/>
  <tag k="building:part" v="yes"/><tag k="building:levels" v="4"/></way>
 <way id="202"><nd ref="22"/><nd ref="23"/><nd ref="24"/><nd ref="25"/><nd ref="22"/>
  <tag k="building:part" v="yes"/><tag k="height" v="50"/><tag k="min_height" v="6"/></way>
 <way id="300"><nd ref="1"/><nd ref="2"/><nd ref="1"/><tag k="highway" v="path"/></way>
 <way id="301"><nd ref="1"/><nd ref="2"/><nd ref="3"/><tag k="building" v="yes"/></way>
 <way id="302"><nd ref="1"/><nd ref="2"/><nd ref="99"/><nd ref="1"/><tag k="building" v="yes"/></way>
 <way id="303"><nd ref="1"/><nd ref="2"/><nd ref="3"/><nd ref="1"/><tag k="building" v="no"/></way>
 <relation id="400"><member type="way" ref="101" role="outer"/><member type="way" ref="102" role="outer"/>
  <member type="way" ref="103" role="inner"/><tag k="type" v="multipolygon"/><tag k="building" v="yes"/><tag k="height" v="40 ft"/></relation>
</osm>"#;

/// A forest of two half rings with a hut in its clearing, a wood, and a meadow.
const FOREST: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<osm version="0.6">
 <node id="1" lon="8.000" lat="50.000"/><node id="2" lon="8.009" lat="50.000"/>
 <node id="3" lon="8.009" lat="50.009"/><node id="4" lon="8.000" lat="50.009"/>
 <node id="5" lon="8.003" lat="50.003"/><node id="6" lon="8.004" lat="50.003"/>
 <node id="7" lon="8.004" lat="50.004"/><node id="8" lon="8.003" lat="50.004"/>
 <way id="1"><nd ref="1"/><nd ref="2"/><nd ref="3"/><tag k="natural" v="wood"/></way>
 <way id="2"><nd ref="3"/><nd ref="4"/><nd ref="1"/></way>
 <way id="3"><nd ref="5"/><nd ref="6"/><nd ref="7"/><nd ref="8"/><nd ref="5"/>
  <tag k="building" v="hut"/><tag k="height" v="3"/></way>
 <way id="4"><nd ref="1"/><nd ref="2"/><nd ref="5"/><nd ref="1"/><tag k="natural" v="wood"/><tag k="height" v="20 m"/></way>
 <way id="5"><nd ref="1"/><nd ref="2"/><nd ref="6"/><nd ref="1"/><tag k="landuse" v="meadow"/></way>
 <relation id="6"><member type="way" ref="1" role="outer"/><member type="way" ref="2" role="outer"/>
  <member type="way" ref="3" role="inner"/><tag k="type" v="multipolygon"/><tag k="landuse" v="forest"/></relation>
</osm>"#;

#[test]
fn woods_come_with_their_clearings_and_leave_the_huts_in_them() {
    let place = xml(FOREST).unwrap();
    let huts: Vec<&str> = place.buildings.iter().map(|b| b.id.as_str()).collect();
    assert_eq!(huts, ["way 3"]);
    let found = place.clutter.iter();
    let found: Vec<_> = found.map(|c| (c.id.as_str(), c.height)).collect();
    let assumed = ReadOptions::default().clutter_height;
    assert_eq!(found, [("way 4", 20.0), ("relation 6", assumed)]);
    let forest = &place.clutter[1].outline;
    assert_eq!(forest.len(), 1);
    assert_eq!(forest[0].holes.len(), 1);
    assert!((forest[0].area() - 80e-6).abs() < 1e-9, "{forest:?}");
}

fn file() -> &'static Path {
    Path::new("town.osm")
}

fn xml(text: &str) -> Result<Place, PlaceError> {
    parse_xml(text.as_bytes(), file(), &ReadOptions::default())
}

fn prisms(place: &Place) -> Vec<(&str, &Prism)> {
    let buildings = place.buildings.iter();
    buildings
        .map(|building| match &building.shape {
            Shape::Prism(prism) => (building.id.as_str(), prism),
            Shape::Surfaces(surfaces) => panic!("{surfaces:?}"),
        })
        .collect()
}

#[test]
fn buildings_come_from_ways_and_relations_and_parts_replace_outlines() {
    let place = xml(TOWN).unwrap();
    assert_eq!(place.crs.as_deref(), Some("EPSG:4326"));
    let prisms = prisms(&place);
    let ids: Vec<&str> = prisms.iter().map(|(id, _)| *id).collect();
    assert_eq!(ids, ["way 100", "way 201", "way 202", "relation 400"]);
    let roofs: Vec<Roof> = prisms.iter().map(|(_, prism)| prism.roof).collect();
    let height = |metres| Roof::Height(metres);
    assert_eq!(
        roofs,
        [
            height(12.0),
            height(12.0),
            height(50.0),
            height(40.0 * 0.3048)
        ]
    );
    assert_eq!(prisms[2].1.min_height, 6.0);
    let courtyard = &prisms[3].1.outline;
    assert_eq!((courtyard.len(), courtyard[0].holes.len()), (1, 1));
    assert!((courtyard[0].area() - 8e-6).abs() < 1e-12, "{courtyard:?}");
    assert_eq!(place.buildings[0].wall_material.as_deref(), Some("brick"));
    let wanted = [
        "`town.osm`, way 301: its outline does not close; the open part is left out",
        "`town.osm`, way 302: nodes of it are not in the file; the ring is left out",
        "`town.osm`, way 100: the height of its roof is not given; it rises by 30 degrees, at most 3 m",
    ];
    assert_eq!(place.warnings, wanted);
}

#[test]
fn corrupt_xml_is_an_error_that_names_the_line() {
    for (text, wanted) in [
        ("", "not valid XML"),
        ("<osm>", "not valid XML"),
        ("<html/>", "the root element is <html>"),
        (
            "<osm>\n<way id=\"x\"/></osm>",
            "line 2: the id of <way> is `x`",
        ),
        (
            "<osm>\n\n<node id=\"1\" lon=\"8\"/></osm>",
            "line 3: the node's lat is `nothing`",
        ),
    ] {
        let error = xml(text).unwrap_err().to_string();
        assert!(error.contains(wanted), "{error}");
    }
    assert!(parse_xml(b"\xff\xfe", file(), &ReadOptions::default()).is_err());
}

#[test]
fn swapped_axes_are_an_error() {
    let swapped = TOWN
        .replace("lon=\"8.", "lat=\"108.")
        .replace(" lat=\"50.", " lon=\"50.");
    let error = xml(&swapped).unwrap_err().to_string();
    assert!(error.contains("latitude within ±90"), "{error}");
}

/// Bytes of a message of protocol buffers in the making.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value.to_le_bytes()[0] | 0x80);
            value >>= 7;
        }
        self.0.push(value.to_le_bytes()[0]);
    }

    fn number(&mut self, field: u64, value: u64) {
        self.varint(field << 3);
        self.varint(value);
    }

    fn bytes(&mut self, field: u64, bytes: &[u8]) {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend(bytes);
    }

    fn packed(&mut self, field: u64, values: impl IntoIterator<Item = u64>) {
        let mut packed = Self::default();
        values.into_iter().for_each(|value| packed.varint(value));
        self.bytes(field, &packed.0);
    }
}

fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)).cast_unsigned()
}

fn differences(values: &[i64]) -> Vec<u64> {
    let before = std::iter::once(0).chain(values.iter().copied());
    values
        .iter()
        .zip(before)
        .map(|(&value, before)| zigzag(value - before))
        .collect()
}

fn block(kind: &str, message: &Message, is_compressed: bool) -> Vec<u8> {
    let mut blob = Message::default();
    if is_compressed {
        let mut encoder = ZlibEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(&message.0).unwrap();
        blob.number(2, message.0.len() as u64);
        blob.bytes(3, &encoder.finish().unwrap());
    } else {
        blob.bytes(1, &message.0);
    }
    let mut head = Message::default();
    head.bytes(1, kind.as_bytes());
    head.number(3, blob.0.len() as u64);
    let mut block = u32::try_from(head.0.len()).unwrap().to_be_bytes().to_vec();
    block.extend(head.0);
    block.extend(blob.0);
    block
}

/// The town as PBF, its elements as the XML reader gives them.
fn pbf(is_dense: bool, is_compressed: bool) -> Vec<u8> {
    let document = roxmltree::Document::parse(TOWN).unwrap();
    let root = document.root_element();
    let mut strings: Vec<String> = vec![String::new()];
    let mut string = |text: &str| {
        let at = strings.iter().position(|known| known == text);
        at.unwrap_or_else(|| {
            strings.push(text.to_owned());
            strings.len() - 1
        }) as u64
    };
    let mut groups = [const { Message(Vec::new()) }; 3];
    let mut nodes: Vec<[i64; 3]> = Vec::new();
    for (group, want) in [(0, Want::Nodes), (1, Want::Ways), (2, Want::Relations)] {
        xml::visit(root, file(), want, &mut |element| {
            let mut message = Message::default();
            let mut tag = |message: &mut Message, tags: &Tags<'_>| {
                let [keys, values] = [0, 1].map(|i| {
                    let texts = tags.iter().map(|&(k, v)| if i == 0 { k } else { v });
                    texts.map(&mut string).collect::<Vec<_>>()
                });
                message.packed(2, keys);
                message.packed(3, values);
            };
            match element {
                Element::Node { id, at } => {
                    #[expect(clippy::cast_possible_truncation, reason = "degrees of a test")]
                    let [lon, lat] = (at * 1e7).round().to_array().map(|c| c as i64);
                    nodes.push([id, lat, lon]);
                    message.number(1, zigzag(id));
                    message.number(8, zigzag(lat));
                    message.number(9, zigzag(lon));
                    if !is_dense {
                        groups[group].bytes(1, &message.0);
                    }
                }
                Element::Way { id, nodes, tags } => {
                    message.number(1, id.cast_unsigned());
                    tag(&mut message, &tags);
                    message.packed(8, differences(&nodes));
                    groups[group].bytes(3, &message.0);
                }
                Element::Relation { id, ways, tags } => {
                    message.number(1, id.cast_unsigned());
                    tag(&mut message, &tags);
                    let (ids, roles): (Vec<i64>, Vec<&str>) = ways.into_iter().unzip();
                    message.packed(8, roles.into_iter().map(&mut string));
                    message.packed(9, differences(&ids));
                    message.packed(10, ids.iter().map(|_| 1));
                    groups[group].bytes(4, &message.0);
                }
            }
        })
        .unwrap();
    }
    if is_dense {
        let mut dense = Message::default();
        for (field, column) in [(1, 0), (8, 1), (9, 2)] {
            let column: Vec<i64> = nodes.iter().map(|node| node[column]).collect();
            dense.packed(field, differences(&column));
        }
        groups[0].bytes(2, &dense.0);
    }
    let mut table = Message::default();
    for text in &strings {
        table.bytes(1, text.as_bytes());
    }
    let mut primitives = Message::default();
    primitives.bytes(1, &table.0);
    for group in groups {
        primitives.bytes(2, &group.0);
    }
    let mut header = Message::default();
    header.bytes(4, b"OsmSchema-V0.6");
    header.bytes(4, b"DenseNodes");
    let mut file = block("OSMHeader", &header, is_compressed);
    file.extend(block("OSMData", &primitives, is_compressed));
    file
}

fn parse(bytes: &[u8]) -> Result<Place, PlaceError> {
    parse_pbf(bytes, file(), &ReadOptions::default())
}

#[test]
fn pbf_gives_the_same_buildings_as_xml() {
    let wanted = xml(TOWN).unwrap();
    for (is_dense, is_compressed) in [(true, true), (false, true), (true, false)] {
        let place = parse(&pbf(is_dense, is_compressed)).unwrap();
        let sentences = |place: &Place| {
            place
                .warnings
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
        };
        assert_eq!(sentences(&place), sentences(&wanted));
        for ((id, ours), (wanted_id, theirs)) in prisms(&place).iter().zip(prisms(&wanted)) {
            assert_eq!((*id, ours.roof), (wanted_id, theirs.roof));
            for (a, b) in ours.outline.iter().zip(&theirs.outline) {
                let points = a.outer.iter().zip(&b.outer);
                assert_eq!(a.outer.len(), b.outer.len());
                for (a, b) in points {
                    assert!(a.distance(*b) < 1e-9, "{a} {b}");
                }
            }
        }
        assert_eq!(place.buildings.len(), wanted.buildings.len());
    }
}

#[test]
fn damaged_pbf_gives_a_place_or_an_error() {
    for is_compressed in [true, false] {
        let whole = pbf(true, is_compressed);
        let head = block("OSMHeader", &Message::default(), is_compressed).len();
        for length in (0..whole.len()).filter(|&length| length != head) {
            let result = parse(&whole[..length]);
            if let Err(error) = result {
                assert!(error.to_string().starts_with("`town.osm`"), "{error}");
            }
        }
        for at in 0..whole.len() {
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                let mut bytes = whole.clone();
                bytes[at] = value;
                let _ = parse(&bytes);
            }
        }
    }
    let error = parse(b"PK\x03\x04 a zip file").unwrap_err().to_string();
    assert!(error.contains("no OpenStreetMap PBF"), "{error}");
    let mut blob = Message::default();
    blob.bytes(7, b"zstd");
    let mut head = Message::default();
    head.bytes(1, b"OSMData");
    head.number(3, blob.0.len() as u64);
    let mut bytes = u32::try_from(head.0.len()).unwrap().to_be_bytes().to_vec();
    bytes.extend(head.0);
    bytes.extend(blob.0);
    let error = parse(&bytes).unwrap_err().to_string();
    assert!(error.contains("convert it with osmium"), "{error}");
}
