//! `docs/coming-from.md`, executed: its files are written, its commands are typed, and what comes back is what it shows.
//!
//! Each section has a folder of its own. A block `LANGUAGE FILE` is that file; `toml settings` is the user's configuration;
//! a block `console` is typed line by line. In what it shows, `…` stands for any text, and on a line of its own for
//! any lines. The server and the search server that the page speaks of are others here, on free ports.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::place::Place;
use crate::serve::Served;
use crate::server::{Server, whole};

/// Where the page has its server and its search server.
const SERVER: &str = "127.0.0.1:4117";
const SEARCH: &str = "http://127.0.0.1:8888";

const SECTIONS: [&str; 5] = ["EDISON", "The DSPy engine", "Prompt Studio", "ploke", "ZodoLlama"];

fn page() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/coming-from.md")).unwrap()
}

/// A fenced block: what stands behind its fence, and its text.
struct Block {
    info: String,
    text: String,
}

/// The blocks of a section.
fn blocks(section: &str) -> Vec<Block> {
    let page = page();
    let start = page.find(&format!("\n## {section}\n")).unwrap_or_else(|| panic!("no section '{section}'"));
    let rest = &page[start + 1..];
    let section = rest.find("\n## ").map_or(rest, |end| &rest[..end]);
    let mut blocks = Vec::new();
    let mut lines = section.lines();
    while let Some(line) = lines.next() {
        if let Some(info) = line.strip_prefix("```") {
            let text: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            blocks.push(Block { info: info.to_owned(), text: text.join("\n") + "\n" });
        }
    }
    blocks
}

/// Whether a line is as shown: `…` is any text.
fn fits(shown: &str, line: &str) -> bool {
    let mut parts = shown.split('…');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = line.strip_prefix(first) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// Whether lines are as shown: a line `…` is any lines.
fn all_fit(shown: &[&str], lines: &[&str]) -> bool {
    match (shown.split_first(), lines.split_first()) {
        (None, None) => true,
        (Some((&"…", rest)), _) => (0..=lines.len()).any(|skipped| all_fit(rest, &lines[skipped..])),
        (Some((first, shown)), Some((line, lines))) => fits(first, line) && all_fit(shown, lines),
        (None, Some(_)) | (Some(_), None) => false,
    }
}

/// A section as somebody follows it.
struct Reader {
    place: Place,
    search: Server,
    served: Option<Served>,
}

impl Reader {
    fn new() -> Self {
        let found = json!({"results": [
            {"title": "The Python Tutorial", "url": "https://docs.python.org/3/tutorial/", "content": "An informal introduction."},
            {"title": "Real Python", "url": "https://realpython.com/", "content": "Tutorials for all levels."},
        ]});
        let search = Server::answering(move |_| whole("200 OK", &found.to_string()));
        Self { place: Place::new(), search, served: None }
    }

    /// What the page says, with the ports of this test.
    fn here(&self, text: &str) -> String {
        let text = text.replace(SEARCH, &self.search.address(""));
        match &self.served {
            Some(served) => text.replace(SERVER, served.address()),
            None => text,
        }
    }

    fn type_in(&mut self, command: &str) -> String {
        if let Some(args) = command.strip_prefix("windlass serve").and_then(|args| args.strip_suffix(" &")) {
            let args: Vec<&str> = args.split_whitespace().collect();
            self.served = Some(Served::start_with(&self.place, &args, &[]));
            return String::new();
        }
        let folder = Path::new(env!("CARGO_BIN_EXE_windlass")).parent().unwrap();
        let path = std::env::var("PATH").unwrap_or_default();
        let mut shell: Command = self.place.bare("sh");
        shell.env("PATH", format!("{}:{path}", folder.display()));
        let said = shell.args(["-c", &format!("exec 2>&1; {}", self.here(command))]).output().unwrap();
        String::from_utf8(said.stdout).unwrap()
    }

    /// Types what stands behind `$`, and compares.
    fn follow(&mut self, console: &str) {
        let mut lines = console.lines().peekable();
        while let Some(line) = lines.next() {
            let command = line.strip_prefix("$ ").unwrap_or_else(|| panic!("no command: {line}"));
            let mut command = command.to_owned();
            while command.ends_with('\\') {
                command.pop();
                command.push_str(lines.next().unwrap_or_default().trim_start());
            }
            let mut shown = Vec::new();
            while let Some(line) = lines.next_if(|line| !line.starts_with("$ ")) {
                shown.push(line);
            }
            let said = self.type_in(&command);
            let said: Vec<&str> = said.lines().collect();
            assert!(
                all_fit(&shown, &said),
                "$ {command}\n--- the page shows:\n{}\n--- what came:\n{}",
                shown.join("\n"),
                said.join("\n")
            );
        }
    }
}

fn follow(section: &str) {
    let mut reader = Reader::new();
    let mut commands = 0;
    for Block { info, text } in blocks(section) {
        match info.split_once(' ') {
            Some((_, "settings")) => reader.place.configure(&reader.here(&text)),
            Some((_, file)) => reader.place.write(file, &text),
            None if info == "console" => {
                commands += text.lines().filter(|line| line.starts_with("$ ")).count();
                reader.follow(&text);
            }
            // Rust is compiled and run by the documentation tests of the library.
            None => assert!(["rust", "json", "text"].contains(&info.as_str()), "what is a block '{info}'?"),
        }
    }
    assert!(commands > 0, "nothing to type in '{section}'");
}

#[test]
fn u_31_edison_as_its_document_says() {
    follow(SECTIONS[0]);
}

#[test]
fn u_33_u_43_the_dspy_engine_as_its_document_says() {
    follow(SECTIONS[1]);
}

#[test]
fn u_31_u_36_prompt_studio_as_its_document_says() {
    follow(SECTIONS[2]);
}

#[test]
fn u_31_u_41_ploke_as_its_document_says() {
    follow(SECTIONS[3]);
}

#[test]
fn u_31_u_42_zodollama_as_its_document_says() {
    follow(SECTIONS[4]);
}

/// What the last column of decision 0005 names, as it is written there.
fn restoring() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/decisions");
    let decision =
        fs::read_to_string(folder.join("0005-where-the-seeds-are-not-followed-to-the-letter.md")).unwrap();
    let mut named = Vec::new();
    for row in decision.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| promise")) {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").collect();
        assert_eq!(cells.len(), 4, "{row}");
        named.extend(cells[3].split('`').skip(1).step_by(2).map(str::to_owned));
    }
    named
}

#[test]
fn u_46_every_setting_that_brings_an_original_back_is_known_to_the_program() {
    let place = Place::with(&[("a.script", "user Hi\nmodel text Hello.\n")]);
    let help = |args: &[&str]| place.windlass(&[args, &["--help"]].concat()).exits(0).out;
    let flags = help(&["run"]) + &help(&[]);
    let api = Served::start(&place, &[]).json("GET /openapi.json", "").to_string();
    let named = restoring();
    assert!(named.len() >= 20, "{named:?}");
    for name in named {
        if let Some(command) = name.strip_prefix("windlass ") {
            help(&command.split(' ').collect::<Vec<_>>());
        } else if name.starts_with("--") {
            assert!(flags.contains(&format!("{name} ")), "no flag {name}");
        } else if let Some((field, value)) = name.strip_prefix('?').and_then(|name| name.split_once('=')) {
            assert!(api.contains(&format!("\"{field}\"")) && api.contains(&format!("\"{value}\"")), "{name}");
        } else if !["tools", "strict_args"].contains(&name.as_str()) {
            place.windlass(&["config", "explain", &name]).exits(0);
        }
    }
    assert!(api.contains("\"tools\""), "a session or run can be told its tools");
}

#[test]
fn u_46_the_page_has_the_five_systems_and_says_where_each_differs() {
    let page = page();
    for section in SECTIONS {
        assert!(page.contains(&format!("\n## {section}\n")), "{section}");
    }
    assert!(page.contains("decisions/0005-where-the-seeds-are-not-followed-to-the-letter.md"));
}
