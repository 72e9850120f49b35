use super::*;

fn shell(line: &str) -> String {
    CommandLine::Shell(line.to_owned()).line()
}

#[test]
fn plain_lines_are_joined_by_single_spaces() {
    assert_eq!(shell("  cargo \t test --all  "), "cargo test --all");
    let argv = ["cargo", "test"].map(str::to_owned).to_vec();
    assert_eq!(CommandLine::Argv(argv).line(), "cargo test");
}

#[test]
fn a_shell_line_with_more_in_it_stays_as_it_is() {
    for line in ["cargo test; rm -rf  /", "a\nb", "echo 'a  b'", "X=1 cargo test"] {
        assert_eq!(shell(line), line);
    }
}

#[test]
fn words_of_an_argument_list_cannot_pose_as_shell() {
    let line =
        |words: &[&str]| CommandLine::Argv(words.iter().map(|word| (*word).to_owned()).collect()).line();
    assert_eq!(line(&["cargo", "test; rm -rf /"]), "cargo 'test; rm -rf /'");
    assert_eq!(line(&["echo", "it's", ""]), r"echo 'it'\''s' ''");
    assert_eq!(line(&["a b", "$(x)"]), "'a b' '$(x)'");
    assert_eq!(line(&["X=1", "cargo"]), "'X=1' cargo");
}

#[test]
fn folder_and_variables_are_part_of_the_line() {
    let env = BTreeMap::from([("RUSTC".to_owned(), "my rustc".to_owned())]);
    let command = CommandLine::Shell("cargo test".into());
    assert_eq!(command.full_line("a b", &env), "cd 'a b' && RUSTC='my rustc' cargo test");
    assert_eq!(command.full_line(".", &BTreeMap::new()), "cargo test");
}
