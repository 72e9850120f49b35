use super::*;

#[test]
fn a_doc_comment_becomes_a_question_and_is_not_there_to_be_found() {
    let text = "/// Opens the journal of a session. Fails twice.\n#[must_use]\npub fn open(path: &Path) {}\n\n// why\nfn own() {}\n";
    let (mut docs, mut names) = (Vec::new(), HashMap::new());
    let stripped = strip_items("a.rs", text, &mut docs, &mut names);
    assert_eq!(stripped, "#[must_use]\npub fn open(path: &Path) {}\n\n// why\nfn own() {}\n");
    let place = Place { path: "a.rs".to_owned(), byte: Some(0) };
    assert_eq!(
        (docs[0].text.as_str(), &docs[0].relevant),
        ("Opens the journal of a session", &vec![place.clone()])
    );
    assert_eq!(names.get("open"), Some(&vec![place]));
}

#[test]
fn names_of_public_items_are_read() {
    for (line, name) in [
        ("pub fn open(path: &Path) {", Some("open")),
        ("    pub async fn run<T>(self)", Some("run")),
        ("pub const fn zero() -> u8 {", Some("zero")),
        ("pub const LIMIT: u32 = 3;", Some("LIMIT")),
        ("pub struct Index {", Some("Index")),
        ("pub folder: PathBuf,", None),
        ("pub use fault::IndexError;", None),
        ("pub(crate) fn own() {", None),
        ("fn own() {", None),
    ] {
        assert_eq!(item_name(line).as_deref(), name, "{line}");
    }
}

#[test]
fn the_first_sentence_of_a_paragraph_is_asked_for_the_rest_of_it() {
    let rest = "More is said here. ".repeat(20);
    let text = format!(
        "# Title\n\nWhat the journal keeps is `durable`. {rest}\n\n## Other\n\nShort one here now.\n"
    );
    let mut prose = Vec::new();
    let stripped = strip_prose("a.md", &text, &mut prose);
    assert_eq!(stripped, format!("# Title\n\n{rest}\n\n## Other\n\nShort one here now.\n"));
    assert_eq!(prose.len(), 1);
    assert_eq!(
        (prose[0].text.as_str(), prose[0].relevant[0].byte),
        ("What the journal keeps is durable", Some(9))
    );
}

#[test]
fn items_of_a_list_are_asked_for_as_paragraphs_are() {
    let rest = "More is said of it in here. ".repeat(4);
    let text = format!(
        "Some words before it.\n\n- *One* is what comes first. {rest}\n- Two is what follows. {rest}\n"
    );
    let mut prose = Vec::new();
    let stripped = strip_prose("a.md", &text, &mut prose);
    assert_eq!(stripped, format!("Some words before it.\n\n- {rest}\n- {rest}\n"));
    let asked: Vec<&str> = prose.iter().map(|query| query.text.as_str()).collect();
    assert_eq!(asked, ["One is what comes first", "Two is what follows"]);
    assert!(
        prose.iter().all(|query| stripped[query.relevant[0].byte.unwrap() as usize..].starts_with(&rest))
    );
}
