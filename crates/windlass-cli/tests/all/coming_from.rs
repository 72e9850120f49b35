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

/// A document of the repository.
fn document(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name)).unwrap()
}

fn page() -> String {
    document("coming-from.md")
}

/// A fenced block: what stands behind its fence, and its text.
struct Block {
    info: String,
    text: String,
}

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

/// The rows of all tables: their cells.
fn cells(tables: &str) -> impl Iterator<Item = Vec<&str>> {
    let rows = tables.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| promise "));
    rows.map(|row| row.trim_matches('|').split(" | ").map(str::trim).collect())
}

/// Asserts that the program knows what brings an original back: an option, a command, a parameter of a request, or a key
/// of the configuration.
#[track_caller]
fn assert_known(place: &Place, api: &str, setting: &str) {
    let help = |args: &[&str]| place.windlass(&[args, &["--help"]].concat()).exits(0).out;
    if setting.starts_with("--") {
        assert!(help(&["run"]).contains(&format!("{setting} ")), "no flag {setting}");
    } else if let Some(command) = setting.strip_prefix("windlass ") {
        help(&command.split(' ').collect::<Vec<_>>());
    } else if let Some((field, value)) = setting.strip_prefix('?').and_then(|it| it.split_once('=')) {
        assert!(api.contains(&format!("\"{field}\"")) && api.contains(&format!("\"{value}\"")), "{setting}");
    } else if !["tools", "strict_args"].contains(&setting) {
        // Those two are a field of a request and one of a tool's declaration.
        place.windlass(&["config", "explain", setting]).exits(0);
    }
}

/// What a test can hold of it: each difference names statements that exist, says why, and everything that is said to bring
/// the original back is known to the program. Whether a difference is missing, only a reader can say.
#[test]
fn u_46_each_difference_names_its_statement_its_reason_and_a_setting_that_is_known() {
    let page = page();
    for section in SECTIONS {
        assert!(page.contains(&format!("\n## {section}\n")), "{section}");
    }
    const NAME: &str = "decisions/0005-where-the-seeds-are-not-followed-to-the-letter.md";
    assert!(page.contains(NAME), "the page says where each differs");
    let (decision, requirements) = (document(NAME), document("requirements.md"));
    let place = Place::with(&[("a.script", "user Hi\nmodel text Hello.\n")]);
    let api = Served::start(&place, &[]).json("GET /openapi.json", "").to_string();
    let mut differences = 0;
    for row in cells(&decision) {
        let [promise, ours, why, original] = row[..] else { panic!("not four cells: {row:?}") };
        let number = promise.split([':', ',', '…']).next().unwrap();
        assert!(requirements.contains(&format!("\n| {number} |")), "no statement {number}: {promise}");
        assert!(!ours.is_empty() && !why.is_empty() && !original.is_empty(), "{promise}");
        original.split('`').skip(1).step_by(2).for_each(|setting| assert_known(&place, &api, setting));
        differences += 1;
    }
    assert!(differences >= 40, "{differences}");
}
