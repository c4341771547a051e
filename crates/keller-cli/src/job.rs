//! Makes a job that is ready to be run of a scenario and the command line.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use keller::geometry::bvh::Dispatch;
use keller_io::scenario::{Scenario, SceneSettings};
use keller_io::store::scene_cache::CompiledScene;
use keller_run::{Error, Job, Machine, Run, Work, prepare_scene};

use crate::args::{DispatchArg, MachineArgs};
use crate::failure::Failure;
use crate::files::Outputs;
use crate::forecast::Advice;
use crate::progress::Progress;

/// A scenario with its scene. No file that the scene is read from may be one of `outputs`.
pub(crate) fn prepare(
    mut scenario: Scenario,
    machine: &MachineArgs,
    outputs: &Outputs,
    progress: &Arc<Progress>,
) -> Result<Arc<Job>, Failure> {
    if let Some(file) = &machine.scene_cache {
        scenario.scene.cache = Some(file.clone());
    }
    progress.advise(Advice::of(&scenario));
    let machine = used(machine)?;
    let compiled = scene(&scenario.scene, outputs, progress)?;
    Ok(Job::new(scenario, compiled, &machine, progress.clone())?)
}

/// A scene with the other contents of its files. None of these files may be one of `outputs`.
pub(crate) fn scene(
    settings: &SceneSettings,
    outputs: &Outputs,
    progress: &Progress,
) -> Result<CompiledScene, Failure> {
    let check = |files: &[&Path]| {
        let checked = outputs.check(files.iter().copied());
        checked.map_err(|failure| Error::Input(failure.to_string()))
    };
    Ok(prepare_scene(settings, progress, &check)?)
}

/// Uses `threads` threads, or one a core.
pub(crate) fn use_threads(threads: Option<u16>) -> Result<(), Failure> {
    if let Some(threads) = threads {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads.into())
            .build_global()
            .map_err(|error| Failure::Internal(error.into()))?;
    }
    Ok(())
}

/// The use of the machine. A graphics card that is not there is reported now.
pub(crate) fn used(machine: &MachineArgs) -> Result<Machine, Failure> {
    let machine = Machine {
        dispatch: dispatch(machine.dispatch)?,
        gpu: machine.gpu.clone(),
    };
    machine.check()?;
    Ok(machine)
}

/// The instructions that are asked for.
fn dispatch(dispatch: Option<DispatchArg>) -> Result<Option<Dispatch>, Failure> {
    let dispatch = match dispatch {
        None => return Ok(None),
        Some(DispatchArg::Portable) => Dispatch::Portable,
        Some(DispatchArg::Avx2) => Dispatch::Avx2,
        Some(DispatchArg::Avx512) => Dispatch::Avx512,
    };
    if !dispatch.is_available() {
        return Err(Failure::Input(format!(
            "--dispatch: this machine has no {dispatch:?}"
        )));
    }
    Ok(Some(dispatch))
}

/// A run that keeps finished units in the file `part`, or takes them from the store of a batch.
pub(crate) fn kept<W: Work>(
    mut run: Run<W>,
    part: Option<PathBuf>,
    resume: bool,
    batch: Option<&Path>,
) -> Result<Run<W>, Failure> {
    if let Some(store) = batch {
        return Ok(run.take_from(store)?);
    }
    if let Some(part) = part {
        run.keep_in(&part, resume)?;
    }
    Ok(run)
}

/// The reason why a run ended early, with a message about kept results.
pub(crate) fn ended(error: Error, kept: Option<String>) -> Failure {
    match (error, kept) {
        (Error::Stopped, Some(kept)) => Failure::Kept(format!("stopped; {kept}")),
        (error, _) => error.into(),
    }
}
