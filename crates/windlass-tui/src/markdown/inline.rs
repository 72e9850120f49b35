//! Text with emphasis, code, links and images, collected as styled spans. Knows no lines.

use pulldown_cmark::{CowStr, Event, Tag, TagEnd};
use ratatui::style::{Modifier, Style};
use ratatui::text::Span;

use crate::text::clean;
use crate::theme::{TextRole, Theme, ThemeKind};

/// The text of one paragraph, heading or cell.
#[derive(Debug)]
pub(super) struct Inline {
    theme: Theme,
    spans: Vec<Span<'static>>,
    /// The styles that are open, the innermost last.
    styles: Vec<Style>,
    targets: Vec<LinkTarget>,
}

/// A link or image that is open: where it leads, and which span its words begin with.
#[derive(Debug)]
struct LinkTarget {
    url: String,
    first_span: usize,
}

impl Inline {
    pub(super) fn new(theme: Theme, style: Style) -> Self {
        Self { theme, spans: Vec::new(), styles: vec![style], targets: Vec::new() }
    }

    /// The same after text that is there already.
    pub(super) fn after(mut self, spans: Vec<Span<'static>>) -> Self {
        self.spans = spans;
        self
    }

    /// Whether emphasis or a link is open.
    pub(super) fn is_nested(&self) -> bool {
        self.styles.len() > 1
    }

    /// How many spans there are.
    pub(super) fn spans(&self) -> usize {
        self.spans.len()
    }

    pub(super) fn into_spans(self) -> Vec<Span<'static>> {
        self.spans
    }

    /// Takes what belongs into a line of text; anything else is not its business.
    pub(super) fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.open(tag),
            Event::End(tag) => self.close(tag),
            Event::Code(text) => self.push_code(&text),
            Event::SoftBreak => self.push(" ", self.style()),
            Event::HardBreak => self.push("\n", self.style()),
            Event::Text(text)
            | Event::InlineHtml(text)
            | Event::Html(text)
            | Event::InlineMath(text)
            | Event::DisplayMath(text)
            | Event::FootnoteReference(text) => self.push(&text, self.style()),
            Event::TaskListMarker(is_done) => {
                let (sign, role) = task_sign(is_done);
                self.push(sign, self.theme.style(role));
            }
            Event::Rule => {}
        }
    }

    fn open(&mut self, tag: Tag<'_>) {
        let style = self.style();
        match tag {
            Tag::Emphasis => self.styles.push(style.add_modifier(Modifier::ITALIC)),
            Tag::Strong => self.styles.push(style.add_modifier(Modifier::BOLD)),
            Tag::Strikethrough => self.styles.push(style.add_modifier(Modifier::CROSSED_OUT)),
            Tag::Link { dest_url, .. } => {
                self.aim(&dest_url);
                self.styles.push(style.patch(self.theme.style(TextRole::Accent)));
            }
            Tag::Image { dest_url, .. } => {
                self.push("[image: ", self.theme.style(TextRole::Muted));
                self.aim(&dest_url);
                self.styles.push(style);
            }
            _ => {}
        }
    }

    fn close(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => {
                self.styles.pop();
            }
            TagEnd::Link => {
                self.styles.pop();
                self.push_target();
            }
            TagEnd::Image => {
                self.styles.pop();
                self.push("]", self.theme.style(TextRole::Muted));
                self.push_target();
            }
            _ => {}
        }
    }

    fn style(&self) -> Style {
        self.styles.last().copied().unwrap_or_default()
    }

    fn aim(&mut self, url: &CowStr<'_>) {
        // An address is one word, whatever it is made of.
        let url = clean(url).replace('\n', "");
        self.targets.push(LinkTarget { url, first_span: self.spans.len() });
    }

    /// The address behind the words, unless it is the words.
    fn push_target(&mut self) {
        let Some(target) = self.targets.pop() else { return };
        let words: String =
            self.spans.iter().skip(target.first_span).map(|span| span.content.as_ref()).collect();
        let is_said = words == target.url || target.url.strip_prefix("mailto:") == Some(words.as_str());
        if !is_said && !target.url.is_empty() {
            self.push(&format!(" ({})", target.url), self.theme.style(TextRole::Muted));
        }
    }

    fn push_code(&mut self, text: &str) {
        let style = self.style().patch(self.theme.style(TextRole::Code));
        match self.theme.kind() {
            ThemeKind::Plain => self.push(&format!("`{text}`"), style),
            ThemeKind::Dark | ThemeKind::Light => self.push(text, style),
        }
    }

    fn push(&mut self, text: &str, style: Style) {
        self.spans.push(Span::styled(clean(text).into_owned(), style));
    }
}

/// The sign of a task and what it means.
pub(super) fn task_sign(is_done: bool) -> (&'static str, TextRole) {
    if is_done { ("✓ ", TextRole::Good) } else { ("○ ", TextRole::Muted) }
}
