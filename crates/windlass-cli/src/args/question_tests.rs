use super::*;

fn words(line: &[&str]) -> Vec<String> {
    line.iter().map(|word| (*word).to_owned()).collect()
}

#[test]
fn a_sentence_or_a_word_like_no_command_is_a_question() {
    for line in [
        &["list the files"][..],
        &["--model", "builtin", "list the files"],
        &["list the files", "--model", "builtin"],
        &["--json", "what is 2 + 3?", "--no-tools"],
        &["hello"],
        &["--approve", "edit", "fix the typo"],
        &["run the tests"],
    ] {
        assert_eq!(meant(&words(line)), Meant::Question, "{line:?}");
    }
}

#[test]
fn commands_their_misspellings_and_flags_alone_are_none() {
    for line in [
        &[][..],
        &["run", "x"],
        &["rn"],
        &["rn", "x"],
        &["sesions"],
        &["tools", "list"],
        &["--model", "builtin"],
        &["--help"],
        &["polcy", "list"],
        &["serve"],
        &["help"],
        &["--version"],
        &["frobnicate", "list"],
    ] {
        assert_ne!(meant(&words(line)), Meant::Question, "{line:?}");
    }
}

#[test]
fn a_misspelt_command_is_known_for_what_was_meant() {
    for (line, near) in [
        (&["rn"][..], "run"),
        (&["rn", "x"], "run"),
        (&["sesions"], "sessions"),
        (&["polcy", "list"], "policy"),
    ] {
        assert_eq!(meant(&words(line)), Meant::Misspelt(line[0].to_owned(), near.to_owned()));
    }
}
