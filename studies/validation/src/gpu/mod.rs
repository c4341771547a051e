//! Compares a graphics card with the processor: the same bits, and the gain in time. One command writes a record.
//!
//! ```text
//! keller-validation gpu SCENE.xml [--city SCENE.xml] [--gpu NAME] [--record FILE.md] [--peer PYTHON]
//! ```
//!
//! The card is the first card there is, else one that software imitates: then figures say nothing about cards, and everything else is
//! checked as well. `--peer` runs `benches/peer/rays.py` and `whole_runs.py` with that Python, which needs sionna-rt, on the same rays
//! and scene. `--city` is a place whose tiles are so many that only a card makes it worth while: all of 2.9 m on a card, some rows of
//! 40 m without. Two experiments of the literature, which ran on cards of their time, come last.

mod literature;
mod measured;
mod peer;
mod rays;
mod runs;
mod visibility;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};
use keller::scene::Scene;
use keller_gpu::{Adapter, Choice, Gpu, Kind, adapters};
use keller_io::formats::import::import;

use self::peer::Peer;
use super::built::town;

/// Sides of tiles, metres; where software imitates a card, the first alone, and a few rows.
const SIDES: [f64; 3] = [40.0, 20.0, 10.0];

/// Sides of tiles of a whole city on a card, metres.
const CITY_SIDE: f64 = 2.9;

/// The options of the command line.
struct Options {
    scene: PathBuf,
    card: Choice,
    record: Option<PathBuf>,
    peer: Option<PathBuf>,
    city: Option<PathBuf>,
}

pub(crate) fn check(arguments: &[&str]) -> Result<()> {
    let options = Options::parse(arguments)?;
    let adapter = card(&options.card)?;
    let mut report = head(&adapter);
    let mesh = import(&options.scene)?.mesh;
    let name = options.scene.file_stem().unwrap_or_default();
    let name = name.to_string_lossy();
    let scenes = [
        (&*name, Scene::new(&mesh)?),
        ("a made-up town", Scene::new(&town(2000, 120))?),
    ];
    for (name, scene) in &scenes {
        let gpu = Gpu::of(&adapter)?;
        rays::compare(name, scene, &gpu, options.peer.as_deref(), &mut report)?;
    }
    let [(_, scene), _] = &scenes;
    let peer = options.peer.as_deref().map(|python| Peer {
        python,
        scene: &options.scene,
    });
    runs::compare(
        &name,
        scene,
        &Gpu::of(&adapter)?,
        peer.as_ref(),
        &mut report,
    )?;
    let is_card = adapter.kind != Kind::Software;
    let sides: &[f64] = if is_card { &SIDES } else { &SIDES[..1] };
    visibility::compare(&name, scene, sides, &Gpu::of(&adapter)?, &mut report)?;
    if let Some(city) = &options.city {
        let name = city.file_stem().unwrap_or_default().to_string_lossy();
        let scene = Scene::new(&import(city)?.mesh)?;
        let side = if is_card { CITY_SIDE } else { SIDES[0] };
        visibility::compare(&name, &scene, &[side], &Gpu::of(&adapter)?, &mut report)?;
    }
    literature::compare(&name, &mesh, &Gpu::of(&adapter)?, &mut report)?;
    println!("{report}");
    if let Some(file) = &options.record {
        std::fs::write(file, &report).with_context(|| file.display().to_string())?;
    }
    Ok(())
}

impl Options {
    fn parse(arguments: &[&str]) -> Result<Self> {
        let [scene, rest @ ..] = arguments else {
            bail!("which scene?");
        };
        let mut options = Self {
            scene: PathBuf::from(scene),
            card: Choice::Auto,
            record: None,
            peer: None,
            city: None,
        };
        for pair in rest.chunks(2) {
            match pair {
                ["--gpu", name] => {
                    let Ok(card) = name.parse();
                    options.card = card;
                }
                ["--record", file] => options.record = Some(PathBuf::from(file)),
                ["--peer", python] => options.peer = Some(PathBuf::from(python)),
                ["--city", scene] => options.city = Some(PathBuf::from(scene)),
                other => {
                    bail!(
                        "{other:?}: accepted are --gpu NAME, --record FILE, --peer PYTHON, --city SCENE"
                    )
                }
            }
        }
        Ok(options)
    }
}

/// The card that is asked for, else a card, else one that software imitates.
fn card(choice: &Choice) -> Result<Adapter> {
    if let Some(adapter) = choice.among(adapters())? {
        return Ok(adapter);
    }
    let first = adapters().into_iter().next();
    first.context(
        "there is no card: install a driver for Vulkan, or mesa-vulkan-drivers to imitate one",
    )
}

fn head(adapter: &Adapter) -> String {
    let mut text = String::from("# A graphics card beside the processor\n\n");
    let _ = writeln!(
        text,
        "{} ({}), {}, driver {}; {} threads of the processor.",
        adapter.name,
        adapter.kind,
        adapter.backend,
        adapter.driver,
        rayon::current_num_threads()
    );
    if adapter.kind == Kind::Software {
        text += "\nNo card was to be had: software imitates one on the processor. What is checked here are the bits; times say nothing \
                 about cards.\n";
    }
    text
}

/// The median of some runs, seconds.
fn median(times: usize, mut run: impl FnMut() -> Result<()>) -> Result<f64> {
    let mut seconds = Vec::new();
    for _ in 0..times {
        let start = std::time::Instant::now();
        run()?;
        seconds.push(start.elapsed().as_secs_f64());
    }
    ensure!(!seconds.is_empty(), "no run");
    seconds.sort_by(f64::total_cmp);
    Ok(seconds[seconds.len() / 2])
}

/// The folder of the repository.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap_or(Path::new("."))
}
