use serde_json::json;

use super::*;

fn figures() -> Value {
    json!({
        "cases": 5, "calls": 4, "malformed": 0, "memory_peak_bytes": 120_400_000,
        "tool_choice": {"right": 3, "of": 4}, "call_right": {"right": 2, "of": 4},
        "left_alone": {"right": 1, "of": 1}, "several_steps": {"right": 0, "of": 0},
        "step_ms": {"p50": 41.2, "p95": 90.0},
        "tools": {"read_file": {"tool": {"right": 3, "of": 4}, "call": {"right": 2, "of": 4}}},
    })
}

#[test]
fn figures_become_a_table() {
    let table = table(&figures()).unwrap();
    for row in [
        "| tool choice | 75.0 % (3 of 4) | at least 90 % |",
        "| several steps right | – | – |",
        "| malformed calls | 0 of 4 | 0 |",
        "| a step, median | 41 ms | – |",
        "| memory of the whole program, at most | 120 MB | – |",
        "| read_file | 4 | 75.0 % (3 of 4) | 50.0 % (2 of 4) |",
    ] {
        assert!(table.lines().any(|line| line == row), "no '{row}' in {table}");
    }
}

#[test]
fn half_a_report_is_no_table() {
    for field in ["cases", "tool_choice", "step_ms", "tools"] {
        let mut figures = figures();
        figures.as_object_mut().unwrap().remove(field);
        assert!(table(&figures).is_err(), "{field}");
    }
}

#[test]
fn the_table_stands_between_its_marks_and_the_rest_stays() {
    let text = format!("# Card\n\n{BEGIN}\nold\n{END}\n\nMore.\n");
    assert_eq!(
        update("x.md", &text, "| new |\n").unwrap(),
        format!("# Card\n\n{BEGIN}\n| new |\n{END}\n\nMore.\n")
    );
    let error = update("x.md", "# Card\n", "| new |\n").unwrap_err();
    assert!(error.to_string().contains("x.md lacks the lines"), "{error}");
}
