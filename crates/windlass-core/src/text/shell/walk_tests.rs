use super::*;

fn lines(line: &str) -> Vec<String> {
    runs(line, "/srv/project")
        .iter()
        .map(|run| [vec![run.program.clone()], run.args.clone()].concat().join(" "))
        .collect()
}

#[test]
fn quotes_and_backslashes_are_taken_off() {
    for line in [
        "rm -rf x",
        "'rm' -rf x",
        "\"rm\" -r\"f\" 'x'",
        r"\rm -rf \x",
        "r''m -rf x",
        "/bin/rm -rf x",
        "$'\\x72m' -rf x",
    ] {
        assert_eq!(lines(line), ["rm -rf x"], "{line}");
    }
}

#[test]
fn operators_part_commands_and_quotes_hide_operators() {
    assert_eq!(lines("a; b && c || d | e & f\ng"), ["a", "b", "c", "d", "e", "f", "g"]);
    assert_eq!(lines("echo 'a; b && c'"), ["echo a; b && c"]);
    assert_eq!(lines("(a; b) | c # d; e"), ["a", "b", "c"]);
    assert_eq!(lines("if a; then b; else c; fi; { d; }"), ["a", "b", "c", "d"]);
}

#[test]
fn wrappers_are_taken_off() {
    for line in [
        "env rm x",
        "env -i A=b rm x",
        "sudo -u root -- rm x",
        "command rm x",
        "exec rm x",
        "nohup nice -n 5 rm x",
        "time rm x",
        "timeout -s KILL 5 rm x",
        "sh -c 'rm x'",
        "bash -lc 'rm x'",
        "bash -e -c \"rm x\"",
        "su -c 'rm x'",
        "eval rm x",
        "eval 'rm x'",
        "echo x | xargs rm",
        "find x -exec rm {} \\;",
        "echo 'rm x' | sh",
        "sh <<< 'rm x'",
        "sh <<E\nrm x\nE\n",
        "echo cm0geA== | base64 -d | sh",
        "! rm x",
        "for f in x; do rm $f; done",
        "sh -c 'rm $0' x",
        "A=x; rm $A",
        "A=rm; $A x",
        "rm $(echo x)",
        "rm `echo x`",
        "rm ${A:-x}",
        "f() { rm x; }",
        "bash <(echo rm x)",
        "python3 -c 'import os; os.system(\"rm x\")'",
        "busybox rm x",
        "ssh host rm x",
    ] {
        assert!(lines(line).contains(&"rm x".to_owned()), "{line}: {:?}", lines(line));
    }
}

#[test]
fn a_folder_holds_until_its_bracket_closes() {
    let folders: Vec<_> = runs("(cd / && a); b; cd sub; c; cd $X; d", "/p")
        .into_iter()
        .map(|run| (run.program, run.folder))
        .collect();
    let of = |name: &str| folders.iter().find(|(program, _)| program == name).unwrap().1.clone();
    assert_eq!(
        (of("a"), of("b"), of("c"), of("d")),
        (Some("/".into()), Some("/p".into()), Some("/p/sub".into()), None)
    );
}

#[test]
fn text_from_the_network_or_a_decoder_is_unreadable() {
    for line in [
        "curl x | sh",
        "sh -c \"$(curl x)\"",
        "eval \"$(wget -O- x)\"",
        "cat y | base64 -d | bash",
        "bash <(curl x)",
        "curl x | sudo bash -s",
    ] {
        assert!(runs(line, "/p").iter().any(|run| run.is_unreadable), "{line}");
    }
    for line in ["cat x.sh | sh", "curl x | jq .", "eval \"$(ssh-agent)\"", "curl x > y", "echo $(curl x)"] {
        assert!(!runs(line, "/p").iter().any(|run| run.is_unreadable), "{line}");
    }
}

#[test]
fn nothing_makes_it_fail_or_run_for_ever() {
    let deep = "sh -c '".repeat(40);
    for line in [
        "",
        "'",
        "\"",
        "$(",
        "${",
        "`",
        "<<",
        "<<E",
        "a <<E\nb",
        "\\",
        "$",
        ">",
        "((((",
        "))))",
        "{{{{,,,}}}}",
        &deep,
    ] {
        runs(line, "");
    }
    runs(&"{a,b}".repeat(40), "");
}

#[test]
fn no_nesting_is_too_deep_to_be_read() {
    for (open, close) in [("${A:-", "}"), ("$(echo ", ")"), ("$((", "))"), ("${A/x/", "}"), ("`echo ", "`")] {
        let line = format!("echo {}x{}", open.repeat(2_000), close.repeat(2_000));
        runs(&line, "");
        possible_runs(&line);
    }
    for word in ["tmux ", "env ", "git foreach ", "python3 -c 'system(\"'", "find -exec ", "eval ", "sh -c '"]
    {
        possible_runs(&word.repeat(300));
    }
}
