//! The binary on a terminal of its own: questions, colours, the live answer.

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc;

use crate::lifeline::PATIENCE;
use crate::place::Place;

const READ: &str = r#"user Read
model call 1 read_file {"path":"a.txt"}
tool 1 ok "hello"
model text First.
user Read again
model call 2 read_file {"path":"a.txt"}
tool 2 ok "hello"
model text Second.
"#;

/// A program on a pseudo-terminal; `script` of util-linux makes it.
struct Terminal {
    child: Child,
    keys: Option<ChildStdin>,
    chunks: mpsc::Receiver<Vec<u8>>,
    seen: String,
    /// How much of it, without colours, was waited for already.
    mark: usize,
}

impl Terminal {
    fn start(place: &Place, args: &str, vars: &[(&str, &str)]) -> Self {
        let line = format!("{} {args}", env!("CARGO_BIN_EXE_windlass"));
        let mut child = place
            .bare("script")
            .args(["-qec", &line, "/dev/null"])
            .envs(vars.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let (sender, chunks) = mpsc::channel();
        let mut screen = child.stdout.take().unwrap();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(read @ 1..) = screen.read(&mut bytes) {
                let _ = sender.send(bytes[..read].to_vec());
            }
        });
        let keys = child.stdin.take();
        Self { child, keys, chunks, seen: String::new(), mark: 0 }
    }

    /// Waits until the screen shows a text, after what was waited for before.
    #[track_caller]
    fn wait_for(&mut self, text: &str) -> &mut Self {
        loop {
            let shown = console::strip_ansi_codes(&self.seen);
            if let Some(at) = shown[self.mark..].find(text) {
                self.mark += at + text.len();
                return self;
            }
            match self.chunks.recv_timeout(PATIENCE) {
                Ok(bytes) => self.seen.push_str(&String::from_utf8_lossy(&bytes)),
                Err(_) => panic!("'{text}' never came; seen: {}", self.seen),
            }
        }
    }

    fn type_line(&mut self, line: &str) -> &mut Self {
        let keys = self.keys.as_mut().unwrap();
        keys.write_all(format!("{line}\r").as_bytes()).unwrap();
        keys.flush().unwrap();
        self
    }

    /// Waits for the end; the exit code and everything that was shown, without colours.
    fn end(mut self) -> (i32, String) {
        while let Ok(bytes) = self.chunks.recv_timeout(PATIENCE) {
            self.seen.push_str(&String::from_utf8_lossy(&bytes));
        }
        let code = self.child.wait().unwrap().code().unwrap_or(-1);
        (code, console::strip_ansi_codes(&self.seen).replace('\r', ""))
    }
}

fn place() -> Place {
    Place::with(&[("a.script", READ), ("a.txt", "hello\n")])
}

fn ask(place: &Place) -> Terminal {
    Terminal::start(place, "run --profile zodo --model scripted/a.script", &[])
}

const KEYS: &str = "[1] Allow Once  [2] Session  [3] Remember  [4] Deny";

#[test]
fn z_14_the_question_is_shown_and_key_1_allows_once() {
    let place = place();
    let mut terminal = ask(&place);
    terminal.wait_for(KEYS).type_line("1").wait_for("First.").wait_for(KEYS).type_line("1");
    let (code, shown) = terminal.end();
    assert_eq!(code, 0, "{shown}");
    let question = "⚠️  Permission Request\nTool: read_file\nArguments: {\n  \"path\": \"a.txt\"\n}\nRisk: MEDIUM\nRule for Remember: read_file(a.txt)\n";
    assert_eq!(shown.matches(question).count(), 2, "{shown}");
    assert!(shown.contains("✓ read_file a.txt") && shown.contains("Second."), "{shown}");
    assert!(!place.policies_file().exists());
}

#[test]
fn z_13_key_2_allows_until_the_session_ends() {
    let place = place();
    let mut terminal = ask(&place);
    terminal.wait_for(KEYS).type_line("2");
    let (code, shown) = terminal.end();
    assert_eq!((code, shown.matches(KEYS).count()), (0, 1), "{shown}");
    assert!(shown.contains("Second."), "{shown}");
    assert!(!place.policies_file().exists());
    let mut again = ask(&place);
    again.wait_for(KEYS).type_line("4").wait_for(KEYS).type_line("4");
    assert_eq!(again.end().0, 0);
}

#[test]
fn z_13_key_3_shows_the_rule_stores_it_and_asks_no_more() {
    let place = place();
    let mut terminal = ask(&place);
    terminal
        .wait_for(KEYS)
        .type_line("3")
        .wait_for("This rule will be stored: read_file(a.txt)")
        .type_line("");
    let (code, shown) = terminal.end();
    assert_eq!((code, shown.matches(KEYS).count()), (0, 1), "{shown}");
    assert!(shown.contains("remembered: read_file(a.txt)"), "{shown}");
    let said = place.windlass(&["policy", "list"]).exits(0);
    assert_eq!(said.out, "r1  allow  read_file(a.txt)  user\n");
    let (code, shown) = ask(&place).end();
    assert_eq!((code, shown.matches(KEYS).count()), (0, 0), "{shown}");
}

#[test]
fn a_remembered_rule_can_be_edited_first() {
    let place = place();
    let mut terminal = ask(&place);
    terminal.wait_for(KEYS).type_line("3").wait_for("type another rule").type_line("read_file(");
    terminal.wait_for("')'").wait_for("type another rule").type_line("read_file(*.txt)");
    assert_eq!(terminal.end().0, 0);
    let said = place.windlass(&["policy", "list"]).exits(0);
    assert_eq!(said.out, "r1  allow  read_file(*.txt)  user\n");
}

#[test]
fn z_13_key_4_denies_and_the_model_is_told() {
    let place = place();
    let mut terminal = ask(&place);
    terminal.wait_for(KEYS).type_line("4").wait_for("First.").wait_for(KEYS).type_line("4");
    let (code, shown) = terminal.end();
    assert_eq!(code, 0, "{shown}");
    assert_eq!(shown.matches("⊘ read_file a.txt").count(), 2, "{shown}");
    assert!(shown.contains("User denied permission for this operation"), "{shown}");
}

#[test]
fn wrong_keys_are_asked_again() {
    let place = place();
    let mut terminal =
        Terminal::start(&place, "tools call read_file '{\"path\":\"a.txt\"}' --profile zodo", &[]);
    terminal.wait_for(KEYS).type_line("5").wait_for("Please type 1, 2, 3 or 4.").type_line("yes");
    terminal.wait_for("Please type 1, 2, 3 or 4.").type_line("1");
    let (code, shown) = terminal.end();
    assert_eq!(code, 0, "{shown}");
    assert!(shown.contains("hello"), "{shown}");
}

#[test]
fn r_51_a_write_shows_its_diff_and_true_risk() {
    let script = r#"allow read_file
user Change it
model call 1 read_file {"path":"a.txt"}
tool 1 ok "hello"
model call 2 write_file {"path":"a.txt","content":"goodbye\n"}
tool 2 fail permission_denied no
model text It stays.
"#;
    let place = Place::with(&[("a.script", script), ("a.txt", "hello\n")]);
    let mut terminal = ask(&place);
    terminal.wait_for(KEYS).type_line("4");
    let (code, shown) = terminal.end();
    assert_eq!(code, 0, "{shown}");
    assert!(shown.contains("Risk: HIGH\nChanges:\n"), "{shown}");
    assert!(shown.contains("-hello\n") && shown.contains("+goodbye\n"), "{shown}");
    assert_eq!(place.read("a.txt"), "hello\n");
}

#[test]
fn a_dangerous_command_needs_its_tool_typed() {
    let place = place();
    let mut terminal =
        Terminal::start(&place, "tools call execute_command '{\"command\":\"rm -rf nothing-here\"}'", &[]);
    terminal.wait_for("Risk: ").wait_for(KEYS).type_line("1");
    terminal.wait_for("Type execute_command to let it run").type_line("y");
    terminal.wait_for("That was another word").wait_for(KEYS).type_line("4");
    let (code, shown) = terminal.end();
    assert_eq!(code, 1, "{shown}");
    assert!(shown.contains("Risk: CRITICAL"), "{shown}");
}

#[test]
fn ctrl_c_at_a_question_cancels() {
    let place = place();
    let mut terminal = ask(&place);
    terminal.wait_for(KEYS);
    terminal.keys.as_mut().unwrap().write_all(b"\x03").unwrap();
    let (code, shown) = terminal.end();
    assert_eq!(code, 130, "{shown}");
    assert!(shown.contains("cancelled; "), "{shown}");
}

#[test]
fn what_was_typed_before_the_question_is_no_answer() {
    let place = Place::with(&[
        (
            "a.script",
            "user Read\nmodel delay 300ms\nmodel call 1 read_file {\"path\":\"a.txt\"}\ntool 1 ok 1\nmodel text Done.\n",
        ),
        ("a.txt", "hello\n"),
    ]);
    let mut terminal = ask(&place);
    terminal.wait_for("» Read").type_line("1").wait_for(KEYS).type_line("4");
    let (code, shown) = terminal.end();
    assert_eq!(code, 0, "{shown}");
    assert!(shown.contains("⊘ read_file"), "{shown}");
}

#[test]
fn colours_are_for_terminals_and_no_color_takes_them_away() {
    let place = Place::with(&[(
        "a.script",
        "user Sum\nmodel call 1 system_stats {}\ntool 1 ok 1\nmodel text Fine.\n",
    )]);
    let mut terminal = ask(&place);
    terminal.wait_for("Fine.");
    assert!(
        terminal.seen.contains("\u{1b}[36m") || terminal.seen.contains("\u{1b}[32m"),
        "{:?}",
        terminal.seen
    );
    terminal.end();
    let mut plain =
        Terminal::start(&place, "run --profile zodo --model scripted/a.script", &[("NO_COLOR", "1")]);
    plain.wait_for("Fine.");
    assert!(!plain.seen.contains("\u{1b}[36m") && !plain.seen.contains("\u{1b}[32m"), "{:?}", plain.seen);
    plain.end();
}

#[test]
fn the_answer_is_shown_once_while_it_comes() {
    let place = Place::with(&[("a.script", "user Hi\nmodel text Hello to you.\n")]);
    let (code, shown) = ask(&place).end();
    assert_eq!((code, shown.matches("Hello to you.").count()), (0, 1), "{shown}");
    let evil = Place::with(&[("a.script", "user Hi\nmodel text Clean \u{1b}[2Jscreen\n")]);
    let mut terminal = ask(&evil);
    terminal.wait_for("\\u{1b}[2Jscreen");
    assert_eq!(terminal.end().0, 0);
}
