//! A small town from a seed: streets, blocks of buildings with courtyards, towers of glass. Made up, and the same every time.

use std::f64::consts::PI;
use std::fmt::Write;

/// The district in which `keller demo` runs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct District {
    /// Planar polygons, counter-clockwise seen from the air.
    polygons: Vec<Polygon>,
    /// The position of the Tx on a mast above a crossing, metres.
    pub(crate) tx: [f64; 3],
    /// Receivers along the streets and in the courtyards, metres.
    pub(crate) rx: Vec<Receiver>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Receiver {
    pub(crate) name: String,
    pub(crate) position: [f64; 3],
}

#[derive(Debug, Clone, PartialEq)]
struct Polygon {
    material: &'static str,
    corners: Vec<[f64; 3]>,
}

/// Blocks from west to east and from south to north.
const COLUMNS: usize = 4;
const ROWS: usize = 3;

/// Height of a storey, of the Tx's mast, and of a receiver in a hand, metres.
const STOREY: f64 = 3.25;
const MAST: f64 = 10.0;
const HAND: f64 = 1.5;

/// The distance between receivers along a street, metres.
const RX_SPACING: f64 = 12.0;

impl District {
    /// The district of this seed.
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = SplitMix64(seed);
        let columns = strips(&mut random, COLUMNS, 40.0, 64.0);
        let rows = strips(&mut random, ROWS, 36.0, 52.0);
        let mut district = Self {
            polygons: Vec::new(),
            tx: [0.0; 3],
            rx: Vec::new(),
        };
        let (east, north) = (columns.end, rows.end);
        district.add(
            "medium_dry_ground",
            [[0.0, 0.0], [east, 0.0], [east, north], [0.0, north]].map(|[x, y]| [x, y, 0.0]),
        );
        for (row, &south) in rows.starts.iter().enumerate() {
            for (column, &west) in columns.starts.iter().enumerate() {
                let size = [columns.widths[column], rows.widths[row]];
                district.build_block(&mut random, [west, south], size);
            }
        }
        let crossing = [columns.street_centre(COLUMNS / 2), rows.street_centre(1)];
        district.tx = [crossing[0] + 1.25, crossing[1] - 0.75, MAST];
        district.place_receivers(&columns, &rows);
        district
    }

    /// One block between streets: `corner` is its south-western one.
    fn build_block(&mut self, random: &mut SplitMix64, corner: [f64; 2], size: [f64; 2]) {
        let [w, d] = size;
        let storeys = random.between(3.0, 7.0).floor();
        let height = 0.5 + storeys * STOREY;
        let facade = ["brick", "concrete"][random.below(2)];
        let at = |x: f64, y: f64| [corner[0] + x, corner[1] + y];
        let rectangle = |x: f64, y: f64, w: f64, d: f64| {
            vec![at(x, y), at(x + w, y), at(x + w, y + d), at(x, y + d)]
        };
        match random.below(6) {
            0 | 1 => {
                let depth = 11.0;
                let inner = rectangle(depth, depth, w - 2.0 * depth, d - 2.0 * depth);
                self.build_ring(facade, &rectangle(0.0, 0.0, w, d), &inner, height);
                self.rx.push(Receiver {
                    name: "courtyard".to_owned(),
                    position: [corner[0] + w / 2.0 - 1.5, corner[1] + d / 2.0 + 2.25, HAND],
                });
            }
            2 => {
                let arm = 12.0;
                let outline = [
                    at(0.0, 0.0),
                    at(w, 0.0),
                    at(w, d),
                    at(w - arm, d),
                    at(w - arm, arm),
                    at(arm, arm),
                    at(arm, d - 4.0),
                    at(0.0, d - 4.0),
                ];
                self.build(facade, &outline, height);
            }
            3 => {
                let arm = 13.0;
                let outline = [
                    at(0.0, 0.0),
                    at(w, 0.0),
                    at(w, arm),
                    at(arm, arm),
                    at(arm, d),
                    at(0.0, d),
                ];
                self.build(facade, &outline, height);
                self.build(
                    "brick",
                    &rectangle(w - 9.0, d - 8.0, 7.0, 6.0),
                    1.25 * STOREY,
                );
            }
            4 => {
                let depth = 12.5;
                self.build(facade, &rectangle(0.0, 0.0, w, depth), height);
                self.build(
                    facade,
                    &rectangle(0.0, d - depth, w, depth),
                    height + STOREY,
                );
            }
            _ => {
                let half = 9.5;
                let angle = random.between(-0.5, 0.5);
                let tower: Vec<[f64; 2]> = (0..4)
                    .map(|i| {
                        let (sin, cos) = (angle + PI * (0.25 + 0.5 * f64::from(i))).sin_cos();
                        at(
                            w / 2.0 + half * 2.0_f64.sqrt() * cos,
                            d / 2.0 + half * 2.0_f64.sqrt() * sin,
                        )
                    })
                    .collect();
                self.build("glass", &tower, 2.5 * height);
            }
        }
    }

    /// A building on a counter-clockwise outline, walls and roof.
    fn build(&mut self, facade: &'static str, outline: &[[f64; 2]], height: f64) {
        self.add_walls(facade, outline, height);
        self.add("roof", outline.iter().map(|[x, y]| [*x, *y, height]));
    }

    /// A building around a courtyard. Both outlines are counter-clockwise and have equally many corners.
    fn build_ring(
        &mut self,
        facade: &'static str,
        outer: &[[f64; 2]],
        inner: &[[f64; 2]],
        height: f64,
    ) {
        self.add_walls(facade, outer, height);
        let courtyard: Vec<_> = inner.iter().copied().rev().collect();
        self.add_walls("brick", &courtyard, height);
        for i in 0..outer.len() {
            let next = (i + 1) % outer.len();
            let roof = [outer[i], outer[next], inner[next], inner[i]];
            self.add("roof", roof.map(|[x, y]| [x, y, height]));
        }
    }

    fn add_walls(&mut self, material: &'static str, outline: &[[f64; 2]], height: f64) {
        for (i, a) in outline.iter().enumerate() {
            let b = outline[(i + 1) % outline.len()];
            let wall = [(*a, 0.0), (b, 0.0), (b, height), (*a, height)];
            self.add(material, wall.map(|([x, y], z)| [x, y, z]));
        }
    }

    fn add(&mut self, material: &'static str, corners: impl IntoIterator<Item = [f64; 3]>) {
        self.polygons.push(Polygon {
            material,
            corners: corners.into_iter().collect(),
        });
    }

    /// Receivers along the centre of every street, a little to one side.
    fn place_receivers(&mut self, columns: &Strips, rows: &Strips) {
        let mut place = |name: String, along: f64, is_east_west: bool, centre: f64| {
            let side = centre + 2.5;
            let [x, y] = if is_east_west {
                [along, side]
            } else {
                [side, along]
            };
            self.rx.push(Receiver {
                name: format!("{name} at {along} m"),
                position: [x, y, HAND],
            });
        };
        for (strips, length, is_east_west, kind) in [
            (rows, columns.end, true, "street"),
            (columns, rows.end, false, "avenue"),
        ] {
            for street in 0..=strips.starts.len() {
                let mut along = RX_SPACING;
                while along < length {
                    let name = format!("{kind} {street}");
                    place(name, along, is_east_west, strips.street_centre(street));
                    along += RX_SPACING;
                }
            }
        }
    }

    /// The district as an OBJ file that uses `district.mtl`.
    pub(crate) fn obj(&self) -> String {
        let mut vertices = String::new();
        let mut faces = String::new();
        let mut material = "";
        let mut count = 0;
        for polygon in &self.polygons {
            if material != polygon.material {
                material = polygon.material;
                line(&mut faces, format_args!("usemtl {material}"));
            }
            faces.push('f');
            for [x, y, z] in &polygon.corners {
                line(&mut vertices, format_args!("v {x:?} {y:?} {z:?}"));
                count += 1;
                write!(faces, " {count}").expect(WRITES);
            }
            faces.push('\n');
        }
        format!("# x east, y north, z up, metres\nmtllib district.mtl\n{vertices}{faces}")
    }

    /// The colours that go with [`Self::obj`].
    pub(crate) fn mtl() -> String {
        let colours = [
            ("medium_dry_ground", "0.42 0.40 0.34"),
            ("concrete", "0.66 0.66 0.64"),
            ("brick", "0.60 0.29 0.21"),
            ("glass", "0.45 0.66 0.78"),
            ("roof", "0.33 0.33 0.36"),
        ];
        let mut mtl = String::new();
        for (name, colour) in colours {
            line(&mut mtl, format_args!("newmtl {name}\nKd {colour}"));
        }
        mtl
    }

    /// The receivers as a CSV file.
    pub(crate) fn rx_csv(&self) -> String {
        let mut csv = String::from("x,y,z,name\n");
        for rx in &self.rx {
            let [x, y, z] = rx.position;
            line(&mut csv, format_args!("{x:?},{y:?},{z:?},{}", rx.name));
        }
        csv
    }
}

/// Blocks side by side, with a street before, between and after them.
struct Strips {
    starts: Vec<f64>,
    widths: Vec<f64>,
    end: f64,
}

impl Strips {
    /// The centre of the street before block `i`; after the last block for `i` = their number.
    fn street_centre(&self, i: usize) -> f64 {
        let before = if i == 0 {
            0.0
        } else {
            self.starts[i - 1] + self.widths[i - 1]
        };
        let after = self.starts.get(i).copied().unwrap_or(self.end);
        0.5 * (before + after)
    }
}

fn strips(random: &mut SplitMix64, count: usize, narrowest: f64, widest: f64) -> Strips {
    let mut starts = Vec::new();
    let mut widths = Vec::new();
    let mut end = random.between(14.0, 20.0);
    for _ in 0..count {
        let width = random.between(narrowest, widest);
        starts.push(end);
        widths.push(width);
        end += width + random.between(14.0, 20.0);
    }
    Strips {
        starts,
        widths,
        end,
    }
}

const WRITES: &str = "writing to a String does not fail";

fn line(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    writeln!(text, "{arguments}").expect(WRITES);
}

/// A generator of random numbers that will never change.
///
/// # Source
/// G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators", 2014, doi:10.1145/2660193.2660195.
struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A multiple of 1/4 between `low` and `high`, so that files stay readable.
    fn between(&mut self, low: f64, high: f64) -> f64 {
        let unit = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        ((low + unit * (high - low)) * 4.0).round() / 4.0
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).expect("less than a usize")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_one_district_and_another_seed_another() {
        assert_eq!(District::new(3), District::new(3));
        assert_ne!(District::new(3).obj(), District::new(4).obj());
    }

    #[test]
    fn nobody_stands_in_a_building() {
        for seed in 0..200 {
            let district = District::new(seed);
            let [x, y, _] = district.tx;
            let on_streets = district.rx.iter().map(|rx| rx.position);
            for [x, y, _] in on_streets.chain([[x, y, 0.0]]) {
                let covered = district
                    .polygons
                    .iter()
                    .any(|polygon| polygon.material == "roof" && is_inside(&polygon.corners, x, y));
                assert!(!covered, "seed {seed}: ({x}, {y})");
            }
        }
    }

    /// Whether a ray to the east crosses the polygon's sides an odd number of times.
    fn is_inside(corners: &[[f64; 3]], x: f64, y: f64) -> bool {
        let sides = corners.iter().zip(corners.iter().cycle().skip(1));
        let crossings = sides.filter(|(a, b)| {
            (a[1] > y) != (b[1] > y) && x < a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0])
        });
        crossings.count() % 2 == 1
    }
}
