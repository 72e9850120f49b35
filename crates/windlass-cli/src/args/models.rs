//! `windlass models …` as it is typed.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand, ValueHint};

/// `windlass models …`.
#[derive(Debug, Subcommand)]
pub(crate) enum ModelsCommand {
    /// Providers with their wires, addresses and keys; models with sizes, prices and abilities
    List {
        /// Only this one
        provider: Option<String>,
        /// Ask the servers themselves as well
        #[arg(long)]
        live: bool,
    },
    /// Everything that is known of one model here
    Show {
        /// Its name, PROVIDER/MODEL
        name: String,
    },
    /// Find out what an endpoint supports, and save it: about twenty small requests
    Doctor {
        /// Its name, PROVIDER/MODEL [default: the model that would answer]
        name: Option<String>,
    },
    /// Measure how well a model chooses tools and writes calls; nothing is run
    Eval(EvalArgs),
    /// Download a model file for `--model local/NAME`; the only command that downloads one
    Pull(PullArgs),
    /// Keys in the system's keyring: set, remove, list
    #[command(subcommand)]
    Key(KeyCommand),
}

/// `windlass models key …`.
#[derive(Debug, Subcommand)]
pub(crate) enum KeyCommand {
    /// Save a key; it is read from stdin, or typed without being shown
    Set {
        /// The provider
        provider: String,
    },
    /// Remove a key
    Remove {
        /// The provider
        provider: String,
    },
    /// List the providers that have a key there
    List,
}

/// `windlass models eval`.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct EvalArgs {
    /// Its name, PROVIDER/MODEL [default: the model that would answer]
    pub(crate) name: Option<String>,
    /// The requests and what is expected of each, one JSON object a line [default: a small set of the usual ones]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) set: Option<PathBuf>,
    /// Show each request that went wrong: what was expected, and what the model did
    #[arg(long)]
    pub(crate) show_misses: bool,
}

/// `windlass models pull`.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct PullArgs {
    /// hf:ORG/REPO/FILE for one file, hf:ORG/REPO for a folder of safetensors, or an https address of a file
    pub(crate) source: String,
    /// Where it goes [default: the folder models/ of the data folder, where local/NAME looks]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) to: Option<PathBuf>,
    /// The SHA-256 that the file must have, 64 hexadecimal digits
    #[arg(long, value_name = "HEX", value_parser = parse_sha256)]
    pub(crate) sha256: Option<String>,
}

fn parse_sha256(text: &str) -> Result<String, String> {
    match text.len() == 64 && text.chars().all(|c| c.is_ascii_hexdigit()) {
        true => Ok(text.to_ascii_lowercase()),
        false => Err("64 hexadecimal digits are needed".to_owned()),
    }
}
