use std::sync::Arc;

use windlass_core::protocol::ids::{CallId, RunId};
use windlass_core::protocol::message::ToolMessage;
use windlass_core::protocol::model::{Sampling, StepPurpose, ToolChoice};
use windlass_core::protocol::tool::{ToolCall, ToolSpec};

use super::*;
use crate::script::Script;

fn request() -> ModelRequest {
    let call = ToolCall {
        id: CallId::numbered(1),
        provider_id: None,
        step: 1,
        index: 0,
        name: "read_file".into(),
        arguments: "{\"path\":\"a\"}".into(),
        state: None,
    };
    let outcome = ToolMessage {
        call_id: CallId::numbered(1),
        provider_id: None,
        name: "read_file".into(),
        content: "{\"ok\":true}".into(),
        is_ok: true,
        is_valid_call: true,
        label: None,
    };
    let said = Message::Assistant { parts: vec![Part::text("Let me look."), Part::Call(call)] };
    ModelRequest {
        run_id: RunId::new("run"),
        step: 2,
        purpose: StepPurpose::Work,
        system: "Be brief.".into(),
        examples: 0,
        messages: Arc::new(
            [Message::user("Hello"), said, Message::Tool(outcome), Message::note("Mind the gap.")]
                .map(Arc::new)
                .to_vec(),
        ),
        trailer: vec!["It is late.".into()],
        live: Arc::default(),
        tools: Arc::new([Arc::new(ToolSpec::new("a", "A")), Arc::new(ToolSpec::new("b", "B"))]),
        tool_choice: ToolChoice::Auto,
        sampling: Sampling::default(),
        kept: windlass_core::protocol::model::Kept::default(),
    }
}

fn check(line: &str, request: &ModelRequest, last: Option<&ModelRequest>) -> Result<(), Mismatch> {
    let script = Script::parse("t", &format!("user Hi\nexpect-request {line}\nmodel cut")).unwrap();
    script.runs()[0][0].check_request("t", request, last)
}

fn assert_differs(line: &str, request: &ModelRequest, last: Option<&ModelRequest>, message: &str) {
    let mismatch = check(line, request, last).unwrap_err();
    assert_eq!((mismatch.line, mismatch.message.as_str()), (2, message));
}

#[test]
fn everything_that_a_model_reads_can_be_looked_for() {
    for text in [
        "Be brief.",
        "Hello",
        "Let me look.",
        "read_file {\"path\":\"a\"}",
        "{\"ok\":true}",
        "Mind the gap.",
        "It is late.",
    ] {
        check(&format!("contains {text}"), &request(), None).unwrap();
        let message = format!("the request contains '{text}'");
        assert_differs(&format!("lacks {text}"), &request(), None, &message);
    }
    check("lacks goodbye", &request(), None).unwrap();
    assert_differs("contains goodbye", &request(), None, "the request does not contain 'goodbye'");
}

#[test]
fn tools_choice_and_purpose_are_compared() {
    check("tools a,b", &request(), None).unwrap();
    assert_differs("tools b,a", &request(), None, "the request has the tools [a,b], expected [b,a]");
    assert_differs("tools none", &request(), None, "the request has the tools [a,b], expected []");
    check("tool-choice auto", &request(), None).unwrap();
    assert_differs(
        "tool-choice named:a",
        &request(),
        None,
        "the request has the tool choice auto, expected named:a",
    );
    check("purpose work", &request(), None).unwrap();
    assert_differs("purpose finalise", &request(), None, "the request is for work, expected finalise");
}

#[test]
fn r_56_the_prefix_must_be_the_same() {
    let last = request();
    let mut longer = request();
    let mut messages = longer.messages.to_vec();
    messages.push(Arc::new(Message::note("more")));
    longer.messages = Arc::new(messages);
    longer.trailer = vec!["It is later.".into()];
    check("same-prefix", &longer, Some(&last)).unwrap();

    assert_differs("same-prefix", &longer, None, "there is no request before this one");
    let history = "the history does not begin with the history of the last request";
    assert_differs("same-prefix", &last, Some(&longer), history);
    let mut other = request();
    other.system = "Be long.".into();
    assert_differs(
        "same-prefix",
        &other,
        Some(&last),
        "the system text is not the same as in the last request",
    );
    let mut other = request();
    other.tools = Arc::new([]);
    assert_differs("same-prefix", &other, Some(&last), "the tools are not the same as in the last request");
}
