//! Buildings that overlap: the taller keeps the overlap, the other is cut, so that no walls stand inside a building.
//!
//! Buildings that merely touch, or stand above each other, stay as they are. Cost: a sort by x and a boolean operation for every
//! pair whose boxes overlap.

use glam::DVec2;

use super::boolean::{difference, intersection};
use super::notes::Notes;
use super::{Building, Polygon, Prism, Roof, Shape, rings};

/// Buildings whose heights differ by less than this are equally tall or stand exactly above each other, metres.
const SAME_HEIGHT: f64 = 1e-6;

struct Item {
    building: usize,
    bounds: [DVec2; 2],
}

/// Cuts buildings that overlap by more than `tolerance` metres; buildings of which nothing is left are removed.
pub(super) fn cut(buildings: &mut Vec<Building>, tolerance: f64, notes: &mut Notes) {
    let mut items: Vec<Item> = Vec::new();
    for (building, b) in buildings.iter().enumerate() {
        if matches!(b.shape, Shape::Prism(_)) {
            let bounds = b.shape.bounds();
            items.push(Item { building, bounds });
        }
    }
    items.sort_by(|a, b| a.bounds[0].x.total_cmp(&b.bounds[0].x));
    let mut open: Vec<&Item> = Vec::new();
    for item in &items {
        let [low, high] = item.bounds;
        open.retain(|other| other.bounds[1].x > low.x + tolerance);
        for other in &open {
            let is_apart =
                other.bounds[1].y <= low.y + tolerance || other.bounds[0].y >= high.y - tolerance;
            if !is_apart {
                cut_pair(buildings, item.building, other.building, tolerance, notes);
            }
        }
        open.push(item);
    }
    buildings.retain(|building| match &building.shape {
        Shape::Prism(prism) => !prism.outline.is_empty(),
        Shape::Surfaces(_) => true,
    });
}

fn cut_pair(
    buildings: &mut [Building],
    one: usize,
    other: usize,
    tolerance: f64,
    notes: &mut Notes,
) {
    let (first, second) = (one.min(other), one.max(other));
    let [a, b] = buildings
        .get_disjoint_mut([first, second])
        .expect("a building is not its own neighbour");
    let (Shape::Prism(p), Shape::Prism(q)) = (&a.shape, &b.shape) else {
        return;
    };
    let ([p_base, p_top], [q_base, q_top]) = (height_range(p), height_range(q));
    if p_top <= q_base + SAME_HEIGHT || q_top <= p_base + SAME_HEIGHT {
        return;
    }
    if !is_wide(&intersection(&p.outline, &q.outline), tolerance) {
        return;
    }
    // The first of two equally tall ones keeps the overlap.
    let (keeper, loser, keeper_base, loser_base) = if q_top > p_top + SAME_HEIGHT {
        (b, a, q_base, p_base)
    } else {
        (a, b, p_base, q_base)
    };
    let pair = format!("{} and {}", loser.found_at, keeper.found_at);
    if keeper_base > loser_base + SAME_HEIGHT {
        notes.add(
            &pair,
            "they overlap, and the taller does not reach down to the foot of the other; both are kept as they are",
        );
        return;
    }
    let (Shape::Prism(loser), Shape::Prism(keeper)) = (&mut loser.shape, &keeper.shape) else {
        return;
    };
    loser.outline = difference(&loser.outline, &keeper.outline);
    loser
        .outline
        .retain(|polygon| is_wide(std::slice::from_ref(polygon), tolerance));
    let what = if loser.outline.is_empty() {
        "they overlap; the first lies wholly inside the second, which is at least as tall, and is left out"
    } else {
        "they overlap; the overlap is left to the second, which is at least as tall"
    };
    notes.add(&pair, what);
}

/// The underside and the roof, metres above the ground of the file, or above its zero if it knows the ground.
fn height_range(prism: &Prism) -> [f64; 2] {
    let ground = prism.ground.unwrap_or(0.0);
    let roof = match prism.roof {
        Roof::Height(height) => ground + height,
        Roof::Elevation(elevation) => elevation,
    };
    // Buildings on a slope begin at different elevations, but all in the ground.
    let base = if prism.min_height > 0.0 {
        ground + prism.min_height
    } else {
        f64::NEG_INFINITY
    };
    [base, roof]
}

/// Whether polygons are anywhere wider than `tolerance`, on the mean of one of them.
fn is_wide(polygons: &[Polygon], tolerance: f64) -> bool {
    polygons.iter().any(|polygon| {
        let sides = polygon.rings().flat_map(|ring| rings::sides(ring));
        let around: f64 = sides.map(|(a, b)| a.distance(b)).sum();
        2.0 * polygon.area() > tolerance * around
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::tests::{building, square};

    fn areas(mut buildings: Vec<Building>) -> (Vec<f64>, Vec<String>) {
        let mut notes = Notes::without_file();
        cut(&mut buildings, 0.01, &mut notes);
        let areas = buildings.iter().map(|building| match &building.shape {
            Shape::Prism(prism) => prism.outline.iter().map(Polygon::area).sum(),
            Shape::Surfaces(_) => f64::NAN,
        });
        let round = |area: f64| (1e6 * area).round() / 1e6;
        (areas.map(round).collect(), notes.sentences())
    }

    #[test]
    fn the_taller_keeps_the_overlap() {
        let (low, high) = (
            building("low", square(0.0, 0.0, 10.0), 5.0),
            building("high", square(8.0, 0.0, 10.0), 9.0),
        );
        let wanted = [
            "building low and building high: they overlap; the overlap is left to the second, which is at least as tall",
        ];
        let (found, warnings) = areas(vec![low.clone(), high.clone()]);
        assert_eq!(
            (found, warnings),
            (vec![80.0, 100.0], wanted.map(String::from).to_vec())
        );
        let (found, _) = areas(vec![high, low]);
        assert_eq!(found, [100.0, 80.0]);
    }

    #[test]
    fn touching_and_nearly_touching_buildings_are_kept() {
        for at in [10.0, 9.995, 10.005, 30.0] {
            let pair = vec![
                building("a", square(0.0, 0.0, 10.0), 5.0),
                building("b", square(at, 3.0, 10.0), 9.0),
            ];
            let (found, warnings) = areas(pair);
            assert_eq!(found, [100.0, 100.0], "{at}");
            assert!(warnings.is_empty(), "{warnings:?}");
        }
    }

    #[test]
    fn what_stands_on_another_is_kept_and_what_lies_inside_goes() {
        let base = building("base", square(0.0, 0.0, 10.0), 5.0);
        let mut tower = building("tower", square(2.0, 2.0, 4.0), 20.0);
        let (found, _) = areas(vec![base.clone(), tower.clone()]);
        assert_eq!(found, [84.0, 16.0]);
        if let Shape::Prism(prism) = &mut tower.shape {
            prism.min_height = 5.0;
        }
        let (found, warnings) = areas(vec![base.clone(), tower.clone()]);
        assert_eq!((found, warnings), (vec![100.0, 16.0], vec![]));
        if let Shape::Prism(prism) = &mut tower.shape {
            prism.min_height = 3.0;
        }
        let (found, warnings) = areas(vec![base.clone(), tower]);
        assert_eq!((found, warnings.len()), (vec![100.0, 16.0], 1));
        let inside = building("inside", square(2.0, 2.0, 4.0), 5.0);
        let (found, warnings) = areas(vec![base, inside]);
        assert_eq!(found, [100.0]);
        assert!(warnings[0].contains("wholly inside"), "{warnings:?}");
    }
}
