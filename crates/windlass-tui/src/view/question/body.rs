//! What a question says: the warning, what the call touches, what it would do, its arguments, the rule. All of it can be
//! read, however long it is, and what others wrote of it stands in a gutter.

use ratatui::text::{Line, Span};
use windlass_core::permission::{Preview, Question, Target, host_note};
use windlass_core::protocol::tool::Risk;

use super::{arguments, quote};
use crate::diff;
use crate::text::{one_line, wrap_spans};
use crate::theme::{TextRole, Theme};

pub(super) fn lay_out(question: &Question, columns: usize, theme: Theme) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    if let Some(warning) = question.risk.warning() {
        let style = theme.style(risk_role(question.risk));
        lines.extend(wrap_spans(&[Span::styled(warning, style)], columns, &[], &[]));
    }
    if question.hidden_chars > 0 {
        let chars = question.hidden_chars;
        let secret = format!("Warning: {chars} characters of this are a secret that Windlass knows.");
        lines.extend(wrap_spans(&[Span::styled(secret, theme.style(TextRole::Bad))], columns, &[], &[]));
    }
    if let Some(caution) = &question.caution {
        let careful = format!("Careful: {}", one_line(caution));
        lines.extend(wrap_spans(&[Span::styled(careful, theme.style(TextRole::Bad))], columns, &[], &[]));
    }
    if let Some(sandbox) = &question.sandbox {
        let role = if sandbox.leaves { TextRole::Bad } else { TextRole::Muted };
        let words = one_line(&sandbox.words);
        lines.extend(wrap_spans(&[Span::styled(words, theme.style(role))], columns, &[], &[]));
    }
    if !question.targets.is_empty() {
        lines.push(heading("Touches", theme));
    }
    for target in &question.targets {
        let (kind, name) = words_of(target);
        lines.extend(quote::one_line(&format!("{kind} "), name, columns, theme));
    }
    match &question.preview {
        Some(Preview::Diff(diff)) => {
            lines.push(heading("Change", theme));
            let room = u16::try_from(columns.saturating_sub(quote::GUTTER_COLUMNS)).unwrap_or(u16::MAX);
            lines.extend(quote::rows(diff::render(diff, room, theme), theme));
        }
        Some(Preview::Command(command)) => {
            lines.push(heading("Command", theme));
            lines.extend(quote::text(command, "", columns, TextRole::Code, theme));
        }
        Some(Preview::Text(text)) if !repeats(text, &question.arguments) => {
            lines.push(heading("Preview", theme));
            lines.extend(quote::text(text, "", columns, TextRole::Text, theme));
        }
        Some(Preview::Text(_)) | None => {}
    }
    if let Some(folder) = &question.folder {
        lines.push(heading("Runs in", theme));
        lines.extend(quote::one_line("", folder, columns, theme));
    }
    lines.push(heading("Arguments", theme));
    lines.extend(arguments::lay_out(&question.arguments, columns, theme));
    lines.push(heading("Remember stores", theme));
    lines.extend(quote::one_line("", &question.rule, columns, theme));
    if let Some(note) = host_note(&question.rule) {
        let covers = Span::styled(format!("It covers {note}."), theme.style(TextRole::Muted));
        lines.extend(wrap_spans(&[covers], columns, &[], &[]));
    }
    lines
}

/// How a risk is coloured; its word says the same.
pub(super) fn risk_role(risk: Risk) -> TextRole {
    match risk {
        Risk::Safe | Risk::Low | Risk::Medium => TextRole::Accent,
        Risk::High => TextRole::Warn,
        Risk::Critical => TextRole::Bad,
    }
}

/// The kind and the name of a target.
pub(super) fn words_of(target: &Target) -> (&'static str, &str) {
    match target {
        Target::Path(path) => ("path", path),
        Target::Host(host) => ("host", host),
        Target::Command(command) => ("command", command),
    }
}

/// A tool without a preview of its own gets its arguments as one, and those are shown anyway.
fn repeats(preview: &str, arguments: &str) -> bool {
    let value = serde_json::from_str::<serde_json::Value>(arguments);
    value.is_ok_and(|value| format!("{value:#}") == preview)
}

fn heading(text: &'static str, theme: Theme) -> Line<'static> {
    Line::styled(text, theme.style(TextRole::Muted))
}
