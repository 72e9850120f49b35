//! Leftovers: nothing is marked unfinished, no code sleeps in comments.

use syn::parse::Parser as _;

use super::{Checkout, TidyFinding};

/// Marks of unfinished work, put together here so that this file does not carry them itself.
const MARKS: [&str; 3] = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("X", "XX")];
const UNFINISHED_MACROS: [&str; 2] = ["todo", "unimplemented"];
/// Files other than Rust whose comments are read, with how a comment starts there.
const COMMENT_STARTS: [(&str, &[&str]); 8] = [
    (".toml", &["#"]),
    (".sh", &["#"]),
    (".ci/run", &["#"]),
    (".ts", &["//", "/*"]),
    (".mjs", &["//", "/*"]),
    (".svelte", &["//", "/*", "<!--"]),
    (".css", &["/*"]),
    (".script", &["#"]),
];

/// No mark of unfinished work in a comment, no macro that stands for missing code.
pub(super) fn nothing_is_unfinished(house: &Checkout) -> Vec<TidyFinding> {
    let mut findings = Vec::new();
    let mut note = |path: &str, line: usize, mark: &str| {
        let text = format!("\"{mark}\" is left: finish it, or say in the issue tracker what is missing");
        findings.push(TidyFinding::new("unfinished", path, line, text));
    };
    for parsed in &house.rust {
        for comment in &parsed.source.comments {
            if let Some(mark) = mark_in(&comment.text) {
                note(&parsed.file.path, comment.line, mark);
            }
        }
        for call in parsed.source.macro_calls() {
            if UNFINISHED_MACROS.contains(&call.name.as_str()) {
                note(&parsed.file.path, call.line, &format!("{}!", call.name));
            }
        }
    }
    for file in house.texts.iter().filter(|file| !file.is_generated()) {
        let Some((_, starts)) = COMMENT_STARTS.iter().find(|(ending, _)| file.path.ends_with(ending)) else {
            continue;
        };
        for (index, line) in file.text.lines().enumerate() {
            let comment =
                starts.iter().filter_map(|start| line.find(start)).min().and_then(|at| line.get(at..));
            if let Some(mark) = comment.and_then(mark_in) {
                note(&file.path, index + 1, mark);
            }
        }
    }
    findings
}

fn mark_in(comment: &str) -> Option<&'static str> {
    let mut words = comment.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.find_map(|word| MARKS.into_iter().find(|mark| *mark == word))
}

/// No plain comment that is a statement.
pub(super) fn no_code_is_commented_out(house: &Checkout) -> Vec<TidyFinding> {
    let mut findings = Vec::new();
    for parsed in &house.rust {
        for comment in &parsed.source.comments {
            if is_code(&comment.text) {
                let text = "this comment is code: delete it, history keeps it";
                findings.push(TidyFinding::new("dead-code", &parsed.file.path, comment.line, text));
            }
        }
    }
    findings
}

/// A lone word with a semicolon would parse too, so there must be something only code has.
fn is_code(comment: &str) -> bool {
    let Some(text) = comment.strip_prefix("//").filter(|rest| !rest.starts_with(['/', '!'])) else {
        return false;
    };
    let text = text.trim();
    text.ends_with(';') && text.contains(['=', '(', '{']) && syn::Block::parse_within.parse_str(text).is_ok()
}

#[cfg(test)]
#[path = "leftovers_tests.rs"]
mod tests;
