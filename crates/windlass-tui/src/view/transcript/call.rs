//! A call in one line, and all of it when it is unfolded.

use ratatui::text::{Line, Span};
use windlass_core::permission::Preview;
use windlass_core::protocol::display::call_block;
use windlass_core::protocol::tool::{OutcomeStatus, ToolOutcome};
use windlass_core::protocol::view::{CallState, CallView};
use windlass_core::text::time;

use super::cache::{CellBody, Laid};
use super::cell::CellLook;
use crate::state::cells::Cells;
use crate::text::{clean, cut, one_line, width};
use crate::theme::TextRole;
use crate::view::outcome::{self, OutcomePage};
use crate::view::signs;
use crate::words;

/// Lines of one text in an unfolded call; the inspector has more of it.
const TEXT_LINES_MAX: usize = 200;

/// Columns that the arguments of a call get at least.
const SUMMARY_COLUMNS_MIN: usize = 8;

/// Whether it shows a time that goes on.
pub(super) fn is_moving(call: &CallView) -> bool {
    matches!(call.state, CallState::Running)
}

/// The lines of a call.
pub(super) fn lay(look: &CellLook<'_>, call: &CallView, is_unfolded: bool) -> Laid {
    let head = vec![head(look, call)];
    let body = if is_unfolded { unfolded(look, call) } else { folded(look, call) };
    Laid { head, body: CellBody::Lines(body), tone: None }
}

fn head(look: &CellLook<'_>, call: &CallView) -> Line<'static> {
    let (sign, role) = signs::call(&call.state, look.now_ms);
    let name = clean(&call.call.name).into_owned();
    let facts = facts(look, call).join(" · ");
    let taken = 2 + width(&name) + if facts.is_empty() { 0 } else { width(&facts) + 3 };
    let room = look.columns.saturating_sub(taken + 1).max(SUMMARY_COLUMNS_MIN);
    let summary = cut(&words::call_summary(&call.call), room).into_owned();
    let mut spans = vec![look.span(format!("{sign} "), role), look.span(name, TextRole::Strong)];
    if !summary.is_empty() {
        spans.push(look.span(format!(" {summary}"), TextRole::Text));
    }
    if !facts.is_empty() {
        spans.push(look.span(format!(" · {facts}"), TextRole::Muted));
    }
    Line::from(spans)
}

/// State or duration, size or what it gave.
fn facts(look: &CellLook<'_>, call: &CallView) -> Vec<String> {
    match &call.state {
        CallState::Requested => vec!["requested".to_owned()],
        CallState::Asking => vec!["waits for you".to_owned()],
        CallState::Running => {
            let began = began_ms(look, call);
            let time = began.map(|began| time::running(look.now_ms.saturating_sub(began)));
            vec![time.unwrap_or_else(|| "running".to_owned())]
        }
        CallState::Ended(outcome) => {
            let time = time::duration(outcome.meta.duration_ms);
            match &outcome.body {
                Ok(output) => {
                    let gave = words::output_summary(output, call.category, outcome.meta.output_bytes);
                    let cached = outcome.meta.is_cached.then(|| "cached".to_owned());
                    [Some(time), cached, Some(gave)].into_iter().flatten().collect()
                }
                Err(_) => ended_without(outcome, time),
            }
        }
    }
}

fn ended_without(outcome: &ToolOutcome, time: String) -> Vec<String> {
    let status = outcome.status();
    let more = match (status, outcome.meta.proposal.as_ref().and_then(|proposal| proposal.preview.as_ref())) {
        (OutcomeStatus::Failed, _) => Some(time),
        (OutcomeStatus::Staged, Some(Preview::Diff(diff))) => {
            Some(format!("{} · awaits your approval", words::diff_summary(diff)))
        }
        (OutcomeStatus::Staged, _) => Some("awaits your approval".to_owned()),
        (
            OutcomeStatus::Ok | OutcomeStatus::Denied | OutcomeStatus::Cancelled | OutcomeStatus::Interrupted,
            _,
        ) => None,
    };
    [Some(status.word().to_owned()), more].into_iter().flatten().collect()
}

fn began_ms(look: &CellLook<'_>, call: &CallView) -> Option<u64> {
    let run = Cells::new(look.state).run(look.cell)?;
    look.state.session.as_ref()?.timing.run(&run.run_id)?.call_started_ms(&call.call.id)
}

/// The one line below the head: how far it is, or why it failed.
fn folded(look: &CellLook<'_>, call: &CallView) -> Vec<Line<'static>> {
    if let Some(block) = block(look, call) {
        let line =
            |text: &str| look.span(cut(&one_line(text), look.body_columns()).into_owned(), TextRole::Text);
        return block.lines().map(|text| Line::from(line(text))).collect();
    }
    let (text, role) = match &call.state {
        CallState::Requested | CallState::Asking | CallState::Running => {
            (call.progress.as_deref().unwrap_or_default(), TextRole::Muted)
        }
        CallState::Ended(outcome) => match (outcome.status(), outcome.failure()) {
            (OutcomeStatus::Failed, Some(failure)) => (failure.message.as_str(), TextRole::Bad),
            (OutcomeStatus::Denied | OutcomeStatus::Interrupted, Some(failure)) => {
                (failure.message.as_str(), TextRole::Muted)
            }
            (OutcomeStatus::Staged, Some(_)) if call.is_applied => ("staged, then applied", TextRole::Muted),
            (OutcomeStatus::Staged, Some(_)) => {
                ("staged, not written yet: /apply shows and applies it", TextRole::Warn)
            }
            (OutcomeStatus::Ok | OutcomeStatus::Cancelled, _) | (_, None) => ("", TextRole::Muted),
        },
    };
    let line = one_line(text);
    if line.is_empty() {
        return Vec::new();
    }
    vec![Line::from(Span::styled(cut(&line, look.body_columns()).into_owned(), look.theme.style(role)))]
}

/// The block of a call that has ended, where the run's profile has blocks (Z-17).
fn block(look: &CellLook<'_>, call: &CallView) -> Option<String> {
    let CallState::Ended(outcome) = &call.state else { return None };
    let setup = Cells::new(look.state).run(look.cell)?.setup.as_ref()?;
    let has_block = setup.profile.shows_blocks() && outcome.status() != OutcomeStatus::Staged;
    has_block.then(|| call_block(&setup.profile, &call.call, outcome))
}

fn unfolded(look: &CellLook<'_>, call: &CallView) -> Vec<Line<'static>> {
    let mut page = OutcomePage::new(look.body_columns(), look.theme, TEXT_LINES_MAX);
    page.arguments(&call.call.arguments);
    match &call.state {
        CallState::Requested | CallState::Asking | CallState::Running => {
            if let Some(line) = &call.progress {
                page.said("progress", &one_line(line));
            }
        }
        CallState::Ended(outcome) => outcome::lay(&mut page, outcome),
    }
    page.lines
}
