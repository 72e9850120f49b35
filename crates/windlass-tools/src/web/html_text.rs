//! Readable text from an HTML page.
//!
//! Owns what of a page is worth reading: title, headings, paragraphs, lists, links, code and tables stay;
//! scripts, menus, controls and everything a reader of the page would not see go. Runs no script, fetches
//! nothing and builds no tree, so no page can make it slow.

use crate::web::html_entity::decode_entities;
use crate::web::html_token::{HtmlToken, HtmlTokens, Tag};
use crate::web::http::Url;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct PageText {
    pub(crate) title: String,
    pub(crate) text: String,
    /// Whether the page went on.
    pub(crate) is_cut: bool,
}

/// Elements that are never text.
const UNREAD: [&str; 18] = [
    "script", "style", "noscript", "template", "svg", "math", "iframe", "object", "canvas", "audio", "video",
    "button", "select", "textarea", "dialog", "noframes", "datalist", "map",
];
/// Elements around the text, dropped unless a page has nothing else. `header` is dropped too, except
/// inside an article, where it carries the headline.
const AROUND: [&str; 3] = ["nav", "footer", "aside"];
/// Elements without an end.
const VOID: [&str; 8] = ["br", "hr", "img", "input", "link", "meta", "wbr", "source"];
/// Elements whose next sibling ends them where their own end is left out.
const SELF_ENDING: [&str; 9] = ["p", "li", "dt", "dd", "tr", "td", "th", "option", "tbody"];
/// Deepest list that is told apart by its indentation.
const LIST_DEPTH_MAX: usize = 8;

/// Reads a page; `base` makes its links absolute, `bytes_max` bounds the text (a short relative link can
/// become a long absolute one thousands of times).
pub(crate) fn readable_text(html: &str, base: &Url, bytes_max: usize) -> PageText {
    let page = read(html, base, bytes_max, false);
    if page.text.is_empty() { read(html, base, bytes_max, true) } else { page }
}

/// The text of a piece of HTML, without any mark of its structure.
pub(crate) fn bare_text(html: &str) -> String {
    let texts = HtmlTokens::new(html).filter_map(|token| match token {
        HtmlToken::Text(text) => Some(decode_entities(text)),
        HtmlToken::Open(_) | HtmlToken::Close(_) => None,
    });
    texts.collect()
}

fn read(html: &str, base: &Url, bytes_max: usize, is_around_kept: bool) -> PageText {
    let mut writer = PageWriter { is_around_kept, ..PageWriter::new(base) };
    for token in HtmlTokens::new(html) {
        if writer.text.len() >= bytes_max {
            break;
        }
        match token {
            HtmlToken::Text(text) => writer.write(text),
            HtmlToken::Open(tag) => writer.open(&tag),
            HtmlToken::Close(name) => writer.close(&name),
        }
    }
    let is_cut = writer.text.len() >= bytes_max;
    writer.text.truncate(writer.text.floor_char_boundary(bytes_max));
    PageText { title: writer.title, text: writer.text.trim().to_owned(), is_cut }
}

#[derive(Debug)]
struct PageWriter<'a> {
    base: &'a Url,
    is_around_kept: bool,
    title: String,
    text: String,
    /// Newlines owed before the next word.
    breaks: usize,
    /// Whether a space is owed before the next word.
    is_spaced: bool,
    /// What begins the next line: a bullet, a heading mark.
    prefix: String,
    skipped: Option<Skipped>,
    is_in_title: bool,
    is_preformatted: bool,
    is_code: bool,
    articles: usize,
    lists: Vec<HtmlList>,
    link: Option<OpenLink>,
    /// Cells written so far in the row of each open table.
    cells: Vec<usize>,
}

/// An element that is being passed over.
#[derive(Debug)]
struct Skipped {
    name: String,
    /// How many of that name are open.
    depth: usize,
}

#[derive(Debug)]
enum HtmlList {
    Bullets,
    Numbers(usize),
}

#[derive(Debug)]
struct OpenLink {
    address: String,
    /// Where its text begins.
    start: usize,
}

impl<'a> PageWriter<'a> {
    fn new(base: &'a Url) -> Self {
        Self {
            base,
            is_around_kept: false,
            title: String::new(),
            text: String::new(),
            breaks: 0,
            is_spaced: false,
            prefix: String::new(),
            skipped: None,
            is_in_title: false,
            is_preformatted: false,
            is_code: false,
            articles: 0,
            lists: Vec::new(),
            link: None,
            cells: Vec::new(),
        }
    }

    fn open(&mut self, tag: &Tag<'_>) {
        let name = tag.name.as_str();
        if let Some(skipped) = &mut self.skipped {
            let is_same = skipped.name == name;
            // A hidden `<li>` without an end must not hide all that follow it.
            if !(is_same && SELF_ENDING.contains(&name)) {
                skipped.depth += usize::from(is_same);
                return;
            }
            self.skipped = None;
        }
        if self.is_dropped(tag) {
            let is_empty = VOID.contains(&name) || (tag.is_closed() && matches!(name, "svg" | "math"));
            if !is_empty {
                self.skipped = Some(Skipped { name: name.to_owned(), depth: 1 });
            }
            return;
        }
        self.break_lines(breaks_of(name));
        self.begin(tag);
    }

    fn is_dropped(&self, tag: &Tag<'_>) -> bool {
        let name = tag.name.as_str();
        let is_around = AROUND.contains(&name) || (name == "header" && self.articles == 0);
        if UNREAD.contains(&name) || (is_around && !self.is_around_kept) {
            return true;
        }
        // What a reader cannot see is not for the model either: it is where instructions are hidden.
        let style = tag.attribute("style").unwrap_or_default().to_ascii_lowercase().replace(' ', "");
        tag.attribute("hidden").is_some()
            || tag.attribute("aria-hidden").as_deref() == Some("true")
            || ["display:none", "visibility:hidden", "font-size:0", "opacity:0;"]
                .iter()
                .any(|way| style.contains(way))
    }

    fn begin(&mut self, tag: &Tag<'_>) {
        let name = tag.name.as_str();
        match name {
            "title" => self.is_in_title = true,
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                let level = name.trim_start_matches('h').parse().unwrap_or(1);
                self.prefix = format!("{} ", "#".repeat(level));
            }
            "article" | "main" => self.articles += 1,
            "ul" => self.lists.push(HtmlList::Bullets),
            "ol" => self.lists.push(HtmlList::Numbers(0)),
            "li" => self.prefix = self.bullet(),
            "pre" if !self.is_preformatted => {
                self.mark("```\n");
                self.is_preformatted = true;
            }
            "code" if !self.is_preformatted && !self.is_code => {
                self.mark("`");
                self.is_code = true;
            }
            "hr" => self.mark("---"),
            "a" => self.open_link(tag),
            "img" => {
                let alt = tag.attribute("alt").unwrap_or_default();
                if !alt.trim().is_empty() {
                    self.words(&format!("[image: {}]", alt.trim()));
                }
            }
            "table" => self.cells.push(0),
            "tr" => self.cells.iter_mut().last().into_iter().for_each(|cells| *cells = 0),
            "td" | "th" => self.begin_cell(),
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        if let Some(skipped) = &mut self.skipped {
            skipped.depth -= usize::from(skipped.name == name);
            if skipped.depth == 0 {
                self.skipped = None;
            }
            return;
        }
        match name {
            "title" => self.is_in_title = false,
            "article" | "main" => self.articles = self.articles.saturating_sub(1),
            "ul" | "ol" => drop(self.lists.pop()),
            "pre" if self.is_preformatted => {
                self.is_preformatted = false;
                self.text.push_str(if self.text.ends_with('\n') { "```" } else { "\n```" });
            }
            "code" if self.is_code => {
                self.text.push('`');
                self.is_code = false;
            }
            "a" => self.close_link(),
            "table" => drop(self.cells.pop()),
            _ => {}
        }
        self.break_lines(breaks_of(name));
        if matches!(name, "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "li") {
            self.prefix.clear();
        }
    }

    fn bullet(&mut self) -> String {
        let indent = "  ".repeat(self.lists.len().saturating_sub(1).min(LIST_DEPTH_MAX));
        match self.lists.last_mut() {
            Some(HtmlList::Numbers(number)) => {
                *number += 1;
                format!("{indent}{number}. ")
            }
            Some(HtmlList::Bullets) | None => format!("{indent}- "),
        }
    }

    fn begin_cell(&mut self) {
        let Some(cells) = self.cells.last_mut() else { return };
        *cells += 1;
        if *cells > 1 {
            self.is_spaced = false;
            self.mark(" | ");
        }
    }

    fn open_link(&mut self, tag: &Tag<'_>) {
        // A link inside a link ends the outer one.
        self.close_link();
        let href = tag.attribute("href").filter(|href| !href.starts_with('#'));
        let address = href.and_then(|href| self.base.join(href.trim()).ok());
        if let Some(address) = address.filter(|url| matches!(url.scheme(), "http" | "https")) {
            self.mark("[");
            self.link = Some(OpenLink { address: address.into(), start: self.text.len() });
        }
    }

    fn close_link(&mut self) {
        let Some(link) = self.link.take() else { return };
        if self.text.get(link.start..).is_none_or(|text| text.trim().is_empty()) {
            // With the bracket that was written for it.
            self.text.truncate(link.start.saturating_sub(1));
        } else {
            self.text.push_str(&format!("]({})", link.address));
        }
    }

    fn break_lines(&mut self, lines: usize) {
        if lines > 0 {
            self.breaks = self.breaks.max(lines);
            self.is_spaced = false;
        }
    }

    /// Writes what is owed: newlines, the line's beginning, a space.
    fn settle(&mut self) {
        if self.breaks > 0 && !self.text.is_empty() {
            self.text.truncate(self.text.trim_end_matches(' ').len());
            self.text.push_str(if self.breaks > 1 { "\n\n" } else { "\n" });
        } else if self.is_spaced && !self.text.is_empty() {
            self.text.push(' ');
        }
        self.breaks = 0;
        self.is_spaced = false;
        self.text.push_str(&std::mem::take(&mut self.prefix));
    }

    /// Writes a sign of our own.
    fn mark(&mut self, sign: &str) {
        self.settle();
        self.text.push_str(sign);
    }

    /// Writes text of the page.
    fn write(&mut self, text: &str) {
        if self.skipped.is_some() {
            return;
        }
        let text = decode_entities(text);
        if self.is_in_title {
            // A page may have several; pictures have titles too.
            if self.title.is_empty() {
                self.title = text.split_whitespace().collect::<Vec<_>>().join(" ");
            }
        } else if self.is_preformatted {
            self.text.push_str(&text);
        } else {
            self.words(&text);
        }
    }

    /// Writes words with single spaces between them.
    fn words(&mut self, text: &str) {
        self.is_spaced |= text.starts_with(char::is_whitespace) && self.breaks == 0;
        for (index, word) in text.split_whitespace().enumerate() {
            self.is_spaced |= index > 0;
            self.settle();
            self.text.push_str(word);
        }
        self.is_spaced |= text.ends_with(char::is_whitespace) && self.breaks == 0;
    }
}

/// How far an element stands from its neighbours, in newlines.
fn breaks_of(name: &str) -> usize {
    match name {
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "p" | "pre" | "blockquote" | "table" | "article"
        | "main" | "section" | "hr" | "figure" | "header" => 2,
        "br" | "div" | "li" | "tr" | "ul" | "ol" | "dl" | "dt" | "dd" | "body" | "caption" | "figcaption"
        | "address" | "details" | "summary" | "fieldset" | "form" | "nav" | "footer" | "aside" => 1,
        _ => 0,
    }
}

#[cfg(test)]
#[path = "html_text_tests.rs"]
mod tests;
