//! keller's own entries in the `extras` of a glTF file; see [`crate::formats::kept`]. Other programs keep theirs there
//! too.

use std::path::Path;

use keller::materials::Material;
use keller_geo::crs::{Frame, Georeference};
use serde::Deserialize;

use super::schema::{self, Root};
use crate::formats::kept::{KeptClutter, KeptMaterial, KeptPlace};
use crate::formats::{ImportError, Place};

/// A material as keller uses it.
#[derive(Debug, Clone)]
pub(super) enum Kept {
    /// A material of walls, with a definition if keller wrote one.
    Wall(Option<Material>),
    /// A material of volumes that attenuate the waves that cross them.
    Clutter(KeptClutter),
}

/// Reads the definitions of the materials, if the file has them.
///
/// # Errors
/// [`ImportError::Malformed`] for an invalid attenuation.
pub(super) fn definitions(root: &Root, file: &Path) -> Result<Vec<Kept>, ImportError> {
    let definition = |(index, material): (usize, &schema::Material)| {
        let extras = &material.extras;
        if extras.get(KeptClutter::KEY).is_none() {
            let kept = KeptMaterial::deserialize(extras).ok();
            return Ok(Kept::Wall(kept.and_then(KeptMaterial::definition)));
        }
        KeptClutter::deserialize(extras)
            .map(Kept::Clutter)
            .map_err(|problem| {
                let place = Place::Item("extras of material".to_owned(), index);
                ImportError::malformed(file, place, problem.to_string())
            })
    };
    root.materials.iter().enumerate().map(definition).collect()
}

/// Reads the place of the scene on earth, if the file states it.
///
/// # Errors
/// [`ImportError::Malformed`] for a system that is not understood.
pub(super) fn georeference(root: &Root, file: &Path) -> Result<Option<Georeference>, ImportError> {
    let number = root.scene.unwrap_or(0);
    let Some(scene) = root.scenes.get(number) else {
        return Ok(None);
    };
    let Ok(kept) = KeptPlace::deserialize(&scene.extras) else {
        return Ok(None);
    };
    let georeference = Georeference::from(kept);
    match Frame::new(&georeference) {
        Ok(_) => Ok(Some(georeference)),
        Err(problem) => {
            let place = Place::Named(format!("extras of scene {number}"));
            Err(ImportError::malformed(file, place, problem.to_string()))
        }
    }
}
