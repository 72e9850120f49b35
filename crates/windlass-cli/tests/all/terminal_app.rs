//! The terminal app in a real terminal: what a person sees and presses, from the first key to the shell's next prompt.

use std::process::Command;

use crate::lifeline::Lifeline;
use crate::pane::Pane;
use crate::place::Place;

const HELLO: &str = "title A greeting
user Hello
model reasoning They greet me.
model text **Hello** from the script.
user Again
model text Hello again.
";

const WRITES: &str = r#"title Two writes and a word
user Write
model call 1 write_file {"path":"one.txt","content":"first\n"}
model call 2 write_file {"path":"two.txt","content":"second\n"}
model end calls
model text That was it.
user Write more
model call 3 write_file {"path":"one.txt","content":"third\n"}
model end calls
model text That was more.
"#;

/// A place whose project has a script.
fn place(script: &str) -> Place {
    Place::with(&[("talk.script", script)])
}

/// The app with the script of the place.
fn start(place: &Place, columns: u16, rows: u16) -> Pane {
    Pane::start(place, columns, rows, "--model scripted/talk.script")
}

fn say(pane: &Pane, text: &str) {
    pane.type_text(text);
    pane.press("Enter");
}

#[test]
fn a_message_is_answered_and_the_terminal_is_given_back() {
    let place = place(HELLO);
    let pane = Pane::open(&place, 100, 30);
    let before = pane.manners();
    pane.launch("", "--model scripted/talk.script");
    say(&pane, "Hello");
    let screen = pane.wait_for("from the script.");
    assert!(!screen.contains("**Hello**"), "Markdown is not shown raw:\n{screen}");
    say(&pane, "Again");
    pane.wait_for("Hello again.");
    say(&pane, "/quit");
    pane.wait_for_end();
    pane.wait_for("to come back: windlass --session");
    assert_eq!(pane.manners(), before);
}

/// Z-13, Z-14: each of the four keys does what it says.
#[test]
fn z_13_z_14_the_four_keys_of_a_question() {
    for (key, is_written, is_asked_again) in
        [("1", true, true), ("2", true, false), ("3", true, false), ("4", false, true)]
    {
        let place = place(WRITES);
        let pane = start(&place, 100, 30);
        say(&pane, "Write");
        let asked = pane.wait_for("[1] Allow Once  [2] Session  [3] Remember  [4] Deny");
        assert!(asked.contains("write_file") && asked.contains("one.txt"), "{asked}");
        answer(&pane, key);
        pane.wait_for("path two.txt");
        answer(&pane, "4");
        pane.wait_for("That was it.");
        assert_eq!(place.path("one.txt").exists(), is_written, "key {key}");
        assert!(!place.path("two.txt").exists());
        let rules = place.windlass(&["policy", "list"]).exits(0).out;
        let kept = match key {
            "2" => "write_file(one.txt)  granted to session",
            "3" => "write_file(one.txt)  user",
            _ => "no rules are stored",
        };
        assert!(rules.contains(kept), "key {key}: {rules}");
        // The same file again: who said Session or Remember is not asked again.
        say(&pane, "Write more");
        if is_asked_again {
            pane.wait_for("[1] Allow Once");
            answer(&pane, "1");
        }
        pane.wait_for("That was more.");
        assert_eq!(place.read("one.txt"), "third\n");
        say(&pane, "/quit");
        pane.wait_for_end();
    }
}

/// Presses a key of the question that is shown, once the question listens: keys right after it appeared are not for it.
fn answer(pane: &Pane, key: &str) {
    pane.wait_until_it_stays("a question that listens", |pane| {
        let screen = pane.screen();
        screen.contains("[1] Allow Once") && !screen.contains("when you pause")
    });
    pane.press(key);
}

/// R-59: the message can be written while a call runs; R-7 of the terminal: Esc stops the call at once.
#[test]
fn r_59_a_message_is_written_while_a_call_runs_and_escape_cancels_the_call() {
    let place = place(
        r#"title A long call
approve all
user Wait
model text I wait.
model call 1 execute_command {"command":"exec 3>lifeline; echo up >&3; sleep 1000"}
model end calls
model text It is over.
user Go on
model text I go on.
"#,
    );
    let line = Lifeline::new(&place);
    let pane = start(&place, 100, 30);
    say(&pane, "Wait");
    line.wait_for_life();
    pane.wait_for("execute_command");
    pane.type_text("written meanwhile");
    pane.wait_for("written meanwhile");
    pane.press("Escape");
    line.assert_cut();
    pane.wait_for("ancelled");
    // What was done stays on the screen, and what was written in the message.
    let screen = pane.wait_for("I wait.");
    assert!(screen.contains("written meanwhile"), "{screen}");
    pane.insist();
    pane.wait_for_end();
    let runs = place.windlass(&["runs", "list", "--json"]).exits(0).json();
    assert_eq!(runs[0]["outcome"], "cancelled", "{runs}");
}

#[test]
fn a_second_escape_leaves_while_the_run_is_still_being_cancelled_or_right_after() {
    let place = place("title Hangs\nuser Wait\nmodel text I begin.\nmodel hang\n");
    let pane = start(&place, 80, 24);
    say(&pane, "Wait");
    pane.wait_for("I begin.");
    pane.press("Escape");
    pane.wait_for("ancel");
    pane.insist();
    pane.wait_for_end();
}

#[test]
fn the_screen_follows_the_size_of_the_window() {
    let place = place(HELLO);
    let pane = start(&place, 120, 40);
    say(&pane, "Hello");
    pane.wait_for("from the script.");
    for (columns, rows) in [(60, 20), (200, 50), (20, 6), (80, 24)] {
        pane.resize(columns, rows);
        if columns >= 60 {
            pane.wait_for("from the script.");
        }
        let widest = pane.screen().lines().map(|line| line.chars().count()).max().unwrap_or(0);
        assert!(widest <= usize::from(columns), "{widest} of {columns}:\n{}", pane.screen());
    }
    assert!(pane.has_app());
    say(&pane, "Again");
    pane.wait_for("Hello again.");
}

#[test]
fn a_signal_ends_the_app_and_gives_the_terminal_back() {
    for signal in ["TERM", "HUP", "INT"] {
        let place = place(HELLO);
        let pane = Pane::open(&place, 80, 24);
        let before = pane.manners();
        pane.launch("", "--model scripted/talk.script");
        let process = pane.app_process();
        assert!(Command::new("kill").args([&format!("-{signal}"), &process]).status().unwrap().success());
        pane.wait_for_end();
        assert_eq!(pane.manners(), before, "{signal}");
    }
}

#[cfg(feature = "crash-points")]
#[test]
fn a_panic_gives_the_terminal_back_and_is_told_on_it() {
    let place = place(HELLO);
    let pane = Pane::open(&place, 80, 24);
    let before = pane.manners();
    pane.launch("CRASH_BY=panic", "--model scripted/talk.script");
    assert!(Command::new("kill").args(["-TERM", &pane.app_process()]).status().unwrap().success());
    pane.wait_for_end();
    pane.wait_for("panicked");
    assert_eq!(pane.manners(), before);
}

/// What is killed without a chance to tidy up loses nothing of the session.
#[test]
fn a_session_of_a_killed_app_is_there_the_next_time() {
    let place = place(HELLO);
    let pane = start(&place, 100, 30);
    say(&pane, "Hello");
    pane.wait_for("from the script.");
    let process = pane.app_process();
    assert!(Command::new("kill").args(["-9", &process]).status().unwrap().success());
    let pane = Pane::start(&place, 100, 30, "--model scripted/talk.script --continue");
    pane.wait_for("from the script.");
    say(&pane, "Again");
    pane.wait_for("Hello again.");
}

#[test]
fn long_text_is_pasted_whole_and_sends_nothing_by_itself() {
    let place = place(HELLO);
    let pane = start(&place, 100, 30);
    let text: String = (1..=60).map(|number| format!("line {number}\n")).collect();
    pane.paste(&text);
    pane.wait_for("60 lines");
    assert!(!pane.screen().contains("from the script."));
    pane.press("Enter");
    pane.wait_for("from the script.");
    let shown = place.windlass(&["sessions", "list", "--json"]).exits(0).json();
    let session = shown[0]["session_id"].as_str().unwrap().to_owned();
    let kept = place.windlass(&["sessions", "export", &session]).exits(0).out;
    assert!(kept.contains("line 1\\nline 2\\n") && kept.contains("line 60"), "{kept}");
}

#[test]
fn without_colours_there_are_none() {
    let place = place(HELLO);
    let pane = Pane::open(&place, 100, 30);
    pane.launch("NO_COLOR=1", "--model scripted/talk.script");
    say(&pane, "Hello");
    pane.wait_for("from the script.");
    let coloured = pane.coloured();
    for code in ["[38;5;", "[48;5;", "[31m", "[32m", "[33m", "[34m", "[35m", "[36m", "38;2;"] {
        assert!(!coloured.contains(code), "{code} in {coloured:?}");
    }
}

#[test]
fn without_a_terminal_there_is_help_and_no_app() {
    let said = place(HELLO).windlass(&[]).exits(0);
    assert!(said.out.contains("Usage: windlass"), "{}", said.out);
}

#[test]
fn flags_of_the_app_stand_before_no_command_and_name_sessions_that_exist() {
    let place = place(HELLO);
    place.windlass(&["--continue", "tools", "list"]).complains(2, &["terminal app"]);
    let pane = Pane::open(&place, 80, 24);
    pane.run(&format!("{} --session nonesuch", env!("CARGO_BIN_EXE_windlass")));
    pane.wait_for("nonesuch");
    assert!(!pane.has_app());
}
