//! Buildings with an inside that stand in a scene cache.

use keller::DVec3;
use keller::scene::building::Placement;

use crate::formats::bytes::{ByteReader, ByteWriter};

/// A building with an inside, as it stands in a scene.
#[derive(Debug, Clone, PartialEq)]
pub struct PlacedBuilding {
    /// The name in messages and results.
    pub name: String,
    /// The placement of its own axes in the scene.
    pub placement: Placement,
    /// Minimum and maximum coordinates in its own axes, metres.
    pub bounds: [DVec3; 2],
    /// The heights of its floors in its own axes, ascending, metres.
    pub floors: Vec<f64>,
    /// Its footprint, m².
    pub footprint: f64,
    /// The buildings of the scene files that it has replaced.
    pub replaced: Vec<ReplacedBuilding>,
    /// The mismatches with its surroundings, each in a sentence without an end.
    pub misfits: Vec<String>,
}

/// A building of the scene files that was removed.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplacedBuilding {
    /// The name of its object, if the file has one.
    pub object: Option<String>,
    /// Its centre in the scene, x and y, metres.
    pub centre: [f64; 2],
    /// Its footprint, m².
    pub area: f64,
    /// The part of that area under the model, m².
    pub inside: f64,
}

pub(super) fn put(out: &mut ByteWriter, building: &PlacedBuilding) {
    out.text(&building.name);
    let Placement { origin, rotation } = building.placement;
    let [low, high] = building.bounds;
    for point in [origin, low, high] {
        out.reals(&point.to_array());
    }
    out.reals(&[rotation, building.footprint]);
    out.list(&building.floors, |out, floor| out.reals(&[*floor]));
    out.list(&building.replaced, |out, replaced| {
        out.option(replaced.object.as_ref(), |out, name| out.text(name));
        out.reals(&replaced.centre);
        out.reals(&[replaced.area, replaced.inside]);
    });
    out.list(&building.misfits, |out, misfit| out.text(misfit));
}

pub(super) fn building(from: &mut ByteReader) -> Option<PlacedBuilding> {
    let point = |from: &mut ByteReader| from.reals().map(DVec3::from_array);
    let name = from.text()?;
    let [origin, low, high] = [point(from)?, point(from)?, point(from)?];
    Some(PlacedBuilding {
        name,
        placement: Placement {
            origin,
            rotation: from.real()?,
        },
        bounds: [low, high],
        footprint: from.real()?,
        floors: from.list(ByteReader::real)?,
        replaced: from.list(|from| {
            Some(ReplacedBuilding {
                object: from.option(ByteReader::text)?,
                centre: from.reals()?,
                area: from.real()?,
                inside: from.real()?,
            })
        })?,
        misfits: from.list(ByteReader::text)?,
    })
}
