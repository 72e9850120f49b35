//! What lies over the screen: lists to choose from, texts to read, questions of the app itself.
//!
//! Holds what is in an overlay and how far the user is in it. What choosing means is `update`'s business.

mod confirm;
mod pager;
mod picker;
mod prompt;
mod room;

pub use confirm::{Confirm, Deed};
pub use pager::{Pager, PagerKind, PagerRow, StyledLine, StyledPiece};
pub use picker::{Action, Picker, PickerKind, PickerRow};
pub use prompt::{LinePrompt, PromptKind};
pub use room::OverlayBox;

use super::inspector::Inspector;

/// An overlay. Those that were opened from another one keep it, and give it back when they close.
#[derive(Debug)]
pub enum Overlay {
    /// A list to choose from.
    Picker(Picker),
    /// A text to read.
    Pager(Pager),
    /// Whether something should really be done.
    Confirm(Confirm),
    /// One line to be written.
    Prompt(Box<LinePrompt>),
    /// A run with everything that is on record of it.
    Inspector(Inspector),
}

impl Overlay {
    /// Puts this one over another.
    pub fn over(mut self, under: Option<Overlay>) -> Self {
        let under = under.map(Box::new);
        match &mut self {
            Overlay::Picker(picker) => picker.under = under,
            Overlay::Pager(pager) => pager.under = under,
            Overlay::Confirm(confirm) => confirm.under = under,
            Overlay::Prompt(prompt) => prompt.under = under,
            // It takes the whole screen, and what lies behind it is not gone back to.
            Overlay::Inspector(_) => {}
        }
        self
    }

    /// What it lies on.
    pub fn into_under(self) -> Option<Overlay> {
        let under = match self {
            Overlay::Picker(picker) => picker.under,
            Overlay::Pager(pager) => pager.under,
            Overlay::Confirm(confirm) => confirm.under,
            Overlay::Prompt(prompt) => prompt.under,
            Overlay::Inspector(_) => None,
        };
        under.map(|under| *under)
    }

    /// The picker of a kind, here or under this.
    pub fn picker_mut(&mut self, kind: PickerKind) -> Option<&mut Picker> {
        match self {
            Overlay::Picker(picker) => {
                if picker.kind == kind {
                    Some(picker)
                } else {
                    picker.under.as_mut()?.picker_mut(kind)
                }
            }
            Overlay::Pager(pager) => pager.under.as_mut()?.picker_mut(kind),
            Overlay::Confirm(confirm) => confirm.under.as_mut()?.picker_mut(kind),
            Overlay::Prompt(prompt) => prompt.under.as_mut()?.picker_mut(kind),
            Overlay::Inspector(_) => None,
        }
    }
}
