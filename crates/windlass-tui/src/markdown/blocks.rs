//! What stands under what: blocks become lines behind the signs of the quotes and list items they are in.
//!
//! Blank lines: one between blocks, but inside a list only where the source has one. So a list looks the same whatever
//! comes after it, which a text that is still arriving needs.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Tag, TagEnd};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use super::code::Code;
use super::inline::{Inline, task_sign};
use super::table::Table;
use crate::text::{clean, columns_of, width, wrap_spans};
use crate::theme::{Role, Theme};

/// What a block is inside of.
#[derive(Debug)]
enum Frame {
    Quote { has_content: bool },
    List { number: Option<u64>, items: usize },
    Item { marker: Option<Span<'static>>, columns: usize, has_content: bool },
}

/// A block that is being collected.
#[derive(Debug)]
enum Leaf {
    Text(Inline),
    Code { language: String, text: String },
    Html(String),
    Table(Table),
}

/// Turns events into lines.
#[derive(Debug)]
pub(super) struct Writer<'s> {
    source: &'s str,
    columns: usize,
    theme: Theme,
    lines: Vec<Line<'static>>,
    frames: Vec<Frame>,
    leaf: Option<Leaf>,
    has_content: bool,
}

impl<'s> Writer<'s> {
    pub(super) fn new(source: &'s str, columns: usize, theme: Theme) -> Self {
        Self { source, columns, theme, lines: Vec::new(), frames: Vec::new(), leaf: None, has_content: false }
    }

    /// The lines.
    pub(super) fn end(mut self) -> Vec<Line<'static>> {
        self.end_text();
        self.lines
    }

    /// Takes the next event and where in the source it is from.
    pub(super) fn take(&mut self, event: Event<'_>, range: Range<usize>) {
        match (event, &mut self.leaf) {
            (Event::Start(tag), _) => self.start(tag, &range),
            (Event::End(tag), _) => self.close(tag),
            (Event::Text(more), Some(Leaf::Code { text, .. })) => text.push_str(&more),
            (Event::Text(more) | Event::Html(more), Some(Leaf::Html(text))) => text.push_str(&more),
            (Event::Rule, _) => {
                self.begin(range.start);
                let (first, _) = self.indents();
                let room = self.columns.saturating_sub(columns_of(&first)).max(1);
                self.push_behind(&first, "─".repeat(room));
            }
            (Event::TaskListMarker(is_done), _) => {
                if !self.mark_task(is_done) {
                    self.take_inline(Event::TaskListMarker(is_done), range.start);
                }
            }
            (event, _) => self.take_inline(event, range.start),
        }
    }

    fn take_inline(&mut self, event: Event<'_>, at: usize) {
        if let Some(inline) = self.inline(at) {
            inline.take(event);
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: &Range<usize>) {
        let text = self.theme.style(Role::Text);
        match tag {
            Tag::Paragraph => {
                self.begin_leaf(range.start, |writer| Leaf::Text(Inline::new(writer.theme, text)))
            }
            Tag::Heading { level, .. } => self.begin_leaf(range.start, |writer| {
                Leaf::Text(Inline::new(writer.theme, heading_style(writer.theme, level)))
            }),
            Tag::CodeBlock(kind) => self.begin_leaf(range.start, |_| {
                let language = match kind {
                    CodeBlockKind::Fenced(language) => language.to_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                Leaf::Code { language, text: String::new() }
            }),
            Tag::HtmlBlock => self.begin_leaf(range.start, |_| Leaf::Html(String::new())),
            Tag::Table(alignments) => {
                self.begin_leaf(range.start, |writer| Leaf::Table(Table::new(alignments, writer.theme)))
            }
            Tag::BlockQuote(_) => {
                self.begin(range.start);
                self.frames.push(Frame::Quote { has_content: false });
            }
            Tag::List(number) => {
                self.begin(range.start);
                self.frames.push(Frame::List { number, items: 0 });
            }
            Tag::Item => self.begin_item(range.start),
            Tag::TableHead | Tag::TableRow | Tag::TableCell => {}
            tag => self.take_inline(Event::Start(tag), range.start),
        }
    }

    fn close(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph
            | TagEnd::Heading(_)
            | TagEnd::CodeBlock
            | TagEnd::HtmlBlock
            | TagEnd::Table => self.end_leaf(),
            TagEnd::BlockQuote(_) | TagEnd::List(_) => {
                self.end_text();
                self.frames.pop();
            }
            TagEnd::Item => self.end_item(),
            TagEnd::TableHead | TagEnd::TableRow | TagEnd::TableCell => {
                if let Some(Leaf::Table(table)) = &mut self.leaf {
                    table.close(tag);
                }
            }
            tag => match &mut self.leaf {
                Some(Leaf::Text(inline)) => inline.take(Event::End(tag)),
                Some(Leaf::Table(table)) => table.inline().take(Event::End(tag)),
                Some(Leaf::Code { .. } | Leaf::Html(_)) | None => {}
            },
        }
    }

    /// Where text goes: into the cell or paragraph that is open, else into a new one (items of dense lists have none).
    fn inline(&mut self, at: usize) -> Option<&mut Inline> {
        if self.leaf.is_none() {
            let style = self.theme.style(Role::Text);
            self.begin_leaf(at, |writer| Leaf::Text(Inline::new(writer.theme, style)));
        }
        match &mut self.leaf {
            Some(Leaf::Text(inline)) => Some(inline),
            Some(Leaf::Table(table)) => Some(table.inline()),
            Some(Leaf::Code { .. } | Leaf::Html(_)) | None => None,
        }
    }

    /// A block begins: the one before it ends, with a blank line between them if there is to be one.
    fn begin(&mut self, at: usize) {
        self.end_text();
        let is_apart = match self.frames.last_mut() {
            None => std::mem::replace(&mut self.has_content, true),
            Some(Frame::Quote { has_content }) => std::mem::replace(has_content, true),
            Some(Frame::Item { has_content, .. }) => {
                std::mem::replace(has_content, true) && follows_blank(self.source, at)
            }
            Some(Frame::List { .. }) => false,
        };
        if is_apart {
            self.push_blank();
        }
    }

    fn begin_leaf(&mut self, at: usize, leaf: impl FnOnce(&Self) -> Leaf) {
        self.begin(at);
        self.leaf = Some(leaf(self));
    }

    fn begin_item(&mut self, at: usize) {
        self.end_text();
        let depth = self.frames.iter().filter(|frame| matches!(frame, Frame::List { .. })).count();
        let Some(Frame::List { number, items }) = self.frames.last_mut() else { return };
        let marker = match number {
            Some(number) => {
                let marker = format!("{number}. ");
                *number += 1;
                marker
            }
            None if depth % 2 == 1 => "• ".to_owned(),
            None => "- ".to_owned(),
        };
        *items += 1;
        if *items > 1 && follows_blank(self.source, at) {
            self.push_blank();
        }
        let columns = width(&marker);
        let marker = Some(Span::styled(marker, self.theme.style(Role::Accent)));
        self.frames.push(Frame::Item { marker, columns, has_content: false });
    }

    fn end_item(&mut self) {
        self.end_text();
        if let Some(Frame::Item { marker: Some(_), .. }) = self.frames.last() {
            let (first, _) = self.indents();
            self.lines.push(Line::from(first));
        }
        self.frames.pop();
    }

    /// The sign of a task takes the place of its bullet; numbers stay.
    fn mark_task(&mut self, is_done: bool) -> bool {
        let is_numbered = self
            .frames
            .iter()
            .rev()
            .find_map(|frame| match frame {
                Frame::List { number, .. } => Some(number.is_some()),
                Frame::Quote { .. } | Frame::Item { .. } => None,
            })
            .unwrap_or_default();
        match self.frames.last_mut() {
            Some(Frame::Item { marker: marker @ Some(_), .. }) if !is_numbered => {
                let (sign, role) = task_sign(is_done);
                *marker = Some(Span::styled(sign, self.theme.style(role)));
                true
            }
            _ => false,
        }
    }

    /// Ends text that nothing else ends.
    fn end_text(&mut self) {
        if matches!(self.leaf, Some(Leaf::Text(_))) {
            self.end_leaf();
        }
    }

    fn end_leaf(&mut self) {
        let Some(leaf) = self.leaf.take() else { return };
        let (first, hanging) = self.indents();
        match leaf {
            Leaf::Text(inline) => {
                self.lines.extend(wrap_spans(&inline.into_spans(), self.columns, &first, &hanging));
            }
            Leaf::Html(text) => {
                let text = Span::styled(clean(text.trim_end()).into_owned(), self.theme.style(Role::Text));
                self.lines.extend(wrap_spans(&[text], self.columns, &first, &hanging));
            }
            Leaf::Code { language, text } => self.push_code(&language, &text, first, &hanging),
            Leaf::Table(table) => {
                let room = self.columns.saturating_sub(columns_of(&hanging)).max(1);
                let mut indent = first;
                for line in table.lay_out(room) {
                    let mut spans = std::mem::replace(&mut indent, hanging.clone());
                    spans.extend(line.spans);
                    self.lines.push(Line::from(spans));
                }
            }
        }
    }

    fn push_code(
        &mut self,
        language: &str,
        text: &str,
        first: Vec<Span<'static>>,
        hanging: &[Span<'static>],
    ) {
        let mut code = Code::new(language, self.columns, self.theme);
        let mut indent = first;
        if let Some(label) = code.label(language, &indent) {
            self.lines.push(label);
            indent = hanging.to_vec();
        }
        for line in text.lines() {
            self.lines.extend(code.line(line, &indent, hanging));
            indent = hanging.to_vec();
        }
    }

    fn push_behind(&mut self, indent: &[Span<'static>], text: String) {
        let mut spans = indent.to_vec();
        spans.push(Span::styled(text, self.theme.style(Role::Muted)));
        self.lines.push(Line::from(spans));
    }

    fn push_blank(&mut self) {
        let (_, hanging) = self.indents_of(false);
        self.lines.push(Line::from(hanging));
    }

    /// What stands before the first line of the next block, and before its others. Takes the markers of items.
    fn indents(&mut self) -> (Vec<Span<'static>>, Vec<Span<'static>>) {
        self.indents_of(true)
    }

    /// Deep inside, the outer indents go: half of the columns are for text.
    fn indents_of(&mut self, takes_markers: bool) -> (Vec<Span<'static>>, Vec<Span<'static>>) {
        let quote = Span::styled("│ ", self.theme.style(Role::Muted));
        let (mut first, mut hanging) = (Vec::new(), Vec::new());
        let mut room = self.columns / 2;
        for frame in self.frames.iter_mut().rev() {
            let (sign, blank) = match frame {
                Frame::Quote { .. } => (quote.clone(), quote.clone()),
                Frame::List { .. } => continue,
                Frame::Item { marker, columns, .. } => {
                    let blank = Span::raw(" ".repeat(*columns));
                    let sign = if takes_markers { marker.take() } else { None };
                    (sign.unwrap_or_else(|| blank.clone()), blank)
                }
            };
            let columns = width(&blank.content);
            if columns <= room {
                room -= columns;
                first.push(sign);
                hanging.push(blank);
            } else {
                room = 0;
            }
        }
        first.reverse();
        hanging.reverse();
        (first, hanging)
    }
}

fn heading_style(theme: Theme, level: HeadingLevel) -> Style {
    let style = theme.style(Role::Heading).add_modifier(Modifier::BOLD);
    match level {
        HeadingLevel::H1 => style.add_modifier(Modifier::UNDERLINED),
        HeadingLevel::H2 | HeadingLevel::H3 => style,
        HeadingLevel::H4 | HeadingLevel::H5 | HeadingLevel::H6 => style.add_modifier(Modifier::ITALIC),
    }
}

/// Whether the line before the one at an offset has nothing on it but signs of quotes.
fn follows_blank(source: &str, at: usize) -> bool {
    let before = source.get(..at).unwrap_or_default();
    let Some((before, _)) = before.rsplit_once('\n') else { return false };
    let line = before.rsplit_once('\n').map_or(before, |(_, line)| line);
    line.chars().all(|sign| sign.is_whitespace() || sign == '>')
}
