//! A model that is recorded to a file, and played from it without the model. A request that is not the recorded one
//! fails and says where it differs: nothing is ever asked of the real model instead.
//!
//! Owns the file. The form of its lines is `reel`'s, what counts as the same request `question`'s.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use futures::stream::{self, Stream};
use serde_json::Value;
use windlass_core::ports::{AnswerForm, BoxStream, ModelPort};
use windlass_core::profile::Dialect;
use windlass_core::protocol::model::{
    ModelDelta, ModelFailure, ModelFailureKind, ModelRequest, Sampling, ToolChoice,
};
use windlass_core::text::redact::Redactor;
use windlass_core::text::secret::Secret;

use super::difference::first_difference;
use super::question::question;
use super::reel::{RecordedAnswer, ReelEnd, ReelHead, clean_answer, read_reel, write_answer};

/// Why a cassette cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CassetteError {
    /// The file cannot be opened or written.
    #[error("the cassette {} cannot be opened: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// The file is not one that was recorded.
    #[error("the cassette {} cannot be read at line {line}: {reason}; record it again", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
}

type Preparation = Arc<dyn Fn(&mut Value) + Send + Sync>;

/// A recording of a model, as a model: it stands before a real one and writes down what is asked and what comes, or
/// plays what was written. Give it to [`Builder::model_port`](crate::Builder::model_port).
///
/// Requests are compared in the order in which they are asked, without the id of the run and without ids and times in
/// what tools gave. Keys of well-known forms and those given by [`secret`](Self::secret) are never written; a key that
/// the model sends in a header is no part of a request.
///
/// ```
/// use windlass::prelude::*;
/// use windlass::testing::{Cassette, scripted};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// let path = folder.path().join("hello.jsonl");
/// // Any model: `ModelSource::open` gives those of providers.
/// let model = scripted("user Hello.\nmodel text Good morning.\n");
/// let agent = Windlass::builder().model_port(Cassette::record_to(&path, model)?).build()?;
/// agent.run_sync("Hello.")?;
///
/// let agent = Windlass::builder().model_port(Cassette::replay(&path)?).build()?;
/// assert_eq!(agent.run_sync("Hello.")?.text, "Good morning.");
/// # Ok(())
/// # }
/// ```
#[must_use]
pub struct Cassette {
    head: ReelHead,
    side: CassetteSide,
    path: PathBuf,
    asked: AtomicUsize,
    secrets: Vec<Secret>,
    redactor: Redactor,
    prepare: Option<Preparation>,
    /// What went wrong first; everything after it fails in the same words.
    broken: Arc<Mutex<Option<String>>>,
}

enum CassetteSide {
    Recording { model: Arc<dyn ModelPort>, file: Arc<Mutex<File>> },
    Playing(Vec<RecordedAnswer>),
}

impl Cassette {
    /// Stands before a model and writes to a file, which begins anew.
    pub fn record_to(
        path: impl Into<PathBuf>,
        model: impl ModelPort + 'static,
    ) -> Result<Self, CassetteError> {
        let path = path.into();
        let head = ReelHead::new(model.name().to_owned(), model.dialect());
        let file = begin(&path, &head)
            .map_err(|error| CassetteError::File { path: path.clone(), reason: error.to_string() })?;
        let side = CassetteSide::Recording { model: Arc::new(model), file: Arc::new(Mutex::new(file)) };
        Ok(Self::new(path, head, side))
    }

    /// Plays what was recorded. The model is not needed, and never asked.
    pub fn replay(path: impl Into<PathBuf>) -> Result<Self, CassetteError> {
        let path = path.into();
        let text = fs::read_to_string(&path)
            .map_err(|error| CassetteError::File { path: path.clone(), reason: error.to_string() })?;
        let (head, answers) = read_reel(&text).map_err(|(line, reason)| CassetteError::Line {
            path: path.clone(),
            line,
            reason,
        })?;
        Ok(Self::new(path, head, CassetteSide::Playing(answers)))
    }

    fn new(path: PathBuf, head: ReelHead, side: CassetteSide) -> Self {
        Self {
            head,
            side,
            path,
            asked: AtomicUsize::new(0),
            secrets: Vec::new(),
            redactor: Redactor::default(),
            prepare: None,
            broken: Arc::default(),
        }
    }

    /// A text that may never stand in the file, of six characters at least. Say it when recording, and when playing
    /// too if it is in what is asked.
    pub fn secret(mut self, secret: impl Into<String>) -> Self {
        self.secrets.push(Secret::from(secret.into()));
        self.redactor = Redactor::new(self.secrets.clone());
        self
    }

    /// Changes every request before it is written or compared: for what differs from run to run and only the test
    /// knows, such as the path of a temporary folder.
    pub fn prepare(mut self, change: impl Fn(&mut Value) + Send + Sync + 'static) -> Self {
        self.prepare = Some(Arc::new(change));
        self
    }

    /// A request as it is compared.
    fn question(&self, request: &ModelRequest) -> Value {
        let mut asked = question(request);
        if let Some(prepare) = &self.prepare {
            prepare(&mut asked);
        }
        self.redactor.clean_value(&mut asked);
        asked
    }

    /// The answer to a request, if it is the one that was recorded.
    fn play(
        &self,
        answers: &[RecordedAnswer],
        asked: usize,
        request: &Value,
    ) -> Result<RecordedAnswer, String> {
        let path = self.path.display();
        let Some(answer) = answers.get(asked - 1) else {
            let step = &request["step"];
            return Err(format!(
                "the cassette {path} has {} requests, and another one was asked (step {step} of its run); record it \
                 again if that is meant",
                answers.len()
            ));
        };
        let Some(found) = first_difference(&answer.request, request) else { return Ok(answer.clone()) };
        Err(format!(
            "the cassette {path} does not fit: request {asked} (step {} of its run) differs at {}\n  recorded: {}\n     \
             asked: {}\nrecord it again if that is meant",
            request["step"], found.path, found.recorded, found.asked
        ))
    }
}

impl ModelPort for Cassette {
    fn name(&self) -> &str {
        &self.head.model
    }

    fn stream(&self, request: ModelRequest) -> BoxStream<'static, Result<ModelDelta, ModelFailure>> {
        let asked = self.asked.fetch_add(1, Ordering::SeqCst) + 1;
        let broken = lock(&self.broken).clone();
        if let Some(message) = broken {
            return fail(message);
        }
        let question = self.question(&request);
        match &self.side {
            CassetteSide::Recording { model, file } => Box::pin(RecordedStream {
                inner: model.stream(request),
                asked,
                answer: Some(RecordedAnswer { request: question, deltas: Vec::new(), end: ReelEnd::Stopped }),
                file: Arc::clone(file),
                redactor: self.redactor.clone(),
                path: self.path.clone(),
                broken: Arc::clone(&self.broken),
            }),
            CassetteSide::Playing(answers) => match self.play(answers, asked, &question) {
                Ok(answer) => Box::pin(stream::iter(played(answer, &self.path, asked))),
                Err(message) => {
                    *lock(&self.broken) = Some(message.clone());
                    fail(message)
                }
            },
        }
    }

    fn uses_live_values(&self) -> bool {
        self.below_it().is_some_and(ModelPort::uses_live_values)
    }

    fn refusal(&self, choice: &ToolChoice, sampling: &Sampling) -> Option<(&'static str, String)> {
        self.below_it()?.refusal(choice, sampling)
    }

    fn dialect(&self) -> Option<Dialect> {
        self.head.dialect
    }

    fn form(&self) -> Option<Arc<dyn AnswerForm>> {
        self.below_it()?.form()
    }
}

impl Cassette {
    /// The model that is being recorded.
    fn below_it(&self) -> Option<&dyn ModelPort> {
        match &self.side {
            CassetteSide::Recording { model, .. } => Some(model.as_ref()),
            CassetteSide::Playing(_) => None,
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn failure(message: String) -> ModelFailure {
    ModelFailure::fatal(ModelFailureKind::Other("cassette".to_owned()), message)
}

fn fail(message: String) -> BoxStream<'static, Result<ModelDelta, ModelFailure>> {
    Box::pin(stream::iter([Err(failure(message))]))
}

/// A new file with its first line.
fn begin(path: &Path, head: &ReelHead) -> std::io::Result<File> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = File::create(path)?;
    writeln!(file, "{}", serde_json::to_string(head)?)?;
    Ok(file)
}

/// What comes of a recorded answer.
fn played(answer: RecordedAnswer, path: &Path, asked: usize) -> Vec<Result<ModelDelta, ModelFailure>> {
    let mut deltas: Vec<_> = answer.deltas.into_iter().map(Ok).collect();
    match answer.end {
        ReelEnd::Done => {}
        ReelEnd::Failed(failure) => deltas.push(Err(failure)),
        ReelEnd::Stopped => deltas.push(Err(failure(format!(
            "the cassette {} has only the beginning of answer {asked}: whoever asked did not wait for the rest",
            path.display()
        )))),
    }
    deltas
}

/// An answer on its way, written down when it ends or nobody wants more of it.
struct RecordedStream {
    inner: BoxStream<'static, Result<ModelDelta, ModelFailure>>,
    asked: usize,
    /// Nothing once it is written.
    answer: Option<RecordedAnswer>,
    file: Arc<Mutex<File>>,
    redactor: Redactor,
    path: PathBuf,
    broken: Arc<Mutex<Option<String>>>,
}

impl RecordedStream {
    /// Writes the answer, once.
    fn write(&mut self) -> Result<(), ModelFailure> {
        let Some(mut answer) = self.answer.take() else { return Ok(()) };
        clean_answer(&self.redactor, &mut answer);
        let written = write_answer(self.asked, &answer)
            .map_err(std::io::Error::from)
            .and_then(|lines| lock(&self.file).write_all(lines.as_bytes()));
        written.map_err(|error| {
            let message = format!("the cassette {} cannot be written: {error}", self.path.display());
            *lock(&self.broken) = Some(message.clone());
            failure(message)
        })
    }
}

impl Stream for RecordedStream {
    type Item = Result<ModelDelta, ModelFailure>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Poll::Ready(next) = self.inner.as_mut().poll_next(context) else { return Poll::Pending };
        if let Some(answer) = &mut self.answer {
            match &next {
                Some(Ok(delta)) => {
                    // Some callers do not wait for more than this.
                    if matches!(delta, ModelDelta::Finish(_)) {
                        answer.end = ReelEnd::Done;
                    }
                    answer.deltas.push(delta.clone());
                }
                Some(Err(failure)) => answer.end = ReelEnd::Failed(failure.clone()),
                None if answer.end == ReelEnd::Stopped => answer.end = ReelEnd::Done,
                None => {}
            }
        }
        if next.is_none()
            && let Err(failure) = self.write()
        {
            return Poll::Ready(Some(Err(failure)));
        }
        Poll::Ready(next)
    }
}

impl Drop for RecordedStream {
    fn drop(&mut self) {
        // The next request tells what went wrong.
        let _ = self.write();
    }
}
