use super::Samples;
use super::tree::renamed;

#[test]
fn a_percentile_is_a_sample_that_was_seen() {
    let mut samples = Samples::default();
    for sample in (1..=200).rev() {
        samples.push(f64::from(sample));
    }
    assert_eq!(
        [samples.percentile(50), samples.percentile(99), samples.percentile(100)],
        [100.0, 198.0, 200.0]
    );
    assert!(Samples::default().percentile(50).is_nan());
}

#[test]
fn a_copy_has_other_names_and_the_same_syntax() {
    let text = "pub fn haul_anchor(windlass: &Windlass) -> String { windlass.haul_anchor() } // haul_anchor";
    assert_eq!(renamed(text, 0), text);
    let copies: Vec<String> = (1..40).map(|copy| renamed(text, copy)).collect();
    assert!(copies.iter().any(|copy| copy != text), "some names are others");
    for (number, copy) in (1..40).zip(&copies) {
        assert_eq!(copy, &renamed(text, number), "always the same");
        let punctuation =
            |text: &str| text.chars().filter(|c| !c.is_alphanumeric() && *c != '_').collect::<String>();
        assert_eq!(punctuation(copy), punctuation(text));
        assert!(copy.starts_with("pub fn ") && copy.contains(" -> String "), "{copy}");
    }
}
