//! `keller new`: a scenario for a scene, with comments, to start from.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use glam::DVec3;
use keller::materials::Medium;
use keller::scene::Scene;
use keller_io::formats::import::{MeshOptions, Unit, Up};
use keller_io::scenario::Scenario;

use super::scene::settings;
use crate::args::NewArgs;
use crate::failure::Failure;
use crate::files::Outputs;
use crate::job;
use crate::progress::Progress;

/// Metres between people's hands and the ground.
const HAND: f64 = 1.5;

pub(crate) fn run(args: &NewArgs) -> Result<(), Failure> {
    let out = args.out.display();
    let is_toml = args
        .out
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("toml"));
    if !is_toml {
        let problem = format!("{out}: scenarios are TOML; accepted: a name that ends in .toml");
        return Err(Failure::Input(problem));
    }
    let is_scenario = |file: &&PathBuf| {
        file.extension()
            .is_some_and(|e| e.eq_ignore_ascii_case("toml"))
    };
    if let Some(file) = args.files.iter().find(is_scenario) {
        let problem = format!(
            "{}: this is a scenario already; accepted: scene files",
            file.display()
        );
        return Err(Failure::Input(problem));
    }
    let mut settings = settings(&args.files[0])?;
    settings.files.clone_from(&args.files);
    args.mesh.overrule(&mut settings.meshes);
    let progress = Progress::new();
    let compiled = job::scene(&settings, &Outputs::default(), &progress)?;
    progress.clear();
    let folder = args.out.parent().unwrap_or(Path::new(""));
    let files = args.files.iter().map(|file| seen_from(folder, file));
    let files: Vec<String> = files.collect::<Result<_, _>>()?;
    let text = text(&files, settings.meshes, args.frequency, &compiled.scene);
    // Whatever is written can be run.
    Scenario::parse(&text, &args.out).map_err(|error| Failure::Input(error.to_string()))?;
    let created = File::create_new(&args.out);
    let mut file = created.map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => {
            let problem = "it is there already and is not replaced; accepted: another name with -o";
            Failure::Input(format!("{out}: {problem}"))
        }
        _ => Failure::System(format!("{out}: {error}")),
    })?;
    file.write_all(text.as_bytes())
        .map_err(|error| Failure::System(format!("{out}: {error}")))?;
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "keller view {out}                   the scene")?;
    writeln!(
        stdout,
        "keller paths {out} -o paths.csv     every path to every receiver"
    )?;
    writeln!(stdout, "keller coverage {out} -o map.png    a map")?;
    Ok(())
}

/// The name of a file as a scenario in `folder` has to say it, as TOML.
fn seen_from(folder: &Path, file: &Path) -> Result<String, Failure> {
    // The folder of a bare name is empty.
    let here = Path::new(".");
    let folder = if folder.as_os_str().is_empty() {
        here
    } else {
        folder
    };
    let whole = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let (folder, whole) = (whole(folder), whole(file));
    let near = whole.strip_prefix(&folder).map(Path::to_owned);
    let name: PathBuf = near.unwrap_or(whole);
    let name = name.to_str().ok_or_else(|| {
        Failure::Input(format!(
            "{}: the name is not UTF-8, which TOML needs",
            file.display()
        ))
    })?;
    Ok(in_quotes(name))
}

/// A text as TOML has it, which escapes as JSON does.
fn in_quotes(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The scenario.
fn text(files: &[String], meshes: MeshOptions, frequency: f64, scene: &Scene) -> String {
    let place = Place::of(scene);
    let mut text = String::from(
        "# A scenario of keller: change it and run `keller paths` or `keller coverage` with it. Lengths are metres; x is east, y north, z up.\n\
         # The page *Scenario keys* of the book has all keys; `keller schema` prints them for editors.\n",
    );
    let [tx_x, tx_y, tx_z] = place.tx.to_array();
    let ([x0, y0], [x1, y1]) = (place.min, place.max);
    let (known, unknown): (Vec<&String>, Vec<&String>) = scene
        .materials()
        .iter()
        .partition(|name| Medium::from_name(name).is_some());
    write!(
        text,
        "frequency_hz = {frequency:e}\n\n[scene]\nfiles = [{}]\n",
        files.join(", ")
    )
    .expect(NEVER);
    if let Some(up) = meshes.up {
        let axis = if up == Up::Y { "y" } else { "z" };
        writeln!(text, "up = \"{axis}\"").expect(NEVER);
    }
    let unit = Unit::NAMES
        .iter()
        .find(|(_, unit)| Some(*unit) == meshes.unit);
    if let Some((name, _)) = unit {
        writeln!(text, "unit = \"{name}\"").expect(NEVER);
    }
    if !unknown.is_empty() {
        text += "# What counts for materials that keller does not know by name and that no section describes.\ndefault_material = \"concrete\"\n";
    }
    for name in known {
        writeln!(text, "\n# `{name}` is known by its name, as a half space: nothing passes through it. This makes it a wall of 0.2 m:").expect(NEVER);
        writeln!(
            text,
            "# [materials.{}]\n# itu = {}\n# thickness = 0.2",
            in_quotes(name),
            in_quotes(name)
        )
        .expect(NEVER);
    }
    for name in unknown {
        writeln!(text, "\n# [materials.{}]           # or layers, or permittivity and conductivity\n# itu = \"concrete\"\n# thickness = 0.2", in_quotes(name)).expect(NEVER);
    }
    write!(
        text,
        "
[[tx]]
name = \"tx\"
position = [{tx_x}, {tx_y}, {tx_z}]          # {about}
power_dbm = 30
# antenna = \"tr38901\"                # a sector; or isotropic, dipole, the name of a pattern file
# azimuth_deg = 0                    # clockwise from north
# downtilt_deg = 5

[[rx]]                               # those inside of buildings are left out and counted
name = \"rx\"
grid = {{ min = [{x0}, {y0}], max = [{x1}, {y1}], spacing = {spacing}, height_above_ground = {HAND} }}
# file = \"rx.csv\"                    # or a table with columns name,x,y,z or longitude,latitude,height_above_ground

[paths]
max_reflections = 3
max_diffractions = 0                 # waves around corners and over roofs; each takes much longer
max_transmissions = {transmissions}                # walls that a path may pass, if they have a thickness
# max_scatterings = 1                # diffuse, of materials with `scattering`

[coverage]                           # for `keller coverage`
heights = [{HAND}]
height_above = \"ground\"
resolution = {cell}
# noise_dbm = -95                    # then there is a SINR too
",
        about = place.about,
        spacing = nice(place.size() / 15.0),
        cell = nice(place.size() / 80.0).max(MIN_CELL),
        transmissions = u8::from(place.is_room),
    )
    .expect(NEVER);
    text
}

/// Finer cells than this show nothing more at the frequencies of today, metres.
const MIN_CELL: f64 = 0.05;

const NEVER: &str = "writing to a String does not fail";

/// The places of devices in a scene that nobody has described.
struct Place {
    min: [f64; 2],
    max: [f64; 2],
    tx: DVec3,
    about: &'static str,
    is_room: bool,
}

impl Place {
    fn of(scene: &Scene) -> Self {
        /// A place under a roof that is larger than this is a town with a building in its middle.
        const ROOM: DVec3 = DVec3::new(150.0, 150.0, 15.0);
        /// The distance between a mast and the roofs, metres, and the part of a room above a transmitter.
        const ABOVE: f64 = 3.0;
        const BELOW: f64 = 0.2;
        let [low, high] = scene.bounds();
        let centre = 0.5 * (low + high);
        let ground = scene.ground(centre.truncate()).unwrap_or(low.z);
        let hand = centre.truncate().extend(ground + HAND);
        let top = hand.with_z(high.z + 1.0);
        let mut roofs = Vec::new();
        let is_known = scene.crossings(hand, top, &[], 64, &mut roofs).is_some();
        let ceiling = roofs.first().map(|roof| hand.z + roof.t * (top.z - hand.z));
        let is_small = (high - low).cmple(ROOM).all();
        let ceiling = ceiling.filter(|_| is_known && is_small);
        // The devices stand between the walls, and not on round numbers, where symmetric scenes have their edges.
        let inset = 0.04 * (high - low);
        let corner = |v: DVec3| [tidy(v.x), tidy(v.y)];
        let (tx, about) = match ceiling {
            Some(ceiling) => (
                hand.with_z(hand.z.max(ceiling - BELOW)),
                "under the ceiling",
            ),
            None => (hand.with_z(high.z + ABOVE), "above the highest roof"),
        };
        Self {
            min: corner(low + inset),
            max: corner(high - inset),
            tx: tx.to_array().map(tidy).into(),
            about,
            is_room: ceiling.is_some(),
        }
    }

    /// The longer side, metres.
    fn size(&self) -> f64 {
        let side = |k: usize| self.max[k] - self.min[k];
        side(0).max(side(1))
    }
}

/// A coordinate to the centimetre.
fn tidy(metres: f64) -> f64 {
    // The sum with zero avoids minus zero.
    (100.0 * metres).round() / 100.0 + 0.0
}

/// The largest of 1, 2 and 5 times a power of ten that is at most `length`, and at least a centimetre.
fn nice(length: f64) -> f64 {
    let power = 10.0_f64.powf(length.max(0.01).log10().floor());
    let steps = [5.0, 2.0, 1.0].map(|step| step * power);
    let found = steps
        .into_iter()
        .find(|step| *step <= length * (1.0 + 1e-9));
    tidy(found.unwrap_or(power))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round() {
        let steps = [0.0, 0.013, 0.7, 1.0, 4.9, 5.0, 26.6, 999.0];
        assert_eq!(
            steps.map(nice),
            [0.01, 0.01, 0.5, 1.0, 2.0, 5.0, 20.0, 500.0]
        );
    }
}
