use windlass_core::tool::Risk;

use super::*;

fn question(tool: &str, arguments: &str) -> Question {
    Question {
        call_id: "call_1".into(),
        tool: tool.into(),
        arguments: arguments.into(),
        risk: Risk::High,
        targets: Vec::new(),
        preview: None,
        rule: String::new(),
        confirm_word: None,
    }
}

#[test]
fn a_digest_is_that_of_the_arguments_whatever_their_spacing() {
    let run = RunId::new("r");
    let shown = digest(&run, &question("write_file", r#"{"path":"a","text":"b"}"#));
    assert_eq!(shown.len(), 64);
    assert_eq!(shown, digest(&run, &question("write_file", r#"{ "text":"b", "path":"a" }"#)));
    assert_ne!(shown, digest(&run, &question("write_file", r#"{"path":"a","text":"c"}"#)));
    assert_ne!(shown, digest(&run, &question("edit_file", r#"{"path":"a","text":"b"}"#)));
    assert_ne!(shown, digest(&RunId::new("s"), &question("write_file", r#"{"path":"a","text":"b"}"#)));
}

#[test]
fn bytes_are_written_in_hex() {
    assert_eq!(hex(&[0, 15, 255]), "000fff");
}
