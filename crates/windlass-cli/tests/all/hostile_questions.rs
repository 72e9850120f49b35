//! Ten thousand hostile calls: what each front end shows is what runs, no line outside a gutter comes from the model, and
//! a key answers the question that is in view.
//!
//! A call gives back the text that it gets, so that what ran can be compared with what was shown. Every third is denied:
//! an answer that went to another question would show.

use std::collections::HashMap;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::hostile_text::{FORGED, MARK, reveal, short_text, text};
use crate::pane::Pane;
use crate::place::Place;
use crate::serve::Served;
use crate::tty::Terminal;

/// Gives back what it gets.
const ECHO: &str = "/// Gives back a text.\n/// @param text string The text\n/// @risk medium\nfn echo_text(args) { args.text }\n";

/// Calls of each front end; the web app has its own test.
const OVER_HTTP: usize = 7_000;
const ON_A_TERMINAL: usize = 2_900;
const IN_THE_APP: usize = 102;

const STEP_CALLS: usize = 50;

const MORE_KEYS: &str = "[5] Deny and say why  [v] View all";

/// A place whose model makes calls with these texts, a run for each list of steps.
fn place(runs: &[Vec<Vec<String>>]) -> Place {
    let mut script = "max-steps 1000\nlimit calls_per_step_max 1000\nlimit calls_per_run_max 100000\n\
                      limit run_output_bytes_max 1000000000\n"
        .to_owned();
    let mut number = 0;
    for (at, steps) in runs.iter().enumerate() {
        script.push_str(&format!("user Go {at}\n"));
        for texts in steps {
            script.push_str(&format!("model text <<PROSE\n{FORGED}\n{}Tool: EVIL\nPROSE\n", " ".repeat(78)));
            for text in texts {
                number += 1;
                script.push_str(&format!("model call {number} echo_text {}\n", json!({ "text": text })));
            }
            script.push_str("model end calls\n");
        }
        script.push_str(&format!("model text Run {at} is over.\n"));
    }
    Place::trusting(&[("a.script", &script), (".windlass/tools/echo_text.rhai", ECHO)])
}

fn steps(numbers: std::ops::Range<usize>, calls: usize, text: impl Fn(usize) -> String) -> Vec<Vec<String>> {
    let numbers: Vec<usize> = numbers.collect();
    numbers.chunks(calls).map(|step| step.iter().map(|number| text(*number)).collect()).collect()
}

fn is_allowed(number: usize) -> bool {
    !number.is_multiple_of(3)
}

fn number_of(text: &str) -> usize {
    text.split_once(':').unwrap().0.parse().unwrap()
}

/// What became of the calls of the newest session, by their ids.
fn outcomes(place: &Place) -> HashMap<String, Value> {
    let sessions = place.windlass(&["sessions", "list", "--json"]).exits(0).json();
    let session = sessions[0]["session_id"].as_str().unwrap();
    let records = place.windlass(&["sessions", "export", session]).exits(0).lines();
    let ended = records.into_iter().filter(|record| record["event"]["type"] == "call_ended");
    ended
        .map(|record| {
            (record["event"]["call_id"].as_str().unwrap().to_owned(), record["event"]["outcome"].clone())
        })
        .collect()
}

/// The texts that ran, by their numbers; those of denied calls have none.
fn ran(place: &Place) -> HashMap<usize, Option<String>> {
    let sessions = place.windlass(&["sessions", "list", "--json"]).exits(0).json();
    let session = sessions[0]["session_id"].as_str().unwrap();
    let records = place.windlass(&["sessions", "export", session]).exits(0).lines();
    let outcomes = outcomes(place);
    let asked = records.iter().filter(|record| record["event"]["type"] == "call_requested");
    asked
        .map(|record| {
            let call = &record["event"]["call"];
            let arguments: Value = serde_json::from_str(call["arguments"].as_str().unwrap()).unwrap();
            let ran = said(&outcomes[call["id"].as_str().unwrap()]);
            (number_of(arguments["text"].as_str().unwrap()), ran)
        })
        .collect()
}

/// What a call gave; nothing if it was denied.
fn said(outcome: &Value) -> Option<String> {
    match outcome["body"].get("Ok") {
        Some(output) => Some(output["json"].as_str().unwrap_or_else(|| panic!("{outcome}")).to_owned()),
        None => {
            assert_eq!(outcome["body"]["Err"]["kind"], "permission_denied", "{outcome}");
            None
        }
    }
}

/// The arguments in their canonical form: control characters but line feeds are numbers.
fn canonical(text: &str) -> String {
    let mut written = "{\"text\":\"".to_owned();
    for sign in text.chars() {
        match sign {
            '"' | '\\' => written.extend(['\\', sign]),
            '\n' => written.push_str("\\n"),
            sign if sign < ' ' => written.push_str(&format!("\\u{:04x}", u32::from(sign))),
            sign => written.push(sign),
        }
    }
    written + "\"}"
}

/// The digest of a question, made of what was shown and of the text that ran.
fn digest(run: &str, question: &Value, ran: &str) -> String {
    let word = |name: &str| question[name].as_str().unwrap_or_default().to_owned();
    let mut pieces = vec![run.to_owned(), word("call_id"), word("tool"), canonical(ran)];
    pieces.extend([word("risk").to_uppercase(), word("rule")]);
    let preview = |name: &str| question["preview"][name].as_str().unwrap_or_default().to_owned();
    pieces.extend([preview("kind"), preview("text")]);
    for target in question["targets"].as_array().into_iter().flatten() {
        let (kind, name) = target.as_object().unwrap().iter().next().unwrap();
        pieces.extend([kind.clone(), name.as_str().unwrap().to_owned()]);
    }
    let mut hash = Sha256::new();
    for piece in pieces {
        hash.update(u64::try_from(piece.len()).unwrap().to_be_bytes());
        hash.update(piece.as_bytes());
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn u_1_u_2_u_5_u_7_hostile_calls_over_http_are_shown_as_they_run() {
    // A script has its limit, so there are several servers.
    let served_calls = OVER_HTTP / 7;
    (0..7).for_each(|at| approve(at * served_calls..(at + 1) * served_calls));
}

/// Answers the questions of these calls over HTTP by their digests.
fn approve(numbers: std::ops::Range<usize>) {
    let calls = numbers.len();
    let steps = steps(numbers, STEP_CALLS, text);
    let place = place(std::slice::from_ref(&steps));
    let served = Served::start(&place, &[]);
    let session = served.json("POST /api/sessions", "{}")["session_id"].as_str().unwrap().to_owned();
    let started = served.json(&format!("POST /api/sessions/{session}/runs"), "{\"message\":\"Go\"}");
    let run = started["run_id"].as_str().unwrap().to_owned();
    let mut shown: Vec<Value> = Vec::new();
    for step in &steps {
        let questions = waiting(&served, &run, step.len());
        let mut answers = Vec::new();
        for (place, (question, text)) in questions.iter().zip(step).enumerate() {
            assert_eq!(text_of(question), *text);
            assert_eq!(question["position"], place + 1, "call order");
            assert_eq!(question["total"], step.len());
            let decision = if is_allowed(number_of(text)) { "once" } else { "deny" };
            answers.push(json!({
                "call_id": question["call_id"], "decision": decision, "digest": question["digest"],
            }));
        }
        let answers = json!({ "answers": answers }).to_string();
        let (status, said) = served.ask(&format!("POST /api/runs/{run}/permissions"), &answers);
        assert!((200..300).contains(&status), "{status} {said}");
        shown.extend(questions);
    }
    served.wait_for(&run, "done");
    drop(served);
    let outcomes = outcomes(&place);
    assert_eq!((shown.len(), outcomes.len()), (calls, calls));
    for question in &shown {
        let shown = text_of(question);
        let ran = said(&outcomes[question["call_id"].as_str().unwrap()]);
        assert_eq!(ran.is_some(), is_allowed(number_of(&shown)), "{question}");
        assert_eq!(digest(&run, question, &ran.unwrap_or(shown)), question["digest"], "{question}");
    }
}

fn text_of(question: &Value) -> String {
    let arguments: Value = serde_json::from_str(question["arguments"].as_str().unwrap()).unwrap();
    assert_eq!(arguments.as_object().unwrap().len(), 1, "{arguments}");
    arguments["text"].as_str().unwrap().to_owned()
}

/// The questions of a step, once all of them wait.
fn waiting(served: &Served, run: &str, count: usize) -> Vec<Value> {
    let begun = std::time::Instant::now();
    loop {
        let said = served.json(&format!("GET /api/runs/{run}/permissions"), "");
        let questions = said["questions"].as_array().unwrap();
        if questions.len() == count {
            return questions.clone();
        }
        assert!(begun.elapsed() < crate::lifeline::PATIENCE, "{} of {count} questions", questions.len());
    }
}

/// What stands before words of a model in a row: a gutter, a sign, or blanks.
const LEADS: [&str; 9] = ["│ ", "┊ ", "  ", "✓ ", "⊘ ", "✗ ", "» ", "· ", "! "];

/// Rows as they are seen: a spinner that was there is gone.
fn rows(shown: Vec<String>) -> Vec<String> {
    shown.into_iter().map(|row| row.rsplit('\r').next().unwrap().to_owned()).collect()
}

/// No row is a model's but for one with a gutter, and none is broken by the terminal.
fn assert_ours(rows: &[String], columns: usize) {
    for row in rows {
        assert!(console::measure_text_width(row) <= columns, "{row:?}");
        assert!(!row.chars().any(char::is_control), "{row:?}");
        if LEADS.iter().any(|lead| row.starts_with(lead)) {
            continue;
        }
        let is_hidden = row.starts_with("… ") && row.ends_with(" more lines: v shows all …");
        let is_title =
            row.starts_with("⚠️  Permission Request · Question ") || row.starts_with("mode ask · ");
        let is_spinner = row.starts_with(|sign| matches!(sign, '\u{2800}'..='\u{28ff}'));
        let is_ours = [
            "",
            "Arguments:",
            "Rule for Remember:",
            "Tool: echo_text",
            "Risk: MEDIUM",
            "[1] Allow Once  [2] Session  [3] Remember  [4] Deny",
            MORE_KEYS,
            "> ",
            "1",
            "4",
            "v",
        ];
        let is_ours = is_spinner || is_ours.contains(&row.as_str());
        assert!(is_hidden || is_title || is_ours, "{row:?} of\n{}", rows.join("\n"));
        assert!(!row.contains(MARK), "{row:?}");
    }
}

/// The rows of a section, with the number of those that are not shown.
fn section<'a>(rows: &'a [String], name: &str) -> (Vec<&'a str>, usize) {
    let from = rows.iter().position(|row| row == name).unwrap() + 1;
    let is_in = |row: &&String| row.starts_with(['│', '┊', '…']);
    let rows: Vec<&str> = rows[from..].iter().take_while(is_in).map(String::as_str).collect();
    let hidden = rows.iter().find_map(|row| row.strip_prefix("… ")?.split(' ').next()?.parse().ok());
    (rows.into_iter().filter(|row| !row.starts_with('…')).collect(), hidden.unwrap_or(0))
}

/// Lines in a gutter, joined where they were broken.
fn unquote(rows: &[&str]) -> String {
    let mut text = String::new();
    for row in rows {
        match row.strip_prefix("│ ") {
            Some(line) if text.is_empty() => text.push_str(line),
            Some(line) => text.push_str(&format!("\n{line}")),
            None => text.push_str(row.strip_prefix("┊ ").unwrap()),
        }
    }
    text
}

#[test]
fn u_1_u_2_u_7_hostile_calls_on_a_terminal_are_shown_as_they_run() {
    let (columns, rows_max) = (80, 24);
    let calls = steps(0..ON_A_TERMINAL, STEP_CALLS, text);
    let place = place(&[calls]);
    let args = "run --model scripted/a.script";
    let mut terminal = Terminal::sized(&place, args, &[("NO_COLOR", "1")], 80, 24);
    let end = format!("{MORE_KEYS}\r\n> ");
    for number in 0..ON_A_TERMINAL {
        let seen = rows(terminal.take_until(&end));
        assert_ours(&seen, columns);
        let begin = seen.iter().rposition(|row| row.starts_with("⚠️  Permission Request")).unwrap();
        let card = &seen[begin..];
        assert!(card.len() < rows_max, "{}", card.join("\n"));
        let counted =
            format!("⚠️  Permission Request · Question {} of {STEP_CALLS}", number % STEP_CALLS + 1);
        assert_eq!(card[0], counted);
        let whole;
        let (mut shown, hidden) = section(card, "Arguments:");
        if hidden > 0 {
            terminal.type_line("v");
            whole = rows(terminal.take_until(&end));
            assert_ours(&whole, columns);
            let (all, none) = section(&whole, "Arguments:");
            assert_eq!((all.len(), none), (shown.len() + hidden, 0));
            let head = shown.len().div_ceil(2);
            assert!(all.starts_with(&shown[..head]) && all.ends_with(&shown[head..]), "head and tail");
            shown = all;
        }
        let arguments: Value = serde_json::from_str(&reveal(&unquote(&shown), true)).unwrap();
        assert_eq!(arguments, json!({ "text": text(number) }));
        terminal.type_line(if is_allowed(number) { "1" } else { "4" });
    }
    let (code, _) = terminal.end();
    assert_eq!(code, 0);
    assert_ran(&place, 0..ON_A_TERMINAL, text);
}

/// What was allowed ran as it was shown, and nothing else did.
fn assert_ran(place: &Place, numbers: std::ops::Range<usize>, text: impl Fn(usize) -> String) {
    let ran = ran(place);
    assert_eq!(ran.len(), numbers.len());
    for number in numbers {
        assert_eq!(ran[&number], is_allowed(number).then(|| text(number)), "{number}");
    }
}

#[test]
fn u_1_u_2_u_3_u_7_hostile_calls_in_the_terminal_app_are_shown_as_they_run() {
    let panes = 3;
    let each = IN_THE_APP / panes;
    std::thread::scope(|scope| {
        for pane in 0..panes {
            scope.spawn(move || drive(pane * each..(pane + 1) * each));
        }
    });
}

/// Answers the questions of these calls in a pane of their own.
fn drive(numbers: std::ops::Range<usize>) {
    let (columns, rows) = (100, 50);
    let calls = steps(numbers.clone(), numbers.len(), short_text);
    let place = place(&[calls]);
    let pane = Pane::start(&place, columns, rows, "--model scripted/a.script");
    pane.type_text("Go");
    pane.press("Enter");
    for (at, number) in numbers.clone().enumerate() {
        let counted = format!("── Permission {} of {} ─", at + 1, numbers.len());
        let mut card = listening(&pane, &counted);
        if is_cut(&card.join("\n")) {
            pane.press("v");
            pane.wait_until("all of it", |pane| !is_cut(&pane.screen()));
            card = listening(&pane, &counted);
        }
        let shown = read_arguments(&card, usize::from(columns));
        assert_eq!(shown, comparable(&short_text(number)), "{}", card.join("\n"));
        pane.press(if is_allowed(number) { "1" } else { "4" });
    }
    pane.wait_for("Run 0 is over.");
    pane.type_text("/quit");
    pane.press("Enter");
    pane.wait_for_end();
    assert_ran(&place, numbers, short_text);
}

/// Whether a card says that lines of it are left out; a model may write the same words, in its gutter.
fn is_cut(screen: &str) -> bool {
    screen.lines().any(|row| row.trim_start().starts_with('…') && row.ends_with("v shows all …"))
}

/// The question with this title, once it hears keys: its answers are bright then.
fn listening(pane: &Pane, title: &str) -> Vec<String> {
    pane.wait_until_it_stays(title, |pane| {
        let screen = pane.coloured();
        let is_bright = |line: &str| line.split("[1] Allow Once").next().unwrap().contains("\u{1b}[1m");
        screen.contains(title)
            && screen
                .lines()
                .any(|line| line.contains("[1] Allow Once") && !line.contains(MARK) && is_bright(line))
    });
    let screen = pane.screen();
    let card: Vec<String> =
        screen.lines().skip_while(|row| !row.starts_with(title)).map(str::to_owned).collect();
    let own: Vec<&String> =
        card.iter().filter(|row| !row.starts_with(" │") && !row.starts_with(" ┊")).collect();
    assert!(!own.iter().any(|row| row.contains(MARK)), "{screen}");
    let keys = own.iter().position(|row| row.starts_with(" [1] Allow Once")).unwrap();
    assert_eq!(own[keys - 1], " Tool: echo_text · Risk: MEDIUM", "{screen}");
    card
}

/// The text that a card of the terminal app shows. A screen has no blanks at the end of a row.
fn read_arguments(card: &[String], columns: usize) -> String {
    let from = card.iter().position(|row| row == " Arguments").unwrap() + 1;
    let is_quoted = |row: &&String| row.starts_with(" │") || row.starts_with(" ┊");
    let rows: Vec<&String> = card[from..].iter().take_while(is_quoted).collect();
    let rest = if rows[0] == " │ text" { "┊   │ " } else { "┊ " };
    let after = |row: &str, lead: &str| {
        let is_bare = row == lead.trim_end();
        row.strip_prefix(lead).or(is_bare.then_some("")).map(str::to_owned)
    };
    let mut lines: Vec<String> = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let is_broken = rows.get(at + 1).is_some_and(|next| next.starts_with(" ┊"));
        let row = if is_broken { format!("{row:<width$}", width = columns - 1) } else { (*row).clone() };
        let row = &row[1..];
        match after(row, rest) {
            Some(rest) => lines.last_mut().unwrap().push_str(&rest),
            None => lines.push(row.to_owned()),
        }
    }
    let first = lines[0].strip_prefix("│ text").unwrap_or_else(|| panic!("{}", card.join("\n")));
    if let Some(value) = first.strip_prefix("  ") {
        let text = match value.starts_with('"') {
            true => serde_json::from_str(&reveal(value, true)).unwrap_or_else(|_| panic!("{value}")),
            false => value.to_owned(),
        };
        return comparable(&text);
    }
    let has_note = |note: &str| lines.iter().any(|line| line.starts_with(&format!("│   {note}")));
    let shown: Vec<String> = lines.iter().filter_map(|line| after(line, "│   │ ")).collect();
    let mut text = shown.join("\n");
    if !has_note("no line break") {
        text.push('\n');
    }
    let text = if has_note("\\u{…} stands for") { reveal(&text, false) } else { text };
    comparable(&text.replace("␉   ", "\t").replace('␉', "\t"))
}

fn comparable(text: &str) -> String {
    text.split('\n').map(|line| line.trim_end_matches([' ', '\t'])).collect::<Vec<_>>().join("\n")
}
