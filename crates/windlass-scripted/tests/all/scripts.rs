//! Every script in `fixtures/scripts` and `examples`.

use std::fs;
use std::path::{Path, PathBuf};

use windlass_core::permission::{Rule, RuleEffect, RuleSource};
use windlass_core::protocol::model::Finish;
use windlass_scripted::{BeatKind, Expectation, Script, play};

use crate::machine::Machine;

pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// All scripts of a folder, by name.
pub(crate) fn scripts_in(folder: &str) -> Vec<(String, String)> {
    let entries = fs::read_dir(repository().join(folder)).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|ending| ending == "script")).collect();
    paths.sort();
    let read = |path: PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap();
        (format!("{folder}/{name}"), fs::read_to_string(&path).unwrap())
    };
    paths.into_iter().map(read).collect()
}

pub(crate) fn parse(name: &str, text: &str) -> Script {
    Script::parse(name, text).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn every_fixture_plays_on_the_machine_as_it_expects() {
    let fixtures = scripts_in("fixtures/scripts");
    assert!(fixtures.len() >= 25, "only {} fixtures", fixtures.len());
    let mismatches: Vec<String> = fixtures
        .iter()
        .map(|(name, text)| parse(name, text))
        .filter_map(|script| play(&script, &mut Machine::new(&script)).err())
        .map(|mismatch| mismatch.to_string())
        .collect();
    assert!(mismatches.is_empty(), "\n{}\n", mismatches.join("\n"));
}

#[test]
fn every_run_of_a_fixture_says_how_it_ends_and_what_happens() {
    for (name, text) in scripts_in("fixtures/scripts") {
        let script = parse(&name, &text);
        assert!(script.header.title.is_some(), "{name} has no title");
        let beats = script.beats();
        for run in beats.chunk_by(|_, next| !matches!(next.kind, BeatKind::User(_))) {
            let has = |wanted: fn(&Expectation) -> bool| {
                run.iter().any(|beat| matches!(&beat.kind, BeatKind::Expect(expected) if wanted(expected)))
            };
            assert!(has(|expected| matches!(expected, Expectation::Outcome { .. })), "{name}: no outcome");
            assert!(has(|expected| matches!(expected, Expectation::Events(_))), "{name}: no events");
        }
    }
}

#[test]
fn what_a_played_script_expected_also_holds_for_the_whole_session_afterwards() {
    for (name, text) in scripts_in("fixtures/scripts") {
        let script = parse(&name, &text);
        let events = play(&script, &mut Machine::new(&script)).unwrap();
        let events: Vec<_> = events.iter().collect();
        assert_eq!(script.check_session(&events), [], "{name}");
    }
}

#[test]
fn every_script_survives_printing() {
    for (name, text) in scripts_in("fixtures/scripts").into_iter().chain(scripts_in("examples")) {
        let script = parse(&name, &text);
        let again = parse(&name, &script.to_string());
        assert_eq!(again.header, script.header, "{name}");
        let said =
            |script: &Script| -> Vec<_> { script.lines.iter().map(|line| line.happening.clone()).collect() };
        assert_eq!(said(&again), said(&script), "{name}");
    }
}

#[test]
fn the_tour_begins_in_a_folder_that_is_there_and_ends_with_an_answer() {
    let text = fs::read_to_string(repository().join("examples/tour.script")).unwrap();
    let tour = parse("examples/tour.script", &text);
    let root = repository().join(tour.header.root.as_ref().unwrap());
    for rule in &tour.header.allow {
        Rule::parse(RuleEffect::Allow, rule, RuleSource::Flag).unwrap();
    }
    let [steps] = tour.runs().try_into().unwrap();
    let calls: Vec<_> = steps.iter().flat_map(|step| step.calls()).collect();
    for call in calls.iter().filter(|call| call.name == "read_file") {
        let path = call.args_value()["path"].as_str().unwrap().to_owned();
        assert!(path.starts_with("..") || root.join(&path).is_file(), "{path}");
    }
    let last = steps.last().unwrap().complete().unwrap();
    assert!(last.calls.is_empty() && last.finish == Finish::Stop);
}
