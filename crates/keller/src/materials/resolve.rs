//! Finds the materials of the names that a scene uses.

use super::names::{base_name, canonical_name};
use super::{ItuMaterial, Material, Medium};
use crate::Error;

/// The materials of walls, by the names that their scene gives them.
///
/// ```
/// use keller::materials::{Material, Materials, Medium};
///
/// let foil = Material::slab(Medium::PerfectConductor, 0.01);
/// let materials = Materials {
///     default: Some("metal".to_owned()),
///     ..Materials::from([("brick", foil.clone())])
/// };
/// let resolved = materials.resolve([("mat-itu_brick", None), ("tin foil", None)])?;
/// assert_eq!(resolved, [foil, Material::from_name("metal").expect("known")]);
/// # Ok::<(), keller::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Materials {
    /// Materials by name: exactly a name of the scene, else one of the same [`canonical_name`], else of the same [`base_name`]. They come
    /// before all else.
    pub named: Vec<(String, Material)>,
    /// The name of the material of walls that nothing else defines: one of `named` or a well-known name.
    pub default: Option<String>,
    /// Gives half spaces this thickness, metres, so that waves pass them; perfect conductors stay as they are.
    pub default_thickness: Option<f64>,
    /// Whether a wave that passes a wall keeps the phase of the air that the wall displaces, as other tools have it.
    pub ignore_displaced_air: bool,
}

impl<N: Into<String>, const COUNT: usize> From<[(N, Material); COUNT]> for Materials {
    fn from(named: [(N, Material); COUNT]) -> Self {
        named.into_iter().collect()
    }
}

impl<N: Into<String>> FromIterator<(N, Material)> for Materials {
    fn from_iter<I: IntoIterator<Item = (N, Material)>>(named: I) -> Self {
        let named = named.into_iter().map(|(name, m)| (name.into(), m));
        Self {
            named: named.collect(),
            ..Self::default()
        }
    }
}

impl Materials {
    /// Well-known names and the definitions of files, and `default` for everything else.
    pub fn with_default(default: &str) -> Self {
        Self {
            default: Some(default.to_owned()),
            ..Self::default()
        }
    }

    /// The material behind every name that a scene uses, in the scene's order.
    ///
    /// Each of `used` is a name with the definition that its file carries, if any. The first of these decides:
    /// 1. `named`: exactly the scene's name, else the same [`canonical_name`], else the scene's [`base_name`];
    /// 2. the file's own definition;
    /// 3. a well-known name ([`Material::from_name`]): a half space;
    /// 4. `default`.
    ///
    /// # Errors
    /// - [`Error::UnknownMaterial`] for a name that nothing defines, the default's among them;
    /// - [`Error::MaterialParameter`] for values that no material has;
    /// - [`Error::AmbiguousMaterial`] if two of `named` fit a name equally well.
    pub fn resolve<'a>(
        &self,
        used: impl IntoIterator<Item = (&'a str, Option<&'a Material>)>,
    ) -> Result<Vec<Material>, Error> {
        for (name, material) in &self.named {
            material.check(name)?;
        }
        let default = self.default.as_deref();
        let default = default.map(|name| match find_override(name, &self.named)? {
            Some(material) => Ok(material.clone()),
            None => Material::from_name(name).ok_or_else(|| unknown(name, &self.named)),
        });
        let default = default.transpose()?;
        let of_name = |(name, definition): (&str, Option<&Material>)| {
            if let Some(material) = find_override(name, &self.named)? {
                return Ok(material.clone());
            }
            if let Some(material) = definition {
                material.check(name)?;
                return Ok(material.clone());
            }
            Material::from_name(name)
                .or_else(|| default.clone())
                .ok_or_else(|| unknown(name, &self.named))
        };
        let finished = |material| self.finish(material);
        used.into_iter()
            .map(|used| of_name(used).map(finished))
            .collect()
    }

    /// `material` with the default thickness and the kind of transmission that all walls have.
    fn finish(&self, material: Material) -> Material {
        let is_air_ignored = material.ignores_displaced_air();
        let material = match (material.wall(), self.default_thickness) {
            (Material::HalfSpace(medium), Some(thickness))
                if *medium != Medium::PerfectConductor =>
            {
                material.with_wall(Material::slab(*medium, thickness))
            }
            _ => material,
        };
        material.with_displaced_air_ignored(self.ignore_displaced_air || is_air_ignored)
    }

    /// The names among `named` that fit none of the `used` names: likely typing errors, worth a warning.
    pub fn unused<'a>(&self, used: impl IntoIterator<Item = &'a str>) -> Vec<&str> {
        let used = used.into_iter();
        let used: Vec<String> = used
            .flat_map(|name| [canonical_name(name), base_name(name)])
            .collect();
        let names = self.named.iter().map(|(name, _)| name.as_str());
        names
            .filter(|name| !used.contains(&canonical_name(name)))
            .collect()
    }
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
    let fitting = |wanted: &str| {
        let mut fitting = overrides
            .iter()
            .filter(|(key, _)| canonical_name(key) == wanted);
        match (fitting.next(), fitting.next()) {
            (Some((first, _)), Some((second, _))) => Err(Error::AmbiguousMaterial {
                name: name.to_owned(),
                first: first.clone(),
                second: second.clone(),
            }),
            (found, _) => Ok(found.map(|(_, material)| material)),
        }
    };
    match fitting(&canonical_name(name))? {
        Some(material) => Ok(Some(material)),
        None => fitting(&base_name(name)),
    }
}

fn unknown(name: &str, overrides: &[(String, Material)]) -> Error {
    let mut known: Vec<&str> = known_names().collect();
    known.extend(overrides.iter().map(|(key, _)| key.as_str()));
    let canonical = base_name(name);
    // A suggestion is a guess if more than a third of the letters are wrong.
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

    fn thick(thickness: f64) -> Material {
        Material::slab(Medium::Itu(ItuMaterial::Brick), thickness)
    }

    /// The materials that `materials`, with a default, give for some names.
    fn resolve<const N: usize, const M: usize>(
        used: [(&str, Option<&Material>); N],
        named: [(&str, Material); M],
        default: Option<&str>,
    ) -> Result<Vec<Material>, Error> {
        let materials = Materials {
            default: default.map(str::to_owned),
            ..Materials::from(named)
        };
        materials.resolve(used)
    }

    #[test]
    fn override_beats_definition_beats_known_name_beats_default() {
        let (own, file) = (thick(0.1), thick(0.2));
        let overrides = [("itu_brick", own.clone())];
        let used = [
            ("mat-itu_brick", Some(&file)),
            ("glass", Some(&file)),
            ("itu_glass", None),
            ("cheese", None),
        ];
        let resolved = resolve(used, overrides, Some("wood")).unwrap();
        let known = |name| Material::from_name(name).unwrap();
        assert_eq!(resolved, [own, file, known("glass"), known("wood")]);
    }

    #[test]
    fn every_spelling_of_an_override_matches() {
        let own = thick(0.1);
        for key in ["itu_brick", "brick", "mat-itu_brick", "MAT-ITU-Brick"] {
            let resolved = resolve([("mat-itu_brick", None)], [(key, own.clone())], None);
            assert_eq!(resolved.as_deref(), Ok(&[own.clone()][..]), "{key}");
        }
    }

    #[test]
    fn the_exact_name_wins_and_a_tie_is_refused() {
        let overrides = [("brick", thick(0.1)), ("itu_brick", thick(0.2))];
        let exact = resolve([("itu_brick", None)], overrides.clone(), None);
        assert_eq!(exact, Ok(vec![thick(0.2)]));
        let tie = resolve([("mat-itu_brick", None)], overrides, None).unwrap_err();
        assert!(matches!(tie, Error::AmbiguousMaterial { .. }), "{tie}");
    }

    #[test]
    fn the_number_of_a_copy_in_blender_does_not_change_its_material() {
        let known = Material::from_name("concrete").unwrap();
        let names = [
            "itu_concrete.001",
            "mat-itu_concrete.014",
            "Concrete.001.002",
        ];
        let resolved = resolve(names.map(|name| (name, None)), [], None);
        assert_eq!(resolved, Ok(vec![known; 3]));
        // A definition of the copy itself comes first, and one of another copy does not count.
        let overrides = [("facade", thick(0.1)), ("facade.002", thick(0.2))];
        let names = ["mat-facade.001", "facade.002", "facade"];
        let resolved = resolve(names.map(|name| (name, None)), overrides.clone(), None);
        assert_eq!(resolved, Ok(vec![thick(0.1), thick(0.2), thick(0.1)]));
        let materials = Materials::from(overrides);
        assert_eq!(materials.unused(["facade.001"]), ["facade.002"]);
        assert_eq!(materials.unused(["facade.002"]), [""; 0]);
        for name in [
            "concrete.01",
            "concrete.a01",
            ".001",
            "concrete.",
            "concrete0.15",
        ] {
            assert!(resolve([(name, None)], [], None).is_err(), "{name}");
        }
        let typo = resolve([("itu_conrete.001", None)], [], None)
            .unwrap_err()
            .to_string();
        assert!(typo.contains("did you mean `concrete`?"), "{typo}");
    }

    #[test]
    fn the_default_may_name_an_override() {
        let overrides = [("facade", thick(0.3))];
        let resolved = resolve([("x", None)], overrides, Some("facade"));
        assert_eq!(resolved, Ok(vec![thick(0.3)]));
    }

    #[test]
    fn an_unknown_name_lists_the_known_and_suggests_the_nearest() {
        let message = |name, default| {
            resolve([(name, None)], [("facade", thick(0.3))], default)
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
        let materials = Materials::from([("itu_brick", thick(0.1)), ("brik", thick(0.1))]);
        assert_eq!(materials.unused(["mat-itu_brick", "glass"]), ["brik"]);
    }

    #[test]
    fn bad_values_are_refused_wherever_they_come_from() {
        let bad = thick(-1.0);
        assert!(resolve([("a", Some(&bad))], [], None).is_err());
        assert!(resolve([("glass", None)], [("a", bad)], None).is_err());
    }
}
