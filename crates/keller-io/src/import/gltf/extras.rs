//! What keller keeps in a file beside what glTF knows; see [`crate::kept`].

use std::path::Path;

use keller::materials::Material;
use keller_geo::crs::{Frame, Georeference};
use serde::Deserialize;
use serde_json::Value;

use crate::kept::{KeptMaterial, KeptPlace};
use crate::{ImportError, Place};

/// The `extras` of scenes and materials: anything, for other programs keep theirs there too.
#[derive(Debug, Deserialize)]
pub(super) struct Extras {
    #[serde(default)]
    scenes: Vec<Holder>,
    #[serde(default)]
    materials: Vec<Holder>,
}

#[derive(Debug, Deserialize)]
struct Holder {
    #[serde(default)]
    extras: Value,
}

impl Extras {
    /// What the materials are made of, where the file says so.
    pub(super) fn definitions(&mut self) -> Vec<Option<Material>> {
        let definition = |holder: &mut Holder| {
            let kept: KeptMaterial = serde_json::from_value(holder.extras.take()).ok()?;
            kept.definition()
        };
        self.materials.iter_mut().map(definition).collect()
    }

    /// Where the scene lies, if the file says so.
    ///
    /// # Errors
    /// [`ImportError::Malformed`] for a system that is not understood.
    pub(super) fn georeference(
        &mut self,
        scene: usize,
        file: &Path,
    ) -> Result<Option<Georeference>, ImportError> {
        let Some(holder) = self.scenes.get_mut(scene) else {
            return Ok(None);
        };
        let Ok(kept) = serde_json::from_value::<KeptPlace>(holder.extras.take()) else {
            return Ok(None);
        };
        let georeference = Georeference::from(kept);
        match Frame::new(&georeference) {
            Ok(_) => Ok(Some(georeference)),
            Err(problem) => {
                let place = Place::Named(format!("extras of scene {scene}"));
                Err(ImportError::malformed(file, place, problem.to_string()))
            }
        }
    }
}
