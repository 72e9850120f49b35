use super::*;

fn exchange(user: &str, answer: &str) -> EdisonExchange {
    EdisonExchange { user: user.into(), answer: answer.into() }
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
fn e_31_what_one_leaves_goes_to_the_next_and_what_was_cut_off_is_not_cited() {
    let long = |letter: &str| {
        let text = format!("From {letter}.md:1\n{}\n\nFrom cut.md:9\n", letter.repeat(5_000));
        let cites = [format!("{letter}.md"), "cut.md".to_owned()];
        Some(Material { text, cites: cites.map(|name| (format!("From {name}:"), name)).to_vec() })
    };
    let all = share_out([long("d"), long("w"), long("m"), long("p")]);
    assert_eq!(all.sources, ["d.md", "w.md", "m.md", "p.md"]);
    assert!(all.text.unwrap().chars().count() <= 2_000);
    assert_eq!(share_out([None, None, None, long("p")]).text.unwrap().chars().count(), 2_000);
    let nothing = share_out([None, None, None, None]);
    assert_eq!((nothing.text, nothing.sources), (None, vec![]));
}
