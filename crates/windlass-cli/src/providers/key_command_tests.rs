use super::*;

fn sh(script: &str) -> Result<Secret, CommandFailure> {
    ask("sh", &["-c", script], &[])
}

#[test]
fn the_first_line_of_a_command_is_the_key() {
    assert_eq!(sh("printf ' sk-1 \\nuser: me\\n'").unwrap().expose(), "sk-1");
}

#[test]
fn nothing_goes_through_a_shell() {
    assert_eq!(ask("echo", &["$HOME; echo x"], &[]).unwrap().expose(), "$HOME; echo x");
}

#[test]
fn a_command_that_fails_says_nothing_or_is_missing_gives_no_key_and_is_not_quoted() {
    assert_eq!(sh("echo sk-secret; exit 3").unwrap_err(), CommandFailure::Failed(Some(3)));
    assert_eq!(sh("true").unwrap_err(), CommandFailure::Empty);
    assert_eq!(sh("echo; echo sk-2").unwrap_err(), CommandFailure::Empty);
    assert!(matches!(ask("no-such-program-here", &[], &[]), Err(CommandFailure::NotStarted(_))));
    assert!(!sh("echo sk-secret; exit 3").unwrap_err().to_string().contains("sk-secret"));
}

#[test]
fn a_command_that_never_ends_is_stopped() {
    assert_eq!(run("sh", &["-c", "exec sleep 60"], &[], None, 50).unwrap_err(), CommandFailure::TooLong);
}

#[test]
fn a_flood_is_read_to_the_limit_and_no_further() {
    let flood = run("sh", &["-c", "head -c 1000000 /dev/zero | tr '\\0' x; true"], &[], None, 5_000);
    match flood {
        Ok(text) => assert_eq!(text.len() as u64, KEY_BYTES_MAX),
        Err(failure) => assert!(matches!(failure, CommandFailure::Failed(_)), "{failure:?}"),
    }
}

#[test]
fn what_is_told_arrives_on_standard_input() {
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("heard");
    tell("sh", &["-c", "cat > \"$0\"", file.to_str().unwrap()], "sk-3").unwrap();
    assert_eq!(std::fs::read_to_string(file).unwrap(), "sk-3");
}
