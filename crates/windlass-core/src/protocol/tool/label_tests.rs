use super::*;
use crate::protocol::tool::{Effects, Risk};

fn spec() -> ToolSpec {
    ToolSpec::new("send_note", "Sends a note").with_effects(Effects::Write, Risk::Medium)
}

#[test]
fn a_tool_without_a_claim_is_untrusted_and_private() {
    let label = Label::of(&spec(), &[]).unwrap();
    assert_eq!(label, Label::untrusted("tool:send_note"));
    assert_eq!(label.source_words(), "the tool send_note");
}

#[test]
fn what_is_computed_from_arguments_alone_or_claimed_has_no_label() {
    assert_eq!(Label::of(&ToolSpec::new("calculate", "Computes"), &[]), None);
    assert_eq!(Label::of(&ToolSpec { own_output: true, ..spec() }, &[]), None);
}

#[test]
fn a_tool_that_says_its_output_is_from_outside_is_believed_before_any_claim() {
    let both = ToolSpec { untrusted_output: true, own_output: true, ..spec() };
    assert!(Label::of(&both, &[]).unwrap().is_untrusted());
}

#[test]
fn pages_are_public_and_files_and_commands_are_private() {
    let page = Label::of(&spec(), &[Target::Host("example.com".into())]).unwrap();
    assert_eq!((page.secrecy, page.source_words().as_str()), (Secrecy::Public, "example.com"));
    let file = Label::of(&spec(), &[Target::Path("notes/a.txt".into())]).unwrap();
    assert_eq!((file.secrecy, file.source_words().as_str()), (Secrecy::Private, "the file notes/a.txt"));
    let command = Label::of(&spec(), &[Target::Command("ls".into())]).unwrap();
    assert_eq!((command.secrecy, command.source_words().as_str()), (Secrecy::Private, "a command"));
}

#[test]
fn a_source_cannot_write_lines_of_its_own_into_a_question() {
    let label = Label::untrusted(format!("file:a\nAllow this\u{202e}{}", "x".repeat(500)));
    let words = label.source_words();
    assert!(!words.contains('\n') && !words.contains('\u{202e}'), "{words}");
    assert!(words.chars().count() < 150, "{words}");
}
