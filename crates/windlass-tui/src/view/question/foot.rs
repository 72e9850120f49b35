//! The lines under a question, which always stand: the rule, what is typed, the answers, who else waits, the draft.

use ratatui::text::{Line, Span};
use windlass_core::permission::{Decision, Question};

use super::body::words_of;
use crate::state::State;
use crate::state::question::{Ear, Writing};
use crate::text::{clean, cut, one_line, width};
use crate::theme::Role;
use crate::view::lines::{chop, wrap};

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
        foot.lines.push(Line::styled(PROMPT, state.theme.style(Role::Accent)));
    }
    foot.lines.extend(problem);
    foot.lines.append(&mut answers);
    foot.lines.extend(queue);
    foot.lines.extend(draft);
    foot
}

/// Whether a rule is short enough to stand there.
pub(super) fn has_room_for(rule: &str, columns: usize) -> bool {
    rule_pieces(rule, columns).len() <= RULE_ROWS_MAX
}

fn rule_pieces(rule: &str, columns: usize) -> Vec<String> {
    chop(&clean(rule).replace('\n', "␊"), columns.saturating_sub(width(RULE_LEAD)).max(1))
}

/// What stands over the answers, and whether something is typed below it.
fn caption(state: &State, question: &Question, columns: usize) -> (Vec<Line<'static>>, bool) {
    let styled = |text: &str, role| {
        let style = state.theme.style(role);
        wrap(text, columns).into_iter().map(|line| Line::styled(line, style)).collect()
    };
    match &state.asking.writing {
        Writing::Nothing if has_room_for(&question.rule, columns) && state.size.1 >= super::ROOMY_ROWS => {
            let blank = " ".repeat(width(RULE_LEAD));
            let leads = std::iter::once(RULE_LEAD.to_owned()).chain(std::iter::repeat(blank));
            let pieces = rule_pieces(&question.rule, columns).into_iter();
            let muted = state.theme.style(Role::Muted);
            let line = |(lead, piece)| Line::from(vec![Span::styled(lead, muted), Span::raw(piece)]);
            (leads.zip(pieces).map(line).collect(), false)
        }
        Writing::Nothing => (Vec::new(), false),
        Writing::Rule(_) => (styled("Remember stores this rule:", Role::Text), true),
        Writing::Word(answer, _) => {
            let word = clean(question.confirm_word.as_deref().unwrap_or_default());
            let reach = match answer.decision {
                Decision::Once | Decision::Deny => "this once",
                Decision::Session => "for this session",
                Decision::Remember => "now and whenever the rule means it",
            };
            (styled(&format!("Type {word} to let it run {reach}:"), Role::Bad), true)
        }
    }
}

/// The answers, or what is going on instead.
fn answers(state: &State, columns: usize) -> Vec<Line<'static>> {
    let muted = state.theme.style(Role::Muted);
    let said = |text: &str| wrap(text, columns).into_iter().map(|line| Line::styled(line, muted)).collect();
    if state.cancelling.is_some() {
        return said("cancelling…");
    }
    if state.is_answering() {
        return said("answering…");
    }
    match &state.asking.writing {
        Writing::Nothing => keys(state, columns),
        Writing::Rule(_) => said("Enter stores it and lets the call run · Esc gives up"),
        Writing::Word(..) => said("Enter confirms · Esc goes back"),
    }
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
    let style = state.theme.style(Role::Bad);
    let lines = wrap(&format!("✗ {}", clean(problem)), columns);
    lines.into_iter().take(PROBLEM_ROWS_MAX).map(|line| Line::styled(line, style)).collect()
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
        Role::Text => chop(&text, room).pop().unwrap_or_default(),
        _ => cut(&text, room).into_owned(),
    };
    Some(Line::styled(format!("{lead}{shown}{tail}"), state.theme.style(role)))
}
