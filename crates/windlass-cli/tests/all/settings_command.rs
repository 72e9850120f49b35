//! `/settings` of the terminal app, on its own and over `windlass attach`: shown, set, unset, kept with the session.

use serde_json::json;

use crate::pane::Pane;
use crate::place::Place;
use crate::serve::Served;

const SCRIPT: &str = "user Hello
expect-request contains Speak like a pirate.
model text Ahoy.
user Again
expect-request lacks Speak like a pirate.
model text Hello.
";

fn say(pane: &Pane, text: &str) {
    pane.type_text(text);
    pane.press("Enter");
}

#[test]
fn the_terminal_app_shows_sets_and_unsets_what_runs_are_asked_with() {
    let place = Place::with(&[("talk.script", SCRIPT)]);
    place.configure("top_p = 0.9\n");
    let pane = Pane::start(&place, 100, 30, "--model scripted/talk.script");
    say(&pane, "/settings set temprature 0.3");
    pane.wait_for("there is no setting temprature; did you mean temperature?");
    pane.press("C-u");
    say(&pane, "/settings set temperature 3");
    pane.wait_for("'temperature' must be a number from 0 to 2");
    pane.press("C-u");
    say(&pane, "/settings set temperature 0.3");
    pane.wait_for("from the next run on: temperature 0.3");
    say(&pane, "/settings set system Speak like a pirate.");
    pane.wait_for("system Speak like a pirate.");
    say(&pane, "Hello");
    pane.wait_for("Ahoy.");
    say(&pane, "/settings");
    let shown = pane.wait_for("Settings of this session");
    for line in ["temperature        0.3", "top_p              default (0.9)", "seed               default"] {
        assert!(shown.contains(line), "no '{line}':\n{shown}");
    }
    pane.escape_from("Settings of this session");
    say(&pane, "/settings unset system");
    pane.wait_until("system is unset", |pane| {
        let screen = pane.screen();
        screen.contains("from the next run on: temperature 0.3")
            && !screen.contains("Settings of this session")
    });
    say(&pane, "Again");
    pane.wait_for("Hello.");
}

#[test]
fn over_attach_the_settings_are_those_of_the_servers_session() {
    let place = Place::with(&[("a.script", SCRIPT)]);
    let served = Served::start(&place, &[]);
    let pane = Pane::open(&place, 100, 30);
    pane.launch("", &format!("attach {}", served.address()));
    pane.wait_for("Ask anything");
    say(&pane, "/settings set system Speak like a pirate.");
    pane.wait_for("from the next run on: system Speak like a pirate.");
    say(&pane, "Hello");
    pane.wait_for("Ahoy.");
    say(&pane, "/settings set seed 7");
    pane.wait_for("seed 7");
    say(&pane, "/settings set tool_choice none");
    pane.wait_for("tool_choice none");
    let sessions = served.json("GET /api/sessions", "");
    let settings = &sessions["sessions"][0]["settings"];
    assert_eq!(*settings, json!({"system": "Speak like a pirate.", "tool_choice": "none", "seed": 7}));
}
