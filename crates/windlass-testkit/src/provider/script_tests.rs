//! A script survives its trip in a model's name, goes on where the history ends, and repeats what went wrong.

use super::*;

fn asked(exchanges: Vec<PastExchange>) -> LegalRequest {
    LegalRequest { tools: ["execute_command".to_owned()].into(), exchanges, ..LegalRequest::default() }
}

fn done(script: &VendorScript, step: usize) -> PastExchange {
    let calls = script
        .calls(step)
        .map(|(name, arguments)| super::super::history::PastCall {
            id: String::new(),
            name: name.to_owned(),
            arguments,
        })
        .collect();
    PastExchange { calls, ..PastExchange::default() }
}

#[test]
fn a_script_survives_its_trip_in_a_models_name() {
    let script = VendorScript {
        steps: 3,
        parallel: 2,
        words: 7,
        batch: 0,
        tool: VendorTool::Research,
        thinks: true,
        speaks_first: true,
        fault: Some(VendorFault::Length),
        fault_step: Some(2),
        fault_times: 1,
        hold_after: 5,
        taught: Some(2),
    };
    assert_eq!(VendorScript::parse(&format!("claude-sonnet-4-5-{script}")), script);
    assert_eq!(VendorScript::parse("gpt-4o"), VendorScript::default());
}

#[test]
fn the_next_step_is_the_first_that_is_not_in_the_history() {
    let script = VendorScript { steps: 2, parallel: 2, ..VendorScript::default() };
    assert_eq!(script.steps_done(&asked(vec![])).len(), 0);
    assert_eq!(script.steps_done(&asked(vec![done(&script, 0)])).len(), 1);
    assert_eq!(script.steps_done(&asked(vec![done(&script, 1)])).len(), 0);
    let wrong = PastExchange::default();
    let history = asked(vec![done(&script, 0), wrong, done(&script, 1)]);
    assert_eq!(script.steps_done(&history).len(), 2);
    assert_eq!(script.say(2, None, &history).text.concat(), script.answer());
}

#[test]
fn a_fault_is_due_at_its_step_and_as_often_as_it_says() {
    let once = VendorScript {
        fault: Some(VendorFault::Cut),
        fault_step: Some(1),
        fault_times: 1,
        ..VendorScript::default()
    };
    assert_eq!(once.fault_at(0, 0), None);
    assert_eq!(once.fault_at(1, 0), Some(VendorFault::Cut));
    assert_eq!(once.fault_at(1, 1), None);
    let always = VendorScript { fault_times: 0, fault_step: None, ..once };
    assert_eq!(always.fault_at(7, 99), Some(VendorFault::Cut));
}

#[test]
fn an_answer_that_was_cut_by_its_length_goes_on_where_it_ended() {
    let script = VendorScript { words: 4, ..VendorScript::default() };
    let first = script.say(0, Some(VendorFault::Length), &asked(vec![]));
    assert_eq!((first.text.len(), first.finish), (2, SayEnd::Length));
    let said = PastExchange { text: first.text.concat(), ..PastExchange::default() };
    let rest = script.say(0, None, &asked(vec![said]));
    assert_eq!(first.text.concat() + &rest.text.concat(), script.answer());
}

#[test]
fn arguments_come_in_pieces_that_make_the_whole() {
    let script = VendorScript { steps: 1, ..VendorScript::default() };
    let say = script.say(0, None, &asked(vec![]));
    let call = &say.calls[0];
    assert_eq!(call.pieces().len(), 3);
    assert_eq!(call.pieces().concat(), call.arguments);
    let bad = script.say(0, Some(VendorFault::BadArgs), &asked(vec![]));
    assert!(serde_json::from_str::<Value>(&bad.calls[0].arguments).is_err());
}
