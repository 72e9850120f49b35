//! Finding the body of a function in the text of a script, past everything that only looks like one: comments, texts
//! and letters. Knows no more of the language; who asks must do without where nothing is found.

use std::ops::Range;

/// Texts inside of texts that are followed.
const NESTING_MAX: usize = 16;

/// Where a function is written.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FunctionSpan {
    /// What is between its braces, in bytes.
    pub(crate) range: Range<usize>,
    pub(crate) param: Option<String>,
}

/// Finds the function of this name with one parameter, or with none.
pub(crate) fn find_body(text: &str, name: &str, takes_args: bool) -> Option<FunctionSpan> {
    let mut scan = ScriptScan { text, at: 0 };
    while let Some(token) = scan.next(0)? {
        if token != "fn" {
            if is_open(token) {
                scan.skip_block(0)?;
            }
            continue;
        }
        if scan.next(0)?? != name {
            continue;
        }
        let params = scan.params()?;
        if scan.next(0)?? != "{" {
            return None;
        }
        let start = scan.at;
        scan.skip_block(0)?;
        let range = start..scan.at.checked_sub(1)?;
        let is_empty = text.get(range.clone())?.trim().is_empty();
        if params.len() == usize::from(takes_args) && !is_empty {
            return Some(FunctionSpan { range, param: params.into_iter().next() });
        }
    }
    None
}

fn is_open(token: &str) -> bool {
    matches!(token, "{" | "(" | "[")
}

/// Goes through a text word by word and sign by sign. Everything gives none where the text ends too early.
struct ScriptScan<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> ScriptScan<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn take(&mut self, bytes: usize) -> &'a str {
        let taken = self.rest().get(..bytes).unwrap_or_default();
        self.at = self.at.saturating_add(taken.len());
        taken
    }

    /// The next word or sign that is code.
    fn next(&mut self, nesting: usize) -> Option<Option<&'a str>> {
        loop {
            let rest = self.rest();
            let Some(first) = rest.chars().next() else { return Some(None) };
            let hashes = rest.len() - rest.trim_start_matches('#').len();
            if first.is_whitespace() {
                self.take(first.len_utf8());
            } else if rest.starts_with("//") {
                self.take(rest.find('\n').unwrap_or(rest.len()));
            } else if rest.starts_with("/*") {
                self.skip_comment()?;
            } else if hashes > 0 && rest.get(hashes..)?.starts_with('"') {
                self.skip_raw(hashes)?;
            } else if first == '"' || first == '\'' {
                self.skip_quoted(first)?;
            } else if first == '`' {
                self.skip_template(nesting)?;
            } else {
                let is_word = |c: char| c.is_alphanumeric() || c == '_';
                let word = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
                return Some(Some(self.take(word.max(first.len_utf8()))));
            }
        }
    }

    /// Comments stand inside comments.
    fn skip_comment(&mut self) -> Option<()> {
        let mut open = 0_usize;
        loop {
            let rest = self.rest();
            if rest.starts_with("/*") {
                open = open.saturating_add(1);
                self.take(2);
            } else if rest.starts_with("*/") {
                open = open.saturating_sub(1);
                self.take(2);
                if open == 0 {
                    return Some(());
                }
            } else {
                self.take(rest.chars().next()?.len_utf8());
            }
        }
    }

    /// `#"…"#`, with as many signs at its end as at its beginning.
    fn skip_raw(&mut self, hashes: usize) -> Option<()> {
        let end = format!("\"{}", "#".repeat(hashes));
        self.take(hashes.saturating_add(1));
        let length = self.rest().find(&end)?;
        self.take(length.saturating_add(end.len()));
        Some(())
    }

    fn skip_quoted(&mut self, quote: char) -> Option<()> {
        self.take(1);
        loop {
            let next = self.rest().chars().next()?;
            self.take(next.len_utf8());
            if next == quote {
                return Some(());
            }
            if next == '\\' {
                let escaped = self.rest().chars().next()?;
                self.take(escaped.len_utf8());
            }
        }
    }

    /// A text with code in it.
    fn skip_template(&mut self, nesting: usize) -> Option<()> {
        if nesting > NESTING_MAX {
            return None;
        }
        self.take(1);
        loop {
            let rest = self.rest();
            let next = rest.chars().next()?;
            if rest.starts_with("${") {
                self.take(2);
                self.skip_block(nesting.saturating_add(1))?;
                continue;
            }
            self.take(next.len_utf8());
            if next == '`' {
                return Some(());
            }
        }
    }

    /// To the end of a block whose beginning was read.
    fn skip_block(&mut self, nesting: usize) -> Option<()> {
        let mut open = 1_usize;
        while open > 0 {
            match self.next(nesting)?? {
                token if is_open(token) => open = open.saturating_add(1),
                "}" | ")" | "]" => open = open.saturating_sub(1),
                _ => {}
            }
        }
        Some(())
    }

    /// The names between the parentheses that come next.
    fn params(&mut self) -> Option<Vec<String>> {
        if self.next(0)?? != "(" {
            return None;
        }
        let mut names = Vec::new();
        loop {
            match self.next(0)?? {
                ")" => return Some(names),
                "," => {}
                name => names.push(name.to_owned()),
            }
        }
    }
}

#[cfg(test)]
#[path = "span_tests.rs"]
mod tests;
