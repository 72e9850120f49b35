use windlass_core::permission::{ApproveMode, Decision, PermissionAnswer};
use windlass_core::protocol::event::{RunOutcome, StopReason, WarningCode};
use windlass_core::protocol::model::{Finish, ModelFailure, StepPurpose, ToolChoice, Usage};
use windlass_core::protocol::tool::{ErrorKind, OutcomeStatus};

use super::*;
use crate::script::{
    ArgsForm, CallEnding, CallExpectation, CallLine, JsonText, ProviderId, RequestExpectation, TextChunking,
};

fn parse(text: &str) -> Script {
    Script::parse("t.script", text).unwrap()
}

/// The happenings after `user Hi` and two calls.
fn after_calls(text: &str) -> Vec<ScriptHappening> {
    let script = parse(&format!("user Hi\nmodel call 1 a\nmodel call 2 b\n{text}"));
    script.lines.into_iter().skip(3).map(|line| line.happening).collect()
}

fn one(text: &str) -> ScriptHappening {
    after_calls(text).into_iter().next().unwrap()
}

fn model(text: &str) -> ModelLine {
    match one(&format!("model {text}")) {
        ScriptHappening::Model(line) => line,
        other => panic!("{other:?}"),
    }
}

fn error(text: &str) -> ScriptParseError {
    Script::parse("t.script", text).unwrap_err()
}

/// Asserts place, message, expectation and suggestion of an error.
fn assert_error(text: &str, place: (u32, u32), message: &str, expected: &str, suggestion: Option<&str>) {
    let error = error(text);
    assert_eq!((error.line, error.column), place, "{text}: {error}");
    assert!(error.message.contains(message), "{text}: {error}");
    assert!(error.expected.contains(expected), "{text}: {error}");
    assert_eq!(error.suggestion.as_deref(), suggestion, "{text}: {error}");
}

/// Asserts an error in the line after `user Hi` and two calls.
fn assert_body_error(line: &str, column: u32, message: &str, expected: &str, suggestion: Option<&str>) {
    let text = format!("user Hi\nmodel call 1 a\nmodel call 2 b\n{line}");
    assert_error(&text, (4, column), message, expected, suggestion);
}

#[test]
fn every_header_line_is_read() {
    let script = parse(
        "# what for\n\n  title  A tour  \nprofile zodo\nroot a b\napprove all\nmax-steps 3\nlimit calls_per_step_max 2\n\
         limit x 0\nallow read_file(a/**)\nallow b\ndeny c\ntools-allowed false\nchunk 5\ninterleave true\nuser Hi",
    );
    assert_eq!(
        script.header,
        ScriptHeader {
            title: Some("A tour".into()),
            profile: Some("zodo".into()),
            root: Some("a b".into()),
            approve: Some(ApproveMode::All),
            steps_max: Some(3),
            limits: vec![("calls_per_step_max".into(), 2), ("x".into(), 0)],
            allow: vec!["read_file(a/**)".into(), "b".into()],
            deny: vec!["c".into()],
            tools_allowed: Some(false),
            chunk: TextChunking::Chars(5),
            interleave: true,
        }
    );
    assert_eq!(script.lines, [ScriptLine { number: 16, happening: ScriptHappening::User("Hi".into()) }]);
    assert_eq!(parse("chunk all\nuser Hi").header.chunk, TextChunking::All);
    assert_eq!(parse("chunk words\nuser Hi").header.chunk, TextChunking::Words);
    assert_eq!(parse("user Hi").header, ScriptHeader::default());
}

#[test]
fn every_model_line_is_read() {
    assert_eq!(model("text a  # no comment"), ModelLine::Text("a  # no comment".into()));
    assert_eq!(model("reasoning b"), ModelLine::Reasoning("b".into()));
    let state = JsonText::parse("{\"s\": 1}").unwrap();
    assert_eq!(model("reasoning-state {\"s\": 1}"), ModelLine::ReasoningState(state));
    assert_eq!(model("delay 200ms"), ModelLine::Delay { delay_ms: 200 });
    assert_eq!(model("delay 2s"), ModelLine::Delay { delay_ms: 2_000 });
    let usage = Usage { input: 1, output: 2, cached: 3, reasoning: 4, cost_usd: Some(0.5) };
    assert_eq!(model("usage input=1 output=2 cached=3 reasoning=4 cost_usd=0.5"), ModelLine::Usage(usage));
    assert_eq!(model("end"), ModelLine::End(Finish::Stop));
    assert_eq!(model("end calls"), ModelLine::End(Finish::Calls));
    assert_eq!(model("end length"), ModelLine::End(Finish::Length));
    assert_eq!(model("end filtered"), ModelLine::End(Finish::Filtered));
    assert_eq!(model("end other:tired"), ModelLine::End(Finish::Other("tired".into())));
    assert_eq!(model("cut"), ModelLine::Cut);
    assert_eq!(model("hang"), ModelLine::Hang);
    let failure = ModelFailure::passing("overloaded", "Try later");
    assert_eq!(model("fail overloaded Try later"), ModelLine::Fail(failure.clone()));
    let waiting = ModelFailure { retry_after_ms: Some(2_000), ..failure };
    assert_eq!(model("fail overloaded after=2s Try later"), ModelLine::Fail(waiting));
    assert_eq!(model("fail! auth No key"), ModelLine::Fail(ModelFailure::fatal("auth", "No key")));
}

#[test]
fn every_form_of_call_is_read() {
    let call = |id, form, args: &str| {
        ModelLine::Call(CallLine { number: 3, id, name: "read_file".into(), form, args: args.into() })
    };
    let numbered = ProviderId::Numbered;
    assert_eq!(model("call 3 read_file {\"a\": 1}"), call(numbered.clone(), ArgsForm::Text, "{\"a\": 1}"));
    assert_eq!(model("call 3 read_file"), call(numbered.clone(), ArgsForm::Text, ""));
    let given = ProviderId::Given("x".into());
    assert_eq!(model("call 3 id=x read_file {}"), call(given, ArgsForm::Text, "{}"));
    assert_eq!(model("call 3 id=- read_file {}"), call(ProviderId::Absent, ArgsForm::Text, "{}"));
    assert_eq!(
        model("raw-call 3 read_file {\"a\": bro"),
        call(numbered.clone(), ArgsForm::Raw, "{\"a\": bro")
    );
    assert_eq!(model("raw-call 3 read_file"), call(numbered.clone(), ArgsForm::Raw, ""));
    assert_eq!(model("value-call 3 read_file {}"), call(numbered, ArgsForm::Value, "{}"));
}

#[test]
fn every_other_happening_is_read() {
    let answer = |decision, rule: Option<&str>, confirmation: Option<&str>| ScriptHappening::Answer {
        call: 2,
        answer: PermissionAnswer {
            rule: rule.map(str::to_owned),
            confirmation: confirmation.map(str::to_owned),
            ..PermissionAnswer::new(decision)
        },
    };
    assert_eq!(one("approve 2"), answer(Decision::Once, None, None));
    assert_eq!(one("approve 2 once"), answer(Decision::Once, None, None));
    assert_eq!(one("approve 2 session"), answer(Decision::Session, None, None));
    assert_eq!(one("approve 2 session b"), answer(Decision::Session, Some("b"), None));
    assert_eq!(one("approve 2 remember"), answer(Decision::Remember, None, None));
    assert_eq!(one("approve 2 remember b(x y)"), answer(Decision::Remember, Some("b(x y)"), None));
    assert_eq!(one("approve 2 confirm=yes once"), answer(Decision::Once, None, Some("yes")));
    assert_eq!(one("deny 2"), answer(Decision::Deny, None, None));
    let words = PermissionAnswer { message: Some("use b".into()), ..PermissionAnswer::new(Decision::Deny) };
    assert_eq!(one("deny 2 use b"), ScriptHappening::Answer { call: 2, answer: words });
    let tool = |ending| ScriptHappening::Tool { call: 1, ending };
    assert_eq!(one("tool 1 ok [1, 2]"), tool(CallEnding::Ok(JsonText::parse("[1, 2]").unwrap())));
    assert_eq!(one("tool 1 text a b"), tool(CallEnding::Text("a b".into())));
    assert_eq!(one("tool 1 fill 100"), tool(CallEnding::Fill { chars: 100 }));
    let fail = CallEnding::Fail { kind: ErrorKind::NotFound, message: "File not found: x".into() };
    assert_eq!(one("tool 1 fail not_found File not found: x"), tool(fail));
    assert_eq!(one("tool 1 timeout"), tool(CallEnding::Timeout));
    assert_eq!(one("tool 1 hang"), tool(CallEnding::Hang));
    assert_eq!(one("cancel"), ScriptHappening::Cancel);
    assert_eq!(one("deadline"), ScriptHappening::Deadline);
}

#[test]
fn every_expectation_is_read() {
    let expect = |expectation| ScriptHappening::Expect(expectation);
    let named = |name, times| EventPattern::Named { name, times };
    assert_eq!(
        one("expect run-started ... call-requested*16 …"),
        expect(Expectation::Events(vec![
            named("run-started", 1),
            EventPattern::Any,
            named("call-requested", 16),
            EventPattern::Any
        ]))
    );
    let outcome = |reason| expect(Expectation::Outcome { outcome: RunOutcome::LimitReached, reason });
    assert_eq!(one("expect-outcome limit_reached"), outcome(None));
    assert_eq!(one("expect-outcome limit_reached steps_max"), outcome(Some(StopReason::StepsMax)));
    assert_eq!(one("expect-answer a b"), expect(Expectation::Answer("a b".into())));
    assert_eq!(one("expect-warning MAX_STEPS"), expect(Expectation::Warning(Some(WarningCode::MaxSteps))));
    assert_eq!(one("expect-warning none"), expect(Expectation::Warning(None)));
    let call = CallExpectation::new(2);
    let failed = CallExpectation {
        status: Some(OutcomeStatus::Failed),
        kind: Some(ErrorKind::ParseError),
        says: Some("not JSON".into()),
        ..call.clone()
    };
    assert_eq!(one("expect-call 2 failed parse_error says not JSON"), expect(Expectation::Call(failed)));
    let cached = CallExpectation { is_cached: true, is_truncated: true, ..call.clone() };
    assert_eq!(one("expect-call 2 cached truncated"), expect(Expectation::Call(cached)));
    let cancelled =
        CallExpectation { status: Some(OutcomeStatus::Cancelled), kind: Some(ErrorKind::Cancelled), ..call };
    assert_eq!(one("expect-call 2 cancelled cancelled"), expect(Expectation::Call(cancelled)));
}

#[test]
fn every_request_expectation_is_read() {
    let request = |text: &str| match one(&format!("expect-request {text}\nmodel cut")) {
        ScriptHappening::ExpectRequest(expectation) => expectation,
        other => panic!("{other:?}"),
    };
    assert_eq!(request("contains a b"), RequestExpectation::Contains("a b".into()));
    assert_eq!(request("lacks a b"), RequestExpectation::Lacks("a b".into()));
    assert_eq!(request("tools a,b"), RequestExpectation::Tools(vec!["a".into(), "b".into()]));
    assert_eq!(request("tools none"), RequestExpectation::Tools(Vec::new()));
    assert_eq!(request("tool-choice auto"), RequestExpectation::ToolChoice(ToolChoice::Auto));
    assert_eq!(request("tool-choice required"), RequestExpectation::ToolChoice(ToolChoice::Required));
    assert_eq!(request("tool-choice forbidden"), RequestExpectation::ToolChoice(ToolChoice::Forbidden));
    assert_eq!(request("tool-choice named:x"), RequestExpectation::ToolChoice(ToolChoice::Named("x".into())));
    assert_eq!(request("purpose correction"), RequestExpectation::Purpose(StepPurpose::Correction));
    assert_eq!(request("same-prefix"), RequestExpectation::SamePrefix);
}

#[test]
fn a_here_text_keeps_its_lines_as_they_are() {
    assert_eq!(model("text <<END\n# one\n\n  two  \nEND"), ModelLine::Text("# one\n\n  two  ".into()));
    assert_eq!(model("text <<A_1\nEND\n  A_1"), ModelLine::Text("END".into()));
    assert_eq!(model("text <<END\nEND"), ModelLine::Text(String::new()));
    assert_eq!(model("text <<end"), ModelLine::Text("<<end".into()));
    assert_eq!(model("text <<"), ModelLine::Text("<<".into()));
    let call = model("call 3 a <<END\n{\n  \"b\": 1\n}\nEND");
    assert!(matches!(call, ModelLine::Call(call) if call.args == "{\n  \"b\": 1\n}"));
}

#[test]
fn line_ends_of_both_sorts_and_a_byte_order_mark_are_read() {
    let script = parse("\u{feff}title T\r\nuser <<END\r\na\r\nb\r\nEND\r\n");
    assert_eq!(script.header.title.as_deref(), Some("T"));
    assert_eq!(script.lines, [ScriptLine { number: 2, happening: ScriptHappening::User("a\nb".into()) }]);
}

#[test]
fn event_expectations_that_follow_each_other_are_one() {
    let happenings = after_calls("expect run-started\n# and\nexpect run-ended\ncancel\nexpect run-ended");
    let ended = EventPattern::Named { name: "run-ended", times: 1 };
    let started = EventPattern::Named { name: "run-started", times: 1 };
    assert_eq!(
        happenings,
        [
            ScriptHappening::Expect(Expectation::Events(vec![started, ended.clone()])),
            ScriptHappening::Cancel,
            ScriptHappening::Expect(Expectation::Events(vec![ended])),
        ]
    );
}

#[test]
fn calls_written_as_text_need_no_call_line() {
    let script = parse("profile edison\nuser Hi\nmodel text {\"tool\":\"a\",\"args\":{}}\ntool 1 ok 1");
    assert_eq!(script.lines.len(), 3);
}

#[test]
fn an_error_reads_as_one_sentence_with_its_place() {
    assert_eq!(
        error("user Hi\nmodel end stopp").to_string(),
        "t.script:2:11: unknown word 'stopp'; expected stop, calls, length, paused, filtered or other:WORD \
         (did you mean 'stop'?)"
    );
}

#[test]
fn a_script_without_happenings_is_refused() {
    assert_error("", (1, 1), "says nothing", "user TEXT", None);
    assert_error("# a\ntitle T\n", (3, 1), "says nothing", "user TEXT", None);
}

#[test]
fn a_script_that_is_too_large_is_refused() {
    let text = format!("user {}", "x".repeat(SCRIPT_BYTES_MAX));
    assert_error(&text, (1, 1), "bytes", "at most", None);
}

#[test]
fn unknown_first_words_are_refused_with_the_nearest() {
    assert_error("titel T\nuser Hi", (1, 1), "unknown word 'titel'", "title, profile", Some("title"));
    assert_error("usr Hi", (1, 1), "unknown word 'usr'", "user", Some("user"));
    assert_body_error("  modle text a", 3, "unknown word 'modle'", "user, model", Some("model"));
    assert_body_error("banana", 1, "unknown word 'banana'", "user, model", None);
}

#[test]
fn happenings_before_the_first_message_are_refused() {
    assert_error("model text a", (1, 1), "before the first message", "user TEXT", None);
    assert_error("cancel", (1, 1), "before the first message", "user TEXT", None);
}

#[test]
fn header_lines_after_the_first_message_are_refused() {
    assert_body_error("profile zodo", 1, "belongs to the header", "before the first 'user'", None);
    assert_body_error("approve all", 9, "'all' is not a whole number", "number of a call", None);
    assert_body_error("deny a(b)", 6, "'a(b)' is not a whole number", "number of a call", None);
}

#[test]
fn wrong_header_lines_are_refused() {
    let header_error = |line: &str, column, message, expected, suggestion| {
        assert_error(&format!("{line}\nuser Hi"), (1, column), message, expected, suggestion);
    };
    header_error("title", 6, "the line ends here", "a title", None);
    header_error("profile", 8, "the line ends here", "name of a profile", None);
    header_error("profile a b", 11, "'b' is too much", "end of the line", None);
    header_error("root", 5, "the line ends here", "a folder", None);
    header_error(
        "approve",
        8,
        "the line ends here",
        "read_only, ask, edit, all, never, safe, edit_only, stage or stage_only",
        None,
    );
    header_error(
        "approve neve",
        9,
        "unknown word 'neve'",
        "read_only, ask, edit, all, never, safe, edit_only, stage or stage_only",
        Some("never"),
    );
    header_error("approve 1", 9, "there is no call 1 yet", "after their 'model call' line", None);
    header_error("deny 1", 6, "there is no call 1 yet", "after their 'model call' line", None);
    header_error("max-steps", 10, "the line ends here", "most steps", None);
    header_error("max-steps 0", 11, "0 is not from 1 to", "most steps", None);
    header_error("max-steps x", 11, "'x' is not a whole number", "most steps", None);
    header_error("limit", 6, "the line ends here", "name of a limit", None);
    header_error("limit A 1", 7, "'A' cannot be", "a name such as", None);
    header_error("limit a", 8, "the line ends here", "number of the limit", None);
    header_error("limit a -1", 9, "'-1' is not a whole number", "number of the limit", None);
    header_error("allow", 6, "the line ends here", "a rule", None);
    header_error("deny", 5, "the line ends here", "a rule", None);
    header_error("tools-allowed yes", 15, "unknown word 'yes'", "true or false", None);
    header_error("chunk", 6, "the line ends here", "words, all or", None);
    header_error("chunk 0", 7, "0 is not from 1 to", "words, all or", None);
    header_error("interleave tru", 12, "unknown word 'tru'", "true or false", Some("true"));
}

#[test]
fn header_lines_that_stand_twice_are_refused() {
    for (line, message) in [
        ("title a", "a second 'title'"),
        ("profile a", "a second 'profile'"),
        ("root a", "a second 'root'"),
        ("approve all", "a second 'approve'"),
        ("max-steps 1", "a second 'max-steps'"),
        ("tools-allowed true", "a second 'tools-allowed'"),
        ("limit a 1", "a second limit 'a'"),
    ] {
        let error = error(&format!("{line}\n{line}\nuser Hi"));
        assert_eq!(error.line, 2);
        assert!(error.message.contains(message), "{error}");
    }
}

#[test]
fn wrong_model_lines_are_refused() {
    assert_body_error("model", 6, "the line ends here", "text, reasoning", None);
    assert_body_error("model txet a", 7, "unknown word 'txet'", "text, reasoning", Some("text"));
    assert_body_error("model text", 11, "the line ends here", "what the model says", None);
    assert_body_error("model reasoning  ", 18, "the line ends here", "what the model thinks", None);
    assert_body_error("model reasoning-state {", 23, "not JSON", "state as JSON", None);
    assert_body_error("model delay", 12, "the line ends here", "a duration", None);
    assert_body_error("model delay 5", 13, "'5' is not a duration", "200ms or 2s", None);
    assert_body_error("model delay xs", 13, "'xs' is not a duration", "200ms or 2s", None);
    assert_body_error("model delay 99999999999999999999s", 13, "is not a duration", "200ms or 2s", None);
    assert_body_error("model delay 2000h", 13, "is not a duration", "200ms or 2s", None);
    assert_body_error("model delay 7200s", 13, "7200000 ms is more than 3600000 ms", "200ms or 2s", None);
    assert_body_error("model usage", 12, "the line ends here", "input, output", None);
    assert_body_error("model usage input", 13, "'input' has no '='", "input, output", None);
    assert_body_error("model usage inptu=1", 13, "unknown word", "input, output", Some("input="));
    assert_body_error("model usage input=x", 13, "'x' is not a whole number", "tokens", None);
    assert_body_error("model usage input=1 input=2", 21, "a second 'input'", "at most once", None);
    assert_body_error("model usage cost_usd=NaN", 13, "'NaN' is not a cost", "0.02", None);
    assert_body_error("model usage cost_usd=-1", 13, "'-1' is not a cost", "0.02", None);
    assert_body_error("model end stopp", 11, "unknown word 'stopp'", "stop, calls", Some("stop"));
    assert_body_error("model end other:", 11, "unknown word", "other:WORD", Some("other:WORD"));
    assert_body_error("model cut now", 11, "'now' is too much", "end of the line", None);
    assert_body_error("model fail", 11, "the line ends here", "a code", None);
    assert_body_error("model fail busy", 16, "the line ends here", "what the provider says", None);
    assert_body_error("model fail busy after=x y", 17, "'x' is not a duration", "200ms or 2s", None);
}

#[test]
fn wrong_calls_are_refused() {
    assert_body_error("model call", 11, "the line ends here", "number of a call", None);
    assert_body_error("model call x a", 12, "'x' is not a whole number", "number of a call", None);
    assert_body_error("model call 0 a", 12, "0 is not from 1 to", "number of a call", None);
    assert_body_error("model call 2 a", 12, "call 2 already stands in line 3", "such as 3", None);
    assert_body_error("model call 3", 13, "the line ends here", "name of a tool", None);
    assert_body_error("model call 3 id= a", 14, "the id is empty", "id=- for none", None);
    assert_body_error("model call 3 a {b", 16, "the arguments are not JSON", "raw-call", None);
    assert_body_error("model value-call 3 a", 21, "the arguments are not JSON", "raw-call", None);
    let here = "model call 3 a <<END\n{b\nEND";
    assert_body_error(here, 16, "the arguments are not JSON", "raw-call", None);
}

#[test]
fn wrong_answers_and_tool_lines_are_refused() {
    assert_body_error("approve", 8, "the line ends here", "number of a call", None);
    assert_body_error("approve 7", 9, "there is no call 7 yet", "before this line: 1 or 2", None);
    assert_body_error("approve 1 twice", 11, "unknown word 'twice'", "once, session or remember", None);
    assert_body_error("approve 1 sesion", 11, "unknown word 'sesion'", "once, session", Some("session"));
    assert_body_error("approve 1 once x", 16, "'x' is too much", "end of the line", None);
    assert_body_error("deny 7", 6, "there is no call 7 yet", "1 or 2", None);
    assert_body_error("tool 7 ok 1", 6, "there is no call 7 yet", "1 or 2", None);
    assert_body_error("tool 1", 7, "the line ends here", "ok, text, fill, fail, timeout or hang", None);
    assert_body_error("tool 1 okay", 8, "unknown word 'okay'", "ok, text", None);
    assert_body_error("tool 1 timeot", 8, "unknown word 'timeot'", "ok, text", Some("timeout"));
    assert_body_error("tool 1 ok", 10, "the line ends here", "as JSON", None);
    assert_body_error("tool 1 ok {", 11, "not JSON", "'text' instead of 'ok'", None);
    assert_body_error("tool 1 fill x", 13, "'x' is not a whole number", "characters", None);
    assert_body_error(
        "tool 1 fail notfound x",
        13,
        "unknown word 'notfound'",
        "not_found",
        Some("not_found"),
    );
    assert_body_error("tool 1 fail not_found", 22, "the line ends here", "what was wrong", None);
    assert_body_error("tool 1 hang on", 13, "'on' is too much", "end of the line", None);
    assert_body_error("cancel it", 8, "'it' is too much", "end of the line", None);
    assert_body_error("user", 5, "the line ends here", "what the user says", None);
}

#[test]
fn wrong_expectations_are_refused() {
    assert_body_error("expect", 7, "the line ends here", "name of an event", None);
    assert_body_error("expect run-start", 8, "unknown word 'run-start'", "run-started", Some("run-started"));
    assert_body_error("expect text-delta", 8, "cannot be expected", "run-started", None);
    assert_body_error("expect run-ended*0", 8, "0 is not from 1 to 1000", "in a row", None);
    assert_body_error("expect run-ended*x", 8, "'x' is not a whole number", "in a row", None);
    assert_body_error("expect-outcome", 15, "the line ends here", "completed", None);
    assert_body_error("expect-outcome complete", 16, "unknown word", "completed", Some("completed"));
    assert_body_error("expect-outcome completed answred", 26, "unknown word", "answered", Some("answered"));
    assert_body_error("expect-answer", 14, "the line ends here", "a text in the answer", None);
    assert_body_error("expect-warning MAXSTEPS", 16, "unknown word", "none", Some("MAX_STEPS"));
    assert_body_error("expect-call 7 ok", 13, "there is no call 7 yet", "1 or 2", None);
    assert_body_error("expect-call 1", 14, "the line ends here", "ok, failed", None);
    assert_body_error("expect-call 1 fine", 15, "unknown word 'fine'", "ok, failed", None);
    assert_body_error("expect-call 1 ok failed", 18, "after another of its sort", "one status", None);
    assert_body_error("expect-call 1 says", 19, "the line ends here", "the model sees", None);
}

#[test]
fn wrong_request_expectations_are_refused() {
    assert_body_error("expect-request", 15, "the line ends here", "contains, lacks", None);
    assert_body_error("expect-request contain x", 16, "unknown word", "contains, lacks", Some("contains"));
    assert_body_error("expect-request contains", 24, "the line ends here", "a text in the request", None);
    assert_body_error("expect-request tools", 21, "the line ends here", "names of tools", None);
    assert_body_error("expect-request tool-choice none", 28, "unknown word 'none'", "forbidden", None);
    assert_body_error(
        "expect-request tool-choice named:",
        28,
        "unknown word",
        "named:TOOL",
        Some("named:TOOL"),
    );
    assert_body_error("expect-request purpose finalize", 24, "unknown word", "finalise", Some("finalise"));
    assert_body_error("expect-request same-prefix", 1, "checks nothing here", "directly after it", None);
    let text = "user Hi\nexpect-request same-prefix\ncancel";
    assert_error(text, (3, 1), "checks nothing here", "directly after it", None);
}

#[test]
fn a_here_text_without_end_is_refused_where_it_begins() {
    assert_body_error("model text <<END\na\nb\n", 12, "has no end", "a line 'END'", None);
}

#[test]
fn columns_count_characters_and_long_words_are_cut() {
    let error = error(&format!("user ö\nexpect-answer ä\nmodel  call\u{2003}ü{} a", "x".repeat(1_000)));
    assert_eq!((error.line, error.column), (3, 13));
    assert!(error.message.contains("'üxxx") && error.message.chars().count() < 300, "{error}");
}
