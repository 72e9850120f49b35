use serde_json::Value;
use windlass_core::protocol::ids::CallId;
use windlass_core::protocol::message::{Part, ToolMessage};
use windlass_core::protocol::model::{Kept, NoticeKind};
use windlass_core::protocol::tool::ToolCall;

use super::*;
use crate::loopback::{request, target};
use crate::target::WireKind;

fn prepare(target: &SharedTarget, request: &ModelRequest) -> PreparedRequest {
    super::prepare(target, &SharedEncodings::default(), request)
}

fn shared(wire: WireKind) -> SharedTarget {
    Arc::new(crate::ModelTarget { wire, ..target("http://localhost") })
}

fn spec(name: &str) -> Arc<ToolSpec> {
    Arc::new(ToolSpec::new(name, "Does it."))
}

/// One step of a run: a call and its outcome.
fn step(number: u32) -> [Arc<Message>; 2] {
    let call = ToolCall {
        id: CallId::new(format!("call_{number}")),
        provider_id: Some(format!("p{number}")),
        step: number,
        index: 0,
        name: "read_file".into(),
        arguments: format!("{{\"path\":\"{number}.txt\"}}"),
        state: None,
    };
    let outcome = ToolMessage {
        call_id: call.id.clone(),
        provider_id: call.provider_id.clone(),
        name: call.name.clone(),
        content: format!("content {number}"),
        is_ok: true,
        is_valid_call: true,
        label: None,
    };
    let parts = vec![Part::text(format!("step {number}")), Part::Call(call)];
    [Arc::new(Message::Assistant { parts }), Arc::new(Message::Tool(outcome))]
}

/// The same request without anything kept.
fn fresh(target: &SharedTarget, request: &ModelRequest) -> Vec<u8> {
    prepare(target, &ModelRequest { kept: Kept::default(), ..request.clone() }).body
}

fn kept_messages(request: &ModelRequest) -> usize {
    let kept = request.kept.take::<KeptHistory>().unwrap();
    let count = kept.messages.len();
    request.kept.put(kept);
    count
}

/// A request of a run that goes on: the same, with more messages.
fn go_on(request: &mut ModelRequest, more: impl IntoIterator<Item = Arc<Message>>) {
    let mut messages = request.messages.to_vec();
    messages.extend(more);
    request.messages = Arc::new(messages);
    request.step += 1;
}

#[test]
fn a_kept_history_gives_the_same_bytes_as_a_new_one_at_every_step_on_every_wire() {
    for wire in WireKind::ALL {
        let target = shared(wire);
        let mut request = request();
        request.tools = Arc::new([spec("read_file")]);
        for number in 1..20 {
            let body = prepare(&target, &request).body;
            assert_eq!(body, fresh(&target, &request), "{wire:?} at step {number}");
            assert!(serde_json::from_slice::<Value>(&body).is_ok(), "{}", String::from_utf8_lossy(&body));
            // The last turn is one message of the user, or a call with its outcome.
            assert!(kept_messages(&request) + 2 >= request.messages.len(), "{wire:?} at step {number}");
            go_on(&mut request, step(number));
            if number % 7 == 6 {
                go_on(&mut request, [Arc::new(Message::assistant("done")), Arc::new(Message::user("go on"))]);
            }
        }
    }
}

/// Call, remark, outcome; and a history that begins with the model.
#[test]
fn a_kept_history_that_had_to_be_healed_gives_the_same_bytes_as_a_new_one() {
    for wire in WireKind::ALL {
        let target = shared(wire);
        for begins_with_user in [true, false] {
            let mut request = request();
            if !begins_with_user {
                request.messages = Arc::new(step(100).to_vec());
            }
            for number in 1..8 {
                let [calls, outcome] = step(number);
                go_on(&mut request, [calls, Arc::new(Message::note("waiting")), outcome]);
                for _ in 0..2 {
                    let body = prepare(&target, &request).body;
                    assert_eq!(body, fresh(&target, &request), "{wire:?} at step {number}");
                }
            }
        }
    }
}

#[test]
fn a_request_that_is_sent_again_is_the_same() {
    let target = shared(WireKind::Chat);
    let mut request = request();
    go_on(&mut request, step(1));
    let first = prepare(&target, &request).body;
    assert_eq!(prepare(&target, &request).body, first);
}

#[test]
fn a_head_that_changes_keeps_the_history() {
    let target = shared(WireKind::Chat);
    let mut request = request();
    request.tools = Arc::new([spec("read_file")]);
    (1..5).for_each(|number| go_on(&mut request, step(number)));
    prepare(&target, &request);
    request.tool_choice = ToolChoice::Forbidden;
    request.purpose = StepPurpose::Finalise;
    request.trailer = vec!["Answer now.".into()];
    assert_eq!(prepare(&target, &request).body, fresh(&target, &request));
    assert_eq!(kept_messages(&request), 7);
    for system in ["", "Another text.", ""] {
        request.system = system.into();
        assert_eq!(prepare(&target, &request).body, fresh(&target, &request), "{system:?}");
    }
}

#[test]
fn a_history_that_does_not_go_on_where_it_ended_is_written_anew() {
    let target = shared(WireKind::Chat);
    let mut request = request();
    (1..5).for_each(|number| go_on(&mut request, step(number)));
    prepare(&target, &request);
    let whole = request.messages.to_vec();
    let histories: [Vec<Arc<Message>>; 5] = [
        whole[3..].to_vec(),
        whole[..3].to_vec(),
        whole[..7].to_vec(),
        Vec::new(),
        [vec![Arc::new(Message::user("other"))], whole[1..].to_vec()].concat(),
    ];
    for history in histories {
        request.messages = Arc::new(history);
        assert_eq!(prepare(&target, &request).body, fresh(&target, &request));
        request.messages = Arc::new(whole.clone());
        assert_eq!(prepare(&target, &request).body, fresh(&target, &request));
    }
}

#[test]
fn other_tools_or_another_model_are_written_anew() {
    let (target, other) = (shared(WireKind::Chat), shared(WireKind::Messages));
    let mut request = request();
    request.tools = Arc::new([spec("read_file")]);
    (1..5).for_each(|number| go_on(&mut request, step(number)));
    prepare(&target, &request);
    assert_eq!(prepare(&other, &request).body, fresh(&other, &request));
    assert_eq!(prepare(&target, &request).body, fresh(&target, &request));
    request.tools = Arc::new([spec("read_file"), spec("write_file")]);
    let prepared = prepare(&target, &request);
    assert_eq!(prepared.body, fresh(&target, &request));
    assert_eq!(prepared.tools.tools.len(), 2);
    // The same tools in another list are the same tools.
    let tools = Arc::clone(&prepared.tools);
    request.tools = request.tools.to_vec().into();
    assert!(Arc::ptr_eq(&prepare(&target, &request).tools, &tools));
}

#[test]
fn what_was_changed_is_told_once_in_a_run() {
    let request = request();
    let mut kept = KeptHistory::new(&shared(WireKind::Chat), &SharedEncodings::default(), &request);
    let notice = |rule: &str| Notice { kind: NoticeKind::Healed, rule: rule.into(), message: String::new() };
    let mut notices = vec![notice("a"), notice("b")];
    kept.keep_untold(&mut notices);
    assert_eq!(notices.len(), 2);
    let mut notices = vec![notice("b"), notice("c")];
    kept.keep_untold(&mut notices);
    assert_eq!(notices, [notice("c")]);
}

#[test]
fn turns_that_share_a_message_with_the_last_one_are_not_kept() {
    let turn = || Turn::Note("x".into());
    let counts = |counts: &[usize]| {
        let turns: Vec<(usize, Turn<'_>)> = counts.iter().map(|count| (*count, turn())).collect();
        kept_turns(&turns)
    };
    assert_eq!(counts(&[]), 0);
    assert_eq!(counts(&[1]), 0);
    assert_eq!(counts(&[1, 2, 1]), 2);
    assert_eq!(counts(&[1, 1, 0]), 1);
    assert_eq!(counts(&[1, 0, 1]), 2);
    assert_eq!(counts(&[0, 1]), 1);
    assert_eq!(counts(&[0, 0]), 0);
}
