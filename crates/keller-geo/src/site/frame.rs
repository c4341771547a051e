//! One frame for all files, and their buildings in it.

use std::path::{Path, PathBuf};

use glam::DVec2;

use super::{SiteError, Sources};
use crate::crs::{Crs, CrsError, Frame, near_longitude};
use crate::place::{Place, bounds, outline_bounds};
use crate::terrain::Raster;

/// The largest extent of a place: a plane does not stand for the earth beyond it.
const MAX_DISTANCE: f64 = 5e5;

/// All sources in one frame.
pub(super) struct Located {
    pub(super) frame: Frame,
    /// Whether the frame lies somewhere on earth; else it is the files' own, and its system means nothing.
    pub(super) is_placed: bool,
    /// All buildings, in local metres.
    pub(super) place: Place,
    pub(super) rasters: Vec<Raster>,
    /// The bounds that were asked for, in local metres.
    pub(super) bounds: Option<[DVec2; 2]>,
}

/// Chooses the frame and brings all buildings into it; only those whose centre lies in `bounds` stay.
pub(super) fn locate(
    sources: Sources,
    bounds: Option<[DVec2; 2]>,
    warnings: &mut Vec<String>,
) -> Result<Located, SiteError> {
    let Sources { places, rasters } = sources;
    let has_places = !places.is_empty();
    let mut files = places
        .into_iter()
        .map(|(file, place)| File::new(file, place))
        .collect::<Result<Vec<_>, _>>()?;
    for (name, crs) in systems(&files, &rasters) {
        let caveat = crs.caveat();
        warnings.extend(caveat.map(|caveat| format!("`{}`: {caveat}", name.display())));
    }
    let is_placed = systems(&files, &rasters).next().is_some();
    // East of west also where the box lies across the antimeridian.
    let bounds = bounds.map(|[low, mut high]| {
        if is_placed && high.x < low.x {
            high.x += 360.0;
        }
        [low, high]
    });
    if let Some([low, high]) = bounds.filter(|[low, high]| high.x < low.x) {
        return Err(SiteError::BoundsInMetres { low, high });
    }
    let reference = bounds
        .map(|[low, high]| 0.5 * (low.x + high.x))
        .or_else(|| first_longitude(&files, &rasters));
    if let Some(reference) = reference {
        for file in &mut files {
            file.unwrap_longitudes(reference);
        }
    }
    let reference = reference.unwrap_or_default();
    let everywhere = extent(&files, reference);
    if let Some(bounds) = bounds {
        for file in &mut files {
            file.crop(bounds)?;
        }
        if let (true, None, Some([low, high])) = (has_places, extent(&files, reference), everywhere)
        {
            return Err(SiteError::Bounds {
                low: bounds[0],
                high: bounds[1],
                there_low: low,
                there_high: high,
            });
        }
    }
    let frame = if is_placed {
        let kept = bounds.zip(
            everywhere
                .into_iter()
                .chain(raster_extent(&rasters, reference))
                .reduce(union),
        );
        around(
            &files,
            &rasters,
            kept.map(|(bounds, there)| common(bounds, there)),
        )?
    } else {
        Frame::unplaced()
    };
    let several = files.len() > 1;
    let mut all = Place::default();
    for file in files {
        let mut place = file.local(&frame, is_placed, warnings)?;
        if several {
            let buildings = place.buildings.iter_mut().map(|b| &mut b.found_at);
            let clutter = place.clutter.iter_mut().map(|c| &mut c.found_at);
            for found_at in buildings.chain(clutter) {
                *found_at = format!("`{}`, {found_at}", file.name.display());
            }
        }
        all.buildings.append(&mut place.buildings);
        all.clutter.append(&mut place.clutter);
        warnings.extend(place.warnings.iter().map(ToString::to_string));
    }
    for raster in rasters
        .iter()
        .filter(|raster| is_placed && raster.crs.is_none())
    {
        warnings.push(format!(
            "`{}`: it names no coordinate reference system; that of the other files is taken, {}",
            raster.file.display(),
            frame.crs().name()
        ));
    }
    let bounds = match bounds {
        Some(bounds) if is_placed => {
            Some(local_box(&frame, bounds).map_err(|source| SiteError::Crs {
                file: PathBuf::from("bounds"),
                source,
            })?)
        }
        bounds => bounds,
    };
    Ok(Located {
        frame,
        is_placed,
        place: all,
        rasters,
        bounds,
    })
}

/// The buildings of a file.
struct File {
    name: PathBuf,
    crs: Option<Crs>,
    place: Place,
}

impl File {
    fn new(name: PathBuf, place: Place) -> Result<Self, SiteError> {
        let crs = place.crs.as_deref().map(Crs::parse).transpose();
        let crs = crs.map_err(|source| SiteError::Crs {
            file: name.clone(),
            source,
        })?;
        let file = Self { name, crs, place };
        file.check_unit()?;
        Ok(file)
    }

    /// Refuses a place so small that its coordinates must be degrees which are taken for metres.
    fn check_unit(&self) -> Result<(), SiteError> {
        /// Units: as degrees more than a city, as metres less than a house.
        const SMALL: f64 = 2.0;
        let projected = self.crs.as_ref().filter(|crs| !crs.is_geographic());
        let (Some(crs), Some([low, high])) = (projected, self.place.bounds()) else {
            return Ok(());
        };
        let can_be_degrees = low
            .abs()
            .max(high.abs())
            .cmple(DVec2::new(180.0, 90.0))
            .all();
        if can_be_degrees && (high - low).max_element() < SMALL {
            return Err(SiteError::Degrees {
                file: self.name.clone(),
                crs: crs.name().to_owned(),
                low,
                high,
            });
        }
        Ok(())
    }

    fn of_crs(&self, source: CrsError) -> SiteError {
        SiteError::Crs {
            file: self.name.clone(),
            source,
        }
    }

    /// Lets longitudes run on across the antimeridian, near a reference.
    fn unwrap_longitudes(&mut self, reference: f64) {
        if self.crs.as_ref().is_some_and(Crs::is_geographic) {
            self.place.unwrap_longitudes(reference);
        }
    }

    /// Keeps the buildings whose centre lies in bounds, and the vegetation that reaches into them.
    fn crop(&mut self, [low, high]: [DVec2; 2]) -> Result<(), SiteError> {
        let mut problem = None;
        let crs = self.crs.as_ref();
        let centre = 0.5 * (low.x + high.x);
        let mut is_inside = |ends: [DVec2; 2]| {
            let there = ends.map(|end| crs.map_or(Ok(end), |crs| lon_lat_near(crs, end, centre)));
            match there {
                [Ok(min), Ok(max)] => min.cmple(high).all() && max.cmpge(low).all(),
                [Err(error), _] | [_, Err(error)] => {
                    problem.get_or_insert(error);
                    false
                }
            }
        };
        self.place.buildings.retain(|building| {
            let [a, b] = building.shape.bounds();
            is_inside([0.5 * (a + b); 2])
        });
        let clutter = &mut self.place.clutter;
        clutter.retain(|area| is_inside(outline_bounds(&area.outline)));
        self.place
            .warnings
            .retain_mut(|warning| warning.retain(|[a, b]| is_inside([0.5 * (a + b); 2])));
        problem.map_or(Ok(()), |error| Err(self.of_crs(error)))
    }

    /// The buildings in the frame.
    fn local(
        &self,
        frame: &Frame,
        is_placed: bool,
        warnings: &mut Vec<String>,
    ) -> Result<Place, SiteError> {
        let mut place = self.place.clone();
        if is_placed && self.crs.is_none() {
            warnings.push(format!(
                "`{}`: it names no coordinate reference system; that of the other files is taken, {}",
                self.name.display(),
                frame.crs().name()
            ));
        }
        let crs = self.crs.as_ref().unwrap_or(frame.crs());
        let mapped = place.map(|at| frame.to_local(crs, at));
        mapped.map_err(|source| SiteError::Place {
            file: self.name.clone(),
            source,
        })?;
        place.raise(-frame.origin().z);
        let distance = place
            .bounds()
            .map_or(0.0, |[low, high]| low.abs().max(high.abs()).max_element());
        if is_placed && distance > MAX_DISTANCE {
            return Err(SiteError::Far {
                file: self.name.clone(),
                kilometres: distance * 1e-3,
                crs: self.crs.as_ref().map(|crs| crs.name().to_owned()),
            });
        }
        Ok(place)
    }
}

/// The known systems, of buildings first.
fn systems<'a>(
    files: &'a [File],
    rasters: &'a [Raster],
) -> impl Iterator<Item = (&'a Path, &'a Crs)> {
    let places = files
        .iter()
        .filter_map(|file| Some((file.name.as_path(), file.crs.as_ref()?)));
    let terrain = rasters
        .iter()
        .filter_map(|raster| Some((raster.file.as_path(), raster.crs.as_ref()?)));
    places.chain(terrain)
}

/// The frame around the first file that names a system, of buildings if there are any; or in that system around what is `kept`, in degrees.
fn around(
    files: &[File],
    rasters: &[Raster],
    kept: Option<[DVec2; 2]>,
) -> Result<Frame, SiteError> {
    let of_places = files.iter().find_map(|file| {
        let [low, high] = file.place.bounds()?;
        Some((file.name.clone(), file.crs.as_ref()?, low, high))
    });
    let of_rasters = || {
        rasters.iter().find_map(|raster| {
            let [low, high] = bounds(raster_corners(raster).into_iter());
            Some((raster.file.clone(), raster.crs.as_ref()?, low, high))
        })
    };
    let nothing = || match files.first() {
        Some(file) => SiteError::NoBuildings(format!(
            "`{}`: nothing in it has corners",
            file.name.display()
        )),
        None => SiteError::Nothing,
    };
    let (file, crs, low, high) = of_places.or_else(of_rasters).ok_or_else(nothing)?;
    let [low, high] = match kept {
        Some(kept) => corners(kept)
            .into_iter()
            .map(|corner| {
                let mut at = crs.from_lon_lat(corner)?;
                if crs.is_geographic() {
                    at.x = near_longitude(at.x, corner.x);
                }
                Ok::<_, CrsError>(at)
            })
            .collect::<Result<Vec<_>, _>>()
            .map_or([low, high], |corners| bounds(corners.into_iter())),
        None => [low, high],
    };
    Frame::around(crs, low, high, 0.0).map_err(|source| SiteError::Crs { file, source })
}

/// The extent of the rasters that state their system, in degrees near a longitude.
fn raster_extent(rasters: &[Raster], reference: f64) -> Option<[DVec2; 2]> {
    let of_raster = |raster: &Raster| {
        let crs = raster.crs.as_ref()?;
        let ends = raster_corners(raster).map(|corner| lon_lat_near(crs, corner, reference).ok());
        Some(bounds(ends.into_iter().flatten()))
    };
    rasters.iter().filter_map(of_raster).reduce(union)
}

fn raster_corners(raster: &Raster) -> [DVec2; 4] {
    [(0, 0), (1, 0), (0, 1), (1, 1)]
        .map(|(u, v)| raster.position((u * raster.width) as f64, (v * raster.height) as f64))
}

fn union([a, b]: [DVec2; 2], [c, d]: [DVec2; 2]) -> [DVec2; 2] {
    [a.min(c), b.max(d)]
}

/// The part that lies in both; the first if there is none.
fn common([a, b]: [DVec2; 2], [c, d]: [DVec2; 2]) -> [DVec2; 2] {
    let [low, high] = [a.max(c), b.min(d)];
    if low.cmple(high).all() {
        [low, high]
    } else {
        [a, b]
    }
}

fn corners([low, high]: [DVec2; 2]) -> [DVec2; 4] {
    [
        low,
        high,
        DVec2::new(low.x, high.y),
        DVec2::new(high.x, low.y),
    ]
}

/// Longitude and latitude of a coordinate, the longitude near another one.
fn lon_lat_near(crs: &Crs, at: DVec2, reference: f64) -> Result<DVec2, CrsError> {
    let at = crs.to_lon_lat(at)?;
    Ok(DVec2::new(near_longitude(at.x, reference), at.y))
}

/// A longitude of the first file that says where it lies.
fn first_longitude(files: &[File], rasters: &[Raster]) -> Option<f64> {
    let of_places = files.iter().find_map(|file| {
        let [first, _] = file.place.first_bounds()?;
        file.crs.as_ref()?.to_lon_lat(first).ok()
    });
    let of_rasters = || {
        let corner = |raster: &Raster| {
            let crs = raster.crs.as_ref()?;
            crs.to_lon_lat(raster_corners(raster)[0]).ok()
        };
        rasters.iter().find_map(corner)
    };
    Some(of_places.or_else(of_rasters)?.x)
}

/// The extent of the buildings, in degrees if the file says where it lies, near a longitude.
fn extent(files: &[File], reference: f64) -> Option<[DVec2; 2]> {
    let corners = files.iter().filter_map(|file| {
        let ends = file.place.bounds()?;
        Some(ends.map(|end| {
            let crs = file.crs.as_ref();
            let lon_lat = crs.and_then(|crs| lon_lat_near(crs, end, reference).ok());
            lon_lat.unwrap_or(end)
        }))
    });
    let [low, high] = bounds(corners.flatten());
    low.is_finite().then_some([low, high])
}

/// The box in the frame around one in degrees.
fn local_box(frame: &Frame, ends: [DVec2; 2]) -> Result<[DVec2; 2], CrsError> {
    let local: Vec<DVec2> = corners(ends)
        .iter()
        .map(|corner| frame.from_lon_lat(*corner))
        .collect::<Result<_, _>>()?;
    Ok(bounds(local.into_iter()))
}
