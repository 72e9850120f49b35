use clap::CommandFactory;

use super::*;

#[test]
fn the_grammar_has_no_contradiction() {
    Args::command().debug_assert();
}

#[test]
fn global_flags_stand_before_or_after_the_command() {
    for line in [["windlass", "--json", "tools", "list"], ["windlass", "tools", "list", "--json"]] {
        let args = Args::try_parse_from(line).unwrap();
        assert!(args.global.json, "{line:?}");
        assert!(matches!(args.command, Some(Command::Tools(ToolsCommand::List))));
    }
}

#[test]
fn the_flags_of_a_run_are_read() {
    let line = "windlass run --allow read_file(src/**) --allow x --deny y --approve safe --max-steps 3 --timeout 1m30s \
                --no-tools --session s1 --context c.txt - ";
    let args = Args::try_parse_from(line.split_whitespace()).unwrap();
    let Some(Command::Run(run)) = args.command else { panic!("not a run") };
    assert_eq!(run.prompt, ["-"]);
    assert_eq!(
        (run.permission.allow, run.permission.deny),
        (vec!["read_file(src/**)".into(), "x".into()], vec!["y".into()])
    );
    assert_eq!(run.permission.approve, Some(ApproveArg::Safe));
    assert_eq!((run.max_steps, run.timeout, run.no_tools), (Some(3), Some(90_000), true));
    assert_eq!(run.session.as_deref(), Some("s1"));
}

#[test]
fn wrong_flags_are_refused() {
    for line in [
        "windlass run --max-steps 0 hi",
        "windlass run --timeout 5 hi",
        "windlass run --approve maybe hi",
        "windlass -q -v run hi",
        "windlass tools",
        "windlass policy allow",
        "windlass nonsense list",
    ] {
        assert!(Args::try_parse_from(line.split_whitespace()).is_err(), "{line}");
    }
}
