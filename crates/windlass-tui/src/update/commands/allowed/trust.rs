//! `/trust`: what the project's folder brings of its own, and whether that counts: shown, trusted as it was shown, or no
//! longer.

use super::super::{open_text, refuse};
use crate::app_files::TrustReport;
use crate::command::SlashCommand;
use crate::effect::AppEffect;
use crate::state::TuiState;
use crate::state::composer::popup::Suggestion;
use crate::state::overlay::{Confirm, Deed, Overlay, Pager, StyledLine};
use crate::text::one_line;
use crate::theme::TextRole;
use crate::update::overlay;

/// What may follow `/trust`, and what it does.
const REVOKE: (&str, &str) = ("revoke", "trust the folder no longer");

pub(in crate::update) const COMMAND: SlashCommand = SlashCommand {
    arguments: "[revoke]",
    offer,
    ..SlashCommand::new("trust", "trust what this folder brings, or not", run)
};

/// Asks what the folder brings, or takes the trust back.
fn run(state: &mut TuiState, rest: &str) -> Vec<AppEffect> {
    match rest {
        "" => vec![AppEffect::LookAtFolder],
        word if word == REVOKE.0 => vec![AppEffect::RevokeTrust],
        other => {
            let why = format!("/trust shows and asks, /trust revoke takes it back; not {}", one_line(other));
            refuse(state, &format!("/trust {other}"), why)
        }
    }
}

fn offer(_state: &TuiState, earlier: &[String]) -> Option<(&'static str, Vec<Suggestion>)> {
    earlier.is_empty().then(|| ("trust", vec![Suggestion::whole(REVOKE.0, REVOKE.1)]))
}

/// The folder was looked at: all that it brings is shown, and what is not trusted yet is asked about.
pub(in crate::update) fn show(state: &mut TuiState, report: TrustReport) {
    let mut lines = StyledLine::all(TextRole::Text, &report.text);
    if report.is_trusted || !report.can_be_trusted {
        if report.is_trusted {
            lines.push(StyledLine::default());
            lines.push(StyledLine::new(TextRole::Muted, "/trust revoke takes it back"));
        }
        open_text(state, Pager::new("What this folder brings", lines));
        return;
    }
    let title = "Trust this folder as it is now? What it brings counts from the next start on.";
    let confirm = Confirm::new(title, "trust", Deed::TrustFolder(report.digest), lines);
    overlay::open(state, Overlay::Confirm(confirm));
}
