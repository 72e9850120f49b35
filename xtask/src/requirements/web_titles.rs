//! The titles of the web app's tests: `it('S-25: …')`, `test.each(cases)("R-30 …")`.
//!
//! Reads characters, not syntax: a call of `it` or `test` whose first argument is a text is a test. Knows nothing of
//! statements.

/// What a test of the web app is called.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Title {
    pub(crate) text: String,
    /// Where it stands, from 1.
    pub(crate) line: usize,
    /// Whether the test is not run.
    pub(crate) is_skipped: bool,
}

impl Title {
    /// The title as a table can have it.
    pub(crate) fn shown(&self) -> String {
        self.text.replace('`', "'").replace('|', "/")
    }
}

/// Modifiers that keep a test from being run, or turn it round.
const SKIPPING: [&str; 3] = ["skip", "todo", "fails"];

/// Whether a file holds tests of the web app.
pub(crate) fn is_web_test(path: &str) -> bool {
    path.starts_with("web/")
        && path.ends_with(".ts")
        && (path.ends_with(".test.ts") || path.starts_with("web/e2e/"))
}

/// Every test of a file, in order.
pub(crate) fn titles(text: &str) -> Vec<Title> {
    let mut titles = Vec::new();
    for word in ["it", "test"] {
        for (at, _) in text.match_indices(word) {
            let (before, rest) = (text.get(..at).unwrap_or_default(), text.get(at + word.len()..));
            if is_word_start(before)
                && !is_in_comment(before)
                && let Some((title, is_skipped)) = rest.and_then(read_call)
            {
                titles.push(Title { text: title, line: before.matches('\n').count() + 1, is_skipped });
            }
        }
    }
    titles.sort_by_key(|title| title.line);
    titles
}

fn is_word_start(before: &str) -> bool {
    !before.chars().next_back().is_some_and(|c| c.is_alphanumeric() || "_$.'\"`".contains(c))
}

fn is_in_comment(before: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default().trim_start();
    line.starts_with("//") || line.starts_with('*') || line.starts_with("/*")
}

/// The title of a call, and whether its test is skipped: `.skip('…'`, `.each([…])('…'`, `('…'`.
fn read_call(mut rest: &str) -> Option<(String, bool)> {
    let mut is_skipped = false;
    while let Some(after) = rest.strip_prefix('.') {
        let end = after.find(|c: char| !c.is_alphanumeric()).unwrap_or(after.len());
        let (modifier, then) = after.split_at_checked(end)?;
        is_skipped |= SKIPPING.contains(&modifier);
        rest =
            if ["each", "for", "skipIf", "runIf"].contains(&modifier) { behind_parens(then)? } else { then };
    }
    let argument = rest.strip_prefix('(')?.trim_start();
    let quote = argument.chars().next().filter(|c| "'\"`".contains(*c))?;
    read_text(argument.get(1..)?, quote).map(|title| (title, is_skipped))
}

/// What follows the closing parenthesis of the one that opens here.
fn behind_parens(text: &str) -> Option<&str> {
    let mut depth = 0_usize;
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '(' => depth += 1,
            ')' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return text.get(at + 1..);
                }
            }
            '\'' | '"' | '`' => {
                // Parentheses in texts are none.
                while let Some((_, inner)) = chars.next() {
                    if inner == '\\' {
                        chars.next();
                    } else if inner == c {
                        break;
                    }
                }
            }
            _ if depth == 0 && !c.is_whitespace() => return None,
            _ => {}
        }
    }
    None
}

fn read_text(text: &str, quote: char) -> Option<String> {
    let mut title = String::new();
    let mut chars = text.chars();
    loop {
        match chars.next()? {
            '\\' => title.extend(chars.next()),
            c if c == quote => return Some(title),
            c => title.push(c),
        }
    }
}

#[cfg(test)]
#[path = "web_titles_tests.rs"]
mod tests;
