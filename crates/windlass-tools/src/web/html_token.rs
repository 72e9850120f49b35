//! Splits an HTML page into tags and text.
//!
//! Owns where a tag, a comment and a script begin and end. Builds no tree: a tree builder takes time that
//! grows with the square of the nesting, and pages are written by strangers. Every byte is looked at a
//! bounded number of times.

use std::borrow::Cow;

use crate::web::html_entity::decode_entities;

/// Longest tag name that means anything.
const NAME_BYTES_MAX: usize = 32;

/// A piece of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum HtmlToken<'a> {
    /// Text as it is written, its character references not yet read.
    Text(&'a str),
    /// The beginning of an element.
    Open(Tag<'a>),
    /// The end of an element: its name in lower case.
    Close(String),
}

/// The beginning of an element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tag<'a> {
    pub(crate) name: String,
    /// As written, up to the closing bracket.
    attributes: &'a str,
}

impl<'a> Tag<'a> {
    /// The value of an attribute; empty when it has none.
    pub(crate) fn attribute(&self, name: &str) -> Option<Cow<'a, str>> {
        let mut found = None;
        read_attributes(self.attributes, |written, value| {
            if found.is_none() && written.eq_ignore_ascii_case(name) {
                found = Some(decode_entities(value));
            }
        });
        found
    }

    /// Whether it is written `<name/>`.
    pub(crate) fn is_closed(&self) -> bool {
        self.attributes.ends_with('/')
    }
}

/// The pieces of a page, in order.
#[derive(Debug, Clone)]
pub(crate) struct HtmlTokens<'a> {
    rest: &'a str,
    /// The element whose content is not markup, after its beginning was given.
    raw: Option<String>,
}

impl<'a> HtmlTokens<'a> {
    pub(crate) fn new(html: &'a str) -> Self {
        Self { rest: html, raw: None }
    }

    /// Takes bytes off the front.
    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at_checked(bytes).unwrap_or((self.rest, ""));
        self.rest = rest;
        taken
    }

    fn text(&mut self) -> &'a str {
        let end =
            self.rest.match_indices('<').find(|(at, _)| is_markup(self.rest.get(*at..).unwrap_or_default()));
        self.take(end.map_or(self.rest.len(), |(at, _)| at))
    }

    /// The content of a script or title: everything up to its end tag.
    fn raw_text(&mut self, name: &str) -> &'a str {
        let is_end = |at: usize| {
            let tail = self.rest.get(at..).and_then(|tail| tail.strip_prefix("</")).unwrap_or_default();
            let is_named = tail.get(..name.len()).is_some_and(|written| written.eq_ignore_ascii_case(name));
            let after = tail.get(name.len()..).unwrap_or_default();
            is_named
                && (after.is_empty()
                    || after.starts_with(|c: char| c.is_ascii_whitespace() || "/>".contains(c)))
        };
        let end = self.rest.match_indices('<').find(|(at, _)| is_end(*at));
        self.take(end.map_or(self.rest.len(), |(at, _)| at))
    }

    /// Reads what begins with `<`; comments and declarations give nothing.
    fn markup(&mut self) -> Option<HtmlToken<'a>> {
        if self.rest.starts_with("<!--") {
            self.take(comment_length(self.rest));
            return None;
        }
        let is_close = self.rest.starts_with("</");
        let after = self.rest.get(if is_close { 2 } else { 1 }..).unwrap_or_default();
        if !after.starts_with(|c: char| c.is_ascii_alphabetic()) {
            let end = self.rest.find('>').map_or(self.rest.len(), |at| at + 1);
            self.take(end);
            return None;
        }
        self.take(if is_close { 2 } else { 1 });
        let is_end = |c: char| c.is_ascii_whitespace() || c == '/' || c == '>';
        let length = self.rest.find(is_end).unwrap_or(self.rest.len());
        let name: String =
            self.take(length).chars().take(NAME_BYTES_MAX).collect::<String>().to_ascii_lowercase();
        let length = read_attributes(self.rest, |_, _| {});
        let attributes = self.take(length);
        // A tag that never ends is not one.
        if self.take(1).is_empty() {
            return None;
        }
        if is_close {
            return Some(HtmlToken::Close(name));
        }
        if matches!(name.as_str(), "script" | "style" | "title" | "textarea" | "iframe" | "xmp" | "noframes")
        {
            self.raw = Some(name.clone());
        }
        Some(HtmlToken::Open(Tag { name, attributes }))
    }
}

impl<'a> Iterator for HtmlTokens<'a> {
    type Item = HtmlToken<'a>;

    fn next(&mut self) -> Option<HtmlToken<'a>> {
        if let Some(name) = self.raw.take() {
            return Some(HtmlToken::Text(self.raw_text(&name)));
        }
        while !self.rest.is_empty() {
            if !is_markup(self.rest) {
                return Some(HtmlToken::Text(self.text()));
            }
            if let Some(token) = self.markup() {
                return Some(token);
            }
        }
        None
    }
}

/// Whether a text begins with markup; a lone `<` is text.
fn is_markup(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next() == Some('<')
        && match letters.next() {
            Some('!' | '?') => true,
            Some('/') => letters.next().is_some(),
            Some(letter) => letter.is_ascii_alphabetic(),
            None => false,
        }
}

fn comment_length(text: &str) -> usize {
    if text.starts_with("<!-->") {
        return 5;
    }
    // The dashes of the beginning may be those of the end: `<!--->`.
    match text.get(2..).unwrap_or_default().find("-->") {
        Some(at) => at + 5,
        None => text.len(),
    }
}

/// Reads attributes up to the closing bracket, which is not taken; gives the bytes before it. Quotes only
/// count where a value begins.
fn read_attributes<'a>(text: &'a str, mut found: impl FnMut(&'a str, &'a str)) -> usize {
    let mut at = 0;
    let rest_of = |at: usize| text.get(at..).unwrap_or_default();
    loop {
        at += span(rest_of(at), |c| c.is_ascii_whitespace() || c == '/');
        let rest = rest_of(at);
        if rest.is_empty() || rest.starts_with('>') {
            return at;
        }
        // A name may begin with `=`.
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let length = first + span(rest_of(at + first), |c| !c.is_ascii_whitespace() && !"/>=".contains(c));
        let name = rest.get(..length).unwrap_or_default();
        at += length;
        let blank = span(rest_of(at), |c| c.is_ascii_whitespace());
        if !rest_of(at + blank).starts_with('=') {
            found(name, "");
            continue;
        }
        at += blank + 1;
        at += span(rest_of(at), |c| c.is_ascii_whitespace());
        let quote = rest_of(at).chars().next().filter(|c| matches!(c, '"' | '\''));
        at += quote.map_or(0, char::len_utf8);
        let length = match quote {
            Some(quote) => span(rest_of(at), |c| c != quote),
            None => span(rest_of(at), |c| !c.is_ascii_whitespace() && c != '>'),
        };
        found(name, rest_of(at).get(..length).unwrap_or_default());
        at += length;
        at += quote.filter(|quote| rest_of(at).starts_with(*quote)).map_or(0, char::len_utf8);
    }
}

/// How many bytes at the beginning satisfy.
fn span(text: &str, satisfies: impl Fn(char) -> bool) -> usize {
    text.find(|c| !satisfies(c)).unwrap_or(text.len())
}

#[cfg(test)]
#[path = "html_token_tests.rs"]
mod tests;
