//! The lines under a question, which always stand: what is typed, the tool and its risk, the answers, who else waits, the
//! draft.

use ratatui::text::{Line, Span};
use windlass_core::permission::{Decision, Question};
use windlass_core::text::visible_line;

use super::body::{risk_role, words_of};
use crate::state::TuiState;
use crate::state::question::{KeyTarget, Writing};
use crate::text::{break_spans, clean, cut, width, wrap_spans};
use crate::theme::TextRole;

/// The answers with their keys (Z-14).
const ANSWERS: [(Decision, &str); 4] = [
    (Decision::Once, "[1] Allow Once"),
    (Decision::Session, "[2] Session"),
    (Decision::Remember, "[3] Remember"),
    (Decision::Deny, "[4] Deny"),
];

/// The keys beside them.
const MORE_KEYS: [&str; 2] = ["[5] Deny and say why", "[v] View all"];

const BETWEEN: &str = "  ";

/// Rows of a complaint.
const PROBLEM_ROWS_MAX: usize = 3;

/// The lines, and the one of them in which something is typed.
#[derive(Debug, Default)]
pub(super) struct Foot {
    pub(super) lines: Vec<Line<'static>>,
    pub(super) typing: Option<usize>,
}

/// What stands before the place where something is typed.
pub(super) const PROMPT: &str = "› ";

/// The foot of a question in at most so many rows: the tool and the answers first, then what explains them.
pub(super) fn lay_out(state: &TuiState, question: &Question, columns: usize, rows_max: usize) -> Foot {
    let (tool, answers) = (tool(state, question, columns), answers(state, columns));
    let (caption, has_typing) = caption(state, question, columns);
    let mut left = rows_max.saturating_sub(tool.len() + answers.len() + usize::from(has_typing));
    let mut take = |mut lines: Vec<Line<'static>>| {
        lines.truncate(left);
        left -= lines.len();
        lines
    };
    let problem = take(problem(state, columns));
    let caption = take(caption);
    let more = take(more_keys(state, columns));
    let draft = take(draft(state, columns).into_iter().collect());
    let queue = take(queue(state, question, columns).into_iter().collect());
    let mut foot = Foot { lines: caption, typing: None };
    if has_typing {
        foot.typing = Some(foot.lines.len());
        foot.lines.push(Line::from(Span::styled(PROMPT, state.theme.style(TextRole::Accent))));
    }
    foot.lines.extend(problem.into_iter().chain(tool).chain(answers).chain(more));
    foot.lines.extend(queue.into_iter().chain(draft));
    foot
}

/// What the keys below it are about.
fn tool(state: &TuiState, question: &Question, columns: usize) -> Vec<Line<'static>> {
    let (name, risk) = (visible_line(&question.tool), question.risk.label());
    let muted = state.theme.style(TextRole::Muted);
    let spans = [
        Span::styled("Tool: ", muted),
        Span::styled(name, state.theme.style(TextRole::Strong)),
        Span::styled(" · Risk: ", muted),
        Span::styled(risk, state.theme.style(risk_role(question.risk))),
    ];
    break_spans(&spans, columns, &[], &[Span::raw("  ")])
}

fn said(state: &TuiState, text: &str, role: TextRole, columns: usize) -> Vec<Line<'static>> {
    wrap_spans(&[Span::styled(text, state.theme.style(role))], columns, &[], &[])
}

/// What stands over the answers while something is typed, and whether something is.
fn caption(state: &TuiState, question: &Question, columns: usize) -> (Vec<Line<'static>>, bool) {
    match &state.asking.writing {
        Writing::Nothing => (Vec::new(), false),
        Writing::Rule(_) => (said(state, "Remember stores this rule:", TextRole::Text, columns), true),
        Writing::Reason(_) => {
            (said(state, "What should it do instead? The model is told:", TextRole::Text, columns), true)
        }
        Writing::Word(answer, _) => {
            let word = visible_line(question.confirm_word.as_deref().unwrap_or_default());
            let reach = match answer.decision {
                Decision::Once | Decision::Deny => "this once",
                Decision::Session => "for this session",
                Decision::Remember => "now and whenever the rule means it",
            };
            (said(state, &format!("Type {word} to let it run {reach}:"), TextRole::Bad, columns), true)
        }
    }
}

/// The answers, or what is going on instead.
fn answers(state: &TuiState, columns: usize) -> Vec<Line<'static>> {
    let text = match (&state.cancelling, state.is_answering(), &state.asking.writing) {
        (Some(_), _, _) => "cancelling…",
        (None, true, _) => "answering…",
        (None, false, Writing::Nothing) => return keys(state, columns),
        (None, false, Writing::Rule(_)) => "Enter stores it and lets the call run · Esc gives up",
        (None, false, Writing::Reason(_)) => "Enter denies it · Esc goes back",
        (None, false, Writing::Word(..)) => "Enter confirms · Esc goes back",
    };
    said(state, text, TextRole::Muted, columns)
}

/// The keys of the question, on one line where it is wide enough.
fn keys(state: &TuiState, columns: usize) -> Vec<Line<'static>> {
    let key = |(decision, label): (Decision, &'static str)| {
        let role = match state.ear() {
            KeyTarget::Question if state.asking.picked == Some(decision) => TextRole::Chosen,
            KeyTarget::Question => TextRole::Strong,
            KeyTarget::Others | KeyTarget::Nobody => TextRole::Muted,
        };
        Span::styled(label, state.theme.style(role))
    };
    in_line(ANSWERS.into_iter().map(key), columns)
}

fn more_keys(state: &TuiState, columns: usize) -> Vec<Line<'static>> {
    let is_open = matches!(state.asking.writing, Writing::Nothing) && !state.is_answering();
    let keys = MORE_KEYS.into_iter().filter(|_| is_open);
    in_line(keys.map(|label| Span::styled(label, state.theme.style(TextRole::Muted))), columns)
}

/// Labels beside each other, on as many lines as they need.
fn in_line(labels: impl Iterator<Item = Span<'static>>, columns: usize) -> Vec<Line<'static>> {
    let mut lines: Vec<Line<'static>> = Vec::new();
    for label in labels {
        match lines.last_mut() {
            Some(line) if line.width() + width(BETWEEN) + label.width() <= columns => {
                line.spans.extend([Span::raw(BETWEEN), label]);
            }
            Some(_) | None => lines.push(Line::from(label)),
        }
    }
    lines
}

fn problem(state: &TuiState, columns: usize) -> Vec<Line<'static>> {
    let Some(problem) = &state.asking.problem else { return Vec::new() };
    let mut lines = said(state, &format!("✗ {}", clean(problem)), TextRole::Bad, columns);
    lines.truncate(PROBLEM_ROWS_MAX);
    lines
}

fn queue(state: &TuiState, question: &Question, columns: usize) -> Option<Line<'static>> {
    let others = state.questions().iter().filter(|other| other.call_id != question.call_id);
    let names: Vec<String> = others
        .map(|other| {
            let target = other.targets.first().map(|target| format!(" {}", words_of(target).1));
            visible_line(&format!("{}{}", other.tool, target.unwrap_or_default())).into_owned()
        })
        .collect();
    let verb = match names.len() {
        0 => return None,
        1 => "waits",
        _ => "wait",
    };
    let text = format!("{} more {verb}: {}", names.len(), names.join(", "));
    Some(Line::styled(cut(&text, columns).into_owned(), state.theme.style(TextRole::Muted)))
}

/// The message that was being written: it is not lost, and it is seen to grow while keys go into it.
fn draft(state: &TuiState, columns: usize) -> Option<Line<'static>> {
    if state.composer.is_empty() {
        return None;
    }
    let text = clean(&state.composer.text()).replace('\n', " ");
    let (lead, tail, role) = match state.ear() {
        KeyTarget::Others => ("› ", "▏", TextRole::Text),
        KeyTarget::Question | KeyTarget::Nobody => ("draft: ", "", TextRole::Muted),
    };
    let room = columns.saturating_sub(width(lead) + width(tail)).max(1);
    // Whoever writes looks at the end.
    let shown = match role {
        TextRole::Text => break_spans(&[Span::raw(text)], room, &[], &[])
            .pop()
            .map(|line| line.to_string())
            .unwrap_or_default(),
        _ => cut(&text, room).into_owned(),
    };
    Some(Line::styled(format!("{lead}{shown}{tail}"), state.theme.style(role)))
}
