//! `keller view`: a scene and results as a page for browsers.

mod serve;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use keller_io::formats::OutputFile;
use keller_io::reports::view::View;
use keller_io::scenario::Scenario;
use keller_run::{Job, RunStage, Viewing};

use super::scene::settings;
use crate::args::ViewArgs;
use crate::failure::Failure;
use crate::files::Outputs;
use crate::job::{scene, used};
use crate::messages::say;
use crate::progress::Progress;

/// Endings of scene files.
const SCENES: [&str; 6] = ["xml", "ply", "obj", "stl", "gltf", "glb"];

/// A page of more bytes opens slowly, and some browsers refuse it.
const LARGE: usize = 200_000_000;

pub(crate) fn run(args: &ViewArgs) -> Result<(), Failure> {
    if let Some(out) = &args.out
        && !is_named(out, &["html", "htm"])
    {
        return Err(Failure::Input(format!(
            "-o {}: accepted: a name that ends in .html",
            out.display()
        )));
    }
    let outputs = Outputs::default().with("-o", args.out.as_deref());
    outputs.check(args.files.iter().map(PathBuf::as_path))?;
    // Opened first: who cannot have the page should not wait for it.
    let target = args.out.as_deref().map(OutputFile::create).transpose();
    let target = target.map_err(|error| Failure::System(error.to_string()))?;
    let progress = Progress::new();
    let view = view(args, &outputs, &progress)?;
    if args.serve {
        progress.clear();
        return serve::serve(view, !args.no_open);
    }
    if view.size() > LARGE {
        progress.warn(format_args!(
            "the page has {} MB: --serve hands large results out piece by piece",
            view.size() / 1_000_000
        ));
    }
    progress.report(RunStage::Write, 0.0);
    match target {
        Some(target) => {
            let written = target.write(|writer| view.page(writer));
            written.map_err(|error| Failure::System(error.to_string()))?;
            progress.clear();
            let out = args.out.as_deref().unwrap_or(Path::new(""));
            Ok(writeln!(io::stdout(), "{}", out.display())?)
        }
        None => show(&view, &progress),
    }
}

/// Writes the page to the folder of temporary files and opens it.
fn show(view: &View, progress: &Progress) -> Result<(), Failure> {
    let system = |error: io::Error| Failure::System(format!("the page cannot be written: {error}"));
    let file = tempfile::Builder::new()
        .prefix("keller-view-")
        .suffix(".html")
        .tempfile()
        .map_err(system)?;
    let mut writer = io::BufWriter::new(file);
    view.page(&mut writer).map_err(system)?;
    let file = writer
        .into_inner()
        .map_err(|error| system(error.into_error()))?;
    // The browser reads it after this program has ended.
    let (_, path) = file.keep().map_err(|error| system(error.error))?;
    progress.clear();
    let told = writeln!(io::stdout(), "{}", path.display());
    browse(path.as_os_str());
    Ok(told?)
}

/// Opens a page in the default browser, and says so if there is none.
fn browse(page: &std::ffi::OsStr) {
    if let Err(error) = open::that_detached(page) {
        say!("warning: no browser could be opened ({error}); open the page above in one");
    }
}

/// The view of everything that is to be shown.
fn view(args: &ViewArgs, outputs: &Outputs, progress: &Arc<Progress>) -> Result<View, Failure> {
    let files = &args.files;
    let title: Vec<String> = files.iter().map(|file| name(file)).collect();
    let title = title.join(", ");
    let is_scene = |file: &&PathBuf| is_named(file, &SCENES);
    let scenes: Vec<&PathBuf> = files.iter().filter(is_scene).collect();
    let first = files.iter().position(|file| is_scenario(file));
    if let (Some(scene), Some(_)) = (scenes.first(), first) {
        return Err(Failure::Input(format!(
            "{}: the scenario names its scene; accepted: a scenario or scene files, then results",
            scene.display()
        )));
    }
    let mut job = None;
    let mut viewing = match first {
        Some(0) => {
            let opened = open_job(&files[0], args, outputs, progress)?;
            let viewing = Viewing::of_job(&title, &opened)?;
            job = Some(opened);
            viewing
        }
        Some(place) => {
            return Err(Failure::Input(format!(
                "{}: accepted: the scenario {} first, then its results",
                files[0].display(),
                files[place].display()
            )));
        }
        None if scenes.is_empty() => {
            return Err(Failure::Input(format!(
                "{}: results are shown in their scene; accepted: the scenario (.toml) or scene file first, then results",
                files[0].display()
            )));
        }
        None => {
            let mut settings = settings(scenes[0])?;
            settings.files = scenes.iter().map(|file| (*file).clone()).collect();
            args.mesh.overrule(&mut settings.meshes);
            let compiled = scene(&settings, outputs, progress)?;
            let source: Vec<String> = scenes.iter().map(|file| name(file)).collect();
            Viewing::of_scene(&title, &source.join(", "), compiled)?
        }
    };
    let skipped = usize::from(job.is_some());
    for file in files.iter().skip(skipped).filter(|file| !is_scene(file)) {
        if is_scenario(file) {
            let opened = open_job(file, args, outputs, progress)?;
            viewing.add_job(&opened);
            job = Some(opened);
        } else {
            viewing.add_result(job.as_ref(), file)?;
        }
    }
    Ok(viewing.into_view())
}

fn open_job(
    file: &Path,
    args: &ViewArgs,
    outputs: &Outputs,
    progress: &Arc<Progress>,
) -> Result<Arc<Job>, Failure> {
    let mut scenario = Scenario::load_without_rx(file)?;
    args.mesh.overrule(&mut scenario.scene.meshes);
    let compiled = scene(&scenario.scene, outputs, progress)?;
    let machine = used(&args.machine)?;
    Ok(Job::new(scenario, compiled, &machine, progress.clone())?)
}

/// Whether a name is that of a scenario, or of one of its variants.
fn is_scenario(file: &Path) -> bool {
    let name = file.to_string_lossy();
    let bare = match name.rsplit_once('#') {
        Some((bare, number)) if number.parse::<usize>().is_ok() => bare,
        _ => &name,
    };
    is_named(Path::new(bare), &["toml"])
}

fn is_named(file: &Path, extensions: &[&str]) -> bool {
    let own = file.extension().unwrap_or_default();
    extensions
        .iter()
        .any(|known| own.eq_ignore_ascii_case(known))
}

fn name(file: &Path) -> String {
    let name = file.file_name().unwrap_or(file.as_os_str());
    name.to_string_lossy().into_owned()
}
