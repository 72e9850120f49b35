use super::*;

const LINE: &str = r#"{"prompt_tokens":500,"first_ms":1000.0,"second_tokens":520,"second_cached":500,"second_ms":50.0,"written_tokens":64,"written_ms":2000.0}"#;

fn shown(lines: &str) -> Shown {
    let mut shown = Shown::default();
    shown.take(lines).unwrap();
    shown
}

#[test]
fn lines_become_rates() {
    let shown = shown(&format!("warming up\n{LINE}\n{LINE}\n"));
    assert_eq!((shown.read_per_s, shown.written_per_s), (vec![500.0; 2], vec![32.0; 2]));
    assert_eq!((shown.second_ms, shown.second), (vec![50.0; 2], (520, 500)));
}

#[test]
fn a_turn_without_a_measurement_is_an_error() {
    assert!(Shown::default().take("nothing\n").is_err());
    assert!(Shown::default().take("{\"prompt_tokens\": 5}").is_err());
}

#[test]
fn both_sides_are_reported_with_their_ratio_and_the_second_step() {
    let slower = LINE.replace("\"first_ms\":1000.0", "\"first_ms\":2000.0");
    let mut figures = Vec::new();
    report(&mut figures, "Q8_0", "2", &shown(&slower), &shown(LINE));
    let lines: Vec<String> =
        figures.iter().map(|figure| format!("{} = {}", figure.name, figure.measured)).collect();
    for line in [
        "windlass: prompt read, 0.13 B Q8_0, 2 threads = 250.00 tokens a second",
        "llama.cpp: prompt read, 0.13 B Q8_0, 2 threads = 500.00 tokens a second",
        "windlass against llama.cpp: prompt read, 0.13 B Q8_0, 2 threads = 0.50 times",
        "windlass: second step, Q8_0, 500 of 520 tokens kept = 50.00 ms",
    ] {
        assert!(lines.iter().any(|own| own == line), "no '{line}' in {lines:#?}");
    }
}
