//! What SECURITY.md and docs/safety.md say in figures, lists and tables is what the program says when it is asked.
//!
//! That each claim names a test, and that the test is there, `cargo xtask tidy` sees to.

use std::collections::BTreeSet;
use std::fs;

use serde_json::{Value, json};

use crate::place::{Place, Said};
use crate::sandbox::{doctor, has};

const SECURITY: &str = include_str!("../../../../SECURITY.md");
const SAFETY: &str = include_str!("../../../../docs/safety.md");

/// How a row of the table of the sandbox begins, and the deeds of the doctor that it speaks of.
const ROWS: [(&str, &[&str]); 10] = [
    ("writing outside the project", &["write_outside"]),
    ("`.git`, `.windlass` of the project", &["write_git_hook", "move_git_away", "create_missing_git"]),
    ("TCP, UDP, sockets", &["connect_tcp", "send_udp", "connect_unix_path", "connect_unix_abstract"]),
    (
        "hosts that were not granted",
        &[
            "reach_other_host",
            "reach_around_proxy",
            "reach_other_name",
            "reach_by_address",
            "reach_own_machine",
        ],
    ),
    (
        "signals, tracing, memory and environment",
        &["signal_outward", "ptrace_outward", "read_memory_outward", "read_environment_outward"],
    ),
    ("`~/.ssh", &["read_hidden_file"]),
    ("writing through hard links", &["hard_link_out", "symlink_out", "move_out"]),
    ("a process that leaves the group", &["survive_by_setsid"]),
    ("mounting and unmounting inside", &["remount", "unmount"]),
    ("making a user namespace inside", &["nest_user_namespace"]),
];

/// The words in code marks that follow a text.
fn listed(text: &str, after: &str) -> BTreeSet<String> {
    let rest = text.split_once(after).unwrap_or_else(|| panic!("nothing about '{after}'")).1;
    rest.split('`').next().unwrap().split(' ').map(str::to_owned).collect()
}

/// The number before a word.
fn number_before(text: &str, word: &str) -> usize {
    let before = text.split_once(word).unwrap_or_else(|| panic!("nothing about '{word}'")).0;
    before.trim_end().rsplit(' ').next().unwrap().replace(',', "").parse().unwrap()
}

#[test]
fn u_85_the_figures_of_the_document_are_those_of_the_program() {
    let place = Place::new();
    let floor: Value = serde_json::from_str(include_str!("../../../../fixtures/floor.json")).unwrap();
    let refused = floor["refused"].as_array().unwrap();
    assert!(refused.len() > number_before(SECURITY, " spellings are tried"), "{}", refused.len());
    for line in refused.iter().step_by(40) {
        let call = json!({"command": line}).to_string();
        let explain =
            ["policy", "explain", "execute_command", &call, "--approve", "all", "--allow", "*", "--json"];
        let said = place.windlass(&explain).exits(0).json();
        assert_eq!((&said["decides"], &said["stance"]), (&json!("floor"), &json!("denies")), "{line}");
    }
    if has("bubblewrap") {
        let report = doctor(place.command(&["sandbox", "doctor", "--json"]));
        let deeds = report["deeds"].as_array().unwrap().len();
        assert_eq!(
            (number_before(SECURITY, " deeds, each"), number_before(SAFETY, " deeds, each")),
            (deeds, deeds)
        );
    }
}

/// What a cell of the table promises of a deed.
fn expected(cell: &str) -> &'static str {
    if cell.contains("**not held**") { "not_held" } else { "held" }
}

#[test]
fn u_85_the_table_of_the_sandbox_is_what_its_doctor_finds() {
    let place = Place::new();
    for (column, by) in [(2, "bubblewrap"), (3, "landlock")] {
        if !has(by) {
            continue;
        }
        let without = if by == "landlock" { &["--without", "bubblewrap"][..] } else { &[] };
        let args = [&["sandbox", "doctor", "--json"], without].concat();
        let report = doctor(place.command_of_nobody(&args));
        let mut seen = BTreeSet::from(["write_inside", "reach_granted_host"]);
        let found = |deed: &str| report["deeds"].as_array().unwrap().iter().find(|one| one["deed"] == deed);
        for (begin, deeds) in ROWS {
            let row = SAFETY.lines().find(|line| line.starts_with(&format!("| {begin}")));
            let row = row.unwrap_or_else(|| panic!("the document has no row '{begin}'"));
            let promised = expected(row.split('|').nth(column).unwrap());
            if row.split('|').nth(column).unwrap().trim() == "no host can be granted" {
                assert!(deeds.iter().all(|deed| found(deed).is_none()), "{by}: {report:#}");
                continue;
            }
            for deed in deeds {
                let found = found(deed).unwrap();
                let is_so = found["verdict"] == promised
                    // Who has no rights cannot do these anyway.
                    || (promised == "held" && ["remount", "unmount"].contains(deed) && found["verdict"] == "unproven");
                assert!(
                    is_so,
                    "{by}: the document says {promised} of {deed}, the doctor {}",
                    found["verdict"]
                );
                seen.insert(deed);
            }
        }
        let unsaid = report["deeds"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|one| !seen.contains(one["deed"].as_str().unwrap()));
        assert_eq!(unsaid.count(), 0, "a deed of the doctor has no row in the document: {report:#}");
    }
}

#[test]
fn u_85_commands_inherit_the_variables_that_the_document_lists_and_no_others() {
    let place = Place::new();
    let inherited = listed(SECURITY, "They inherit `");
    let given = listed(SECURITY, "they are given `");
    // A family is shown by two of it.
    let families = |name: &String| match name.strip_suffix('*') {
        Some(family) => vec![format!("{family}ALL"), format!("{family}TIME")],
        None => vec![name.clone()],
    };
    let inherited: BTreeSet<String> = inherited.iter().flat_map(families).collect();
    let others = [
        "LD_PRELOAD",
        "EDITOR",
        "SSH_AUTH_SOCK",
        "KUBECONFIG",
        "REDIS_URL",
        "DOCKER_HOST",
        "PYTHONPATH",
        "LCX",
        "NODE_OPTIONS",
    ];
    let mut command = place.command_of_nobody(&[
        "tools",
        "call",
        "execute_command",
        "{\"argv\":[\"env\"]}",
        "--approve",
        "all",
    ]);
    let unset = inherited
        .iter()
        .map(String::as_str)
        .filter(|name| !["PATH", "HOME", "TMPDIR", "SHELL"].contains(name));
    command.envs(unset.chain(others).filter(|name| *name != "LD_PRELOAD").map(|name| (name, "plain")));
    command.env("TMPDIR", place.path("")).env("SHELL", "/bin/sh").env("LD_PRELOAD", "");
    let said = Said::of(command.output().unwrap()).exits(0).out;
    let names: BTreeSet<String> = said
        .split(['\n', '"'])
        .flat_map(|text| text.split("\\n"))
        .filter_map(|line| Some(line.split_once('=')?.0.to_owned()))
        .filter(|name| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_'))
        .collect();
    let wanted: BTreeSet<String> = inherited.union(&given).cloned().collect();
    // A sandbox names the folder it starts in.
    let found: BTreeSet<String> = names.into_iter().filter(|name| name != "PWD").collect();
    assert_eq!(found, wanted, "{said}");
}

#[test]
fn u_85_a_run_that_is_not_kept_leaves_its_decisions_in_the_audit_log() {
    let place = Place::with(&[(
        "a.script",
        "user Go\nmodel call 1 execute_command {\"command\":\"true\"}\nmodel end\nmodel text Done.\n",
    )]);
    let run = ["run", "--model", "scripted/a.script", "--ephemeral", "--approve", "all", "Go"];
    place.windlass(&run).exits(0);
    let log = fs::read_to_string(place.audit_file()).unwrap();
    assert!(log.lines().count() == 1 && log.contains("execute_command"), "{log}");
    assert!(!place.data_folder().join("windlass.db").exists());
}

#[test]
fn u_85_flags_that_forbid_win_over_what_a_script_allows_and_answers() {
    let call = "model call 1 write_file {\"path\":\"b.txt\",\"content\":\"b\"}\n";
    let run = |head: &str, answer: &str, flags: &[&str]| {
        let script = format!("{head}user Go\n{call}model end calls\n{answer}model text Done.\n");
        let place = Place::with(&[("a.script", &script)]);
        place.windlass(&[&["run", "--model", "scripted/a.script"], flags].concat()).exits(0);
        place.path("b.txt").exists()
    };
    let (allows, answers) = ("allow write_file\n", "approve 1 once\n");
    // Without them it has its say.
    assert!(run(allows, "", &[]) && run("", answers, &[]));
    for (head, answer, flags) in [
        ("", answers, &["--approve", "never"][..]),
        (allows, "", &["--deny", "write_file(b.txt)"]),
        (allows, "", &["--deny", "*"]),
    ] {
        assert!(!run(head, answer, flags), "{head}{answer}{flags:?}");
    }
    // And a project cannot name one.
    let place = Place::with(&[
        ("a.script", "user Go\nmodel text Steered.\n"),
        (".windlass/config.toml", "model = \"scripted/a.script\"\n"),
    ]);
    place.trust();
    let said = place.windlass(&["config", "explain", "--json"]).exits(0);
    assert!(said.err.contains("a project cannot set 'model'"), "{}", said.err);
}
