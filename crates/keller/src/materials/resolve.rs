//! From the names that a scene uses to materials.

use super::{ItuMaterial, Material};
use crate::Error;

/// The material behind every name that a scene uses, in the scene's order.
///
/// Each of `used` is a name with the definition that its file carries, if any. The first of these decides:
/// 1. `overrides`: exactly the scene's name, else the same [`canonical_name`];
/// 2. the file's own definition;
/// 3. a well-known name ([`Material::from_name`]): a half space;
/// 4. `default`: a name that is looked up in the overrides and among the well-known names.
///
/// ```
/// use keller::materials::{Material, resolve};
///
/// let wall = Material::slab(keller::materials::Medium::PerfectConductor, 0.01);
/// let used = [("mat-itu_brick", None), ("tin foil", None)];
/// let materials = resolve(used, &[("brick".to_owned(), wall.clone())], Some("metal"))?;
/// assert_eq!(materials, [wall, Material::from_name("metal").expect("known")]);
/// # Ok::<(), keller::Error>(())
/// ```
///
/// # Errors
/// - [`Error::UnknownMaterial`] for a name that nothing defines, the default's among them;
/// - [`Error::MaterialParameter`] for values that no material has;
/// - [`Error::AmbiguousMaterial`] if two overrides fit a name equally well.
pub fn resolve<'a>(
    used: impl IntoIterator<Item = (&'a str, Option<&'a Material>)>,
    overrides: &[(String, Material)],
    default: Option<&str>,
) -> Result<Vec<Material>, Error> {
    for (name, material) in overrides {
        material.check(name)?;
    }
    let default = default
        .map(|name| match find_override(name, overrides)? {
            Some(material) => Ok(material.clone()),
            None => Material::from_name(name).ok_or_else(|| unknown(name, overrides)),
        })
        .transpose()?;
    used.into_iter()
        .map(|(name, definition)| {
            if let Some(material) = find_override(name, overrides)? {
                return Ok(material.clone());
            }
            if let Some(material) = definition {
                material.check(name)?;
                return Ok(material.clone());
            }
            Material::from_name(name)
                .or_else(|| default.clone())
                .ok_or_else(|| unknown(name, overrides))
        })
        .collect()
}

/// The names of `overrides` that fit none of the `used` names: likely typing errors, worth a warning.
pub fn unused_overrides<'a, 'b>(
    used: impl IntoIterator<Item = &'a str>,
    overrides: &'b [(String, Material)],
) -> Vec<&'b str> {
    let used: Vec<String> = used.into_iter().map(canonical_name).collect();
    overrides
        .iter()
        .map(|(name, _)| name.as_str())
        .filter(|name| !used.contains(&canonical_name(name)))
        .collect()
}

/// A material's name without what differs between exporters: lower case, `_` for `-` and spaces, no leading `mat_` or `itu_`.
///
/// ```
/// assert_eq!(keller::materials::canonical_name("mat-ITU_Wet Ground"), "wet_ground");
/// ```
pub fn canonical_name(name: &str) -> String {
    let name = name.trim().to_lowercase().replace(['-', ' '], "_");
    let name = name.strip_prefix("mat_").unwrap_or(&name);
    name.strip_prefix("itu_").unwrap_or(name).to_owned()
}

/// The names that need no definition, in the order of the ITU table, `pec` last.
pub fn known_names() -> impl Iterator<Item = &'static str> {
    ItuMaterial::ALL
        .into_iter()
        .map(ItuMaterial::name)
        .chain(["pec"])
}

fn find_override<'a>(
    name: &str,
    overrides: &'a [(String, Material)],
) -> Result<Option<&'a Material>, Error> {
    if let Some((_, material)) = overrides.iter().find(|(key, _)| key == name) {
        return Ok(Some(material));
    }
    let canonical = canonical_name(name);
    let mut fitting = overrides
        .iter()
        .filter(|(key, _)| canonical_name(key) == canonical);
    match (fitting.next(), fitting.next()) {
        (Some((first, _)), Some((second, _))) => Err(Error::AmbiguousMaterial {
            name: name.to_owned(),
            first: first.clone(),
            second: second.clone(),
        }),
        (found, _) => Ok(found.map(|(_, material)| material)),
    }
}

fn unknown(name: &str, overrides: &[(String, Material)]) -> Error {
    let mut known: Vec<&str> = known_names().collect();
    known.extend(overrides.iter().map(|(key, _)| key.as_str()));
    let canonical = canonical_name(name);
    // Beyond a third of the letters wrong, a suggestion is a guess.
    let nearest = known
        .iter()
        .map(|k| (strsim::osa_distance(&canonical, &canonical_name(k)), *k))
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, k)| 3 * distance <= k.len().max(3));
    Error::UnknownMaterial {
        name: name.to_owned(),
        suggestion: nearest.map_or_else(String::new, |(_, k)| format!(" (did you mean `{k}`?)")),
        known: known.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::materials::Medium;

    fn thick(thickness: f64) -> Material {
        Material::slab(Medium::Itu(ItuMaterial::Brick), thickness)
    }

    fn named(name: &str, material: &Material) -> (String, Material) {
        (name.to_owned(), material.clone())
    }

    #[test]
    fn override_beats_definition_beats_known_name_beats_default() {
        let (own, file) = (thick(0.1), thick(0.2));
        let overrides = [named("itu_brick", &own)];
        let used = [
            ("mat-itu_brick", Some(&file)),
            ("glass", Some(&file)),
            ("itu_glass", None),
            ("cheese", None),
        ];
        let resolved = resolve(used, &overrides, Some("wood")).unwrap();
        let known = |name| Material::from_name(name).unwrap();
        assert_eq!(resolved, [own, file, known("glass"), known("wood")]);
    }

    #[test]
    fn every_spelling_of_an_override_matches() {
        let own = thick(0.1);
        for key in ["itu_brick", "brick", "mat-itu_brick", "MAT-ITU-Brick"] {
            let resolved = resolve([("mat-itu_brick", None)], &[named(key, &own)], None);
            assert_eq!(resolved.as_deref(), Ok(&[own.clone()][..]), "{key}");
        }
    }

    #[test]
    fn the_exact_name_wins_and_a_tie_is_refused() {
        let overrides = [named("brick", &thick(0.1)), named("itu_brick", &thick(0.2))];
        let exact = resolve([("itu_brick", None)], &overrides, None);
        assert_eq!(exact, Ok(vec![thick(0.2)]));
        let tie = resolve([("mat-itu_brick", None)], &overrides, None).unwrap_err();
        assert!(matches!(tie, Error::AmbiguousMaterial { .. }), "{tie}");
    }

    #[test]
    fn the_default_may_name_an_override() {
        let overrides = [named("facade", &thick(0.3))];
        let resolved = resolve([("x", None)], &overrides, Some("facade"));
        assert_eq!(resolved, Ok(vec![thick(0.3)]));
    }

    #[test]
    fn an_unknown_name_lists_the_known_and_suggests_the_nearest() {
        let message = |name, default| {
            resolve([(name, None)], &[named("facade", &thick(0.3))], default)
                .unwrap_err()
                .to_string()
        };
        let typo = message("itu_plasterbord", None);
        assert!(typo.contains("`itu_plasterbord`"), "{typo}");
        assert!(typo.contains("did you mean `plasterboard`?"), "{typo}");
        assert!(typo.contains("vacuum, concrete, brick"), "{typo}");
        assert!(typo.contains("wet_ground, pec, facade"), "{typo}");
        assert!(message("mat-facde", None).contains("`facade`?"));
        assert!(!message("no_name_like_it", None).contains("did you mean"));
        assert!(message("concrete", Some("concret")).contains("`concrete`?"));
    }

    #[test]
    fn overrides_that_fit_nothing_are_reported() {
        let overrides = [named("itu_brick", &thick(0.1)), named("brik", &thick(0.1))];
        let unused = unused_overrides(["mat-itu_brick", "glass"], &overrides);
        assert_eq!(unused, ["brik"]);
    }

    #[test]
    fn bad_values_are_refused_wherever_they_come_from() {
        let bad = thick(-1.0);
        assert!(resolve([("a", Some(&bad))], &[], None).is_err());
        assert!(resolve([("glass", None)], &[named("a", &bad)], None).is_err());
    }
}
