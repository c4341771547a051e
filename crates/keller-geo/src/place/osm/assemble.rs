//! Turns elements into buildings and vegetation: rings from ways, courtyards from relations.

use std::path::Path;

use glam::DVec2;
use rustc_hash::{FxHashMap, FxHashSet};

use super::candidate::{Candidate, Kind};
use super::{Element, Tags, Visit, Want, parts};
use crate::crs::near_longitude;
use crate::place::attributes::Attributes;
use crate::place::notes::Notes;
use crate::place::{LON_LAT, Place, PlaceError, Polygon, ReadOptions, bounds, rings};

/// Longitude and latitude are within these, degrees.
const MAX_LON_LAT: DVec2 = DVec2::new(180.0, 90.0);

/// Tags that do not say what a relation is: one without any other leaves that to its outer ways, as was usual until 2017.
const SAYS_NOTHING: [&str; 10] = [
    "type",
    "source",
    "created_by",
    "note",
    "fixme",
    "name",
    "ref",
    "attribution",
    "comment",
    "description",
];

/// The relations of a file that are of use, and their ways.
#[derive(Default)]
struct Relations {
    /// Relations whose own tags name their kind, each with its ways.
    tagged: Vec<(Candidate, Vec<i64>)>,
    /// Relations whose outer ways name it.
    untagged: Vec<Untagged>,
    /// The outer ways of buildings and of vegetation: these stand in their relation.
    outer: [FxHashSet<i64>; 2],
    /// All ways whose nodes are wanted.
    members: FxHashSet<i64>,
}

/// A relation whose kind follows from its outer ways.
struct Untagged {
    outer: Vec<i64>,
    inner: Vec<i64>,
}

/// The buildings and the vegetation that `visit` leads to.
pub(super) fn place(
    file: &Path,
    options: &ReadOptions,
    visit: &Visit<'_>,
) -> Result<Place, PlaceError> {
    let mut notes = Notes::new(file);
    let relations = read_relations(options, visit)?;
    let (mut candidates, mut lines) = (Vec::new(), FxHashMap::default());
    let mut candidate_of: FxHashMap<i64, usize> = FxHashMap::default();
    visit(Want::Ways, &mut |element| {
        let Element::Way { id, nodes, tags } = element else {
            return;
        };
        let (kind, tags) = kind(&tags, options);
        // A way that is around a relation of its kind stands there with its courtyards or clearings.
        let stands_alone =
            |kind: &Kind| !relations.outer[usize::from(*kind == Kind::Clutter)].contains(&id);
        let is_member = relations.members.contains(&id);
        if is_member {
            lines.insert(id, nodes.clone());
        }
        if let Some(kind) = kind.filter(stands_alone) {
            if is_member {
                candidate_of.insert(id, candidates.len());
            }
            candidates.push(Candidate::new(format!("way {id}"), kind, tags, vec![nodes]));
        }
    })?;
    for relation in &relations.untagged {
        add_courtyards(relation, &mut candidates, &candidate_of, &lines);
    }
    candidates.retain(|candidate| !candidate.lines.is_empty());
    for (mut candidate, ways) in relations.tagged {
        candidate.lines = ways
            .iter()
            .filter_map(|way| lines.get(way).cloned())
            .collect();
        candidate.is_incomplete = candidate.lines.len() < ways.len();
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

    let mut place = Place {
        crs: Some(LON_LAT.to_owned()),
        file_crs: Some(LON_LAT.to_owned()),
        buildings: parts::buildings(&candidates, &outlines, options, &mut notes),
        ..Place::default()
    };
    for (candidate, outline) in candidates.iter().zip(&mut outlines) {
        if candidate.kind == Kind::Clutter && !outline.is_empty() {
            let (found_at, outline) = (&candidate.found_at, std::mem::take(outline));
            let tags = &candidate.tags;
            let clutter = tags.clutter(found_at.clone(), found_at, outline, options, &mut notes);
            place.clutter.push(clutter);
        }
    }
    place.warnings = notes.finish();
    Ok(place)
}

/// Gives the outer ways of a relation that says nothing of itself the courtyards in it. Ways that are only a piece of an outline
/// are put together at the first; an inner way with the same tags is a courtyard and nothing else.
fn add_courtyards(
    relation: &Untagged,
    candidates: &mut [Candidate],
    candidate_of: &FxHashMap<i64, usize>,
    lines: &FxHashMap<i64, Vec<i64>>,
) {
    let known = |ways: &[i64]| -> Vec<Vec<i64>> {
        ways.iter()
            .filter_map(|way| lines.get(way).cloned())
            .collect()
    };
    let courtyards = known(&relation.inner);
    let is_closed = |line: &Vec<i64>| line.len() > 3 && line.first() == line.last();
    let mut of_pieces: Option<usize> = None;
    let mut outer_tags: Vec<Attributes> = Vec::new();
    for way in &relation.outer {
        let Some(&index) = candidate_of.get(way) else {
            continue;
        };
        outer_tags.push(candidates[index].tags.clone());
        if lines.get(way).is_some_and(is_closed) {
            candidates[index].courtyards.extend(courtyards.clone());
        } else if of_pieces.is_none() {
            let pieces = known(&relation.outer);
            let pieces = pieces.into_iter().filter(|line| !is_closed(line));
            candidates[index].lines = pieces.collect();
            candidates[index].courtyards.extend(courtyards.clone());
            of_pieces = Some(index);
        } else {
            candidates[index].lines.clear();
        }
    }
    for way in &relation.inner {
        if let Some(&index) = candidate_of.get(way)
            && outer_tags
                .iter()
                .any(|tags| tags.0 == candidates[index].tags.0)
        {
            candidates[index].lines.clear();
        }
    }
}

/// The kind of an element by its tags, and the tags if it is of use.
fn kind(tags: &Tags<'_>, options: &ReadOptions) -> (Option<Kind>, Attributes) {
    let is = |key: &str| tags.iter().any(|&(k, v)| k == key && v != "no");
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

fn read_relations(options: &ReadOptions, visit: &Visit<'_>) -> Result<Relations, PlaceError> {
    let mut relations = Relations::default();
    visit(Want::Relations, &mut |element| {
        let Element::Relation { id, ways, tags } = element else {
            return;
        };
        if !tags.contains(&("type", "multipolygon")) {
            return;
        }
        let with_role = |roles: &[&str]| -> Vec<i64> {
            let ways = ways.iter().filter(|(_, role)| roles.contains(role));
            ways.map(|&(way, _)| way).collect()
        };
        let outer = with_role(&["outer", ""]);
        let says_nothing = |key: &str| {
            SAYS_NOTHING.contains(&key)
                || ["source:", "note:", "name:", "addr:"]
                    .iter()
                    .any(|start| key.starts_with(start))
        };
        match kind(&tags, options) {
            (Some(kind), tags) => {
                relations.outer[usize::from(kind == Kind::Clutter)].extend(&outer);
                let all = with_role(&["outer", "inner", ""]);
                relations.members.extend(&all);
                let candidate = Candidate::new(format!("relation {id}"), kind, tags, Vec::new());
                relations.tagged.push((candidate, all));
            }
            (None, _) if tags.iter().all(|(key, _)| says_nothing(key)) => {
                let inner = with_role(&["inner"]);
                relations.members.extend(outer.iter().chain(&inner));
                relations.untagged.push(Untagged { outer, inner });
            }
            (None, _) => {}
        }
    })?;
    Ok(relations)
}

/// The positions of the nodes that the candidates' ways are made of. Longitudes run on across the antimeridian.
fn read_nodes(
    candidates: &[Candidate],
    file: &Path,
    visit: &Visit<'_>,
) -> Result<FxHashMap<i64, DVec2>, PlaceError> {
    let lines = candidates
        .iter()
        .flat_map(|candidate| candidate.lines.iter().chain(&candidate.courtyards));
    let wanted: FxHashSet<i64> = lines.flatten().copied().collect();
    let mut nodes = FxHashMap::default();
    let (mut outside, mut first) = (None, None);
    visit(Want::Nodes, &mut |element| {
        if let Element::Node { id, at } = element
            && wanted.contains(&id)
        {
            if !at.abs().cmple(MAX_LON_LAT).all() {
                outside.get_or_insert((id, at));
            }
            let x = near_longitude(at.x, *first.get_or_insert(at.x));
            nodes.insert(id, DVec2::new(x, at.y));
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
    let mut read = |lines: &[Vec<i64>]| {
        let (closed, open) = join(lines);
        if open > 0 {
            notes.add(
                &candidate.found_at,
                "its outline does not close; the open part is left out",
            );
        }
        let mut rings: Vec<Vec<DVec2>> = Vec::new();
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
        rings
    };
    let mut rings = read(&candidate.lines);
    if !candidate.courtyards.is_empty() {
        let courtyards = read(&candidate.courtyards);
        let is_inside = |ring: &Vec<DVec2>| {
            let point = rings::inner_point(ring);
            point.is_some_and(|point| rings.iter().any(|outer| rings::contains(outer, point)))
        };
        let inside: Vec<_> = courtyards.into_iter().filter(is_inside).collect();
        rings.extend(inside);
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
