//! A Rust file seen three ways: its syntax tree, its tokens and its comments.
//!
//! Owns parsing and the small facts every rule asks for: comments with lines, paths named, tests declared. Tokens are
//! looked at besides the tree because tests and paths also live inside macro calls, which the tree does not open.

use anyhow::{Context as _, Result};
use proc_macro2::{Delimiter, Group, LineColumn, TokenStream, TokenTree};
use syn::parse::Parser as _;

/// A parsed Rust file.
pub(crate) struct RustSource {
    pub(crate) syntax: syn::File,
    /// The comments, in order, one entry a line.
    pub(crate) comments: Vec<Comment>,
    /// Lines with code on them; lines with nothing but comment; empty lines.
    pub(crate) lines: LineCounts,
    tokens: TokenStream,
}

/// One line of comment.
pub(crate) struct Comment {
    /// Line, from 1.
    pub(crate) line: usize,
    /// The text with its marks (`//`, `///`, `//!`) still on.
    pub(crate) text: String,
}

/// How the lines of a file divide.
#[derive(Clone, Copy, Default)]
pub(crate) struct LineCounts {
    pub(crate) code: usize,
    pub(crate) comment: usize,
    pub(crate) blank: usize,
}

/// A path such as `std::fs::read`, as written or as a `use` tree spells it out.
pub(crate) struct NamedPath {
    pub(crate) line: usize,
    pub(crate) segments: Vec<String>,
}

/// A macro call, by its name.
pub(crate) struct MacroCall {
    pub(crate) line: usize,
    pub(crate) name: String,
}

/// A function with a test attribute.
pub(crate) struct TestFn {
    pub(crate) name: String,
    /// First line, attributes included.
    pub(crate) line_first: usize,
    /// Line of the closing brace.
    pub(crate) line_last: usize,
    /// Whether `#[ignore]` keeps it from running.
    pub(crate) ignored: bool,
}

pub(crate) struct StringLiteral {
    pub(crate) line: usize,
    pub(crate) text: String,
}

impl RustSource {
    /// Parses `text`; the error names the line.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let tokens: TokenStream =
            text.parse().map_err(|error| anyhow::anyhow!("does not parse as Rust: {error}"))?;
        let syntax = syn::parse2(tokens.clone()).map_err(|error| {
            anyhow::anyhow!("does not parse as Rust: line {}: {error}", error.span().start().line)
        })?;
        let (comments, lines) = split_comments(text, &tokens);
        Ok(Self { syntax, comments, lines, tokens })
    }

    /// Every path named anywhere, macros included; `use` trees are spelt out, a glob ends in `*`.
    pub(crate) fn paths(&self) -> Vec<NamedPath> {
        let mut found = Vec::new();
        collect_paths(&self.tokens, &mut found);
        found
    }

    /// Every macro call anywhere.
    pub(crate) fn macro_calls(&self) -> Vec<MacroCall> {
        let mut found = Vec::new();
        visit_levels(&self.tokens, &mut |level| {
            for pair in level.windows(2) {
                if let [TokenTree::Ident(name), TokenTree::Punct(mark)] = pair
                    && mark.as_char() == '!'
                    && mark.spacing() == proc_macro2::Spacing::Alone
                {
                    found.push(MacroCall { line: name.span().start().line, name: name.to_string() });
                }
            }
        });
        found
    }

    /// Every test function anywhere, also inside `proptest!` and its like.
    pub(crate) fn tests(&self) -> Vec<TestFn> {
        let mut found = Vec::new();
        visit_levels(&self.tokens, &mut |level| collect_tests(level, &mut found));
        found
    }

    /// Every string literal that is not a doc comment.
    pub(crate) fn texts(&self) -> Vec<StringLiteral> {
        let mut found = Vec::new();
        visit_levels(&self.tokens, &mut |level| {
            for token in level {
                if let TokenTree::Literal(literal) = token
                    && literal.to_string().contains('"')
                    && !literal.span().source_text().is_some_and(|text| text.starts_with('/'))
                {
                    found
                        .push(StringLiteral { line: literal.span().start().line, text: literal.to_string() });
                }
            }
        });
        found
    }
}

fn visit_levels(tokens: &TokenStream, visit: &mut dyn FnMut(&[TokenTree])) {
    let level: Vec<TokenTree> = tokens.clone().into_iter().collect();
    visit(&level);
    for token in &level {
        if let TokenTree::Group(group) = token {
            visit_levels(&group.stream(), visit);
        }
    }
}

fn collect_paths(tokens: &TokenStream, found: &mut Vec<NamedPath>) {
    let mut rest: &[TokenTree] = &tokens.clone().into_iter().collect::<Vec<_>>();
    while let [token, after @ ..] = rest {
        rest = after;
        match token {
            TokenTree::Group(group) => collect_paths(&group.stream(), found),
            TokenTree::Ident(word) if word == "use" => {
                let tree: TokenStream =
                    after.iter().take_while(|token| !is_punct(token, ';')).cloned().collect();
                // `use<'a>` in a bound is not an import; its tokens are then read like any other.
                if let Ok(tree) = syn::UseTree::parse_anywhere(tree) {
                    spell_out(&tree, &mut Vec::new(), word.span().start().line, found);
                    rest = after
                        .iter()
                        .position(|token| is_punct(token, ';'))
                        .map_or(&[], |end| after.get(end..).unwrap_or(&[]));
                }
            }
            TokenTree::Ident(word) => {
                let mut segments = vec![word.to_string()];
                while let [TokenTree::Punct(a), TokenTree::Punct(b), TokenTree::Ident(next), after @ ..] =
                    rest
                    && a.as_char() == ':'
                    && b.as_char() == ':'
                {
                    segments.push(next.to_string());
                    rest = after;
                }
                found.push(NamedPath { line: word.span().start().line, segments });
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

trait ParseAnywhere: Sized {
    fn parse_anywhere(tokens: TokenStream) -> syn::Result<Self>;
}

impl ParseAnywhere for syn::UseTree {
    fn parse_anywhere(tokens: TokenStream) -> syn::Result<Self> {
        let leading_colons = |input: syn::parse::ParseStream<'_>| {
            input.parse::<Option<syn::Token![::]>>()?;
            input.parse::<syn::UseTree>()
        };
        leading_colons.parse2(tokens)
    }
}

fn spell_out(tree: &syn::UseTree, before: &mut Vec<String>, line: usize, found: &mut Vec<NamedPath>) {
    let mut push = |last: Option<String>| {
        let segments = before.iter().cloned().chain(last).collect();
        found.push(NamedPath { line, segments });
    };
    match tree {
        syn::UseTree::Name(name) if name.ident == "self" => push(None),
        syn::UseTree::Name(name) => push(Some(name.ident.to_string())),
        syn::UseTree::Rename(rename) if rename.ident == "self" => push(None),
        syn::UseTree::Rename(rename) => push(Some(rename.ident.to_string())),
        syn::UseTree::Glob(_) => push(Some("*".to_owned())),
        syn::UseTree::Path(path) => {
            before.push(path.ident.to_string());
            spell_out(&path.tree, before, line, found);
            before.pop();
        }
        syn::UseTree::Group(group) => {
            group.items.iter().for_each(|item| spell_out(item, before, line, found))
        }
    }
}

fn collect_tests(level: &[TokenTree], found: &mut Vec<TestFn>) {
    let mut attributes: Vec<&Group> = Vec::new();
    let mut rest = level;
    while let [token, after @ ..] = rest {
        rest = after;
        match (token, after) {
            (TokenTree::Punct(mark), [TokenTree::Group(group), ..])
                if mark.as_char() == '#' && group.delimiter() == Delimiter::Bracket =>
            {
                attributes.push(group);
                rest = after.get(1..).unwrap_or(&[]);
            }
            (TokenTree::Ident(word), [TokenTree::Ident(name), ..]) if word == "fn" => {
                let body = after.iter().find_map(brace_group);
                if let (Some(body), true) =
                    (body, attributes.iter().any(|attribute| is_test_attribute(attribute)))
                {
                    let line_first =
                        attributes.first().map_or(word.span(), |first| first.span_open()).start().line;
                    found.push(TestFn {
                        name: name.to_string(),
                        line_first,
                        line_last: body.span_close().end().line,
                        ignored: attributes.iter().any(|attribute| {
                            attribute_path(attribute).first().is_some_and(|word| word == "ignore")
                        }),
                    });
                }
                attributes.clear();
            }
            // Words between the attributes and the name: `pub(crate) async unsafe extern "C" fn`.
            (TokenTree::Ident(word), _)
                if ["pub", "async", "unsafe", "extern", "const", "fn"].iter().any(|kept| word == kept) => {}
            (TokenTree::Group(group), _) if group.delimiter() == Delimiter::Parenthesis => {}
            (TokenTree::Literal(_), _) => {}
            _ => attributes.clear(),
        }
    }
}

fn brace_group(token: &TokenTree) -> Option<&Group> {
    match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => Some(group),
        _ => None,
    }
}

/// `#[test]`, `#[tokio::test]`, `#[tokio::test(flavor = "…")]`; never `#[cfg(test)]`.
fn is_test_attribute(attribute: &Group) -> bool {
    attribute_path(attribute).last().is_some_and(|word| word == "test")
}

fn attribute_path(attribute: &Group) -> Vec<String> {
    let part_of_path = |token: &TokenTree| matches!(token, TokenTree::Ident(_)) || is_punct(token, ':');
    let words = attribute.stream().into_iter().take_while(part_of_path);
    words.filter(|token| matches!(token, TokenTree::Ident(_))).map(|token| token.to_string()).collect()
}

fn is_punct(token: &TokenTree, mark: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == mark)
}

/// Blanks every literal out first: what then looks like a comment is one.
fn split_comments(text: &str, tokens: &TokenStream) -> (Vec<Comment>, LineCounts) {
    let mut lines: Vec<Vec<char>> = text.lines().map(|line| line.chars().collect()).collect();
    let mut literal_lines = vec![false; lines.len()];
    visit_levels(tokens, &mut |level| {
        for token in level {
            if let TokenTree::Literal(literal) = token {
                blank_out(&mut lines, &mut literal_lines, literal.span().start(), literal.span().end());
            }
        }
    });
    let (mut comments, mut counts, mut depth) = (Vec::new(), LineCounts::default(), 0_usize);
    for (index, (line, in_literal)) in lines.iter().zip(literal_lines).enumerate() {
        let (code, comment) = divide(line, &mut depth);
        match (!code.trim().is_empty() || in_literal, comment.trim().is_empty()) {
            (true, _) => counts.code += 1,
            (false, false) => counts.comment += 1,
            (false, true) => counts.blank += 1,
        }
        if !comment.trim().is_empty() {
            comments.push(Comment { line: index + 1, text: comment.trim().to_owned() });
        }
    }
    (comments, counts)
}

fn blank_out(lines: &mut [Vec<char>], literal_lines: &mut [bool], start: LineColumn, end: LineColumn) {
    let opener = lines.get(start.line.saturating_sub(1)).and_then(|line| line.get(start.column));
    // The compiler hands doc comments over as literals; their place in the text starts with a slash.
    if opener == Some(&'/') {
        return;
    }
    for number in start.line..=end.line {
        let Some(line) = lines.get_mut(number - 1) else { continue };
        let from = if number == start.line { start.column } else { 0 };
        let to = if number == end.line { end.column.min(line.len()) } else { line.len() };
        line.get_mut(from..to).into_iter().flatten().for_each(|c| *c = ' ');
        if let Some(mark) = literal_lines.get_mut(number - 1) {
            *mark = true;
        }
    }
}

fn divide(line: &[char], depth: &mut usize) -> (String, String) {
    let (mut code, mut comment) = (String::new(), String::new());
    let mut rest = line;
    while let [first, after @ ..] = rest {
        match (first, after.first()) {
            ('/', Some('*')) => {
                *depth += 1;
                comment.push_str("/*");
                rest = after.get(1..).unwrap_or(&[]);
            }
            ('*', Some('/')) if *depth > 0 => {
                *depth -= 1;
                comment.push_str("*/");
                rest = after.get(1..).unwrap_or(&[]);
            }
            ('/', Some('/')) if *depth == 0 => {
                comment.extend(rest);
                break;
            }
            (c, _) => {
                if *depth > 0 {
                    comment.push(*c)
                } else {
                    code.push(*c)
                }
                rest = after;
            }
        }
    }
    (code, comment)
}

/// Parses a file of the checkout, naming it in the error.
pub(crate) fn parse_file(file: &crate::checkout::TextFile) -> Result<RustSource> {
    RustSource::parse(&file.text).with_context(|| file.path.clone())
}

#[cfg(test)]
#[path = "rust_source_tests.rs"]
mod tests;
