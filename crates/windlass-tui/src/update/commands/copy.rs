//! `/copy`: the last answer, or the whole session, to the clipboard of the terminal.

use super::export::session_markdown;
use super::refuse;
use crate::command::{Needs, SlashCommand};
use crate::effect::AppEffect;
use crate::state::TuiState;
use crate::state::composer::popup::Suggestion;
use crate::transcript_text::last_answer;

/// Characters beyond which some terminals take nothing.
const CLIPBOARD_CHARS: usize = 74_000;

pub(super) const COMMAND: SlashCommand = SlashCommand {
    aliases: &["yank"],
    arguments: "[all]",
    needs: Needs::Session,
    offer,
    ..SlashCommand::new("copy", "copy the last answer, or the whole session", run)
};

fn run(state: &mut TuiState, rest: &str) -> Vec<AppEffect> {
    let Some(session) = &state.session else { return Vec::new() };
    let (text, what) = match rest {
        "" => (last_answer(&session.view), "the last answer"),
        "all" => (Some(session_markdown(session)), "the session"),
        _ => {
            return refuse(
                state,
                &format!("/copy {rest}"),
                "/copy copies the last answer, /copy all the session",
            );
        }
    };
    let Some(text) = text.filter(|text| !text.is_empty()) else {
        state.complain("there is no answer to copy yet");
        return Vec::new();
    };
    let chars = text.chars().count();
    let warning = match chars > CLIPBOARD_CHARS {
        true => "; some terminals do not take so much: /export writes a file",
        false => "",
    };
    state.tell(format!("{what} is on the clipboard: {chars} characters{warning}"));
    vec![AppEffect::Copy(text)]
}

/// What may follow the word, after what already does.
fn offer(_state: &TuiState, earlier: &[String]) -> Option<(&'static str, Vec<Suggestion>)> {
    earlier.is_empty().then(|| ("what to copy", vec![Suggestion::whole("all", "the whole session")]))
}
