//! What a rule about hosts holds for, wherever one is shown, and what a search over the documents of all sessions is.

use serde_json::{Value, json};

use crate::pane::Pane;
use crate::place::Place;
use crate::tty::Terminal;

const RULE: &str = "fetch_url(example.com)";
const CLOSED: &str = "127.0.0.1:9";
const COVERS: &str = "every path of this host";

/// A project whose model wants a page of this machine, where nobody gives one.
fn fetching() -> Place {
    let call = json!({"url": format!("http://{CLOSED}/docs/page")});
    let script = format!("user Go\nmodel call 1 fetch_url {call}\nmodel end\nmodel text Over.\n");
    let place = Place::with(&[("a.script", &script)]);
    place.configure(&format!("fetch.allow_hosts = [\"{CLOSED}\"]\n"));
    place
}

/// What becomes of a search, with the risk that it has.
fn explained(place: &Place, is_global: bool, args: &[&str]) -> (Value, Value) {
    let call = json!({"query": "x", "global": is_global}).to_string();
    let all = [&["policy", "explain", "rag_search", &call, "--json"], args].concat();
    let said = place.windlass(&all).exits(0).json();
    (said["risk"].clone(), said["stance"].clone())
}

#[test]
fn u_83_a_search_over_all_sessions_is_medium_and_asked_about_whatever_the_profile() {
    let place = Place::new();
    for profile in ["default", "edison", "studio", "ploke", "zodo", "dspy"] {
        let asking = ["--profile", profile, "--approve", "ask"];
        assert_eq!(explained(&place, true, &asking), (json!("medium"), json!("asks")), "{profile}");
        assert_eq!(explained(&place, false, &asking), (json!("safe"), json!("allows")), "{profile}");
    }
    for (mode, stance) in [("never", "denies"), ("safe", "denies"), ("all", "allows")] {
        assert_eq!(explained(&place, true, &["--approve", mode]).1, stance, "{mode}");
        assert_eq!(explained(&place, false, &["--approve", mode]).1, "allows", "{mode}");
    }
    // Nobody is there who could be asked.
    let call = json!({"query": "x", "global": true}).to_string();
    let said = place.windlass(&["tools", "call", "rag_search", &call, "--json"]).exits(1);
    assert!(said.out.contains("permission_denied"), "{}", said.out);
    // Where somebody is, the question has the risk.
    let script = format!("user Go\nmodel call 1 rag_search {call}\nmodel end\nmodel text Over.\n");
    let place = Place::with(&[("a.script", &script)]);
    let mut terminal = Terminal::start(&place, "run --profile edison --model scripted/a.script", &[]);
    terminal.wait_for("Tool: rag_search").wait_for("Risk: MEDIUM").wait_for("[5]").type_line("4");
    assert_eq!(terminal.end().0, 0);
}

#[test]
fn u_83_rules_for_fetch_url_say_on_the_command_line_that_they_cover_every_path_of_a_host() {
    let place = Place::new();
    let said = place.windlass(&["policy", "allow", RULE]).exits(0).out;
    assert!(said.contains(&format!("r1  allow  {RULE}  ({COVERS}; in ")), "{said}");
    place.windlass(&["policy", "deny", "fetch_url(*.example.org)", "--everywhere"]).exits(0);
    place.windlass(&["policy", "allow", "read_file"]).exits(0);
    let listed = place.windlass(&["policy", "list"]).exits(0).out;
    let of = |rule: &str| listed.lines().find(|line| line.contains(rule)).unwrap().trim_end().to_owned();
    assert!(of(RULE).ends_with(&format!("in this folder; {COVERS}")), "{listed}");
    assert!(of("*.example.org").ends_with("everywhere; every path of these hosts"), "{listed}");
    assert!(of("read_file").ends_with("in this folder"), "{listed}");
    let listed = place.windlass(&["policy", "list", "--json"]).exits(0).json();
    assert_eq!((&listed[0]["covers"], listed[2].get("covers")), (&json!(COVERS), None), "{listed}");
    let explain = ["policy", "explain", "fetch_url", "{\"url\":\"https://example.com/a/b\"}"];
    let said = place.windlass(&explain).exits(0).out;
    assert!(said.contains(&format!("the narrowest rule for it: {RULE}  ({COVERS})\n")), "{said}");
    // The rule holds for what it says.
    let said = place.windlass(&[&explain[..], &["--json", "--taint", "off"]].concat()).exits(0).json();
    assert_eq!((&said["stance"], &said["decides"]), (&json!("allows"), &json!("allow_rule")));
    let said = place.windlass(&["policy", "remove", "r1"]).exits(0).out;
    assert_eq!(said, format!("removed r1  allow  {RULE}  ({COVERS})\n"));
    // Who names a path means less than a rule can say, and is told.
    let said = place.windlass(&["policy", "allow", "fetch_url(example.com/docs)"]).exits(0).err;
    assert!(said.contains("example.com/docs is no host, so the rule matches nothing"), "{said}");
}

#[test]
fn u_83_questions_about_fetch_url_say_that_the_rule_covers_every_path_of_the_host() {
    let place = fetching();
    let mut terminal = Terminal::start(&place, "run --model scripted/a.script", &[]);
    let (rule, covers) = (format!("fetch_url({CLOSED})"), format!("The rule covers {COVERS}"));
    terminal.wait_for(&format!("│ {rule}")).wait_for(&covers).wait_for("[5]").type_line("3");
    terminal.wait_for("This rule will be stored").wait_for(&covers).wait_for("Press Enter").type_line("");
    let (code, shown) = terminal.end();
    assert_eq!(code, 0, "{shown}");
    assert!(shown.contains(&format!("remembered: {rule} ({COVERS})")), "{shown}");

    let place = fetching();
    let pane = Pane::start(&place, 120, 40, "--model scripted/a.script");
    pane.type_text("Go");
    pane.press("Enter");
    let screen = pane.wait_for(&format!("It covers {COVERS}."));
    assert!(screen.contains(&rule), "{screen}");
    drop(pane);
    // The list of the app says it, too.
    place.windlass(&["policy", "allow", &rule]).exits(0);
    let pane = Pane::start(&place, 120, 40, "--model scripted/a.script");
    pane.type_text("/policy");
    pane.press("Enter");
    let screen = pane.wait_for(COVERS);
    assert!(screen.contains(&rule), "{screen}");
}
