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
        assert!(is_question(&words(line)), "{line:?}");
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
        assert!(!is_question(&words(line)), "{line:?}");
    }
}
