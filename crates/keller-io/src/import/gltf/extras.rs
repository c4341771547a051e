//! What keller keeps in a file beside what glTF knows; see [`crate::kept`].

use std::path::Path;

use keller::materials::Material;
use keller_geo::crs::{Frame, Georeference};
use serde::Deserialize;
use serde_json::Value;

use crate::kept::{KeptClutter, KeptMaterial, KeptPlace};
use crate::{ImportError, Place};

/// The `extras` of scenes and materials: anything, for other programs keep theirs there too.
#[derive(Debug, Deserialize)]
pub(super) struct Extras {
    #[serde(default)]
    scenes: Vec<Holder>,
    #[serde(default)]
    materials: Vec<Holder>,
}

/// What a material is to keller.
#[derive(Debug, Clone)]
pub(super) enum Kept {
    /// Of walls, with a definition if keller wrote one.
    Wall(Option<Material>),
    /// Of volumes that waves cross with loss.
    Clutter(KeptClutter),
}

#[derive(Debug, Deserialize)]
struct Holder {
    #[serde(default)]
    extras: Value,
}

impl Extras {
    /// What the materials are made of, where the file says so.
    ///
    /// # Errors
    /// [`ImportError::Malformed`] for an attenuation that is none.
    pub(super) fn definitions(&mut self, file: &Path) -> Result<Vec<Kept>, ImportError> {
        let definition = |(index, holder): (usize, &mut Holder)| {
            let extras = holder.extras.take();
            if extras.get(KeptClutter::KEY).is_none() {
                let kept: Option<KeptMaterial> = serde_json::from_value(extras).ok();
                return Ok(Kept::Wall(kept.and_then(KeptMaterial::definition)));
            }
            serde_json::from_value(extras)
                .map(Kept::Clutter)
                .map_err(|problem| {
                    let place = Place::Item("extras of material".to_owned(), index);
                    ImportError::malformed(file, place, problem.to_string())
                })
        };
        self.materials
            .iter_mut()
            .enumerate()
            .map(definition)
            .collect()
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
