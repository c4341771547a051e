//! The files that a coverage goes to.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use keller_io::formats::{OutputError, OutputFile, OutputFolder};
use keller_io::reports::coverage::{CoverageMap, Figures, KmzOptions, PicturedLayer};
use keller_io::reports::plot::{BELOW_LIMIT, CoveragePlot, NO_POWER, Slice};
use keller_io::reports::table::{Table, TableFile};
use keller_run::{Job, cells_in_buildings};

use crate::args::{CoverageArgs, LayerArg};
use crate::failure::Failure;
use crate::pictures::{Picture, name_of, picture};

/// The requested outputs, opened.
pub(super) struct Outputs<'a> {
    target: Target,
    /// A layer as a picture.
    map: Option<Picture>,
    /// The name of that picture if it is a PNG, which can have a world file.
    png: Option<PathBuf>,
    /// A layer on the globe.
    kmz: Option<OutputFile>,
    layer: PicturedLayer,
    title: Option<&'a str>,
    /// The layer as contours and in the scene.
    contours: Option<OutputFile>,
    levels: &'a [f64],
    model: Option<OutputFile>,
    /// The first of the files that other programs place on the earth.
    needs_place: Option<PathBuf>,
}

/// The destination of the result.
enum Target {
    /// A few numbers for people.
    Text,
    /// One row a cell and Tx, as JSON to standard output.
    Printed,
    /// The rows as a file.
    Table(TableFile),
    /// Arrays.
    Npz(OutputFile),
    /// Arrays as a folder that opens piece by piece.
    Zarr(OutputFolder),
    /// Arrays as a raster on the earth.
    GeoTiff(OutputFile),
    /// One of the maps below.
    Map,
}

impl<'a> Outputs<'a> {
    /// Opens everything that `args` ask for.
    pub(super) fn open(args: &'a CoverageArgs) -> Result<Self, Failure> {
        let target = match &args.out {
            Some(out) => target(out)?,
            None if args.json => Target::Printed,
            None => Target::Text,
        };
        // Maps may be asked for by their own names, or by the extension of OUT.
        let map = either(
            args,
            args.picture.as_deref(),
            "--picture",
            &["svg", "png", "kmz"],
        )?;
        let contours = either(args, args.contours.as_deref(), "--contours", &["geojson"])?;
        let model = either(args, args.glb.as_deref(), "--glb", &["glb"])?;
        if contours.is_none() && !args.levels.is_empty() {
            let problem = "--levels: nothing has them; give --contours OUT.geojson beside them";
            return Err(Failure::Input(problem.to_owned()));
        }
        if args.layer == Some(LayerArg::Server) && !args.levels.is_empty() {
            let problem = "--levels: --layer server has none, its contours run around the cells of each Tx; leave out one of the two";
            return Err(Failure::Input(problem.to_owned()));
        }
        let shown = [map, contours, model];
        if args.layer.is_some() && shown.iter().all(Option::is_none) {
            let problem = "--layer: nothing shows it; give --picture OUT.svg or OUT.png, --contours OUT.geojson or --glb OUT.glb beside it";
            return Err(Failure::Input(problem.to_owned()));
        }
        check_title(args, map)?;
        let is_kmz = map.is_some_and(|map| extension(map) == "kmz");
        let is_raster = matches!(target, Target::GeoTiff(_));
        let raster = args.out.as_deref().filter(|_| is_raster);
        Ok(Self {
            target,
            map: picture(map.filter(|_| !is_kmz))?,
            png: map
                .filter(|map| extension(map) == "png")
                .map(Path::to_owned),
            kmz: file(map.filter(|_| is_kmz), "kmz", "maps on the globe are KMZ")?,
            layer: args.layer.map_or(PicturedLayer::Gain, Into::into),
            title: args.title.as_deref(),
            contours: file(contours, "geojson", "contours are GeoJSON")?,
            levels: &args.levels,
            model: file(model, "glb", "models are GLB")?,
            needs_place: raster.or(contours).map(Path::to_owned),
        })
    }

    /// Whether the result is for people to read.
    pub(super) fn is_text(&self) -> bool {
        matches!(self.target, Target::Text)
    }

    /// Whether a map goes onto the globe.
    pub(super) fn has_kmz(&self) -> bool {
        self.kmz.is_some()
    }

    /// A file that says less where it is not known where on earth the scene lies.
    pub(super) fn needs_place(&self) -> Option<&Path> {
        self.needs_place.as_deref()
    }

    /// Fills all files.
    pub(super) fn write(
        self,
        stdout: &mut impl Write,
        job: &Job,
        result: &CoverageMap<'_>,
    ) -> Result<(), Failure> {
        let about = &job.about();
        match self.target {
            Target::Text | Target::Map => {}
            Target::Printed if result.figures == Figures::Multipath => {
                result.write_multipath_rows(Table::json(stdout, "standard output", about)?)?;
            }
            Target::Printed => result.write_rows(Table::json(stdout, "standard output", about)?)?,
            Target::Table(file) if result.figures == Figures::Multipath => {
                result.write_multipath_rows(file.begin(about)?)?;
            }
            Target::Table(file) => result.write_rows(file.begin(about)?)?,
            Target::Npz(file) => result.write_npz(file, about)?,
            Target::Zarr(folder) => result.write_zarr(folder, about)?,
            Target::GeoTiff(file) => result.write_geotiff(file, about)?,
        }
        if let Some(file) = self.map {
            let drawing = drawing(job, result, self.layer, self.title);
            let drawing = drawing.map_err(super::unreadable)?;
            file.write(&drawing.svg())?;
            if let (Some(png), Some(frame)) = (self.png, result.frame)
                && let Some(world) = drawing.world_file(frame.origin().truncate())
            {
                let file = OutputFile::create(&png.with_extension("pgw"))?;
                file.write(|writer| writer.write_all(world.as_bytes()))?;
            }
        }
        if let Some(file) = self.kmz {
            let buildings = all_buildings(job, result).map_err(super::unreadable)?;
            let options = KmzOptions {
                title: &title(job, result, self.layer, self.title),
                nothing: nothing(result),
                buildings: &buildings,
            };
            result.write_kmz(file, self.layer, &options)?;
        }
        if let Some(file) = self.contours {
            result.write_contours(file, about, self.layer, self.levels)?;
        }
        if let Some(file) = self.model {
            result.write_model(file, job.world.scene(), job.world.materials(), self.layer)?;
        }
        Ok(())
    }
}

/// The file `out`, opened.
fn target(out: &Path) -> Result<Target, Failure> {
    let extension = extension(out);
    match extension.as_str() {
        "npz" => OutputFile::create(out).map(Target::Npz),
        "zarr" => OutputFolder::create(out).map(Target::Zarr),
        "tif" | "tiff" => OutputFile::create(out).map(Target::GeoTiff),
        "csv" | "json" | "parquet" => TableFile::create(out).map(Target::Table),
        "svg" | "png" | "kmz" | "geojson" | "glb" => Ok(Target::Map),
        _ => return Err(Failure::Input(format!(
            "{}: no format for the extension .{extension}; accepted: a name that ends in .csv, .parquet, .json, .npz, .zarr, .tif, .png, .svg, .kmz, .geojson or .glb",
            out.display()
        ))),
    }
    .map_err(bad_place)
}

/// Refuses a title without a map.
pub(super) fn check_title(args: &CoverageArgs, map: Option<&Path>) -> Result<(), Failure> {
    if args.title.is_some() && map.is_none() {
        let problem = "--title: nothing shows it; give --picture OUT.svg or OUT.png beside it";
        return Err(Failure::Input(problem.to_owned()));
    }
    Ok(())
}

/// The file that an option names, or OUT if that has such an extension.
pub(super) fn either<'a>(
    args: &'a CoverageArgs,
    named: Option<&'a Path>,
    option: &str,
    extensions: &[&str],
) -> Result<Option<&'a Path>, Failure> {
    let out = args.out.as_deref();
    let out = out.filter(|out| extensions.contains(&extension(out).as_str()));
    match (named, out) {
        (Some(named), Some(out)) => Err(Failure::Input(format!(
            "{} and {option} {}: they ask for the same; give one of them",
            out.display(),
            named.display()
        ))),
        (named, out) => Ok(named.or(out)),
    }
}

pub(super) fn extension(name: &Path) -> String {
    let extension = name.extension().unwrap_or_default();
    extension.to_string_lossy().to_lowercase()
}

/// The file `name`, opened, if one is wanted; `what` says which kind it must be.
pub(super) fn file(
    name: Option<&Path>,
    extension: &str,
    what: &str,
) -> Result<Option<OutputFile>, Failure> {
    let Some(name) = name else {
        return Ok(None);
    };
    let own = name.extension();
    if !own.is_some_and(|own| own.eq_ignore_ascii_case(extension)) {
        return Err(Failure::Input(format!(
            "{}: {what}; accepted: a name that ends in .{extension}",
            name.display()
        )));
    }
    OutputFile::create(name).map(Some).map_err(bad_place)
}

#[expect(clippy::needless_pass_by_value, reason = "it is for `map_err`")]
pub(super) fn bad_place(error: OutputError) -> Failure {
    Failure::Input(error.to_string())
}

/// Levels that a picture of a volume shows.
const MAX_SLICES: usize = 6;

/// A layer at all heights, or at some from the lowest to the highest.
fn drawing<'a>(
    job: &'a Job,
    result: &CoverageMap<'a>,
    layer: PicturedLayer,
    given: Option<&str>,
) -> io::Result<CoveragePlot<'a>> {
    let region = result.region;
    let heights = region.levels.heights().len();
    let count = heights.min(MAX_SLICES);
    let slices = (0..count)
        .map(|k| {
            let level = k * (heights - 1) / (count - 1).max(1);
            let values = result.pictured(layer, level)?;
            let scene = job.world.scene();
            Ok(Slice {
                title: result.height_name(level),
                buildings: cells_in_buildings(scene, region, result.ground, level, &values),
                values,
            })
        })
        .collect::<io::Result<Vec<_>>>()?;
    Ok(CoveragePlot {
        title: title(job, result, layer, given),
        quantity: layer.quantity(),
        nothing: nothing(result),
        scene: job.world.scene(),
        tx: job.plot_tx(),
        marks: Vec::new(),
        region,
        slices,
    })
}

/// The title above a map.
fn title(job: &Job, result: &CoverageMap<'_>, layer: PicturedLayer, given: Option<&str>) -> String {
    let own = || {
        let (name, layer) = (name_of(&job.scenario), layer.title(result.tx.len()));
        let height = match result.region.levels.heights() {
            [_] => format!(", {}", result.height_name(0)),
            _ => String::new(),
        };
        let ghz = job.scenario.frequency.ghz();
        format!("{name}: {layer}; {ghz} GHz{height}")
    };
    given.map_or_else(own, str::to_owned)
}

/// The words of the legend for cells without a value.
fn nothing(result: &CoverageMap<'_>) -> &'static str {
    if result.min_gain > 0.0 {
        BELOW_LIMIT
    } else {
        NO_POWER
    }
}

/// The cells of every level that lie in buildings without power.
fn all_buildings(job: &Job, result: &CoverageMap<'_>) -> io::Result<Vec<Vec<bool>>> {
    let (scene, region) = (job.world.scene(), result.region);
    let of_level = |level: usize| {
        let values = result.strongest_gain_db(level)?;
        Ok(cells_in_buildings(
            scene,
            region,
            result.ground,
            level,
            &values,
        ))
    };
    (0..region.levels.heights().len()).map(of_level).collect()
}
