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
fn e_31_a_context_has_at_most_two_thousand_characters_and_every_source_its_share() {
    let long = |letter: &str| Some(letter.repeat(5_000));
    let context = share_out([long("d"), long("w"), long("m"), long("p")]).unwrap();
    assert!(context.chars().count() <= 2_000, "{}", context.chars().count());
    let count = |letter: char| context.chars().filter(|c| *c == letter).count();
    assert!(count('d') >= 780 && count('w') >= 480 && count('m') >= 280 && count('p') >= 380, "{context}");
    // What one leaves goes to the next, and documents are never crowded out.
    assert_eq!(share_out([None, None, None, long("p")]).unwrap().chars().count(), 2_000);
    assert!(share_out([long("d"), long("w"), None, None]).unwrap().starts_with("dddd"));
    assert_eq!(share_out([None, None, None, None]), None);
}
