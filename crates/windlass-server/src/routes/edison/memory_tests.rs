use super::*;

fn exchange(user: &str, answer: &str) -> Exchange {
    Exchange { user: user.into(), answer: answer.into() }
}

#[test]
fn e_40_the_closest_exchanges_come_first_and_strangers_not_at_all() {
    let exchanges = [
        exchange("The capital of France?", "Paris."),
        exchange("Tell me a joke.", "No."),
        exchange("The capital of Spain?", "Madrid, the capital."),
        exchange("The river in that capital?", "The Seine flows through Paris, the capital of France."),
    ];
    let text = related(&exchanges, "Which river flows through the capital?").unwrap();
    let users: Vec<&str> =
        text.lines().filter_map(|line| line.strip_prefix("Earlier, the user said: ")).collect();
    assert_eq!(users, ["The river in that capital?", "The capital of Spain?", "The capital of France?"]);
    assert_eq!(related(&exchanges, "Something else entirely"), None);
    assert_eq!(related(&[], "capital"), None);
}

#[test]
fn e_31_a_context_has_at_most_two_thousand_characters() {
    let long = exchange("capital", &"größe ".repeat(1_000));
    assert!(related(&[long], "the capital").unwrap().chars().count() <= CONTEXT_CHARS_MAX);
}
