//! The files of each region, where there are several.

use std::path::PathBuf;

use crate::args::CoverageArgs;
use crate::failure::Failure;
use crate::files::with_name;

/// The arguments with the files of every region: of several, its name stands before the extension, `map-NAME.tif`.
///
/// `--json` would print several tables into each other, and is refused for several regions without a file.
pub(super) fn of_regions(
    args: &CoverageArgs,
    names: &[String],
) -> Result<Vec<CoverageArgs>, Failure> {
    if let [_] = names {
        return Ok(vec![args.clone()]);
    }
    if args.json && args.out.is_none() {
        let problem =
            "--json: the tables of several regions do not fit into one; name a file with -o";
        return Err(Failure::Input(problem.to_owned()));
    }
    let of_region = |name: &String| {
        let own = |file: &Option<PathBuf>| file.as_deref().map(|file| with_name(file, name));
        CoverageArgs {
            out: own(&args.out),
            picture: own(&args.picture),
            contours: own(&args.contours),
            glb: own(&args.glb),
            rays: own(&args.rays),
            ..args.clone()
        }
    };
    Ok(names.iter().map(of_region).collect())
}
