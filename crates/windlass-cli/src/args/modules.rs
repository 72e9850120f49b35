//! `windlass modules …` as it is typed.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand, ValueHint};
use windlass_modules::measure::Metric;

use super::PermissionArgs;
use crate::config::duration::parse_positive_ms;

/// `windlass modules …`.
#[derive(Debug, Subcommand)]
pub(crate) enum ModulesCommand {
    /// All modules
    List {
        /// Only those with this tag
        #[arg(long, value_name = "TAG")]
        tag: Option<String>,
    },
    /// One module: its signature, and the prompt that it would send
    Show {
        /// Its id
        id: String,
        /// Inputs for the prompt; `-` reads them from stdin, @FILE from a file [default: what its fields are, in words]
        #[arg(long, value_name = "JSON")]
        input: Option<String>,
    },
    /// Look at every file of a folder of modules, and say what is wrong with each
    Check {
        /// The folder [default: the project's and the user's]
        #[arg(value_name = "FOLDER", value_hint = ValueHint::DirPath)]
        folder: Option<PathBuf>,
        /// Put the hashes of the files as they are into the manifest
        #[arg(long)]
        write_hashes: bool,
    },
    /// Run a module: its outputs go to stdout as JSON
    Run(ModuleRunArgs),
    /// Run a Rhai script that calls modules (dspy_invoke, dspy_invoke_with_tools, dspy_register_tool, …)
    Script(ModuleScriptArgs),
    /// Measure how good a module is, with cases of a file
    Eval(ModuleEvalArgs),
    /// Make a better version of a module: examples from cases that pass, and other instructions
    Optimize(OptimizeArgs),
}

/// `windlass modules run`.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct ModuleRunArgs {
    /// Its id
    pub(crate) id: String,
    /// The inputs, a JSON object; `-` reads them from stdin, @FILE from a file
    #[arg(long, value_name = "JSON", default_value = "{}", hide_default_value = true)]
    pub(crate) input: String,
    #[command(flatten)]
    pub(crate) permission: PermissionArgs,
    /// At most so long, such as 5s or 2m
    #[arg(long, value_name = "DURATION", value_parser = parse_positive_ms)]
    pub(crate) timeout: Option<u64>,
}

/// `windlass modules script`.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct ModuleScriptArgs {
    /// The script; `-` reads it from stdin. Its last value goes to stdout, as JSON unless it is a text
    #[arg(value_name = "FILE.rhai", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) permission: PermissionArgs,
    /// Each module at most so long, such as 5s or 2m
    #[arg(long, value_name = "DURATION", value_parser = parse_positive_ms)]
    pub(crate) timeout: Option<u64>,
}

/// What a module is measured with.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct MeasureArgs {
    /// The cases, one JSON object a line: {"inputs": {…}, "outputs": {…}}. The data folder is named by WINDLASS_DATA here
    #[arg(long, value_name = "FILE.jsonl", value_hint = ValueHint::FilePath)]
    pub(crate) data: PathBuf,
    /// How outputs are compared: exact, contains, json, or module:ID for a module that judges
    #[arg(long, value_name = "METRIC", default_value = "exact")]
    pub(crate) metric: Metric,
    /// At most so many cases, from the first
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) limit: Option<u32>,
    #[command(flatten)]
    pub(crate) permission: PermissionArgs,
}

/// `windlass modules eval`.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct ModuleEvalArgs {
    /// Its id
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) measure: MeasureArgs,
    /// Fail unless the score is at least this, from 0 to 1
    #[arg(long, value_name = "SCORE", value_parser = parse_share)]
    pub(crate) at_least: Option<f64>,
}

/// `windlass modules optimize`.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct OptimizeArgs {
    /// Its id
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) measure: MeasureArgs,
    /// At most so many examples
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(0..=32))]
    pub(crate) demos: u32,
    /// The model that proposes instructions, PROVIDER/MODEL; without one, the instruction stays
    #[arg(long, value_name = "MODEL")]
    pub(crate) propose_with: Option<String>,
    /// At most so many instructions are tried
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=20))]
    pub(crate) proposals: u32,
    /// Say what would be written, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

fn parse_share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if (0.0..=1.0).contains(&number) => Ok(number),
        Ok(_) | Err(_) => Err("a number from 0 to 1 is needed".to_owned()),
    }
}
