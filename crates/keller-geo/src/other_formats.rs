//! Files of formats that keller does not read, and the command that makes one that it does.

use std::path::Path;

/// A kind of file that is refused.
struct Refused {
    extensions: &'static [&'static str],
    /// The format in words.
    what: &'static str,
    /// The way to convert it: `IN` is the file, `OUT` its name without the extension.
    way: Way,
}

enum Way {
    Command(&'static str),
    /// A sentence that goes on after "this is …: ".
    Words(&'static str),
}

use Way::{Command, Words};

static REFUSED: [Refused; 15] = [
    Refused {
        extensions: &["gml", "citygml"],
        what: "CityGML",
        way: Command("citygml-tools to-cityjson IN"),
    },
    Refused {
        extensions: &["kml", "kmz"],
        what: "KML",
        way: Command("ogr2ogr OUT.geojson IN"),
    },
    Refused {
        extensions: &["dxf"],
        what: "a drawing",
        way: Command("ogr2ogr -dim XY OUT.fgb IN"),
    },
    Refused {
        extensions: &["dwg"],
        what: "a drawing of AutoCAD",
        way: Words("save it as DXF there, then `ogr2ogr -dim XY OUT.fgb OUT.dxf`"),
    },
    Refused {
        extensions: &["ifc", "ifczip", "ifcxml"],
        what: "a building model (IFC)",
        way: Command("IfcConvert IN OUT.glb"),
    },
    Refused {
        extensions: &["zip", "7z", "rar", "tar", "tgz"],
        what: "an archive",
        way: Words("unpack it, and name the files in it (of a Shapefile the .shp)"),
    },
    Refused {
        extensions: &["gz", "bz2", "xz", "zst"],
        what: "a packed file",
        way: Words("unpack it first"),
    },
    Refused {
        extensions: &[
            "gdb",
            "mdb",
            "tab",
            "mif",
            "sqlite",
            "parquet",
            "geoparquet",
            "gpx",
            "pmtiles",
            "mbtiles",
        ],
        what: "a format of maps that keller does not read",
        way: Command("ogr2ogr OUT.gpkg IN"),
    },
    Refused {
        extensions: &["fbx", "dae", "3ds", "blend", "x3d", "lwo"],
        what: "a format of meshes that keller does not read",
        way: Command("assimp export IN OUT.glb"),
    },
    Refused {
        extensions: &[
            "skp", "max", "rvt", "3dm", "usd", "usdz", "usdc", "step", "stp", "iges",
        ],
        what: "a model of a program that keller does not know",
        way: Words("export it there as glTF (.glb)"),
    },
    Refused {
        extensions: &["las", "laz", "e57"],
        what: "a cloud of points",
        way: Words(
            "make a raster of it first, such as with `pdal translate IN OUT.tif --writer gdal --writers.gdal.resolution=1`",
        ),
    },
    Refused {
        extensions: &[
            "img", "vrt", "jp2", "bil", "flt", "dem", "grd", "nc", "dt1", "dt2",
        ],
        what: "a raster that keller does not read",
        way: Command("gdal_translate IN OUT.tif"),
    },
    Refused {
        extensions: &["trp", "tdd", "tmd"],
        what: "a log of TEMS",
        way: Words("export its positions and levels as CSV there"),
    },
    Refused {
        extensions: &["nmf", "nbl", "nmfs"],
        what: "a log of Nemo",
        way: Words("export its positions and levels as CSV there"),
    },
    Refused {
        extensions: &["xlsx", "xls", "ods"],
        what: "a spreadsheet",
        way: Words("save its table as CSV there"),
    },
];

/// The format of a file that is not read, and the way to one that is: `; this is KML: `ogr2ogr a.geojson a.kml` makes a
/// file that is read`. Empty for a name that says nothing.
///
/// ```
/// use keller_geo::other_formats::way_out;
/// let message = way_out("my city.kml".as_ref());
/// assert_eq!(message, "; this is KML: `ogr2ogr 'my city.geojson' 'my city.kml'` makes a file that is read");
/// assert_eq!(way_out("notes.txt".as_ref()), "");
/// ```
pub fn way_out(file: &Path) -> String {
    way_out_as(&extension_of(file), file)
}

/// The format of a file that is not read: `KML`. `None` for a name that says nothing.
pub fn name_of(file: &Path) -> Option<&'static str> {
    refused(&extension_of(file)).map(|refused| refused.what)
}

/// The result of [`way_out`] for a file whose content is that of another extension, in small letters.
pub fn way_out_as(extension: &str, file: &Path) -> String {
    let Some(refused) = refused(extension) else {
        return String::new();
    };
    let what = refused.what;
    match refused.way {
        Command(command) => {
            format!(
                "; this is {what}: `{}` makes a file that is read",
                with_names(command, file)
            )
        }
        Words(words) => format!("; this is {what}: {}", with_names(words, file)),
    }
}

fn refused(extension: &str) -> Option<&'static Refused> {
    let mut all = REFUSED.iter();
    all.find(|refused| refused.extensions.contains(&extension))
}

/// The extension in small letters; empty if there is none.
fn extension_of(file: &Path) -> String {
    let extension = file.extension().unwrap_or_default().to_string_lossy();
    extension.to_lowercase()
}

/// The file and the converted file in place of `IN` and `OUT`, as a shell takes them.
fn with_names(command: &str, file: &Path) -> String {
    let words = command.split(' ').map(|word| {
        let start = word.trim_start_matches('`');
        let marks = &word[..word.len() - start.len()];
        let name = if start == "IN" {
            file.to_owned()
        } else if let Some(extension) = start.strip_prefix("OUT.") {
            let end = extension.trim_end_matches('`');
            file.with_extension(end)
        } else {
            return word.to_owned();
        };
        let close = &start[start.trim_end_matches('`').len()..];
        format!("{marks}{}{close}", as_word(&name.display().to_string()))
    });
    words.collect::<Vec<_>>().join(" ")
}

/// A name as one word of a shell.
fn as_word(name: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "./_-+:@%,\\".contains(c);
    if name.chars().all(is_plain) {
        return name.to_owned();
    }
    format!("'{}'", name.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_have_the_names_of_the_file() {
        let message = |name: &str| way_out(Path::new(name));
        let command =
            "; this is CityGML: `citygml-tools to-cityjson maps/a.gml` makes a file that is read";
        assert_eq!(message("maps/a.gml"), command);
        let words = "; this is a drawing of AutoCAD: save it as DXF there, then `ogr2ogr -dim XY p.fgb p.dxf`";
        assert_eq!(message("p.DWG"), words);
        // A name is never a command.
        let quoted = "; this is a raster that keller does not read: `gdal_translate '$(a) it'\\''s.img' '$(a) it'\\''s.tif'` makes a file that is read";
        assert_eq!(message("$(a) it's.img"), quoted);
        assert_eq!(message("a"), "");
    }

    #[test]
    fn every_extension_has_one_way() {
        let all: Vec<&str> = REFUSED
            .iter()
            .flat_map(|refused| refused.extensions)
            .copied()
            .collect();
        for (index, extension) in all.iter().enumerate() {
            assert!(!all[..index].contains(extension), "{extension}");
        }
    }
}
