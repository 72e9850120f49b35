//! Steps are chosen by name, run in order, and stop at the first failure with the way to repeat it.

use super::*;

const PLAIN: Style = Style { decorated: false };

fn site() -> Site {
    Site { root: PathBuf::from(".") }
}

fn options(only: &[&str], skip: &[&str]) -> TestOptions {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    TestOptions { only: owned(only), skip: owned(skip), quick: false }
}

#[test]
fn steps_are_chosen_by_name() {
    assert!(is_chosen("fmt", &options(&[], &[])));
    assert!(is_chosen("fmt", &options(&["fmt", "tidy"], &[])));
    assert!(!is_chosen("deny", &options(&["fmt"], &[])));
    assert!(!is_chosen("deny", &options(&[], &["deny"])));
}

#[test]
fn leaving_every_step_out_is_an_error_that_lists_them() {
    let error = run(Path::new("."), &options(&["fmt"], &["fmt"])).unwrap_err().to_string();
    assert!(
        error.contains(
            "fmt, tidy, requirements, clippy, emulator, encoder, bubblewrap, tmux, test, features, publish, semver, clients, api, web, browser, doc, deny, machete"
        ),
        "{error}"
    );
}

#[test]
fn the_first_failure_stops_and_says_how_to_repeat_it() {
    let fails = TestStep { name: "two", run: |site| site.must(&CommandLine::new(&site.root, "false", &[])) };
    let never = TestStep { name: "three", run: |_| panic!("must not run") };
    let passes = TestStep { name: "one", run: |site| site.must(&CommandLine::new(&site.root, "true", &[])) };
    let error = run_steps(&site(), &[&passes, &fails, &never], PLAIN).unwrap_err().to_string();
    assert_eq!(error, "step two: `false` failed\nrepeat it alone with: cargo xtask test --only two");
    run_steps(&site(), &[&passes, &passes], PLAIN).unwrap();
}

#[test]
fn headings_are_plain_unless_on_a_terminal() {
    assert_eq!(PLAIN.bold("x"), "x");
    assert_eq!(Style { decorated: true }.bold("x"), "\u{1b}[1mx\u{1b}[0m");
    assert_eq!(seconds(Duration::from_millis(1540)), "1.5 s");
}

#[test]
fn a_quick_run_has_the_cheap_steps_alone() {
    let quick = TestOptions { quick: true, ..options(&[], &[]) };
    let names: Vec<_> = step_names().into_iter().filter(|name| is_chosen(name, &quick)).collect();
    assert_eq!(names, QUICK_STEPS);
}
