//! Claims about safety name the tests that show them, and those tests are there.
//!
//! A claim is a bullet or a row of a table in the parts of SECURITY.md that promise something. A test is named in code marks: a
//! Rust test by its function, a test of the web app as `web: TITLE`. Whether a test shows what the claim says, a reader has to
//! see. What SECURITY.md says of the code itself is checked here, too.

use std::collections::BTreeSet;

use super::{Checkout, TidyFinding};
use crate::checkout::TextFile;
use crate::requirements::web_titles;

/// Documents in which tests are named.
const DOCUMENTS: [&str; 2] = ["SECURITY.md", "docs/safety.md"];

/// The document, and how its parts begin, in which every claim names a test.
const PROMISES: &str = "SECURITY.md";
const PROMISING: [&str; 2] = ["What is contained", "Threats"];

/// What a test of the web app is named by.
const WEB: &str = "web: ";

/// Names of tests are sentences; settings and tools have fewer words.
const UNDERSCORES_MIN: usize = 3;

/// Every test that a document names is a test that runs.
pub(super) fn named_tests_exist(house: &Checkout) -> Vec<TidyFinding> {
    let tests = tests_of(house);
    let mut findings = Vec::new();
    for file in DOCUMENTS.iter().filter_map(|path| document(house, path)) {
        for (line, text) in (1..).zip(file.text.lines()) {
            let missing = named(text).filter(|name| !tests.contains(*name));
            findings.extend(
                missing.map(|name| stale(file, line, format!("there is no test `{name}`, or it is skipped"))),
            );
        }
    }
    findings
}

/// Where code may be unsafe, as SECURITY.md says: where weights are mapped, and where numbers are loaded for instructions
/// of the processor. A lint denies it elsewhere unless a line allows it.
const UNSAFE: [&str; 2] = ["crates/windlass-local/src/file/mapped.rs", "crates/windlass-local/src/kernel/"];

/// No other code allows itself to be unsafe.
pub(super) fn unsafe_code_stands_where_it_is_said(house: &Checkout) -> Vec<TidyFinding> {
    let others = house.shipped().map(|parsed| &parsed.file).filter(|file| file.path.starts_with("crates/"));
    let others = others.filter(|file| !UNSAFE.iter().any(|room| file.path.starts_with(room)));
    let lines = others.flat_map(|file| {
        let lines = (1..).zip(file.text.lines()).filter(|(_, text)| text.contains("allow(unsafe_code)"));
        lines.map(move |(line, _)| {
            stale(file, line, "SECURITY.md says that no code here is unsafe".to_owned())
        })
    });
    lines.collect()
}

/// Every claim of the promising parts names a test.
pub(super) fn claims_name_their_tests(house: &Checkout) -> Vec<TidyFinding> {
    let Some(file) = document(house, PROMISES) else { return Vec::new() };
    let unproven = claims(&file.text).into_iter().filter(|claim| named(&claim.text).next().is_none());
    unproven.map(|claim| stale(file, claim.line, "no test is named for this claim".to_owned())).collect()
}

/// A bullet with the lines that belong to it, or a row.
struct SafetyClaim {
    line: usize,
    text: String,
}

fn claims(text: &str) -> Vec<SafetyClaim> {
    let lines: Vec<&str> = text.lines().collect();
    let mut claims: Vec<SafetyClaim> = Vec::new();
    let (mut is_promising, mut is_open) = (false, false);
    for (at, text) in lines.iter().copied().enumerate() {
        let below = lines.get(at + 1).copied().unwrap_or_default();
        if let Some(title) = text.strip_prefix("## ") {
            is_promising = PROMISING.iter().any(|begin| title.starts_with(begin));
            is_open = false;
        } else if is_promising && text.starts_with("- ") {
            claims.push(SafetyClaim { line: at + 1, text: text.to_owned() });
            is_open = true;
        } else if is_promising && is_row(text) && !is_row_of_dashes(text) && !is_row_of_dashes(below) {
            claims.push(SafetyClaim { line: at + 1, text: text.to_owned() });
            is_open = false;
        } else if let (true, true, Some(last)) = (is_open, text.starts_with(' '), claims.last_mut()) {
            last.text.push_str(text);
        } else {
            is_open = false;
        }
    }
    claims
}

fn is_row(text: &str) -> bool {
    text.starts_with('|')
}

/// The row between the head of a table and its rows.
fn is_row_of_dashes(text: &str) -> bool {
    is_row(text) && text.chars().all(|c| "|-: ".contains(c))
}

/// The tests that a text names.
fn named(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2).filter(|code| code.starts_with(WEB) || is_test_name(code))
}

fn is_test_name(code: &str) -> bool {
    let is_plain = code.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    is_plain && code.matches('_').count() >= UNDERSCORES_MIN
}

/// All tests that run, as documents name them.
fn tests_of(house: &Checkout) -> BTreeSet<String> {
    let of_rust = house.rust.iter().flat_map(|parsed| parsed.source.tests());
    let mut tests: BTreeSet<String> =
        of_rust.filter(|test| !test.ignored).map(|test| test.name.clone()).collect();
    for file in house.texts.iter().filter(|file| web_titles::is_web_test(&file.path)) {
        let titles = web_titles::titles(&file.text).into_iter().filter(|title| !title.is_skipped);
        tests.extend(titles.map(|title| format!("{WEB}{}", title.shown())));
    }
    tests
}

fn document<'a>(house: &'a Checkout, path: &str) -> Option<&'a TextFile> {
    house.texts.iter().find(|file| file.path == path)
}

fn stale(file: &TextFile, line: usize, text: String) -> TidyFinding {
    TidyFinding::new("claim", &file.path, line, text)
}
