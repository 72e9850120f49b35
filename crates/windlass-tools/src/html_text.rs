//! Readable text from an HTML page.
//!
//! Owns what of a page is worth reading: title, headings, paragraphs, lists, links, code and tables stay;
//! scripts, menus, forms and everything a reader of the page would not see go. Runs no script and fetches
//! nothing. Walks without recursion: pages can be nested as deep as they are long.

use scraper::node::Element;
use scraper::{Html, Node};

use crate::http::Url;

/// A page as text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct PageText {
    pub(crate) title: String,
    pub(crate) text: String,
    /// Whether the page went on.
    pub(crate) is_cut: bool,
}

/// Elements that are dropped with everything inside.
const DROPPED: [&str; 24] = [
    "script", "style", "noscript", "template", "nav", "footer", "aside", "svg", "math", "iframe", "object",
    "embed", "canvas", "audio", "video", "form", "button", "select", "input", "textarea", "dialog", "menu",
    "link", "meta",
];

/// Reads a page; `base` makes its links absolute, `bytes_max` bounds the text (a short relative link can
/// become a long absolute one thousands of times).
pub(crate) fn readable_text(html: &str, base: &Url, bytes_max: usize) -> PageText {
    let document = Html::parse_document(html);
    let mut writer = Writer { base: Some(base), bytes_max, ..Writer::default() };
    let root = document.tree.root();
    let mut next = Some(root);
    while let Some(node) = next {
        let is_entered = !writer.is_full() && writer.open(node.value());
        if is_entered && let Some(child) = node.first_child() {
            next = Some(child);
            continue;
        }
        if is_entered {
            writer.close(node.value());
        }
        // Leave every element that ends here.
        let mut at = node;
        next = loop {
            if let Some(sibling) = at.next_sibling() {
                break Some(sibling);
            }
            match at.parent() {
                Some(parent) => {
                    writer.close(parent.value());
                    at = parent;
                }
                None => break None,
            }
        };
    }
    writer.finish()
}

#[derive(Debug, Default)]
struct Writer<'a> {
    base: Option<&'a Url>,
    bytes_max: usize,
    title: String,
    text: String,
    /// Newlines owed before the next word.
    breaks: usize,
    /// Whether a space is owed before the next word.
    is_spaced: bool,
    /// What begins the next line: a bullet, a heading mark.
    prefix: String,
    is_in_title: bool,
    preformatted: usize,
    /// Inside `article` or `main` a `header` carries the headline; elsewhere the site's menu.
    articles: usize,
    lists: Vec<List>,
    links: Vec<Option<OpenLink>>,
    /// Cells written so far in each open row.
    rows: Vec<usize>,
}

#[derive(Debug)]
enum List {
    Bullets,
    Numbers(usize),
}

#[derive(Debug)]
struct OpenLink {
    address: String,
    /// Where its text begins.
    start: usize,
}

impl Writer<'_> {
    fn is_full(&self) -> bool {
        self.text.len() >= self.bytes_max
    }

    /// Begins a node; false when nothing of it is wanted.
    fn open(&mut self, node: &Node) -> bool {
        match node {
            Node::Text(text) => {
                self.write(text);
                true
            }
            Node::Element(element) => {
                let is_wanted = self.is_wanted(element);
                if is_wanted {
                    self.open_element(element);
                }
                is_wanted
            }
            Node::Document | Node::Fragment => true,
            Node::Doctype(_) | Node::Comment(_) | Node::ProcessingInstruction(_) => false,
        }
    }

    fn is_wanted(&self, element: &Element) -> bool {
        let name = element.name();
        if DROPPED.contains(&name) || (name == "header" && self.articles == 0) {
            return false;
        }
        // What a reader cannot see is not for the model either: it is where instructions are hidden.
        let style: String = element.attr("style").unwrap_or_default().to_ascii_lowercase().replace(' ', "");
        element.attr("hidden").is_none()
            && element.attr("aria-hidden") != Some("true")
            && !style.contains("display:none")
            && !style.contains("visibility:hidden")
    }

    fn open_element(&mut self, element: &Element) {
        let name = element.name();
        self.break_lines(breaks_of(name));
        match name {
            "title" => self.is_in_title = self.title.is_empty(),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                let level = name.trim_start_matches('h').parse().unwrap_or(1);
                self.prefix = format!("{} ", "#".repeat(level));
            }
            "article" | "main" => self.articles += 1,
            "ul" => self.lists.push(List::Bullets),
            "ol" => self.lists.push(List::Numbers(0)),
            "li" => self.prefix = self.bullet(),
            "pre" => {
                self.mark("```\n");
                self.preformatted += 1;
            }
            "code" if self.preformatted == 0 => self.mark("`"),
            "br" => self.break_lines(1),
            "hr" => self.mark("---"),
            "a" => self.open_link(element),
            "img" => {
                if let Some(alt) = element.attr("alt").filter(|alt| !alt.trim().is_empty()) {
                    self.write(&format!("[image: {}]", alt.trim()));
                }
            }
            "tr" => self.rows.push(0),
            "td" | "th" => {
                if let Some(cells) = self.rows.last_mut() {
                    *cells += 1;
                    if *cells > 1 {
                        self.is_spaced = false;
                        self.mark(" | ");
                    }
                }
            }
            _ => {}
        }
    }

    /// Ends a node that was begun.
    fn close(&mut self, node: &Node) {
        let Node::Element(element) = node else { return };
        let name = element.name();
        match name {
            "title" => self.is_in_title = false,
            "article" | "main" => self.articles = self.articles.saturating_sub(1),
            "ul" | "ol" => drop(self.lists.pop()),
            "pre" => {
                self.preformatted = self.preformatted.saturating_sub(1);
                self.breaks = 0;
                self.text.push_str(if self.text.ends_with('\n') { "```" } else { "\n```" });
            }
            "code" if self.preformatted == 0 => self.text.push('`'),
            "a" => self.close_link(),
            "tr" => drop(self.rows.pop()),
            _ => {}
        }
        self.break_lines(breaks_of(name));
        if matches!(name, "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "li") {
            self.prefix.clear();
        }
    }

    fn bullet(&mut self) -> String {
        let indent = "  ".repeat(self.lists.len().saturating_sub(1).min(8));
        match self.lists.last_mut() {
            Some(List::Numbers(number)) => {
                *number += 1;
                format!("{indent}{number}. ")
            }
            Some(List::Bullets) | None => format!("{indent}- "),
        }
    }

    fn open_link(&mut self, element: &Element) {
        let joined = element.attr("href").filter(|href| !href.starts_with('#'));
        let joined = joined.and_then(|href| self.base?.join(href).ok());
        let address = joined.filter(|url| matches!(url.scheme(), "http" | "https"));
        let link = address.map(|address| {
            self.mark("[");
            OpenLink { address: address.into(), start: self.text.len() }
        });
        self.links.push(link);
    }

    fn close_link(&mut self) {
        let Some(Some(link)) = self.links.pop() else { return };
        if self.text.get(link.start..).is_none_or(|text| text.trim().is_empty()) {
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

    /// Writes text of the page, its white space squeezed unless it is preformatted.
    fn write(&mut self, text: &str) {
        if self.is_in_title {
            let words: Vec<&str> = text.split_whitespace().collect();
            self.title.push_str(&words.join(" "));
            return;
        }
        if self.preformatted > 0 {
            self.text.push_str(text);
            return;
        }
        let mut is_first = true;
        for word in text.split_whitespace() {
            self.is_spaced |= !is_first || text.starts_with(char::is_whitespace);
            self.settle();
            self.text.push_str(word);
            is_first = false;
        }
        self.is_spaced |= text.ends_with(char::is_whitespace);
    }

    fn finish(mut self) -> PageText {
        let is_cut = self.is_full();
        self.text.truncate(self.text.floor_char_boundary(self.bytes_max));
        PageText { title: self.title, text: self.text.trim().to_owned(), is_cut }
    }
}

/// How far an element stands from its neighbours.
fn breaks_of(name: &str) -> usize {
    match name {
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "p" | "pre" | "blockquote" | "table" | "article"
        | "main" | "section" | "hr" | "figure" | "header" => 2,
        "div" | "li" | "tr" | "ul" | "ol" | "dl" | "dt" | "dd" | "body" | "caption" | "figcaption"
        | "address" | "details" | "summary" | "fieldset" => 1,
        _ => 0,
    }
}

#[cfg(test)]
#[path = "html_text_tests.rs"]
mod tests;
