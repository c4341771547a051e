//! The exchange between sides, from rays.
//!
//! Every side casts rays from points spread over it, with the density of Lambert's law. The number of rays between two
//! sides, from either, estimates their exchange area; `reciprocity` then makes it reciprocal and lossless.

use rayon::prelude::*;

use super::caster::{Caster, Met};
use super::exchange::Exchange;
use super::reciprocity::make_reciprocal;
use crate::geometry::sampling::{Points, around};
use crate::parallel;
use crate::power::rays::RayStart;
use crate::power::sides::Side;
use crate::{Control, Error, Stage};

/// The exchange, from `rays` rays of each side of a patch of mean area.
///
/// # Errors
/// [`Error::Cancelled`]
pub(super) fn sample_exchange(
    caster: Caster,
    rays: u32,
    control: &Control,
) -> Result<Exchange, Error> {
    let patches = caster.patches;
    let sides = patches.num_sides();
    let total: f64 = patches.list.iter().map(|patch| patch.area).sum();
    let mean = total / patches.list.len().max(1) as f64;
    control.report(Stage::Diffuse, 0.0);
    // One after the other on the processor; as many together as keep an accelerator busy.
    let together = (caster.scene.index().rays_at_once(1) / rays as usize).max(1);
    let rows: Vec<Vec<Row>> = parallel::try_map(sides.div_ceil(together), |part| {
        control.check()?;
        let own = part * together..sides.min((part + 1) * together);
        let fans = own.map(|side| {
            let side = Side::from_index(side);
            let count = count(rays, patches.of_side(side).area / mean);
            Fan::new(caster, side, count)
        });
        Ok::<_, Error>(cast(caster, &fans.collect::<Vec<_>>()))
    })?;
    let rows: Vec<Row> = rows.into_iter().flatten().collect();
    control.report(Stage::Diffuse, 0.9);
    let joined = join(&rows);
    let mut exchange = Exchange {
        starts: vec![0],
        columns: Vec::new(),
        areas: Vec::new(),
        lengths: Vec::new(),
        own: vec![0.0; sides],
        own_lengths: vec![0.0; sides],
        open: rows.iter().map(|row| row.open / row.density).collect(),
        side_areas: (0..sides)
            .map(|side| patches.of_side(Side::from_index(side)).area)
            .collect(),
    };
    for (side, links) in joined.iter().enumerate() {
        let (mut far, mut weight) = (0.0, 0.0);
        for link in links {
            let densities = rows[side].density + rows[link.other as usize].density;
            #[expect(clippy::cast_possible_truncation, reason = "samples have few digits")]
            let area = (f64::from(link.count) / densities) as f32;
            exchange.columns.push(link.other);
            exchange.areas.push(area);
            exchange.lengths.push(link.length / link.count);
            far += f64::from(link.length);
            weight += f64::from(link.count);
        }
        exchange.starts.push(exchange.columns.len());
        exchange.own_lengths[side] = if weight > 0.0 { far / weight } else { 0.0 };
    }
    make_reciprocal(&mut exchange);
    control.report(Stage::Diffuse, 1.0);
    Ok(exchange)
}

/// The rays from one side that meet another, or from that one to this.
#[derive(Debug, Clone, Copy)]
struct Link {
    other: u32,
    /// Number of rays, less the part that clutter absorbs.
    count: f32,
    /// Sum of their lengths, metres.
    length: f32,
}

/// The hits of the rays from one side.
struct Row {
    links: Vec<Link>,
    /// Rays that met nothing.
    open: f64,
    /// Rays for each square metre.
    density: f64,
}

/// Rays from a side of this many times the mean area.
fn count(rays: u32, relative_area: f64) -> u32 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a cast of floats saturates"
    )]
    let wanted = (f64::from(rays) * relative_area).ceil() as u32;
    wanted.clamp(rays.div_ceil(8), rays.saturating_mul(4))
}

/// The rays of one side.
struct Fan {
    starts: Vec<RayStart>,
    /// Whether all of the side is covered, so that it sends none.
    is_covered: bool,
    area: f64,
}

impl Fan {
    fn new(caster: Caster, side: Side, count: u32) -> Self {
        let patch = caster.patches.of_side(side);
        let normal = caster.patches.normal(side);
        let points = Points::new(side.index() as u64);
        let num = if patch.is_covered { 0 } else { count };
        let starts = (0..num).map(|k| {
            let [a, b, c, d] = points.at(k);
            (patch.point([a, b]), around(normal, [c, d]))
        });
        let shown =
            starts.filter(|(point, _)| caster.patches.is_shown(caster.scene, patch, *point));
        let plane = Some(caster.scene.plane_of(patch.face));
        Self {
            starts: shown
                .map(|(point, direction)| RayStart::new(point, direction, plane))
                .collect(),
            is_covered: patch.is_covered,
            area: patch.area,
        }
    }

    /// The hits of its rays.
    fn row(&self, all: &[Option<Met>]) -> Row {
        if self.is_covered {
            return Row {
                links: Vec::new(),
                open: 1.0,
                density: 1.0 / self.area,
            };
        }
        // A patch of which next to nothing is uncovered may have no ray at all.
        let mut open = f64::from(u8::from(self.starts.is_empty()));
        let mut links: Vec<Link> = Vec::new();
        for met in all {
            let Some(met) = met else {
                open += 1.0;
                continue;
            };
            open += 1.0 - met.share;
            #[expect(clippy::cast_possible_truncation, reason = "samples have few digits")]
            links.push(Link {
                other: met.side.id(),
                count: met.share as f32,
                length: (met.share * met.distance) as f32,
            });
        }
        links.retain(|link| link.count > 0.0);
        links.sort_by_key(|link| link.other);
        Row {
            links: merged(&links),
            open,
            density: self.starts.len().max(1) as f64 / self.area,
        }
    }
}

/// Casts the rays of some sides together.
fn cast(caster: Caster, fans: &[Fan]) -> Vec<Row> {
    let starts = fans.iter().flat_map(|fan| &fan.starts);
    let starts: Vec<RayStart> = starts.copied().collect();
    let met = caster.cast(&starts);
    let mut rest = met.as_slice();
    let row = |fan: &Fan| {
        let (own, others) = rest.split_at(fan.starts.len());
        rest = others;
        fan.row(own)
    };
    fans.iter().map(row).collect()
}

/// The sums of all links to the same side. They must be sorted by side.
fn merged(links: &[Link]) -> Vec<Link> {
    let sum = |links: &[Link]| Link {
        other: links[0].other,
        count: links.iter().map(|link| link.count).sum(),
        length: links.iter().map(|link| link.length).sum(),
    };
    links.chunk_by(|a, b| a.other == b.other).map(sum).collect()
}

/// For each side, its rays to others and the rays of others to it.
fn join(rows: &[Row]) -> Vec<Vec<Link>> {
    let mut joined: Vec<Vec<Link>> = rows.iter().map(|row| row.links.clone()).collect();
    for (side, row) in rows.iter().enumerate() {
        for link in &row.links {
            joined[link.other as usize].push(Link {
                other: u32::try_from(side).expect("fewer than 2^32 sides"),
                ..*link
            });
        }
    }
    joined
        .into_par_iter()
        .map(|mut links| {
            links.sort_by_key(|link| link.other);
            merged(&links)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::patches::Patches;
    use super::*;
    use crate::materials::Materials;
    use crate::scene::{Mesh, Scene};
    use crate::tiles::{Tiles, Tiling};
    use crate::{DVec3, Frequency, World};

    /// The exchange of a mesh of concrete, and the sides' areas.
    fn exchange(polygons: &[&[[f64; 3]]], side: f64, rays: u32) -> Exchange {
        let mut mesh = Mesh::default();
        for polygon in polygons {
            let corners: Vec<DVec3> = polygon.iter().map(|p| DVec3::from_array(*p)).collect();
            mesh.add_polygon("concrete", &corners);
        }
        let scene = Scene::new(&mesh).unwrap();
        let frequency = Frequency::from_ghz(2.0).unwrap();
        let world = World::new(scene, &Materials::default(), frequency).unwrap();
        let tiles = Tiles::new(world.scene(), Tiling::of_side(side)).unwrap();
        let control = Control::default();
        let patches = Patches::new(&world, &tiles, &control).unwrap();
        let caster = Caster {
            scene: world.scene(),
            patches: &patches,
        };
        sample_exchange(caster, rays, &control).unwrap()
    }

    fn sent(exchange: &Exchange) -> f64 {
        let all = (0..exchange.len()).flat_map(|side| exchange.row(side));
        all.map(|(_, area)| area).sum()
    }

    const FLOOR: [[f64; 3]; 4] = [[0., 0., 0.], [1., 0., 0.], [1., 1., 0.], [0., 1., 0.]];

    #[test]
    fn unit_squares_have_the_known_view_factors() {
        let above = FLOOR.map(|[x, y, _]| [x, y, 1.0]);
        let beside = [[0., 0., 0.], [0., 1., 0.], [0., 1., 1.], [0., 0., 1.]];
        // J. R. Howell, "A catalog of radiation heat transfer configuration factors", C-11 and C-14.
        for (other, factor) in [(above, 0.199_825), (beside, 0.200_044)] {
            for (side, rays) in [(1.0, 1 << 14), (0.25, 1 << 10)] {
                let exchange = exchange(&[&FLOOR, &other], side, rays);
                // Both directions, from and to an area of 1 m².
                let found = 0.5 * sent(&exchange);
                assert!(
                    (found / factor - 1.0).abs() < 0.01,
                    "{side}: {found} {factor}"
                );
            }
        }
    }

    #[test]
    fn rows_add_up_to_areas_and_columns_are_rows() {
        let wall = [
            [0.3, 0.2, 0.],
            [0.9, 0.7, 0.],
            [0.9, 0.7, 1.],
            [0.3, 0.2, 1.],
        ];
        let roof = [[0., 0., 1.2], [1.5, 0., 1.], [1.5, 1., 1.], [0., 1., 1.2]];
        let exchange = exchange(&[&FLOOR, &wall, &roof], 0.3, 64);
        for side in 0..exchange.len() {
            let given: f64 = exchange.row(side).map(|(_, area)| area).sum();
            let sum = given + exchange.open[side] + exchange.own[side];
            assert!((sum / exchange.side_areas[side] - 1.0).abs() < 1e-12);
            // The power that comes back is that of rounding and sampling.
            assert!(exchange.own[side] < 1e-3 * exchange.side_areas[side]);
            for (other, area) in exchange.row(side) {
                assert!(exchange.row(other).any(|back| back == (side, area)));
            }
        }
    }
}
