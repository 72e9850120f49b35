//! The table of commands, and how lines are read.

use super::{COMMANDS, CommandKind, find, is_command, parse, row_of};

#[test]
fn every_command_is_found_by_its_word_and_by_its_other_words() {
    for row in &COMMANDS {
        assert_eq!(row_of(row.kind), Some(row));
        for word in [row.word].iter().chain(row.aliases) {
            assert_eq!(find(word).map(|found| found.kind), Some(row.kind), "{word}");
        }
    }
}

#[test]
fn a_line_is_a_word_and_what_follows_it() {
    assert_eq!(parse("/model  openai/gpt-5 "), Ok((CommandKind::Model, "openai/gpt-5")));
    assert_eq!(parse("/clear"), Ok((CommandKind::New, "")));
    assert_eq!(parse("/Q"), Ok((CommandKind::Quit, "")));
    assert_eq!(parse("rename a\nb"), Ok((CommandKind::Rename, "a\nb")));
}

#[test]
fn a_wrong_word_is_told_with_the_nearest_one() {
    let told = parse("/profle x").unwrap_err().to_string();
    assert_eq!(told, "there is no command /profle; did you mean /profile?");
    let told = parse("/zzzzzz").unwrap_err().to_string();
    assert_eq!(told, "there is no command /zzzzzz; /help lists them");
    assert_eq!(parse("/ext").unwrap_err().nearest, Some("quit"));
}

#[test]
fn a_path_at_the_beginning_of_a_message_is_no_command() {
    assert!(is_command("/help"));
    assert!(is_command("/"));
    assert!(!is_command("/etc/hosts is empty"));
    assert!(!is_command("// a comment"));
    assert!(!is_command("say /help"));
}

#[test]
fn what_must_follow_a_word_is_known() {
    assert!(find("search").unwrap().must_have_arguments());
    assert!(!find("model").unwrap().must_have_arguments());
    assert_eq!(find("search").unwrap().usage(), "/search TEXT");
    assert_eq!(find("quit").unwrap().usage(), "/quit");
}
