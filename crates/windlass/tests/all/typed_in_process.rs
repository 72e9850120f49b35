//! Typed answers of models in the process: a right value or an error, never a wrong value.

use windlass::prelude::*;

use crate::typed_cases::{self, Verdict};

/// Every so many schemas of all: each answer is computed token by token.
const SCHEMAS_STEP: usize = 10;

#[tokio::test]
async fn the_builtin_model_refuses_every_form_with_what_it_cannot_do() {
    let agent = Windlass::builder().builtin_model().builtin_tools(&Default::default()).build().unwrap();
    let cases = typed_cases::all();
    for case in &cases {
        let error = (case.ask)(&agent).await.unwrap_err().to_string();
        assert!(error.contains("writes no JSON of its own"), "{}: {error}", case.name);
    }
    assert!(cases.len() >= 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_model_file_gives_right_values_or_errors() {
    // Weights that know nothing of such questions: what they write is right only where the grammar holds them to it.
    let weights = concat!(env!("CARGO_MANIFEST_DIR"), "/../windlass-local/weights/windlass-builtin.gguf");
    let agent = Windlass::builder().model_file(weights).unwrap().build().unwrap();
    let (mut rights, mut errors) = (0, 0);
    for case in typed_cases::all().iter().step_by(SCHEMAS_STEP) {
        match (case.ask)(&agent.new_session().unwrap()).await {
            Ok(value) => {
                assert!(matches!(case.judge(&value), Verdict::Right(_)), "{}: {value}", case.name);
                rights += 1;
            }
            Err(error) => {
                println!("{}: {}", case.name, error.to_string().chars().take(160).collect::<String>());
                errors += 1;
            }
        }
    }
    println!("{rights} right values, {errors} errors, no wrong value");
    assert!(rights > 0, "{errors} errors");
}
