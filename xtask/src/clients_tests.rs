//! The gate of a suite: its end and the names of its cases, both.

use super::*;

const CASES: [&str; 2] = ["one", "two"];

#[test]
fn a_suite_that_names_all_its_cases_and_ends_well_passes() {
    assert_eq!(judge(&CASES, true, "ok one\nnoise\nok two\n", "warnings"), None);
}

#[test]
fn a_suite_that_tries_nothing_does_not_pass() {
    let why = judge(&CASES, true, "", "").unwrap();
    assert!(why.starts_with("did not pass: one, two"), "{why}");
}

#[test]
fn a_suite_that_fails_says_why() {
    let why = judge(&CASES, false, "ok one\n", "FAILED two\nbecause").unwrap();
    assert_eq!(why, "did not pass: two\nFAILED two\nbecause");
    assert!(judge(&CASES, false, "ok one\nok two\n", "crash").unwrap().contains("crash"));
}

#[test]
fn a_case_that_nobody_listed_is_told() {
    let why = judge(&CASES, true, "ok one\nok two\nok three\n", "").unwrap();
    assert!(why.contains("three"), "{why}");
}

#[test]
fn every_script_is_in_the_checkout() {
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/clients");
    for suite in SUITES {
        let folder = if suite.runtime == Runtime::Node { "node" } else { "python" };
        assert!(scripts.join(folder).join(suite.script).is_file(), "{}", suite.script);
    }
}
