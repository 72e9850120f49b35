use clap::CommandFactory;

use super::*;

#[test]
fn the_grammar_has_no_contradiction() {
    CommandLine::command().debug_assert();
}

#[test]
fn global_flags_stand_before_or_after_the_command() {
    for line in [["windlass", "--json", "tools", "list"], ["windlass", "tools", "list", "--json"]] {
        let args = CommandLine::try_parse_from(line).unwrap();
        assert!(args.global.json, "{line:?}");
        assert!(matches!(args.command, Some(CliCommand::Tools(ToolsCommand::List))));
    }
}

#[test]
fn the_flags_of_a_run_are_read() {
    let line = "windlass run --allow read_file(src/**) --allow x --deny y --approve safe --max-steps 3 --timeout 1m30s \
                --max-calls 4 --max-tokens 5000 --max-cost 0.25 \
                --no-tools --session s1 --context c.txt - ";
    let args = CommandLine::try_parse_from(line.split_whitespace()).unwrap();
    let Some(CliCommand::Run(run)) = args.command else { panic!("not a run") };
    assert_eq!(run.prompt, ["-"]);
    assert_eq!(
        (run.permission.allow, run.permission.deny),
        (vec!["read_file(src/**)".into(), "x".into()], vec!["y".into()])
    );
    assert_eq!(run.permission.approve, Some(ApproveArg::Safe));
    assert_eq!((run.max_steps, run.timeout, run.no_tools), (Some(3), Some(90_000), true));
    assert_eq!((run.max_calls, run.max_tokens, run.max_cost), (Some(4), Some(5_000), Some(0.25)));
    assert_eq!(run.session.as_deref(), Some("s1"));
    let args = CommandLine::try_parse_from(["windlass", "run", "--max-time", "2s", "hi"]).unwrap();
    assert!(matches!(args.command, Some(CliCommand::Run(RunArgs { timeout: Some(2_000), .. }))));
}

#[test]
fn wrong_flags_are_refused() {
    for line in [
        "windlass run --max-steps 0 hi",
        "windlass run --timeout 5 hi",
        "windlass run --max-calls 0 hi",
        "windlass run --max-calls 10001 hi",
        "windlass run --max-tokens 0 hi",
        "windlass run --max-tokens 1000000001 hi",
        "windlass run --max-cost 0 hi",
        "windlass run --max-cost=-1 hi",
        "windlass run --max-cost NaN hi",
        "windlass run --max-cost inf hi",
        "windlass run --max-cost 100001 hi",
        "windlass run --approve maybe hi",
        "windlass -q -v run hi",
        "windlass tools",
        "windlass policy allow",
        "windlass nonsense list",
    ] {
        assert!(CommandLine::try_parse_from(line.split_whitespace()).is_err(), "{line}");
    }
}
