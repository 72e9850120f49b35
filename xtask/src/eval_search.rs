//! `cargo xtask eval-search`: how well searching finds, on public collections and on this project.
//!
//! Owns the table in `docs/search.md`. What is asked and how it is judged is the evaluation's business
//! (`benches/src/eval`).

use std::path::Path;
use std::process::Stdio;

use anyhow::{Context as _, Result, bail};

use crate::invocation::Invocation;
use crate::{checkout, toolbox};

const DOCUMENT: &str = "docs/search.md";
const BEGIN: &str = "<!-- evaluation: begin (written by `cargo xtask eval-search --write`) -->";
const END: &str = "<!-- evaluation: end -->";

/// What `eval-search` may be asked for.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Ask the half of the queries that may be looked at while tuning
    #[arg(long, conflicts_with = "write")]
    tune: bool,
    /// Put the table into docs/search.md
    #[arg(long)]
    write: bool,
    /// Leave the sentence encoder out
    #[arg(long, conflicts_with = "write")]
    no_encoder: bool,
    /// What to try, as NAME=VALUE: lexical, vector, vector_of_names, symbol, neighbours, relevance; only=SET
    #[arg(conflicts_with = "write")]
    weights: Vec<String>,
}

/// Runs, shows and perhaps writes.
pub(crate) fn run(root: &Path, options: &Options) -> Result<()> {
    let args = ["run", "--release", "--package", "windlass-benches", "--bin", "windlass-eval-search", "--"];
    let mut evaluation = Invocation::cargo(root, &args);
    if options.tune {
        evaluation = evaluation.arg("tune");
    }
    let target_folder = checkout::read_workspace(root)?.target_folder;
    if !options.no_encoder {
        let folder = toolbox::ENCODER.find_or_install(root, &target_folder)?;
        evaluation = evaluation.arg(format!("encoder={}", folder.display()));
        evaluation = evaluation.arg(format!("cache={}", target_folder.join("eval-cache").display()));
    }
    for weight in &options.weights {
        evaluation = evaluation.arg(weight);
    }
    let child = evaluation.command().stdout(Stdio::piped()).spawn();
    let output = child.and_then(|child| child.wait_with_output());
    let output = output.with_context(|| format!("cannot run `{evaluation}`"))?;
    let table = String::from_utf8_lossy(&output.stdout);
    print!("{table}");
    if options.write {
        let path = root.join(DOCUMENT);
        let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {DOCUMENT}"))?;
        std::fs::write(&path, update(&text, &table)?).with_context(|| format!("cannot write {DOCUMENT}"))?;
        println!("{DOCUMENT} written");
    }
    if !output.status.success() {
        bail!("`{evaluation}` failed");
    }
    Ok(())
}

/// The document with this table.
fn update(text: &str, table: &str) -> Result<String> {
    let rows: String =
        table.lines().filter(|line| line.starts_with('|')).flat_map(|line| [line, "\n"]).collect();
    if rows.is_empty() {
        bail!("the evaluation printed no table: {DOCUMENT} is left as it is");
    }
    let missing =
        || format!("{DOCUMENT} lacks the lines `{BEGIN}` and `{END}`: add them where the table belongs");
    let (before, rest) = text.split_once(BEGIN).with_context(missing)?;
    let (_, after) = rest.split_once(END).with_context(missing)?;
    Ok(format!("{before}{BEGIN}\n{rows}{END}{after}"))
}

#[cfg(test)]
#[path = "eval_search_tests.rs"]
mod tests;
