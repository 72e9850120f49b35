//! `/apply`: makes an edit that a run has staged, after it was looked at.

use windlass_core::permission::{Preview, Question};
use windlass_core::protocol::ids::RunId;
use windlass_core::protocol::view::{CallState, Entry, RunView};

use super::{refuse, tools};
use crate::command::{Needs, SlashCommand};
use crate::effect::{AppEffect, Proposal};
use crate::state::TuiState;
use crate::state::overlay::{Confirm, Deed, LinePrompt, Overlay, PromptKind, StyledLine};
use crate::text::one_line;
use crate::theme::TextRole;
use crate::update::overlay;

pub(super) const COMMAND: SlashCommand = SlashCommand {
    arguments: "[CALL]",
    needs: Needs::Session,
    ..SlashCommand::new("apply", "apply an edit that was staged", run)
};

/// Shows the first staged edit that waits, of the newest run that has one, or that of the call that is named, and asks.
fn run(state: &mut TuiState, rest: &str) -> Vec<AppEffect> {
    let Some(session) = &state.session else { return Vec::new() };
    let is_meant = |question: &Question| rest.is_empty() || question.call_id.as_str() == rest;
    let mut waiting: Vec<(&RunId, &Question)> = session.view.runs.iter().rev().flat_map(staged_of).collect();
    waiting.retain(|(_, question)| is_meant(question));
    let meant = waiting.first().map(|(run_id, question)| (RunId::clone(run_id), Question::clone(question)));
    let Some((run_id, question)) = meant else {
        let line = format!("/apply {rest}");
        return match rest {
            "" => refuse(state, "", "no edit of this session waits; `windlass --approve stage` stages them"),
            call => {
                refuse(state, line.trim(), format!("call {} is no staged edit that waits", one_line(call)))
            }
        };
    };
    let proposal = Proposal {
        run_id,
        call_id: question.call_id.clone(),
        digest: question.digest.clone(),
        confirm_word: question.confirm_word.clone(),
        confirmation: None,
    };
    let title = format!("Apply {} {} ({})?", question.call_id, question.tool, tools::risk(question.risk));
    let confirm = Confirm::new(title, "apply", Deed::Apply(Box::new(proposal)), lines_of(&question));
    overlay::open(state, Overlay::Confirm(confirm));
    Vec::new()
}

/// The edits of a run that wait, oldest first.
fn staged_of(run: &RunView) -> impl Iterator<Item = (&RunId, &Question)> {
    run.entries.iter().filter_map(|entry| match entry {
        Entry::Call(call) if !call.is_applied => match &call.state {
            CallState::Ended(outcome) => Some((&run.run_id, outcome.meta.proposal.as_deref()?)),
            CallState::Requested | CallState::Asking | CallState::Running => None,
        },
        Entry::Call(_) | Entry::Text(_) | Entry::Reasoning { .. } => None,
    })
}

/// What would be done, whole.
fn lines_of(question: &Question) -> Vec<StyledLine> {
    match &question.preview {
        Some(Preview::Diff(diff)) => diff.lines().map(diff_line).collect(),
        Some(Preview::Command(text) | Preview::Text(text)) => StyledLine::all(TextRole::Text, text),
        None => StyledLine::all(TextRole::Text, &question.arguments),
    }
}

fn diff_line(line: &str) -> StyledLine {
    let role = match line.chars().next() {
        Some('+') => TextRole::Added,
        Some('-') => TextRole::Removed,
        Some('@') => TextRole::Place,
        _ => TextRole::Text,
    };
    StyledLine::new(role, line)
}

/// It was confirmed; a critical edit needs a word beside that.
pub(in crate::update) fn confirm(state: &mut TuiState, proposal: Proposal) -> Vec<AppEffect> {
    match proposal.confirm_word.clone() {
        None => vec![AppEffect::Apply(Box::new(proposal))],
        Some(word) => {
            let title = format!("This edit is critical: type {} to apply it", one_line(&word));
            let prompt = LinePrompt::new(title, PromptKind::Confirmation(Box::new(proposal)), "");
            overlay::open(state, Overlay::Prompt(Box::new(prompt)));
            Vec::new()
        }
    }
}

/// The word was typed.
pub(in crate::update) fn take_word(state: &mut TuiState, proposal: Proposal, word: &str) -> Vec<AppEffect> {
    if proposal.confirm_word.as_deref() != Some(word) {
        state.complain("that is not the word: nothing was applied");
        return Vec::new();
    }
    vec![AppEffect::Apply(Box::new(Proposal { confirmation: Some(word.to_owned()), ..proposal }))]
}
