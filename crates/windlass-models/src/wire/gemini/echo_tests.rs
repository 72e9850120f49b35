//! What a provider gave comes back to it exactly, and to nobody else.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{GeminiWire, decoder};
use crate::wire::responses::recording::{Asked, Spoken, events, play, recorded, step, target, user};
use crate::{ModelTarget, WireKind};

fn gemini() -> ModelTarget {
    target(WireKind::Gemini, "gemini", "gemini-3-pro")
}

fn spoken(target: &ModelTarget, fixture: &str, outcomes: &[&str]) -> Spoken {
    let (deltas, failure) = play(decoder(Arc::new(target.clone())), &recorded(fixture));
    assert_eq!(failure, None, "{fixture}");
    Spoken::new(step(&target.name, deltas), outcomes)
}

/// The parts of all chunks that must come back: those that are signed, and calls.
fn signed(fixture: &str) -> Vec<Value> {
    let chunks = events(&recorded(fixture)).into_iter();
    let chunks = chunks.map(|(_, payload)| serde_json::from_str::<Value>(&payload).unwrap());
    chunks
        .flat_map(|chunk| chunk["candidates"][0]["content"]["parts"].as_array().cloned().unwrap_or_default())
        .filter(|part| part.get("thoughtSignature").is_some() || part.get("functionCall").is_some())
        .collect()
}

#[test]
fn gemini_4_every_signature_comes_back_on_its_very_part() {
    let target = gemini();
    for (fixture, outcomes) in [
        ("gemini/reasoning.sse", &[] as &[&str]),
        ("gemini/signed_text.sse", &[]),
        ("gemini/call.sse", &["sunny"]),
        ("gemini/next_call.sse", &["rain"]),
        ("gemini/parallel.sse", &["sunny", "rain"]),
        ("gemini/with_id.sse", &["sunny"]),
    ] {
        let spoken = spoken(&target, fixture, outcomes);
        let asked = Asked::of(target.clone());
        let body = asked.body(&GeminiWire, &[user("Hi."), spoken.turn(&target.name)]);
        let parts = body["contents"][1]["parts"].as_array().unwrap();
        let expected = signed(fixture);
        let is_kept =
            |part: &&Value| part.get("thoughtSignature").is_some() || part.get("functionCall").is_some();
        let sent: Vec<Value> = parts.iter().filter(is_kept).cloned().collect();
        assert_eq!(sent, expected, "{fixture}");
        let text = asked.text(&GeminiWire, &[user("Hi."), spoken.turn(&target.name)]);
        for part in expected {
            assert!(recorded(fixture).contains(&part.to_string()), "the recording has these very bytes");
            assert!(text.contains(&part.to_string()), "{fixture}: {part} in {text}");
        }
    }
}

#[test]
fn gemini_4_parts_are_not_merged_across_signatures() {
    let target = gemini();
    let spoken = spoken(&target, "gemini/signed_text.sse", &[]);
    let body = Asked::of(target.clone()).body(&GeminiWire, &[spoken.turn(&target.name)]);
    assert_eq!(
        body["contents"][0]["parts"],
        json!([
            {"text": "Signed thought.", "thought": true, "thoughtSignature": "VGhvdWdodA=="},
            {"text": "Unsigned, "},
            {"text": "signed.", "thoughtSignature": "VGV4dA=="},
            {"text": " More."},
            {"text": " Still more.", "thoughtSignature": "TW9yZQ=="},
        ])
    );
}

#[test]
fn gemini_4_call_after_call_keeps_the_signature_of_each_step() {
    let target = gemini();
    let first = spoken(&target, "gemini/call.sse", &["sunny"]);
    let second = spoken(&target, "gemini/next_call.sse", &["rain"]);
    let turns = [user("Compare."), first.turn(&target.name), second.turn(&target.name)];
    let body = Asked::of(target.clone()).body(&GeminiWire, &turns);
    let roles: Vec<&str> = body["contents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|content| content["role"].as_str().unwrap())
        .collect();
    assert_eq!(roles, ["user", "model", "user", "model", "user"]);
    assert_eq!(body["contents"][1]["parts"][0], json!({"text": "Let me look."}), "thinking stays at home");
    assert_eq!(body["contents"][1]["parts"][1]["thoughtSignature"], "Q2FsbE9uZQ+/");
    assert_eq!(body["contents"][3]["parts"][0]["thoughtSignature"], "Q2FsbFR3bw==");
}

#[test]
fn gemini_4_an_id_of_the_provider_comes_back_on_call_and_outcome() {
    let target = gemini();
    let spoken = spoken(&target, "gemini/with_id.sse", &["sunny"]);
    let body = Asked::of(target.clone()).body(&GeminiWire, &[spoken.turn(&target.name)]);
    let contents = &body["contents"];
    assert_eq!(contents[0]["parts"][0]["functionCall"]["id"], "function-call-881");
    assert_eq!(contents[1]["parts"][0]["functionResponse"]["id"], "function-call-881");
}

#[test]
fn state_is_gone_for_another_model() {
    let target = gemini();
    let other = super::super::responses::recording::target(WireKind::Gemini, "gemini", "gemini-2.5-pro");
    for (fixture, outcomes) in [
        ("gemini/signed_text.sse", &[] as &[&str]),
        ("gemini/with_id.sse", &["sunny"]),
        ("gemini/reasoning.sse", &[]),
    ] {
        let spoken = spoken(&target, fixture, outcomes);
        let text = Asked::of(other.clone()).text(&GeminiWire, &[spoken.turn(&other.name)]);
        for word in ["thoughtSignature", "thought", "function-call-881"] {
            assert!(!text.contains(word), "{fixture}: {text}");
        }
    }
}
