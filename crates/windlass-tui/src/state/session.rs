//! The session that is shown: what core's fold makes of its records, and their times.

use windlass_core::event::{Event, Record};
use windlass_core::ids::RunId;
use windlass_core::store::SessionRow;
use windlass_core::task::Task;
use windlass_core::view::{RunView, SessionView};

use super::steps::Steps;
use super::timing::Timing;

/// A session on the screen.
#[derive(Debug)]
pub struct OpenSession {
    /// Its row.
    pub row: SessionRow,
    /// What happened in it.
    pub view: SessionView,
    /// When.
    pub timing: Timing,
    /// Its steps, in a few words each.
    pub steps: Steps,
    /// The task list, as it was last changed: it outlives the run that changed it.
    pub tasks: Vec<Task>,
    /// The last record that will still be there when the connection is not.
    pub durable_seq: u64,
    /// Whether its records are still being read.
    pub is_loading: bool,
    /// Whether its stream is broken and being opened again.
    pub is_cut: bool,
}

impl OpenSession {
    /// A session of which nothing is known but its row.
    pub fn new(row: SessionRow) -> Self {
        let (view, timing) = (SessionView::default(), Timing::default());
        Self {
            row,
            view,
            timing,
            steps: Steps::default(),
            tasks: Vec::new(),
            durable_seq: 0,
            is_loading: false,
            is_cut: false,
        }
    }

    /// Folds in a record.
    pub fn apply(&mut self, record: &Record) {
        if record.event.is_durable() {
            self.durable_seq = self.durable_seq.max(record.seq);
        }
        if record.seq > self.view.seq {
            self.timing.apply(record);
            self.steps.apply(record);
            if let Event::TasksChanged { tasks } = &record.event {
                self.tasks = tasks.to_vec();
            }
        }
        self.view.apply(record);
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

    /// The newest run.
    pub fn newest(&self) -> Option<&RunView> {
        self.view.runs.last()
    }
}
