//! Several regions in one run, some of them turned: every file says where its cells lie.

use crate::common::{Folder, python};
use crate::maps::{ORIGIN, SCENARIO, folder, keller, rows};

/// The degrees of the second region.
const TURN: f64 = 33.5;

/// The region of the other tests, and one of its own in the yard.
fn two_regions(test: &str) -> Folder {
    let folder = folder(test);
    let (others, first) = SCENARIO.split_once("[coverage]").unwrap();
    let text = format!(
        "{others}[[coverage]]{first}[[coverage]]\nname = \"yard\"\nmin = [-3, -9]\nmax = [9, -2]\nrotation_deg = {TURN}\n\
         resolution = [1.5, 1]\nheights = [1.5, 4]\nheight_above = \"ground\"\nnoise_dbm = -90\npath_loss_limit_db = 65\n"
    );
    folder.write("c.toml", &text);
    folder
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-6
}

#[test]
fn each_region_has_files_of_its_own_with_its_cells_where_they_lie() {
    let folder = two_regions("regions");
    let told = keller(&folder, "coverage c.toml -o c.csv --picture c.png");
    assert!(told.contains("region 2 of 2: yard"), "{told}");
    assert!(told.contains("1: 144 cells, 1 Tx"), "{told}");
    assert!(told.contains("yard: 112 cells, 1 Tx"), "{told}");
    // Each table has its region's name if there is no file.
    let printed = folder.keller(&["coverage", "c.toml"]).stdout;
    let tables: Vec<&str> = printed
        .lines()
        .filter(|l| l.starts_with("region "))
        .collect();
    assert_eq!(tables, ["region 1", "region yard"], "{printed}");
    assert!(
        ["c-1.csv", "c-yard.csv", "c-1.png", "c-yard.png"]
            .iter()
            .all(|name| { folder.names().iter().any(|own| own == name) })
    );
    // The first region has the same result alone.
    let alone = folder
        .read("c.toml")
        .replace("[[coverage]]\nmin = [-24", "[coverage]\nmin = [-24");
    let (alone, _) = alone.split_once("[[coverage]]").unwrap();
    folder.write("a.toml", alone);
    keller(&folder, "coverage a.toml -o a.csv");
    assert_eq!(folder.read("a.csv"), folder.read("c-1.csv"));
    // Cells of the second lie on its own rows and columns.
    let (sin, cos) = TURN.to_radians().sin_cos();
    let of_yard = rows(&folder, "c-yard.csv");
    assert!(of_yard.len() > 100, "{} rows", of_yard.len());
    for row in &of_yard {
        let (x, y) = (row("x") + 3.0, row("y") + 9.0);
        let own = [(cos * x + sin * y) / 1.5, cos * y - sin * x];
        assert!(own.iter().all(|at| close(at.fract(), 0.5)), "{own:?}");
        assert!(own[0] > 0.0 && own[0] < 8.0 && own[1] > 0.0 && own[1] < 7.0);
    }
    // Measurements at the cells find themselves in the arrays.
    keller(&folder, "coverage c.toml -o c.npz");
    let picked: Vec<String> = of_yard
        .iter()
        .step_by(7)
        .map(|row| {
            format!(
                "{},{},{},{}",
                row("x"),
                row("y"),
                row("z"),
                row("path_gain_db")
            )
        })
        .collect();
    folder.write(
        "m.csv",
        &format!("x,y,z,path_gain_db\n{}\n", picked.join("\n")),
    );
    keller(
        &folder,
        "compare c.toml m.csv --coverage c-yard.npz -o e.json",
    );
    let figures: serde_json::Value = serde_json::from_str(&folder.read("e.json")).unwrap();
    let text = figures.to_string();
    assert!(
        text.contains(&format!("\"count\":{}", picked.len())),
        "{text}"
    );
}

#[test]
fn gdal_and_xarray_find_the_cells_of_a_turned_region() {
    let folder = two_regions("regions-readers");
    keller(&folder, "coverage c.toml -o c.csv");
    keller(&folder, "coverage c.toml -o c.tif --contours c.geojson");
    keller(&folder, "coverage c.toml -o c.zarr");
    if folder.has_reader("gdal", "gdalinfo --version") {
        let mut found = 0;
        for row in rows(&folder, "c-yard.csv").iter().step_by(5) {
            // The first band has the first height.
            if !close(row("z"), 3.5) {
                continue;
            }
            let (east, north) = (ORIGIN[0] + row("x"), ORIGIN[1] + row("y"));
            let line = format!("gdallocationinfo -valonly -b 1 -geoloc c-yard.tif {east} {north}");
            let value: f64 = folder.must(&line).trim().parse().unwrap();
            assert!((value - row("path_gain_db")).abs() < 1e-4, "{value}");
            found += 1;
        }
        assert!(found > 5, "{found} cells");
        let info = folder.must("ogrinfo -al -so c-yard.geojson");
        assert!(info.contains("Multi Polygon"), "{info}");
    }
    let python = python();
    if folder.has_reader("xarray", &format!("{python} -c 'import xarray, zarr'")) {
        folder.write("read.py", READ);
        folder.must(&format!("{python} read.py"));
    }
}

const READ: &str = r#"
import csv, numpy, xarray
store = xarray.open_zarr("c-yard.zarr")
gain = store.path_gain_db
assert gain.dims == ("tx", "z", "y", "x") and gain.shape == (1, 2, 7, 8), gain.shape
assert {"scene_x", "scene_y", "easting", "northing"} <= set(gain.coords), gain.coords
assert store.easting.dims == ("y", "x")
numpy.testing.assert_allclose(store.easting - store.scene_x, 691000)
cos, sin = store.x_axis.values
numpy.testing.assert_allclose(numpy.degrees(numpy.arctan2(sin, cos)), 33.5)
x, y = numpy.meshgrid(store.x, store.y)
numpy.testing.assert_allclose(store.scene_x, -3 + cos * x - sin * y)
numpy.testing.assert_allclose(store.scene_y, -9 + sin * x + cos * y)
rows = list(csv.DictReader(open("c-yard.csv")))
for row in rows:
    away = numpy.hypot(store.scene_x - float(row["x"]), store.scene_y - float(row["y"]))
    j, i = numpy.unravel_index(away.values.argmin(), away.shape)
    assert away[j, i] < 1e-6
    there = gain.sel(tx=0, z=float(row["z"]) - 2)[j, i]
    assert float(there) == numpy.float32(row["path_gain_db"]), row
"#;

#[test]
fn what_regions_cannot_share_is_refused() {
    let folder = two_regions("regions-wrong");
    let run = folder.keller(&["coverage", "c.toml", "--json"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("name a file with -o"), "{}", run.stderr);
    // The first region stays where the second cannot be kept.
    folder.must("mkdir c-yard.csv.part");
    let run = folder.keller(&["coverage", "c.toml", "-o", "c.csv"]);
    assert_ne!(run.code, Some(0));
    assert!(run.stderr.contains("c-yard.csv.part"), "{}", run.stderr);
    assert!(folder.names().contains(&"c-1.csv".to_owned()));
    assert!(!folder.names().contains(&"c-yard.csv".to_owned()));
}
