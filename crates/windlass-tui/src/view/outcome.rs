//! Arguments and outcome of a call in full: in the transcript when it is unfolded, and in the inspector.

use ratatui::style::Style;
use ratatui::text::{Line, Span};
use serde_json::Value;
use windlass_core::permission::{Preview, Question, Target};
use windlass_core::protocol::tool::{Link, ToolFailure, ToolOutcome, ToolOutput};
use windlass_core::text::{cut_chars, time};

use crate::highlight::Highlighter;
use crate::text::{break_spans, clean, wrap_spans};
use crate::theme::{TextRole, Theme};
use crate::words;
use crate::{diff, figures};

/// Lines that are being written one below the other.
pub(crate) struct OutcomePage {
    columns: usize,
    theme: Theme,
    /// Lines of one text.
    text_lines_max: usize,
    pub(crate) lines: Vec<Line<'static>>,
}

impl OutcomePage {
    pub(crate) fn new(columns: usize, theme: Theme, text_lines_max: usize) -> Self {
        Self { columns, theme, text_lines_max, lines: Vec::new() }
    }

    pub(crate) fn style(&self, role: TextRole) -> Style {
        self.theme.style(role)
    }

    pub(crate) fn blank(&mut self) {
        self.lines.push(Line::default());
    }

    /// A title above something.
    pub(crate) fn title(&mut self, text: &str) {
        self.spans(&[Span::styled(clean(text).into_owned(), self.style(TextRole::Muted))], 0);
    }

    /// Something that has a name, on one line if there is room.
    pub(crate) fn said(&mut self, name: &str, text: &str) {
        let name = Span::styled(format!("{name}: "), self.style(TextRole::Muted));
        let text = Span::styled(clean(text).into_owned(), self.style(TextRole::Text));
        self.spans(&[name, text], 0);
    }

    /// Spans, wrapped by words; the lines after the first are indented by two more.
    pub(crate) fn spans(&mut self, spans: &[Span<'static>], indent: usize) {
        let (first, hanging) = (Span::raw(" ".repeat(indent)), Span::raw(" ".repeat(indent + 2)));
        self.lines.extend(wrap_spans(spans, self.columns, &[first], &[hanging]));
    }

    /// A text, word by word.
    pub(crate) fn prose(&mut self, text: &str, role: TextRole) {
        self.lines_of(text, role, |spans, columns, indent| wrap_spans(spans, columns, indent, indent));
    }

    /// A text as it is, sign by sign.
    pub(crate) fn verbatim(&mut self, text: &str, role: TextRole) {
        self.lines_of(text, role, |spans, columns, indent| break_spans(spans, columns, indent, indent));
    }

    fn lines_of(
        &mut self,
        text: &str,
        role: TextRole,
        wrap: impl Fn(&[Span<'_>], usize, &[Span<'static>]) -> Vec<Line<'static>>,
    ) {
        let (style, indent) = (self.style(role), [Span::raw("  ")]);
        let mut lines = Vec::new();
        for line in text.lines() {
            if lines.len() > self.text_lines_max {
                break;
            }
            lines.extend(wrap(&[Span::styled(clean(self.start_of(line)), style)], self.columns, &indent));
        }
        self.take(lines, text.lines().count());
    }

    /// Lines that were laid out elsewhere, as many as are shown of one text.
    fn take(&mut self, mut lines: Vec<Line<'static>>, text_lines: usize) {
        let is_cut = lines.len() > self.text_lines_max;
        lines.truncate(self.text_lines_max);
        self.lines.extend(lines);
        if is_cut {
            let hint = format!("  … of {}; y copies all of it", figures::plural(text_lines, "line"));
            self.lines.push(Line::styled(hint, self.style(TextRole::Muted)));
        }
    }

    /// JSON, or what was meant to be some.
    pub(crate) fn json(&mut self, text: &str) {
        let pretty = words::pretty_json(text);
        let (mut colours, indent) = (Highlighter::new("json"), [Span::raw("  ")]);
        let mut lines = Vec::new();
        for line in pretty.lines() {
            if lines.len() > self.text_lines_max {
                break;
            }
            let line = clean(self.start_of(line));
            let pieces = colours.line(&line).into_iter();
            let spans: Vec<Span<'_>> =
                pieces.map(|(text, role)| Span::styled(text, self.theme.style(role))).collect();
            lines.extend(break_spans(&spans, self.columns, &indent, &indent));
        }
        self.take(lines, pretty.lines().count());
    }

    /// As much of a line as could be shown: one of megabytes is cut before it is wrapped.
    fn start_of<'t>(&self, line: &'t str) -> &'t str {
        cut_chars(line, self.columns.max(1).saturating_mul(self.text_lines_max.saturating_add(1)))
    }

    /// The arguments of a call.
    pub(crate) fn arguments(&mut self, arguments: &str) {
        match arguments.trim() {
            "" | "{}" => self.title("no arguments"),
            arguments => {
                self.title("arguments");
                // Whoever looks at a call sees all that it was asked for.
                let lines_max = std::mem::replace(&mut self.text_lines_max, usize::MAX);
                self.json(arguments);
                self.text_lines_max = lines_max;
            }
        }
    }

    pub(crate) fn diff(&mut self, text: &str) {
        let columns = u16::try_from(self.columns.saturating_sub(2)).unwrap_or(u16::MAX);
        let lines = diff::render(text, columns, self.theme);
        let indented = lines.into_iter().map(|mut line| {
            line.spans.insert(0, Span::raw("  "));
            line
        });
        self.take(indented.collect(), text.lines().count());
    }
}

pub(crate) fn lay(page: &mut OutcomePage, outcome: &ToolOutcome) {
    let status = outcome.status().word();
    let time = time::duration(outcome.meta.duration_ms);
    let mut facts = vec![format!("outcome: {status}"), time];
    if outcome.is_ok() {
        facts.push(figures::bytes(outcome.meta.output_bytes));
    }
    facts.extend(words::outcome_remarks(outcome));
    page.title(&facts.join(" · "));
    match &outcome.body {
        Ok(output) => lay_output(page, output),
        Err(failure) => lay_failure(page, failure),
    }
    if let Some(proposal) = &outcome.meta.proposal {
        page.title(&format!("awaits your approval: {} risk", proposal.risk.label()));
        lay_preview(page, proposal);
    }
}

/// What a call would touch, and what it would do.
pub(crate) fn lay_preview(page: &mut OutcomePage, question: &Question) {
    for target in &question.targets {
        match target {
            Target::Path(path) => page.said("  path", path),
            Target::Host(host) => page.said("  host", host),
            Target::Command(command) => page.said("  command", command),
        }
    }
    match &question.preview {
        Some(Preview::Diff(diff)) => page.diff(diff),
        Some(Preview::Command(text) | Preview::Text(text)) => page.verbatim(text, TextRole::Text),
        None => {}
    }
}

fn lay_output(page: &mut OutcomePage, output: &ToolOutput) {
    let diff = output.json.get("diff").and_then(Value::as_str);
    match (diff, &output.text, &output.json) {
        (Some(diff), text, _) => {
            if let Some(first) = text.as_deref().and_then(|text| text.lines().next()) {
                page.verbatim(first, TextRole::Text);
            }
            page.diff(diff);
        }
        (None, Some(text), _) | (None, None, Value::String(text)) => page.verbatim(text, TextRole::Text),
        (None, None, json) => page.json(&json.to_string()),
    }
    if !output.links.is_empty() {
        page.title(&figures::plural(output.links.len(), "source"));
        output.links.iter().for_each(|link| lay_link(page, link));
    }
}

fn lay_link(page: &mut OutcomePage, link: &Link) {
    let title = Span::styled(clean(&link.title).into_owned(), page.style(TextRole::Text));
    let url = Span::styled(format!(" {}", clean(&link.url)), page.style(TextRole::Accent));
    page.spans(&[title, url], 2);
    if !link.snippet.is_empty() {
        page.spans(&[Span::styled(clean(&link.snippet).into_owned(), page.style(TextRole::Muted))], 4);
    }
}

fn lay_failure(page: &mut OutcomePage, failure: &ToolFailure) {
    page.prose(&failure.message, TextRole::Bad);
    page.said("  kind", failure.kind.word());
    let told = [
        ("  argument", &failure.field),
        ("  expected", &failure.expected),
        ("  received", &failure.received),
        ("  told to the model", &failure.hint),
    ];
    for (name, text) in told {
        if let Some(text) = text {
            page.said(name, text);
        }
    }
}
