//! The command over fixture trees: counting, refusing unknown numbers, writing and checking the column.

use super::*;
use crate::checkout::tests::Fixture;

const CATALOGUE: &str = "# R\n\n| id | statement | proven by |\n|---|---|---|\n| E-1 | one registry | – |\n| E-2 | four tools | – |\n| E-3 | a default | – |\n";
const TESTS: &str = "crates/windlass-core/tests/all/main.rs";

fn tree(test: &str) -> Fixture {
    Fixture::new().with(DOCUMENT, CATALOGUE).with(TESTS, test)
}

fn proven(fixture: &Fixture) -> Vec<String> {
    let proofs = proofs::find(&fixture.files()).unwrap();
    proofs.iter().map(|proof| format!("{} {}", proof.id, proof.test)).collect()
}

fn write(fixture: &Fixture) -> String {
    run(fixture.root(), &Options { write: true, ..Options::default() }).unwrap();
    std::fs::read_to_string(fixture.root().join(DOCUMENT)).unwrap()
}

#[test]
fn names_and_labels_prove_and_headers_and_ignored_tests_do_not() {
    let test = "//! About E-2.\n#[test]\nfn e_1_one() {}\n// E-3: the case\n#[test]\nfn cases() { check(\"E-2\"); }\n\
                #[test]\n#[ignore]\nfn e_3_later() { check(\"E-1\"); }\n";
    let expected = ["E-1 windlass-core::e_1_one", "E-2 windlass-core::cases", "E-3 windlass-core::cases"];
    assert_eq!(proven(&tree(test)), expected);
}

#[test]
fn a_label_outside_every_test_proves_in_a_test_file_only() {
    let fixture = tree("const CASES: [&str; 1] = [\"E-1\"];\n")
        .with("crates/windlass-core/src/lib.rs", "// E-2\nfn e_3_not_a_test() {}\n");
    assert_eq!(proven(&fixture), [format!("E-1 {TESTS}")]);
}

#[test]
fn a_function_without_a_test_attribute_proves_nothing_by_its_name() {
    assert!(proven(&tree("fn e_1_one() {}\n")).is_empty());
}

#[test]
fn it_is_told_what_a_test_drives_and_which_statement_of_a_front_end_is_proven_on_none() {
    let text = "| S-1 | one stream | – |\n| S-2 | a switch | – |\n| S-3 | a guard | – |\n";
    let catalogue = Catalogue::parse(text).unwrap();
    let fixture = tree("#[test]\nfn s_1_s_3_stream() {}\n")
        .with("crates/windlass-cli/tests/all/main.rs", "#[test]\nfn s_2_shown() {}\n");
    let proofs = proofs::find(&fixture.files()).unwrap();
    let told = report(&catalogue, &group(&proofs), &Options { all: true, ..Options::default() });
    assert!(told.contains("binary   windlass-cli::s_2_shown"), "{told}");
    assert!(told.contains("unit     windlass-core::s_1_s_3_stream"), "{told}");
    assert!(told.ends_with("of a front end, and proven on none: S-1\n"), "{told}");
}

#[test]
fn scripts_prove_by_label() {
    let fixture = tree("").with("fixtures/search.script", "# E-1 E-2\nuser hello\n");
    assert_eq!(proven(&fixture), ["E-1 fixtures/search.script", "E-2 fixtures/search.script"]);
}

#[test]
fn tests_of_the_web_app_prove_by_their_titles() {
    let unit = "// About E-3.\nit('E-1: one registry', () => { expect('E-3'); });\nit.skip('E-3', f);\n";
    let fixture = tree("")
        .with("web/src/view/session.test.ts", unit)
        .with("web/e2e/tools.e2e.ts", "test(\"four tools (E-2)\", run);\n")
        .with("web/src/view/session.ts", "it('E-3', f);\n");
    assert_eq!(proven(&fixture), ["E-1 web: E-1: one registry", "E-2 web: four tools (E-2)"]);
    assert!(write(&fixture).contains("| E-1 | one registry | `web: E-1: one registry` |\n"));
}

#[test]
fn the_house_commands_prove_nothing() {
    assert!(proven(&Fixture::new().with("xtask/src/a_tests.rs", "#[test]\nfn e_1_one() {}\n")).is_empty());
}

#[test]
fn an_unknown_number_fails_and_is_named_with_its_place() {
    let fixture = tree("#[test]\nfn e_99_no_such_statement() {}\n");
    let error = run(fixture.root(), &Options::default()).unwrap_err().to_string();
    assert!(error.contains(&format!("E-99 at {TESTS}:1")), "{error}");
}

#[test]
fn the_report_counts_each_system_and_lists_what_is_open() {
    let fixture = tree("#[test]\nfn e_1_one() {}\n");
    let proofs = proofs::find(&fixture.files()).unwrap();
    let catalogue = Catalogue::parse(CATALOGUE).unwrap();
    let text = report(&catalogue, &group(&proofs), &Options { all: true, ..Options::default() });
    assert!(text.contains("E  EDISON           1 of   3 proven"), "{text}");
    assert!(text.contains("\nnot proven:\n  E-2   four tools\n  E-3   a default\n"), "{text}");
    assert!(text.contains("  E-1   one registry\n        unit     windlass-core::e_1_one (crates/windlass-core/tests/all/main.rs:1)\n"), "{text}");
    let brief = report(&catalogue, &group(&proofs), &Options { brief: true, ..Options::default() });
    assert!(!brief.contains("not proven:"), "{brief}");
}

#[test]
fn writing_fills_the_column_and_checking_then_agrees() {
    let fixture = tree(
        "#[test]\nfn e_1_a() {}\n#[test]\nfn e_1_b() {}\n#[test]\nfn e_1_c() {}\n#[test]\nfn e_2_d() {}\n",
    );
    let check = Options { check_docs: true, ..Options::default() };
    let error = run(fixture.root(), &check).unwrap_err().to_string();
    assert!(error.contains("E-1: the document says –"), "{error}");
    let text = write(&fixture);
    assert!(
        text.contains("| E-1 | one registry | `windlass-core::e_1_a`, `windlass-core::e_1_b`, 1 more |\n"),
        "{text}"
    );
    assert!(
        text.contains("| E-2 | four tools | `windlass-core::e_2_d` |\n| E-3 | a default | – |\n"),
        "{text}"
    );
    run(fixture.root(), &check).unwrap();
}

#[test]
fn a_document_that_names_a_test_that_is_gone_fails_the_check() {
    let fixture = tree("#[test]\nfn e_1_a() {}\n");
    write(&fixture);
    let fixture = fixture.with(TESTS, "");
    let error =
        run(fixture.root(), &Options { check_docs: true, ..Options::default() }).unwrap_err().to_string();
    assert!(error.contains("E-1: the document says `windlass-core::e_1_a`, the tests say –"), "{error}");
}

#[test]
fn a_gap_or_a_repeat_in_the_numbers_is_refused() {
    assert!(Catalogue::parse("| E-1 | a | – |\n| E-3 | b | – |\n").is_err());
    assert!(Catalogue::parse("| E-1 | a | – |\n| E-1 | b | – |\n").is_err());
    assert_eq!(Catalogue::parse("| E-1 | a | – |\n| D-1 | b | – |\n").unwrap().statements.len(), 2);
}

#[test]
fn statements_of_use_may_leave_room_between_their_numbers_and_never_fall() {
    assert_eq!(Catalogue::parse("| U-1 | a | – |\n| U-25 | b | – |\n").unwrap().statements.len(), 2);
    assert!(Catalogue::parse("| U-25 | a | – |\n| U-1 | b | – |\n").is_err());
    assert!(Catalogue::parse("| U-1 | a | – |\n| U-1 | b | – |\n").is_err());
}

#[test]
fn a_statement_of_use_is_proven_by_name_where_a_user_stands_and_nowhere_else() {
    let used = Fixture::new()
        .with("crates/windlass-cli/tests/all/run.rs", "#[test]\nfn u_1_shown() { check(\"U-2\"); }\n")
        .with("crates/windlass/tests/all/main.rs", "#[test]\nfn u_5_linked() {}\n")
        .with("web/e2e/a.e2e.ts", "test('U-3: a key', run);\n");
    let expected = ["U-1 windlass-cli::u_1_shown", "U-3 web: U-3: a key", "U-5 windlass::u_5_linked"];
    assert_eq!(proven(&used), expected);
    for elsewhere in [TESTS, "crates/windlass-cli/src/prompt_tests.rs"] {
        let fixture = Fixture::new().with(elsewhere, "#[test]\nfn u_1_shown() {}\n");
        let error = proofs::find(&fixture.files()).err().unwrap().to_string();
        assert!(error.contains(&format!("U-1 at {elsewhere}")), "{error}");
    }
    let unit = Fixture::new().with("web/src/a.test.ts", "it('U-3: a key', run);\n");
    assert!(proofs::find(&unit.files()).is_err());
}
