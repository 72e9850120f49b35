//! How a test names a statement: in its name (`e_17_defaults_are_injected`) or in a label (`E-17`).
//!
//! A label is a string or a comment in a test, or anywhere in a test file. Tests of the web app name statements in
//! their titles alone (`it('S-25: …')`). An ignored test proves nothing. A number in a module header proves nothing
//! either: it tells what the file is about.
//!
//! The statements of use (U) are proven where people stand: by the name of a test that drives the binary, the library as
//! linked, or the browser. A label proves none of them, and a name elsewhere is an error.

use std::collections::BTreeSet;

use anyhow::{Result, bail};

use super::catalogue::{Id, USE};
use super::web_titles;
use crate::checkout::TextFile;
use crate::rust_source::{self, RustSource, TestFn};

/// Where tests and scripts live. The house's own commands prove nothing about the product.
const PLACES: [&str; 5] = ["crates/", "benches/", "examples/", "fixtures/", "web/"];

/// Where tests drive what a user runs, and what that is.
const PLACES_OF_USE: [(&str, &str); 3] = [
    ("crates/windlass-cli/tests/", "binary"),
    ("crates/windlass/tests/", "library"),
    ("web/e2e/", "browser"),
];

/// What a test drives that no user runs as it is.
const UNIT: &str = "unit";

/// One place that names one statement.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Proof {
    pub(super) id: Id,
    /// Whether only a label names it; tests named for the statement come first.
    pub(super) by_label: bool,
    /// `crate::test`, or the file where no test function encloses the label.
    pub(super) test: String,
    path: String,
    line: usize,
}

impl Proof {
    /// Whether it counts: a label does not, for a statement of use.
    fn counts(&self) -> bool {
        self.id.system != USE || !self.by_label || self.path.starts_with("web/e2e/")
    }

    /// Whether it names a statement of use where nobody uses the product.
    fn is_misplaced(&self) -> bool {
        self.id.system == USE && !PLACES_OF_USE.iter().any(|(place, _)| self.path.starts_with(place))
    }

    /// What it drives: the binary, the library as linked, the browser, or a part by itself.
    pub(super) fn driven(&self) -> &'static str {
        let place = PLACES_OF_USE.iter().find(|(place, _)| self.path.starts_with(place));
        place.map_or(UNIT, |(_, driven)| driven)
    }

    /// Whether a test drives what a user runs; a note in a file is none.
    pub(super) fn is_of_use(&self) -> bool {
        self.driven() != UNIT && self.test != self.path
    }

    /// Path and line, for a person.
    pub(super) fn place(&self) -> String {
        format!("{}:{}", self.path, self.line)
    }
}

/// Every proof in these files, sorted, one for each statement and test.
pub(super) fn find(files: &[TextFile]) -> Result<Vec<Proof>> {
    let mut proofs = Vec::new();
    for file in files.iter().filter(|file| PLACES.iter().any(|place| file.path.starts_with(place))) {
        if file.is_rust() {
            proofs.extend(in_rust(file, &rust_source::parse_file(file)?));
        } else if web_titles::is_web_test(&file.path) {
            proofs.extend(in_web_test(file));
        } else if file.path.ends_with(".script") {
            for (index, line) in file.text.lines().enumerate() {
                proofs
                    .extend(labels(line).into_iter().map(|id| proof(file, id, true, &file.path, index + 1)));
            }
        }
    }
    proofs.retain(Proof::counts);
    let misplaced = proofs.iter().filter(|proof| proof.is_misplaced());
    let lines: Vec<_> = misplaced.map(|proof| format!("  {} at {}", proof.id, proof.place())).collect();
    if !lines.is_empty() {
        let places = PLACES_OF_USE.map(|(place, _)| place).join(", ");
        bail!("statements of use are proven in {places} alone:\n{}", lines.join("\n"));
    }
    proofs.sort();
    let mut seen = BTreeSet::new();
    proofs.retain(|proof| seen.insert((proof.id, proof.test.clone())));
    Ok(proofs)
}

fn proof(file: &TextFile, id: Id, by_label: bool, test: &str, line: usize) -> Proof {
    Proof { id, by_label, test: test.to_owned(), path: file.path.clone(), line }
}

fn in_web_test(file: &TextFile) -> Vec<Proof> {
    let titles = web_titles::titles(&file.text).into_iter().filter(|title| !title.is_skipped);
    titles
        .flat_map(|title| {
            let name = format!("web: {}", title.shown());
            let is_named =
                labels(&title.text).first().is_some_and(|id| title.text.starts_with(&id.to_string()));
            labels(&title.text).into_iter().map(move |id| proof(file, id, !is_named, &name, title.line))
        })
        .collect()
}

fn in_rust(file: &TextFile, source: &RustSource) -> Vec<Proof> {
    let tests = source.tests();
    let room = file.room().unwrap_or("examples");
    let mut proofs = Vec::new();
    for test in tests.iter().filter(|test| !test.ignored) {
        let name = format!("{room}::{}", test.name);
        proofs.extend(
            ids_of_name(&test.name).into_iter().map(|id| proof(file, id, false, &name, test.line_first)),
        );
    }
    let comments = source.comments.iter().filter(|comment| !comment.text.starts_with("//!"));
    let notes = comments.map(|comment| (comment.line, comment.text.as_str()));
    let texts = source.texts();
    for (line, text) in notes.chain(texts.iter().map(|text| (text.line, text.text.as_str()))) {
        let ids = labels(text);
        if ids.is_empty() {
            continue;
        }
        match enclosing(&tests, source, line) {
            Some(test) if test.ignored => {}
            Some(test) => {
                let name = format!("{room}::{}", test.name);
                proofs.extend(ids.into_iter().map(|id| proof(file, id, true, &name, line)));
            }
            None if file.is_test() => {
                proofs.extend(ids.into_iter().map(|id| proof(file, id, true, &file.path, line)))
            }
            None => {}
        }
    }
    proofs
}

/// The test a line belongs to: inside it, or in the comment directly above it.
fn enclosing<'a>(tests: &'a [TestFn], source: &RustSource, line: usize) -> Option<&'a TestFn> {
    let mut below = line;
    while source.comments.iter().any(|comment| comment.line == below) {
        below += 1;
    }
    let holds =
        |test: &&TestFn| (test.line_first..=test.line_last).contains(&line) || test.line_first == below;
    // Tests inside tests do not exist; the innermost is the one that starts last.
    tests.iter().filter(holds).max_by_key(|test| test.line_first)
}

/// The leading `e_17_` parts of a test's name, as many as there are.
fn ids_of_name(name: &str) -> Vec<Id> {
    let mut words = name.split('_');
    let mut ids = Vec::new();
    while let (Some(letter), Some(digits)) = (words.next(), words.next()) {
        let mut letters = letter.chars();
        match (letters.next(), letters.next()) {
            (Some(letter), None) => match Id::new(letter, digits) {
                Some(id) => ids.push(id),
                None => break,
            },
            _ => break,
        }
    }
    ids
}

/// Every `E-17` in a text that stands alone: `1E-5`, `CR-1` and `E-17a` are something else.
fn labels(text: &str) -> Vec<Id> {
    let mut ids = Vec::new();
    for (at, _) in text.match_indices('-') {
        let (before, after) = text.split_at(at);
        let mut backwards = before.chars().rev();
        let Some(letter) = backwards.next().filter(char::is_ascii_uppercase) else { continue };
        let joined = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        if backwards.next().is_some_and(joined) {
            continue;
        }
        let digits: String = after.chars().skip(1).take_while(char::is_ascii_digit).collect();
        let mut rest = after.chars().skip(1 + digits.len());
        let next = rest.next();
        if !next.is_some_and(|c| c.is_alphanumeric() || c == '_') {
            ids.extend(Id::new(letter, &digits));
        }
    }
    ids
}

#[cfg(test)]
#[path = "proofs_tests.rs"]
mod tests;
