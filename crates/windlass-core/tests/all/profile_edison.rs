//! EDISON's loop, literally: text dialect, five steps, one correction, sources (requirements §0, A.1).

use serde_json::json;
use windlass_core::profile::Profile;
use windlass_core::protocol::command::MessageSend;
use windlass_core::protocol::event::{DurableEvent, Event, RunOutcome, StopReason, WarningCode};
use windlass_core::protocol::ids::CallId;
use windlass_core::protocol::message::{Message, Transcript};
use windlass_core::protocol::model::{Finish, ModelStep, StepPurpose};
use windlass_core::protocol::tool::{ErrorKind, ToolFailure, ToolOutcome, ToolOutput, ToolSpec};
use windlass_core::run::{Input, RunError};

use crate::sim::Sim;

fn specs() -> Vec<ToolSpec> {
    let schema = |properties, required: &[&str]| json!({"type": "object", "properties": properties, "required": required});
    vec![
        ToolSpec::new("web_search", "Searches the web").with_schema(schema(
            json!({"query": {"type": "string"}, "max_results": {"type": "integer", "default": 5}}),
            &["query"],
        )),
        ToolSpec::new("rag_search", "Searches passages").with_schema(schema(
            json!({"query": {"type": "string"}, "limit": {"type": "integer", "default": 3}, "global": {"type": "boolean", "default": false}}),
            &["query"],
        )),
        ToolSpec::new("generate_image", "Makes a picture").with_schema(schema(
            json!({"prompt": {"type": "string"}, "width": {"type": "integer", "default": 1024},
                "height": {"type": "integer", "default": 1024}, "steps": {"type": "integer", "default": 20},
                "guidance_scale": {"type": "number", "default": 3.5}}),
            &["prompt"],
        )),
        ToolSpec::new("system_stats", "Looks at the machine"),
    ]
}

fn edison() -> Sim {
    let mut sim = Sim::of(Profile::edison()).with_tools(specs());
    sim.start("What is new?");
    sim
}

fn search(query: &str) -> String {
    json!({"tool": "web_search", "args": {"query": query}}).to_string()
}

fn found(summary: &str) -> ToolOutcome {
    ToolOutcome::ok(ToolOutput::json(json!([summary])).with_summary(summary))
}

const INSTRUCTIONS: &str = "You can call structured tools before answering. Reply with either a final answer in plain text \
     (include citations like [source:web_search]) OR a JSON object exactly of the form {\"tool\":\"name\",\"args\":{...}} \
     with no extra text. Tools: generate_image(prompt:str,width:int,height:int,steps:int,guidance_scale:float), \
     rag_search(query:str,limit:int,global:bool), system_stats(), web_search(query:str,max_results:int).";

#[test]
fn e_31_e_34_each_step_has_instructions_message_context_and_all_summaries() {
    let mut sim = Sim::of(Profile::edison()).with_tools(specs());
    let mut send = MessageSend::text("run_1".into(), "message_1".into(), "What is new?");
    send.wishes.context = Some("It rains.".into());
    sim.send(send, Transcript::default(), 1);
    assert_eq!(&*sim.request().system, format!("Be good.\n\n{INSTRUCTIONS}"));
    let head = "User: What is new?\nContext: It rains.\n";
    let last = |step| format!("Step {step} of 5. Provide JSON to call a tool or final answer now.");
    assert_eq!(sim.prompt(), format!("{head}{}", last(1)));
    sim.say(&search("a"));
    sim.ended_with(1, found("Web search results: A"));
    assert_eq!(sim.prompt(), format!("{head}Tool 1 [web_search]: Web search results: A\n{}", last(2)));
    sim.say(r#"{"tool":"system_stats","args":{}}"#);
    sim.ended_with(2, found("System stats: cpu=3"));
    assert_eq!(
        sim.prompt(),
        format!(
            "{head}Tool 1 [web_search]: Web search results: A\nTool 2 [system_stats]: System stats: cpu=3\n{}",
            last(3)
        )
    );
    let request = sim.request();
    assert_eq!(Sim::roles(&request.messages), "user");
    assert!(request.tools.is_empty() && request.trailer.is_empty(), "everything is in the text");
}

#[test]
fn e_31_the_context_has_at_most_2000_characters() {
    let mut sim = Sim::of(Profile::edison()).with_tools(specs());
    let mut send = MessageSend::text("run_1".into(), "message_1".into(), "Hi");
    send.wishes.context = Some("é".repeat(2_000) + "X");
    sim.send(send, Transcript::default(), 1);
    let prompt = sim.prompt();
    let line = prompt.lines().nth(1).unwrap().strip_prefix("Context: ").unwrap();
    assert!(line.chars().count() <= 2_000 && line.starts_with("ééé") && !line.contains('X'));

    let mut sim = Sim::of(Profile::edison()).with_tools(specs());
    let mut send = MessageSend::text("run_1".into(), "message_1".into(), "Hi");
    send.wishes.context = Some("é".repeat(2_000));
    sim.send(send, Transcript::default(), 1);
    assert!(sim.prompt().contains(&format!("\nContext: {}\n", "é".repeat(2_000))), "2000 are whole");
}

#[test]
fn the_instructions_stand_alone_without_a_system_text() {
    let settings = windlass_core::run::RunSettings {
        profile: Profile::edison(),
        model: "m".into(),
        system: "".into(),
        context_tokens: None,
        form: None,
    };
    let mut sim = Sim::of(Profile::edison()).with_tools(specs());
    sim.run = windlass_core::run::Run::new(std::sync::Arc::new(settings));
    sim.start("Hi");
    assert_eq!(&*sim.request().system, INSTRUCTIONS);
}

#[test]
fn e_32_plain_text_ends_the_run_and_an_object_runs_a_tool() {
    let mut sim = edison();
    sim.say(&search("a"));
    assert_eq!(sim.running(), [1]);
    assert_eq!(sim.args[&CallId::numbered(1)], json!({"query": "a", "max_results": 5}));
    assert_eq!(sim.run.transcript()[1].text(), "", "the JSON is a call, not text");
    sim.ended_with(1, found("A"));
    sim.say("Nothing [source:web_search].");
    assert_eq!(sim.finished().outcome, RunOutcome::Completed);

    let mut sim = edison();
    sim.say("Nothing.");
    assert_eq!(
        (sim.answer(), sim.story().as_str()),
        ("Nothing.", "run-started step-started step-ended run-ended")
    );
}

#[test]
fn r_3_an_answer_that_shows_a_json_example_is_not_executed() {
    let answers = [
        "A call looks like this:\n```json\n{\"tool\":\"web_search\",\"args\":{\"query\":\"q\"}}\n```\nThat is all.",
        "Write {\"tool\":\"web_search\",\"args\":{\"query\":\"q\"}} to call it.",
        "{\"name\": \"web_search\", \"arguments\": {}}",
        "{}",
        "[{\"tool\":\"web_search\",\"args\":{\"query\":\"q\"}}]",
    ];
    for answer in answers {
        let mut sim = edison();
        sim.say(answer);
        assert_eq!(sim.answer(), answer);
        assert_eq!(sim.ran(), []);
    }
}

#[test]
fn r_4_braces_and_fences_inside_of_strings_do_not_break_a_call() {
    let query = "fn main() { println!(\"}\"); }\n```rust\nlet x = {};\n```";
    let payload = json!({"tool": "web_search", "args": {"query": query}});
    for text in [payload.to_string(), format!("  {payload:#}\n"), format!("```json\n{payload}\n```")] {
        let mut sim = edison();
        sim.say(&text);
        assert_eq!(
            sim.args.get(&CallId::numbered(1)),
            Some(&json!({"query": query, "max_results": 5})),
            "{text}"
        );
    }
}

#[test]
fn e_30_after_five_steps_there_is_one_answer_without_tools() {
    let mut sim = edison();
    for number in 1..=5 {
        assert_eq!(sim.request().purpose, StepPurpose::Work);
        sim.say(&search(&format!("q{number}")));
        sim.ended_with(number, found("A"));
    }
    assert_eq!(sim.request().purpose, StepPurpose::Finalise);
    assert_eq!(sim.warnings(), [(WarningCode::MaxSteps, "Reached the limit of 5 steps")]);
    let prompt = sim.prompt();
    assert!(prompt.ends_with(
        "Tool 5 [web_search]: A\nUse the gathered tool evidence to answer. Cite sources as [source:TOOLNAME]."
    ));
    assert!(!prompt.contains("Step "));
    sim.say("All of it.");
    assert_eq!(sim.answer(), "All of it.\n\nSources: web_search");
    assert_eq!(sim.finished().outcome, RunOutcome::LimitReached);
    let steps = sim.events.iter().filter(|event| {
        matches!(event, Event::Durable(DurableEvent::StepStarted { purpose: StepPurpose::Work, .. }))
    });
    assert_eq!(steps.count(), 5);
}

#[test]
fn a_call_in_the_last_word_is_refused_and_never_shown() {
    let mut sim = edison();
    for number in 1..=5 {
        sim.say(&search(&format!("q{number}")));
        sim.ended_with(number, found("A"));
    }
    sim.say(&search("one more"));
    assert_eq!(
        sim.answer(),
        "Stopped before an answer: the limit of 5 steps was reached. 5 of 6 calls worked; their outcomes are in the trace."
    );
    assert_eq!(sim.failure(6).0, ErrorKind::LimitExceeded);
}

#[test]
fn e_33_a_bad_call_is_corrected_exactly_once_then_the_run_ends_with_the_error() {
    let mut sim = edison();
    sim.say(r#"{"tool":"web_search","args":{"query":7}}"#);
    assert_eq!(sim.request().purpose, StepPurpose::Correction);
    sim.say(r#"{"tool":"web_search","args":{}}"#);
    assert_eq!(sim.requests.len(), 2);
    assert_eq!(sim.errors(), [("rejected", "Tool call rejected: Missing required arg 'query'.")]);
    let finished = sim.finished();
    assert_eq!(finished.answer, "Tool call rejected: Missing required arg 'query'.");
    assert_eq!((finished.outcome, &finished.reason), (RunOutcome::Failed, &StopReason::CorrectionFailed));
    assert_eq!(finished.error, Some(RunError::Rejected("Missing required arg 'query'".into())));
    assert_eq!(
        sim.story(),
        "run-started step-started step-ended call-requested call-ended step-started step-ended call-requested \
         call-ended error-raised run-ended"
    );
}

#[test]
fn r_2_a_correction_has_the_whole_prompt_with_schema_and_error() {
    let mut sim = edison();
    sim.say(&search("a"));
    sim.ended_with(1, found("Web search results: A"));
    sim.say(r#"{"tool":"web_search","args":{"query":7}}"#);
    assert_eq!(&*sim.request().system, format!("Be good.\n\n{INSTRUCTIONS}"));
    assert_eq!(
        sim.prompt(),
        "User: What is new?\nTool 1 [web_search]: Web search results: A\n\
         Step 2 of 5. Provide JSON to call a tool or final answer now.\n\
         Previous tool JSON was invalid (query must be string). Return ONLY valid JSON with keys tool and args conforming to schema."
    );
}

#[test]
fn e_33_each_bad_call_has_its_own_correction_and_none_is_a_step() {
    let mut sim = edison();
    for number in [2, 4, 6] {
        sim.say(r#"{"tool":"nope","args":{}}"#);
        assert_eq!(sim.request().purpose, StepPurpose::Correction);
        sim.say(&search(&format!("q{number}")));
        sim.ended_with(number, found("A"));
    }
    assert!(sim.prompt().ends_with("Step 4 of 5. Provide JSON to call a tool or final answer now."));
    assert_eq!(sim.prompt().matches("Tool ").count(), 3, "bad calls are no part of the history");
}

#[test]
fn e_33_json_with_a_syntax_error_is_corrected_too_and_never_reaches_the_user() {
    for text in [
        "{\"tool\": \"web_search\", \"args\": {",
        "{\"tool\":\"web_search\",\"args\":{\"query\":\"q\"}} I hope this helps",
    ] {
        let mut sim = edison();
        sim.say(text);
        assert_eq!(sim.request().purpose, StepPurpose::Correction, "{text}");
        assert!(sim.prompt().contains("Previous tool JSON was invalid (Invalid JSON: "), "{}", sim.prompt());
        assert_eq!(sim.ran(), []);
    }
}

#[test]
fn e_8_e_9_e_10_e_11_payloads_are_refused_in_the_documented_words() {
    let cases = [
        (r#"{"tool":"web_search"}"#, "Payload must contain exactly 'tool' and 'args' keys", "web_search"),
        (r#"{"args":{}}"#, "Payload must contain exactly 'tool' and 'args' keys", ""),
        (
            r#"{"tool":"web_search","args":{},"why":"x"}"#,
            "Payload must contain exactly 'tool' and 'args' keys",
            "web_search",
        ),
        (r#"{"tool":7,"args":{}}"#, "'tool' must be a string", ""),
        (r#"{"tool":"nope","args":{}}"#, "Unknown tool 'nope'", "nope"),
        (r#"{"tool":"web_search","args":[]}"#, "'args' must be an object", "web_search"),
        (r#"{"tool":"web_search","args":{}}"#, "Missing required arg 'query'", "web_search"),
        (
            r#"{"tool":"web_search","args":{"query":"q","max_results":"5"}}"#,
            "max_results must be int",
            "web_search",
        ),
        (r#"{"tool":"rag_search","args":{"query":"q","global":1}}"#, "global must be bool", "rag_search"),
        (
            r#"{"tool":"generate_image","args":{"prompt":"p","guidance_scale":true}}"#,
            "guidance_scale must be float",
            "generate_image",
        ),
    ];
    for (text, message, name) in cases {
        let mut sim = edison();
        sim.say(text);
        assert_eq!(sim.failure(1).1, message, "{text}");
        let Event::Durable(DurableEvent::CallRequested { call, .. }) = &sim.events[3] else {
            panic!("no call")
        };
        assert_eq!(call.name, name, "{text}");
    }
}

#[test]
fn e_16_arguments_are_lenient_where_the_top_level_is_strict() {
    let mut sim = edison();
    sim.say(r#"{"tool":"web_search","args":{"query":"q","x":1}}"#);
    assert_eq!(sim.args[&CallId::numbered(1)], json!({"query": "q", "max_results": 5}));
}

#[test]
fn e_35_r_6_the_answer_names_its_sources_once_each_in_order() {
    let mut sim = edison();
    sim.say(&search("a"));
    sim.ended_with(1, found("A"));
    sim.say(r#"{"tool":"system_stats","args":{}}"#);
    sim.ended_with(2, found("B"));
    sim.say(&search("c"));
    sim.ended_with(3, found("C"));
    sim.say("Done.");
    assert_eq!(sim.answer(), "Done.\n\nSources: web_search, system_stats");
    // What the user reads is what the transcript keeps.
    assert_eq!(sim.finished().transcript.last().unwrap().text(), sim.answer());
    assert!(sim.story().ends_with("step-started text-delta step-ended run-ended"));
    assert!(sim.requests[0].system.contains("include citations like [source:web_search]"));
}

#[test]
fn e_35_a_run_without_calls_has_no_sources_and_written_ones_are_not_repeated() {
    let mut sim = edison();
    sim.say("Done.");
    assert_eq!(sim.answer(), "Done.");
    // A call that never ran is no source.
    let mut sim = edison();
    sim.say(r#"{"tool":"nope","args":{}}"#);
    sim.say("Done.");
    assert_eq!(sim.answer(), "Done.");

    let mut sim = edison();
    sim.say(&search("a"));
    sim.ended_with(1, found("A"));
    sim.say("Done.\n\nSources: web_search");
    assert_eq!(sim.answer(), "Done.\n\nSources: web_search");
}

#[test]
fn e_35_the_sources_come_after_a_continued_answer() {
    let mut sim = edison();
    sim.say(&search("a"));
    sim.ended_with(1, found("A"));
    sim.input(Input::ModelEnded(ModelStep { finish: Finish::Length, ..ModelStep::text("Half") }));
    assert!(
        sim.prompt()
            .ends_with("Assistant: Half\nContinue from where you left off. Do not repeat prior text.")
    );
    sim.say(" done.");
    assert_eq!(sim.answer(), "Half done.\n\nSources: web_search");
}

#[test]
fn e_38_each_call_leaves_tool_arguments_result_and_summary() {
    let mut sim = edison();
    sim.say(&search("a"));
    let result = json!([{"title": "T", "url": "u", "snippet": "s"}]);
    sim.ended_with(
        1,
        ToolOutcome::ok(ToolOutput::json(result.clone()).with_summary("Web search results: T u s")),
    );
    let Event::Durable(DurableEvent::CallRequested { call, .. }) = &sim.events[3] else { panic!("no call") };
    assert_eq!((call.name.as_str(), call.arguments.as_str()), ("web_search", r#"{"query":"a"}"#));
    let Event::Durable(DurableEvent::CallEnded { name, outcome, message, .. }) = &sim.events[5] else {
        panic!("no outcome")
    };
    assert_eq!((name.as_str(), &outcome.output().unwrap().json), ("web_search", &result));
    assert_eq!(message.text(), "Web search results: T u s");
    let trace = windlass_core::protocol::trace::RunTrace::fold(&sim.records());
    assert_eq!(
        (trace.tools[0].name.as_str(), &trace.tools[0].parameters),
        ("web_search", &json!({"query": "a"}))
    );
    assert_eq!(trace.tools[0].output_raw, result);
}

#[test]
fn e_19_a_call_may_take_twelve_seconds() {
    let mut sim = edison();
    sim.say(&search("a"));
    assert_eq!(sim.ran(), [("call_1", 12_000)]);
}

#[test]
fn e_44_a_failed_tool_is_summarised_and_the_model_goes_on() {
    let mut sim = edison();
    sim.say(&search("a"));
    sim.failed(1, ToolFailure::new(ErrorKind::Timeout, "timed out after 12s"));
    assert!(
        sim.prompt().contains("\nTool 1 [web_search]: web_search failed: timed out after 12s\nStep 2 of 5.")
    );
    sim.say(&search("b"));
    // A tool that finds its arguments wrong while it runs has failed like any other.
    sim.failed(2, ToolFailure::invalid_args("the query is too vague"));
    assert_eq!(sim.request().purpose, StepPurpose::Work);
    assert!(
        sim.prompt()
            .contains("\nTool 2 [web_search]: web_search failed: the query is too vague\nStep 3 of 5.")
    );
    sim.say("The search is down.");
    assert_eq!(sim.finished().outcome, RunOutcome::Completed);
}

#[test]
fn e_43_what_is_not_safe_is_shut_out() {
    // Unknown tools are refused, types are strict, unknown arguments are taken out.
    let mut sim = edison();
    sim.say(r#"{"tool":"rm","args":{}}"#);
    assert_eq!((sim.failure(1).0, sim.ran().len()), (ErrorKind::UnknownTool, 0));
    // One correction; what is still wrong ends the run.
    sim.say(r#"{"tool":"web_search","args":{"query":["x"]}}"#);
    assert_eq!(sim.finished().error, Some(RunError::Rejected("query must be string".into())));
    let mut sim = edison();
    sim.say(r#"{"tool":"web_search","args":{"query":"q","__proto__":{},"cmd":"rm"}}"#);
    // The time is limited, and the arguments are only those the tool knows.
    assert_eq!(sim.ran(), [("call_1", 12_000)]);
    assert_eq!(sim.args[&CallId::numbered(1)], json!({"query": "q", "max_results": 5}));
    // Cancelling takes effect at once.
    sim.cancel("");
    assert_eq!((sim.answer(), sim.finished().outcome), ("Generation cancelled", RunOutcome::Cancelled));
}

#[test]
fn one_call_a_step_even_from_a_model_that_calls_natively() {
    let mut sim = edison();
    sim.want(vec![
        crate::sim::call("web_search", json!({"query": "a"})),
        crate::sim::call("web_search", json!({"query": "b"})),
    ]);
    assert_eq!(sim.running(), [1]);
    assert_eq!(
        sim.failure(2),
        (ErrorKind::LimitExceeded, "At most 1 calls run in one step; this one did not")
    );
}

#[test]
fn earlier_runs_of_the_session_are_part_of_the_text() {
    let mut first = edison();
    first.say(&search("a"));
    first.ended_with(1, found("A"));
    first.say("Rain.");
    let history = first.finished().clone();
    let mut sim = Sim::of(Profile::edison()).with_tools(specs());
    sim.start_from("And tomorrow?", history.transcript, history.next_call_number);
    assert_eq!(
        sim.prompt(),
        "User: What is new?\nTool 1 [web_search]: A\nAssistant: Rain.\n\nSources: web_search\nUser: And tomorrow?\n\
         Step 1 of 5. Provide JSON to call a tool or final answer now."
    );
    assert!(matches!(sim.run.transcript().last().unwrap().as_ref(), Message::User { .. }));
}
