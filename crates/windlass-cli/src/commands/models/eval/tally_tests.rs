use serde_json::Map;

use super::super::case::read_set;
use super::*;

fn case(text: &str) -> Case {
    read_set(text).unwrap().remove(0)
}

fn call(name: &str) -> Made {
    Made { name: name.into(), written: "{}".into(), arguments: Ok(Map::new()) }
}

fn verdict(tool: bool, call: bool, all: bool) -> Verdict {
    Verdict { is_tool_right: tool, is_call_right: call, is_all_right: all }
}

fn seen(steps: Vec<Vec<Made>>, steps_us: &[u64]) -> Seen {
    Seen { steps, failure: None, steps_us: steps_us.to_vec() }
}

const READ: &str = r#"{"user":"open it","expect":{"name":"read","arguments":{"path":"a"}}}"#;
const HELLO: &str = r#"{"user":"hello","expect":null}"#;
const TWO: &str = r#"{"user":"both","steps":[{"name":"read"},{"name":"list"}]}"#;

fn sample() -> Tally {
    let mut tally = Tally::default();
    tally.add(&case(READ), &seen(vec![vec![call("read")]], &[1_000]), verdict(true, true, true));
    tally.add(&case(READ), &seen(vec![vec![call("read")]], &[3_000]), verdict(true, false, false));
    tally.add(&case(READ), &seen(vec![vec![]], &[2_000]), verdict(false, false, false));
    tally.add(&case(HELLO), &seen(vec![vec![]], &[4_000]), verdict(true, true, true));
    tally.add(
        &case(TWO),
        &seen(vec![vec![call("read")], vec![call("read")]], &[5_000, 6_000]),
        verdict(true, true, false),
    );
    tally
}

fn row(tally: &Tally, name: &str) -> String {
    let rows = tally.rows();
    let found = rows.iter().find(|row| row[0] == name).unwrap_or_else(|| panic!("no {name} in {rows:?}"));
    format!("{} {}", found[1], found[2])
}

#[test]
fn cases_with_a_call_and_cases_without_are_counted_apart() {
    let tally = sample();
    assert_eq!(row(&tally, "cases"), "5 ");
    assert_eq!(row(&tally, "tool choice"), "75.0 % 3 of 4");
    assert_eq!(row(&tally, "call fully right"), "50.0 % 2 of 4");
    assert_eq!(row(&tally, "no-tool requests left alone"), "100.0 % 1 of 1");
    assert_eq!(row(&tally, "several steps right"), "0.0 % 0 of 1");
    assert_eq!(row(&tally, "malformed calls"), "0 of 4 calls");
}

#[test]
fn what_was_never_asked_has_no_share() {
    let tally = Tally::default();
    assert_eq!(row(&tally, "tool choice"), "– 0 of 0");
    assert_eq!(tally.step_ms(0.5), None);
}

#[test]
fn every_tool_has_its_row() {
    let rows = sample().tool_rows();
    let rows: Vec<String> = rows.iter().map(|row| row.join(" ")).collect();
    assert_eq!(rows, ["(no tool) 1 100.0 % 100.0 %", "read 4 75.0 % 50.0 %"]);
}

#[test]
fn a_call_that_does_not_fit_its_tool_is_malformed_and_says_why() {
    let mut tally = Tally::default();
    let broken = Made { arguments: Err("path must be a string".into()), ..call("read") };
    tally.add(&case(READ), &seen(vec![vec![broken]], &[1]), verdict(true, false, false));
    assert_eq!(row(&tally, "malformed calls"), "1 of 1 calls");
    assert_eq!(tally.misses()[0].why.as_deref(), Some("path must be a string"));
}

#[test]
fn a_model_that_fails_has_left_nothing_alone() {
    let mut tally = Tally::default();
    let silent = Seen { failure: Some("no connection".into()), ..Seen::default() };
    tally.add(&case(HELLO), &silent, verdict(true, true, true));
    assert_eq!(row(&tally, "no-tool requests left alone"), "0.0 % 0 of 1");
    assert_eq!(row(&tally, "steps without an answer"), "1 ");
    assert_eq!(tally.misses()[0].why.as_deref(), Some("no connection"));
}

#[test]
fn misses_say_what_was_expected_and_what_came() {
    let tally = sample();
    let lines: Vec<&str> = tally.misses().iter().map(|miss| miss.user.as_str()).collect();
    assert_eq!(lines, ["open it", "open it", "both"]);
    let last = tally.misses().last().unwrap();
    assert_eq!(last.expected, ["read {}", "list {}"]);
    assert_eq!(last.made, ["read {}", "read {}"]);
}

#[test]
fn times_are_those_of_steps() {
    let tally = sample();
    assert_eq!(tally.step_ms(0.5), Some(4.0), "of 1 to 6 ms, the upper middle");
    assert_eq!(tally.step_ms(0.95), Some(6.0));
    assert_eq!(tally.step_ms(0.0), Some(1.0));
}

#[test]
fn programs_get_the_same_figures() {
    let json = sample().to_json();
    assert_eq!(json["tool_choice"], serde_json::json!({"right": 3, "of": 4}));
    assert_eq!(json["tools"]["read"]["call"]["right"], 2);
    assert_eq!(json["step_ms"]["p50"], 4.0);
    assert_eq!((&json["malformed"], &json["failed"]), (&0.into(), &0.into()));
}
