//! The lines under a question, which always stand: the rule, what is typed, the answers, who else waits, the draft.

use ratatui::text::{Line, Span};
use windlass_core::permission::{Decision, Question};

use super::body::words_of;
use crate::state::State;
use crate::state::question::{Ear, Writing};
use crate::text::{break_spans, clean, cut, one_line, width, wrap_spans};
use crate::theme::{Role, Theme};

/// The answers with their keys (Z-14).
const ANSWERS: [(Decision, &str); 4] = [
    (Decision::Once, "[1] Allow Once"),
    (Decision::Session, "[2] Session"),
    (Decision::Remember, "[3] Remember"),
    (Decision::Deny, "[4] Deny"),
];

const BETWEEN: &str = "  ";

/// Rows of a rule that may stand outside of what scrolls.
const RULE_ROWS_MAX: usize = 2;

/// Rows of a complaint.
const PROBLEM_ROWS_MAX: usize = 3;

/// What stands before a rule.
const RULE_LEAD: &str = "Remember stores ";

/// The lines, and the one of them in which something is typed.
#[derive(Debug, Default)]
pub(super) struct Foot {
    pub(super) lines: Vec<Line<'static>>,
    pub(super) typing: Option<usize>,
}

/// What stands before the place where something is typed.
pub(super) const PROMPT: &str = "› ";

/// The foot of a question in at most so many rows: the answers first, then what explains them.
pub(super) fn lay_out(state: &State, question: &Question, columns: usize, rows_max: usize) -> Foot {
    let mut answers = answers(state, columns);
    let (caption, has_typing) = caption(state, question, columns);
    let mut left = rows_max.saturating_sub(answers.len() + usize::from(has_typing));
    let mut take = |mut lines: Vec<Line<'static>>| {
        lines.truncate(left);
        left -= lines.len();
        lines
    };
    let problem = take(problem(state, columns));
    let caption = take(caption);
    let draft = take(draft(state, columns).into_iter().collect());
    let queue = take(queue(state, question, columns).into_iter().collect());
    let mut foot = Foot { lines: caption, typing: None };
    if has_typing {
        foot.typing = Some(foot.lines.len());
        foot.lines.push(Line::from(Span::styled(PROMPT, state.theme.style(Role::Accent))));
    }
    foot.lines.extend(problem);
    foot.lines.append(&mut answers);
    foot.lines.extend(queue);
    foot.lines.extend(draft);
    foot
}

/// Whether a rule is short enough to stand there.
pub(super) fn has_room_for(rule: &str, columns: usize) -> bool {
    rule_lines(rule, columns, Theme::default()).len() <= RULE_ROWS_MAX
}

fn rule_lines(rule: &str, columns: usize, theme: Theme) -> Vec<Line<'static>> {
    let lead = [Span::styled(RULE_LEAD, theme.style(Role::Muted))];
    let blank = [Span::raw(" ".repeat(width(RULE_LEAD)))];
    break_spans(&[Span::raw(clean(rule).replace('\n', "␊"))], columns, &lead, &blank)
}

fn said(state: &State, text: &str, role: Role, columns: usize) -> Vec<Line<'static>> {
    wrap_spans(&[Span::styled(text, state.theme.style(role))], columns, &[], &[])
}

/// What stands over the answers, and whether something is typed below it.
fn caption(state: &State, question: &Question, columns: usize) -> (Vec<Line<'static>>, bool) {
    match &state.asking.writing {
        Writing::Nothing if has_room_for(&question.rule, columns) && state.size.1 >= super::ROOMY_ROWS => {
            (rule_lines(&question.rule, columns, state.theme), false)
        }
        Writing::Nothing => (Vec::new(), false),
        Writing::Rule(_) => (said(state, "Remember stores this rule:", Role::Text, columns), true),
        Writing::Word(answer, _) => {
            let word = clean(question.confirm_word.as_deref().unwrap_or_default());
            let reach = match answer.decision {
                Decision::Once | Decision::Deny => "this once",
                Decision::Session => "for this session",
                Decision::Remember => "now and whenever the rule means it",
            };
            (said(state, &format!("Type {word} to let it run {reach}:"), Role::Bad, columns), true)
        }
    }
}

/// The answers, or what is going on instead.
fn answers(state: &State, columns: usize) -> Vec<Line<'static>> {
    let text = match (&state.cancelling, state.is_answering(), &state.asking.writing) {
        (Some(_), _, _) => "cancelling…",
        (None, true, _) => "answering…",
        (None, false, Writing::Nothing) => return keys(state, columns),
        (None, false, Writing::Rule(_)) => "Enter stores it and lets the call run · Esc gives up",
        (None, false, Writing::Word(..)) => "Enter confirms · Esc goes back",
    };
    said(state, text, Role::Muted, columns)
}

/// The keys of the question, on one line where it is wide enough.
fn keys(state: &State, columns: usize) -> Vec<Line<'static>> {
    let mut lines: Vec<Line<'static>> = Vec::new();
    for (decision, label) in ANSWERS {
        let role = match state.ear() {
            Ear::Question if state.asking.picked == Some(decision) => Role::Chosen,
            Ear::Question => Role::Strong,
            Ear::Others | Ear::Nobody => Role::Muted,
        };
        let span = Span::styled(label, state.theme.style(role));
        match lines.last_mut() {
            Some(line) if line.width() + width(BETWEEN) + width(label) <= columns => {
                line.spans.extend([Span::raw(BETWEEN), span]);
            }
            Some(_) | None => lines.push(Line::from(span)),
        }
    }
    lines
}

fn problem(state: &State, columns: usize) -> Vec<Line<'static>> {
    let Some(problem) = &state.asking.problem else { return Vec::new() };
    let mut lines = said(state, &format!("✗ {}", clean(problem)), Role::Bad, columns);
    lines.truncate(PROBLEM_ROWS_MAX);
    lines
}

/// Who else waits.
fn queue(state: &State, question: &Question, columns: usize) -> Option<Line<'static>> {
    let others = state.questions().iter().filter(|other| other.call_id != question.call_id);
    let names: Vec<String> = others
        .map(|other| {
            let target = other.targets.first().map(|target| format!(" {}", words_of(target).1));
            one_line(&format!("{}{}", other.tool, target.unwrap_or_default()))
        })
        .collect();
    let verb = match names.len() {
        0 => return None,
        1 => "waits",
        _ => "wait",
    };
    let text = format!("{} more {verb}: {}", names.len(), names.join(", "));
    Some(Line::styled(cut(&text, columns).into_owned(), state.theme.style(Role::Muted)))
}

/// The message that was being written: it is not lost, and it is seen to grow while keys go into it.
fn draft(state: &State, columns: usize) -> Option<Line<'static>> {
    if state.composer.is_empty() {
        return None;
    }
    let text = clean(&state.composer.text()).replace('\n', " ");
    let (lead, tail, role) = match state.ear() {
        Ear::Others => ("› ", "▏", Role::Text),
        Ear::Question | Ear::Nobody => ("draft: ", "", Role::Muted),
    };
    let room = columns.saturating_sub(width(lead) + width(tail)).max(1);
    // Whoever writes looks at the end.
    let shown = match role {
        Role::Text => break_spans(&[Span::raw(text)], room, &[], &[])
            .pop()
            .map(|line| line.to_string())
            .unwrap_or_default(),
        _ => cut(&text, room).into_owned(),
    };
    Some(Line::styled(format!("{lead}{shown}{tail}"), state.theme.style(role)))
}
