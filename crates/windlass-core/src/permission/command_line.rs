//! Command lines against patterns, where the line leaves open what it runs: unknown parts can be anything.
//!
//! Knows what `text/shell` reads out of a line, and no rule.

use crate::text::shell::{HOME, ProgramRun, STRANGE, UNKNOWN, is_wrapper, possible_runs};

/// A character of a pattern, or a gap for any text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PatternPiece {
    Char(char),
    Any,
}

/// A character of a line, or what stands for some.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LinePiece {
    Char(char),
    /// `?`, `[…]`
    One,
    /// `*`, and parts that only the running shell knows.
    Any,
}

/// Characters of a run that are compared; what follows could be anything.
const COMPARED_MAX: usize = 4_096;
/// Ways to leave out flags before a subcommand that are looked at.
const VARIANTS_MAX: usize = 16;

/// Whether a pattern and a line could mean the same command, whatever stands in the gaps of both.
pub(super) fn could_be(pattern: &[PatternPiece], line: &str) -> bool {
    let line = pieces_of(line);
    // Which beginnings of the line fit the pattern so far: one row for each piece of the pattern.
    let mut row = vec![false; line.len() + 1];
    if let Some(first) = row.first_mut() {
        *first = true;
    }
    spread(&mut row, &line);
    for piece in pattern {
        let mut next = vec![false; line.len() + 1];
        match piece {
            PatternPiece::Any => {
                let mut is_open = false;
                for (place, fits) in next.iter_mut().zip(&row) {
                    is_open |= *fits;
                    *place = is_open;
                }
            }
            PatternPiece::Char(c) => {
                for ((at, own), fits) in line.iter().enumerate().zip(&row) {
                    if !fits {
                        continue;
                    }
                    match own {
                        // It may stand for this character and more, or for nothing, which `spread` has seen to.
                        LinePiece::Any => set(&mut next, at),
                        LinePiece::One => set(&mut next, at + 1),
                        LinePiece::Char(own) if own == c => set(&mut next, at + 1),
                        LinePiece::Char(_) => {}
                    }
                }
            }
        }
        spread(&mut next, &line);
        row = next;
    }
    row.last().copied().unwrap_or(false)
}

fn set(row: &mut [bool], at: usize) {
    if let Some(place) = row.get_mut(at) {
        *place = true;
    }
}

/// Gaps of the line may stand for nothing.
fn spread(row: &mut [bool], line: &[LinePiece]) {
    for (at, piece) in line.iter().enumerate() {
        if *piece == LinePiece::Any && row.get(at).copied().unwrap_or(false) {
            set(row, at + 1);
        }
    }
}

fn pieces_of(line: &str) -> Vec<LinePiece> {
    let mut pieces = Vec::new();
    for (number, word) in line.split(' ').enumerate() {
        if number > 0 {
            pieces.push(LinePiece::Char(' '));
        }
        // A brace that was not worked out can be anything.
        if word.contains('{') && word.contains(',') && word.contains('}') {
            pieces.push(LinePiece::Any);
            continue;
        }
        let mut chars = word.chars();
        while let Some(c) = chars.next() {
            pieces.push(match c {
                '*' | UNKNOWN | STRANGE | HOME => LinePiece::Any,
                '?' => LinePiece::One,
                '[' if chars.as_str().contains(']') => {
                    chars = chars.as_str().split_once(']').map_or("", |(_, after)| after).chars();
                    LinePiece::One
                }
                c => LinePiece::Char(c),
            });
        }
    }
    if pieces.len() > COMPARED_MAX {
        pieces.truncate(COMPARED_MAX);
        pieces.push(LinePiece::Any);
    }
    pieces
}

/// The lines by which rules may name a run: as it stands, and with the flags before its subcommand left out
/// (`git -C x push` is `git push`).
pub(super) fn lines_of(run: &ProgramRun) -> Vec<String> {
    let mut lines = vec![run.line()];
    let is_flag = |arg: &String| arg.starts_with(['-', '+']);
    let mut after_flag = false;
    for (at, arg) in run.args.iter().enumerate().take(VARIANTS_MAX) {
        let may_be_value = after_flag;
        after_flag = is_flag(arg);
        if at > 0 && !after_flag {
            let rest = run.args.get(at..).unwrap_or_default();
            lines.push(format!("{} {}", run.program, rest.join(" ")));
        }
        if !after_flag && !may_be_value {
            break;
        }
    }
    lines
}

/// Whether a line that an allow rule matches by its words runs anything that the rule does not name. `text` is the
/// rule's pattern: a wrapper that it names itself (`sudo apt *`) is allowed with what comes behind it.
pub(super) fn runs_beside(line: &str, text: &str, is_named: impl Fn(&str) -> bool) -> bool {
    let first = text.split([' ', '*']).next().unwrap_or_default();
    let first = first.rsplit('/').next().unwrap_or(first);
    if is_wrapper(first) || first.is_empty() {
        return false;
    }
    let runs = possible_runs(line);
    let is_beside = |run: &ProgramRun| run.is_unknown() || (run.program != first && !is_named(&run.line()));
    runs.iter().any(is_beside)
}

#[cfg(test)]
#[path = "command_line_tests.rs"]
mod tests;
