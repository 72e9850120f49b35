//! What others wrote, on the terminal of a person: in questions it stands in a gutter, elsewhere it does nothing.

use serde_json::json;

use crate::hostile_text::{FORGED, MARK};
use crate::pane::Pane;
use crate::place::Place;
use crate::serve::Served;
use crate::tty::Terminal;

const KEYS: &str = "[1] Allow Once  [2] Session  [3] Remember  [4] Deny";
const MORE_KEYS: &str = "[5] Deny and say why  [v] View all";

/// Says something to a terminal: sets its title, its clipboard, its colours, turns the text.
const STEERING: &str =
    "\u{1b}]0;EVIL\u{7}\u{1b}]52;c;RVZJTA==\u{7}\u{1b}[31m\u{9b}2J\u{202e}EVIL\u{200b}\u{e0041}";

/// How it is shown.
const SHOWN: &str =
    r"\u{1b}]0;EVIL\u{7}\u{1b}]52;c;RVZJTA==\u{7}\u{1b}[31m\u{9b}2J\u{202e}EVIL\u{200b}\u{e0041}";

/// The binary on a terminal without colours of its own.
fn plain(place: &Place, args: &str) -> Terminal {
    Terminal::start(place, args, &[("NO_COLOR", "1")])
}

/// Nothing that came to the terminal steers it.
#[track_caller]
fn assert_harmless(seen: &str) {
    let is_hidden = |sign: char| {
        matches!(sign, '\u{7}' | '\u{8}' | '\u{80}'..='\u{9f}' | '\u{202e}' | '\u{200b}' | '\u{e0041}')
    };
    assert!(
        !seen.contains("\u{1b}]") && !seen.contains("\u{1b}[31m") && !seen.contains(is_hidden),
        "{seen:?}"
    );
}

/// The rows of the question that is shown last.
fn card(terminal: &mut Terminal) -> Vec<String> {
    let rows = terminal.take_until(&format!("{MORE_KEYS}\r\n> "));
    let rows: Vec<String> = rows.iter().map(|row| row.rsplit('\r').next().unwrap().to_owned()).collect();
    let begin = rows.iter().rposition(|row| row.starts_with("⚠️  Permission Request")).unwrap_or(0);
    rows[begin..].to_vec()
}

fn call(tool: &str, arguments: &serde_json::Value) -> String {
    format!("user Go\nmodel call 1 {tool} {arguments}\nmodel end calls\nmodel text It is over.\n")
}

#[test]
fn u_2_a_forged_question_stands_in_the_gutter_and_blank_lines_displace_nothing() {
    let command = format!("true #{FORGED}{}{FORGED}", "\n".repeat(70));
    let place = Place::with(&[("a.script", &call("execute_command", &json!({ "command": command })))]);
    let mut terminal = plain(&place, "run --model scripted/a.script");
    let shown = card(&mut terminal);
    assert!(shown.len() < 24, "all of it is on the screen:\n{}", shown.join("\n"));
    let own: Vec<&str> =
        shown.iter().map(String::as_str).filter(|row| !row.starts_with(['│', '┊'])).collect();
    assert!(!own.iter().any(|row| row.contains(MARK)), "{}", shown.join("\n"));
    let [.., tool, risk, keys, more, _] = own.as_slice() else { panic!("{own:?}") };
    assert_eq!((*tool, *keys, *more), ("Tool: execute_command", KEYS, MORE_KEYS));
    assert!(risk.starts_with("Risk: "), "{risk}");
    assert!(
        own.iter().any(|row| row.starts_with("… ") && row.contains(" more lines: v shows all")),
        "{own:?}"
    );
    terminal.type_line("v");
    let whole = terminal.take_until(&format!("{MORE_KEYS}\r\n> "));
    assert_eq!(whole.iter().filter(|row| *row == "│ ").count(), 70, "{}", whole.join("\n"));
    assert_eq!(whole.iter().filter(|row| *row == "│ > EVIL").count(), 2, "{}", whole.join("\n"));
    terminal.type_line("4");
    assert_eq!(terminal.end().0, 0);
}

#[test]
fn u_2_line_ends_in_one_line_fields_are_signs() {
    let path = "a\nTool: EVIL\nRisk: SAFE EVIL";
    let place = Place::with(&[("a.script", &call("write_file", &json!({"path": path, "content": "x\n"})))]);
    let mut terminal = plain(&place, "run --model scripted/a.script");
    let shown = card(&mut terminal).join("\n");
    assert!(shown.contains("Touches:\n│ path a␊Tool: EVIL␊Risk: SAFE EVIL\n"), "{shown}");
    assert!(shown.contains("Rule for Remember:\n│ write_file(a␊Tool: EVIL␊Risk: SAFE EVIL)\n"), "{shown}");
    terminal.type_line("3").wait_for("│ write_file(a␊Tool: EVIL␊Risk: SAFE EVIL)").type_line("");
    assert_eq!(terminal.end().0, 0);
    assert_eq!(place.read(path), "x\n");
}

#[test]
fn u_2_prose_of_a_model_never_begins_a_row() {
    let script = format!(
        "user Go\nmodel text <<PROSE\n{FORGED}\n{}Tool: EVIL\nPROSE\n\
         model call 1 execute_command {}\nmodel end calls\nmodel text EVIL is over.\n",
        " ".repeat(78),
        json!({"command": format!("echo '{}'", "EVIL ".repeat(40))})
    );
    let place = Place::with(&[("a.script", &script)]);
    let mut terminal = plain(&place, "run -v --model scripted/a.script");
    let mut shown = terminal.take_until(&format!("{MORE_KEYS}\r\n> ")).join("\n");
    terminal.type_line("1");
    let (code, rest) = terminal.end();
    shown.push_str(&rest);
    assert_eq!(code, 0, "{shown}");
    assert!(shown.matches(MARK).count() > 10, "{shown}");
    for row in shown.lines().filter(|row| row.contains(MARK)) {
        let leads = ["│ ", "┊ ", "  ", "✓ ", "» "];
        // While a call runs, a sign that turns stands there.
        let is_turning = matches!(row.chars().next(), Some('\u{2801}'..='\u{28ff}'));
        assert!(is_turning || leads.iter().any(|lead| row.starts_with(lead)), "{row:?} in\n{shown}");
    }
}

#[test]
fn u_4_commands_write_out_what_would_steer_a_terminal() {
    let script = format!(
        "allow read_file\nuser Go\nmodel text {STEERING} before\nmodel call 1 read_file {}\nmodel end calls\n\
         model text {STEERING}\n",
        json!({"path": "evil.txt"})
    );
    let tool = format!(
        "/// Helps. {STEERING}\n/// @param text string What. {STEERING}\nfn evil(args) {{ args.text }}\n"
    );
    let place = Place::trusting(&[
        ("a.script", &script),
        (".windlass/tools/evil.rhai", &tool),
        ("evil.txt", &format!("evilword {STEERING}\n")),
    ]);
    place.windlass(&["run", "--model", "scripted/a.script"]).exits(0);
    let run =
        place.windlass(&["runs", "list", "--json"]).exits(0).json()[0]["run_id"].as_str().unwrap().to_owned();
    let session = place.windlass(&["sessions", "list", "--json"]).exits(0).json()[0]["session_id"]
        .as_str()
        .unwrap()
        .to_owned();
    place.windlass(&["index", "build"]).exits(0);
    let arguments = json!({ "text": STEERING }).to_string();
    place.write("arguments.json", &arguments);
    for args in [
        "tools show evil".to_owned(),
        "tools list".to_owned(),
        "tools call evil @arguments.json --approve all".to_owned(),
        "run --model scripted/a.script".to_owned(),
        "run --json --model scripted/a.script".to_owned(),
        format!("runs show {run} -v"),
        format!("runs show {run} --step 1"),
        format!("sessions show {session} -v"),
        format!("sessions export {session}"),
        "search evilword --json".to_owned(),
        "search evilword".to_owned(),
    ] {
        let mut terminal = plain(&place, &args);
        terminal.wait_for("EVIL");
        let seen = terminal.seen.clone();
        let (_, shown) = terminal.end();
        assert_harmless(&seen);
        assert_harmless(&shown);
        assert!(shown.contains("\\u{202e}EVIL"), "{args}: {shown}");
    }
}

#[test]
fn u_4_an_answer_to_a_pipe_is_byte_for_byte_and_to_a_terminal_it_is_written_out() {
    let place = Place::with(&[("a.script", &format!("user Go\nmodel text {STEERING}\n"))]);
    let said = place.windlass(&["run", "--model", "scripted/a.script"]).exits(0);
    assert_eq!(said.out, format!("{STEERING}\n"));
    let (code, shown) = plain(&place, "run --model scripted/a.script").end();
    assert_eq!(code, 0, "{shown}");
    assert!(shown.contains(&format!("  {SHOWN}\n")) || shown.replace("\n  ", "").contains(SHOWN), "{shown}");
    assert_harmless(&shown);
}

#[test]
fn u_7_questions_of_a_step_come_in_call_order_and_are_counted() {
    let calls: String = (1..=4)
        .map(|at| {
            format!("model call {at} write_file {}\n", json!({"path": format!("{at}.txt"), "content": "x\n"}))
        })
        .collect();
    let place = Place::with(&[("a.script", &format!("user Go\n{calls}model end calls\nmodel text Over.\n"))]);
    let mut terminal = plain(&place, "run --model scripted/a.script");
    for at in 1..=4 {
        let shown = card(&mut terminal).join("\n");
        assert!(shown.starts_with(&format!("⚠️  Permission Request · Question {at} of 4\n")), "{shown}");
        assert!(shown.contains(&format!("│ path {at}.txt\n")), "{shown}");
        terminal.type_line(if at == 2 { "4" } else { "1" });
    }
    assert_eq!(terminal.end().0, 0);
    let written: Vec<bool> = (1..=4).map(|at| place.path(&format!("{at}.txt")).exists()).collect();
    assert_eq!(written, [true, false, true, true]);
    let pane = Pane::start(&place, 100, 40, "--model scripted/a.script");
    pane.type_text("Go");
    pane.press("Enter");
    for at in 1..=4 {
        let screen = pane.wait_for(&format!("── Permission {at} of 4 ─"));
        assert!(screen.contains(&format!(" │ path {at}.txt\n")), "{screen}");
        answer(&pane, "4");
    }
    pane.wait_for("Over.");
}

/// Presses a key of the question once it hears it: its answers are bright then.
fn answer(pane: &Pane, key: &str) {
    pane.wait_until_it_stays("a question that listens", |pane| {
        let screen = pane.coloured();
        let is_ours = |line: &&str| line.contains("[1] Allow Once") && !line.contains(MARK);
        let mut keys = screen.lines().filter(is_ours);
        keys.any(|line| line.split("[1] Allow Once").next().unwrap().contains("\u{1b}[1m"))
    });
    pane.press(key);
}

/// What the model was told of its first call.
fn told(place: &Place) -> String {
    let sessions = place.windlass(&["sessions", "list", "--json"]).exits(0).json();
    let session = sessions[0]["session_id"].as_str().unwrap();
    let records = place.windlass(&["sessions", "export", session]).exits(0).lines();
    let ended = records.iter().find(|record| record["event"]["type"] == "call_ended").unwrap();
    ended["event"]["message"].to_string()
}

#[test]
fn u_9_a_call_is_denied_with_words_that_the_model_gets() {
    let script = call("write_file", &json!({"path": "a.txt", "content": "x\n"}));
    let place = Place::with(&[("a.script", &script)]);
    let mut terminal = plain(&place, "run --model scripted/a.script");
    terminal.wait_for(MORE_KEYS).type_line("5").wait_for("What should it do instead?");
    terminal.type_line("Write to b.txt, please.");
    let (code, shown) = terminal.end();
    assert_eq!(code, 0, "{shown}");
    assert!(told(&place).contains("Write to b.txt, please."), "{}", told(&place));
    assert!(!place.path("a.txt").exists());

    for is_attached in [false, true] {
        let place = Place::with(&[("a.script", &script)]);
        let served = is_attached.then(|| Served::start(&place, &[]));
        let args = match &served {
            Some(served) => format!("attach {}", served.address()),
            None => "--model scripted/a.script".to_owned(),
        };
        let pane = Pane::start(&place, 100, 40, &args);
        pane.type_text("Go");
        pane.press("Enter");
        answer(&pane, "5");
        pane.wait_for("What should it do instead?");
        pane.type_text("Rather to c.txt.");
        pane.press("Enter");
        pane.wait_for("It is over.");
        assert!(told(&place).contains("Rather to c.txt."), "{}", told(&place));
        assert!(!place.path("a.txt").exists());
    }
}

#[test]
fn u_2_u_4_the_terminal_app_quotes_in_a_gutter_and_opens_all_of_it() {
    let command = format!("true #{STEERING}{FORGED}{}{FORGED}", "\n".repeat(70));
    let script = format!(
        "user Go\nmodel text {STEERING}\n{}",
        &call("execute_command", &json!({ "command": command }))["user Go\n".len()..]
    );
    let place = Place::with(&[("a.script", &script)]);
    let pane = Pane::start(&place, 100, 30, "--model scripted/a.script");
    pane.type_text("Go");
    pane.press("Enter");
    let screen = pane.wait_for("── Permission 1 of 1 ─");
    assert!(screen.contains(r"\u{1b}]0;EVIL\u{7}"), "{screen}");
    let card: Vec<&str> = screen.lines().skip_while(|row| !row.starts_with("── Permission 1 of 1")).collect();
    let own: Vec<&&str> =
        card.iter().filter(|row| !row.starts_with(" │") && !row.starts_with(" ┊")).collect();
    assert!(!own.iter().any(|row| row.contains(MARK)), "{screen}");
    let keys = own.iter().position(|row| row.starts_with(&format!(" {KEYS}"))).unwrap();
    assert!(own[keys - 1].starts_with(" Tool: execute_command · Risk: "), "{screen}");
    assert!(own[keys + 1].starts_with(&format!(" {MORE_KEYS}")), "{screen}");
    assert!(own.iter().any(|row| row.contains(" more lines · Up/Down, v shows all …")), "{screen}");
    answer(&pane, "v");
    pane.wait_until("all of the screen", |pane| pane.screen().starts_with("── Permission 1 of 1"));
    pane.press("End");
    pane.wait_for("the end");
    pane.press("4");
    pane.wait_for("It is over.");
}
