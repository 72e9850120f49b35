//! Where the transcript stands, and what of it is unfolded.
//!
//! A place is a cell and a line of it, never a number of lines from an end: what one reads stays where it is while
//! the rest grows. How many lines a cell has is known to the view alone, which reports after each frame what it
//! showed (`TranscriptSight`); places that it had to correct come back with that.

use std::collections::HashSet;

use windlass_core::protocol::ids::{CallId, RunId};

use super::inspector::InspectorSight;

/// The transcript's own state; what it shows is the session's.
#[derive(Debug, Clone, Default)]
pub struct TranscriptState {
    /// What is at the top of the screen.
    pub place: ScrollPosition,
    /// A thing that the next frame must show, wherever the place is.
    pub reveal: Option<Foldable>,
    /// Where the transcript ended when its end was left: what lies after it is new.
    pub left_end: Option<CellLine>,
    /// The thing that the keys mean, when they mean the transcript.
    pub focused: Option<Foldable>,
    /// What is not folded as such things are by themselves.
    flipped: HashSet<Foldable>,
    /// Whether thinking is shown unfolded.
    pub shows_thinking: bool,
    /// What the last frame showed.
    pub sight: TranscriptSight,
}

/// What is at the top of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ScrollPosition {
    /// Whatever lets the end be seen: the transcript follows what comes.
    #[default]
    End,
    /// A line, whatever comes.
    At(CellLine),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CellLine {
    pub cell: TranscriptCell,
    /// Lines from its first one; those before and after the cell's own are lines of its neighbours.
    pub line: i64,
    /// Lines of the cell when this was found out.
    pub lines: usize,
    /// Columns of the transcript then: with others the line is another one.
    pub columns: u16,
}

impl CellLine {
    /// The first line of a cell.
    pub fn first(cell: TranscriptCell) -> Self {
        Self { cell, line: 0, lines: 0, columns: 0 }
    }
}

/// A piece of the transcript, by its place: cells are laid out one by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TranscriptCell {
    /// Which run of the session; behind the last one stand messages that have none yet.
    pub run: usize,
    pub part: RunPart,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RunPart {
    /// What the user said.
    User,
    /// An entry, by its place.
    Entry(usize),
    /// What is to be said of the run as a whole.
    Foot,
}

/// A thing that can be folded and unfolded.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Foldable {
    Call(RunId, CallId),
    /// A block of thinking: its place among the entries of its run.
    Thinking(RunId, usize),
}

/// What a frame showed of the transcript: the view's report to the state.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TranscriptSight {
    /// The line at the top, if there is one.
    pub top: Option<CellLine>,
    /// Where the transcript ends, if its end could be seen.
    pub end: Option<CellLine>,
    /// The first column of the transcript on the screen, and the first row.
    pub corner: (u16, u16),
    pub columns: u16,
    /// What each of its rows folds or unfolds, from the top.
    pub rows: Vec<Option<Foldable>>,
    /// What was shown of the inspector.
    pub inspected: Option<InspectorSight>,
}

impl TranscriptSight {
    /// The thing whose line lies at a column and row of the screen.
    pub fn foldable_at(&self, column: u16, row: u16) -> Option<&Foldable> {
        let (left, top) = self.corner;
        let is_inside = column >= left && column < left.saturating_add(self.columns);
        let at = usize::from(row.checked_sub(top)?);
        if is_inside { self.rows.get(at)?.as_ref() } else { None }
    }
}

impl TranscriptState {
    /// Whether a thing is unfolded.
    pub fn is_unfolded(&self, thing: &Foldable) -> bool {
        let by_itself = match thing {
            Foldable::Call(..) => false,
            Foldable::Thinking(..) => self.shows_thinking,
        };
        by_itself != self.flipped.contains(thing)
    }

    /// Folds what is unfolded, and the other way round. What is looked at stays where it is.
    pub fn flip(&mut self, thing: &Foldable) {
        if !self.flipped.remove(thing) {
            self.flipped.insert(thing.clone());
        }
        self.hold();
        self.reveal = Some(thing.clone());
    }

    /// Folds or unfolds all thinking.
    pub fn flip_thinking(&mut self) {
        self.shows_thinking = !self.shows_thinking;
        self.flipped.retain(|thing| matches!(thing, Foldable::Call(..)));
    }

    /// Stays with what is at the top now.
    pub fn hold(&mut self) {
        if let (ScrollPosition::End, Some(top)) = (self.place, self.sight.top) {
            self.place = ScrollPosition::At(top);
            self.left_end = self.sight.end;
        }
    }

    /// Scrolls by lines; down is positive.
    pub fn scroll(&mut self, lines: i64) {
        // Below the end there is nothing.
        if self.place == ScrollPosition::End && lines >= 0 {
            return;
        }
        self.hold();
        self.reveal = None;
        if let ScrollPosition::At(spot) = &mut self.place {
            spot.line = spot.line.saturating_add(lines);
        }
    }

    /// To the end, and stays there.
    pub fn go_to_end(&mut self) {
        (self.place, self.left_end, self.reveal) = (ScrollPosition::End, None, None);
    }

    /// To the first line.
    pub fn go_to_start(&mut self) {
        self.hold();
        self.reveal = None;
        self.place = ScrollPosition::At(CellLine::first(TranscriptCell { run: 0, part: RunPart::User }));
    }

    /// Takes the report of a frame.
    pub fn see(&mut self, sight: TranscriptSight) {
        self.reveal = None;
        if sight.end.is_some() {
            (self.place, self.left_end) = (ScrollPosition::End, None);
        } else if let Some(top) = sight.top {
            self.place = ScrollPosition::At(top);
        }
        self.sight = sight;
    }
}
