//! A cube-oriented ray launching model of cities in plan, in kind.
//!
//! The algorithm CORLA of Mathar, Reyer and Schmeink (2007) is described in words by Hu 2020 (pp. 25 and 33) and by
//! Rick and Kuhlen 2010 (sections 2 and 7): the city is a raster of cubes in two and a half dimensions, one ray goes to
//! every cube of the border, a ray finds obstacles by sampling the cubes along its line, and rays are launched again
//! from visible cubes. Neither has its equations. The model here has these parts and the losses of keller's beams
//! ([`keller::coverage::beams::Losses`]), so that both models differ in their geometry alone.
//!
//! **Algorithm.** `raster` gives each cell one height. Along the ray to each cube of the border, `profile` keeps the
//! steps of height and the string pulled over them: visibility, the number of walls and the wave over the roofs of each
//! cell on the ray. Of the rays through a cell the one counts that passes nearest to its centre. `streets` launches
//! again from visible cells that are next to a building and next to a shadow, and so on around the next corners. Of all
//! ways to a cell the strongest counts; where the Tx is visible, that line alone.
//!
//! **Cost:** cubes on the rays of each source; the sources are most of it. **Assumes** flat ground and an isotropic Tx, as heights
//! count over the ground at their place. **Loses** walls between touching buildings of a height, streets narrower than a cube, and
//! turns oblique walls into stairs.

mod profile;
mod raster;
mod streets;
#[cfg(test)]
mod tests;

pub use raster::Heights;

use glam::{DVec2, DVec3};
use keller::coverage::Region;
use keller::coverage::beams::{Losses, Through};
use keller::units::db_to_power;
use keller::{Error, World};

use profile::Profile;
use streets::{Way, free_space};

/// Options of the model: the ways that count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// The largest number of corners in a row; 0 for none.
    pub max_bends: usize,
    /// Whether waves come over the roofs.
    pub has_roofs: bool,
    /// Whether the straight line through walls counts.
    pub has_walls: bool,
    /// The losses of diffractions and walls.
    pub losses: Losses,
}

impl Default for Settings {
    /// Two corners, roofs and walls.
    fn default() -> Self {
        Self {
            max_bends: 2,
            has_roofs: true,
            has_walls: true,
            losses: Losses::default(),
        }
    }
}

/// A city in cubes, prepared for any number of Tx.
#[derive(Debug, Clone)]
pub struct Cubes {
    world: World,
    region: Region,
    heights: Heights,
}

/// The straight line and the roofs, cell by cell.
#[derive(Debug, Clone, PartialEq)]
struct Straight {
    is_lit: Vec<bool>,
    depth: Vec<u32>,
    gains: Vec<f64>,
}

impl Cubes {
    /// Prepares a world for the cells of a region, which must have one level over the ground, square cells and the axes of the scene.
    ///
    /// # Errors
    /// [`Error::Region`] for another region.
    pub fn new(world: &World, region: &Region) -> Result<Self, Error> {
        let heights = Heights::new(world, region).ok_or_else(|| {
            Error::Region(
                "cubes need one level over the ground, square cells and the axes of the scene"
                    .to_owned(),
            )
        })?;
        Ok(Self {
            world: world.clone(),
            region: region.clone(),
            heights,
        })
    }

    /// The heights of the cubes.
    pub fn heights(&self) -> &Heights {
        &self.heights
    }

    /// For each cell, whether it is visible from a place, `[ny, nx]`; buildings never are.
    ///
    /// # Errors
    /// [`Error::Region`] for a place outside of the region.
    pub fn line_of_sight(&self, position: DVec3) -> Result<Vec<bool>, Error> {
        Ok(self.straight(position, None)?.is_lit)
    }

    /// The number of walls that the straight line from a place to each free cell crosses, `[ny, nx]`; zero in
    /// buildings.
    ///
    /// # Errors
    /// The errors of [`Self::line_of_sight`].
    pub fn depth(&self, position: DVec3) -> Result<Vec<u32>, Error> {
        Ok(self.straight(position, None)?.depth)
    }

    /// Linear gains from an isotropic Tx at a place, `[ny, nx]`: zero where no way leads, and in buildings.
    ///
    /// # Errors
    /// As [`Self::line_of_sight`].
    pub fn gains(&self, position: DVec3, settings: &Settings) -> Result<Vec<f64>, Error> {
        let Straight {
            is_lit, mut gains, ..
        } = self.straight(position, Some(settings))?;
        let (place, height) = self.place(position)?;
        let way = Way {
            losses: settings.losses,
            wavelength: self.world.frequency().wavelength(),
            drop: height - self.heights.plane,
        };
        let mut around = vec![0.0; gains.len()];
        let mut sources = if settings.max_bends > 0 {
            streets::corners_of_tx(&self.heights, &is_lit, place, &way)
        } else {
            Vec::new()
        };
        for _ in 0..settings.max_bends {
            sources = streets::launch(&self.heights, &sources, &is_lit, &way, &mut around);
        }
        for (gain, (around, is_lit)) in gains.iter_mut().zip(around.into_iter().zip(is_lit)) {
            if !is_lit {
                *gain = gain.max(around);
            }
        }
        Ok(gains)
    }

    /// A place in the region's own axes, and its height over the ground, metres.
    fn place(&self, position: DVec3) -> Result<(DVec2, f64), Error> {
        let place = self.region.to_own(position.truncate());
        let ground = self.world.scene().ground(position.truncate());
        let (Some(ground), true) = (ground, self.heights.grid.contains(place.extend(0.0))) else {
            return Err(Error::Region(format!(
                "the place {position} is not over ground of the region"
            )));
        };
        Ok((place, position.z - ground))
    }

    /// The results along the rays to all cubes of the border; gains with `settings` alone.
    fn straight(&self, position: DVec3, settings: Option<&Settings>) -> Result<Straight, Error> {
        let (place, source) = self.place(position)?;
        let Heights {
            grid,
            of_cells: heights,
            plane,
        } = &self.heights;
        let wavelength = self.world.frequency().wavelength();
        let mut nearest = vec![f64::INFINITY; heights.len()];
        let mut found = Straight {
            is_lit: vec![false; heights.len()],
            depth: vec![0; heights.len()],
            gains: vec![0.0; heights.len()],
        };
        let mut profile = Profile::default();
        for end in self.heights.border() {
            let Some(direction) = (self.heights.centre(end) - place).try_normalize() else {
                continue;
            };
            profile.begin(source);
            let mut before = None;
            let origin = place.extend(0.5 * grid.side);
            grid.walk(origin, direction.extend(0.0), |passed| {
                let number = passed.voxel.y * grid.count.x + passed.voxel.x;
                let cell = number as usize;
                let height = heights[cell];
                // The Tx stands on no roof, whatever its own cube holds.
                let last = before.unwrap_or(0.0);
                if before.is_some() && height != last {
                    profile.step(passed.enters, [last, height]);
                }
                let is_own = before.is_none();
                before = Some(if is_own { 0.0 } else { height });
                let away = self.heights.centre(number) - place;
                let apart = away.perp_dot(direction).abs();
                if apart >= nearest[cell] || !self.heights.is_free(cell) {
                    return true;
                }
                nearest[cell] = apart;
                // Centres may lie before the border at which the ray enters.
                let along = away.dot(direction).max(passed.enters).max(1e-6);
                let is_lit = is_own || profile.is_free(along, *plane);
                found.is_lit[cell] = is_lit;
                found.depth[cell] = if is_own {
                    0
                } else {
                    profile.depth(along, *plane)
                };
                let Some(settings) = settings else {
                    return true;
                };
                let straight = free_space(away.length().hypot(source - plane).max(0.1), wavelength);
                let power = |through| db_to_power(-settings.losses.of(through));
                found.gains[cell] = if is_lit {
                    straight
                } else {
                    let mut gain = 0.0_f64;
                    if settings.has_walls {
                        gain = straight * power(Through::Walls(found.depth[cell]));
                    }
                    if settings.has_roofs {
                        let (length, bends) = profile.over(along, *plane);
                        let over = free_space(length, wavelength);
                        gain = gain.max(over * power(Through::Roofs(bends)));
                    }
                    gain
                };
                true
            });
        }
        Ok(found)
    }
}
