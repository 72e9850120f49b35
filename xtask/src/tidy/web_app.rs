//! The web app: short files, one place where text becomes markup, no address but its own.
//!
//! Reads lines, not syntax: what a line says is enough for these rules. Built files and generated types are nobody's
//! handwriting.

use super::budgets::FILE_LINES_MAX;
use super::{Checkout, TidyFinding};
use crate::checkout::TextFile;

/// What people write in.
const ENDINGS: [&str; 5] = [".ts", ".svelte", ".css", ".mjs", ".js"];
/// The one component that turns text into markup; what it shows is sanitised.
const MARKUP_HOME: &str = "web/src/transcript/Markdown.svelte";
/// Ways past the escaping of texts.
const RAW_MARKUP: [&str; 5] = ["{@html", ".innerHTML", ".outerHTML", "insertAdjacentHTML", "document.write("];
/// Names of vocabularies: nobody asks there.
const NAMESPACES: &str = "http://www.w3.org/";

/// The files of the web app that people write.
pub(super) fn sources(house: &Checkout) -> impl Iterator<Item = &TextFile> {
    house.texts.iter().filter(|file| {
        file.path.starts_with("web/")
            && !file.is_generated()
            && ENDINGS.iter().any(|ending| file.path.ends_with(ending))
    })
}

fn is_test(file: &TextFile) -> bool {
    file.path.ends_with(".test.ts") || file.path.starts_with("web/e2e/")
}

/// What the browser gets, tests apart.
fn shipped(house: &Checkout) -> impl Iterator<Item = &TextFile> {
    sources(house).filter(|file| file.path.starts_with("web/src/") && !is_test(file))
}

/// No file outside tests is longer than the budget.
pub(super) fn files_are_short(house: &Checkout) -> Vec<TidyFinding> {
    sources(house)
        .filter(|file| !is_test(file))
        .filter_map(|file| {
            let lines = file.text.lines().count();
            let text = format!("{lines} lines, {FILE_LINES_MAX} at most: split it by subject");
            (lines > FILE_LINES_MAX).then(|| TidyFinding::new("file-length", &file.path, 1, text))
        })
        .collect()
}

/// Only one component turns text into markup.
pub(super) fn one_component_writes_markup(house: &Checkout) -> Vec<TidyFinding> {
    let mut findings = Vec::new();
    for file in shipped(house).filter(|file| file.path != MARKUP_HOME) {
        for (line, text) in (1..).zip(file.text.lines()) {
            if let Some(way) = RAW_MARKUP.into_iter().find(|way| text.contains(way)) {
                let text =
                    format!("`{way}` shows text as markup: only {MARKUP_HOME} may, which sanitises it");
                findings.push(TidyFinding::new("raw-markup", &file.path, line, text));
            }
        }
    }
    findings
}

/// The app names no address: whatever it asks for, it asks the server that it came from.
pub(super) fn nothing_leaves_the_origin(house: &Checkout) -> Vec<TidyFinding> {
    let mut findings = Vec::new();
    for file in shipped(house) {
        for (line, text) in (1..).zip(file.text.lines()) {
            if let Some(address) = address_in(text) {
                let text = format!("names `{address}`: nothing of the app leaves its origin");
                findings.push(TidyFinding::new("origin", &file.path, line, text));
            }
        }
    }
    findings
}

fn address_in(line: &str) -> Option<String> {
    let starts = ["http://", "https://"].into_iter().flat_map(|scheme| line.match_indices(scheme));
    let mut addresses = starts.filter_map(|(at, _)| line.get(at..));
    let address = addresses.find(|address| !address.starts_with(NAMESPACES))?;
    Some(address.chars().take_while(|c| !c.is_whitespace() && !"'\"`<>)".contains(*c)).collect())
}

/// The type that a line of TypeScript declares.
pub(super) fn declared_type(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace();
    let mut word = words.next()?;
    while ["export", "default", "declare", "abstract", "const"].contains(&word) {
        word = words.next()?;
    }
    if !["class", "interface", "type", "enum"].contains(&word) {
        return None;
    }
    let name = words.next()?.split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    name.starts_with(char::is_uppercase).then_some(name)
}

#[cfg(test)]
#[path = "web_app_tests.rs"]
mod tests;
