//! Parts of buildings: the properties that they take over from their building, and the rest of its outline.
//!
//! Where parts (`building:part`) stand, they replace the outline, as Simple 3D Buildings has it. The area that no part
//! covers stays as the building's own tags describe it. Parts that begin above the ground have nothing under them if
//! parts cover most of a building; else the outline stays under them up to their undersides.
//!
//! **Cost:** a boolean operation for each building that has parts.

use glam::DVec2;

use super::candidate::{Candidate, Kind};
use crate::place::attributes::Attributes;
use crate::place::boolean::{difference, intersection, resolve};
use crate::place::notes::Notes;
use crate::place::{Building, Polygon, Prism, ReadOptions, Roof, Shape, outline_bounds, rings};

/// Parts that cover this much of a building's outline are all of it, down to the ground.
const COVERED: f64 = 0.5;

/// The least mean width from which on the rest of an outline outside its parts counts, metres: outlines are drawn that
/// well.
const MIN_WIDTH: f64 = 0.5;

/// Metres in a degree of latitude, accurate enough for widths.
const METRES_PER_DEGREE: f64 = 111_200.0;

/// The buildings of candidates with their outlines, in their order.
pub(super) fn buildings(
    candidates: &[Candidate],
    outlines: &[Vec<Polygon>],
    options: &ReadOptions,
    notes: &mut Notes,
) -> Vec<Building> {
    let homes = homes(candidates, outlines);
    let mut parts_of: Vec<Vec<Prism>> = vec![Vec::new(); candidates.len()];
    let mut built: Vec<Vec<Building>> = vec![Vec::new(); candidates.len()];
    for (part, candidate) in candidates.iter().enumerate() {
        if candidate.kind != Kind::Part || outlines[part].is_empty() {
            continue;
        }
        let mut tags = candidate.tags.clone();
        if let Some(home) = homes[part]
            && tags.reason_below_ground(options).is_none()
        {
            tags.inherit(&candidates[home].tags, options);
        }
        let prism = tags.prism(outlines[part].clone(), options, &candidate.found_at, notes);
        let Some(prism) = prism else { continue };
        if let Some(home) = homes[part] {
            parts_of[home].push(prism.clone());
        }
        built[part].push(building(&candidate.found_at, prism, &tags, options));
    }
    for (index, candidate) in candidates.iter().enumerate() {
        let outline = &outlines[index];
        if candidate.kind != Kind::Building || outline.is_empty() {
            continue;
        }
        let parts = &parts_of[index];
        let (place, tags) = (&candidate.found_at, &candidate.tags);
        let rest = (!parts.is_empty()).then(|| Rest::new(outline, parts));
        let Some(rest) = rest else {
            let prism = tags.prism(outline.clone(), options, place, notes);
            built[index].extend(prism.map(|prism| building(place, prism, tags, options)));
            continue;
        };
        let mut prisms = Vec::new();
        notes.about(outline_bounds(outline), |notes| {
            if rest.has_strips {
                let what = format!(
                    "strips narrower than {MIN_WIDTH} m between its parts and its outline are left out"
                );
                notes.add(place, what);
            }
            if rest.is_empty() {
                return;
            }
            let what = "no part of the building covers a part of its outline, which stands at the building's own height";
            notes.add(place, what);
        });
        if !rest.is_empty()
            && let Some(prism) = tags.prism(outline.clone(), options, place, notes)
        {
            prisms = rest.prisms(&prism);
        }
        built[index].extend(
            prisms
                .into_iter()
                .map(|prism| building(place, prism, tags, options)),
        );
    }
    built.into_iter().flatten().collect()
}

fn building(found_at: &str, prism: Prism, tags: &Attributes, options: &ReadOptions) -> Building {
    let material = |keys: &[String]| tags.first(keys).map(str::to_owned);
    Building {
        id: found_at.to_owned(),
        found_at: found_at.to_owned(),
        shape: Shape::Prism(prism),
        wall_material: material(&options.wall_material_keys),
        roof_material: material(&options.roof_material_keys),
    }
}

/// The building that each part belongs to: the smallest in whose outline a point of it lies.
fn homes(candidates: &[Candidate], outlines: &[Vec<Polygon>]) -> Vec<Option<usize>> {
    let mut buildings: Vec<([DVec2; 2], usize)> = Vec::new();
    for (index, candidate) in candidates.iter().enumerate() {
        if candidate.kind == Kind::Building && !outlines[index].is_empty() {
            buildings.push((outline_bounds(&outlines[index]), index));
        }
    }
    buildings.sort_by(|a, b| a.0[0].x.total_cmp(&b.0[0].x));
    let widths = buildings.iter().map(|([low, high], _)| high.x - low.x);
    let widest = widths.fold(0.0, f64::max);
    let area = |index: usize| outlines[index].iter().map(Polygon::area).sum::<f64>();
    let home = |(part, candidate): (usize, &Candidate)| {
        if candidate.kind != Kind::Part {
            return None;
        }
        let point = rings::polygon_inner_point(outlines[part].first()?)?;
        let from = buildings.partition_point(|([low, _], _)| low.x < point.x - widest);
        let around = buildings[from..]
            .iter()
            .take_while(|([low, _], _)| low.x <= point.x);
        let holds = around.filter(|([low, high], building)| {
            point.cmpge(*low).all()
                && point.cmple(*high).all()
                && outlines[*building]
                    .iter()
                    .any(|polygon| rings::polygon_contains(polygon, point))
        });
        let smallest = holds.min_by(|a, b| area(a.1).total_cmp(&area(b.1)));
        smallest.map(|(_, building)| *building)
    };
    candidates.iter().enumerate().map(home).collect()
}

/// The rest of an outline outside its parts, in metres.
struct Rest {
    scale: Scale,
    /// The area that no part covers.
    open: Vec<Polygon>,
    /// The area under parts that begin above the ground, and the height at which each begins, from the lowest on.
    under: Vec<(f64, Vec<Polygon>)>,
    /// Whether strips of it were too narrow to count.
    has_strips: bool,
}

impl Rest {
    fn new(outline: &[Polygon], parts: &[Prism]) -> Self {
        let scale = Scale::around(outline);
        let outline = resolve(&scale.to_metres(outline));
        let in_metres = |prism: &Prism| resolve(&scale.to_metres(&prism.outline));
        let covers: Vec<(f64, Vec<Polygon>)> = parts
            .iter()
            .map(|part| (part.min_height, in_metres(part)))
            .collect();
        let without = |outline: &[Polygon], covers: &[(f64, Vec<Polygon>)]| {
            let mut rest = outline.to_vec();
            for (_, cover) in covers {
                rest = difference(&rest, cover);
            }
            rest
        };
        let area = |polygons: &[Polygon]| polygons.iter().map(Polygon::area).sum::<f64>();
        let open = without(&outline, &covers);
        let mut under = Vec::new();
        let is_whole = area(&open) <= (1.0 - COVERED) * area(&outline);
        if !is_whole {
            let (grounded, mut raised): (Vec<_>, Vec<_>) =
                covers.into_iter().partition(|(foot, _)| *foot <= 0.0);
            raised.sort_by(|a, b| a.0.total_cmp(&b.0));
            let mut left = without(&outline, &grounded);
            for (foot, cover) in raised {
                under.push((foot, intersection(&left, &cover)));
                left = difference(&left, &cover);
            }
        }
        let mut rest = Self {
            scale,
            open,
            under,
            has_strips: false,
        };
        let mut has_strips = false;
        let mut is_wide = |polygon: &Polygon| {
            let sides = polygon.rings().flat_map(|ring| rings::sides(ring));
            let around: f64 = sides.map(|(a, b)| a.distance(b)).sum();
            let is_wide = 2.0 * polygon.area() >= MIN_WIDTH * around;
            has_strips |= !is_wide;
            is_wide
        };
        rest.open.retain(&mut is_wide);
        for (_, piece) in &mut rest.under {
            piece.retain(&mut is_wide);
        }
        rest.has_strips = has_strips;
        rest
    }

    fn is_empty(&self) -> bool {
        self.open.is_empty() && self.under.iter().all(|(_, piece)| piece.is_empty())
    }

    /// The rest of a prism over the whole outline.
    fn prisms(&self, whole: &Prism) -> Vec<Prism> {
        let height = match whole.roof {
            Roof::Height(height) => height,
            Roof::Elevation(_) => f64::INFINITY,
        };
        let mut open = self.open.clone();
        let mut prisms = Vec::new();
        for (foot, piece) in &self.under {
            if *foot >= height {
                // The part stands on the roof.
                open.extend_from_slice(piece);
            } else if !piece.is_empty() && *foot > whole.min_height {
                prisms.push(Prism {
                    outline: self.scale.to_degrees(piece),
                    roof: Roof::Height(*foot),
                    pitched: None,
                    ..whole.clone()
                });
            }
        }
        if !open.is_empty() {
            let outline = self.scale.to_degrees(&resolve(&open));
            prisms.insert(
                0,
                Prism {
                    outline,
                    ..whole.clone()
                },
            );
        }
        prisms
    }
}

/// Degrees as metres, near a place.
#[derive(Clone, Copy)]
struct Scale {
    origin: DVec2,
    metres: DVec2,
}

impl Scale {
    fn around(outline: &[Polygon]) -> Self {
        let [low, high] = outline_bounds(outline);
        let across = (0.5 * (low.y + high.y)).to_radians().cos().max(1e-3);
        Self {
            origin: low,
            metres: METRES_PER_DEGREE * DVec2::new(across, 1.0),
        }
    }

    fn to_metres(self, outline: &[Polygon]) -> Vec<Polygon> {
        mapped(outline, |at| (at - self.origin) * self.metres)
    }

    fn to_degrees(self, outline: &[Polygon]) -> Vec<Polygon> {
        mapped(outline, |at| at / self.metres + self.origin)
    }
}

fn mapped(outline: &[Polygon], to: impl Fn(DVec2) -> DVec2) -> Vec<Polygon> {
    let ring = |ring: &Vec<DVec2>| ring.iter().map(|&at| to(at)).collect();
    let polygon = |polygon: &Polygon| Polygon {
        outer: ring(&polygon.outer),
        holes: polygon.holes.iter().map(ring).collect(),
    };
    outline.iter().map(polygon).collect()
}
