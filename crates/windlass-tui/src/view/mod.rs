//! Draws the state. Decides nothing, remembers only how lines were laid out.

mod composer;
mod inspector;
mod inspector_page;
mod outcome;
mod overlay;
mod question;
mod signs;
mod status;
mod tasks;
mod transcript;

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout};

use crate::state::State;
use crate::state::transcript::Sight;

/// Lines that were laid out before, and what the last frame showed of them.
#[derive(Debug, Default)]
pub struct Cache {
    transcribed: transcript::Transcribed,
    inspected: inspector::Inspected,
    sight: Sight,
}

impl Cache {
    /// What the last frame showed, for the state (`Input::Seen`).
    pub fn sight(&self) -> Sight {
        self.sight.clone()
    }

    /// Lines of the transcript that are kept.
    pub fn lines_kept(&self) -> usize {
        self.transcribed.lines_kept()
    }
}

/// Draws a frame.
pub fn draw(frame: &mut Frame<'_>, state: &State, cache: &mut Cache) {
    let low_rows = question::rows(state).unwrap_or_else(|| composer::rows(state));
    let [main, low, status] =
        Layout::vertical([Constraint::Min(3), Constraint::Length(low_rows), Constraint::Length(1)])
            .areas(frame.area());
    let main = match tasks::columns(state) {
        Some(columns) => {
            let [main, side] =
                Layout::horizontal([Constraint::Min(20), Constraint::Length(columns)]).areas(main);
            tasks::draw(frame, side, state);
            main
        }
        None => main,
    };
    transcript::draw(frame, main, state, cache);
    if question::rows(state).is_some() {
        question::draw(frame, low, state);
    } else {
        composer::draw(frame, low, state);
    }
    status::draw(frame, status, state);
    overlay::draw(frame, state);
    inspector::draw(frame, state, cache);
}
