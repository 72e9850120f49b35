//! `cargo xtask requirements`: which statements of `docs/requirements.md` a named test proves.
//!
//! Owns the command and its report. [`catalogue`] knows the document, [`proofs`] knows how a test names a statement,
//! [`web_titles`] finds the tests of the web app, [`mod@column`] keeps the document's last column true. None of them judges whether a test proves well.

mod catalogue;
mod column;
mod proofs;
pub(crate) mod web_titles;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result, bail};

use crate::checkout;
use catalogue::{Catalogue, SYSTEMS, Statement};
use proofs::Proof;

/// The document.
const DOCUMENT: &str = "docs/requirements.md";

/// What `requirements` may be asked for.
#[derive(clap::Args, Default)]
pub(crate) struct RequirementsOptions {
    /// List every statement with the tests that prove it, and what each of them drives
    #[arg(long)]
    pub(crate) all: bool,
    /// Fail when the last column of the document is not what the tests say
    #[arg(long)]
    pub(crate) check_docs: bool,
    /// Write the last column of the document from the tests
    #[arg(long, conflicts_with = "check_docs")]
    pub(crate) write: bool,
    /// Print the counts only
    #[arg(long, conflicts_with = "all")]
    pub(crate) brief: bool,
}

/// Counts, lists and checks; an unknown number in a test is an error.
pub(crate) fn run(root: &Path, options: &RequirementsOptions) -> Result<()> {
    let text =
        std::fs::read_to_string(root.join(DOCUMENT)).with_context(|| format!("cannot read {DOCUMENT}"))?;
    let catalogue = Catalogue::parse(&text)?;
    let proofs = proofs::find(&checkout::read_files(root)?)?;
    refuse_unknown(&catalogue, &proofs)?;
    let proven = group(&proofs);
    print!("{}", report(&catalogue, &proven, options));
    let filled = column::fill(&text, &proven);
    if options.write && filled != text {
        std::fs::write(root.join(DOCUMENT), &filled).with_context(|| format!("cannot write {DOCUMENT}"))?;
        println!("{DOCUMENT} written");
    }
    if options.check_docs {
        column::check(&text, &filled)?;
    }
    Ok(())
}

type Proven<'a> = BTreeMap<catalogue::RequirementId, Vec<&'a Proof>>;

fn group(proofs: &[Proof]) -> Proven<'_> {
    let mut proven = Proven::new();
    for proof in proofs {
        proven.entry(proof.id).or_default().push(proof);
    }
    proven
}

fn refuse_unknown(catalogue: &Catalogue, proofs: &[Proof]) -> Result<()> {
    let unknown = proofs.iter().filter(|proof| !catalogue.contains(proof.id));
    let lines: Vec<_> = unknown.map(|proof| format!("  {} at {}", proof.id, proof.place())).collect();
    if !lines.is_empty() {
        bail!("tests name statements that {DOCUMENT} does not have:\n{}", lines.join("\n"));
    }
    Ok(())
}

fn report(catalogue: &Catalogue, proven: &Proven<'_>, options: &RequirementsOptions) -> String {
    let mut out = String::new();
    for (prefix, name) in SYSTEMS {
        let own: Vec<_> =
            catalogue.statements.iter().filter(|statement| statement.id.system == prefix).collect();
        let count = own.iter().filter(|statement| proven.contains_key(&statement.id)).count();
        let _ = writeln!(out, "{prefix}  {name:<14} {count:>3} of {:>3} proven", own.len());
    }
    let (done, open): (Vec<_>, Vec<_>) =
        catalogue.statements.iter().partition(|statement| proven.contains_key(&statement.id));
    let _ = writeln!(out, "   {:<14} {:>3} of {:>3} proven", "all", done.len(), catalogue.statements.len());
    if options.brief {
        return out;
    }
    if !open.is_empty() {
        out.push_str("\nnot proven:\n");
    }
    for statement in open {
        let _ = writeln!(out, "  {:<5} {}", statement.id.to_string(), statement.text);
    }
    if options.all {
        out.push_str("\nproven:\n");
        for statement in &done {
            let _ = writeln!(out, "  {:<5} {}", statement.id.to_string(), statement.text);
            for proof in proven.get(&statement.id).into_iter().flatten() {
                let _ = writeln!(out, "        {:<7}  {} ({})", proof.driven(), proof.test, proof.place());
            }
        }
        let below = |statement: &&&Statement| {
            statement.is_of_front_end()
                && !proven.get(&statement.id).into_iter().flatten().any(|proof| proof.is_of_use())
        };
        let below: Vec<_> = done.iter().filter(below).map(|statement| statement.id.to_string()).collect();
        let _ = writeln!(out, "\nof a front end, and proven on none: {}", one_line(&below));
    }
    out
}

fn one_line(ids: &[String]) -> String {
    if ids.is_empty() { "nothing".to_owned() } else { ids.join(", ") }
}

#[cfg(test)]
#[path = "requirements_tests.rs"]
mod tests;
