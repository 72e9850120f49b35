//! The last column of the document: written from the tests, compared with them.

use std::fmt::Write as _;

use anyhow::{Result, bail};

use super::catalogue::Row;
use super::{DOCUMENT, Proven};

/// A row names this many tests; the command lists the rest.
const TESTS_NAMED_MAX: usize = 2;
const NONE: &str = "–";

/// The document with its last column made anew; every other line stays as it is.
pub(super) fn fill(text: &str, proven: &Proven<'_>) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        match Row::parse(line) {
            Some(row) => {
                let proofs = proven.get(&row.id).map(Vec::as_slice).unwrap_or_default();
                let names: Vec<_> = proofs.iter().map(|proof| proof.test.as_str()).collect();
                let _ = writeln!(out, "| {} | {} | {} |", row.id, row.statement, cell(&names));
            }
            None => {
                let _ = writeln!(out, "{line}");
            }
        }
    }
    out
}

fn cell(names: &[&str]) -> String {
    let mut cell: Vec<_> = names.iter().take(TESTS_NAMED_MAX).map(|name| format!("`{name}`")).collect();
    match names.len() {
        0 => return NONE.to_owned(),
        count if count > TESTS_NAMED_MAX => cell.push(format!("{} more", count - TESTS_NAMED_MAX)),
        _ => {}
    }
    cell.join(", ")
}

/// Fails with the first rows that are not what the tests say.
pub(super) fn check(text: &str, filled: &str) -> Result<()> {
    let rows = text
        .lines()
        .zip(filled.lines())
        .filter_map(|(is, should)| Some((Row::parse(is)?, Row::parse(should)?)));
    let wrong: Vec<_> = rows
        .filter(|(is, should)| is.proven_by != should.proven_by)
        .map(|(is, should)| {
            format!("  {}: the document says {}, the tests say {}", is.id, is.proven_by, should.proven_by)
        })
        .collect();
    if !wrong.is_empty() {
        bail!("{DOCUMENT} is out of date; run `cargo xtask requirements --write`:\n{}", wrong.join("\n"));
    }
    Ok(())
}
