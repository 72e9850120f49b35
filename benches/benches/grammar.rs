//! What it costs to hold a model to a grammar: the figures of `docs/figures.md`.

#![allow(clippy::expect_used, missing_docs)]

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use windlass_benches::tongue::vocabulary;
use windlass_benches::{best_of, cpu_time, figure};
use windlass_core::protocol::tool::ToolSpec;
use windlass_local::grammar::{
    AnswerWish, CallSyntax, Constraint, CopySources, GrammarForm, GrammarPort, Grammars, JsonStyle,
    Vocabulary,
};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// As many tokens as Qwen's models have.
const TOKENS: usize = 151_000;

/// Answers that are drawn.
const ANSWERS: u64 = 300;

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    if !wanted.is_empty() && !wanted.iter().any(|filter| "grammar".contains(filter.as_str())) {
        return;
    }
    let vocabulary = vocabulary(TOKENS);
    let before = cpu_time();
    let grammars = Grammars::new(vocabulary.clone()).expect("a vocabulary");
    figure("grammar: a vocabulary of 151000 tokens, prepared", ms(cpu_time() - before), "ms CPU", "");
    let wish = wish();
    let compiled = best_of(5, || {
        let fresh = Grammars::new(vocabulary.clone()).expect("a vocabulary");
        let before = cpu_time();
        drop(fresh.constrain(&wish).expect("a grammar"));
        cpu_time() - before
    });
    figure("grammar: of 12 tools, compiled", ms(compiled), "ms CPU", "");
    drop(grammars.constrain(&wish).expect("a grammar"));
    let kept = best_of(20, || {
        let before = cpu_time();
        drop(grammars.constrain(&wish).expect("a grammar"));
        cpu_time() - before
    });
    figure("grammar: of 12 tools, kept", kept.as_secs_f64() * 1e6, "µs CPU", "");
    draw(&grammars, &vocabulary, &wish, "calls of 12 tools");
    let text =
        "Please read src/main.rs and \"docs/guide.md\", then add a task to update both of them by Friday. "
            .repeat(4);
    let copied = AnswerWish { sources: Some(CopySources { texts: vec![text.into()] }), ..wish };
    draw(&grammars, &vocabulary, &copied, "calls with copied strings");
}

/// Draws answers, and says what a token costs: its mask, what is forced, its acceptance.
fn draw(grammars: &Grammars, vocabulary: &Vocabulary, wish: &AnswerWish, name: &str) {
    let mut times = Vec::new();
    for seed in 0..ANSWERS {
        let mut constraint = grammars.constrain(wish).expect("a grammar");
        times.extend(answer(&mut *constraint, vocabulary, seed));
    }
    times.sort();
    let mean = times.iter().sum::<Duration>().as_secs_f64() * 1e6 / times.len() as f64;
    let late = times.get(times.len() * 99 / 100).copied().unwrap_or_default();
    figure(&format!("grammar: a token of {name}, mean of {}", times.len()), mean, "µs CPU", "under 100");
    figure(&format!("grammar: a token of {name}, p99"), late.as_secs_f64() * 1e6, "µs CPU", "");
}

fn answer(constraint: &mut dyn Constraint, vocabulary: &Vocabulary, seed: u64) -> Vec<Duration> {
    let quote = u32::from(b'"');
    let mut state = seed;
    let mut draw = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap_or_default() % below.max(1)
    };
    let mut times = Vec::new();
    while !constraint.is_done() && times.len() < 400 {
        let before = cpu_time();
        let forced = constraint.forced();
        for token in &forced {
            constraint.accept(*token).expect("a forced token");
        }
        if !forced.is_empty() {
            let each = (cpu_time() - before) / u32::try_from(forced.len()).unwrap_or(1);
            times.extend(forced.iter().map(|_| each));
            continue;
        }
        let mask = constraint.mask().expect("a mask").cloned().expect("a grammar's mask");
        let asked = cpu_time() - before;
        let allowed: Vec<u32> = mask.tokens().collect();
        // A model ends its strings after a few words.
        let ends_string = allowed.contains(&quote) && draw(100) < 25;
        let end = allowed.iter().find(|token| vocabulary.ends.contains(token)).filter(|_| draw(100) < 50);
        let token = match (end, ends_string) {
            (Some(end), _) => *end,
            (None, true) => quote,
            (None, false) => *allowed.get(draw(allowed.len())).expect("a token"),
        };
        let before = cpu_time();
        constraint.accept(token).expect("an allowed token");
        times.push(asked + (cpu_time() - before));
    }
    times
}

fn wish() -> AnswerWish {
    let tags = CallSyntax::Tags { begin: "<tool_call>".to_owned(), end: "</tool_call>".to_owned() };
    let text = json!({"type": "string"});
    let whole = json!({"type": "integer", "minimum": 1, "maximum": 100});
    let tools = vec![
        tool("read_file", json!({"path": text, "from_line": whole, "to_line": whole}), &["path"]),
        tool("write_file", json!({"path": text, "content": text}), &["path", "content"]),
        tool(
            "search_text",
            json!({"pattern": text, "paths": {"type": "array", "items": text, "maxItems": 5}}),
            &["pattern"],
        ),
        tool(
            "execute_command",
            json!({"command": text, "timeout_s": {"type": "number", "minimum": 0, "maximum": 600}}),
            &["command"],
        ),
        tool(
            "add_task",
            json!({"content": text, "priority": {"enum": ["low", "normal", "high"]}}),
            &["content"],
        ),
        tool(
            "update_task",
            json!({"task_id": {"type": "string", "pattern": "^task_[0-9]+$"}, "status": {"enum": ["pending", "in_progress", "completed"]}}),
            &["task_id", "status"],
        ),
        tool("list_tasks", json!({}), &[]),
        tool(
            "fetch_url",
            json!({"url": text, "headers": {"type": "object", "additionalProperties": text, "properties": {"accept": text}}}),
            &["url"],
        ),
        tool("web_search", json!({"query": text, "max_results": whole}), &["query"]),
        tool("get_current_time", json!({"timezone": text}), &[]),
        tool(
            "edit_file",
            json!({"path": text, "edits": {"type": "array", "minItems": 1, "items": {"type": "object", "properties": {"old": text, "new": text, "all": {"type": "boolean"}}, "required": ["old", "new"]}}}),
            &["path", "edits"],
        ),
        tool(
            "generate_image",
            json!({"prompt": text, "size": {"anyOf": [whole, {"type": "null"}]}}),
            &["prompt"],
        ),
    ];
    let form = GrammarForm::CallRequired;
    AnswerWish { form, calls_max: 3, ..AnswerWish::free(tags, JsonStyle::Spaced, tools) }
}

fn tool(name: &str, properties: Value, required: &[&str]) -> Arc<ToolSpec> {
    let mut spec = ToolSpec::new(name, "Does it");
    spec.schema = json!({"type": "object", "properties": properties, "required": required});
    Arc::new(spec)
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
