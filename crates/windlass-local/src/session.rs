//! One answer in the making: what was read, what was written, and what may follow.
//!
//! Knows tokens, grammar and deltas; not the model that scores tokens, nor its neighbours in a batch.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::UnboundedSender;
use windlass_core::protocol::model::{Finish, ModelDelta, ModelFailure, ReadingProgress, Usage};

use crate::calls::CallReader;
use crate::decoder::KvCache;
use crate::grammar::{Constraint, GrammarError};
use crate::sample::Sampler;
use crate::tokens::{ModelTokens, TextStream};

/// Where the pieces of an answer go; closed when nobody listens any more.
pub(crate) type DeltaSender = UnboundedSender<Result<ModelDelta, ModelFailure>>;

/// What was read and written in this process costs nothing, and that is known.
pub(crate) const FREE: Usage = Usage { input: 0, output: 0, cached: 0, reasoning: 0, cost_usd: Some(0.0) };

/// Reading that takes longer than this is told with the time that is left.
const LONG: Duration = Duration::from_secs(10);

/// What an answer begins from.
pub(crate) struct AnswerStart {
    pub(crate) prompt: Vec<u32>,
    pub(crate) cache: KvCache,
    pub(crate) reader: CallReader,
    pub(crate) constraint: Option<Box<dyn Constraint>>,
    pub(crate) sampler: Sampler,
    /// Most tokens, prompt and answer together.
    pub(crate) tokens_max: usize,
    pub(crate) sender: DeltaSender,
}

/// One answer in the making.
pub(crate) struct AnswerSession {
    tokens: Vec<u32>,
    prompt_tokens: usize,
    cached_tokens: usize,
    begun: Instant,
    cache: KvCache,
    reader: CallReader,
    stream: TextStream,
    constraint: Option<Box<dyn Constraint>>,
    sampler: Sampler,
    tokens_max: usize,
    sender: DeltaSender,
    vocabulary: Arc<ModelTokens>,
}

/// Whether an answer goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AnswerStep {
    More,
    Done,
}

impl AnswerSession {
    pub(crate) fn new(beginning: AnswerStart, vocabulary: Arc<ModelTokens>) -> Self {
        let AnswerStart { prompt, cache, reader, constraint, sampler, tokens_max, sender } = beginning;
        Self {
            prompt_tokens: prompt.len(),
            cached_tokens: cache.len(),
            begun: Instant::now(),
            tokens: prompt,
            cache,
            reader,
            stream: TextStream::default(),
            constraint,
            sampler,
            tokens_max,
            sender,
            vocabulary,
        }
    }

    /// Whether nobody listens any more.
    pub(crate) fn is_abandoned(&self) -> bool {
        self.sender.is_closed()
    }

    /// How many tokens wait to be read.
    pub(crate) fn unread(&self) -> usize {
        self.tokens.len().saturating_sub(self.cache.len())
    }

    /// The cache, and the next tokens to be read into it.
    pub(crate) fn next_piece(&mut self, count: usize) -> (&mut KvCache, &[u32]) {
        let begin = self.cache.len();
        let end = begin.saturating_add(count).min(self.tokens.len());
        (&mut self.cache, self.tokens.get(begin..end).unwrap_or_default())
    }

    /// Says how far the prompt is read.
    pub(crate) fn tell_reading(&self) {
        let (read, total) = (self.cache.len(), self.prompt_tokens);
        let done = read.saturating_sub(self.cached_tokens);
        let remaining = remaining(self.begun.elapsed(), done, total.saturating_sub(read));
        let count = |tokens: usize| u64::try_from(tokens).unwrap_or(u64::MAX);
        let remaining_ms = remaining.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
        let progress = ReadingProgress { tokens_read: count(read), tokens_total: count(total), remaining_ms };
        self.send(Ok(ModelDelta::Progress(progress)));
    }

    /// What was read, to be kept.
    pub(crate) fn into_kept(self) -> (Vec<u32>, KvCache) {
        (self.tokens, self.cache)
    }

    /// Tokens that must begin the answer.
    pub(crate) fn begin(&mut self) -> Result<AnswerStep, GrammarError> {
        self.append_forced()
    }

    /// Chooses the next token by its scores, and appends whatever must follow it.
    pub(crate) fn choose(&mut self, scores: &[f32]) -> Result<AnswerStep, GrammarError> {
        // A table may have more rows than there are tokens.
        let scores = scores.get(..self.vocabulary.len()).unwrap_or(scores);
        let mask = match &mut self.constraint {
            Some(constraint) => constraint.mask()?,
            None => None,
        };
        let token = self.sampler.choose(scores, mask);
        let Some(token) = token else {
            return Err(GrammarError::Grammar("nothing that may follow can be written".to_owned()));
        };
        if let Some(constraint) = &mut self.constraint {
            constraint.accept(token)?;
        }
        match self.append(token) {
            AnswerStep::Done => Ok(AnswerStep::Done),
            AnswerStep::More => self.append_forced(),
        }
    }

    fn append_forced(&mut self) -> Result<AnswerStep, GrammarError> {
        let Some(constraint) = &mut self.constraint else { return Ok(AnswerStep::More) };
        let forced = constraint.forced();
        for token in &forced {
            constraint.accept(*token)?;
        }
        let is_done = constraint.is_done();
        for token in forced {
            if self.append(token) == AnswerStep::Done {
                return Ok(AnswerStep::Done);
            }
        }
        if is_done {
            self.finish(None);
            return Ok(AnswerStep::Done);
        }
        Ok(AnswerStep::More)
    }

    fn append(&mut self, token: u32) -> AnswerStep {
        self.tokens.push(token);
        if self.vocabulary.stops().contains(&token) {
            self.finish(None);
            return AnswerStep::Done;
        }
        let text = self.stream.push(&self.vocabulary, token);
        for delta in self.reader.push(&text) {
            self.send(Ok(delta));
        }
        if self.tokens.len() >= self.tokens_max {
            self.finish(Some(Finish::Length));
            return AnswerStep::Done;
        }
        AnswerStep::More
    }

    /// Says that nothing more can be written.
    pub(crate) fn fail(&self, failure: ModelFailure) {
        self.send(Err(failure));
    }

    fn finish(&mut self, finish: Option<Finish>) {
        let rest = self.stream.finish();
        let mut deltas = self.reader.push(&rest);
        deltas.extend(self.reader.finish());
        let finish = finish.unwrap_or(if self.reader.calls() > 0 { Finish::Calls } else { Finish::Stop });
        let count = |tokens: usize| u64::try_from(tokens).unwrap_or(u64::MAX);
        deltas.push(ModelDelta::Usage(Usage {
            input: count(self.prompt_tokens),
            output: count(self.tokens.len().saturating_sub(self.prompt_tokens)),
            cached: count(self.cached_tokens),
            ..FREE
        }));
        deltas.push(ModelDelta::Finish(finish));
        for delta in deltas {
            self.send(Ok(delta));
        }
    }

    /// A listener who left is noticed before the next token.
    fn send(&self, delta: Result<ModelDelta, ModelFailure>) {
        let _ = self.sender.send(delta);
    }
}

/// How long the rest of a prompt takes by the speed so far, where all of it takes longer than people wait unasked.
fn remaining(elapsed: Duration, tokens_done: usize, tokens_left: usize) -> Option<Duration> {
    let (done, left) = (u32::try_from(tokens_done).ok()?, u32::try_from(tokens_left).ok()?);
    let rest = elapsed.checked_mul(left)?.checked_div(done)?;
    (elapsed.saturating_add(rest) > LONG).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_that_takes_long_is_estimated_by_the_speed_so_far() {
        let second = Duration::from_secs(1);
        assert_eq!(remaining(second, 128, 128 * 20), Some(second * 20));
        assert_eq!(remaining(second, 128, 128 * 3), None, "four seconds are no reason to say so");
        assert_eq!(remaining(second * 12, 1_280, 128), Some(second * 12 / 10));
        assert_eq!(remaining(second, 0, 128), None);
    }
}
