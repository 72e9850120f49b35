//! The table of commands, and how lines are read.

use super::{COMMANDS, find, is_command, parse};

/// The word of the command that a line names, and what follows it.
fn read(line: &str) -> Option<(&str, &str)> {
    parse(line).ok().map(|(command, rest)| (command.word, rest))
}

#[test]
fn every_command_is_found_by_its_word_and_by_its_other_words() {
    for row in &COMMANDS {
        for word in [row.word].iter().chain(row.aliases) {
            assert_eq!(find(word).map(|found| found.word), Some(row.word), "{word}");
        }
    }
}

#[test]
fn a_line_is_a_word_and_what_follows_it() {
    assert_eq!(read("/model  openai/gpt-5 "), Some(("model", "openai/gpt-5")));
    assert_eq!(read("/clear"), Some(("new", "")));
    assert_eq!(read("/Q"), Some(("quit", "")));
    assert_eq!(read("rename a\nb"), Some(("rename", "a\nb")));
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
