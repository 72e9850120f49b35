//! What a question says: the warning, what the call touches, what it would do, its arguments. All of it can be read,
//! however long it is.

use ratatui::text::{Line, Span};
use serde_json::Value;
use windlass_core::permission::{Preview, Question, Target};
use windlass_core::tool::Risk;

use super::arguments;
use crate::diff;
use crate::text::{break_spans, clean, width, wrap_spans};
use crate::theme::{Role, Theme};

/// What stands before each line of something that is quoted.
const BAR: &str = "│ ";

/// Columns of the title beside tool and risk: narrower screens cut the tool's name there.
const TITLE_COLUMNS: usize = 15;

/// Lays out a question. The rule and the full name of the tool are part of it where they have no place outside.
pub(super) fn lay_out(
    question: &Question,
    columns: usize,
    theme: Theme,
    has_rule: bool,
) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    if let Some(warning) = warning(question.risk) {
        let style = theme.style(risk_role(question.risk));
        lines.extend(wrap_spans(&[Span::styled(warning, style)], columns, &[], &[]));
    }
    if width(&question.tool) + width(question.risk.label()) + TITLE_COLUMNS > columns {
        lines.extend(labelled("tool", &question.tool, columns, theme));
    }
    for target in question.targets.iter().filter(|target| !is_previewed(target, question)) {
        let (kind, name) = words_of(target);
        lines.extend(labelled(kind, name, columns, theme));
    }
    match question.preview.as_ref().filter(|preview| !repeats(preview, &question.arguments)) {
        Some(Preview::Diff(diff)) => {
            lines.push(heading("Change", theme));
            let room = u16::try_from(columns.saturating_sub(2)).unwrap_or(u16::MAX);
            lines.extend(indented(diff::render(diff, room, theme)));
        }
        Some(Preview::Command(command)) => {
            lines.push(heading("Command", theme));
            lines.extend(quoted(command, columns, Role::Code, theme));
        }
        Some(Preview::Text(text)) => {
            lines.push(heading("Preview", theme));
            lines.extend(quoted(text, columns, Role::Text, theme));
        }
        None => {}
    }
    lines.push(heading("Arguments", theme));
    lines.extend(indented(arguments::lay_out(&question.arguments, columns.saturating_sub(2), theme)));
    if has_rule {
        lines.push(heading("Remember stores", theme));
        lines.extend(quoted(&question.rule, columns, Role::Text, theme));
    }
    lines
}

/// How a risk is coloured; its word says the same.
pub(super) fn risk_role(risk: Risk) -> Role {
    match risk {
        Risk::Safe | Risk::Low | Risk::Medium => Role::Accent,
        Risk::High => Role::Warn,
        Risk::Critical => Role::Bad,
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

fn warning(risk: Risk) -> Option<&'static str> {
    match risk {
        Risk::Safe | Risk::Low | Risk::Medium => None,
        Risk::High => Some("Warning: this call changes or sends something. Read it before you allow it."),
        Risk::Critical => {
            Some("Warning: what this call does may not be undone. Allowing it needs a typed word.")
        }
    }
}

/// The command stands in its preview already.
fn is_previewed(target: &Target, question: &Question) -> bool {
    match (target, &question.preview) {
        (Target::Command(command), Some(Preview::Command(preview))) => preview.starts_with(command.as_str()),
        (Target::Path(_) | Target::Host(_) | Target::Command(_), _) => false,
    }
}

/// A tool without a preview of its own gets its arguments as one, and those are shown anyway.
fn repeats(preview: &Preview, arguments: &str) -> bool {
    match preview {
        Preview::Text(text) => {
            serde_json::from_str::<Value>(arguments).is_ok_and(|value| format!("{value:#}") == *text)
        }
        Preview::Diff(_) | Preview::Command(_) => false,
    }
}

fn heading(text: &'static str, theme: Theme) -> Line<'static> {
    Line::styled(text, theme.style(Role::Muted))
}

fn indented(lines: Vec<Line<'static>>) -> impl Iterator<Item = Line<'static>> {
    lines.into_iter().map(|mut line| {
        line.spans.insert(0, Span::raw("  "));
        line
    })
}

fn labelled(label: &str, text: &str, columns: usize, theme: Theme) -> Vec<Line<'static>> {
    let text = clean(text).replace('\n', "␊");
    let lead = Span::styled(format!("{label} "), theme.style(Role::Muted));
    let blank = Span::raw(" ".repeat(lead.width()));
    break_spans(&[Span::styled(text, theme.style(Role::Strong))], columns, &[lead], &[blank])
}

fn quoted(text: &str, columns: usize, role: Role, theme: Theme) -> Vec<Line<'static>> {
    let bar = [Span::styled(format!("  {BAR}"), theme.style(Role::Muted))];
    break_spans(&[Span::styled(clean(text), theme.style(role))], columns, &bar, &bar)
}
