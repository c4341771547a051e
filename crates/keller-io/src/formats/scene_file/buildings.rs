//! Buildings with an inside that stand in a kept scene.

use keller::DVec3;
use keller::scene::building::Placement;

use super::bytes::{In, Out};

/// A building with an inside, as it stands in a scene.
#[derive(Debug, Clone, PartialEq)]
pub struct PlacedBuilding {
    /// As messages and results call it.
    pub name: String,
    /// Where its own axes lie in the scene.
    pub placement: Placement,
    /// Minimum and maximum coordinates in its own axes, metres.
    pub bounds: [DVec3; 2],
    /// The heights of its floors in its own axes, ascending, metres.
    pub floors: Vec<f64>,
    /// Its footprint, m².
    pub footprint: f64,
    /// The buildings of the scene files that it has replaced.
    pub replaced: Vec<ReplacedBuilding>,
    /// How it misses its surroundings, each in a sentence without an end.
    pub misfits: Vec<String>,
}

/// A building of the scene files that is gone.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplacedBuilding {
    /// The name of its object, if the file has one.
    pub object: Option<String>,
    /// Its centre in the scene, x and y, metres.
    pub centre: [f64; 2],
    /// Its footprint, m².
    pub area: f64,
    /// How much of that lies under the model, m².
    pub inside: f64,
}

pub(super) fn put(out: &mut Out, building: &PlacedBuilding) {
    out.text(&building.name);
    let Placement { origin, rotation } = building.placement;
    let [low, high] = building.bounds;
    for point in [origin, low, high] {
        point.to_array().into_iter().for_each(|x| out.number(x));
    }
    out.number(rotation);
    out.number(building.footprint);
    out.count(building.floors.len());
    building.floors.iter().for_each(|floor| out.number(*floor));
    out.count(building.replaced.len());
    for replaced in &building.replaced {
        out.byte(replaced.object.is_some().into());
        out.text(replaced.object.as_deref().unwrap_or_default());
        let [x, y] = replaced.centre;
        for number in [x, y, replaced.area, replaced.inside] {
            out.number(number);
        }
    }
    out.count(building.misfits.len());
    building.misfits.iter().for_each(|misfit| out.text(misfit));
}

pub(super) fn building(from: &mut In<'_>) -> Result<PlacedBuilding, String> {
    let point = |from: &mut In<'_>| -> Result<DVec3, String> {
        Ok(DVec3::new(from.number()?, from.number()?, from.number()?))
    };
    let name = from.text()?;
    let [origin, low, high] = [point(from)?, point(from)?, point(from)?];
    Ok(PlacedBuilding {
        name,
        placement: Placement {
            origin,
            rotation: from.number()?,
        },
        bounds: [low, high],
        footprint: from.number()?,
        floors: from.list(8, In::number)?,
        replaced: from.list(41, |from| {
            let has_object = from.byte()? != 0;
            let object = Some(from.text()?).filter(|_| has_object);
            Ok(ReplacedBuilding {
                object,
                centre: [from.number()?, from.number()?],
                area: from.number()?,
                inside: from.number()?,
            })
        })?,
        misfits: from.list(8, In::text)?,
    })
}
