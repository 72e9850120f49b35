//! Names of attributes, words of the conventions, ids of traces and spans.

use crate::{Attribute, Attributes, SpanId, TraceId};
use windlass_core::protocol::event::Record;
use windlass_core::protocol::ids::{CallId, RunId};
use windlass_core::protocol::model::{StepPurpose, Usage};

pub(crate) fn put_ids(attributes: &mut Attributes, record: &Record) {
    attributes.push(("gen_ai.conversation.id", record.session_id.as_str().into()));
    attributes.push(("windlass.request_id", record.run_id.as_str().into()));
    attributes.push(("windlass.parent_id", record.parent_id.as_str().into()));
}

pub(crate) fn call_attributes(record: &Record, call_id: &CallId, name: &str) -> Attributes {
    let mut attributes: Attributes = vec![
        ("gen_ai.operation.name", "execute_tool".into()),
        ("gen_ai.tool.name", name.into()),
        ("gen_ai.tool.type", "function".into()),
        ("gen_ai.tool.call.id", call_id.as_str().into()),
    ];
    put_ids(&mut attributes, record);
    attributes
}

pub(crate) fn put_usage(attributes: &mut Attributes, usage: &Usage) {
    attributes.push(("gen_ai.usage.input_tokens", usage.input.into()));
    attributes.push(("gen_ai.usage.output_tokens", usage.output.into()));
    if usage.cached > 0 {
        attributes.push(("gen_ai.usage.cache_read.input_tokens", usage.cached.into()));
    }
    if usage.reasoning > 0 {
        attributes.push(("gen_ai.usage.reasoning.output_tokens", usage.reasoning.into()));
    }
    if let Some(cost_usd) = usage.cost_usd {
        attributes.push(("windlass.usage.cost_usd", cost_usd.into()));
    }
}

pub(crate) fn count(len: usize) -> Attribute {
    Attribute::Count(u64::try_from(len).unwrap_or(u64::MAX))
}

/// The conventions' word for a provider; others keep their own.
pub(crate) fn provider_word(provider: &str) -> &str {
    match provider {
        "gemini" => "gcp.gemini",
        "xai" => "x_ai",
        "mistral" => "mistral_ai",
        "" => "windlass",
        other => other,
    }
}

/// A run's id is a UUID, which is as long as a trace's id; whatever else it is, is hashed.
pub(crate) fn trace_id(run_id: &RunId) -> TraceId {
    let hex: String = run_id.as_str().chars().filter(|char| *char != '-').collect();
    let own = if hex.len() == 32 { u128::from_str_radix(&hex, 16).unwrap_or(0) } else { 0 };
    if own != 0 {
        return TraceId(own);
    }
    let halves = (span_id(run_id, "trace", "1").0, span_id(run_id, "trace", "2").0);
    TraceId((u128::from(halves.0) << 64) | u128::from(halves.1))
}

/// FNV-1a over the run, what the span is, and which one. Zero is no id.
pub(crate) fn span_id(run_id: &RunId, what: &str, which: &str) -> SpanId {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for text in [run_id.as_str(), what, which] {
        for byte in text.bytes().chain([0xff]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    SpanId(hash.max(1))
}

pub(crate) fn purpose_word(purpose: StepPurpose) -> &'static str {
    match purpose {
        StepPurpose::Work => "work",
        StepPurpose::Correction => "correction",
        StepPurpose::Continuation => "continuation",
        StepPurpose::Finalise => "finalise",
    }
}
