//! Checks keller on real data. The data is not part of the repository: this program takes its place as an argument, and
//! fails if it is not there.
//!
//! ```text
//! keller-validation room DATA                         the L-shaped room of 200 time steps
//! keller-validation room-uwb DATA [FOLDER]              measured channels of an office from 1 to 9 GHz, as files of keller compare
//! keller-validation city SCENE.xml RX.csv [REF.jsonl]  a city: one answer however it is asked, recall, a peer's paths contained
//! keller-validation edges SCENE.xml RX.csv [REF.jsonl] diffraction in a city: recall and power of each search
//! keller-validation large SCENE.xml                    the city with every triangle cut until there are five million
//! keller-validation built BLOCKS SIDE CUTS              a town from code: what it costs to build the scene, and to read it as kept
//! keller-validation rooftops SCENARIO.toml              chains over rooftops: time, and error against the exact twin
//! keller-validation places DATA [PICTURES]              buildings and terrain of real places become scenes
//! keller-validation tubes DATA [--scene NAME]           coverage by tubes against exact paths to 2 000 cells of a city
//! keller-validation ladder DATA [--scene NAME]          the same from launched rays to split tubes, step by step
//! keller-validation scale DATA [--scene NAME]           what tubes cost against resolution, reflections and transmitters
//! keller-validation replay DATA [--scene NAME]          one trace for the antennas of a mast, and replays with others
//! keller-validation plane DATA [--peer MAP.npz]         a plane over munich's ground, against a peer's radio map of it
//! keller-validation thesis SCENE [--ladder|--threshold] coarse paths over tiles: the rows of Vaara's outdoor tables
//! keller-validation visibility SCENE SIDE...            what tiles see: time, bytes and memory against the number of tiles
//! keller-validation surfaces SCENE                      the field on all surfaces: the speed experiment of Lu et al.
//! keller-validation surfaces SCENE --whole SIDE[@WIDTH][:BOUNCES,R,D,S[,complete|,exact=N]|:exact|:sampled]...  the field on all surfaces of a whole city, against exact paths
//! keller-validation beams DATA [MAPS]                   street-level maps of COST 231 Munich: maps a second, exactness
//! keller-validation beams DATA --parts                  the same with a quarter, a half and all of the buildings
//! keller-validation beams-taught DATA SCENE [NUM_TX]    beams taught by tubes in the west of a city, evaluated in its east
//! keller-validation beams-taught DATA --defaults        losses of corners and roofs that suit two cities
//! keller-validation fingerprint DATA                   devices in COST 231 Munich located by what they hear of several masts
//! keller-validation auckland DATA [FOLDER]              measured levels in an office tower: zero fit, calibrated, and simple laws
//! keller-validation auckland DATA --outdoors [FOLDER]   its links from outdoors to indoors by themselves
//! keller-validation entry-loss [PICTURES]               building entry loss of a made-up building against ITU-R P.2109
//! keller-validation calibration DATA [PICTURES]         hidden materials of a city come back, and what it costs
//! keller-validation inside-out DATA SCENE [NAME [FOLDER]]  streets and storeys by tubes against exact paths, from either side of a facade
//! keller-validation lab NAME [...]                      an experiment of the literature against keller
//! keller-validation gpu SCENE.xml [--gpu NAME] [--record FILE] [--peer PYTHON]  a graphics card against the processor: bits, rays a second, runs
//! keller-validation street                             gain along a street with and without diffuse scattering
//! ```

#![allow(clippy::print_stdout, reason = "a report is what it is for")]

mod auckland;
mod beams;
mod beams_taught;
mod built;
mod calibration;
mod city;
mod edges;
mod entry_loss;
mod fingerprint;
mod geometry;
mod gpu;
mod inside_out;
mod lab;
mod large;
mod machine;
mod places;
mod progress;
mod rooftops;
mod room;
mod tiles;
mod tubes;
mod uwb;

use std::path::Path;

use anyhow::{Context as _, Result, bail};

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["room", data] => room::check(Path::new(data)),
        ["room-uwb", data] => uwb::check(Path::new(data), None),
        ["room-uwb", data, folder] => uwb::check(Path::new(data), Some(Path::new(folder))),
        ["city", scene, rx] => city::check(Path::new(scene), Path::new(rx), None),
        ["city", scene, rx, reference] => {
            city::check(Path::new(scene), Path::new(rx), Some(Path::new(reference)))
        }
        ["edges", scene, rx] => edges::check(Path::new(scene), Path::new(rx), None),
        ["edges", scene, rx, reference] => {
            edges::check(Path::new(scene), Path::new(rx), Some(Path::new(reference)))
        }
        ["calibration", data] => calibration::check(Path::new(data), None),
        ["calibration", data, pictures] => {
            calibration::check(Path::new(data), Some(Path::new(pictures)))
        }
        ["beams", data] => beams::check(Path::new(data), None),
        ["beams", data, "--parts"] => beams::scale(Path::new(data)),
        ["beams", data, maps] => beams::check(Path::new(data), Some(maps)),
        ["beams-taught", data, "--defaults"] => {
            beams_taught::defaults(Path::new(data), beams_taught::NUM_TX)
        }
        ["beams-taught", data, scene] => {
            beams_taught::check(scene, Path::new(data), beams_taught::NUM_TX)
        }
        ["beams-taught", data, scene, num_tx] => {
            let num_tx = num_tx.parse().context("the number of Tx in each half")?;
            beams_taught::check(scene, Path::new(data), num_tx)
        }
        ["fingerprint", data] => fingerprint::check(Path::new(data)),
        ["gpu", ref rest @ ..] => gpu::check(rest),
        ["places", data] => places::check(Path::new(data), None),
        ["places", data, pictures] => places::check(Path::new(data), Some(Path::new(pictures))),
        ["rooftops", scenario] => rooftops::check(Path::new(scenario)),
        ["tubes", data] => tubes::check(Path::new(data), None),
        ["tubes", data, "--scene", name] => tubes::check(Path::new(data), Some(name)),
        ["ladder", data] => tubes::ladder(Path::new(data), None),
        ["ladder", data, "--scene", name] => tubes::ladder(Path::new(data), Some(name)),
        ["scale", data] => tubes::scale(Path::new(data), None),
        ["scale", data, "--scene", name] => tubes::scale(Path::new(data), Some(name)),
        ["replay", data] => tubes::replay(Path::new(data), None),
        ["replay", data, "--scene", name] => tubes::replay(Path::new(data), Some(name)),
        ["plane", data] => tubes::plane(Path::new(data), None),
        ["plane", data, "--peer", map] => tubes::plane(Path::new(data), Some(Path::new(map))),
        ["thesis", scene] => tiles::thesis(Path::new(scene), tiles::Report::Rows),
        ["thesis", scene, "--ladder"] => tiles::thesis(Path::new(scene), tiles::Report::Ladder),
        ["thesis", scene, "--threshold"] => {
            tiles::thesis(Path::new(scene), tiles::Report::Threshold)
        }
        ["surfaces", scene] => tiles::surfaces(Path::new(scene)),
        ["surfaces", scene, "--whole", ref sides @ ..] => {
            tiles::whole_city(Path::new(scene), sides, None)
        }
        [
            "surfaces",
            scene,
            "--kept-in",
            folder,
            "--whole",
            ref sides @ ..,
        ] => tiles::whole_city(Path::new(scene), sides, Some(Path::new(folder))),
        ["visibility", scene, ref sides @ ..] => tiles::visibility(Path::new(scene), sides),
        ["auckland", data] => auckland::check(Path::new(data), None),
        ["auckland", data, "--outdoors"] => auckland::check_outdoors(Path::new(data), None),
        ["auckland", data, "--outdoors", folder] => {
            auckland::check_outdoors(Path::new(data), Some(Path::new(folder)))
        }
        ["auckland", data, folder] => auckland::check(Path::new(data), Some(Path::new(folder))),
        ["entry-loss"] => entry_loss::check(None),
        ["entry-loss", pictures] => entry_loss::check(Some(Path::new(pictures))),
        ["inside-out", data, scene] => {
            inside_out::check(Path::new(data), Path::new(scene), None, None)
        }
        ["inside-out", data, scene, name] => {
            inside_out::check(Path::new(data), Path::new(scene), Some(name), None)
        }
        ["inside-out", data, scene, name, folder] => {
            let folder = Some(Path::new(folder));
            inside_out::check(Path::new(data), Path::new(scene), Some(name), folder)
        }
        ["street"] => tiles::street(),
        ["built", blocks, side, cuts] => {
            built::check(blocks.parse()?, side.parse()?, cuts.parse()?)
        }
        ["lab", ref arguments @ ..] => lab::check(arguments),
        ["large", scene] => large::check(Path::new(scene)),
        _ => bail!(
            "usage: keller-validation room DATA | room-uwb DATA [FOLDER] | auckland DATA [--outdoors] [FOLDER] | city SCENE.xml RX.csv [REFERENCE.jsonl] | edges SCENE.xml RX.csv [REFERENCE.jsonl] | large SCENE.xml | built BLOCKS SIDE CUTS | thesis SCENE [--ladder|--threshold] | visibility SCENE SIDE... | surfaces SCENE [[--kept-in FOLDER] --whole SIDE[@WIDTH][:BOUNCES,R,D,S[,exact=N]|:exact|:sampled]...] | inside-out DATA SCENE [NAME [FOLDER]] | lab NAME [...] | street | entry-loss [PICTURES] | calibration DATA [PICTURES] | places DATA [PICTURES] | tubes | ladder | scale | replay DATA [--scene NAME] | plane DATA [--peer MAP.npz]"
        ),
    }
}
