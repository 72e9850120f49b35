use candle_core::Device;
use candle_core::quantized::GgmlDType;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use windlass_core::protocol::model::Finish;

use super::*;
use crate::calls::CallReader;
use crate::file::ModelFile;
use crate::grammar::CallSyntax;
use crate::port::tests::tiny;
use crate::sample::Sampler;

type Deltas = UnboundedReceiver<Result<ModelDelta, ModelFailure>>;

/// A worker that nobody drives but the test.
fn worker(sessions_max: usize) -> Worker {
    let file = ModelFile::of_program(tiny(GgmlDType::Q8_0)).unwrap();
    let limits = WorkerLimits { sessions_max, kept_bytes_max: 1 << 30 };
    Worker {
        decoder: LoadedDecoder::load(&file, 512, &Device::Cpu).unwrap(),
        tokens: Arc::new(ModelTokens::of_file(&file).unwrap()),
        limits,
        store: PrefixStore::new(limits.kept_bytes_max),
        active: Vec::new(),
        waiting: std::collections::VecDeque::new(),
    }
}

/// A prompt that begins with a token of its own.
fn prompt(first: u32, tokens: usize) -> Vec<u32> {
    std::iter::once(first).chain((0..).map(|at| at % 50)).take(tokens).collect()
}

fn job(prompt: Vec<u32>) -> (AnswerJob, Deltas) {
    let (sender, deltas) = unbounded_channel();
    let prepare = move || {
        Ok(PreparedPrompt {
            tokens_max: prompt.len() + 4,
            prompt,
            reader: CallReader::new(CallSyntax::BareObject, false),
            constraint: None,
            sampler: Sampler::new(0.0, 1.0, 0),
        })
    };
    (AnswerJob { prepare: Box::new(prepare), sender }, deltas)
}

#[test]
fn a_long_prompt_that_nobody_waits_for_is_left_within_a_piece_and_the_next_is_served() {
    let mut worker = worker(1);
    let long = prompt(60, 400);
    let (first, listener) = job(long.clone());
    let (second, mut deltas) = job(prompt(61, 10));
    worker.waiting.extend([first, second]);
    worker.step();
    assert_eq!(worker.active[0].unread(), 400 - PIECE_TOKENS);
    drop(listener);
    worker.step();
    // The only place is the next session's, which has read its whole prompt and written.
    assert_eq!((worker.active.len(), worker.waiting.len(), worker.active[0].unread()), (1, 0, 1));
    // One piece was read of the first, and it is not lost.
    assert_eq!(worker.store.take(&long, &worker.decoder).unwrap().len(), PIECE_TOKENS);
    while !worker.active.is_empty() {
        worker.step();
    }
    let mut finish = None;
    while let Ok(delta) = deltas.try_recv() {
        if let ModelDelta::Finish(end) = delta.unwrap() {
            finish = Some(end);
        }
    }
    assert_eq!(finish, Some(Finish::Length));
}

#[test]
fn one_who_writes_gets_a_token_with_every_piece_that_another_reads() {
    let mut worker = worker(2);
    let (short, _listener) = job(prompt(61, 10));
    let (long, _other) = job(prompt(60, 400));
    worker.waiting.extend([short]);
    worker.step();
    worker.waiting.extend([long]);
    worker.step();
    assert_eq!(worker.active[1].unread(), 400 - (PIECE_TOKENS - 1));
    // It has read what it wrote, and written again.
    assert_eq!(worker.active[0].unread(), 1);
}
