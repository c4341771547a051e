//! Polygons in well-known binary, which databases of maps keep.
//!
//! # Source
//! OGC 06-103r4, Simple Feature Access, clause 8.2; and PostGIS' flags for a third coordinate, a measure and a system.

use glam::DVec2;

use super::{Polygon, rings};

/// Collections in collections beyond this depth are refused.
const MAX_DEPTH: usize = 16;

/// The kind of a geometry.
#[derive(Debug, PartialEq)]
pub(super) enum Geometry {
    /// Polygons; none in an empty collection.
    Polygons(Vec<Polygon>),
    /// Something else, by its name.
    Other(&'static str),
}

/// The geometry in `bytes`. The third coordinate and the measure are not used.
pub(super) fn parse(bytes: &[u8]) -> Result<Geometry, String> {
    let mut polygons = Vec::new();
    let mut reader = Reader {
        rest: bytes,
        is_little: true,
    };
    let other = reader.geometry(&mut polygons, 0)?;
    Ok(match other {
        Some(name) if polygons.is_empty() => Geometry::Other(name),
        _ => Geometry::Polygons(polygons),
    })
}

struct Reader<'a> {
    rest: &'a [u8],
    is_little: bool,
}

impl Reader<'_> {
    /// Adds the polygons of a geometry to `out`; names a geometry that is none.
    fn geometry(
        &mut self,
        out: &mut Vec<Polygon>,
        depth: usize,
    ) -> Result<Option<&'static str>, String> {
        const WITH_SYSTEM: u32 = 0x2000_0000;
        const WITH_Z: u32 = 0x8000_0000;
        const WITH_M: u32 = 0x4000_0000;
        self.is_little = match self.take::<1>()? {
            [0] => false,
            [1] => true,
            [order] => return Err(format!("its byte order is {order}; accepted: 0 or 1")),
        };
        let code = self.number()?;
        if code & WITH_SYSTEM != 0 {
            self.number()?;
        }
        let kind = code & !(WITH_SYSTEM | WITH_Z | WITH_M);
        let thousands = kind / 1000;
        let num_more = match thousands {
            0 => u32::from(code & WITH_Z != 0) + u32::from(code & WITH_M != 0),
            1 | 2 => 1,
            _ => 2,
        };
        let size = 8 * (2 + num_more as usize);
        match kind % 1000 {
            3 => out.push(self.polygon(size)?),
            6 | 7 if depth < MAX_DEPTH => {
                let mut other = None;
                for _ in 0..self.count(5)? {
                    let found = self.geometry(out, depth + 1)?;
                    other = other.or(found);
                }
                return Ok(other);
            }
            6 | 7 => {
                return Err(format!(
                    "its collections are nested more than {MAX_DEPTH} deep"
                ));
            }
            kind => return Ok(Some(name_of(kind))),
        }
        Ok(None)
    }

    /// A polygon whose positions have so many bytes.
    fn polygon(&mut self, size: usize) -> Result<Polygon, String> {
        let mut polygon = Polygon::default();
        for ring in 0..self.count(4)? {
            let num_points = self.count(size)?;
            let mut points = Vec::with_capacity(num_points);
            for at in 0..num_points {
                let point = DVec2::new(self.coordinate()?, self.coordinate()?);
                if !point.is_finite() {
                    return Err(format!("position {at} of ring {ring} is not finite"));
                }
                points.push(point);
                self.skip(size - 16)?;
            }
            let points = rings::open(points);
            match ring {
                0 => polygon.outer = points,
                _ => polygon.holes.push(points),
            }
        }
        Ok(polygon)
    }

    /// The number of parts that follow, of at least so many bytes each.
    fn count(&mut self, size: usize) -> Result<usize, String> {
        let count = self.number()? as usize;
        if count > self.rest.len() / size {
            return Err(format!("its geometry ends before {count} parts of it"));
        }
        Ok(count)
    }

    fn number(&mut self) -> Result<u32, String> {
        let bytes = self.take()?;
        Ok(if self.is_little {
            u32::from_le_bytes(bytes)
        } else {
            u32::from_be_bytes(bytes)
        })
    }

    fn coordinate(&mut self) -> Result<f64, String> {
        let bytes = self.take()?;
        Ok(if self.is_little {
            f64::from_le_bytes(bytes)
        } else {
            f64::from_be_bytes(bytes)
        })
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], String> {
        let (taken, rest) = self.rest.split_first_chunk().ok_or(ENDS)?;
        self.rest = rest;
        Ok(*taken)
    }

    fn skip(&mut self, num_bytes: usize) -> Result<(), String> {
        self.rest = self.rest.get(num_bytes..).ok_or(ENDS)?;
        Ok(())
    }
}

const ENDS: &str = "its geometry ends too early";

fn name_of(kind: u32) -> &'static str {
    match kind {
        1 | 4 => "points",
        2 | 5 => "lines",
        8 | 9 | 11 | 13 => "curves",
        10 | 12 | 14 => "a surface with curved sides",
        15..=17 => "a surface of triangles or facets",
        _ => "no polygons",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ring of a square, closed, each position with `more` further numbers.
    fn square(x: f64, more: usize) -> Vec<f64> {
        let corners = [(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0), (0.0, 0.0)];
        corners
            .iter()
            .flat_map(|c| [&[x + c.0, c.1][..], &vec![7.0; more]].concat())
            .collect()
    }

    fn polygon(code: u32, is_little: bool, x: f64, more: usize) -> Vec<u8> {
        let number = |n: u32| {
            if is_little {
                n.to_le_bytes()
            } else {
                n.to_be_bytes()
            }
        };
        let mut bytes = vec![u8::from(is_little)];
        for n in [code, 1, 5] {
            bytes.extend(number(n));
        }
        for v in square(x, more) {
            bytes.extend(if is_little {
                v.to_le_bytes()
            } else {
                v.to_be_bytes()
            });
        }
        bytes
    }

    #[test]
    fn polygons_are_read_in_both_orders_of_bytes_with_and_without_heights() {
        let corners = |x: f64| {
            let ring = [(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)];
            ring.map(|(a, b)| DVec2::new(x + a, b)).to_vec()
        };
        for (code, more) in [
            (3, 0),
            (1003, 1),
            (2003, 1),
            (3003, 2),
            (0x8000_0003, 1),
            (0xc000_0003, 2),
        ] {
            for is_little in [false, true] {
                let found = parse(&polygon(code, is_little, 1.0, more)).unwrap();
                let outer = corners(1.0);
                let wanted = Polygon {
                    outer,
                    holes: Vec::new(),
                };
                assert_eq!(
                    found,
                    Geometry::Polygons(vec![wanted]),
                    "{code:x} {is_little}"
                );
            }
        }
        // Two of them in a multipolygon, each with an order of its own.
        let mut both = vec![0, 0, 0, 0, 6, 0, 0, 0, 2];
        both.extend(polygon(3, true, 0.0, 0));
        both.extend(polygon(3, false, 9.0, 0));
        let Geometry::Polygons(found) = parse(&both).unwrap() else {
            panic!("polygons")
        };
        assert_eq!(
            [&found[0].outer, &found[1].outer],
            [&corners(0.0), &corners(9.0)]
        );
    }

    #[test]
    fn what_is_cut_or_no_polygon_is_said() {
        let whole = polygon(1003, true, 0.0, 1);
        for length in 0..whole.len() {
            assert!(parse(&whole[..length]).is_err(), "{length}");
        }
        let point = [&[1, 1, 0, 0, 0][..], &[0; 16]].concat();
        assert_eq!(parse(&point), Ok(Geometry::Other("points")));
        // A collection of four thousand million parts, and one in one in one.
        let many = [1, 7, 0, 0, 0, 255, 255, 255, 255];
        assert!(parse(&many).unwrap_err().contains("ends before 4294967295"));
        let deep = [1, 7, 0, 0, 0, 1, 0, 0, 0].repeat(40);
        assert!(parse(&deep).unwrap_err().contains("nested"));
    }
}
