//! Protected paths: what git, editors, shells and agents obey is changed only by a rule for just that path, or asked
//! about.

use std::os::unix::fs::symlink;

use crate::place::Place;

/// One write of each protected kind, in spellings that lead there.
const PATHS: [&str; 14] = [
    ".git/hooks/pre-commit",
    "sub/.git/info/exclude",
    ".GIT/HEAD",
    ".windlass/config.toml",
    ".vscode/tasks.json",
    ".idea/workspace.xml",
    ".cargo/config.toml",
    ".husky/pre-push",
    ".github/workflows/ci.yml",
    ".pre-commit-config.yaml",
    ".claude/settings.json",
    "AGENTS.md",
    "sub/CLAUDE.md",
    ".bashrc",
];

fn write_of(path: &str) -> String {
    format!(
        "user Go\nmodel call 1 write_file {{\"path\":\"{path}\",\"content\":\"x\"}}\nmodel end calls\nmodel text Done.\n"
    )
}

fn outcome_of(place: &Place, more: &[&str]) -> (String, String) {
    let args = [&["run", "--json", "--model", "scripted/a.script", "Go"], more].concat();
    let frames = place.windlass(&args).exits(0).lines();
    let result = frames.iter().find(|frame| frame["type"] == "tool_result").expect("a result").clone();
    let text = result["result"].to_string();
    let word = result["result"]["error_type"].as_str().unwrap_or("none").to_owned();
    (word, text)
}

#[test]
fn u_75_no_mode_rule_or_grant_changes_a_protected_path_where_nobody_is_asked() {
    let place = Place::new();
    std::fs::create_dir(place.path(".git")).unwrap();
    for rule in ["write_file", "*", "scope:write_files", "write_file(.git/**)", "write_file(**/*)"] {
        place.windlass(&["policy", "allow", rule]).exits(0);
    }
    for path in PATHS {
        place.write("a.script", &write_of(path));
        for more in
            [&["--approve", "all"][..], &["--approve", "edit"], &["--allow", "write_file", "--allow", "*"]]
        {
            let (word, text) = outcome_of(&place, more);
            assert_eq!(word, "permission_denied", "{path} {more:?} {text}");
            assert!(text.contains("protected path"), "{path} {more:?} {text}");
            assert!(!place.path(path).exists(), "{path} {more:?}");
        }
    }
    // What is not protected is written as ever.
    place.write("a.script", &write_of("src/a.rs"));
    assert_eq!(outcome_of(&place, &["--approve", "all"]).0, "none");
    assert_eq!(place.read("src/a.rs"), "x");
}

#[test]
fn u_75_only_a_rule_that_names_exactly_the_path_opens_it() {
    let place = Place::new();
    place.windlass(&["policy", "allow", "write_file(.git/hooks/pre-commit)"]).exits(0);
    place.windlass(&["policy", "allow", "write_file(AGENTS.md)"]).exits(0);
    for (path, opens) in [
        (".git/hooks/pre-commit", true),
        ("AGENTS.md", true),
        (".git/hooks/pre-push", false),
        ("sub/AGENTS.md", false),
    ] {
        place.write("a.script", &write_of(path));
        let (word, text) = outcome_of(&place, &[]);
        assert_eq!(word == "none", opens, "{path} {text}");
        assert_eq!(place.path(path).exists(), opens, "{path}");
    }
    let explain =
        ["policy", "explain", "write_file", "{\"path\":\".git/x\",\"content\":\"x\"}", "--allow", "*"];
    let said = place.windlass(&[&explain[..], &["--approve", "all"]].concat()).exits(0);
    assert!(said.out.contains("→ protected"), "{}", said.out);
}

#[test]
fn u_75_links_to_and_from_protected_folders_change_nothing() {
    let place = Place::with(&[("store/config", ""), ("notes/agents.txt", "old\n"), (".windlass/x", "")]);
    symlink("store", place.path(".git")).unwrap();
    symlink("notes/agents.txt", place.path("AGENTS.md")).unwrap();
    symlink(".windlass", place.path("harmless")).unwrap();
    for path in ["store/hooks/x", ".git/hooks/x", "harmless/tools/a.rhai"] {
        place.write("a.script", &write_of(path));
        let (word, text) = outcome_of(&place, &["--approve", "all", "--allow", "write_file"]);
        assert_eq!(word, "permission_denied", "{path} {text}");
    }
    let script = "user Go\nmodel call 1 read_file {\"path\":\"notes/agents.txt\"}\nmodel end calls\n\
                  model call 2 write_file {\"path\":\"notes/agents.txt\",\"content\":\"new\"}\nmodel end calls\n\
                  model text Done.\nexpect-call 2 denied\n";
    place.write("a.script", script);
    place.windlass(&["run", "--model", "scripted/a.script", "--approve", "all", "Go"]).exits(0);
    assert_eq!(place.read("notes/agents.txt"), "old\n");
    assert!(!place.path("store/hooks").exists() && !place.path(".windlass/tools").exists());
}

#[test]
fn u_75_a_critical_call_is_covered_only_by_a_rule_for_just_that_call() {
    let place = Place::with(&[("src/x", "x")]);
    let explain = |rule: &str| {
        let args = ["policy", "explain", "execute_command", "{\"command\":\"rm -rf src\"}", "--json"];
        let said = place.windlass(&[&args[..], &["--allow", rule]].concat()).exits(0).json();
        (said["risk"].as_str().unwrap().to_owned(), said["decides"].as_str().unwrap().to_owned())
    };
    for rule in ["execute_command", "*", "execute_command(rm *)", "execute_command(rm -rf *)"] {
        assert_eq!(explain(rule), ("critical".into(), "mode".into()), "{rule}");
    }
    assert_eq!(explain("execute_command(rm -rf src)"), ("critical".into(), "allow_rule".into()));
}
