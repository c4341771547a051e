//! The arguments of `keller completions` and `keller reference`.

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: Shell,
}

#[derive(Debug, Args)]
pub(crate) struct ReferenceArgs {
    /// Write the pages of the book into this folder
    pub(crate) folder: Option<PathBuf>,
    /// Write the Python module of all commands here, and that of all keys beside it as options.py
    #[arg(long, value_name = "FILE")]
    pub(crate) python: Option<PathBuf>,
    /// Write a man page for every command into this folder
    #[arg(long, value_name = "FOLDER")]
    pub(crate) man: Option<PathBuf>,
}
