//! The contents of a file of results, and their way into a view.

use std::path::Path;

use keller::scene::Scene;
use keller::tiles::Tiles;

use super::{View, ViewError, links, measured, paths};
use crate::formats::npz_archive::NpzArchive;
use crate::formats::stored_arrays::StoredArrays;
use crate::reports::table::StoredTable;

/// The accepted files of results.
const ACCEPTED: &str = "tables of paths, channels or measurements (.csv, .parquet, .json), arrays of channels (.npz), and coverages (.npz, .zarr)";

/// A file of results, open.
#[derive(Debug)]
pub struct ViewResult<'a> {
    file: &'a Path,
    content: Content,
}

#[derive(Debug)]
enum Content {
    Paths(StoredTable),
    Links(StoredTable),
    Measured(StoredTable),
    Cells(Box<StoredArrays>),
    Surfaces(Box<StoredArrays>),
    Channels(Box<NpzArchive>),
}

impl Content {
    fn of_arrays(arrays: StoredArrays) -> Result<Self, String> {
        if arrays.has("centre") && arrays.has("face") {
            return Ok(Self::Surfaces(Box::new(arrays)));
        }
        if arrays.has("x") && arrays.has("tx_name") {
            return Ok(Self::Cells(Box::new(arrays)));
        }
        match arrays {
            StoredArrays::Npz(npz) if npz.has("vertices") && npz.has("valid") => {
                Ok(Self::Channels(Box::new(npz)))
            }
            _ => Err(format!(
                "it is neither a coverage nor channels; accepted: {ACCEPTED}"
            )),
        }
    }

    fn of_table(table: StoredTable) -> Result<Self, String> {
        if table.has(&paths::COLUMNS) {
            return Ok(Self::Paths(table));
        }
        if table.has(&links::COLUMNS) {
            return Ok(Self::Links(table));
        }
        if table.has(&measured::COLUMNS) {
            return Ok(Self::Measured(table));
        }
        let hint = if table.has(&["x", "y", "path_gain_db"]) {
            "; of a coverage, keller shows the arrays (-o coverage.npz)"
        } else {
            ""
        };
        Err(format!(
            "it is a table of other rows{hint}; accepted: {ACCEPTED}"
        ))
    }
}

impl<'a> ViewResult<'a> {
    /// Opens the results in a file that keller wrote.
    ///
    /// # Errors
    /// [`ViewError`] for a file that cannot be read or holds nothing that can be shown.
    pub fn open(file: &'a Path) -> Result<Self, ViewError> {
        let refuse = |problem| ViewError::File {
            file: file.to_owned(),
            problem,
        };
        let content = match StoredArrays::open(file) {
            Some(Ok(arrays)) => Content::of_arrays(arrays).map_err(refuse)?,
            Some(Err(problem)) => return Err(refuse(format!("{problem}; accepted: {ACCEPTED}"))),
            None => Content::of_table(StoredTable::open(file)?).map_err(refuse)?,
        };
        Ok(Self { file, content })
    }

    /// Whether devices are needed to show it.
    pub fn needs_devices(&self) -> bool {
        matches!(
            self.content,
            Content::Paths(_) | Content::Links(_) | Content::Channels(_)
        )
    }

    /// Whether it has paths. Each further file of paths is a snapshot of its own.
    pub fn has_paths(&self) -> bool {
        matches!(self.content, Content::Paths(_) | Content::Channels(_))
    }

    /// Whether the tiles of the scene are needed to show it.
    pub fn needs_tiles(&self) -> bool {
        matches!(self.content, Content::Surfaces(_))
    }
}

impl View {
    /// Shows results: paths and links with the devices of the last snapshot, surfaces on these tiles of a scene.
    ///
    /// # Errors
    /// [`ViewError`] for results that do not fit the devices or the tiles, or are damaged.
    ///
    /// # Panics
    /// If results that need tiles come without them.
    pub fn add(
        &mut self,
        result: ViewResult<'_>,
        cut: Option<(&Scene, &Tiles)>,
    ) -> Result<(), ViewError> {
        let file = result.file;
        match result.content {
            Content::Paths(table) => self.add_path_table(file, &table),
            Content::Links(table) => self.add_link_table(file, &table),
            Content::Measured(table) => self.add_measured_table(file, &table),
            Content::Channels(mut npz) => self.add_channels(file, &mut npz),
            Content::Cells(mut arrays) => self.add_cells(file, &mut arrays),
            Content::Surfaces(mut arrays) => {
                let (scene, tiles) = cut.expect("the caller knows that they are needed");
                self.add_surfaces(file, &mut arrays, scene, tiles)
            }
        }
    }
}
