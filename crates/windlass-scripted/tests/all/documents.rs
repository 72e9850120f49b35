//! The scripts in the documentation are real ones.

use std::fs;

use windlass_scripted::{Script, play};

use crate::machine::Machine;
use crate::scripts::repository;

/// The blocks of a document that are marked as scripts, each with the line where it begins.
fn blocks(document: &str) -> Vec<(usize, String)> {
    let mut blocks = Vec::new();
    let mut open: Option<(usize, Vec<&str>)> = None;
    for (number, line) in (1..).zip(document.lines()) {
        match (&mut open, line) {
            (None, "```script") => open = Some((number, Vec::new())),
            (Some(_), "```") => blocks.extend(open.take().map(|(start, lines)| (start, lines.join("\n")))),
            (Some((_, lines)), line) => lines.push(line),
            (None, _) => {}
        }
    }
    blocks
}

#[test]
fn every_script_in_the_guide_plays() {
    let guide = fs::read_to_string(repository().join("docs/scripts.md")).unwrap();
    let blocks = blocks(&guide);
    assert!(blocks.len() >= 4);
    for (line, text) in blocks {
        let name = format!("docs/scripts.md from line {line}");
        let script = Script::parse(&name, &text).unwrap_or_else(|error| panic!("{error}"));
        play(&script, &mut Machine::new(&script)).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    }
}
