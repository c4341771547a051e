//! Compares measured levels on a floor of an office tower at 1.88 GHz, from Tx on five levels and outdoors, with
//! predictions: with nothing fitted, and calibrated.
//!
//! It writes the files that a user would have (scene, scenario, measurements) and runs the code of `keller compare` and
//! `keller calibrate` on them. Nothing of the set-up is taken from the measured levels.

mod anchors;
mod calibrated;
mod fit;
mod house;
mod ingredients;
mod outdoors;
mod predictions;
mod set_up;
mod survey;

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};

use self::set_up::SetUp;
use self::survey::Survey;

/// Largest standard deviation of the error with nothing fitted but an offset for each Tx, dB.
const MAX_ZERO_FIT: f64 = 6.5;

/// Largest RMSE at places that had no part in a calibration with an offset for each Tx, dB.
const MAX_OUT_OF_FOLD: f64 = 5.5;

/// Reads the survey in `data`, writes the files of a user into `folder`, or a temporary one, and prints the tables.
///
/// # Errors
/// For data that is missing, runs that fail, and predictions that are farther off than they may be.
pub(crate) fn check(data: &Path, folder: Option<&Path>) -> Result<()> {
    let (survey, folder) = read(data, folder)?;
    let folder = &folder;
    let zero_fit = ingredients::report(&survey, folder)?;
    let files = SetUp::usual().write(&survey, &|_| true, folder)?;
    let (job, _) = predictions::open(&files)?;
    anchors::report(&survey, job.world.scene())?;
    let out_of_fold = calibrated::report(&survey, folder)?;
    // The files that stay are those of the usual set-up.
    SetUp::usual().write(&survey, &|_| true, folder)?;
    ensure!(
        zero_fit.all <= MAX_ZERO_FIT,
        "the usual set-up is {:.2} dB off, more than {MAX_ZERO_FIT} dB",
        zero_fit.all
    );
    ensure!(
        out_of_fold <= MAX_OUT_OF_FOLD,
        "calibrated, places that were left out are {out_of_fold:.2} dB off, more than {MAX_OUT_OF_FOLD} dB"
    );
    Ok(())
}

/// Prints the tables of the links from outdoors alone. Files go where those of [`check`] go.
///
/// # Errors
/// For data that is missing, and runs that fail.
pub(crate) fn check_outdoors(data: &Path, folder: Option<&Path>) -> Result<()> {
    let (survey, folder) = read(data, folder)?;
    let files = SetUp::usual().write(&survey, &|_| true, &folder)?;
    let (job, _) = predictions::open(&files)?;
    outdoors::report(&survey, job.world.scene(), &folder)?;
    SetUp::usual().write(&survey, &|_| true, &folder)?;
    Ok(())
}

/// The survey in `data`, and the folder for files.
fn read(data: &Path, folder: Option<&Path>) -> Result<(Survey, PathBuf)> {
    let survey = Survey::read(data)?;
    let temporary = || std::env::temp_dir().join("keller-auckland");
    let folder = folder.map_or_else(temporary, Path::to_path_buf);
    println!(
        "{} links of {} Tx to level 8, {} of less than 1 m left out; files in {}",
        survey.links.len(),
        survey.tx.len(),
        survey.num_short,
        folder.display()
    );
    println!("doors, furniture and people are not in the data, and not in the scene");
    Ok((survey, folder))
}
