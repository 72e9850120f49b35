//! The session that is shown: what core's fold makes of its records, their times, and which of its parts a record
//! touched.

use std::collections::HashMap;
use std::sync::Arc;

use windlass_core::ports::store::SessionRow;
use windlass_core::protocol::event::{DeltaEvent, DurableEvent, Event, Record};
use windlass_core::protocol::ids::{CallId, RunId};
use windlass_core::protocol::task::Task;
use windlass_core::protocol::view::{Entry, RunView, SessionView};

use super::TuiState;
use super::steps::Steps;
use super::timing::Timing;
use super::transcript::{RunPart, TranscriptCell};

/// A session on the screen.
#[derive(Debug)]
pub struct OpenSession {
    pub row: SessionRow,
    /// What happened in it.
    pub view: SessionView,
    pub timing: Timing,
    /// Its steps, in a few words each.
    pub steps: Steps,
    /// The task list, as it was last changed: it outlives the run that changed it.
    pub tasks: Vec<Task>,
    /// Which of the sessions that were opened it is.
    pub number: u64,
    /// The last record that will still be there when the connection is not.
    pub durable_seq: u64,
    /// Whether its records are still being read.
    pub is_loading: bool,
    /// Whether its stream is broken and being opened again.
    pub is_cut: bool,
    /// What is on record of each run, in the order of the runs.
    logs: Vec<RunLog>,
}

/// What is on record of a run, and when its parts last changed: sequence numbers are revisions.
#[derive(Debug, Default)]
struct RunLog {
    records: Vec<Arc<Record>>,
    /// The last record that may have touched any entry.
    entries_seq: u64,
    /// The last record that touched one entry alone, where it is newer.
    entry_seqs: HashMap<usize, u64>,
    /// The last record at all.
    seq: u64,
}

impl TuiState {
    /// Shows a session of which nothing is known but its row. Lines laid out for another are never taken for its own.
    pub fn open(&mut self, row: SessionRow) -> &mut OpenSession {
        self.opened += 1;
        self.session.insert(OpenSession::new(row, self.opened))
    }
}

impl OpenSession {
    /// A session of which nothing is known but its row; the number tells it from all that were opened before.
    fn new(row: SessionRow, number: u64) -> Self {
        Self {
            row,
            view: SessionView::default(),
            timing: Timing::default(),
            steps: Steps::default(),
            tasks: Vec::new(),
            number,
            durable_seq: 0,
            is_loading: false,
            is_cut: false,
            logs: Vec::new(),
        }
    }

    /// Folds in a record.
    pub fn apply(&mut self, record: &Arc<Record>) {
        if record.event.is_durable() {
            self.durable_seq = self.durable_seq.max(record.seq);
        }
        if record.seq <= self.view.seq {
            return;
        }
        self.timing.apply(record);
        self.steps.apply(record);
        if let Event::Durable(DurableEvent::TasksChanged { tasks }) = &record.event {
            self.tasks = tasks.to_vec();
        }
        self.view.apply(record);
        self.note(record);
    }

    /// Its title; what was said first, as long as it has none.
    pub fn title(&self) -> &str {
        match self.row.begin.title.as_str() {
            "" => self.view.runs.first().map_or("", |run| &run.user),
            title => title,
        }
    }

    /// The run that goes on. Only the last one of a session can.
    pub fn running(&self) -> Option<&RunId> {
        let run = self.view.runs.last()?;
        run.ended.is_none().then_some(&run.run_id)
    }

    pub fn newest(&self) -> Option<&RunView> {
        self.view.runs.last()
    }

    /// The durable records of a run, in order.
    pub fn records(&self, run: usize) -> &[Arc<Record>] {
        self.logs.get(run).map_or(&[], |log| &log.records)
    }

    /// The last record that may have changed a cell: the same number, the same cell.
    pub fn cell_seq(&self, cell: TranscriptCell) -> u64 {
        let Some(log) = self.logs.get(cell.run) else { return 0 };
        match cell.part {
            RunPart::User => 0,
            RunPart::Entry(at) => {
                log.entry_seqs.get(&at).map_or(log.entries_seq, |seq| log.entries_seq.max(*seq))
            }
            RunPart::Foot => log.seq,
        }
    }

    /// Where a run stands.
    pub fn run_at(&self, run_id: &RunId) -> Option<usize> {
        self.view.runs.iter().rposition(|run| run.run_id == *run_id)
    }

    fn note(&mut self, record: &Arc<Record>) {
        self.logs.resize_with(self.view.runs.len(), RunLog::default);
        let Some(at) = self.run_at(&record.run_id) else { return };
        let (Some(log), Some(run)) = (self.logs.get_mut(at), self.view.runs.get(at)) else { return };
        log.seq = record.seq;
        if record.event.is_durable() {
            log.records.push(Arc::clone(record));
        }
        match touched(run, &record.event) {
            TouchedEntries::Nothing => {}
            TouchedEntries::Entry(entry) => {
                log.entry_seqs.insert(entry, record.seq);
            }
            TouchedEntries::Entries => {
                log.entries_seq = record.seq;
                log.entry_seqs.clear();
            }
        }
    }
}

/// What an event changed of the entries of its run.
#[derive(Default)]
enum TouchedEntries {
    #[default]
    Nothing,
    Entry(usize),
    Entries,
}

fn touched(run: &RunView, event: &Event) -> TouchedEntries {
    match event {
        Event::Durable(event) => match event {
            DurableEvent::PermissionDecided { call_id, .. }
            | DurableEvent::CallStarted { call_id, .. }
            | DurableEvent::CallEnded { call_id, .. } => place_of(run, call_id),
            DurableEvent::PermissionRequested { question } => place_of(run, &question.call_id),
            DurableEvent::CallRequested { call, .. } => place_of(run, &call.id),
            DurableEvent::RunStarted { .. }
            | DurableEvent::RunResumed { .. }
            | DurableEvent::EditApplied { .. }
            | DurableEvent::StepStarted { .. }
            | DurableEvent::StepEnded { .. }
            | DurableEvent::StepDelayed { .. }
            | DurableEvent::RunEnded { .. } => TouchedEntries::Entries,
            other => other.ignored(),
        },
        Event::Delta(delta) => match delta {
            DeltaEvent::TextDelta { .. } | DeltaEvent::ReasoningDelta { .. } => {
                run.entries.len().checked_sub(1).map_or(TouchedEntries::Nothing, TouchedEntries::Entry)
            }
            DeltaEvent::CallProgressed { call_id, .. } => place_of(run, call_id),
            DeltaEvent::StepProgressed { .. } | DeltaEvent::CallDelta { .. } => TouchedEntries::Nothing,
        },
    }
}

fn place_of(run: &RunView, call_id: &CallId) -> TouchedEntries {
    let is_it = |entry: &Entry| matches!(entry, Entry::Call(call) if call.call.id == *call_id);
    run.entries.iter().rposition(is_it).map_or(TouchedEntries::Nothing, TouchedEntries::Entry)
}
