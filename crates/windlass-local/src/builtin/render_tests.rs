use serde_json::json;

use super::*;

fn answered(tool: &str, args: Value, result: Result<Value, CallComplaint>) -> AnsweredCall {
    let Value::Object(args) = args else { unreachable!() };
    AnsweredCall { tool: tool.into(), args, result }
}

fn render(calls: &[AnsweredCall]) -> String {
    super::render(&[], calls)
}

#[test]
fn outcomes_follow_each_other_and_failures_say_what_would_help() {
    let refused =
        CallComplaint { message: "it exists".into(), hint: Some("Read it first.".into()), is_denied: false };
    let text = render(&[
        answered("calculate", json!({"expression": "1+1"}), Ok(json!("2"))),
        answered("write_file", json!({"path": "a"}), Err(refused)),
    ]);
    assert_eq!(text, "`calculate`:\n\n```\n2\n```\n\n`write_file` did not work: it exists\n\nRead it first.");
}

#[test]
fn a_denial_tells_the_user_what_to_do_and_not_what_the_model_should() {
    let hint =
        format!("{NO_REPEAT}. The user can allow it for good with `windlass policy allow 'read_file(a*)'`.");
    let denied =
        |hint: &str| CallComplaint { message: "no".into(), hint: Some(hint.into()), is_denied: true };
    assert_eq!(
        render(&[answered("read_file", json!({"path": "a"}), Err(denied(&hint)))]),
        "`read_file` was not allowed: no\n\nYou can allow it for good with `windlass policy allow 'read_file(a*)'`."
    );
    let bare = render(&[answered("read_file", json!({}), Err(denied(&format!("{NO_REPEAT}."))))]);
    assert_eq!(bare, "`read_file` was not allowed: no");
}
