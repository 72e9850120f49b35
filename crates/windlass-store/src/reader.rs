//! Threads that read, each with a connection of its own: they never wait for the one that writes.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use rusqlite::Connection;
use tokio::sync::oneshot;
use windlass_core::store::StoreFailure;

use crate::fault::{Fault, OpenError, closed};
use crate::open::{StoreConfig, open_reader};

type Question = Box<dyn FnOnce(&Connection) + Send>;

/// The way to the threads.
#[derive(Debug)]
pub(crate) struct Readers {
    /// Absent only while the store is being closed.
    questions: Option<Sender<Question>>,
    threads: Vec<JoinHandle<()>>,
    path: PathBuf,
}

impl Readers {
    /// Starts the threads.
    pub(crate) fn start(path: &Path, config: &StoreConfig) -> Result<Self, OpenError> {
        let (questions, waiting) = mpsc::channel();
        let waiting = Arc::new(Mutex::new(waiting));
        let mut threads = Vec::new();
        for number in 1..=config.readers.max(1) {
            let connection = open_reader(path, config)?;
            let waiting = Arc::clone(&waiting);
            let thread = thread::Builder::new()
                .name(format!("windlass-store-reader-{number}"))
                .spawn(move || answer_all(&connection, &waiting))
                .map_err(|error| OpenError::Failed { path: path.to_path_buf(), reason: error.to_string() })?;
            threads.push(thread);
        }
        Ok(Self { questions: Some(questions), threads, path: path.to_path_buf() })
    }

    /// Asks the next thread that is free.
    pub(crate) async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Connection) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, StoreFailure> {
        let (reply, answer) = oneshot::channel();
        let asked: Question = Box::new(move |connection| {
            // Whoever does not wait any more needs no answer.
            let _ = reply.send(question(connection));
        });
        let gone = || closed().failure(&self.path);
        self.questions.as_ref().ok_or_else(gone)?.send(asked).map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?.map_err(|fault| fault.failure(&self.path))
    }
}

impl Drop for Readers {
    fn drop(&mut self) {
        self.questions = None;
        for thread in self.threads.drain(..) {
            // A reader that panicked has nothing to clean up.
            let _ = thread.join();
        }
    }
}

fn answer_all(connection: &Connection, waiting: &Mutex<Receiver<Question>>) {
    loop {
        let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
        match next {
            Ok(question) => question(connection),
            Err(_) => return,
        }
    }
}
