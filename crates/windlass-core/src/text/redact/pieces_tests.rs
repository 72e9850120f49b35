use proptest::prelude::*;

use super::*;
use crate::text::secret::Secret;

const SECRETS: [&str; 4] = ["hunter2-hunter2", "hunter2", "-hunter2 or", "schlüssel"];

/// What texts are made of: secrets, what begins like one, and what looks like one inside a word.
const STUFF: [&str; 34] = [
    "hunter2-hunter2",
    "hunter2",
    "hunt",
    "-hunter2 or",
    "schlüssel",
    "schlü",
    "sk-",
    "sk_live_",
    "Bearer ",
    "bearer ",
    "xox",
    "AKIA",
    "hf_",
    "github_pat_",
    "abcdefghijkl",
    "eyJ",
    "eyJhbGciOi.",
    "eyJzdWIiOiIx.",
    "glpat-",
    "0123456789+/=._-",
    "-----BEGIN ",
    "RSA ",
    "PRIVATE KEY-----",
    "\n",
    "\\n",
    "-----END ",
    "---",
    " ",
    "ri",
    "ask",
    "é",
    ". ",
    "s",
    "B",
];

fn redactor() -> Redactor {
    Redactor::new(SECRETS.map(Secret::new))
}

fn parted(redactor: &Redactor, pieces: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut whole = Pieces::default();
    let mut shown: Vec<String> =
        pieces.into_iter().flat_map(|piece| whole.push(redactor, piece)).flatten().collect();
    shown.extend(whole.finish(redactor).into_iter().flatten());
    shown
}

fn cleaned(redactor: &Redactor, pieces: &[&str]) -> Vec<String> {
    let pieces = parted(redactor, pieces.iter().map(|piece| (*piece).to_owned()));
    pieces.iter().map(|piece| redactor.clean(piece).into_owned()).collect()
}

#[test]
fn a_secret_in_two_pieces_is_shown_in_neither() {
    let redactor = redactor();
    assert_eq!(cleaned(&redactor, &["it is hun", "ter2", ", keep it"]), ["it is ", "***, keep it"]);
    assert_eq!(cleaned(&redactor, &["sk-abcdefgh", "ijklmnop", "qr and"]), ["*** and"]);
    assert_eq!(cleaned(&redactor, &["Bea", "rer abcdef", "ghijklmn", "op", " ok"]), ["Bearer *** ok"]);
    assert_eq!(cleaned(&redactor, &["a sch", "lü"]), ["a ", "schlü"]);
}

#[test]
fn a_private_key_in_pieces_is_one_secret_also_without_its_end() {
    let redactor = redactor();
    let key =
        ["see -----BEG", "IN RSA PRIVATE KEY-", "----\nMII", "E\n-----EN", "D RSA PRIVATE KEY", "----- ok"];
    assert_eq!(cleaned(&redactor, &key).concat(), "see *** ok");
    assert_eq!(cleaned(&redactor, &key[..3]).concat(), "see ***");
}

#[test]
fn ordinary_text_goes_on_at_once() {
    let redactor = redactor();
    for piece in ["The answer", " is 42.", " Tasked", " are done;", " B2 or not", " über"] {
        assert_eq!(Pieces::default().push(&redactor, piece.to_owned()), [Some(piece.to_owned()), None]);
    }
    // Only what may be the beginning of a secret waits, and only until it is none.
    let mut pieces = Pieces::default();
    assert_eq!(pieces.push(&redactor, "The hun".to_owned()), [Some("The ".to_owned()), None]);
    assert_eq!(pieces.push(&redactor, "dred".to_owned()), [Some("hundred".to_owned()), None]);
}

#[test]
fn the_end_of_a_word_is_no_key_also_where_a_piece_begins_with_it() {
    assert_eq!(
        cleaned(&redactor(), &["a ri", "sk-averse-investor-would"]).concat(),
        "a risk-averse-investor-would"
    );
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(&STUFF[..]), 0..14).prop_map(|stuff| stuff.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// However a text comes in, its pieces say what the whole text would, and none has a secret.
    #[test]
    fn any_split_of_any_text_shows_what_the_cleaned_text_shows(
        text in text(), cuts in prop::collection::vec(1_usize..6, 0..60),
    ) {
        let redactor = redactor();
        let mut chars = text.chars();
        let mut pieces: Vec<String> = cuts.iter().map(|count| chars.by_ref().take(*count).collect()).collect();
        pieces.push(chars.collect());
        let parted = parted(&redactor, pieces);
        prop_assert_eq!(parted.concat(), text.clone(), "nothing is lost or moved");
        prop_assert!(parted.iter().all(|piece| !piece.is_empty()));
        let shown: String = parted.iter().map(|piece| redactor.clean(piece).into_owned()).collect();
        prop_assert_eq!(&shown, &redactor.clean(&text));
        for secret in SECRETS {
            prop_assert!(!shown.contains(secret), "{}", shown);
        }
    }
}
