//! Features of OpenStreetMap that are buildings by their tags, but have nothing above the ground.
//!
//! # Source
//! OpenStreetMap wiki, Key:building:levels, Key:building:levels:underground, Key:level, Key:indoor and Key:location, 2026.

use crate::place::ReadOptions;

use super::{Attributes, measure, number_of};

impl Attributes {
    /// Why a feature has nothing above the ground; `None` if it may have.
    pub(in crate::place) fn reason_below_ground(
        &self,
        options: &ReadOptions,
    ) -> Option<&'static str> {
        const INDOORS: &str = "it lies inside a building; it is left out";
        const UNDERGROUND: &str = "it lies under the ground; it is left out";
        let is_part = self.says("building:part");
        if !is_part && !self.says("building") {
            return None;
        }
        if self.says("indoor") {
            return Some(INDOORS);
        }
        match self.get("location") {
            Some("underground") => return Some(UNDERGROUND),
            Some("indoor") => return Some(INDOORS),
            _ => {}
        }
        let number = |key: &str| self.get(key).and_then(number_of);
        let is_positive = |keys: &[String]| {
            let numbers = keys.iter().filter_map(|key| measure(self.get(key)?, 1.0));
            numbers.into_iter().any(|number| number > 0.0)
        };
        if is_positive(&options.height_keys) || is_positive(&options.elevation_keys) {
            return None;
        }
        let has_storeys = is_positive(&options.level_keys);
        let is_zero = options
            .level_keys
            .iter()
            .any(|key| self.get(key).and_then(number_of) == Some(0.0));
        let is_below = number("building:levels:underground").is_some_and(|levels| levels > 0.0)
            || number("layer").is_some_and(|layer| layer < 0.0);
        let has_attic = number("roof:levels").is_some_and(|levels| levels > 0.0);
        if is_zero && is_below && !has_storeys && !has_attic {
            return Some("it has no storey above the ground; it is left out");
        }
        let level = self.get("level").and_then(highest_level)?;
        if level < 0.0 && !has_storeys {
            return Some(UNDERGROUND);
        }
        let is_raised =
            is_positive(&options.min_height_keys) || is_positive(&options.min_level_keys);
        (is_part && !has_storeys && !is_raised).then_some(INDOORS)
    }

    /// Whether a tag is there that is not `no`.
    fn says(&self, key: &str) -> bool {
        self.get(key)
            .is_some_and(|value| !value.eq_ignore_ascii_case("no"))
    }
}

/// The highest of levels as `-2`, `0;1`, `-1-3` or `-3--1`.
fn highest_level(text: &str) -> Option<f64> {
    let levels = text.split(';').filter_map(|part| {
        let part = part.trim();
        let behind_sign = part.get(1..).and_then(|rest| rest.find('-'));
        let last = behind_sign.map_or(part, |at| &part[at + 2..]);
        number_of(last).filter(|level| level.is_finite())
    });
    levels.reduce(f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_level_counts() {
        let cases = [
            ("-2", Some(-2.0)),
            ("-3--1", Some(-1.0)),
            ("-1-3", Some(3.0)),
            ("-2;-1; 0", Some(0.0)),
            ("0.5", Some(0.5)),
            ("roof", None),
            ("-", None),
            ("é-1", None),
            ("", None),
        ];
        for (text, wanted) in cases {
            assert_eq!(highest_level(text), wanted, "{text}");
        }
    }

    #[test]
    fn what_stands_above_the_ground_stays() {
        let options = ReadOptions::default();
        let is_left_out = |pairs: &[(&str, &str)]| {
            let pairs = pairs.iter().map(|&(k, v)| (k.to_owned(), v.to_owned()));
            Attributes(pairs.collect())
                .reason_below_ground(&options)
                .is_some()
        };
        let out: [&[(&str, &str)]; 9] = [
            &[("building", "yes"), ("indoor", "yes")],
            &[
                ("building:part", "yes"),
                ("indoor", "room"),
                ("height", "3"),
            ],
            &[("building", "yes"), ("location", "underground")],
            &[
                ("building", "yes"),
                ("building:levels", "0"),
                ("layer", "-1"),
            ],
            &[
                ("building", "yes"),
                ("building:levels", "0"),
                ("building:levels:underground", "2"),
            ],
            &[("building", "yes"), ("level", "-1")],
            &[("building:part", "yes"), ("level", "-2;-1")],
            &[("building:part", "yes"), ("level", "3")],
            &[("building:part", "yes"), ("level", "0-2")],
        ];
        for pairs in out {
            assert!(is_left_out(pairs), "{pairs:?}");
        }
        let stay: [&[(&str, &str)]; 10] = [
            &[("building", "yes"), ("layer", "-1")],
            &[("building", "yes"), ("building:levels", "0")],
            &[
                ("building", "yes"),
                ("building:levels", "0"),
                ("layer", "-1"),
                ("roof:levels", "1"),
            ],
            &[
                ("building", "yes"),
                ("building:levels", "0"),
                ("layer", "-1"),
                ("height", "4"),
            ],
            &[
                ("building", "yes"),
                ("building:levels", "3"),
                ("building:levels:underground", "2"),
            ],
            &[("building", "yes"), ("level", "1")],
            &[
                ("building:part", "yes"),
                ("level", "1"),
                ("building:levels", "2"),
            ],
            &[
                ("building:part", "yes"),
                ("level", "1"),
                ("min_height", "3"),
            ],
            &[("building", "yes"), ("indoor", "no")],
            &[("indoor", "room"), ("level", "-1")],
        ];
        for pairs in stay {
            assert!(!is_left_out(pairs), "{pairs:?}");
        }
    }
}
