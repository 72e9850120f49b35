//! Slash commands: what the user asks of the app itself.

use super::stop;
use crate::effect::Effect;
use crate::state::State;

/// Carries out a line without its slash.
pub(super) fn run(state: &mut State, line: &str) -> Vec<Effect> {
    let (word, _rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    match word {
        "quit" => stop::leave(state),
        _ => {
            state.complain(format!("there is no command /{word}; /help lists them"));
            Vec::new()
        }
    }
}
