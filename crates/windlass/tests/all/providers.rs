//! Runs over real wires: what a reader of events, a tool and a provider see of the same run, whoever the
//! provider is.

use std::sync::Arc;

use async_trait::async_trait;
use futures::StreamExt;
use serde_json::{Map, Value, json};
use tokio::sync::watch;
use windlass::core::ports::{BoxStream, ToolPort};
use windlass::core::protocol::event::{Record, WarningCode};
use windlass::models::WireKind;
use windlass::prelude::*;
use windlass_testkit::provider::{ProviderServer, VendorFault, VendorScript, VendorTool as Called};

/// Adds.
#[tool]
async fn calculate(expression: String) -> Result<String, ToolError> {
    Ok(format!("sum of {expression}"))
}

/// A provider of the catalogue that speaks a wire.
fn provider(wire: WireKind) -> &'static str {
    match wire {
        WireKind::Chat => "openrouter",
        WireKind::Responses => "openai",
        WireKind::Messages => "anthropic",
        WireKind::Gemini => "gemini",
        WireKind::Ollama => "ollama",
    }
}

fn source(server: &ProviderServer, wire: WireKind, script: &VendorScript) -> ModelSource {
    source_of(server, provider(wire), script)
}

fn source_of(server: &ProviderServer, provider: &str, script: &VendorScript) -> ModelSource {
    let source = ModelSource::new(&format!("{provider}/{script}")).unwrap();
    source.key("sk-test-0123456789").base_url(server.base_url(provider))
}

fn agent(server: &ProviderServer, wire: WireKind, script: &VendorScript) -> Builder {
    Windlass::builder().model_source(source(server, wire, script)).unwrap()
}

/// A part that adds.
fn sums(steps: usize, parallel: usize) -> VendorScript {
    VendorScript { steps, parallel, tool: Called::Sum, ..VendorScript::default() }
}

/// The records of a session up to the end of its run.
async fn records(mut events: BoxStream<'static, Arc<Record>>) -> Vec<Arc<Record>> {
    let mut records: Vec<Arc<Record>> = Vec::new();
    while let Some(record) = events.next().await {
        let is_end = matches!(record.event, Event::Durable(DurableEvent::RunEnded { .. }));
        records.push(record);
        if is_end {
            break;
        }
    }
    records
}

#[tokio::test]
async fn p_27_events_are_cloneable_and_two_subscribers_see_equal_records() {
    for wire in WireKind::ALL {
        let server = ProviderServer::start().unwrap();
        let script = VendorScript { thinks: true, speaks_first: true, ..sums(2, 2) };
        let agent = agent(&server, wire, &script).tool(calculate).build().unwrap();
        let here = tokio::spawn(records(agent.own_session().events(0).await.unwrap()));
        let there = tokio::spawn(records(agent.own_session().events(0).await.unwrap()));
        agent.run("Go.").await.unwrap();
        let (here, there) = (here.await.unwrap(), there.await.unwrap());
        assert!(here.len() > 20 && here == there, "{}", wire.word());
        assert!(here.is_sorted_by(|one, next| one.seq < next.seq));
        // A copy is as good as the original, also after it went through a wire.
        let copies: Vec<Record> = here.iter().map(|record| record.as_ref().clone()).collect();
        let told: Vec<Record> = serde_json::from_str(&serde_json::to_string(&copies).unwrap()).unwrap();
        assert_eq!(told, copies);
    }
}

/// Adds, each call only after the one behind it has ended; one of them fails.
struct Relay {
    spec: ToolSpec,
    /// The call that may end next.
    next: watch::Sender<usize>,
    failing: usize,
}

impl Relay {
    fn new(last: usize, failing: usize) -> Self {
        let schema = json!({"type": "object", "required": ["expression"],
            "properties": {"expression": {"type": "string"}}});
        let spec = ToolSpec::new("calculate", "Adds.").with_schema(schema);
        Self { spec, next: watch::channel(last).0, failing }
    }
}

#[async_trait]
impl ToolPort for Relay {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn run(
        &self,
        args: &Map<String, Value>,
        _context: &ToolContext,
    ) -> Result<ToolOutput, ToolFailure> {
        let expression = args["expression"].as_str().unwrap_or_default();
        let place: usize = expression.split(" + ").nth(1).unwrap().parse().unwrap();
        self.next.subscribe().wait_for(|next| *next == place).await.unwrap();
        self.next.send_replace(place.wrapping_sub(1));
        if place == self.failing {
            return Err(ToolFailure::from(format!("no sum {place}")));
        }
        Ok(ToolOutput::text(format!("sum {place}")))
    }
}

#[tokio::test]
async fn p_27_parallel_calls_that_end_in_reverse_are_all_awaited_and_delivered_in_call_order() {
    for wire in WireKind::ALL {
        let server = ProviderServer::start().unwrap();
        let script = sums(1, 3);
        let agent = agent(&server, wire, &script).tool(Relay::new(2, 1)).build().unwrap();
        let events = tokio::spawn(records(agent.own_session().events(0).await.unwrap()));
        let answer = agent.run("Go.").await.unwrap();
        assert_eq!(answer.text.trim(), script.answer(), "{}", wire.word());
        let ended: Vec<String> = events.await.unwrap().iter().filter_map(|one| told(&one.event)).collect();
        assert_eq!(ended.len(), 3, "{ended:?}");
        let body = String::from_utf8(server.ledger().requests[1].body.clone()).unwrap();
        let places = ["sum 0", "no sum 1", "sum 2"].map(|word| body.find(word));
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{}: {body}", wire.word());
        assert!(server.ledger().refusals().is_empty(), "{:?}", server.ledger().refusals());
    }
}

/// What a model is told of a call.
fn told(event: &Event) -> Option<String> {
    match event {
        Event::Durable(DurableEvent::CallEnded { message, .. }) => Some(message.text()),
        _ => None,
    }
}

/// Says far too much.
#[tool(name = "calculate")]
async fn babble(expression: String) -> Result<String, ToolError> {
    Ok(expression.repeat(500_000))
}

#[tokio::test]
async fn p_27_a_huge_outcome_is_cut_to_the_budget_of_the_model_and_has_a_handle() {
    for (wire, context_tokens) in WireKind::ALL.into_iter().flat_map(|wire| [(wire, 200_000), (wire, 8_000)])
    {
        let server = ProviderServer::start().unwrap();
        let script = sums(2, 1);
        let source = source(&server, wire, &script)
            .change(|overrides| overrides.abilities.context_tokens = Some(context_tokens));
        let agent = Windlass::builder().model_source(source).unwrap().tool(babble).build().unwrap();
        let events = tokio::spawn(records(agent.own_session().events(0).await.unwrap()));
        let answer = agent.run("Go.").await.unwrap();
        assert_eq!(answer.text.trim(), script.answer(), "{}", wire.word());
        let call_id = &answer.trace.tools[0].id;
        let told: Vec<String> = events.await.unwrap().iter().filter_map(|one| told(&one.event)).collect();
        let limit = Profile::default().limits.result_chars_max;
        for text in &told {
            assert!(text.chars().count() < limit + 1_000 && text.contains("read_result"), "{text}");
        }
        assert!(told[0].contains(call_id.as_str()), "the handle is the call");
        // A token is about four bytes of such text.
        let longest = server.ledger().requests.iter().map(|request| request.body.len()).max().unwrap() as u64;
        assert!(longest < context_tokens * 4, "{}: {longest} bytes for {context_tokens}", wire.word());
        assert!(server.ledger().refusals().is_empty(), "{:?}", server.ledger().refusals());
    }
}

#[tokio::test]
async fn p_27_the_same_conversation_gives_the_same_events_on_all_wires() {
    let script = VendorScript { thinks: true, speaks_first: true, ..sums(2, 1) };
    let mut seen = Vec::new();
    for wire in WireKind::ALL {
        let server = ProviderServer::start().unwrap();
        let agent = agent(&server, wire, &script).tool(calculate).build().unwrap();
        let mut events: Vec<Event> = Vec::new();
        for question in ["Go.", "And now?"] {
            events.extend(agent.stream(question).collect::<Vec<_>>().await);
        }
        assert!(server.ledger().refusals().is_empty(), "{:?}", server.ledger().refusals());
        seen.push((wire, essence(&events)));
    }
    let (_, first) = &seen[0];
    assert!(first.len() > 20, "{first:#?}");
    for (wire, events) in &seen[1..] {
        assert_eq!(events, first, "{}", wire.word());
    }
}

/// Events without ids, times, counts and state of providers; pieces of one text are one.
fn essence(events: &[Event]) -> Vec<Value> {
    let mut told: Vec<Value> = Vec::new();
    for event in events {
        // How often a call grew and what was said of the request is the provider's own.
        if matches!(
            event,
            Event::Delta(DeltaEvent::CallDelta { .. }) | Event::Durable(DurableEvent::RequestAdjusted { .. })
        ) {
            continue;
        }
        let mut value = serde_json::to_value(event).unwrap();
        strip(&mut value);
        let is_piece = matches!(
            event,
            Event::Delta(DeltaEvent::TextDelta { .. }) | Event::Delta(DeltaEvent::ReasoningDelta { .. })
        );
        match told.last_mut() {
            Some(last) if is_piece && last["type"] == value["type"] => {
                last["text"] =
                    json!(format!("{}{}", last["text"].as_str().unwrap(), value["text"].as_str().unwrap()));
            }
            _ => told.push(value),
        }
    }
    told
}

const OWN: [&str; 12] = [
    "id",
    "vendor",
    "context_tokens",
    "call_id",
    "provider_id",
    "model",
    "opaque",
    "state",
    "usage",
    "meta",
    "started_ms",
    "duration_ms",
];

fn strip(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| !OWN.contains(&name.as_str()));
            fields.values_mut().for_each(strip);
        }
        Value::Array(items) => {
            items.iter_mut().for_each(strip);
            // State without words is a part of its own on some wires.
            items.retain(|item| !(item["type"] == "reasoning" && item["text"] == ""));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[tokio::test]
async fn s_3_a_final_step_is_told_to_call_nothing_and_what_it_calls_all_the_same_does_not_run() {
    for wire in WireKind::ALL {
        let server = ProviderServer::start().unwrap();
        let script = VendorScript { speaks_first: true, fault: Some(VendorFault::Disobeys), ..sums(9, 1) };
        let mut profile = Profile::default();
        profile.limits.steps_max = 2;
        let agent = agent(&server, wire, &script).profile(profile).tool(calculate).build().unwrap();
        let answer = agent.run("Go.").await.unwrap();
        assert_eq!((answer.outcome, answer.reason), (RunOutcome::LimitReached, StopReason::StepsMax));
        assert!(answer.text.starts_with(VendorScript::PREAMBLE), "{}", answer.text);
        let ran = answer.trace.tools.iter().filter(|call| call.error.is_none()).count();
        assert_eq!((answer.trace.tools.len(), ran), (3, 2), "{}: {:?}", wire.word(), answer.trace.tools);
        assert!(
            answer.trace.warnings.iter().any(|warning| warning.code == WarningCode::FinalizeRefusedCall),
            "{:?}",
            answer.trace.warnings
        );
        let bodies = server.ledger().bodies();
        assert_eq!(bodies.len(), 3);
        assert!(bodies[..2].iter().all(|body| !is_barred(wire, body)), "{}", wire.word());
        assert!(is_barred(wire, &bodies[2]), "{}: {}", wire.word(), bodies[2]);
        // What was refused has its outcome: the conversation can go on.
        agent.run("And now?").await.unwrap();
        assert!(server.ledger().refusals().is_empty(), "{:?}", server.ledger().refusals());
    }
}

#[tokio::test]
async fn s_3_providers_with_manners_of_their_own_have_nothing_to_refuse_up_to_the_final_step() {
    for provider in ["xai", "mistral", "deepseek", "openai-chat"] {
        let server = ProviderServer::start().unwrap();
        let script = VendorScript { thinks: true, fault: Some(VendorFault::Disobeys), ..sums(9, 2) };
        let mut profile = Profile::default();
        profile.limits.steps_max = 2;
        let builder = Windlass::builder().model_source(source_of(&server, provider, &script)).unwrap();
        let agent = builder.profile(profile).tool(calculate).build().unwrap();
        for question in ["Go.", "And now?"] {
            let answer = agent.run(question).await.unwrap();
            let ran = answer.trace.tools.iter().filter(|call| call.error.is_none()).count();
            assert_eq!((answer.trace.tools.len(), ran), (6, 4), "{provider}");
        }
        assert_eq!(server.ledger().requests.len(), 6);
        assert!(server.ledger().refusals().is_empty(), "{provider}: {:?}", server.ledger().refusals());
    }
}

/// Whether a request says, in its provider's words, that nothing may be called.
fn is_barred(wire: WireKind, body: &Value) -> bool {
    let word = |pointer: &str| body.pointer(pointer).and_then(Value::as_str);
    let has_tools = body.get("tools").is_some();
    match wire {
        WireKind::Chat | WireKind::Responses => has_tools && word("/tool_choice") == Some("none"),
        WireKind::Messages => has_tools && word("/tool_choice/type") == Some("none"),
        WireKind::Gemini => has_tools && word("/toolConfig/functionCallingConfig/mode") == Some("NONE"),
        // It has no such word: what is not shown cannot be called.
        WireKind::Ollama => !has_tools,
    }
}

#[tokio::test]
async fn s_35_reasoning_after_tools_streams_before_its_step_has_ended() {
    for wire in WireKind::ALL {
        let server = ProviderServer::start().unwrap();
        // The first step is shorter than what is held back; the second stops in the middle of its answer.
        let script = VendorScript { thinks: true, words: 60, hold_after: 30, ..sums(1, 1) };
        let agent = agent(&server, wire, &script).tool(calculate).build().unwrap();
        let mut stream = agent.stream("Go.");
        let mut before = Vec::new();
        loop {
            let event = stream.next().await.unwrap();
            let is_second = matches!(event, Event::Delta(DeltaEvent::ReasoningDelta { phase: 1, .. }));
            before.push(event);
            if is_second {
                break;
            }
        }
        let ended = |events: &[Event]| {
            events.iter().filter(|one| matches!(one, Event::Durable(DurableEvent::StepEnded { .. }))).count()
        };
        assert_eq!(ended(&before), 1, "{}", wire.word());
        server.release();
        let after: Vec<Event> = stream.collect().await;
        assert_eq!(ended(&after), 1);
        let thoughts = |phase: u32| -> String {
            let pieces = before.iter().chain(&after).filter_map(|event| match event {
                Event::Delta(DeltaEvent::ReasoningDelta { phase: own, text }) if *own == phase => {
                    Some(text.as_str())
                }
                _ => None,
            });
            pieces.collect()
        };
        assert!(thoughts(0).starts_with("Step 0:") && thoughts(1).starts_with("Step 1:"), "{}", wire.word());
        assert!(thoughts(2).is_empty());
    }
}

#[tokio::test]
async fn r_54_ids_are_unique_across_steps_also_when_the_provider_repeats_its_own() {
    for wire in WireKind::ALL {
        let server = ProviderServer::start().unwrap();
        let script = VendorScript { fault: Some(VendorFault::DuplicateId), ..sums(2, 2) };
        let agent = agent(&server, wire, &script).tool(calculate).build().unwrap();
        let events: Vec<Event> = agent.stream("Go.").collect().await;
        let mut ids: Vec<String> = Vec::new();
        let mut outcomes = 0;
        for event in &events {
            match event {
                Event::Durable(DurableEvent::CallRequested { call, .. }) => ids.push(call.id.to_string()),
                Event::Durable(DurableEvent::CallEnded { outcome, .. }) => {
                    outcomes += usize::from(outcome.is_ok())
                }
                _ => {}
            }
        }
        assert_eq!((ids.len(), outcomes), (4, 4), "{}: {ids:?}", wire.word());
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), 4, "{}: {ids:?}", wire.word());
        // The provider refuses a request in which two calls have the same id.
        assert!(server.ledger().refusals().is_empty(), "{:?}", server.ledger().refusals());
        assert_eq!(server.ledger().requests.len(), 3);
    }
}
