//! Slash commands: from the line to what carries it out.

use super::commands;
use crate::command::{self, CommandKind, Needs};
use crate::effect::Effect;
use crate::state::State;

/// Carries out a line, with or without its slash; a line that cannot be carried out goes back to be mended.
pub(super) fn run(state: &mut State, line: &str) -> Vec<Effect> {
    match command::parse(line) {
        Ok((kind, rest)) => carry_out(state, kind, rest),
        Err(unknown) => {
            state.complain(unknown.to_string());
            state.composer.put_back(line);
            Vec::new()
        }
    }
}

/// Why a command cannot be carried out now.
pub(super) fn obstacle(state: &State, needs: Needs) -> Option<&'static str> {
    match needs {
        Needs::Nothing => None,
        Needs::Session => {
            state.session.is_none().then_some("nothing was said yet; the first message begins a session")
        }
        Needs::Running => state.running().is_none().then_some("no run goes on"),
    }
}

/// Carries out a command; `rest` is what follows its word.
pub(super) fn carry_out(state: &mut State, kind: CommandKind, rest: &str) -> Vec<Effect> {
    let needs = command::row_of(kind).map_or(Needs::Nothing, |row| row.needs);
    if let Some(obstacle) = obstacle(state, needs) {
        state.complain(obstacle);
        return Vec::new();
    }
    match kind {
        CommandKind::Help => commands::help::run(state, rest),
        CommandKind::Model => commands::model::run(state, rest),
        CommandKind::Profile => commands::profile::run(state, rest),
        CommandKind::Mode => commands::mode::run(state, rest),
        CommandKind::Settings => commands::settings::run(state, rest),
        CommandKind::Theme => commands::theme::run(state, rest),
        CommandKind::Tools => commands::tools::run(state, rest),
        CommandKind::Tasks => commands::tasks::run(state, rest),
        CommandKind::Policy => commands::policy::run(state, rest),
        CommandKind::Search => commands::search::run(state, rest),
        CommandKind::Sessions => commands::sessions::run(state, rest),
        CommandKind::New => commands::new::run(state, rest),
        CommandKind::Rename => commands::rename::run(state, rest),
        CommandKind::Resume => commands::resume::run(state, rest),
        CommandKind::Fork => commands::fork::run(state, rest),
        CommandKind::Apply => commands::apply::run(state, rest),
        CommandKind::Inspect => commands::inspect::run(state, rest),
        CommandKind::Context => commands::context::run(state, rest),
        CommandKind::Thinking => commands::thinking::run(state, rest),
        CommandKind::Copy => commands::copy::run(state, rest),
        CommandKind::Export => commands::export::run(state, rest),
        CommandKind::Cancel => commands::cancel::run(state, rest),
        CommandKind::Quit => commands::quit::run(state, rest),
    }
}
