//! Faulty files: one message with the file, the line if there is one, what was found, what is accepted.

use super::*;
use keller::antenna::Combination;

fn refuses(name: &str, bytes: impl AsRef<[u8]>, expected: &str) {
    let message = parse(name, bytes).expect_err(expected).to_string();
    assert!(
        message.starts_with(expected) || message.contains(expected),
        "expected: {expected}\nfound:    {message}"
    );
    assert!(
        message.starts_with(name) && !message.contains('\n'),
        "{message}"
    );
}

#[test]
fn planet() {
    let swap = |from: &str, to: &str| {
        let text = msi();
        assert!(text.contains(from), "{from}");
        text.replacen(from, to, 1)
    };
    let row = "100\t18.1775\r\n";
    for (text, expected) in [
        (
            swap(row, ""),
            "a.msi:5: HORIZONTAL announces 360 rows, 359 follow",
        ),
        (
            swap("HORIZONTAL 360", "HORIZONTAL 359").replacen("359\t", "", 1),
            "a.msi:",
        ),
        (
            swap("HORIZONTAL 360", "HORIZONTAL 359").replacen(row, "", 1),
            "a.msi: horizontal angles are missing: none between 259.0000° and 261.0000°",
        ),
        (
            swap(row, "101\t18\r\n"),
            "a.msi:107: this horizontal angle has been given before, at line 106",
        ),
        (
            swap(row, "100\t-18\r\n"),
            "a.msi:106: the attenuation is -18 dB; accepted: 0 or more",
        ),
        (
            swap(row, "100\tnan\r\n"),
            "a.msi:106: attenuation: found `nan`; accepted: a number",
        ),
        (
            swap(row, "100\t18,2\r\n"),
            "a.msi:106: attenuation: found `18,2`",
        ),
        (swap(row, "nan 1\r\n"), "a.msi:106: angle: found `nan`"),
        (
            swap(row, "100\r\n"),
            "a.msi:106: found the row `100`; accepted: `angle attenuation`",
        ),
        (swap(row, "1000\t18\r\n"), "a.msi:106: the angle is 1000°"),
        (
            swap("HORIZONTAL 360", "HORIZONTAL many"),
            "a.msi:5: HORIZONTAL: found `many`",
        ),
        (
            swap("HORIZONTAL 360", "HORIZONTAL 100"),
            "a.msi: horizontal angles are missing",
        ),
        (
            swap("VERTICAL 360", "HORIZONTAL 360"),
            "a.msi:366: a second HORIZONTAL section",
        ),
        (
            swap("GAIN 15 dBi", ""),
            "a.msi: there is no GAIN; accepted: `GAIN 15.5 dBi`",
        ),
        (
            swap("GAIN 15 dBi", "GAIN 15 dB"),
            "a.msi:3: GAIN: found `15 dB`; accepted",
        ),
        (
            swap("GAIN 15 dBi", "GAIN high"),
            "a.msi:3: GAIN: found `high`",
        ),
        (
            swap("GAIN 15 dBi", "GAIN 30 dBi"),
            "a.msi: a peak gain of 30.00 dBi is ",
        ),
        (
            "NAME a\nGAIN 1 dBi\n".to_owned(),
            "a.msi: there is no HORIZONTAL section",
        ),
        ("x".repeat(100), "a.msi: there is no HORIZONTAL section"),
    ] {
        if expected == "a.msi:" {
            // None of the 359 rows is missing within: the gap is at the end of the turn.
            refuses("a.msi", text, "angles");
        } else {
            refuses("a.msi", text, expected);
        }
    }
}

#[test]
fn nsma_files() {
    let swap = |from: &str, to: &str| {
        let text = nsma();
        assert!(text.contains(from), "{from}");
        text.replacen(from, to, 1)
    };
    for (text, expected) in [
        (
            swap("NUPOIN:,361", "NUPOIN:,360"),
            "a.adf:9: NUPOIN announces 360 points, 361 follow",
        ),
        (
            swap("NUPOIN:,361", "NUPOIN:,some"),
            "a.adf:11: NUPOIN: found `some`",
        ),
        (swap("\n-100,", "\n-99,"), "has been given before"),
        (
            swap("\n-100,-", "\n-100,"),
            "a.adf:93: the gain is 25 dB above",
        ),
        (
            swap("\n-100,", "\nwest,"),
            "a.adf:93: angle: found `west`; accepted: a number",
        ),
        (swap("\n-100,", "\n-1000,"), "a.adf:93: the angle is -1000°"),
        (
            swap("\n-100,-25.0000", "\n-100"),
            "a.adf:93: found the row `-100`",
        ),
        (swap("MDGAIN:,15", "MDGAIN:,"), "a.adf: there is no gain"),
        (
            swap("MDGAIN:,15", "MDGAIN:,33"),
            "a.adf: a peak gain of 33.00 dBi is ",
        ),
        (
            swap("DBI/DBR", "DBI/LIN"),
            "a.adf:5: GUNITS: found `DBI/LIN`; accepted: DBI/DBR",
        ),
        (swap("PATCUT:,EL", "PATCUT:,AZ"), "a second cut AZ V/V"),
        (
            swap("PATCUT:,AZ\nPOLARI:,V/V", "PATCUT:,AZ\nPOLARI:,V/H"),
            "a.adf: there is no horizontal cut",
        ),
        (
            "hello\n".to_owned(),
            "a.adf:1: found `hello`; accepted: `KEY:,value`",
        ),
    ] {
        refuses("a.adf", text, expected);
    }
}

#[test]
fn csv_files() {
    let rows = sphere(10, |zenith, azimuth| format!("{zenith},{azimuth},0"));
    let good = format!("theta_deg,phi_deg,gain_db\n{rows}");
    let swap = |from: &str, to: &str| {
        assert!(good.contains(from), "{from}");
        good.replacen(from, to, 1)
    };
    for (text, expected) in [
        (
            swap("\n50,120,0", ""),
            "a.csv: zenith 50°, azimuth 120° is missing",
        ),
        (
            swap("\n50,120,0", "\n50,130,0"),
            "a.csv:195: zenith 50°, azimuth 130° has been given before, at line 194",
        ),
        (
            swap("\n50,120,0", "\n55,120,0"),
            "a.csv: uneven zenith angles: 50.0000° and 55.0000°",
        ),
        (
            swap("\n50,120,0", "\n50,120,nan"),
            "a.csv:194: column gain_db: found `nan`; accepted: a number",
        ),
        (
            swap("\n50,120,0", "\n50,120,"),
            "a.csv:194: column gain_db: found ``",
        ),
        (
            swap("\n50,120,0", "\n50,120"),
            "a.csv:194: the row has 2 values for 3 columns",
        ),
        (
            swap("\n50,120,0", "\n50,,0"),
            "a.csv:2: accepted: both angles in every row, or one",
        ),
        (
            swap("\n50,120,0", "\n500,120,0"),
            "a.csv:194: the angle is 500°",
        ),
        (
            swap("\n50,120,0", "\n-50,120,0"),
            "a.csv:194: the zenith is -50°; accepted: 0 to 180",
        ),
        (
            swap("\n50,120,0", "\n50,120,400"),
            "a.csv:194: gain_db is 400;",
        ),
        (
            good.replace(",0\n", ",3\n"),
            "a.csv: a peak gain of 3.00 dBi is 3.00 dB more than the pattern itself allows",
        ),
        (
            swap("gain_db", "gain_linear,gain_db"),
            "a.csv:1: both gain_db and gain_linear; accepted: one of",
        ),
        (
            swap("gain_db", "gain"),
            "a.csv:1: no values; accepted: the column one of gain_db",
        ),
        (
            swap("gain_db", "f_theta_re"),
            "a.csv:1: only f_theta_re; accepted:",
        ),
        (
            swap("phi_deg", "gain_db"),
            "a.csv:1: the column gain_db is there twice",
        ),
        (
            swap("phi_deg", "elevation_deg"),
            "a.csv:1: both theta_deg and elevation_deg;",
        ),
        (
            swap("theta_deg,phi_deg", "a,b"),
            "a.csv:1: no angles; accepted: the columns theta_deg,",
        ),
        ("theta_deg,gain_db\n".to_owned(), "a.csv: there is no row"),
        ("# nothing\n".to_owned(), "a.csv: there is no header"),
        (
            "theta_deg,gain_linear\n0,-1\n".to_owned(),
            "a.csv:2: gain_linear is -1; accepted: a number of 0 or more",
        ),
        (
            "theta_deg,gain_db\n0,0\n90,0\n".to_owned(),
            "a.csv: no zenith between",
        ),
        (
            "theta_deg,gain_db\n0,0\n".to_owned(),
            "a.csv: there are fewer than two zenith angles",
        ),
        (
            "phi_deg,gain_db\n0,9\n90,9\n180,9\n270,9\n".to_owned(),
            "a.csv: no azimuth between 0.0000° and 90",
        ),
        (
            "theta_deg,f_theta_re,f_theta_im,f_phi_re,f_phi_im\n0,1,0,0,0\n".to_owned(),
            "a.csv:2: fields need a zenith and an azimuth",
        ),
    ] {
        refuses("a.csv", text, expected);
    }
}

#[test]
fn npz_files() {
    let axis = npy("(3,)", &[0.0, 90.0, 180.0]);
    let gains = npy("(4,)", &[0.0; 4]);
    for (bytes, expected) in [
        (b"PK".to_vec(), "a.npz: this is no NPZ archive"),
        (npz(&[], false), "a.npz: no values; accepted"),
        (
            npz(&[("theta_deg", axis.clone()), ("gain_db", gains)], true),
            "a.npz: the shapes theta_deg [3], gain_db [4] do not fit",
        ),
        (
            npz(
                &[
                    ("theta_deg", axis.clone()),
                    ("gain_db", npy("(3,)", &[0.0, f64::NAN, 1.0])),
                ],
                true,
            ),
            "a.npz: array gain_db: value 1 is NaN",
        ),
        (
            npz(
                &[
                    ("theta_deg", axis.clone()),
                    ("gain_db", npy("(99999999,)", &[0.0])),
                ],
                true,
            ),
            "a.npz: array gain_db: 8 bytes of data for the shape [99999999]",
        ),
        (
            npz(
                &[("theta_deg", axis.clone()), ("gain_db", b"junk".to_vec())],
                true,
            ),
            "a.npz: array gain_db: it does not begin as a .npy file does",
        ),
        (
            npz(
                &[
                    ("theta_deg", axis.clone()),
                    ("gain_db", axis[..40].to_vec()),
                ],
                true,
            ),
            "a.npz: array gain_db: it ends within its header",
        ),
    ] {
        refuses("a.npz", bytes, expected);
    }
    let text = String::from_utf8_lossy(&axis).replace("<f8", "<U8");
    assert!(crate::formats::npy::parse(text.as_bytes()).is_err());
}

#[test]
fn whatever_the_format() {
    for name in ["a.msi", "a.pln", "a.adf", "a.nsm", "a.csv", "a.npz"] {
        refuses(name, b"", "the file is empty");
        let message = parse(name, b"\x00\x01\x02\xff\x00junk")
            .unwrap_err()
            .to_string();
        assert!(
            message.contains("not text") || message.contains("no NPZ"),
            "{message}"
        );
    }
    refuses(
        "a.ant",
        b"x",
        "a.ant: the extension `ant` is no pattern format; accepted: .msi",
    );
    let error =
        crate::formats::pattern::load("no/such.msi".as_ref(), Combination::Sum).unwrap_err();
    assert!(error.to_string().starts_with("no/such.msi: "), "{error}");
}

#[test]
fn no_cut_of_a_good_file_makes_a_panic() {
    // Every tenth prefix, and every tenth byte inverted.
    let files = [
        ("a.msi", msi().into_bytes()),
        ("a.adf", nsma().into_bytes()),
    ];
    let axis = npy("(3,)", &[0.0, 90.0, 180.0]);
    let small = npz(&[("theta_deg", axis.clone()), ("gain_db", axis)], true);
    for (name, bytes) in files.into_iter().chain([("a.npz", small)]) {
        for at in (0..bytes.len().min(1500)).step_by(if name == "a.npz" { 1 } else { 10 }) {
            drop(parse(name, &bytes[..at]));
            let mut broken = bytes.clone();
            broken[at] ^= 0x15;
            drop(parse(name, &broken));
        }
    }
}
