//! The arguments about what is held and trusted: `windlass trust`, `windlass sandbox`, `--taint`.

use std::path::PathBuf;

use clap::{Subcommand, ValueEnum, ValueHint};

use crate::config::MECHANISM_WORDS;

/// `windlass trust …`.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum TrustCommand {
    /// The folders that are trusted, and whether they still are as they were
    List,
    /// What a folder brings, and whether it counts
    Show {
        /// The folder [default: the project root]
        #[arg(value_name = "PATH", value_hint = ValueHint::DirPath)]
        path: Option<PathBuf>,
        /// The first lines of each file, too
        #[arg(long)]
        content: bool,
    },
    /// Trust a folder as it is now, after showing what it brings
    Add {
        /// The folder [default: the project root]
        #[arg(value_name = "PATH", value_hint = ValueHint::DirPath)]
        path: Option<PathBuf>,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
    /// Trust a folder no longer
    Revoke {
        /// The folder [default: the project root]
        #[arg(value_name = "PATH", value_hint = ValueHint::DirPath)]
        path: Option<PathBuf>,
    },
}

/// `windlass sandbox …`.
#[derive(Debug, Subcommand)]
pub(crate) enum SandboxCommand {
    /// Try on this machine what a command must not be able to do, each once bare and once in the sandbox
    Doctor {
        /// Leave a mechanism out: bubblewrap or landlock
        #[arg(long, value_name = "MECHANISM", value_parser = MECHANISM_WORDS)]
        without: Vec<String>,
    },
}

/// The words of `--taint`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TaintArg {
    /// What reaches out, unless you named where it leads
    Ask,
    /// Everything that changes something, wherever it leads
    Strict,
    /// Nothing more than without it
    Off,
}

impl TaintArg {
    /// The word.
    pub(crate) fn word(self) -> &'static str {
        match self {
            TaintArg::Ask => "ask",
            TaintArg::Strict => "strict",
            TaintArg::Off => "off",
        }
    }
}
