//! From elements to buildings and vegetation: rings from ways, parts in place of outlines.

use std::path::Path;

use glam::DVec2;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Element, Tags, Visit, Want};
use crate::place::attributes::Attributes;
use crate::place::notes::Notes;
use crate::place::{
    Building, LON_LAT, Place, PlaceError, Polygon, ReadOptions, Shape, bounds, outline_bounds,
    rings,
};

/// Parts that cover this much of a building's outline replace it.
const COVERED: f64 = 0.5;

/// Longitude and latitude are within these, degrees.
const MAX_LON_LAT: DVec2 = DVec2::new(180.0, 90.0);

/// What a way or relation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Building,
    Part,
    Clutter,
}

/// A way or relation that is of use.
struct Candidate {
    found_at: String,
    kind: Kind,
    tags: Attributes,
    /// The ways around it and those around its courtyards, as lists of nodes.
    lines: Vec<Vec<i64>>,
    /// Whether ways of it are not in the file.
    is_incomplete: bool,
}

/// The buildings and the vegetation that `visit` leads to.
pub(super) fn place(
    file: &Path,
    options: &ReadOptions,
    visit: &Visit<'_>,
) -> Result<Place, PlaceError> {
    let mut notes = Notes::new(file);
    let (mut candidates, relations, mut lines) = (
        Vec::new(),
        read_relations(options, visit)?,
        FxHashMap::default(),
    );
    let members = |is_clutter: bool| -> FxHashSet<i64> {
        let of_kind =
            |(candidate, _): &&(Candidate, _)| (candidate.kind == Kind::Clutter) == is_clutter;
        let ways = relations.iter().filter(of_kind).flat_map(|(_, ways)| ways);
        ways.copied().collect()
    };
    let (of_buildings, of_clutter) = (members(false), members(true));
    visit(Want::Ways, &mut |element| {
        let Element::Way { id, nodes, tags } = element else {
            return;
        };
        // A way that is also in a relation of its kind stands there with its courtyards or clearings.
        let is_member = |kind| match kind {
            Kind::Building | Kind::Part => of_buildings.contains(&id),
            Kind::Clutter => of_clutter.contains(&id),
        };
        let (kind, tags) = kind(&tags, options);
        let kind = kind.filter(|kind| !is_member(*kind));
        if of_buildings.contains(&id) || of_clutter.contains(&id) {
            lines.insert(id, nodes.clone());
        }
        if let Some(kind) = kind {
            candidates.push(Candidate {
                found_at: format!("way {id}"),
                kind,
                tags,
                lines: vec![nodes],
                is_incomplete: false,
            });
        }
    })?;
    for (mut candidate, ways) in relations {
        let count = ways.len();
        candidate.lines = ways
            .iter()
            .filter_map(|way| lines.get(way).cloned())
            .collect();
        candidate.is_incomplete = candidate.lines.len() < count;
        candidates.push(candidate);
    }
    let nodes = read_nodes(&candidates, file, visit)?;
    let mut outlines: Vec<Vec<Polygon>> = candidates
        .iter()
        .map(|candidate| {
            let known = candidate.lines.iter().flatten();
            let known = known.filter_map(|id| nodes.get(id).copied());
            notes.about(bounds(known), |notes| outline(candidate, &nodes, notes))
        })
        .collect();
    replace_outlines_by_parts(&candidates, &mut outlines, &mut notes);

    let mut place = Place {
        crs: Some(LON_LAT.to_owned()),
        file_crs: Some(LON_LAT.to_owned()),
        ..Place::default()
    };
    for (candidate, outline) in candidates.into_iter().zip(outlines) {
        if outline.is_empty() {
            continue;
        }
        let Candidate {
            found_at,
            kind,
            tags,
            ..
        } = candidate;
        if kind == Kind::Clutter {
            let id = found_at.clone();
            let clutter = tags.clutter(id, &found_at, outline, options, &mut notes);
            place.clutter.push(clutter);
            continue;
        }
        if tags.get("roof:shape").is_some_and(|shape| shape != "flat") {
            let what = "the shape of the roof is not used: roofs are flat at the building's height";
            notes.about(outline_bounds(&outline), |notes| notes.add(&found_at, what));
        }
        let Some(prism) = tags.prism(outline, options, &found_at, &mut notes) else {
            continue;
        };
        let material = |keys: &[String]| tags.first(keys).map(str::to_owned);
        place.buildings.push(Building {
            id: found_at.clone(),
            shape: Shape::Prism(prism),
            wall_material: material(&options.wall_material_keys),
            roof_material: material(&options.roof_material_keys),
            found_at,
        });
    }
    place.warnings = notes.finish();
    Ok(place)
}

/// What tags say that an element is, and the tags if it is of use. What is underground is not.
fn kind(tags: &Tags<'_>, options: &ReadOptions) -> (Option<Kind>, Attributes) {
    let is = |key: &str| tags.iter().any(|&(k, v)| k == key && v != "no");
    if tags.contains(&("location", "underground")) {
        return (None, Attributes::default());
    }
    let owned = || {
        let pairs = tags.iter().map(|&(k, v)| (k.to_owned(), v.to_owned()));
        Attributes(pairs.collect())
    };
    if is("building:part") {
        return (Some(Kind::Part), owned());
    }
    if is("building") {
        return (Some(Kind::Building), owned());
    }
    // Most elements of a file are neither: their tags are not copied.
    if !tags.iter().any(|(key, _)| options.is_clutter_key(key)) {
        return (None, Attributes::default());
    }
    let tags = owned();
    (tags.are_clutter(options).then_some(Kind::Clutter), tags)
}

/// The relations that are of use, each with its ways.
fn read_relations(
    options: &ReadOptions,
    visit: &Visit<'_>,
) -> Result<Vec<(Candidate, Vec<i64>)>, PlaceError> {
    let mut relations = Vec::new();
    visit(Want::Relations, &mut |element| {
        let Element::Relation { id, ways, tags } = element else {
            return;
        };
        if !tags.contains(&("type", "multipolygon")) {
            return;
        }
        let (Some(kind), tags) = kind(&tags, options) else {
            return;
        };
        let has_role = |role: &str| matches!(role, "outer" | "inner" | "");
        let ways = ways.iter().filter(|(_, role)| has_role(role));
        let candidate = Candidate {
            found_at: format!("relation {id}"),
            kind,
            tags,
            lines: Vec::new(),
            is_incomplete: false,
        };
        relations.push((candidate, ways.map(|&(way, _)| way).collect()));
    })?;
    Ok(relations)
}

/// The positions of the nodes that the candidates' ways are made of.
fn read_nodes(
    candidates: &[Candidate],
    file: &Path,
    visit: &Visit<'_>,
) -> Result<FxHashMap<i64, DVec2>, PlaceError> {
    let lines = candidates.iter().flat_map(|candidate| &candidate.lines);
    let wanted: FxHashSet<i64> = lines.flatten().copied().collect();
    let mut nodes = FxHashMap::default();
    let mut outside = None;
    visit(Want::Nodes, &mut |element| {
        if let Element::Node { id, at } = element
            && wanted.contains(&id)
        {
            if !at.abs().cmple(MAX_LON_LAT).all() {
                outside.get_or_insert((id, at));
            }
            nodes.insert(id, at);
        }
    })?;
    match outside {
        Some((id, at)) => Err(PlaceError::Coordinates {
            place: format!("`{}`, node {id}", file.display()),
            x: at.x,
            y: at.y,
            problem: "longitude is within ±180°, latitude within ±90°".to_owned(),
        }),
        None => Ok(nodes),
    }
}

/// The polygons of a candidate; none, with a warning, if it cannot be closed.
fn outline(
    candidate: &Candidate,
    nodes: &FxHashMap<i64, DVec2>,
    notes: &mut Notes,
) -> Vec<Polygon> {
    if candidate.is_incomplete {
        notes.add(
            &candidate.found_at,
            "ways of it are not in the file; it may be incomplete",
        );
    }
    let (closed, open) = join(&candidate.lines);
    if open > 0 {
        notes.add(
            &candidate.found_at,
            "its outline does not close; the open part is left out",
        );
    }
    let mut rings = Vec::new();
    for ring in closed {
        let points: Option<Vec<DVec2>> = ring.iter().map(|id| nodes.get(id).copied()).collect();
        match points {
            Some(points) => rings.push(points),
            None => notes.add(
                &candidate.found_at,
                "nodes of it are not in the file; the ring is left out",
            ),
        }
    }
    if rings.is_empty() {
        return Vec::new();
    }
    rings::nest(rings)
}

/// Rings of nodes, open, from lines that are joined end to end, and the number of lines that close no ring.
fn join(lines: &[Vec<i64>]) -> (Vec<Vec<i64>>, usize) {
    let mut ends: FxHashMap<i64, Vec<usize>> = FxHashMap::default();
    for (index, line) in lines.iter().enumerate() {
        for end in [line.first(), line.last()].into_iter().flatten() {
            ends.entry(*end).or_default().push(index);
        }
    }
    let mut is_used = vec![false; lines.len()];
    let (mut rings, mut open) = (Vec::new(), 0);
    for start in 0..lines.len() {
        if std::mem::replace(&mut is_used[start], true) || lines[start].is_empty() {
            continue;
        }
        let mut ring = lines[start].clone();
        let (first, mut count) = (ring[0], 1);
        while ring.last() != Some(&first) || ring.len() == 1 {
            let end = ring[ring.len() - 1];
            let next = ends.get(&end).into_iter().flatten().find(|&&i| !is_used[i]);
            let Some(&next) = next else { break };
            is_used[next] = true;
            count += 1;
            let line = &lines[next];
            if line.first() == Some(&end) {
                ring.extend(&line[1..]);
            } else {
                ring.extend(line.iter().rev().skip(1));
            }
        }
        if ring.len() > 3 && ring.last() == Some(&first) {
            ring.pop();
            rings.push(ring);
        } else {
            open += count;
        }
    }
    (rings, open)
}

/// Empties the outlines of buildings that parts cover for the most part.
fn replace_outlines_by_parts(
    candidates: &[Candidate],
    outlines: &mut [Vec<Polygon>],
    notes: &mut Notes,
) {
    let mut buildings: Vec<(DVec2, DVec2, usize)> = Vec::new();
    for (index, candidate) in candidates.iter().enumerate() {
        if candidate.kind == Kind::Building {
            let rings = outlines[index]
                .iter()
                .map(|polygon| rings::bounds(&polygon.outer));
            let bounds = rings.reduce(|[a, b], [c, d]| [a.min(c), b.max(d)]);
            buildings.extend(bounds.map(|[low, high]| (low, high, index)));
        }
    }
    buildings.sort_by(|a, b| a.0.x.total_cmp(&b.0.x));
    let widest = buildings.iter().map(|(low, high, _)| high.x - low.x);
    let widest = widest.fold(0.0, f64::max);
    let mut covered: FxHashMap<usize, f64> = FxHashMap::default();
    for (part, candidate) in candidates.iter().enumerate() {
        let Some(point) = outlines[part].first().and_then(rings::polygon_inner_point) else {
            continue;
        };
        if candidate.kind != Kind::Part {
            continue;
        }
        let area: f64 = outlines[part].iter().map(Polygon::area).sum();
        let from = buildings.partition_point(|(low, ..)| low.x < point.x - widest);
        let around = buildings[from..]
            .iter()
            .take_while(|(low, ..)| low.x <= point.x);
        for &(low, high, building) in around {
            let is_inside = point.cmpge(low).all()
                && point.cmple(high).all()
                && outlines[building]
                    .iter()
                    .any(|polygon| rings::polygon_contains(polygon, point));
            if is_inside {
                *covered.entry(building).or_default() += area;
            }
        }
    }
    for (building, candidate) in candidates.iter().enumerate() {
        let Some(&parts) = covered.get(&building) else {
            continue;
        };
        let whole: f64 = outlines[building].iter().map(Polygon::area).sum();
        if parts >= COVERED * whole {
            outlines[building].clear();
        } else {
            let what = "its parts cover less than half of it; the outline is kept beside them";
            notes.about(outline_bounds(&outlines[building]), |notes| {
                notes.add(&candidate.found_at, what);
            });
        }
    }
}
