//! Denied commands in 500 spellings and more: each is put to a real server that would run everything else, and none is
//! let through. The same spellings of commands that nobody denied are let through, so that the check can fail.

use serde_json::{Value, json};

use crate::place::{Place, Said};
use crate::serve::Served;

/// What is denied, and a line that it means.
const DENIED: [(&str, &str); 20] = [
    ("rm *", "rm -f precious"),
    ("git push *", "git push origin main"),
    ("curl *", "curl http://127.0.0.1:9/x"),
    ("wget *", "wget http://127.0.0.1:9/x"),
    ("mv *", "mv a b"),
    ("cp *", "cp a b"),
    ("chmod *", "chmod 777 a"),
    ("npm publish *", "npm publish --access public"),
    ("cargo publish *", "cargo publish --dry-run"),
    ("docker *", "docker ps"),
    ("kubectl delete *", "kubectl delete pod x"),
    ("ssh *", "ssh nowhere.invalid true"),
    ("scp *", "scp a nowhere.invalid:b"),
    ("nc *", "nc -l 9"),
    ("dd *", "dd if=a of=b"),
    ("truncate *", "truncate -s 0 a"),
    ("tee *", "tee a"),
    ("crontab *", "crontab -r"),
    ("psql *", "psql -c select"),
    ("make deploy *", "make deploy"),
];

/// The same kinds of lines that nobody denied.
const ALLOWED: [&str; 4] = ["touch a", "git status --short", "cargo check --workspace", "cat a"];

/// A way to write a line: it is given the whole line, its program and the words behind it.
type Spelling = fn(&str, &str, &str) -> String;

/// Ways that leave no doubt about what runs: for denied and allowed lines alike.
const CLEAR: [Spelling; 44] = [
    |line, _, _| line.to_owned(),
    |line, _, _| format!("  {line}"),
    |_, program, rest| format!("\"{program}\" {rest}"),
    |_, program, rest| format!("'{program}' {rest}"),
    |_, program, rest| format!("\\{program} {rest}"),
    |_, program, rest| format!("{}''{} {rest}", &program[..1], &program[1..]),
    |_, program, rest| format!("{}\"\"{} {rest}", &program[..1], &program[1..]),
    |_, program, rest| format!("$'\\x{:02x}{}' {rest}", program.as_bytes()[0], &program[1..]),
    |_, program, rest| format!("$'\\{:o}'{} {rest}", program.as_bytes()[0], &program[1..]),
    |_, program, rest| format!("{}\\\n{} {rest}", &program[..1], &program[1..]),
    |_, program, rest| format!("/usr/bin/{program} {rest}"),
    |_, program, rest| format!("../../bin/{program} {rest}"),
    |line, _, _| format!("env {line}"),
    |line, _, _| format!("env -i A=1 {line}"),
    |line, _, _| format!("env -u HOME -- {line}"),
    |line, _, _| format!("env -S '{line}'"),
    |line, _, _| format!("command {line}"),
    |line, _, _| format!("command -p {line}"),
    |line, _, _| format!("exec {line}"),
    |line, _, _| format!("exec -a other {line}"),
    |line, _, _| format!("nohup {line}"),
    |line, _, _| format!("nice -n 5 {line}"),
    |line, _, _| format!("timeout -s KILL 5 {line}"),
    |line, _, _| format!("timeout --signal=KILL 5s nice {line}"),
    |line, _, _| format!("time {line}"),
    |line, _, _| format!("! {line}"),
    |line, _, _| format!("if true; then {line}; fi"),
    |line, _, _| format!("while true; do {line}; break; done"),
    |line, _, _| format!("{{ {line}; }}"),
    |line, _, _| format!("( {line} )"),
    |line, _, _| format!("true && {line}"),
    |line, _, _| format!("false || {line}"),
    |line, _, _| format!("true; {line}"),
    |line, _, _| format!("true\n{line}"),
    |line, _, _| format!("true & {line}"),
    |line, _, _| format!("sh -c '{line}'"),
    |line, _, _| format!("bash -lc \"{line}\""),
    |line, _, _| format!("bash -o pipefail -c '{line}'"),
    |line, _, _| format!("eval '{line}'"),
    |line, _, _| format!("sh <<E\n{line}\nE\n"),
    |line, _, _| format!("sh <<< '{line}'"),
    |_, program, rest| format!("X={program}; $X {rest}"),
    |line, _, _| format!("f() {{ {line}; }}; f"),
    |line, _, _| format!(">/dev/null 2>&1 {line}"),
];

/// Ways that hide what runs, or leave it open: denied because nobody can tell, or because it was found all the same.
const HIDING: [Spelling; 22] = [
    |line, _, _| format!("echo $({line})"),
    |line, _, _| format!("echo `{line}`"),
    |line, _, _| format!("echo \"${{X:-$({line})}}\""),
    |line, _, _| format!("cat <({line})"),
    |line, _, _| format!("echo '{line}' | sh"),
    |line, _, _| format!("printf '%s' '{line}' | bash"),
    |line, _, _| format!("echo '{line}' > s.sh; sh s.sh"),
    |line, _, _| format!("echo x | xargs {line}"),
    |line, _, _| format!("find . -maxdepth 0 -exec {line} \\;"),
    |line, _, _| format!("trap '{line}' EXIT"),
    |line, _, _| format!("alias z='{line}'\nz"),
    |line, _, _| format!("case x in x) {line};; esac"),
    |line, _, _| format!("echo $(case x in x) {line};; esac)"),
    |line, _, _| format!("coproc N {{ {line}; }}"),
    |line, _, _| format!("python3 -c 'import os; os.system(\"{line}\")'"),
    |line, _, _| format!("awk 'BEGIN {{ system(\"{line}\") }}'"),
    |_, program, rest| format!("X={}; X+={}; $X {rest}", &program[..1], &program[1..]),
    |_, program, rest| format!("/usr/bin/{}? {rest}", &program[..program.len() - 1]),
    |_, program, rest| format!("{{{program},{}}}", rest.replace(' ', ",")),
    |_, program, rest| format!("X=_{program}; ${{X#_}} {rest}"),
    |_, program, rest| format!("$UNSET{program} {rest}"),
    |line, _, _| format!("{line} 'not closed"),
];

/// Written by hand, against `rm *` and `git push *`.
const BY_HAND: [&str; 28] = [
    "r{m,} -f precious",
    "r{m..m} -f precious",
    "/bin/r[m] -f precious",
    "r${Z}m -f precious",
    "A=ls; if x; then A=rm; fi; $A precious",
    "A=rm; false && A=ls; $A precious",
    "for c in ls rm; do $c precious; done",
    "set -- a rm precious; shift; \"$@\"",
    "f() { \"$@\"; }; f rm precious",
    "IFS=,; X=rm,precious; $X",
    "declare -l A=RM; $A precious",
    "hash -p /bin/rm ls; ls precious",
    "cat <<'a b'\nfoo\na b\nrm precious",
    "{fd}>f rm precious",
    "a[0]=x rm precious",
    "`echo \\'; rm precious; echo \\'`",
    "echo \"${X:-'}\"; rm precious; echo \"'}\"",
    "echo RM precious | tr '[:upper:]' '[:lower:]' | sh",
    "sudo -u root -- rm precious",
    "busybox rm precious",
    "git -C . push",
    "git --no-pager push",
    "git -c core.pager=cat push",
    "git $X",
    "git p{ush,}",
    "bash -oc pipefail 'rm precious'",
    "sh -c \"$(echo cm0geA== | base64 -d)\"",
    "timeout --sign KILL 5 rm precious",
];

fn spelled(ways: &[Spelling], line: &str) -> Vec<String> {
    let (program, rest) = line.split_once(' ').unwrap();
    ways.iter().map(|way| way(line, program, rest)).collect()
}

/// What decides a line, and how.
fn decided(served: &Served, line: &str) -> (String, String) {
    let body = json!({"tool": "execute_command", "arguments": {"command": line}}).to_string();
    let said = served.json("POST /api/policies/explain", &body);
    let gates = said["gates"].as_array().unwrap_or_else(|| panic!("{line}: {said}"));
    let gate = gates.iter().find(|gate| gate["decides"] == true).unwrap();
    (gate["gate"].as_str().unwrap().to_owned(), gate["opinion"].as_str().unwrap().to_owned())
}

#[test]
fn u_81_no_spelling_of_a_denied_command_passes() {
    let place = Place::with(&[("a.script", "user x\nmodel text y\n")]);
    let denies: Vec<String> = DENIED
        .iter()
        .flat_map(|(rule, _)| ["--deny".to_owned(), format!("execute_command({rule})")])
        .collect();
    let args: Vec<&str> = ["--approve", "all"].into_iter().chain(denies.iter().map(String::as_str)).collect();
    let served = Served::start(&place, &args);
    let mut spellings: Vec<String> = Vec::new();
    for (_, line) in DENIED {
        spellings.extend(spelled(&CLEAR, line));
        spellings.extend(spelled(&HIDING, line));
    }
    spellings.extend(BY_HAND.map(str::to_owned));
    assert!(spellings.len() >= 500, "{}", spellings.len());
    let passed: Vec<_> = spellings
        .iter()
        .map(|line| (line, decided(&served, line)))
        .filter(|(_, (gate, opinion))| opinion != "deny" || gate != "deny_rule")
        .collect();
    assert!(passed.is_empty(), "{} of {} passed: {passed:#?}", passed.len(), spellings.len());

    // The same spellings of what nobody denied run: the check above can fail.
    let allowed: Vec<String> = ALLOWED.iter().flat_map(|line| spelled(&CLEAR, line)).collect();
    let stopped: Vec<_> = allowed
        .iter()
        .map(|line| (line, decided(&served, line)))
        .filter(|(_, (_, opinion))| opinion != "allow")
        .collect();
    assert!(stopped.is_empty(), "{} of {} are stopped: {stopped:#?}", stopped.len(), allowed.len());
}

#[test]
fn u_81_an_allow_rule_covers_nothing_that_runs_beside_what_it_names() {
    let place = Place::with(&[("a.script", "user x\nmodel text y\n")]);
    let rules = ["--allow", "execute_command(git *)", "--allow", "execute_command(find *)"];
    let served = Served::start(&place, &rules);
    for line in [
        "git status; touch x",
        "git status && touch x",
        "git log $(touch x)",
        "git -c alias.x='!touch y' x",
        "git 'not closed",
        "find . -exec touch x \\;",
        "find . -name x -exec {} y \\;",
        "env git status",
        "sh -c 'git status'",
    ] {
        assert_eq!(decided(&served, line).1, "ask", "{line}");
    }
    for line in ["git status", "git log -n 3 --oneline", "find . -name '*.rs'"] {
        assert_eq!(decided(&served, line), ("allow_rule".into(), "allow".into()), "{line}");
    }
}

#[test]
fn u_81_a_model_that_tries_every_spelling_does_not_delete_the_file() {
    let tries = [
        "rm -f precious",
        "'rm' -f precious",
        "env rm -f precious",
        "sh -c 'rm -f precious'",
        "X=rm; $X -f precious",
        "$(echo rm) -f precious",
        "/bin/r? -f precious",
        "find . -name precious -exec rm {} \\;",
        "ls precious | xargs rm -f",
        "A=r; A+=m; $A -f precious",
    ];
    let mut script = "user Delete it\n".to_owned();
    for (line, number) in tries.iter().zip(1..) {
        script += &format!("model call {number} execute_command {}\n", json!({"command": line}));
    }
    script +=
        "model call 11 execute_command {\"command\":\"touch reached\"}\nmodel end calls\nmodel text Done.\n";
    let place = Place::with(&[("a.script", script.as_str()), ("precious", "mine")]);
    let args = [
        "run",
        "--json",
        "--model",
        "scripted/a.script",
        "--approve",
        "all",
        "--deny",
        "execute_command(rm *)",
    ];
    let frames = Said::of(place.command_of_nobody(&args).output().unwrap()).exits(0).lines();
    let denied = frames
        .iter()
        .filter(|frame| frame["type"] == "tool_result")
        .filter(|frame: &&Value| frame.to_string().contains("permission_denied"))
        .count();
    assert_eq!(denied, tries.len(), "{frames:#?}");
    assert_eq!(place.read("precious"), "mine");
    assert!(place.path("reached").exists(), "what nobody denied runs");
}
