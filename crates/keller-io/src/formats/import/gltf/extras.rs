//! What keller keeps in the `extras` of a file beside what glTF knows; see [`crate::formats::kept`]. Other programs keep theirs there too.

use std::path::Path;

use keller::materials::Material;
use keller_geo::crs::{Frame, Georeference};
use serde::Deserialize;

use super::schema::{self, Root};
use crate::formats::kept::{KeptClutter, KeptMaterial, KeptPlace};
use crate::formats::{ImportError, Place};

/// What a material is to keller.
#[derive(Debug, Clone)]
pub(super) enum Kept {
    /// Of walls, with a definition if keller wrote one.
    Wall(Option<Material>),
    /// Of volumes that waves cross with loss.
    Clutter(KeptClutter),
}

/// Reads what the materials are made of, where the file says so.
///
/// # Errors
/// [`ImportError::Malformed`] for an attenuation that is none.
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

/// Reads where the scene lies, if the file says so.
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
