//! Figures are read from lines and land in the table.

use super::*;

fn figure(name: &str, measured: &str, target: &str) -> Figure {
    Figure { name: name.to_owned(), measured: measured.to_owned(), target: target.to_owned() }
}

#[test]
fn a_figure_line_has_a_name_a_value_a_unit_and_perhaps_a_target() {
    let line = "figure: engine step = 17.2 µs CPU (target at most 25 µs)";
    assert_eq!(Figure::parse(line), Some(figure("engine step", "17.2 µs CPU", "at most 25 µs")));
    assert_eq!(
        Figure::parse("figure: idle_session = 9,112 bytes"),
        Some(figure("idle_session", "9,112 bytes", "–"))
    );
    for other in ["engine step 17 µs", "figure: step", "figure: step = fast µs", "figure:  = 17 µs"] {
        assert_eq!(Figure::parse(other), None, "{other}");
    }
}

#[test]
fn the_table_keeps_figures_that_were_not_measured_again() {
    let text =
        format!("# Performance\n\n{BEGIN}\n{HEAD}| a | 1 s | – |\n| b | 2 s | 3 s |\n{END}\n\nNotes.\n");
    let updated = update(&text, vec![figure("b", "1 s", "3 s"), figure("c", "9 kB", "–")]).unwrap();
    let table = "| a | 1 s | – |\n| b | 1 s | 3 s |\n| c | 9 kB | – |\n";
    assert_eq!(updated, format!("# Performance\n\n{BEGIN}\n{HEAD}{table}{END}\n\nNotes.\n"));
}

#[test]
fn a_document_without_the_marks_is_refused_with_the_cure() {
    let error = update("# Performance\n", Vec::new()).unwrap_err().to_string();
    assert!(error.contains(BEGIN), "{error}");
}

#[test]
fn figures_are_collected_from_a_run_and_a_failed_run_is_an_error() {
    let prints = CommandLine::new(Path::new("."), "sh", &["-c", "echo noise; echo 'figure: x = 1 s'"]);
    assert_eq!(measure(&prints).unwrap(), [figure("x", "1 s", "–")]);
    assert!(measure(&CommandLine::new(Path::new("."), "false", &[])).is_err());
}
