//! Threads that read, each with a connection of its own: they never wait for the one that writes.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use rusqlite::Connection;
use tokio::sync::oneshot;
use windlass_core::ports::store::StoreFailure;

use crate::fault::{OpenError, StoreFault, closed};
use crate::open::{StoreConfig, open_reader};
use crate::statements::Statements;

type ReadJob = Box<dyn FnOnce(&mut Statements<'_>) + Send>;

/// Where questions wait. A channel that threads share wakes two of them for each question: one that answers, and
/// one that waits in its place.
#[derive(Default)]
struct ReaderQueue {
    state: Mutex<LineState>,
    called: Condvar,
}

#[derive(Default)]
struct LineState {
    questions: VecDeque<ReadJob>,
    is_closed: bool,
}

impl ReaderQueue {
    fn lock(&self) -> MutexGuard<'_, LineState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, question: ReadJob) {
        self.lock().questions.push_back(question);
        self.called.notify_one();
    }

    /// The next question; none when the line is closed and empty.
    fn next(&self) -> Option<ReadJob> {
        let is_idle = |state: &mut LineState| state.questions.is_empty() && !state.is_closed;
        let waited = self.called.wait_while(self.lock(), is_idle);
        waited.unwrap_or_else(PoisonError::into_inner).questions.pop_front()
    }

    fn close(&self) {
        self.lock().is_closed = true;
        self.called.notify_all();
    }
}

/// The way to the threads.
pub(crate) struct Readers {
    line: Arc<ReaderQueue>,
    threads: Vec<JoinHandle<()>>,
    path: PathBuf,
}

impl Readers {
    pub(crate) fn start(path: &Path, config: &StoreConfig) -> Result<Self, OpenError> {
        let mut readers = Self { line: Arc::default(), threads: Vec::new(), path: path.to_path_buf() };
        for number in 1..=config.readers.max(1) {
            let connection = open_reader(path, config)?;
            let line = Arc::clone(&readers.line);
            let thread = thread::Builder::new()
                .name(format!("windlass-store-reader-{number}"))
                .spawn(move || answer_all(&connection, &line))
                .map_err(|error| OpenError::Failed { path: path.to_path_buf(), reason: error.to_string() })?;
            readers.threads.push(thread);
        }
        Ok(readers)
    }

    /// Asks the next thread that is free.
    pub(crate) async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&mut Statements<'_>) -> Result<T, StoreFault> + Send + 'static,
    ) -> Result<T, StoreFailure> {
        let (reply, answer) = oneshot::channel();
        self.line.push(Box::new(move |statements| {
            // Whoever does not wait any more needs no answer.
            let _ = reply.send(question(statements));
        }));
        let answer = answer.await.map_err(|_| closed().failure(&self.path))?;
        answer.map_err(|fault| fault.failure(&self.path))
    }
}

impl std::fmt::Debug for Readers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Readers({} of {})", self.threads.len(), self.path.display())
    }
}

impl Drop for Readers {
    fn drop(&mut self) {
        self.line.close();
        for thread in self.threads.drain(..) {
            // A reader that panicked has nothing to clean up.
            let _ = thread.join();
        }
    }
}

fn answer_all(connection: &Connection, line: &ReaderQueue) {
    let mut statements = Statements::new(connection);
    while let Some(question) = line.next() {
        // Who asked hears that there is no answer; those who ask next get theirs.
        let _ = catch_unwind(AssertUnwindSafe(|| question(&mut statements)));
    }
}
