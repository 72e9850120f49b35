use super::*;

fn fit(filter: &str, label: &str) -> Option<u32> {
    score(filter, label, "")
}

#[test]
fn every_word_must_be_found_and_case_does_not_count() {
    assert!(fit("SON sess", "a session of Sonnet").is_some());
    assert!(fit("son zebra", "a session of Sonnet").is_none());
    assert_eq!(fit("", "anything"), Some(0));
    assert_eq!(fit("x", ""), None);
}

#[test]
fn a_beginning_beats_a_word_beats_a_piece_beats_scattered_letters() {
    let points = ["model", "the model", "remodel", "my odd velo"].map(|text| fit("model", text));
    let scattered = fit("model", "m-o-d-e-l");
    assert!(points[0] > points[1] && points[1] > points[2] && points[2] > scattered, "{points:?}");
    assert!(scattered.is_some());
    assert_eq!(points[3], fit("model", "my odd velo"));
    assert!(fit("lm", "model").is_none(), "letters keep their order");
}

#[test]
fn letters_that_stand_near_each_other_fit_better() {
    assert!(fit("cs4", "claude-sonnet-4") > fit("cs4", "claude is somewhere, and so are 4 others"));
    assert!(fit("é", "café").is_some());
}

#[test]
fn a_name_counts_more_than_what_is_known_and_letters_count_in_names_alone() {
    assert!(score("read", "read_file", "") > score("read", "write_file", "not read"));
    assert!(score("wf", "write_file", "").is_some());
    assert!(score("wf", "read_file", "we find").is_none());
}
