//! An emulator that nobody of this house wrote agrees: every scenario on each of its six surfaces, through
//! the binary, with a look at what arrived.
//!
//! It is known to be unfaithful in places, and those are survived, not encoded: Responses events without
//! `sequence_number`, token counts of zero, Gemini's `finishReason: "FUNCTION_CALL"`, Ollama's thinking in
//! a field that Ollama does not have, broken arguments replaced by `{}` where the protocol has objects.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::emulator_process::Emulator;
use crate::place::Place;
use crate::providers_stage::{Ran, run, with_keys};

/// A surface of the emulator.
struct Surface {
    provider: &'static str,
    model: &'static str,
    base_path: &'static str,
    /// The path that requests must arrive at.
    path: &'static str,
    /// Whether thinking comes in a field of the protocol.
    shows_thinking: bool,
    /// Whether a call comes in pieces that can be cut.
    streams_calls: bool,
    /// Whether the emulator makes a message of its own of each call.
    parts_calls: bool,
}

const CHAT: Surface = Surface {
    provider: "openai-chat",
    model: "gpt-5",
    base_path: "/v1",
    path: "/v1/chat/completions",
    shows_thinking: true,
    streams_calls: true,
    parts_calls: false,
};
const RESPONSES: Surface = Surface { provider: "openai", path: "/v1/responses", parts_calls: true, ..CHAT };
const ANTHROPIC: Surface = Surface {
    provider: "anthropic",
    model: "claude-sonnet-4-5",
    base_path: "",
    path: "/v1/messages",
    ..CHAT
};
const GEMINI: Surface = Surface {
    provider: "gemini",
    model: "gemini-2.5-pro",
    base_path: "/v1beta",
    path: "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
    streams_calls: false,
    ..CHAT
};
const OLLAMA: Surface = Surface {
    provider: "ollama",
    model: "qwen3",
    base_path: "",
    path: "/api/chat",
    shows_thinking: false,
    streams_calls: false,
    ..CHAT
};
const OPENROUTER: Surface = Surface {
    provider: "openrouter",
    model: "openai/gpt-5",
    base_path: "/api/v1",
    path: "/api/v1/chat/completions",
    ..CHAT
};

/// A surface that is being tried.
struct Trial {
    surface: Surface,
    place: Place,
    emulator: Emulator,
}

impl Trial {
    fn new(surface: Surface) -> Self {
        let emulator = Emulator::start();
        let place = Place::with(&[("hay.txt", "straw\nthe needle is here\n")]);
        let base_url = format!("{}{}", emulator.origin(), surface.base_path);
        place.configure(&format!(
            "[limits]\nmodel_retry_delay_ms = 10\n[providers.{}]\nbase_url = \"{base_url}\"\n",
            surface.provider
        ));
        Self { surface, place, emulator }
    }

    /// Asks, and gives back how it went and which requests it took.
    fn ask(&self, prompt: &str, args: &[&str]) -> (Ran, Vec<Value>) {
        let before = self.emulator.journal().len();
        let model = format!("{}/{}", self.surface.provider, self.surface.model);
        let mut command = self.place.command(&["run", "--model", &model, "--approve", "all"]);
        command.args(args).arg(prompt);
        with_keys(&mut command);
        let ran = run(command);
        let entries = self.emulator.journal().split_off(before);
        for entry in &entries {
            assert_eq!(entry["path"], self.surface.path, "{entry}");
            check_pairing(&entry["body"]["messages"], self.surface.parts_calls);
        }
        (ran, entries)
    }

    /// Asserts the answer and how many requests it took.
    #[track_caller]
    fn answers(&self, prompt: &str, answer: &str, requests: usize) -> Vec<Value> {
        let (ran, entries) = self.ask(prompt, &[]);
        let context = format!("{} {prompt}: {}\n{}\n{entries:#?}", self.surface.provider, ran.out, ran.err);
        assert_eq!((ran.code, ran.out.trim()), (0, answer), "{context}");
        assert_eq!(entries.len(), requests, "{context}");
        entries
    }

    /// Asserts a typed failure without an answer.
    #[track_caller]
    fn fails(&self, prompt: &str, codes: &[&str]) -> Ran {
        let (ran, _) = self.ask(prompt, &["--json"]);
        assert_eq!(ran.code, 1, "{} {prompt}: {}", self.surface.provider, ran.out);
        assert!(
            codes.contains(&ran.error_code().as_str()),
            "{} {prompt}: {}",
            self.surface.provider,
            ran.out
        );
        ran
    }
}

/// Every call is answered, once, right after the message that made it.
fn check_pairing(messages: &Value, parts_calls: bool) {
    let messages = messages.as_array().unwrap();
    let mut open: BTreeSet<String> = BTreeSet::new();
    let mut unnamed = 0_usize;
    let mut last_role = "";
    for message in messages {
        let role = message["role"].as_str().unwrap();
        let goes_on = parts_calls && role == "assistant" && std::mem::replace(&mut last_role, role) == role;
        if message["role"] == "tool" {
            match message["tool_call_id"].as_str() {
                Some(id) => assert!(open.remove(id), "an outcome without its call: {messages:#?}"),
                // Ollama's outcomes have no id there.
                None => {
                    assert!(unnamed > 0, "an outcome without its call: {messages:#?}");
                    unnamed -= 1;
                    open.clear();
                }
            }
            continue;
        }
        assert!(goes_on || open.is_empty() && unnamed == 0, "a call without its outcome: {messages:#?}");
        let calls = message["tool_calls"].as_array().cloned().unwrap_or_default();
        for call in &calls {
            let is_new = open.insert(call["id"].as_str().unwrap().to_owned());
            assert!(is_new, "ids are unique: {messages:#?}");
        }
        let is_ollama = messages.iter().any(|some| some["role"] == "tool" && some["tool_call_id"].is_null());
        unnamed = if is_ollama { calls.len() } else { 0 };
    }
    assert!(open.is_empty() && unnamed == 0, "a call without its outcome: {messages:#?}");
}

/// The texts of outcomes in a request.
fn outcomes(entry: &Value) -> Vec<String> {
    let messages = entry["body"]["messages"].as_array().unwrap();
    messages
        .iter()
        .filter(|message| message["role"] == "tool")
        .map(|message| message["content"].to_string())
        .collect()
}

fn texts_and_thoughts(trial: &Trial) {
    let entries = trial.answers("say hello", "Hello from the emulator.", 1);
    let last = entries[0]["body"]["messages"].as_array().unwrap().last().unwrap().clone();
    assert_eq!((&last["role"], &last["content"]), (&"user".into(), &"say hello".into()), "{last}");
    trial.answers("think first", "The answer is 42.", 1);
    let (ran, _) = trial.ask("think first", &["--json"]);
    let thought: String =
        ran.of_type("reasoning").iter().map(|event| event["content"].as_str().unwrap()).collect();
    if trial.surface.shows_thinking {
        assert_eq!(thought, "Six times seven.", "{}", ran.out);
    }
}

fn calls(trial: &Trial) {
    let entries = trial.answers("one call", "It is 42.", 2);
    assert!(outcomes(&entries[1])[0].contains("42"), "{entries:#?}");
    let entries = trial.answers("parallel calls", "101 and 202.", 2);
    let outcomes_of_two = outcomes(&entries[1]);
    assert_eq!(outcomes_of_two.len(), 2, "{entries:#?}");
    assert!(outcomes_of_two[0].contains("101") && outcomes_of_two[1].contains("202"), "{entries:#?}");
    let body = entries[1]["body"].to_string();
    assert!(body.contains("Both at once."), "text before a call is kept (R-26): {body}");
    trial.answers("call after call", "It is in hay.txt.", 3);
    trial.answers("think and call", "Forty-two.", 2);
}

fn bad_arguments(trial: &Trial) {
    let (ran, entries) = trial.ask("bad arguments", &["--json"]);
    assert_eq!(ran.code, 0, "{}", ran.out);
    assert!(ran.of_type("tool_executing").is_empty(), "a call that cannot be read does not run: {}", ran.out);
    let results = ran.of_type("tool_result");
    assert_eq!((results.len(), &results[0]["result"]["success"]), (1, &false.into()), "{}", ran.out);
    assert_eq!(entries.len(), 2, "{entries:#?}");
}

fn failures(trial: &Trial) {
    trial.fails("fail always", &["overloaded"]);
    trial.answers("fail once", "The fire is out.", 2);
    let ran = trial.fails("cut always", &["cut", "network"]);
    assert!(!ran.out.contains("said to its end"), "{}", ran.out);
    trial.answers("cut once", "This text is whole.", 2);
    trial.fails("malformed always", &["malformed"]);
    trial.answers("malformed once", "Well formed.", 2);
    trial.answers("drop once", "Connected again.", 2);
    // What has no fixture is answered with 404, which says nothing about tools.
    trial.fails("nobody knows this", &["bad_request", "not_found"]);

    let (ran, entries) = trial.ask("limited once", &["--json"]);
    assert_eq!((ran.code, entries.len()), (0, 2), "{}", ran.out);
    assert_eq!(ran.of_type("waiting").len(), 1, "{}", ran.out);

    let (ran, _) = trial.ask("cut the call", &["--json"]);
    assert_eq!(ran.code, 0, "{}", ran.out);
    let ran_calls = ran.of_type("tool_executing").len();
    assert_eq!(ran_calls, usize::from(!trial.surface.streams_calls), "{}", ran.out);
}

fn agree(surface: Surface) {
    let trial = Trial::new(surface);
    texts_and_thoughts(&trial);
    calls(&trial);
    bad_arguments(&trial);
    failures(&trial);
}

#[test]
fn the_emulator_agrees_on_openai_chat() {
    agree(CHAT);
}

#[test]
fn the_emulator_agrees_on_openai_responses() {
    agree(RESPONSES);
}

#[test]
fn the_emulator_agrees_on_anthropic_messages() {
    agree(ANTHROPIC);
}

#[test]
fn the_emulator_agrees_on_gemini() {
    agree(GEMINI);
}

#[test]
fn the_emulator_agrees_on_ollama() {
    agree(OLLAMA);
}

#[test]
fn the_emulator_agrees_on_openrouter() {
    agree(OPENROUTER);
}

/// A check that cannot fail proves nothing.
#[test]
fn the_check_of_pairing_bites() {
    let call = serde_json::json!({"role": "assistant", "tool_calls": [{"id": "a"}]});
    let outcome = serde_json::json!({"role": "tool", "tool_call_id": "a", "content": "x"});
    let bites = |messages: Value| std::panic::catch_unwind(|| check_pairing(&messages, false)).is_err();
    assert!(bites(serde_json::json!([call])));
    assert!(bites(serde_json::json!([outcome])));
    assert!(bites(serde_json::json!([call, {"role": "user"}, outcome])));
    assert!(bites(serde_json::json!([call, outcome, outcome])));
    check_pairing(&serde_json::json!([call, outcome, {"role": "user"}]), false);
    let other = serde_json::json!({"role": "assistant", "tool_calls": [{"id": "b"}]});
    let second = serde_json::json!({"role": "tool", "tool_call_id": "b", "content": "x"});
    assert!(bites(serde_json::json!([call, other, outcome, second])));
    check_pairing(&serde_json::json!([call, other, outcome, second]), true);
}
