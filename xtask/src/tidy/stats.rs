//! `cargo xtask tidy --stats`: the house in figures.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::rooms::CORE;
use super::type_names::TypeNames;
use super::{Checkout, ParsedFile, budgets};
use crate::command_line::CommandLine;
use crate::rust_source::LineCounts;

/// A doc comment of so few words says what the name beside it says already.
const STUB_WORDS_MAX: usize = 3;

#[derive(Default)]
struct RoomSize {
    files: usize,
    shipped: LineCounts,
    test_lines: usize,
    tests: usize,
}

/// A few lines for a person; the last is the sum.
pub(super) fn describe(house: &Checkout) -> String {
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
    out.push_str(&measures(house));
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

/// What the second plan of the house is measured by.
fn measures(house: &Checkout) -> String {
    let mut out = String::new();
    let sources: Vec<_> = house.rust.iter().filter(|parsed| !parsed.file.is_test()).collect();
    let lines: usize = sources.iter().map(|parsed| parsed.file.text.lines().count()).sum();
    let _ = writeln!(out, "lines             {lines} outside tests, in {} files", sources.len());
    if let Some((folder, modules)) = budgets::folders(house).into_iter().max_by_key(|(_, modules)| *modules) {
        let _ = writeln!(
            out,
            "widest folder     {folder} ({modules} modules of {})",
            budgets::FOLDER_MODULES_MAX
        );
    }
    let (names, shared) = (TypeNames::of(house), TypeNames::of(house).shared().len());
    let permille = (shared * 1_000).checked_div(names.count()).unwrap_or(0);
    let most: Vec<_> =
        names.shared().iter().take(5).map(|(name, files)| format!("{name} ×{files}")).collect();
    let _ = writeln!(
        out,
        "type names        {} in more than one file of {} ({}.{} %; {})",
        shared,
        names.count(),
        permille / 10,
        permille % 10,
        most.join(", ")
    );
    for (what, found) in [
        ("stub docs", sources.iter().map(|parsed| stub_docs(parsed)).sum::<usize>()),
        ("why-comments", sources.iter().map(|parsed| comments_of(parsed, is_why)).sum()),
    ] {
        let each = (found * 10_000).checked_div(lines).unwrap_or(0);
        let _ = writeln!(out, "{what:<18}{found} ({}.{} in 1,000 lines)", each / 10, each % 10);
    }
    let is_unsafe = |parsed: &&&ParsedFile| {
        parsed.source.paths().iter().any(|path| path.segments.iter().any(|word| word == "unsafe_code"))
    };
    let unsafe_files: Vec<_> =
        sources.iter().filter(is_unsafe).map(|parsed| parsed.file.path.as_str()).collect();
    let _ = writeln!(
        out,
        "unsafe allowed in {}",
        if unsafe_files.is_empty() { "no file".to_owned() } else { unsafe_files.join(", ") }
    );
    if let Some(crates) = default_build(house) {
        let _ = writeln!(out, "default build     {crates} crates");
    }
    out
}

/// Crates that `cargo run` compiles, as the lock file has them; nothing where cargo cannot tell without a network.
fn default_build(house: &Checkout) -> Option<usize> {
    let args = ["tree", "--offline", "--prefix=none", "--edges=normal,build", "--format={p}"];
    let text = CommandLine::cargo(&house.root, &args).output().ok()?;
    let names: std::collections::BTreeSet<_> =
        text.lines().map(|line| line.trim_end_matches(" (*)").trim_end_matches(" (proc-macro)")).collect();
    Some(names.iter().filter(|line| !line.is_empty()).count())
}

fn is_why(text: &str) -> bool {
    !text.starts_with("///") && !text.starts_with("//!")
}

fn comments_of(parsed: &ParsedFile, wanted: fn(&str) -> bool) -> usize {
    parsed.source.comments.iter().filter(|comment| wanted(comment.text.trim_start())).count()
}

/// Doc comments of one line and a few words.
fn stub_docs(parsed: &ParsedFile) -> usize {
    let docs: Vec<_> =
        parsed.source.comments.iter().filter(|comment| comment.text.starts_with("///")).collect();
    let alone = |index: usize| {
        let line = docs.get(index).map_or(0, |doc| doc.line);
        let beside = |other: Option<&&crate::rust_source::Comment>, at: usize| {
            other.is_some_and(|other| other.line == at)
        };
        !beside(index.checked_sub(1).and_then(|before| docs.get(before)), line.saturating_sub(1))
            && !beside(docs.get(index + 1), line + 1)
    };
    let is_short = |text: &str| text.trim_start_matches('/').split_whitespace().count() <= STUB_WORDS_MAX;
    docs.iter().enumerate().filter(|(index, doc)| is_short(&doc.text) && alone(*index)).count()
}

fn sizes(house: &Checkout) -> BTreeMap<&str, RoomSize> {
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
