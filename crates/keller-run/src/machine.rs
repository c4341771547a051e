//! Options of the use of the machine. Results do not depend on them.

use std::sync::Arc;

use keller::geometry::bvh::Dispatch;
use keller::scene::Scene;
use keller_gpu::{Gpu, GpuIndex};

use crate::Error;
use crate::observer::{Observer, Tell};

pub use keller_gpu::Choice as GpuChoice;

/// Options of the use of the machine. Results do not depend on them.
#[derive(Debug, Clone, Default)]
pub struct Machine {
    /// The instructions of ray intersection; the best available ones if absent.
    pub dispatch: Option<Dispatch>,
    /// The device that answers large batches of rays.
    pub gpu: GpuChoice,
}

impl Machine {
    /// Opens the graphics card, so that an error is reported before long work begins. Later runs of this program find
    /// it open.
    ///
    /// # Errors
    /// [`Error::Input`] if there is no such card.
    pub fn check(&self) -> Result<(), Error> {
        self.open().map(drop)
    }

    fn open(&self) -> Result<Option<Gpu>, Error> {
        Gpu::open(&self.gpu).map_err(|error| Error::Input(format!("gpu: {error}")))
    }

    /// The scene, whose rays are traced as wanted. Where the card cannot take this scene, a warning says why, and the
    /// processor traces its rays. The same if the card fails later.
    ///
    /// # Errors
    /// [`Error::Input`] if there is no such card.
    ///
    /// # Panics
    /// If the machine does not have the instructions.
    pub fn prepare(
        &self,
        mut scene: Arc<Scene>,
        observer: &Arc<dyn Observer>,
    ) -> Result<(Arc<Scene>, Option<Arc<GpuIndex>>), Error> {
        if let Some(dispatch) = self.dispatch {
            scene = Arc::new(Arc::unwrap_or_clone(scene).with_dispatch(dispatch));
        }
        let Some(gpu) = self.open()? else {
            return Ok((scene, None));
        };
        let listener = Arc::clone(observer);
        let warn = move |error: keller_gpu::Error| listener.warn(on_processor(&error));
        match gpu.index(scene.index(), warn) {
            Ok(index) => {
                let index = Arc::new(index);
                let scene = Arc::unwrap_or_clone(scene).with_accelerator(index.clone());
                Ok((Arc::new(scene), Some(index)))
            }
            Err(error) => {
                observer.warn(on_processor(&error));
                Ok((scene, None))
            }
        }
    }
}

fn on_processor(error: &keller_gpu::Error) -> String {
    format!("{error}; the processor does its work instead, with the same results")
}
