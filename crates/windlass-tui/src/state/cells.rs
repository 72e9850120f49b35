//! The cells of the transcript in their order: which one comes before and after, what kind of thing it is, and what
//! of it can be folded. Knows no lines.

use windlass_core::protocol::tool::Visibility;
use windlass_core::protocol::view::{CallView, Entry, RunView};

use super::TuiState;
use super::session::OpenSession;
use super::transcript::{Foldable, RunPart, TranscriptCell, TranscriptState};

/// The cells of a state.
#[derive(Clone, Copy)]
pub struct Cells<'a> {
    session: Option<&'a OpenSession>,
    transcript: &'a TranscriptState,
    has_tail: bool,
}

/// What a cell is.
#[derive(Debug, Clone, Copy)]
pub enum CellContent<'a> {
    /// What the user said.
    User(&'a RunView),
    /// Text of the model.
    Text(&'a str),
    /// A block of thinking.
    Thinking {
        phase: u32,
        /// Which block of its phase, from 0.
        block: usize,
        text: &'a str,
        /// Whether it still goes on.
        is_going_on: bool,
    },
    Call(&'a CallView),
    /// A call that is shown in the inspector alone.
    Hidden,
    /// What is to be said of a run as a whole.
    Foot(&'a RunView),
    /// Messages that have no run yet.
    Tail,
}

impl<'a> Cells<'a> {
    /// The cells of a state.
    pub fn new(state: &'a TuiState) -> Self {
        let has_tail = state.sending.is_some() || !state.waiting.is_empty();
        Self { session: state.session.as_ref(), transcript: &state.transcript, has_tail }
    }

    fn runs(self) -> &'a [RunView] {
        self.session.map_or(&[], |session| &session.view.runs)
    }

    pub fn run(self, cell: TranscriptCell) -> Option<&'a RunView> {
        self.runs().get(cell.run)
    }

    fn tail(self) -> Option<TranscriptCell> {
        self.has_tail.then_some(TranscriptCell { run: self.runs().len(), part: RunPart::User })
    }

    pub fn first(self) -> Option<TranscriptCell> {
        match self.runs().first() {
            Some(_) => Some(TranscriptCell { run: 0, part: RunPart::User }),
            None => self.tail(),
        }
    }

    pub fn last(self) -> Option<TranscriptCell> {
        let last_run = self.runs().len().checked_sub(1);
        self.tail().or(last_run.map(|run| TranscriptCell { run, part: RunPart::Foot }))
    }

    /// The cell after a cell.
    pub fn next(self, cell: TranscriptCell) -> Option<TranscriptCell> {
        let run = self.run(cell)?;
        let entry = |at: usize| if at < run.entries.len() { RunPart::Entry(at) } else { RunPart::Foot };
        match cell.part {
            RunPart::User => Some(TranscriptCell { part: entry(0), ..cell }),
            RunPart::Entry(at) => Some(TranscriptCell { part: entry(at.saturating_add(1)), ..cell }),
            RunPart::Foot => {
                let next = TranscriptCell { run: cell.run.saturating_add(1), part: RunPart::User };
                if self.run(next).is_some() { Some(next) } else { self.tail() }
            }
        }
    }

    /// The cell before a cell.
    pub fn previous(self, cell: TranscriptCell) -> Option<TranscriptCell> {
        let entry = |count: usize| count.checked_sub(1).map_or(RunPart::User, RunPart::Entry);
        match cell.part {
            RunPart::User => {
                let run = cell.run.checked_sub(1)?;
                Some(TranscriptCell { run, part: RunPart::Foot })
            }
            RunPart::Entry(at) => Some(TranscriptCell { part: entry(at), ..cell }),
            RunPart::Foot => Some(TranscriptCell { part: entry(self.run(cell)?.entries.len()), ..cell }),
        }
    }

    /// A cell that exists: the given one, or the one in whose place it would be.
    pub fn nearest(self, cell: TranscriptCell) -> Option<TranscriptCell> {
        match self.run(cell) {
            Some(run) => match cell.part {
                RunPart::Entry(at) if at >= run.entries.len() => {
                    Some(TranscriptCell { part: RunPart::Foot, ..cell })
                }
                RunPart::User | RunPart::Entry(_) | RunPart::Foot => Some(cell),
            },
            None => self.last(),
        }
    }

    /// What a cell is.
    pub fn content(self, cell: TranscriptCell) -> Option<CellContent<'a>> {
        let Some(run) = self.run(cell) else { return self.has_tail.then_some(CellContent::Tail) };
        match cell.part {
            RunPart::User => Some(CellContent::User(run)),
            RunPart::Foot => Some(CellContent::Foot(run)),
            RunPart::Entry(at) => Some(match run.entries.get(at)? {
                Entry::Text(text) => CellContent::Text(text),
                Entry::Reasoning { phase, text } => CellContent::Thinking {
                    phase: *phase,
                    block: block_of(run, at, *phase),
                    text,
                    is_going_on: is_thinking_at(run, at),
                },
                Entry::Call(call) if call.visibility == Visibility::Hidden => CellContent::Hidden,
                Entry::Call(call) => CellContent::Call(call),
            }),
        }
    }

    /// What of a cell can be folded.
    pub fn foldable(self, cell: TranscriptCell) -> Option<Foldable> {
        let run_id = || Some(self.run(cell)?.run_id.clone());
        match (self.content(cell)?, cell.part) {
            (CellContent::Call(call), _) => Some(Foldable::Call(run_id()?, call.call.id.clone())),
            (CellContent::Thinking { .. }, RunPart::Entry(at)) => Some(Foldable::Thinking(run_id()?, at)),
            _ => None,
        }
    }

    /// The cell of a thing that can be folded.
    pub fn cell_of(self, thing: &Foldable) -> Option<TranscriptCell> {
        let session = self.session?;
        match thing {
            Foldable::Call(run_id, call_id) => {
                let run = session.run_at(run_id)?;
                let is_it = |entry: &Entry| matches!(entry, Entry::Call(call) if call.call.id == *call_id);
                let at = session.view.runs.get(run)?.entries.iter().rposition(is_it)?;
                Some(TranscriptCell { run, part: RunPart::Entry(at) })
            }
            Foldable::Thinking(run_id, at) => {
                let cell = TranscriptCell { run: session.run_at(run_id)?, part: RunPart::Entry(*at) };
                matches!(self.content(cell)?, CellContent::Thinking { .. }).then_some(cell)
            }
        }
    }

    /// The newest thing that can be folded.
    pub fn newest_foldable(self) -> Option<Foldable> {
        let last = self.last()?;
        self.foldable(last).or_else(|| self.foldable_before(last))
    }

    /// The next thing that can be folded before a cell.
    pub fn foldable_before(self, cell: TranscriptCell) -> Option<Foldable> {
        std::iter::successors(self.previous(cell), |cell| self.previous(*cell))
            .find_map(|cell| self.foldable(cell))
    }

    /// The next thing that can be folded after a cell.
    pub fn foldable_after(self, cell: TranscriptCell) -> Option<Foldable> {
        std::iter::successors(self.next(cell), |cell| self.next(*cell)).find_map(|cell| self.foldable(cell))
    }

    /// Blank lines before a cell that is not empty itself: what is folded stands together.
    pub fn gap(self, cell: TranscriptCell) -> usize {
        let is_dense = |cell: TranscriptCell| {
            self.foldable(cell).is_some_and(|thing| !self.transcript.is_unfolded(&thing))
        };
        let is_hidden = |cell: &TranscriptCell| matches!(self.content(*cell), Some(CellContent::Hidden));
        let mut before = std::iter::successors(self.previous(cell), |cell| self.previous(*cell));
        match before.find(|cell| !is_hidden(cell)) {
            Some(before) => usize::from(!(is_dense(before) && self.foldable(cell).is_some())),
            None => 0,
        }
    }

    /// How many cells there are before a cell: where one stands in the whole.
    pub fn count_before(self, cell: TranscriptCell) -> usize {
        let runs: usize = self.runs().iter().take(cell.run).map(|run| run.entries.len() + 2).sum();
        let within = match cell.part {
            RunPart::User => 0,
            RunPart::Entry(at) => at + 1,
            RunPart::Foot => self.run(cell).map_or(0, |run| run.entries.len() + 1),
        };
        runs + within
    }
}

/// Whether the thinking at a place still goes on: nothing came after it.
fn is_thinking_at(run: &RunView, at: usize) -> bool {
    run.ended.is_none() && run.waiting.is_none() && at + 1 == run.entries.len()
}

/// Which block of its phase a block of thinking is, from 0.
fn block_of(run: &RunView, at: usize, phase: u32) -> usize {
    let before = run.entries.iter().take(at).rev();
    let is_of_another =
        |entry: &&Entry| matches!(entry, Entry::Reasoning { phase: other, .. } if *other != phase);
    // Phases only grow.
    let of_phase = before.take_while(|entry| !is_of_another(entry));
    of_phase.filter(|entry| matches!(entry, Entry::Reasoning { .. })).count()
}
