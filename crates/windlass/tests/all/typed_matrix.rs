//! Typed answers of two hundred schemas over five wires: no wrong value is taken, every right one is.

use serde_json::Value;
use windlass::models::WireKind;
use windlass::prelude::*;
use windlass_testkit::provider::ProviderServer;

use crate::typed_cases::{self, Case, Verdict};

/// Changed values of one schema that are played: more of them say nothing new and take time.
const WRONG_VALUES_MAX: usize = 40;

/// Runs that were made, and what came of them.
#[derive(Debug, Default, PartialEq, Eq)]
struct MatrixCount {
    runs: usize,
    rights_taken: usize,
    wrongs_refused: usize,
    rights_refused: usize,
    wrongs_taken: usize,
}

impl MatrixCount {
    fn add(&mut self, case: &Case, said: &[String], expected: &Verdict, got: Result<Value, WindlassError>) {
        self.runs += 1;
        match (expected, got) {
            (Verdict::Right(right), Ok(value)) if *right == value => self.rights_taken += 1,
            (Verdict::Right(right), other) => {
                println!("{}: {said:?} should be {right}, is {other:?}", case.name);
                self.rights_refused += 1;
            }
            (Verdict::Wrong, Err(WindlassError::Answer(_))) => self.wrongs_refused += said.len(),
            (Verdict::Wrong, other) => {
                println!("{}: {said:?} should be refused, is {other:?}", case.name);
                self.wrongs_taken += 1;
            }
        }
    }
}

/// The provider of the catalogue that speaks a wire.
fn provider(wire: WireKind) -> &'static str {
    match wire {
        WireKind::Chat => "openrouter",
        WireKind::Responses => "openai",
        WireKind::Messages => "anthropic",
        WireKind::Gemini => "gemini",
        WireKind::Ollama => "ollama",
    }
}

fn agent(server: &ProviderServer, wire: WireKind, answers: &[String]) -> Windlass {
    let script = server.teach(answers.iter().cloned());
    let source = ModelSource::new(&format!("{}/{script}", provider(wire))).unwrap();
    let source = source.key("sk-test-0123456789").base_url(server.base_url(provider(wire)));
    Windlass::builder().model_source(source).unwrap().build().unwrap()
}

/// What the model says, answer by answer, and what must come of it.
type Conversation = (Vec<String>, Verdict);

/// The conversations of a case that every wire has, and those that are dealt out among the wires.
fn conversations(case: &Case) -> (Vec<Conversation>, Vec<Conversation>) {
    let values = typed_cases::values_of(case);
    let (rights, wrong_values): (Vec<_>, Vec<_>) =
        values.iter().partition(|value| matches!(case.judge(value), Verdict::Right(_)));
    // Spread over all changes: those of the outermost level come first.
    let step = wrong_values.len().div_ceil(WRONG_VALUES_MAX).max(1);
    let mut wrongs: Vec<String> =
        wrong_values.iter().step_by(step).map(|value| case.written(value)).collect();
    let rights = case.rights.iter().skip(1).chain(rights.into_iter().take(2));
    let mut dealt: Vec<Conversation> =
        rights.map(|right| (vec![case.written(right)], case.judge(right))).collect();
    for (text, verdict) in typed_cases::texts_of(case) {
        match verdict {
            Verdict::Wrong => wrongs.push(text),
            Verdict::Right(_) => dealt.push((vec![text], verdict)),
        }
    }
    let (right, verdict) = (case.written(&case.rights[0]), case.judge(&case.rights[0]));
    let corrected = vec![wrongs[0].clone(), right.clone()];
    let always = vec![(vec![right], verdict.clone()), (corrected, verdict)];
    dealt.extend(wrongs.chunks(2).map(|pair| (pair.to_vec(), Verdict::Wrong)));
    (always, dealt)
}

/// Plays the conversations of one wire.
async fn play(wire: WireKind) -> MatrixCount {
    let server = ProviderServer::start().unwrap();
    let mut count = MatrixCount::default();
    let place = WireKind::ALL.iter().position(|one| *one == wire).unwrap();
    for (turn, case) in typed_cases::all().into_iter().enumerate() {
        let (always, dealt) = conversations(&case);
        let dealt = dealt.into_iter().skip((turn + place) % WireKind::ALL.len()).step_by(WireKind::ALL.len());
        for (said, expected) in always.into_iter().chain(dealt) {
            let agent = agent(&server, wire, &said);
            let got = (case.ask)(&agent).await;
            count.add(&case, &said, &expected, got);
        }
    }
    assert!(server.ledger().refusals().is_empty(), "{:?}", server.ledger().refusals());
    count
}

#[test]
fn there_are_two_hundred_schemas_and_wrong_values_of_each() {
    let cases = typed_cases::all();
    let wrongs = |case: &Case| {
        typed_cases::values_of(case).iter().filter(|value| case.judge(value) == Verdict::Wrong).count()
    };
    // A schema that takes anything has no wrong value; it still has texts that are none.
    let open = cases.iter().filter(|case| wrongs(case) == 0).count();
    let all: usize = cases.iter().map(wrongs).sum();
    println!("{} schemas, {all} wrong values, {open} schemas without any", cases.len());
    assert!(cases.len() >= 200, "{}", cases.len());
    assert!(open <= 1, "{open}");
}

macro_rules! wires {
    ($($name:ident: $wire:ident;)*) => {
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                let count = play(WireKind::$wire).await;
                println!("{count:?}");
                assert_eq!((count.rights_refused, count.wrongs_taken), (0, 0), "{count:?}");
                assert!(count.rights_taken >= 600 && count.wrongs_refused >= 1_500, "{count:?}");
            }
        )*
    };
}

wires! {
    typed_answers_over_chat_take_no_wrong_value: Chat;
    typed_answers_over_responses_take_no_wrong_value: Responses;
    typed_answers_over_messages_take_no_wrong_value: Messages;
    typed_answers_over_gemini_take_no_wrong_value: Gemini;
    typed_answers_over_ollama_take_no_wrong_value: Ollama;
}
