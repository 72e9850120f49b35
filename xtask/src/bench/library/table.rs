//! The table of `docs/library.md`: lines counted from the programs, everything else taken from the figures.

use std::path::Path;

use anyhow::{Context as _, Result};

use super::builds::{CLOCK, CPU, CRATES};
use super::steps::{AGAINST_FLOOR, STEP};
use super::{LIBRARIES, Language, Library, PROGRAMS, figure_name};
use crate::bench::Figure;

const DOCUMENT: &str = "docs/library.md";
const BEGIN: &str = "<!-- libraries: begin (written by `cargo xtask bench library --write`) -->";
const END: &str = "<!-- libraries: end -->";

/// The document with its table, as a path and a text.
pub(in crate::bench) fn document(root: &Path, figures: &[Figure]) -> Result<(String, String)> {
    let text =
        std::fs::read_to_string(root.join(DOCUMENT)).with_context(|| format!("cannot read {DOCUMENT}"))?;
    let missing = || format!("{DOCUMENT} lacks the lines `{BEGIN}` and `{END}`");
    let (before, rest) = text.split_once(BEGIN).with_context(missing)?;
    let (_, after) = rest.split_once(END).with_context(missing)?;
    Ok((DOCUMENT.to_owned(), format!("{before}{BEGIN}\n{}{END}{after}", table(root, figures)?)))
}

fn table(root: &Path, figures: &[Figure]) -> Result<String> {
    let head = LIBRARIES.map(|library| format!("{} {}", library.title, library.version).trim().to_owned());
    let mut table = row("", &head) + "|---|---|---|---|---|\n";
    for program in &PROGRAMS {
        let mut cells = Vec::new();
        for library in &LIBRARIES {
            let path = library.source(program.name);
            let source =
                std::fs::read_to_string(root.join(&path)).with_context(|| format!("cannot read {path}"))?;
            cells.push(format!("[{} lines](../{path})", count_lines(&source, library.language)));
        }
        table += &row(program.title, &cells);
    }
    let measured = |library: &Library, what: &str| {
        let name = figure_name(library.folder, what);
        figures.iter().find(|figure| figure.name == name).map_or("–", |figure| figure.measured.as_str())
    };
    type Cell<'a> = &'a dyn Fn(&Library) -> String;
    let rows: [(&str, Cell<'_>); 3] = [
        ("crates", &|library| measured(library, CRATES).trim_end_matches(" crates").to_owned()),
        (
            "first compilation, two cores",
            &|library| match (measured(library, CLOCK), measured(library, CPU)) {
                ("–", _) => "–".to_owned(),
                (clock, cpu) => format!("{clock} ({cpu})"),
            },
        ),
        ("a step, times the floor", &|library| {
            format!("{} ({})", measured(library, STEP), measured(library, AGAINST_FLOOR))
        }),
    ];
    for (title, cell) in rows {
        table += &row(title, &LIBRARIES.iter().map(cell).collect::<Vec<_>>());
    }
    Ok(table)
}

fn row(title: &str, cells: &[String]) -> String {
    format!("| {title} | {} |\n", cells.join(" | "))
}

/// Lines of code: no blank ones, no comments, and in Python no texts that stand for comments.
fn count_lines(source: &str, language: Language) -> usize {
    let mut is_inside = false;
    let is_code = |line: &&str| match language {
        Language::Rust => !line.is_empty() && !line.starts_with("//"),
        Language::Python => {
            const QUOTES: &str = "\"\"\"";
            let opens = !is_inside && line.starts_with(QUOTES);
            let is_text = is_inside || opens;
            let closes = line.ends_with(QUOTES) && !(opens && line.len() < 2 * QUOTES.len());
            is_inside = is_text && !closes;
            !is_text && !line.is_empty() && !line.starts_with('#')
        }
    };
    source.lines().map(str::trim).filter(is_code).count()
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
