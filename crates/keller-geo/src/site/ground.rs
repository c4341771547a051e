//! The ground on which buildings stand: terrain of rasters, terrain through the feet of buildings, or a plane.

use std::collections::BTreeMap;

use delaunator::{Point, triangulate};
use glam::{DVec2, DVec3};
use keller::scene::Mesh;

use super::{SiteError, SiteOptions};
use crate::crs::Frame;
use crate::place::{Place, Shape, clutter, ground};
use crate::terrain::{HeightGrid, Raster, Terrain, TerrainError};

/// Feet of buildings that differ by less are on a plane, metres.
const FLAT: f64 = 0.05;

/// Feet of buildings nearer than about this are one, metres.
const APART: f64 = 2.0;

/// The number of pieces into which each side of the region is cut.
const BORDER: usize = 32;

/// The kind of a site's ground.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum GroundKind {
    /// Triangles that follow rasters.
    Terrain {
        /// Nodes of the rasters in the region.
        nodes: usize,
        /// The number of triangles that follow them.
        triangles: usize,
    },
    /// Triangles through the feet of buildings.
    Feet {
        /// The number of triangles.
        triangles: usize,
    },
    /// A plane at this elevation, metres.
    Plane(f64),
}

/// The ground of a site.
pub(super) struct Ground {
    kind: GroundKind,
    terrain: Option<Terrain>,
}

impl Ground {
    fn plane(elevation: f64) -> Self {
        Self {
            kind: GroundKind::Plane(elevation),
            terrain: None,
        }
    }

    pub(super) fn kind(&self) -> GroundKind {
        self.kind
    }

    pub(super) fn is_flat(&self) -> bool {
        matches!(self.kind, GroundKind::Plane(_))
    }

    /// Its elevation; nothing where there is none.
    pub(super) fn height(&self, at: DVec2) -> Option<f64> {
        match (self.kind, &self.terrain) {
            (GroundKind::Plane(elevation), _) => Some(elevation),
            (_, Some(terrain)) => terrain.height(at),
            (_, None) => None,
        }
    }

    /// The ground in the form that vegetation takes.
    pub(super) fn under_clutter(&self) -> clutter::Ground<'_> {
        match (self.kind, &self.terrain) {
            (GroundKind::Plane(elevation), _) => clutter::Ground::Level(elevation),
            (_, Some(terrain)) => clutter::Ground::Terrain(terrain),
            (_, None) => clutter::Ground::Level(0.0),
        }
    }

    /// Its triangles; those of a plane fill the region.
    pub(super) fn mesh(&self, region: Option<[DVec2; 2]>) -> Option<Mesh> {
        match (self.kind, &self.terrain) {
            (GroundKind::Plane(elevation), _) => {
                region.map(|[low, high]| ground::rectangle(low, high, elevation))
            }
            (_, terrain) => terrain.as_ref().map(Terrain::mesh),
        }
    }
}

/// The ground under a place.
pub(super) fn find(
    place: &Place,
    rasters: &[Raster],
    frame: &Frame,
    region: Option<[DVec2; 2]>,
    options: &SiteOptions,
    warnings: &mut Vec<String>,
) -> Result<Ground, SiteError> {
    if let Some(elevation) = options.ground {
        return Ok(Ground::plane(elevation));
    }
    if !rasters.is_empty() {
        return of_rasters(rasters, frame, region, options, warnings);
    }
    let feet: Vec<DVec3> = place.buildings.iter().filter_map(foot).collect();
    let low = feet.iter().fold(f64::INFINITY, |low, foot| low.min(foot.z));
    let high = feet
        .iter()
        .fold(f64::NEG_INFINITY, |high, foot| high.max(foot.z));
    if !low.is_finite() {
        return Ok(Ground::plane(0.0));
    }
    match region {
        Some(region) if high - low > FLAT => {
            let terrain = through(&feet, region);
            let triangles = terrain.triangles().len();
            Ok(Ground {
                kind: GroundKind::Feet { triangles },
                terrain: Some(terrain),
            })
        }
        _ => Ok(Ground::plane(low)),
    }
}

fn of_rasters(
    rasters: &[Raster],
    frame: &Frame,
    region: Option<[DVec2; 2]>,
    options: &SiteOptions,
    warnings: &mut Vec<String>,
) -> Result<Ground, SiteError> {
    let grid = HeightGrid::from_rasters(rasters, frame, region)
        .map_err(|error| elsewhere(error, rasters, frame, region))?;
    let nodes = grid.heights.len();
    let (mut terrain, notes) = Terrain::from_grid(grid, options.terrain)?;
    warnings.extend(notes);
    if let Some([low, high]) = region {
        terrain = terrain.clip_rectangle(low, high)?;
    }
    let triangles = terrain.triangles().len();
    Ok(Ground {
        kind: GroundKind::Terrain { nodes, triangles },
        terrain: Some(terrain),
    })
}

/// The error of rasters without a height in a region, which names them.
fn elsewhere(
    error: TerrainError,
    rasters: &[Raster],
    frame: &Frame,
    region: Option<[DVec2; 2]>,
) -> SiteError {
    let TerrainError::NoHeights(_) = &error else {
        return error.into();
    };
    let first = &rasters[0];
    let Some(ends) = region else {
        let more = match rasters.len() - 1 {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        return TerrainError::NoHeights(format!("`{}`{more}", first.file.display())).into();
    };
    let crs = first.crs.as_ref().unwrap_or(frame.crs());
    let [low, high] = ends.map(|end| frame.from_local(crs, end).unwrap_or(end));
    SiteError::Beside {
        file: first.file.clone(),
        low,
        high,
    }
}

/// The centre of a building, at the elevation of its foot; `None` if its file does not state that.
fn foot(building: &crate::place::Building) -> Option<DVec3> {
    let elevation = match &building.shape {
        Shape::Prism(prism) => prism.ground?,
        Shape::Surfaces(surfaces) => {
            let corners = surfaces.iter().flat_map(|s| &s.rings).flatten();
            corners.fold(f64::INFINITY, |low, corner| low.min(corner.z))
        }
    };
    let [low, high] = building.shape.bounds();
    let centre = 0.5 * (low + high);
    (centre.is_finite() && elevation.is_finite()).then(|| centre.extend(elevation))
}

/// Terrain through points, level with the nearest of them along the border of the region.
fn through(points: &[DVec3], [low, high]: [DVec2; 2]) -> Terrain {
    let border = (0..BORDER).flat_map(|k| {
        let along = low + (high - low) * k as f64 / BORDER as f64;
        let back = low + high - along;
        [
            DVec2::new(along.x, low.y),
            DVec2::new(high.x, along.y),
            DVec2::new(back.x, high.y),
            DVec2::new(low.x, back.y),
        ]
    });
    let level = |corner: DVec2| {
        let distance = |p: &&DVec3| p.truncate().distance_squared(corner);
        let nearest = points
            .iter()
            .min_by(|a, b| distance(a).total_cmp(&distance(b)));
        corner.extend(nearest.map_or(0.0, |p| p.z))
    };
    // The lowest of several feet next to each other counts: no cliffs.
    let mut feet: BTreeMap<[i64; 2], DVec3> = BTreeMap::new();
    let is_inside = |p: &&DVec3| p.truncate().cmpgt(low).all() && p.truncate().cmplt(high).all();
    for &point in points.iter().filter(is_inside) {
        let cell = (point.truncate() / APART).round().as_i64vec2().to_array();
        let foot = feet.entry(cell).or_insert(point);
        if point.z < foot.z {
            *foot = point;
        }
    }
    let all: Vec<DVec3> = border.map(level).chain(feet.into_values()).collect();
    let plan: Vec<Point> = all.iter().map(|p| Point { x: p.x, y: p.y }).collect();
    let found = triangulate(&plan).triangles;
    let index = |v: usize| u32::try_from(v).expect("fewer than 2^32 buildings");
    let triangles = found.as_chunks::<3>().0.iter().map(|&[a, b, c]| {
        let [p, q, r] = [a, b, c].map(|v| all[v].truncate());
        let is_left = (q - p).perp_dot(r - p) > 0.0;
        if is_left { [a, b, c] } else { [a, c, b] }.map(index)
    });
    Terrain::new(&all, triangles.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terrain_runs_through_the_points_and_fills_the_region() {
        let mut points: Vec<DVec3> = (0..50)
            .map(|i| {
                let (x, y) = (f64::from(i * 37 % 100), f64::from(i * 61 % 100));
                DVec3::new(
                    10.0 * x + 5.0,
                    10.0 * y + 5.0,
                    500.0 + 0.1 * x - 0.05 * y * y,
                )
            })
            .collect();
        points.push(points[7] + DVec3::Z);
        let terrain = through(&points, [DVec2::ZERO, DVec2::splat(1010.0)]);
        for point in &points[..50] {
            let height = terrain.height(point.truncate()).unwrap();
            assert!((height - point.z).abs() < 1e-9, "{point}: {height}");
        }
        let area: f64 = terrain
            .triangles()
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|v| terrain.vertices()[v as usize].truncate());
                0.5 * (b - a).perp_dot(c - a)
            })
            .sum();
        assert!((area - 1010.0 * 1010.0).abs() < 1e-4, "{area}");
    }
}
