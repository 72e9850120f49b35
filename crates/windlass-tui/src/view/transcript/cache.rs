//! Lines that were laid out before, by cell.
//!
//! Exact: a cell is laid out anew when anything changed that its lines are made of, and only then. Bounded: what is
//! not on the screen goes when there is too much of it.

use std::collections::HashMap;

use ratatui::style::Style;
use ratatui::text::Line;

use super::cell::CellAge;
use crate::markdown::Growing;
use crate::state::TuiState;
use crate::state::transcript::TranscriptCell;
use crate::theme::Theme;

/// Lines that are kept.
const LINES_MAX: usize = 30_000;

/// Cells that are kept.
const CELLS_MAX: usize = 4_000;

/// Columns that the body of a cell is indented by: signs stand before it.
pub(super) const BODY_INDENT: u16 = 2;

/// What the lines of a cell are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CellKey {
    /// The last record that may have changed it.
    pub(super) seq: u64,
    pub(super) columns: u16,
    pub(super) theme: Theme,
    pub(super) is_unfolded: bool,
    pub(super) moment: CellAge,
}

/// A cell that was laid out.
#[derive(Debug, Default)]
pub(crate) struct Laid {
    pub(super) head: Vec<Line<'static>>,
    pub(super) body: CellBody,
    /// How all of its body looks, if not by itself.
    pub(super) tone: Option<Style>,
}

/// What stands below the head, indented.
#[derive(Debug)]
pub(super) enum CellBody {
    Lines(Vec<Line<'static>>),
    Prose(Box<Growing>),
}

impl Default for CellBody {
    fn default() -> Self {
        Self::Lines(Vec::new())
    }
}

impl Laid {
    fn body(&self) -> &[Line<'static>] {
        match &self.body {
            CellBody::Lines(lines) => lines,
            CellBody::Prose(prose) => prose.lines(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.head.len() + self.body().len()
    }

    pub(super) fn head_len(&self) -> usize {
        self.head.len()
    }

    /// A line of it, how far it is indented, and the tone that lies over it.
    pub(super) fn line(&self, at: usize) -> Option<(&Line<'static>, u16, Option<Style>)> {
        match at.checked_sub(self.head.len()) {
            Some(at) => self.body().get(at).map(|line| (line, BODY_INDENT, self.tone)),
            None => self.head.get(at).map(|line| (line, 0, None)),
        }
    }
}

#[derive(Debug)]
struct CachedCell {
    key: CellKey,
    laid: Laid,
    /// The frame that used it last.
    frame: u64,
}

/// The cells of a session that were laid out.
#[derive(Debug, Default)]
pub(crate) struct Transcribed {
    session: Option<u64>,
    kept: HashMap<TranscriptCell, CachedCell>,
    lines: usize,
    frame: u64,
    pub(super) columns: u16,
}

impl Transcribed {
    pub(super) fn begin(&mut self, state: &TuiState, columns: u16) {
        let session = state.session.as_ref().map(|session| session.number);
        if self.session != session || self.columns != columns {
            (self.session, self.columns, self.lines) = (session, columns, 0);
            self.kept.clear();
        }
        self.frame += 1;
    }

    /// A cell as it is kept, or as it is made now of what was kept of it.
    pub(super) fn keep(
        &mut self,
        cell: TranscriptCell,
        key: CellKey,
        make: impl FnOnce(Laid) -> Laid,
    ) -> &Laid {
        let kept = self.kept.entry(cell).or_insert_with(|| CachedCell {
            key: CellKey { moment: CellAge::Never, ..key },
            laid: Laid::default(),
            frame: 0,
        });
        kept.frame = self.frame;
        if kept.key != key || key.moment == CellAge::Never {
            let before = kept.laid.len();
            // What is kept of another look is no beginning of this one.
            let is_same_look = CellKey { seq: kept.key.seq, moment: kept.key.moment, ..key } == kept.key;
            let old = std::mem::take(&mut kept.laid);
            kept.laid = make(if is_same_look { old } else { Laid::default() });
            kept.key = key;
            self.lines = self.lines.saturating_sub(before) + kept.laid.len();
        }
        &kept.laid
    }

    /// Lines that are kept.
    pub(crate) fn lines_kept(&self) -> usize {
        self.lines
    }

    /// A frame is over: what it did not show goes if there is too much.
    pub(super) fn forget(&mut self) {
        if self.lines <= LINES_MAX && self.kept.len() <= CELLS_MAX {
            return;
        }
        let frame = self.frame;
        self.kept.retain(|_, kept| kept.frame == frame);
        self.lines = self.kept.values().map(|kept| kept.laid.len()).sum();
    }
}
