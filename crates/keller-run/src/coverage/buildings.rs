//! Finds the cells of a map that lie in buildings that waves do not enter, so that pictures show a building there and
//! not a place without power.
//!
//! Cells are in a building if [`Scene::is_under_building`] says so of their centres. Connected cells without power that
//! are mostly surrounded by cells of the same building with power are an exception: waves enter that building, and the
//! map shows how far. Cells in which no receiver can be are walls if a neighbouring cell is in a building.
//!
//! **Cost:** a vertical ray for each cell without a value and for each of its neighbours.

use std::collections::BTreeSet;

use keller::coverage::Region;
use keller::parallel;
use keller::scene::Scene;

/// For each cell of a level, whether it lies in a building without power, `[ny, nx]`. `values` are those of the level,
/// with a finite one where a cell has power; `ground` is that of [`keller::coverage::Coverage`].
///
/// # Panics
/// If there are not as many values as cells in a level.
pub fn cells_in_buildings(
    scene: &Scene,
    region: &Region,
    ground: &[f64],
    level: usize,
    values: &[f64],
) -> Vec<bool> {
    let [nx, ny] = region.num_columns;
    assert_eq!(values.len(), nx * ny, "a value for each cell of a level");
    let is_inside = |cell: usize| {
        let centre = region.centre([cell % nx, cell / nx, level], ground);
        centre.is_some_and(|centre| scene.is_under_building(centre))
    };
    let is_dark = |cell: usize| !values[cell].is_finite();
    let dark_inside = parallel::map(nx * ny, |cell| is_dark(cell) && is_inside(cell));
    let is_wall = |cell: usize| values[cell].is_nan() && beside(cell, [nx, ny]).any(&is_inside);
    let mut buildings = parallel::map(nx * ny, |cell| dark_inside[cell] || is_wall(cell));
    let mut is_seen = vec![false; nx * ny];
    for first in 0..nx * ny {
        if !dark_inside[first] || is_seen[first] {
            continue;
        }
        // The cells that hang together with this one, and those around them.
        let mut together = vec![first];
        let mut around = BTreeSet::new();
        is_seen[first] = true;
        let mut next = 0;
        while next < together.len() {
            for cell in beside(together[next], [nx, ny]) {
                if !dark_inside[cell] {
                    around.insert(cell);
                } else if !is_seen[cell] {
                    is_seen[cell] = true;
                    together.push(cell);
                }
            }
            next += 1;
        }
        let lit = around
            .iter()
            .filter(|cell| !is_dark(**cell) && is_inside(**cell));
        if 2 * lit.count() > around.len() {
            for cell in together {
                buildings[cell] = is_wall(cell);
            }
        }
    }
    buildings
}

/// The cells at the sides of a cell.
fn beside(cell: usize, [nx, ny]: [usize; 2]) -> impl Iterator<Item = usize> {
    let (i, j) = (cell % nx, cell / nx);
    let all = [
        (i > 0).then(|| cell - 1),
        (i + 1 < nx).then(|| cell + 1),
        (j > 0).then(|| cell - nx),
        (j + 1 < ny).then(|| cell + nx),
    ];
    all.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use keller::coverage::Levels;
    use keller::scene::{Mesh, MeshTriangle};
    use keller::{DVec2, DVec3};

    use super::*;

    /// A house of 4 m by 4 m with a floor of its own on a slope of 100 m.
    fn house_on_a_slope() -> Scene {
        let mut mesh = Mesh::default();
        let [ground, wall] = ["ground", "wall"].map(|name| mesh.material_index(name));
        let mut quad = |corners: [[f64; 3]; 4], material| {
            let base = u32::try_from(mesh.vertices.len()).unwrap();
            mesh.vertices.extend(corners.map(DVec3::from));
            for t in [[0, 1, 2], [0, 2, 3]] {
                let vertices = t.map(|v| base + v);
                mesh.triangles.push(MeshTriangle { vertices, material });
            }
        };
        let slope = |x: f64, y: f64| [x, y, 100.0 + 0.2 * x];
        for x in [-50.0, 0.0] {
            quad(
                [
                    slope(x, -50.0),
                    slope(x + 50.0, -50.0),
                    slope(x + 50.0, 50.0),
                    slope(x, 50.0),
                ],
                ground,
            );
        }
        let ring = [[10.0, 0.0], [14.0, 0.0], [14.0, 4.0], [10.0, 4.0]];
        for z in [101.0, 108.0] {
            quad(ring.map(|[x, y]| [x, y, z]), wall);
        }
        for k in 0..4 {
            let ([a, b], [c, d]) = (ring[k], ring[(k + 1) % 4]);
            quad(
                [[a, b, 101.0], [c, d, 101.0], [c, d, 108.0], [a, b, 108.0]],
                wall,
            );
        }
        Scene::new(&mesh).unwrap()
    }

    #[test]
    fn cells_without_power_in_a_house_on_a_slope_are_a_building() {
        let scene = house_on_a_slope();
        let levels = Levels::AboveGround(vec![1.5]);
        let (min, max) = (DVec2::new(8.0, -2.0), DVec2::new(16.0, 6.0));
        let region = Region::planes(min, max, DVec2::splat(2.0), levels).unwrap();
        let ground = region.ground(&scene);
        let inside: Vec<bool> = (0..16).map(|k| matches!(k, 5 | 6 | 9 | 10)).collect();
        // Outside one cell has no power either.
        let mut values: Vec<f64> = (inside.iter())
            .map(|inside| if *inside { f64::NEG_INFINITY } else { -80.0 })
            .collect();
        values[12] = f64::NEG_INFINITY;
        let found = cells_in_buildings(&scene, &region, &ground, 0, &values);
        assert_eq!(found, inside);
        // No receiver can be in the wall next to them.
        values[4] = f64::NAN;
        let found = cells_in_buildings(&scene, &region, &ground, 0, &values);
        assert!(found[4] && !found[0]);
        values[4] = -80.0;
        // A cell on the edge of the house has power, which is no reason to take the others for open ground.
        values[10] = -120.0;
        let found = cells_in_buildings(&scene, &region, &ground, 0, &values);
        let others: Vec<bool> = (0..16).map(|k| matches!(k, 5 | 6 | 9)).collect();
        assert_eq!(found, others);
    }

    #[test]
    fn cells_that_waves_do_not_reach_in_a_house_that_they_enter_have_no_power() {
        let scene = house_on_a_slope();
        let levels = Levels::AboveGround(vec![1.5]);
        let (min, max) = (DVec2::new(9.0, -1.0), DVec2::new(15.0, 5.0));
        let region = Region::planes(min, max, DVec2::splat(0.5), levels).unwrap();
        let mut values = vec![-80.0; 144];
        for cell in [65, 66, 77, 78] {
            values[cell] = f64::NEG_INFINITY;
        }
        let ground = region.ground(&scene);
        let found = cells_in_buildings(&scene, &region, &ground, 0, &values);
        assert_eq!(found, [false; 144]);
    }
}
