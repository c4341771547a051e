//! `engine = "surfaces"`: the power on surfaces, in files.

use crate::common::{Folder, SCENARIO};

fn scenario(more: &str) -> String {
    let head = SCENARIO.replace("[[rx]]\nposition = [4, 0, 3]\n", "");
    let head = head.replace("search = \"exhaustive\"", "max_interactions = 1");
    format!("{head}[tiles]\nside = 1\n[coverage]\nengine = \"surfaces\"\n{more}")
}

#[test]
fn surfaces_go_to_tables_arrays_pictures_and_models() {
    let folder = Folder::new("surfaces");
    folder.write("s.toml", &scenario(""));
    let args = [
        "coverage",
        "s.toml",
        "-o",
        "s.csv",
        "--picture",
        "s.png",
        "--glb",
        "s.glb",
    ];
    let run = folder.keller(&args);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let text = folder.read("s.csv");
    let names: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    let place = |name: &str| names.iter().position(|n| *n == name).unwrap();
    let mut count = 0;
    for line in text.lines().skip(1) {
        let values: Vec<&str> = line.split(',').collect();
        let value = |name: &str| values[place(name)].parse::<f64>().unwrap();
        if value("num_paths") == 1.0 && value("line_of_sight") == 1.0 {
            // Free space, by the delay alone.
            let distance = value("strongest_delay_s") * 299_792_458.0;
            let free = 0.085_654_988 / (4.0 * std::f64::consts::PI * distance);
            let error = value("path_gain_db") - 20.0 * free.log10();
            assert!(error.abs() < 1e-3, "{line}: {error}");
            count += 1;
        }
    }
    assert!(count > 10, "{text}");
    let is_model = folder.keller(&["scene", "s.glb"]);
    assert_eq!(is_model.code, Some(0), "{}", is_model.stderr);
    assert!(folder.read_bytes("s.png").starts_with(b"\x89PNG"));
    let run = folder.keller(&["coverage", "s.toml", "-o", "s.npz"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let run = folder.keller(&["coverage", "s.toml"]);
    assert!(run.stdout.contains("tiles reached"), "{}", run.stdout);
    // Paths of one interaction are all found.
    assert!(run.stdout.contains("% missing"), "{}", run.stdout);
    let run = folder.keller(&["coverage", "s.toml", "-o", "s.csv", "--json"]);
    assert!(
        run.stdout.contains("\"missing_share\": 0.0"),
        "{}",
        run.stdout
    );
}

/// The gain of the sides of tiles is the sum of the rays that are listed.
#[test]
fn rays_of_every_tile_add_up_to_its_gain() {
    let folder = Folder::new("surfaces-rays");
    // A wall on a ground: each reflects incident waves to the other.
    let corner = "usemtl concrete\nv -6 -6 0\nv 6 -6 0\nv 6 6 0\nv -6 6 0\nv 6 -6 9\nv 6 6 9\nf 1 2 3 4\nf 2 3 6 5\n";
    folder.write("square.obj", corner);
    folder.write("s.toml", &scenario(""));
    let args = ["coverage", "s.toml", "-o", "s.csv", "--rays", "rays.csv"];
    let run = folder.keller(&args);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let sums = |name: &str, column: &str| {
        let text = folder.read(name);
        let names: Vec<&str> = text.lines().next().unwrap().split(',').collect();
        let place = |name: &str| names.iter().position(|n| *n == name).unwrap();
        let mut sums = std::collections::BTreeMap::new();
        for line in text.lines().skip(1) {
            let values: Vec<&str> = line.split(',').collect();
            let gain_db: f64 = values[place(column)].parse().unwrap();
            let key = [values[place("tile")], values[place("side")]].join(" ");
            let sum: &mut (f64, u32) = sums.entry(key).or_default();
            sum.0 += 10.0_f64.powf(0.1 * gain_db);
            sum.1 += 1;
        }
        sums
    };
    let (tiles, rays) = (sums("s.csv", "path_gain_db"), sums("rays.csv", "gain_db"));
    assert_eq!(tiles.len(), rays.len());
    assert!(rays.values().any(|(_, count)| *count > 1), "{rays:?}");
    for (key, (gain, _)) in &tiles {
        let sum = rays[key].0;
        assert!((sum / gain - 1.0).abs() < 1e-9, "{key}: {sum} {gain}");
    }
    // Cells have none.
    let points = scenario("resolution = 1\n").replace("engine = \"surfaces\"", "");
    folder.write("points.toml", &points);
    let run = folder.keller(&["coverage", "points.toml", "--rays", "rays.csv"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stderr.contains("--rays"), "{}", run.stderr);
}

#[test]
fn what_tiles_see_may_come_from_a_file() {
    let folder = Folder::new("surfaces-seen");
    folder.write("s.toml", &scenario(""));
    let run = folder.keller(&["coverage", "s.toml", "-o", "memory.csv"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let run = folder.keller(&["visibility", "s.toml", "--tile", "1", "-o", "s.vis"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let from_file = |side: u32| {
        let with_file = format!("[tiles]\nvisibility = \"s.vis\"\nside = {side}\n");
        let text = scenario("").replace("[tiles]\nside = 1\n", &with_file);
        folder.write("f.toml", &text);
        folder.keller(&["coverage", "f.toml", "-o", "file.csv"])
    };
    let run = from_file(1);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(folder.read("file.csv"), folder.read("memory.csv"));
    // A file of other tiles is refused.
    let run = from_file(2);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
}

#[test]
fn what_is_about_cells_is_refused() {
    let folder = Folder::new("surfaces-bad");
    folder.write("s.toml", &scenario(""));
    for (args, expected) in [
        (vec!["-o", "s.tif"], "no format of surfaces"),
        (vec!["--picture", "s.svg"], "as PNG"),
        (vec!["--resume"], "--resume: without a file to write"),
        (
            vec!["--contours", "s.geojson"],
            "--contours: it is about cells",
        ),
    ] {
        let run = folder.keller(&[&["coverage", "s.toml"][..], &args].concat());
        assert_eq!(run.code, Some(2), "{args:?}");
        assert!(run.stderr.contains(expected), "{args:?}: {}", run.stderr);
    }
    folder.write("s.toml", &scenario("heights = [1.5]\n"));
    let run = folder.keller(&["coverage", "s.toml"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("heights"), "{}", run.stderr);
}

/// A house on a ground, and the Tx next to it.
fn house(folder: &Folder) {
    let house = "usemtl concrete\nv -9 -9 0\nv 9 -9 0\nv 9 9 0\nv -9 9 0\nv -1 -1 0\nv 2 -1 0\nv 2 2 0\nv -1 2 0\nv -1 -1 5\nv 2 -1 5\nv 2 2 5\nv -1 2 5\nf 1 2 3 4\nf 5 6 10 9\nf 6 7 11 10\nf 7 8 12 11\nf 8 5 9 12\nf 9 10 11 12\n";
    folder.write("square.obj", house);
}

/// A coverage with a diffraction and a reflection, of which paths of one interaction are found one by one.
fn sampled(exact: &str) -> String {
    let paths = "max_interactions = 2\nmax_diffractions = 1\n";
    let scenario = scenario("").replace("max_interactions = 1\n", paths);
    scenario.replace("[tiles]\n", &format!("[tiles]\nsample_beyond = {exact}\n"))
}

/// The gain of a side is that of the listed paths and of the sampled ones.
#[test]
fn long_paths_are_sampled_if_that_is_asked_for() {
    let folder = Folder::new("surfaces-sampled");
    house(&folder);
    folder.write("s.toml", &sampled("1"));
    let args = ["coverage", "s.toml", "-o", "s.csv", "--rays", "rays.csv"];
    let run = folder.keller(&args);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let rows = |name: &str, columns: [&str; 4]| {
        let text = folder.read(name);
        let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned));
        let names: Vec<String> = lines.next().unwrap().collect();
        let places = columns.map(|column| names.iter().position(|name| name == column).unwrap());
        let row = |line: Vec<String>| places.map(|place| line[place].clone());
        lines.map(|line| row(line.collect())).collect::<Vec<_>>()
    };
    let linear = |db: &str| db.parse::<f64>().map_or(0.0, |db| 10_f64.powf(db / 10.0));
    let mut of_paths = std::collections::BTreeMap::new();
    for [tile, side, gain, types] in rows("rays.csv", ["tile", "side", "gain_db", "types"]) {
        assert!(!(types.contains('D') && types.contains('R')), "{types}");
        *of_paths.entry((tile, side)).or_insert(0.0) += linear(&gain);
    }
    let mut num_sampled = 0;
    for [tile, side, gain, sampled] in
        rows("s.csv", ["tile", "side", "path_gain_db", "sampled_gain_db"])
    {
        let of_paths = of_paths.get(&(tile, side)).copied().unwrap_or(0.0);
        let sum = of_paths + linear(&sampled);
        assert!((sum / linear(&gain) - 1.0).abs() < 1e-4, "{gain} {sampled}");
        num_sampled += usize::from(!sampled.is_empty());
    }
    assert!(num_sampled > 20, "{num_sampled}");
}

#[test]
fn numbers_that_sample_nothing_are_told() {
    let folder = Folder::new("surfaces-exact");
    house(&folder);
    folder.write("s.toml", &sampled("2"));
    let run = folder.keller(&["coverage", "s.toml"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let told = "sample_beyond = 2 has no effect";
    assert!(run.stderr.contains(told), "{}", run.stderr);
    folder.write("s.toml", &sampled("0"));
    let run = folder.keller(&["coverage", "s.toml"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    for part in ["s.toml:", "sample_beyond", "a whole number of at least 1"] {
        assert!(run.stderr.contains(part), "{}", run.stderr);
    }
}

/// Waves from edge to edge would be in neither, and few exact interactions are rough.
#[test]
fn numbers_that_leave_out_waves_are_refused_and_small_ones_are_told() {
    let folder = Folder::new("surfaces-rough");
    house(&folder);
    folder.write("s.toml", &sampled("1"));
    let run = folder.keller(&["coverage", "s.toml"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let told = "sample_beyond = 1 is rough";
    assert!(run.stderr.contains(told), "{}", run.stderr);
    let two_edges = sampled("2")
        .replace("max_interactions = 2", "max_interactions = 3")
        .replace("max_diffractions = 1", "max_diffractions = 2");
    folder.write("s.toml", &two_edges);
    let run = folder.keller(&["coverage", "s.toml"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    for part in [
        "s.toml: [tiles] sample_beyond = 2",
        "from one edge to the next",
        "at least 3",
    ] {
        assert!(run.stderr.contains(part), "{}", run.stderr);
    }
}
