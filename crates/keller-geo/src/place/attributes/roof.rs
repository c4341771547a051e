//! The shape of a roof by its tags, and a roof that stands on open sides.
//!
//! # Source
//! OpenStreetMap wiki, Simple 3D Buildings, Key:roof:shape, Key:roof:direction and Tag:building=roof, 2026.

use crate::place::notes::Notes;
use crate::place::{PitchedRoof, ReadOptions, RoofForm, RoofRise};
use crate::shown::shown;

use super::{Attributes, measure};

/// The largest rise of a roof, metres.
const MAX_RISE: f64 = 1e5;

/// The largest number of storeys of a roof.
const MAX_LEVELS: f64 = 1e3;

/// Points of the compass, clockwise from north.
const COMPASS: [&str; 16] = [
    "N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE", "S", "SSW", "SW", "WSW", "W", "WNW", "NW",
    "NNW",
];

impl Attributes {
    /// Whether it is a roof without walls under it.
    pub(super) fn is_open(&self) -> bool {
        let is = |key: &str, values: &[&str]| {
            let value = self.get(key).unwrap_or_default();
            values
                .iter()
                .any(|wanted| value.eq_ignore_ascii_case(wanted))
        };
        let kinds = ["roof", "carport"];
        let is_feature = self.get("building").is_some() || self.get("building:part").is_some();
        is("building", &kinds) || is("building:part", &kinds) || (is_feature && is("wall", &["no"]))
    }

    /// The shape of the roof over a feature; `None` for a flat one. Shapes that cannot be built are warned of.
    pub(super) fn pitched(
        &self,
        options: &ReadOptions,
        place: &str,
        notes: &mut Notes,
    ) -> Option<PitchedRoof> {
        let shape = self
            .get("roof:shape")
            .or_else(|| self.get("building:roof:shape"))?;
        let shape = shape.to_lowercase();
        let (form, is_as_said) = match shape.as_str() {
            "flat" | "no" | "none" => return None,
            "skillion" | "lean_to" | "shed" => (RoofForm::Skillion, true),
            "gabled" | "pitched" => (RoofForm::Gabled, true),
            "half-hipped" | "half_hipped" => (RoofForm::HalfHipped, true),
            "gambrel" => (RoofForm::Gambrel, true),
            "round" => (RoofForm::Round, true),
            "hipped" => (RoofForm::Hipped, true),
            "mansard" => (RoofForm::Mansard, true),
            "dome" => (RoofForm::Dome, true),
            "pyramidal" | "cone" => (RoofForm::Pyramidal, true),
            "saltbox"
            | "double_saltbox"
            | "quadruple_saltbox"
            | "gabled_row"
            | "side_hipped"
            | "side_half-hipped"
            | "gabled_height_moved" => (RoofForm::Gabled, false),
            "onion" | "spherical" => (RoofForm::Dome, false),
            "hipped-and-gabled" | "crosshipped" | "cross_hipped" => (RoofForm::Hipped, false),
            "cone_flat" | "spire" => (RoofForm::Pyramidal, false),
            _ => {
                notes.add(
                    &format!("{place} (roof:shape `{shape}`)"),
                    "this shape of a roof is not known; the roof is flat at the building's height",
                );
                return None;
            }
        };
        if !is_as_said {
            let instead = match form {
                RoofForm::Gabled => "gabled",
                RoofForm::Dome => "a dome",
                RoofForm::Hipped => "hipped",
                _ => "pyramidal",
            };
            notes.add(
                &format!("{place} (roof:shape `{shape}`)"),
                format!("such a roof is not built; it is {instead}"),
            );
        }
        let direction = self
            .get("roof:direction")
            .or_else(|| self.get("roof:slope:direction"));
        let direction_deg = direction.and_then(|text| {
            let bearing = bearing(text);
            if bearing.is_none() {
                notes.add(
                    &format!("{place} (roof:direction `{text}`)", text = shown(text)),
                    "this is neither a number of degrees nor a point of the compass and is not used",
                );
            }
            bearing
        });
        if matches!(form, RoofForm::Skillion) && direction_deg.is_none() {
            notes.add(
                place,
                "the direction of its roof is not given; it slopes across the longer side",
            );
        }
        let orientation = self.get("roof:orientation").unwrap_or_default();
        Some(PitchedRoof {
            form,
            rise: self.rise(options, place, notes),
            direction_deg,
            is_across: orientation.eq_ignore_ascii_case("across"),
            is_on_top: false,
        })
    }

    /// The rise of the roof, by its height, its angle or its storeys.
    fn rise(&self, options: &ReadOptions, place: &str, notes: &mut Notes) -> RoofRise {
        let mut read = |key: &str, unit: f64, max: f64| {
            let text = self.get(key)?;
            let value = measure(text.trim_end_matches('°'), unit);
            let usable = value.filter(|value| *value > 0.0 && *value < max);
            // A roof without a storey says nothing of its height.
            if usable.is_none() && value != Some(0.0) {
                notes.add(
                    &format!("{place} ({key} `{text}`)", text = shown(text)),
                    "this is not used for the roof: a number above 0 is expected, below 90 for an angle",
                );
            }
            usable
        };
        if let Some(height) = read("roof:height", options.unit, MAX_RISE) {
            return RoofRise::Height(height);
        }
        if let Some(angle) = read("roof:angle", 1.0, 90.0) {
            return RoofRise::AngleDeg(angle);
        }
        if let Some(levels) = read("roof:levels", 1.0, MAX_LEVELS) {
            return RoofRise::Height(levels * options.level_height);
        }
        notes.add(
            place,
            format!(
                "the height of its roof is not given; it rises by 30 degrees, at most {} m",
                options.level_height
            ),
        );
        RoofRise::Assumed(options.level_height)
    }
}

/// Degrees clockwise from north, of a number or a point of the compass.
fn bearing(text: &str) -> Option<f64> {
    let text = text.trim();
    let point = COMPASS
        .iter()
        .position(|point| point.eq_ignore_ascii_case(text));
    if let Some(point) = point {
        return Some(22.5 * point as f64);
    }
    let degrees: f64 = text.trim_end_matches('°').trim().parse().ok()?;
    degrees.is_finite().then(|| degrees.rem_euclid(360.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_are_degrees_or_points_of_the_compass() {
        let cases = [
            ("90", Some(90.0)),
            ("-90", Some(270.0)),
            ("12.5°", Some(12.5)),
            ("ssw", Some(202.5)),
            ("north", None),
            ("nan", None),
        ];
        for (text, wanted) in cases {
            assert_eq!(bearing(text), wanted, "{text}");
        }
    }
}
