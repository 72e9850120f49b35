//! The thread that owns a model and serves several sessions: each gets a token in turn, all in one computation.
//!
//! Owns scheduling. What is read is read in pieces, between which other sessions get their tokens and a session that
//! nobody listens to is dropped. Knows no requests: they come as prompts.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};

use windlass_core::protocol::model::{ModelDelta, ModelFailure, ModelFailureKind, Notice, NoticeKind};

use crate::decoder::{LoadedDecoder, PIECE_TOKENS, SessionInput};
use crate::error::LocalError;
use crate::grammar::GrammarError;
use crate::prefix::PrefixStore;
use crate::session::{AnswerSession, AnswerStart, AnswerStep, DeltaSender};
use crate::tokens::ModelTokens;

/// Something to be answered, still to be made ready.
pub(crate) struct AnswerJob {
    pub(crate) prepare: Box<dyn FnOnce() -> Result<PreparedPrompt, ModelFailure> + Send>,
    pub(crate) sender: DeltaSender,
}

/// A prompt that is ready to be read.
pub(crate) struct PreparedPrompt {
    pub(crate) prompt: Vec<u32>,
    pub(crate) reader: crate::calls::CallReader,
    pub(crate) constraint: Option<Box<dyn crate::grammar::Constraint>>,
    pub(crate) sampler: crate::sample::Sampler,
    pub(crate) tokens_max: usize,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct WorkerLimits {
    /// Sessions that are served at once; others wait.
    pub(crate) sessions_max: usize,
    /// Bytes of caches that are kept for later.
    pub(crate) kept_bytes_max: u64,
}

struct Worker {
    decoder: LoadedDecoder,
    tokens: Arc<ModelTokens>,
    limits: WorkerLimits,
    store: PrefixStore,
    active: Vec<AnswerSession>,
    waiting: std::collections::VecDeque<AnswerJob>,
}

/// Starts the thread; it ends when the sender is dropped and everything is answered.
pub(crate) fn start(
    decoder: LoadedDecoder,
    tokens: Arc<ModelTokens>,
    limits: WorkerLimits,
) -> Result<Sender<AnswerJob>, LocalError> {
    let (sender, receiver) = channel();
    let worker = Worker {
        decoder,
        tokens,
        limits,
        store: PrefixStore::new(limits.kept_bytes_max),
        active: Vec::new(),
        waiting: std::collections::VecDeque::new(),
    };
    std::thread::Builder::new()
        .name("local-model".to_owned())
        .spawn(move || worker.serve(&receiver))
        .map_err(|error| LocalError::Compute(error.to_string()))?;
    Ok(sender)
}

impl Worker {
    fn serve(mut self, jobs: &Receiver<AnswerJob>) {
        while self.receive(jobs) {
            // A fault in the arithmetic ends the answers that met it, not the program.
            if catch_unwind(AssertUnwindSafe(|| self.step())).is_err() {
                self.fail_all(&LocalError::Compute("the computation broke off".to_owned()));
            }
        }
    }

    /// Takes what has come; waits when there is nothing to do. False when nothing can come any more.
    fn receive(&mut self, jobs: &Receiver<AnswerJob>) -> bool {
        if self.active.is_empty() && self.waiting.is_empty() {
            match jobs.recv() {
                Ok(job) => self.waiting.push_back(job),
                Err(_) => return false,
            }
        }
        loop {
            match jobs.try_recv() {
                Ok(job) => self.waiting.push_back(job),
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => return true,
            }
        }
    }

    fn step(&mut self) {
        self.drop_abandoned();
        while self.active.len() < self.limits.sessions_max {
            let Some(job) = self.waiting.pop_front() else { break };
            self.admit(job);
        }
        if self.active.is_empty() {
            return;
        }
        match self.read() {
            Ok(scores) => self.write(scores),
            Err(error) => self.fail_all(&error),
        }
    }

    fn drop_abandoned(&mut self) {
        self.waiting.retain(|job| !job.sender.is_closed());
        for session in self.active.extract_if(.., |session| session.is_abandoned()) {
            let (tokens, cache) = session.into_kept();
            self.store.put(&tokens, cache);
        }
    }

    fn admit(&mut self, job: AnswerJob) {
        let AnswerJob { prepare, sender } = job;
        let admitted = prepare().and_then(|prepared| {
            let PreparedPrompt { prompt, reader, constraint, sampler, tokens_max } = prepared;
            for message in constraint.iter().flat_map(|constraint| constraint.notices()) {
                let notice = Notice {
                    kind: NoticeKind::Lowered,
                    rule: "grammar".to_owned(),
                    message: message.clone(),
                };
                // Nobody reads any more: the session ends by itself.
                let _ = sender.send(Ok(ModelDelta::Notice(notice)));
            }
            let cache = self.store.take(&prompt, &self.decoder).map_err(|error| failure(&error))?;
            let sender = sender.clone();
            let beginning = AnswerStart { prompt, cache, reader, constraint, sampler, tokens_max, sender };
            let mut session = AnswerSession::new(beginning, Arc::clone(&self.tokens));
            let step = session.begin().map_err(|error| grammar_failure(&error))?;
            Ok((session, step))
        });
        match admitted {
            Ok((session, AnswerStep::More)) => self.active.push(session),
            Ok((_, AnswerStep::Done)) => {}
            Err(failure) => {
                let _ = sender.send(Err(failure));
            }
        }
    }

    /// One computation: a token of everyone who writes, and a piece of who still reads.
    fn read(&mut self) -> Result<Vec<Option<Vec<f32>>>, LocalError> {
        // Who waits for a token comes first; a long prompt gets what is left.
        let writing = self.active.iter().filter(|session| session.unread() == 1).count();
        let mut room = PIECE_TOKENS.saturating_sub(writing);
        let mut readings = Vec::with_capacity(self.active.len());
        for session in &mut self.active {
            let unread = session.unread();
            let count = if unread == 1 { 1 } else { unread.min(room.max(1)) };
            if unread > 1 {
                room = room.saturating_sub(count);
            }
            let (cache, tokens) = session.next_piece(count);
            readings.push(SessionInput { cache, tokens, wants_scores: count == unread });
        }
        self.decoder.read(&mut readings)
    }

    fn write(&mut self, scores: Vec<Option<Vec<f32>>>) {
        let mut going = Vec::with_capacity(self.active.len());
        for (mut session, scores) in std::mem::take(&mut self.active).into_iter().zip(scores) {
            let step = match scores {
                Some(scores) => session.choose(&scores),
                None => {
                    session.tell_reading();
                    Ok(AnswerStep::More)
                }
            };
            match step {
                Ok(AnswerStep::More) => going.push(session),
                Ok(AnswerStep::Done) => {
                    let (tokens, cache) = session.into_kept();
                    self.store.put(&tokens, cache);
                }
                Err(error) => session.fail(grammar_failure(&error)),
            }
        }
        self.active = going;
    }

    fn fail_all(&mut self, error: &LocalError) {
        self.store.clear();
        for session in self.active.drain(..) {
            session.fail(failure(error));
        }
    }
}

/// For the user, what went wrong.
pub(crate) fn failure(error: &LocalError) -> ModelFailure {
    ModelFailure::fatal(ModelFailureKind::Local, error.to_string())
}

fn grammar_failure(error: &GrammarError) -> ModelFailure {
    ModelFailure::fatal(
        ModelFailureKind::Grammar,
        format!("the model could not be held to the form of its answer: {error}"),
    )
}

#[cfg(test)]
#[path = "worker_tests.rs"]
mod tests;
