//! The files of each region, where there are several.

use std::path::{Path, PathBuf};

use crate::args::CoverageArgs;
use crate::failure::Failure;

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
            map: own(&args.map),
            contours: own(&args.contours),
            model: own(&args.model),
            rays: own(&args.rays),
            ..args.clone()
        }
    };
    Ok(names.iter().map(of_region).collect())
}

fn with_name(file: &Path, name: &str) -> PathBuf {
    let stem = file.file_stem().unwrap_or_default();
    let mut own = stem.to_owned();
    own.push("-");
    own.push(name);
    if let Some(extension) = file.extension() {
        own.push(".");
        own.push(extension);
    }
    file.with_file_name(own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_region_stands_before_the_extension() {
        let of = |file: &str| with_name(Path::new(file), "level.3");
        assert_eq!(of("maps/city.tif"), Path::new("maps/city-level.3.tif"));
        assert_eq!(of("a.b.zarr"), Path::new("a.b-level.3.zarr"));
        assert_eq!(of("city"), Path::new("city-level.3"));
    }
}
