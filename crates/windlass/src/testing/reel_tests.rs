//! What is written can be read again, and secrets are out of it, also those that came in two pieces.

use serde_json::json;
use windlass_core::protocol::model::{CallDelta, Finish, Usage};

use super::*;

fn sample(deltas: Vec<ModelDelta>) -> RecordedAnswer {
    RecordedAnswer { request: json!({"step": 1}), deltas, end: ReelEnd::Done }
}

fn call(index: Option<u32>, id: Option<&str>, args: &str) -> ModelDelta {
    ModelDelta::Call(CallDelta {
        index,
        id: id.map(str::to_owned),
        args_text: Some(args.to_owned()),
        ..CallDelta::default()
    })
}

#[test]
fn what_is_written_is_read_again_in_the_order_of_asking() {
    let one = sample(vec![
        ModelDelta::Reasoning("hm".into()),
        ModelDelta::ReasoningState(json!({"signature": "x"})),
        call(Some(0), Some("a"), "{}"),
        ModelDelta::Usage(Usage { input: 3, ..Usage::default() }),
        ModelDelta::Finish(Finish::Calls),
    ]);
    let failure = ModelFailure::passing("overloaded", "later");
    let two = RecordedAnswer { end: ReelEnd::Failed(failure), ..sample(vec![ModelDelta::Text("B".into())]) };
    let head = serde_json::to_string(&ReelHead::new("box/m".into(), None)).unwrap();
    let text = format!("{head}\n{}{}", write_answer(2, &two).unwrap(), write_answer(1, &one).unwrap());
    let (head, answers) = read_reel(&text).unwrap();
    assert_eq!((head.model.as_str(), answers), ("box/m", vec![one, two]));
}

#[test]
fn what_cannot_be_read_is_told_with_its_line() {
    assert_eq!(read_reel("").unwrap_err().0, 1);
    assert!(read_reel("{\"cassette\":9,\"model\":\"m\"}").unwrap_err().1.contains("form is 9"));
    let text = "{\"cassette\":1,\"model\":\"m\"}\n{\"asked\":4,\"end\":\"done\"}\n";
    assert_eq!(read_reel(text).unwrap_err(), (2, "request 4 was not asked before".to_owned()));
}

#[test]
fn a_secret_over_two_pieces_is_taken_out_and_calls_are_not_mixed() {
    let redactor = Redactor::new(["swordfish".into()]);
    let mut answer = sample(vec![
        ModelDelta::Text("the word is sword".into()),
        ModelDelta::Text("fish, they say".into()),
        call(Some(0), None, "{\"a\":\"sw"),
        call(Some(1), None, "{\"b\":1}"),
        call(Some(0), None, "ordfish\"}"),
    ]);
    answer.request = json!({"system": "swordfish"});
    clean_answer(&redactor, &mut answer);
    assert_eq!(answer.request, json!({"system": "***"}));
    assert_eq!(
        answer.deltas,
        [
            ModelDelta::Text("the word is ***, they say".into()),
            ModelDelta::Text(String::new()),
            call(Some(0), None, "{\"a\":\"***\"}"),
            call(Some(1), None, "{\"b\":1}"),
            call(Some(0), None, ""),
        ]
    );
}
