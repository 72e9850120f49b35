//! `cargo xtask tidy --stats`: the house in figures.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::rooms::CORE;
use super::{House, budgets};
use crate::rust_source::LineCounts;

#[derive(Default)]
struct RoomSize {
    files: usize,
    shipped: LineCounts,
    test_lines: usize,
    tests: usize,
}

/// A few lines for a person; the last is the sum.
pub(super) fn describe(house: &House) -> String {
    let mut out = String::new();
    let lines = |text: &str| text.lines().count();
    let outside_tests = || house.rust.iter().filter(|parsed| !parsed.file.is_test());
    if let Some(largest) = outside_tests().max_by_key(|parsed| lines(&parsed.file.text)) {
        let count = lines(&largest.file.text);
        let _ = writeln!(
            out,
            "largest file      {} ({count} lines of {})",
            largest.file.path,
            budgets::FILE_LINES_MAX
        );
    }
    let functions = outside_tests().flat_map(|parsed| {
        budgets::functions(parsed).into_iter().map(move |function| (&parsed.file.path, function))
    });
    if let Some((path, longest)) = functions.max_by_key(|(_, function)| function.lines) {
        let (name, line, count) = (&longest.name, longest.line, longest.lines);
        let _ = writeln!(
            out,
            "longest function  `{name}` at {path}:{line} ({count} lines of {})",
            budgets::FUNCTION_LINES_MAX
        );
    }
    if let Some(core) = house.workspace.packages.iter().find(|package| package.name == CORE) {
        let is_ordinary = |name: &&String| !core.optional_dependencies.contains(name);
        let ordinary: Vec<_> = core.dependencies.iter().filter(is_ordinary).map(String::as_str).collect();
        let _ = writeln!(out, "core depends on   {}", ordinary.join(", "));
    }
    let _ = writeln!(
        out,
        "\n{:<20}{:>7}{:>9}{:>10}{:>8}{:>12}{:>7}",
        "crate", "files", "code", "comments", "share", "test lines", "tests"
    );
    let rooms = sizes(house);
    for (room, size) in &rooms {
        out.push_str(&row(room, size));
    }
    let mut sum = RoomSize::default();
    for size in rooms.values() {
        sum.files += size.files;
        sum.shipped.code += size.shipped.code;
        sum.shipped.comment += size.shipped.comment;
        sum.test_lines += size.test_lines;
        sum.tests += size.tests;
    }
    out.push_str(&row("all", &sum));
    out.push('\n');
    out
}

fn sizes(house: &House) -> BTreeMap<&str, RoomSize> {
    let mut rooms: BTreeMap<&str, RoomSize> = BTreeMap::new();
    for parsed in &house.rust {
        let size = rooms.entry(parsed.file.room().unwrap_or("(no crate)")).or_default();
        let counts = parsed.source.lines;
        size.tests += parsed.source.tests().len();
        if parsed.file.is_test() {
            size.test_lines += counts.code + counts.comment;
        } else {
            size.files += 1;
            size.shipped.code += counts.code;
            size.shipped.comment += counts.comment;
        }
    }
    rooms
}

fn row(room: &str, size: &RoomSize) -> String {
    let (code, comment) = (size.shipped.code, size.shipped.comment);
    let share = (comment * 100).checked_div(code + comment).unwrap_or(0);
    let (files, test_lines, tests) = (size.files, size.test_lines, size.tests);
    format!("{room:<20}{files:>7}{code:>9}{comment:>10}{share:>6} %{test_lines:>12}{tests:>7}\n")
}
