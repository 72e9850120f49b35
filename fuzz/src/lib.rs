//! What every fuzz target of a wire does: reads arbitrary bytes as a stream and as a whole, and watches that
//! nothing panics, nothing hangs, and no more comes out than went in.
//!
//! The last byte of an input chooses how it is read, so that a recorded exchange is an input as it is.

use std::sync::Arc;

use windlass_core::calls::assemble::Assembler;
use windlass_core::protocol::model::{ModelDelta, ModelFailure};
use windlass_models::frame::Splitter;
use windlass_models::quirks::{Quirks, ReasoningEcho, ReasoningField};
use windlass_models::wire::{Decode, decoder, framing};
use windlass_models::{Abilities, AuthForm, Target, WireKind};

/// What one byte of an input may become: quoted, escaped and told twice, it is still bounded.
const GROWTH: usize = 64;

/// Reads an input as an answer of a protocol.
pub fn read_answer(kind: WireKind, input: &[u8]) {
    let Some((choice, bytes)) = input.split_last() else { return };
    let mut decoder = decoder(kind, Arc::new(target(kind, *choice)));
    let mut deltas = Vec::new();
    let read = if choice & 1 == 0 {
        read_stream(kind, bytes, &mut *decoder, &mut deltas)
    } else {
        decoder.whole(&String::from_utf8_lossy(bytes), &mut deltas)
    };
    if let Err(failure) = &read {
        assert!(failure.message.len() < 8_192, "a failure is told in a few lines");
    }
    assert!(weight(&deltas) <= GROWTH * bytes.len() + 4_096, "more came out than went in");
    assemble(deltas);
}

fn read_stream(
    kind: WireKind,
    bytes: &[u8],
    decoder: &mut dyn Decode,
    deltas: &mut Vec<ModelDelta>,
) -> Result<(), ModelFailure> {
    let mut splitter = Splitter::new(framing(kind));
    let mut sink = |event: Option<&str>, data: &str| match decoder.is_over() {
        true => Ok(()),
        false => decoder.frame(event, data, deltas),
    };
    splitter.push(bytes, &mut sink)?;
    splitter.finish(&mut sink)?;
    decoder.end(deltas)
}

/// What reads deltas next must stand them, too.
fn assemble(deltas: Vec<ModelDelta>) {
    let mut assembler = Assembler::new("fuzz/model");
    for delta in deltas {
        assembler.push(delta);
        assembler.take_ready();
    }
    assembler.finish();
}

fn weight(deltas: &[ModelDelta]) -> usize {
    let weights = deltas.iter().map(|delta| match delta {
        ModelDelta::Text(text) | ModelDelta::Reasoning(text) => text.len() + 1,
        ModelDelta::ReasoningState(state) => state.to_string().len() + 1,
        ModelDelta::Call(call) => {
            let texts = [&call.id, &call.name, &call.args_text].into_iter().flatten().map(String::len);
            let values =
                [&call.args_value, &call.state].into_iter().flatten().map(|value| value.to_string().len());
            texts.chain(values).sum::<usize>() + 1
        }
        ModelDelta::Usage(_) | ModelDelta::Finish(_) | ModelDelta::Notice(_) => 1,
    });
    weights.sum()
}

fn target(kind: WireKind, choice: u8) -> Target {
    let echo = [ReasoningEcho::Never, ReasoningEcho::State, ReasoningEcho::Text, ReasoningEcho::Always];
    let quirks = Quirks {
        has_think_tags: choice & 2 == 0,
        opens_thinking: choice & 4 != 0,
        echo: echo[usize::from(choice >> 3 & 3)],
        echo_field: if choice & 32 == 0 { ReasoningField::ReasoningContent } else { ReasoningField::Details },
        ..Quirks::default()
    };
    Target {
        name: "fuzz/model".into(),
        provider: "fuzz".into(),
        model: "model".into(),
        wire: kind,
        base_url: "http://localhost".into(),
        auth: AuthForm::Open,
        key: None,
        headers: Vec::new(),
        quirks,
        abilities: Abilities::default(),
    }
}
