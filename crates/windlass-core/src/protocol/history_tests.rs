use super::*;
use crate::permission::Question;
use crate::protocol::event::{DurableEvent, RunOutcome, StopReason};
use crate::protocol::message::Part;
use crate::protocol::model::{Finish, Usage};
use crate::protocol::task::TaskStatus;
use crate::protocol::tool::{Category, ToolOutput, Visibility};

fn call(number: u64) -> ToolCall {
    ToolCall {
        id: CallId::numbered(number),
        provider_id: Some(format!("p{number}")),
        step: 1,
        index: 0,
        name: "look".into(),
        arguments: "{}".into(),
        state: None,
    }
}

fn started() -> Event {
    Event::Durable(DurableEvent::RunStarted {
        model: "m".into(),
        profile: "default".into(),
        message: Arc::new(Message::user("Go.")),
        wishes: Arc::default(),
    })
}

fn requested(number: u64) -> Event {
    Event::Durable(DurableEvent::CallRequested {
        call: call(number),
        category: Category::Other,
        visibility: Visibility::Primary,
        vendor: "".into(),
    })
}

fn step(numbers: &[u64]) -> Event {
    let parts = numbers.iter().map(|number| Part::Call(call(*number))).collect();
    let message = Arc::new(Message::Assistant { parts });
    Event::Durable(DurableEvent::StepEnded { step: 1, message, finish: Finish::Calls, usage: None })
}

fn ended(number: u64) -> Event {
    let ToolCall { id, provider_id, name, .. } = call(number);
    let message = ToolMessage {
        call_id: id.clone(),
        provider_id,
        name,
        content: "x".into(),
        is_ok: true,
        is_valid_call: true,
        label: None,
    };
    Event::Durable(DurableEvent::CallEnded {
        call_id: id,
        name: "look".into(),
        outcome: Arc::new(ToolOutcome::ok(ToolOutput::text("x"))),
        message: Arc::new(Message::Tool(message)),
        category: Category::Other,
        visibility: Visibility::Primary,
    })
}

fn run_ended() -> Event {
    let (outcome, reason) = (RunOutcome::Failed, StopReason::JournalFailed);
    Event::Durable(DurableEvent::RunEnded { outcome, reason, answer: String::new(), usage: Usage::default() })
}

/// The records of runs: each begins with `RunStarted`.
fn records(events: Vec<Event>) -> Vec<Arc<Record>> {
    let mut run = 0;
    let mut records = Vec::new();
    for (seq, event) in (1..).zip(events) {
        run += u32::from(matches!(event, Event::Durable(DurableEvent::RunStarted { .. })));
        records.push(Arc::new(Record {
            seq,
            ts_ms: seq,
            session_id: "s".into(),
            run_id: format!("run_{run}").into(),
            parent_id: "m".into(),
            event,
            cause: None,
        }));
    }
    records
}

fn fold(events: Vec<Event>) -> History {
    History::fold(&[], &records(events))
}

fn names(transcript: &Transcript) -> Vec<String> {
    let name = |message: &Arc<Message>| match message.as_ref() {
        Message::User { .. } => "user".to_owned(),
        Message::Assistant { .. } => "assistant".to_owned(),
        Message::Tool(tool) => tool.call_id.to_string(),
        Message::Note { .. } => "note".to_owned(),
    };
    transcript.iter().map(name).collect()
}

#[test]
fn r_33_outcomes_stand_in_call_order_whatever_the_order_in_which_they_came() {
    let note = Event::Durable(DurableEvent::NoteAdded { text: "n".into() });
    let history = fold(vec![
        started(),
        requested(1),
        requested(2),
        step(&[1, 2]),
        ended(2),
        ended(1),
        note,
        run_ended(),
    ]);
    assert_eq!(names(&history.transcript), ["user", "assistant", "call_1", "call_2", "note"]);
    assert_eq!((history.next_call_number, history.last_seq), (3, 8));
    let found: Vec<_> = history.outcomes.iter().map(|past| past.call_id.as_str()).collect();
    assert_eq!(found, ["call_2", "call_1"]);
    assert_eq!(history.outcomes[0].provider_id.as_deref(), Some("p2"));
    assert!(history.unfinished.is_none());
}

#[test]
fn a_call_of_a_step_that_came_to_nothing_is_not_in_the_transcript() {
    let again = Event::Durable(DurableEvent::StepStarted {
        step: 1,
        purpose: crate::protocol::model::StepPurpose::Work,
        attempt: 2,
    });
    let history =
        fold(vec![started(), requested(1), ended(1), again, requested(2), step(&[2]), ended(2), run_ended()]);
    assert_eq!(names(&history.transcript), ["user", "assistant", "call_2"]);
}

#[test]
fn a_run_with_a_hole_in_its_records_still_has_a_legal_transcript() {
    let history = fold(vec![started(), step(&[1, 2]), ended(2), run_ended()]);
    assert_eq!(names(&history.transcript), ["user", "assistant", "call_1", "call_2"]);
    let Message::Tool(tool) = history.transcript[2].as_ref() else { panic!("a tool message") };
    assert!(!tool.is_ok && tool.content.contains("may or may not have happened"));
}

#[test]
fn only_the_last_run_can_be_unfinished() {
    let history = fold(vec![started(), step(&[1]), started(), requested(2)]);
    assert_eq!(names(&history.transcript), ["user", "assistant", "call_1"], "as the second run found it");
    assert_eq!(history.next_call_number, 1);
    assert_eq!(history.unfinished.map(|records| records.len()), Some(2));
}

#[test]
fn tasks_grants_and_questions_of_low_risk_are_kept() {
    let task = Task { task_id: "task_1".into(), status: TaskStatus::Pending, content: "Look".into() };
    let asked = |number: u64, risk| {
        Event::Durable(DurableEvent::PermissionRequested {
            question: Box::new(Question {
                call_id: CallId::numbered(number),
                tool: format!("tool_{number}"),
                arguments: "{}".into(),
                risk,
                targets: Vec::new(),
                preview: None,
                folder: None,
                caution: None,
                sandbox: None,
                rule: String::new(),
                confirm_word: None,
                digest: String::new(),
                position: 1,
                total: 1,
                hidden_chars: 0,
            }),
        })
    };
    let decided = |number: u64, decision, by: &str, rule: Option<&str>| {
        Event::Durable(DurableEvent::PermissionDecided {
            call_id: CallId::numbered(number),
            decision,
            by: by.into(),
            rule: rule.map(str::to_owned),
            problem: None,
            denied_by: None,
            message: None,
        })
    };
    let history = fold(vec![
        started(),
        asked(1, Risk::Low),
        decided(1, Decision::Once, "user", None),
        asked(2, Risk::Low),
        decided(2, Decision::Deny, "user", None),
        asked(3, Risk::High),
        decided(3, Decision::Session, "user", Some("tool_3")),
        decided(4, Decision::Remember, "user", Some("tool_3")),
        decided(5, Decision::Session, "grant", None),
        Event::Durable(DurableEvent::TasksChanged { tasks: Arc::new([task.clone()]) }),
    ]);
    assert_eq!(history.asked, ["tool_1"]);
    assert_eq!(history.tasks.as_ref(), [task]);
}
