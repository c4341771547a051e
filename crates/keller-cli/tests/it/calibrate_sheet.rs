//! `keller calibrate` on one sheet that a closed form knows, with noise: what is written is what was fitted, no fit is worse
//! than the truth, and what the noise leaves open is said.

use std::f64::consts::PI;
use std::fmt::Write as _;

use serde_json::Value;

use crate::common::Folder;

const HZ: f64 = 2.4e9;
const LIGHT: f64 = 299_792_458.0;
const TX: [f64; 3] = [0.0, 8.0, 3.0];
/// The sheet is at this y.
const SHEET: f64 = 22.0;

fn folder(test: &str, material: &str, calibrate: &str) -> Folder {
    let folder = Folder::new(test);
    let sheet = "v -40 22 0\nv 40 22 0\nv 40 22 8\nv -40 22 8\nusemtl q\nf 1 2 3 4\n";
    folder.write("sheet.obj", sheet);
    let scenario = format!(
        "frequency_hz = 2.4e9\n[scene]\nfile = \"sheet.obj\"\nup = \"z\"\n[materials.q]\n{material}\n\
         [[tx]]\nposition = [0, 8, 3]\nantenna = \"tr38901\"\norientation_deg = [90, 0, 0]\n\
         [paths]\nmax_reflections = 1\nmax_transmissions = 1\nmax_interactions = 1\n\
         [calibrate.materials.q]\n{calibrate}\n"
    );
    folder.write("s.toml", &scenario);
    folder
}

/// Gain of the 3GPP element that looks along y, to a direction in the plane of its height.
fn element(across: f64, along: f64) -> f64 {
    let azimuth = across.atan2(along).to_degrees();
    let loss = (12.0 * (azimuth / 65.0).powi(2)).min(30.0);
    10.0_f64.powf(0.1 * (8.0 - loss))
}

/// The arriving gains of the direct way, and of the way by the sheet; and the cosine of incidence at the sheet.
fn ways([x, y, _]: [f64; 3]) -> ([f64; 2], f64) {
    let free = |along: f64| {
        let distance = x.hypot(along);
        (LIGHT / HZ / (4.0 * PI * distance)).powi(2)
    };
    let direct = y - TX[1];
    let by_sheet = if y < SHEET {
        2.0 * SHEET - y - TX[1]
    } else {
        direct
    };
    let of = |along: f64| free(along) * element(x, along);
    let cosine = by_sheet / x.hypot(by_sheet);
    let direct = if y < SHEET { of(direct) } else { 0.0 };
    ([direct, of(by_sheet)], cosine)
}

/// Level at a place with the power shares that the sheet reflects and lets through.
fn level(place: [f64; 3], reflected: f64, passed: f64) -> f64 {
    let ([direct, by_sheet], _) = ways(place);
    let share = if place[1] < SHEET { reflected } else { passed };
    10.0 * (direct + by_sheet * share).log10()
}

/// Places before the sheet, behind the Tx, and as many behind the sheet.
fn places(count: usize) -> Vec<[f64; 3]> {
    let at = |k: usize| {
        let share = k as f64 / (count - 1) as f64;
        let x = -16.0 + 35.0 * share;
        [
            [x, 6.0 - 4.5 * share, 3.0],
            [x + 1.5, 25.0 + 9.0 * share, 3.0],
        ]
    };
    (0..count).flat_map(at).collect()
}

/// Normal random numbers, of any seed.
struct Noise(u64);

impl Noise {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        let (a, b) = (self.uniform(), self.uniform());
        (-2.0 * (1.0 - a).ln()).sqrt() * (2.0 * PI * b).cos()
    }
}

/// The levels with noise, one for each place.
fn drawn(places: &[[f64; 3]], levels: &[f64], (deviation, seed): (f64, u64)) -> Vec<f64> {
    let mut noise = Noise(seed);
    for _ in 0..8 {
        noise.uniform();
    }
    assert_eq!(places.len(), levels.len(), "a level for each place");
    levels
        .iter()
        .map(|level| level + deviation * noise.normal())
        .collect()
}

fn write_measured(folder: &Folder, places: &[[f64; 3]], levels: &[f64]) {
    let mut text = "x,y,z,path_gain_db\n".to_owned();
    for ([x, y, z], level) in places.iter().zip(levels) {
        writeln!(text, "{x},{y},{z},{level}").unwrap();
    }
    folder.write("m.csv", &text);
}

fn calibrated(folder: &Folder, args: &[&str]) -> Value {
    let all = [
        "calibrate",
        "s.toml",
        "m.csv",
        "-o",
        "c.toml",
        "--fold-by",
        "none",
        "--json",
    ];
    let run = folder.keller(&[&all, args].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    serde_json::from_str(&run.stdout).unwrap()
}

/// RMSE of the written scenario, run anew.
fn rmse_again(folder: &Folder) -> f64 {
    let run = folder.keller(&["compare", "c.toml", "m.csv", "--json"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let compared: Value = serde_json::from_str(&run.stdout).unwrap();
    number(&compared["parts"][0]["offset"]["none"]["errors"]["rmse"])
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value}"))
}

fn rmse(a: &[f64], b: &[f64]) -> f64 {
    let squares = a.iter().zip(b).map(|(a, b)| (a - b).powi(2));
    (squares.sum::<f64>() / a.len() as f64).sqrt()
}

fn power(loss_db: f64) -> f64 {
    10.0_f64.powf(-0.1 * loss_db)
}

const LOSSES: [f64; 2] = [3.2, 2.9];

/// The least RMSE over losses of 0 to 30 dB of which energy allows both, by trying.
fn least(places: &[[f64; 3]], measured: &[f64]) -> f64 {
    let shares: Vec<f64> = (0..=7500).map(|k| power(0.004 * f64::from(k))).collect();
    let squares = |is_before: bool| {
        let at = |share: &f64| {
            let both = places.iter().zip(measured);
            let here = both.filter(|(place, _)| (place[1] < SHEET) == is_before);
            let errors = here.map(|(place, level_db)| level(*place, *share, *share) - level_db);
            errors.map(|error| error * error).sum::<f64>()
        };
        shares.iter().map(at).collect::<Vec<f64>>()
    };
    let [passed, mut reflected] = [false, true].map(squares);
    // The best reflection from each loss on.
    for k in (1..reflected.len()).rev() {
        reflected[k - 1] = reflected[k - 1].min(reflected[k]);
    }
    let best = passed.iter().zip(&shares).filter_map(|(passed, share)| {
        let first = shares.partition_point(|other| share + other > 1.0);
        Some(passed + reflected.get(first)?)
    });
    (best.fold(f64::INFINITY, f64::min) / places.len() as f64).sqrt()
}

const MATERIAL: &str =
    "itu = \"concrete\"\nthickness = 0.2\ntransmission_loss_db = 8\nreflection_loss_db = 9";
const BOTH: &str = "transmission_loss_db = [0, 30]\nreflection_loss_db = [0, 30]";

/// A draw of the two losses by one search: it is written as it was fitted, no worse than the truth and than what trying finds.
/// Says whether it ended where reflection and transmission are all that arrives.
fn check_losses(folder: &Folder, seed: u64, (args, within): (&[&str], f64)) -> bool {
    let places = places(4);
    let levels: Vec<f64> = places
        .iter()
        .map(|place| level(*place, power(LOSSES[1]), power(LOSSES[0])))
        .collect();
    let measured = drawn(&places, &levels, (0.4, seed));
    write_measured(folder, &places, &measured);
    let found = calibrated(folder, args);
    let reported = number(&found["rmse"]);
    let again = rmse_again(folder);
    assert!(
        (reported - again).abs() < 1e-4,
        "{seed} {args:?}: {reported} {again}"
    );
    let truth = rmse(&levels, &measured);
    assert!(
        reported <= truth + within,
        "{seed} {args:?}: {reported}, the truth {truth}"
    );
    // The search by trying finds values on a grid, so the error may be a little more.
    let least = least(&places, &measured);
    assert!(
        reported < least + within && reported > least - 2e-3,
        "{seed} {args:?}: {reported}, least {least}"
    );
    let [transmission, reflection] = [0, 1].map(|index| &found["parameters"][index]);
    let arrives: f64 = [transmission, reflection]
        .iter()
        .map(|p| power(number(&p["value"])))
        .sum();
    assert!(arrives <= 1.0 + 1e-9, "{arrives}");
    let text = folder.read("c.toml");
    for parameter in [transmission, reflection] {
        let name = parameter["name"]
            .as_str()
            .unwrap()
            .split_once(' ')
            .unwrap()
            .1;
        let line = format!("{name} = {}", number(&parameter["value"]));
        assert!(text.contains(&line), "{line} in {text}");
        assert_eq!(
            parameter["bound"].is_null(),
            parameter["standard_error"].is_number(),
            "{parameter}"
        );
    }
    let is_at_bound = reflection["bound"] == "energy";
    let told = found["remarks"].to_string();
    assert_eq!(
        is_at_bound,
        told.contains("the smallest loss that energy allows"),
        "{told}"
    );
    assert_eq!(
        is_at_bound,
        text.contains("the smallest loss that energy allows"),
        "{text}"
    );
    is_at_bound
}

#[test]
fn losses_that_reach_all_that_arrives_are_written_as_they_were_fitted() {
    let folder = folder("calibrate-energy", MATERIAL, BOTH);
    let at_bound = (1..=24).filter(|seed| check_losses(&folder, *seed, (&[], 2e-4)));
    let at_bound: Vec<u64> = at_bound.collect();
    assert!((4..=20).contains(&at_bound.len()), "{at_bound:?}");
    for optimiser in ["genetic", "annealing"] {
        let args = [
            "--optimiser",
            optimiser,
            "--generations",
            "60",
            "--evaluations",
            "2000",
        ];
        for seed in [at_bound[0], at_bound[1], at_bound[2], 2, 3] {
            check_losses(&folder, seed, (&args, 2e-4));
        }
    }
    // The losses are checked in the text, and on the page.
    check_losses(&folder, at_bound[0], (&[], 2e-4));
    let run = folder.keller(&["calibrate", "s.toml", "m.csv", "--report", "r.html"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    for text in [run.stdout, folder.read("r.html")] {
        assert!(text.contains("q reflection_loss_db ends at"), "{text}");
    }
}

#[test]
fn a_loss_beside_a_fixed_one_stays_where_energy_allows_it() {
    let material = MATERIAL.replace("transmission_loss_db = 8", "transmission_loss_db = 3.5");
    let folder = folder(
        "calibrate-energy-fixed",
        &material,
        "reflection_loss_db = [0, 30]",
    );
    let places = places(4);
    let levels: Vec<f64> = places
        .iter()
        .map(|place| level(*place, power(1.0), power(3.5)))
        .collect();
    write_measured(&folder, &places, &levels);
    let found = calibrated(&folder, &[]);
    let smallest = -10.0 * (1.0 - power(3.5)).log10();
    let parameter = &found["parameters"][0];
    assert!(
        (number(&parameter["value"]) - smallest).abs() < 1e-4,
        "{found}"
    );
    assert_eq!(parameter["bound"], "energy");
    assert!((number(&found["rmse"]) - rmse_again(&folder)).abs() < 1e-4);
    // The other way round, the fixed loss stays as it is.
    let other = |losses: &str| {
        let scenario = folder.read("s.toml");
        let (before, rest) = scenario.split_once("transmission_loss_db").unwrap();
        let (_, after) = rest.split_once("[[tx]]").unwrap();
        let after = after.replace("reflection_loss_db = [", "transmission_loss_db = [");
        folder.write("s.toml", &format!("{before}{losses}\n[[tx]]{after}"));
    };
    other("transmission_loss_db = 12\nreflection_loss_db = 0.5");
    let found = calibrated(&folder, &[]);
    let parameter = &found["parameters"][0];
    let smallest = -10.0 * (1.0 - power(0.5)).log10();
    assert!(
        (number(&parameter["value"]) - smallest).abs() < 1e-4,
        "{found}"
    );
    assert!(folder.read("c.toml").contains("reflection_loss_db = 0.5"));
    // Bounds that energy does not allow at all.
    other("transmission_loss_db = 60\nreflection_loss_db = 0.0001");
    let run = folder.keller(&["calibrate", "s.toml", "m.csv"]);
    assert!(
        run.code == Some(2)
            && run.stderr.contains(
                "q transmission_loss_db: bounds 0 to 30, but the wall's other loss leaves"
            ),
        "{}",
        run.stderr
    );
}

/// Few good measurements against many bad ones: the fit follows the good ones, though that makes the plain RMSE larger.
#[test]
fn a_fit_with_weights_is_kept() {
    let folder = folder(
        "calibrate-weights",
        MATERIAL,
        "transmission_loss_db = [0, 30]",
    );
    let mut text = "x,y,z,path_gain_db,uncertainty_db\n".to_owned();
    for (index, place) in places(8)
        .into_iter()
        .filter(|place| place[1] > SHEET)
        .enumerate()
    {
        let [x, y, z] = place;
        let (loss, uncertainty) = if index < 3 { (3.0, 0.0) } else { (8.0, 60.0) };
        let level_db = level(place, 0.0, power(loss));
        writeln!(text, "{x},{y},{z},{level_db},{uncertainty}").unwrap();
    }
    folder.write("m.csv", &text);
    let found = calibrated(&folder, &[]);
    let value = number(&found["parameters"][0]["value"]);
    // The weight of a bad one is 36 / (36 + 3600).
    let expected = (3.0 * 3.0 + 5.0 * 8.0 / 101.0) / (3.0 + 5.0 / 101.0);
    assert!((value - expected).abs() < 1e-3, "{value} {expected}");
    assert!(number(&found["rmse"]) > number(&found["rmse_start"]));
    assert!((number(&found["rmse"]) - rmse_again(&folder)).abs() < 1e-4);
}

/// Complex numbers.
type Complex = [f64; 2];

fn times([a, b]: Complex, [c, d]: Complex) -> Complex {
    [a * c - b * d, a * d + b * c]
}

fn over(a: Complex, [c, d]: Complex) -> Complex {
    let square = c * c + d * d;
    times(a, [c / square, -d / square])
}

fn root([a, b]: Complex) -> Complex {
    let size = a.hypot(b);
    [
        (0.5 * (size + a)).sqrt(),
        (0.5 * (size - a)).sqrt().copysign(b),
    ]
}

/// The power that a slab reflects and transmits of a wave whose field is along it.
fn slab([permittivity, conductivity, thickness]: [f64; 3], cosine: f64) -> [f64; 2] {
    let wavenumber = 2.0 * PI * HZ / LIGHT;
    let epsilon = 1.0 / (4e-7 * PI * LIGHT * LIGHT);
    let eta = [permittivity, -conductivity / (2.0 * PI * HZ * epsilon)];
    let inner = root([eta[0] - (1.0 - cosine * cosine), eta[1]]);
    let single = over(
        [cosine - inner[0], -inner[1]],
        [cosine + inner[0], inner[1]],
    );
    // exp(-2 j q)
    let [angle, decay] = inner.map(|part| 2.0 * wavenumber * thickness * part);
    let around = [angle.cos() * decay.exp(), -angle.sin() * decay.exp()];
    let square = times(single, single);
    let echoes = times(square, around);
    let below = [1.0 - echoes[0], -echoes[1]];
    let reflected = over(times(single, [1.0 - around[0], -around[1]]), below);
    let passed = over([1.0 - square[0], -square[1]], below);
    let power = |[a, b]: Complex| a * a + b * b;
    [power(reflected), power(passed) * decay.exp()]
}

fn slab_levels(places: &[[f64; 3]], truth: [f64; 3]) -> Vec<f64> {
    let at = |place: &[f64; 3]| {
        let [reflected, passed] = slab(truth, ways(*place).1);
        level(*place, reflected, passed)
    };
    places.iter().map(at).collect()
}

/// Twelve draws for each choice of parameters that may change.
#[test]
fn slabs_are_found_or_the_other_minima_are_told() {
    let truth = [4.7, 0.02, 0.24];
    let places = places(8);
    let levels = slab_levels(&places, truth);
    for (name, ranges, known) in [
        ("permittivity", "permittivity = [2, 12]", vec![0]),
        ("thickness", "thickness = [0.05, 0.5]", vec![2]),
        (
            "both",
            "permittivity = [2, 12]\nthickness = [0.05, 0.5]",
            vec![0, 2],
        ),
        (
            "all",
            "permittivity = [2, 12]\nconductivity = [0.001, 0.3]\nthickness = [0.05, 0.5]",
            vec![0, 1, 2],
        ),
    ] {
        let start = [8.1, 0.05, 0.15];
        let at_start: Vec<f64> = (0..3)
            .map(|k| {
                if known.contains(&k) {
                    start[k]
                } else {
                    truth[k]
                }
            })
            .collect();
        let material = format!(
            "permittivity = {}\nconductivity = {}\nthickness = {}",
            at_start[0], at_start[1], at_start[2]
        );
        let folder = folder(&format!("calibrate-slab-{name}"), &material, ranges);
        for seed in 1..=12 {
            let measured = drawn(&places, &levels, (1.0, seed));
            write_measured(&folder, &places, &measured);
            let found = calibrated(&folder, &[]);
            let reported = number(&found["rmse"]);
            let of_truth = rmse(&levels, &measured);
            assert!((reported - rmse_again(&folder)).abs() < 1e-4);
            assert!(
                reported <= of_truth + 1e-4,
                "{name} {seed}: {reported}, the truth {of_truth}"
            );
            for (number_of, index) in known.iter().enumerate() {
                let parameter = &found["parameters"][number_of];
                let off = (number(&parameter["value"]) - truth[*index]).abs();
                let error = parameter["standard_error"].as_f64().unwrap_or(0.0);
                let remarks = found["remarks"].as_array().unwrap();
                assert!(
                    off <= 3.0 * error || !remarks.is_empty(),
                    "{name} {seed}: {parameter}"
                );
            }
        }
    }
}
