//! A building with an inside takes the place of a building of a city.
//!
//! A city has houses as hulls: walls and a roof. A model of one of them has walls with a thickness, floors and rooms.
//! [`City::fit`] finds the hulls that a model replaces where it stands, so that its facade counts once, and how the
//! model misses the ground and its neighbours. [`Mesh::without`] takes these hulls out of the city.
//!
//! **Cost:** that of sorting the sides of the city's triangles, once, and of footprints on about 600 x 600 cells for
//! each model.

mod city;
mod floors;
mod footprint;
mod misfits;
mod placement;
mod replace;
mod shells;
mod site;
#[cfg(test)]
mod tests;

pub use city::City;
pub use misfits::Misfit;
pub use placement::Placement;
pub use replace::{Hull, Replaces};

use glam::{DVec2, DVec3};

use crate::scene::Mesh;
use crate::{Control, Error};

/// The fit of a model into a city.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// The triangles of the city that the model replaces, ascending.
    pub replaced: Vec<usize>,
    /// The buildings that they were.
    pub hulls: Vec<Hull>,
    /// The model's footprint, m².
    pub footprint: f64,
    /// Minimum and maximum coordinates of the model in its own axes, metres.
    pub bounds: [DVec3; 2],
    /// The heights of its floors in its own axes, ascending, metres.
    pub floors: Vec<f64>,
    /// The differences of the model from its surroundings.
    pub misfits: Vec<Misfit>,
}

impl City<'_> {
    /// The surfaces that a model at `placement` replaces, and its fit there. `model` is in its own axes.
    ///
    /// ```
    /// use keller::scene::Mesh;
    /// use keller::scene::building::{City, Placement, Replaces};
    /// use keller::{Control, DVec3};
    ///
    /// // A house of 10 m x 8 m x 6 m, and a model of it.
    /// let mut house = Mesh::default();
    /// let ring = [[0., 0.], [10., 0.], [10., 8.], [0., 8.]];
    /// for (k, [x, y]) in ring.into_iter().enumerate() {
    ///     let [to_x, to_y] = ring[(k + 1) % 4];
    ///     let wall = [[x, y, 0.], [to_x, to_y, 0.], [to_x, to_y, 6.], [x, y, 6.]];
    ///     house.add_polygon("brick", &wall.map(DVec3::from));
    /// }
    /// house.add_polygon("tiles", &ring.map(|[x, y]| DVec3::new(x, y, 6.)));
    /// let city = City::new(&house, &[], &Control::default())?;
    /// let fit = city.fit(&house, &Placement::default(), &Replaces::Overlap)?;
    /// assert_eq!(fit.replaced.len(), 10);
    /// assert!((fit.hulls[0].inside - 80.0).abs() < 0.1);
    /// # Ok::<(), keller::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Building`] for a place at which no building stands, and for a hull that overlaps the model and is more
    /// than twice as large; those of [`City::new`] for the model.
    pub fn fit(
        &self,
        model: &Mesh,
        placement: &Placement,
        replaces: &Replaces,
    ) -> Result<Fit, Error> {
        let own_ground = own_ground(model)?;
        let is_own_ground = |t: &usize| own_ground.binary_search(t).is_ok();
        let triangles: Vec<[DVec3; 3]> = (0..model.triangles.len())
            .filter(|t| !is_own_ground(t))
            .map(|t| shells::corners(model, t))
            .collect();
        let (site, gone, hulls) = replace::replaced(self, &triangles, *placement, replaces)?;
        let footprint = site.model_area();
        let mut misfits = misfits::misfits(&site, &gone, &hulls, *replaces != Replaces::Nothing);
        if let Some(&first) = own_ground.first() {
            let area = own_ground.iter().map(|t| {
                let [a, b, c] = shells::corners(model, *t);
                0.5 * (b - a).cross(c - a).length()
            });
            misfits.push(Misfit::OwnGround {
                material: model.triangles[first].material as usize,
                area: area.sum(),
            });
        }
        let is_hull = |near: &&city::Near| hulls.contains(&near.shell);
        let as_hull = |near: &city::Near| Hull {
            object: site.object_of(near),
            centre: site.centre(near),
            area: near.plan_area,
            inside: site.inside(near),
        };
        Ok(Fit {
            hulls: site.near.iter().filter(is_hull).map(as_hull).collect(),
            footprint,
            bounds: site.bounds,
            floors: floors::floors(&triangles, footprint),
            misfits,
            replaced: gone.into_iter().map(|t| t as usize).collect(),
        })
    }
}

/// The triangles of the ground that a model has around its building, ascending: the lowest sheet, if it reaches far
/// beyond all that stands on it.
fn own_ground(model: &Mesh) -> Result<Vec<usize>, Error> {
    /// The smallest extent of ground around a building, in footprints of the building.
    const MIN_TIMES: f64 = 1.5;
    let own = City::new(model, &[], &Control::default())?;
    let corners = model.triangles.iter().flat_map(|t| t.vertices);
    let plan = corners.fold([DVec2::INFINITY, DVec2::NEG_INFINITY], |[low, high], v| {
        let at = model.vertices[v as usize].truncate();
        [low.min(at), high.max(at)]
    });
    let grid = footprint::Grid::over(plan);
    let near = own.near(&Placement::default(), &grid);
    let mut is_built = vec![false; grid.len()];
    for near in near.iter().filter(|near| !near.is_ground) {
        near.footprint.mark(&mut is_built);
    }
    let built = is_built.iter().filter(|is| **is).count() as f64 * grid.cell_area();
    let ground = near
        .iter()
        .filter(|near| near.is_ground && built > 0.0 && near.plan_area > MIN_TIMES * built);
    let triangles = ground.flat_map(|near| own.shells[near.shell].triangles.iter());
    let mut triangles: Vec<usize> = triangles.map(|t| *t as usize).collect();
    triangles.sort_unstable();
    Ok(triangles)
}
