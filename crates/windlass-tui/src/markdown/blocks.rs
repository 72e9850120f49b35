//! What stands under what: blocks become lines behind the signs of the quotes and list items they are in.
//!
//! Blank lines: one between blocks, but inside a list only where the source has one. So a list looks the same whatever
//! comes after it, which a text that is still arriving needs.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, CowStr, Event, HeadingLevel, Tag, TagEnd};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use super::code::Code;
use super::frames::{BlockFrames, Indents};
use super::inline::Inline;
use super::seam::{Mark, MarkKind, Resume, Seam, SeamCut, SeamPosition};
use super::table::MarkdownTable;
use crate::text::{clean, columns_of, wrap_spans};
use crate::theme::{TextRole, Theme};

/// A paragraph is cut after this many bytes at the earliest: short ones are as quickly laid out whole.
const CUT_BYTES_MIN: usize = 1024;

/// A block that is being collected.
#[derive(Debug)]
enum OpenBlock {
    Text(Inline),
    /// Without a fence it has no language.
    Code {
        language: Option<String>,
        text: String,
        resumed: Option<Code>,
    },
    Html(String),
    Table(MarkdownTable),
}

/// What became of a source.
#[derive(Debug)]
pub(super) struct WrittenBlocks {
    pub(super) lines: Vec<Line<'static>>,
    pub(super) marks: Vec<Mark>,
    /// A place inside the last block, if there is one.
    pub(super) cut: Option<SeamCut>,
    /// Whether the source did not go on with what was to be resumed.
    pub(super) has_failed: bool,
}

/// Turns events into lines.
#[derive(Debug)]
pub(super) struct BlockWriter<'s> {
    source: &'s str,
    columns: usize,
    theme: Theme,
    frames: BlockFrames,
    leaf: Option<OpenBlock>,
    has_content: bool,
    resume: Resume,
    /// Set while the stand-in for the first part of a paragraph is still to be dropped.
    has_stand_in: bool,
    seam: Seam,
    written: WrittenBlocks,
}

impl<'s> BlockWriter<'s> {
    pub(super) fn new(source: &'s str, columns: usize, theme: Theme, resume: Resume) -> Self {
        let written = WrittenBlocks { lines: Vec::new(), marks: Vec::new(), cut: None, has_failed: false };
        Self {
            source,
            columns,
            theme,
            frames: BlockFrames::new(columns, theme),
            leaf: None,
            has_content: matches!(resume, Resume::Block),
            resume,
            has_stand_in: false,
            seam: Seam::default(),
            written,
        }
    }

    pub(super) fn end(mut self) -> WrittenBlocks {
        self.end_text();
        self.written.has_failed |= !matches!(self.resume, Resume::Start | Resume::Block);
        self.written
    }

    /// Takes the next event and where in the source it is from.
    pub(super) fn take(&mut self, event: Event<'_>, range: Range<usize>) {
        match (event, &mut self.leaf) {
            (Event::Start(tag), _) => self.start(tag, range.start),
            (Event::End(tag), _) => self.close(tag),
            (Event::Text(more), Some(OpenBlock::Code { text, .. })) => text.push_str(&more),
            (Event::Text(more) | Event::Html(more), Some(OpenBlock::Html(text))) => text.push_str(&more),
            (Event::Rule, _) => {
                self.begin(range.start, MarkKind::Block);
                let (mut spans, _) = self.frames.indents();
                let room = self.columns.saturating_sub(columns_of(&spans)).max(1);
                spans.push(Span::styled("─".repeat(room), self.theme.style(TextRole::Muted)));
                self.written.lines.push(Line::from(spans));
            }
            (Event::TaskListMarker(is_done), _) => {
                if !self.frames.mark_task(is_done) {
                    self.take_inline(Event::TaskListMarker(is_done), &range);
                }
            }
            (Event::Text(text), _) if self.has_stand_in => {
                self.has_stand_in = false;
                let rest: CowStr<'_> = text.chars().skip(1).collect::<String>().into();
                self.take_inline(Event::Text(rest), &(range.start + 1..range.end));
            }
            (event, _) => self.take_inline(event, &range),
        }
    }

    /// Text goes into the cell or paragraph that is open, else into a new one (items of dense lists have none).
    fn take_inline(&mut self, event: Event<'_>, range: &Range<usize>) {
        if self.leaf.is_none() {
            let text = Inline::new(self.theme, self.theme.style(TextRole::Text));
            self.begin_leaf(range.start, MarkKind::Block, OpenBlock::Text(text));
        }
        match &mut self.leaf {
            Some(OpenBlock::Text(inline)) => {
                self.seam.look(&event, range, inline);
                inline.take(event);
            }
            Some(OpenBlock::Table(table)) => table.inline().take(event),
            Some(OpenBlock::Code { .. } | OpenBlock::Html(_)) | None => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>, at: usize) {
        let style = self.theme.style(TextRole::Text);
        match tag {
            Tag::Paragraph => {
                let mut inline = Inline::new(self.theme, style);
                if let Resume::Text { line } = &mut self.resume {
                    inline = inline.after(std::mem::take(line));
                    self.resume = Resume::Start;
                    self.has_stand_in = true;
                }
                self.begin_leaf(at, MarkKind::Paragraph, OpenBlock::Text(inline));
            }
            Tag::Heading { level, .. } => {
                let inline = Inline::new(self.theme, heading_style(self.theme, level));
                self.begin_leaf(at, MarkKind::Block, OpenBlock::Text(inline));
            }
            Tag::CodeBlock(kind) => self.start_code(&kind, at),
            Tag::HtmlBlock => self.begin_leaf(at, MarkKind::Block, OpenBlock::Html(String::new())),
            Tag::Table(alignments) => {
                self.begin_leaf(
                    at,
                    MarkKind::Block,
                    OpenBlock::Table(MarkdownTable::new(alignments, self.theme)),
                );
            }
            Tag::BlockQuote(_) => {
                self.begin(at, MarkKind::Block);
                self.frames.push_quote();
            }
            Tag::List(mut number) => {
                if let Resume::Item { number: next } = self.resume {
                    number = next;
                    self.resume = Resume::Start;
                }
                self.begin(at, MarkKind::Block);
                self.frames.push_list(number);
            }
            Tag::Item => self.start_item(at),
            Tag::TableHead | Tag::TableRow | Tag::TableCell => {}
            tag => self.take_inline(Event::Start(tag), &(at..at)),
        }
    }

    fn start_code(&mut self, kind: &CodeBlockKind<'_>, at: usize) {
        let language = match kind {
            CodeBlockKind::Fenced(language) => Some(language.to_string()),
            CodeBlockKind::Indented => None,
        };
        let resumed = match std::mem::take(&mut self.resume) {
            Resume::Code { code, .. } => Some(code),
            other => {
                self.resume = other;
                None
            }
        };
        self.begin_leaf(at, MarkKind::Block, OpenBlock::Code { language, text: String::new(), resumed });
        self.written.cut = None;
    }

    fn start_item(&mut self, at: usize) {
        self.end_text();
        if self.frames.has_items() && follows_blank(self.source, at) {
            self.push_blank();
        }
        if let Some(number) = self.frames.next_of_outermost() {
            self.mark(at, MarkKind::Item { number });
        }
        self.frames.push_item();
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
            TagEnd::Item => {
                self.end_text();
                if self.frames.has_marker() {
                    let (first, _) = self.frames.indents();
                    self.written.lines.push(Line::from(first));
                }
                self.frames.pop();
            }
            tag => match &mut self.leaf {
                Some(OpenBlock::Text(inline)) => inline.take(Event::End(tag)),
                Some(OpenBlock::Table(table)) => table.close(tag),
                Some(OpenBlock::Code { .. } | OpenBlock::Html(_)) | None => {}
            },
        }
    }

    /// A block begins: the one before it ends, with a blank line between them if there is to be one.
    fn begin(&mut self, at: usize, kind: MarkKind) {
        self.end_text();
        // What was to be resumed takes its due before it gets here.
        self.written.has_failed |= !matches!(self.resume, Resume::Start | Resume::Block);
        let is_apart = if self.frames.is_empty() {
            self.mark(at, kind);
            self.written.cut = None;
            std::mem::replace(&mut self.has_content, true)
        } else {
            self.frames.begin(follows_blank(self.source, at))
        };
        if is_apart {
            self.push_blank();
        }
    }

    fn begin_leaf(&mut self, at: usize, kind: MarkKind, leaf: OpenBlock) {
        self.begin(at, kind);
        self.seam = Seam::default();
        self.leaf = Some(leaf);
    }

    /// Ends text that nothing else ends.
    fn end_text(&mut self) {
        if matches!(self.leaf, Some(OpenBlock::Text(_))) {
            self.end_leaf();
        }
    }

    fn end_leaf(&mut self) {
        let Some(leaf) = self.leaf.take() else { return };
        let indents = self.frames.indents();
        match leaf {
            OpenBlock::Text(inline) => self.push_text(inline.into_spans(), &indents),
            OpenBlock::Html(text) => {
                let text =
                    Span::styled(clean(text.trim_end()).into_owned(), self.theme.style(TextRole::Text));
                self.push_wrapped(&[text], &indents);
            }
            OpenBlock::Code { language, text, resumed } => {
                self.push_code(language.as_deref(), &text, resumed, indents);
            }
            OpenBlock::Table(table) => {
                let (mut indent, hanging) = indents;
                let room = self.columns.saturating_sub(columns_of(&hanging)).max(1);
                for line in table.lay_out(room) {
                    let mut spans = std::mem::replace(&mut indent, hanging.clone());
                    spans.extend(line.spans);
                    self.written.lines.push(Line::from(spans));
                }
            }
        }
    }

    fn push_wrapped(&mut self, spans: &[Span<'_>], (first, hanging): &Indents) {
        self.written.lines.extend(wrap_spans(spans, self.columns, first, hanging));
    }

    /// Wraps a text; a long one that stands alone in two parts, so that the first need not be wrapped again.
    fn push_text(&mut self, mut spans: Vec<Span<'static>>, indents: &Indents) {
        let place = self.seam.place().filter(|place| {
            let is_alone =
                matches!(self.written.marks.as_slice(), [mark] if mark.kind == MarkKind::Paragraph);
            is_alone && self.frames.is_empty() && place.at > CUT_BYTES_MIN
        });
        if let Some(place) = place {
            let rest = split_spans(&mut spans, place);
            self.push_wrapped(&spans, indents);
            spans = self.written.lines.pop().unwrap_or_default().spans;
            let resume = Resume::Text { line: spans.clone() };
            self.written.cut = Some(SeamCut { at: place.at, lines: self.written.lines.len(), resume });
            spans.extend(rest);
        }
        self.push_wrapped(&spans, indents);
    }

    fn push_code(
        &mut self,
        language: Option<&str>,
        text: &str,
        resumed: Option<Code>,
        (mut first, hanging): Indents,
    ) {
        let (is_fenced, is_resumed) = (language.is_some(), resumed.is_some());
        let language = language.unwrap_or_default();
        let mut code = resumed.unwrap_or_else(|| Code::new(language, self.columns, self.theme));
        if !is_resumed && let Some(label) = code.label(language, &first) {
            self.written.lines.push(label);
            first.clone_from(&hanging);
        }
        let mut lines = text.lines().enumerate().peekable();
        while let Some((index, line)) = lines.next() {
            // Only the last line can still become something else.
            if is_fenced && lines.peek().is_none() && index > 0 && self.frames.is_empty() {
                self.cut_code(index, &code);
            }
            self.written.lines.extend(code.line(line, &first, &hanging));
            first.clone_from(&hanging);
        }
    }

    /// Code in a fence can be cut after so many of its lines.
    fn cut_code(&mut self, lines: usize, code: &Code) {
        let Some(block) = self.written.marks.last().and_then(|mark| self.source.get(mark.at..)) else {
            return;
        };
        let mut ends = block.match_indices('\n').map(|(at, _)| at + 1);
        let (Some(opening), Some(end)) = (ends.next(), ends.nth(lines - 1)) else { return };
        let opening = block.get(..opening).unwrap_or_default().to_owned();
        let at = self.source.len() - block.len() + end;
        let resume = Resume::Code { opening, code: code.clone() };
        self.written.cut = Some(SeamCut { at, lines: self.written.lines.len(), resume });
    }

    fn mark(&mut self, at: usize, kind: MarkKind) {
        let before = self.source.get(..at).unwrap_or_default();
        let at = before.rfind('\n').map_or(0, |end| end + 1);
        self.written.marks.push(Mark { at, lines: self.written.lines.len(), kind });
    }

    fn push_blank(&mut self) {
        let line = Line::from(self.frames.blank());
        self.written.lines.push(line);
    }
}

fn heading_style(theme: Theme, level: HeadingLevel) -> Style {
    let style = theme.style(TextRole::Heading).add_modifier(Modifier::BOLD);
    match level {
        HeadingLevel::H1 => style.add_modifier(Modifier::UNDERLINED),
        HeadingLevel::H2 | HeadingLevel::H3 => style,
        HeadingLevel::H4 | HeadingLevel::H5 | HeadingLevel::H6 => style.add_modifier(Modifier::ITALIC),
    }
}

/// Keeps the spans up to a place, and gives those after it.
fn split_spans(spans: &mut Vec<Span<'static>>, place: SeamPosition) -> Vec<Span<'static>> {
    let mut rest = spans.split_off(place.span.min(spans.len()));
    if let Some(first) = rest.first_mut()
        && let Some((before, after)) = first.content.split_at_checked(place.bytes)
    {
        let (before, after) = (before.to_owned(), after.to_owned());
        spans.push(Span::styled(before, first.style));
        first.content = after.into();
    }
    rest
}

/// Whether the line before the one at an offset has nothing on it but signs of quotes.
pub(super) fn follows_blank(source: &str, at: usize) -> bool {
    let before = source.get(..at).unwrap_or_default();
    let Some((before, _)) = before.rsplit_once('\n') else { return false };
    let line = before.rsplit_once('\n').map_or(before, |(_, line)| line);
    line.chars().all(|sign| sign.is_whitespace() || sign == '>')
}
