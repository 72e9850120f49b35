//! Slash commands: from the line to what carries it out.

use crate::command::{self, Needs, SlashCommand};
use crate::effect::AppEffect;
use crate::state::TuiState;

/// Carries out a line, with or without its slash; a line that cannot be carried out goes back to be mended.
pub(super) fn run(state: &mut TuiState, line: &str) -> Vec<AppEffect> {
    match command::parse(line) {
        Ok((command, rest)) => carry_out(state, command, rest),
        Err(unknown) => {
            state.complain(unknown.to_string());
            state.composer.put_back(line);
            Vec::new()
        }
    }
}

/// Why a command cannot be carried out now.
pub(super) fn obstacle(state: &TuiState, needs: Needs) -> Option<&'static str> {
    match needs {
        Needs::Nothing => None,
        Needs::Session => state.session.is_none().then_some("no session yet; the first message starts one"),
        Needs::Running => state.running().is_none().then_some("no run is active"),
    }
}

/// Carries out a command; `rest` is what follows its word.
pub(super) fn carry_out(state: &mut TuiState, command: &SlashCommand, rest: &str) -> Vec<AppEffect> {
    if let Some(obstacle) = obstacle(state, command.needs) {
        state.complain(obstacle);
        return Vec::new();
    }
    (command.run)(state, rest)
}
