use serde_json::Map;

use super::*;
use crate::builtin::outcome::CallComplaint;

fn call(tool: &str, args: Value, result: Result<Value, CallComplaint>) -> AnsweredCall {
    let args: Map<String, Value> = args.as_object().cloned().unwrap_or_default();
    AnsweredCall { tool: tool.to_owned(), args, result }
}

fn refused(is_denied: bool) -> CallComplaint {
    CallComplaint { message: "no".to_owned(), hint: None, is_denied }
}

#[test]
fn a_file_is_read_then_edited_then_left_alone() {
    let edit = Edit { path: "a.txt".to_owned(), change: Change::Append("three".to_owned()) };
    assert_eq!(edit.next(&[]), NextOfEdit::Call(READ_FILE, json!({"path": "a.txt"})));
    let read = call(READ_FILE, json!({"path": "a.txt"}), Ok("one\ntwo\n".into()));
    let NextOfEdit::Call(EDIT_FILE, args) = edit.next(std::slice::from_ref(&read)) else { panic!("no edit") };
    assert_eq!(args["edits"], json!([{"start_line": 3, "end_line": 2, "new": "three\n"}]));
    assert_eq!(args["expected_sha256"].as_str().unwrap().len(), 64);
    let edited = call(EDIT_FILE, args, Ok("done".into()));
    assert_eq!(edit.next(&[read, edited]), NextOfEdit::End);
    let missing = call(READ_FILE, json!({"path": "a.txt"}), Err(refused(false)));
    assert_eq!(edit.next(&[missing]), NextOfEdit::End);
}

#[test]
fn a_file_that_exists_is_read_before_it_is_overwritten() {
    let args = json!({"path": "a.txt", "content": "x"});
    let write = call(WRITE_FILE, args.clone(), Err(refused(false)));
    assert_eq!(
        next_of_write(std::slice::from_ref(&write)),
        Some(NextOfEdit::Call(READ_FILE, json!({"path": "a.txt"})))
    );
    let read = call(READ_FILE, json!({"path": "a.txt"}), Ok("old".into()));
    assert_eq!(
        next_of_write(&[write.clone(), read.clone()]),
        Some(NextOfEdit::Call(WRITE_FILE, args.clone()))
    );
    assert_eq!(
        next_of_write(&[write, read, call(WRITE_FILE, args.clone(), Ok("".into()))]),
        Some(NextOfEdit::End)
    );
    assert_eq!(
        next_of_write(&[call(WRITE_FILE, args.clone(), Err(refused(true)))]),
        None,
        "denied stays denied"
    );
    assert_eq!(next_of_write(&[call(WRITE_FILE, args, Ok("".into()))]), None);
}
