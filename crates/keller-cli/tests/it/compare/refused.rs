//! Comparisons that are refused, and predictions that are suspected.

use super::*;

#[test]
fn what_cannot_be_compared_is_one_message() {
    let folder = folder("compare-bad");
    let row = "20,5,1.5,0";
    for (text, message) in [
        (String::new(), "m.csv: there is no measurement in it"),
        (
            format!("{row},-80\n"),
            "m.csv:1: the first row shall name the columns",
        ),
        (
            format!("x,y,z,tx\n{row}\n"),
            "m.csv:1: no level (accepted: one of path_gain_db, path_loss_db, received_power_dbm)",
        ),
        (
            format!("x,y,z,tx,path_gain_db,path_loss_db\n{row},-80,80\n"),
            "path_gain_db stands beside path_loss_db",
        ),
        (
            "x,y,z,path_gain_db\n20,5,1.5,-80\n".to_owned(),
            "column tx, the name or index of one of 2 Tx",
        ),
        (
            "x,y,tx,path_gain_db\n20,5,0,-80\n".to_owned(),
            "column z: not in the header",
        ),
        (
            "x,y,z,tx,path_gain_db\n20,5,1.5,7,-80\n".to_owned(),
            "m.csv:2: column tx: found `7`; accepted: 0 to 1, or near, far",
        ),
        (
            format!("x,y,z,tx,path_gain_db\n{row},loud\n"),
            "m.csv:2: column path_gain_db: found `loud`",
        ),
        (
            format!("x,y,z,tx,path_gain_db,below_noise\n{row},-80,maybe\n"),
            "column below_noise: found `maybe`; accepted: true or false",
        ),
        (
            format!("x,y,z,tx,path_gain_db,below_noise\n{row},,true\n"),
            "m.csv:2: column path_gain_db: found nothing; accepted: the receiver's noise, because below_noise is true",
        ),
        (
            format!("x,y,z,tx,path_gain_db,uncertainty_db\n{row},-80,-3\n"),
            "column uncertainty_db: found `-3`; accepted: a number from 0 to 100 dB",
        ),
        (
            format!("x,y,z,tx,path_gain_db,below_noise\n{row},-80,1\n"),
            "nothing can be compared: of 1 measurements, 1 are limits",
        ),
        (
            "x,y,z,tx,path_gain_db\n20,5,-3,0,-80\n".to_owned(),
            "nothing can be compared: of 1 measurements, 0 are limits below the receiver's noise, and at 1",
        ),
    ] {
        folder.write("m.csv", &text);
        let before = folder.names();
        let run = folder.keller(&["compare", "s.toml", "m.csv", "-o", "r.html"]);
        assert_eq!(run.code, Some(2), "{text}: {}{}", run.stdout, run.stderr);
        assert!(
            run.stderr.contains(message),
            "expected: {message}\nfound: {}",
            run.stderr
        );
        assert_eq!(folder.names(), before, "{text}");
    }
    let run = folder.keller(&["compare", "s.toml", "missing.csv"]);
    assert!(
        run.code == Some(2) && run.stderr.contains("missing.csv"),
        "{}",
        run.stderr
    );
    folder.write("m.csv", "x,y,z,tx,path_gain_db\n20,5,1.5,0,-60\n");
    let run = folder.keller(&["compare", "s.toml", "m.csv", "-o", "m.csv"]);
    assert!(
        run.code == Some(2) && folder.read("m.csv").ends_with("-60\n"),
        "{}",
        run.stderr
    );
    let run = folder.keller(&["compare", "s.toml", "m.csv", "-o", "r.docx"]);
    assert!(
        run.stderr
            .contains("accepted: a name that ends in .html, .json, .csv or .parquet"),
        "{}",
        run.stderr
    );
}

#[test]
fn units_that_are_mixed_up_are_suspected_aloud() {
    let folder = folder("compare-units");
    folder.write(
        "m.csv",
        &measured("x,y,z,tx,path_gain_db", |tx, _, gain| {
            format!("{tx},{}", -gain)
        }),
    );
    let run = folder.keller(&["compare", "s.toml", "m.csv"]);
    assert_eq!(run.code, Some(0));
    assert!(
        run.stderr.contains("units or signs may be mixed up"),
        "{}",
        run.stderr
    );
    folder.write(
        "m.csv",
        "x,y,z,tx,path_gain_db,operator,cell\n20,5,1.5,0,-60,me,7\n20,5,1.5,0,,me,7\n",
    );
    let run = folder.keller(&["compare", "s.toml", "m.csv"]);
    assert!(
        run.stderr
            .contains("columns that are not used: `operator`, `cell`"),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains("1 rows without a level are left out"),
        "{}",
        run.stderr
    );
}
