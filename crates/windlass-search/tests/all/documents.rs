//! Documents and notes that users add: kept, listed, found where they belong, removed.

use std::fs;
use std::sync::Arc;

use windlass_core::ports::search::{NewDocument, SearchKind, SearchPort as _, SearchQuery, SearchScope};
use windlass_core::protocol::ids::SessionId;
use windlass_search::{Index, PdfReading, Searcher};

use crate::place::{PassageName, paths, query, search, update, wait};

fn document(session_id: Option<&SessionId>, name: &str, bytes: &[u8]) -> NewDocument {
    NewDocument { name: name.to_owned(), session_id: session_id.cloned(), bytes: bytes.to_owned() }
}

fn note(session_id: &SessionId, text: &str) -> NewDocument {
    document(Some(session_id), "notes.md", text.as_bytes())
}

fn names(index: &Index) -> Vec<(String, Option<String>)> {
    let rows = index.all_documents().unwrap().into_iter();
    rows.map(|row| (row.name, row.session_id.map(|id| id.to_string()))).collect()
}

#[test]
fn e_22_documents_are_found_in_their_session_and_survive_a_damaged_index() {
    let place = PassageName::new();
    place.write("a.md", "# Windlass\n\nThe project's own notes.");
    let index = Arc::new(place.indexed());
    let (one, two) = (SessionId::new("s1"), SessionId::new("s2"));
    let searcher = Searcher::new(Arc::clone(&index));
    wait(searcher.add_document(note(&one, "# Windlass\n\nIt hauls the anchor."))).unwrap();
    wait(searcher.add_document(note(&two, "# Windlass\n\nIt hauls the net."))).unwrap();
    wait(searcher.add_document(note(&two, "# Windlass\n\nIt hauls the boat."))).unwrap();
    let texts = |index: &Arc<Index>, scope: SearchScope| {
        let mut query = query("windlass");
        query.scope = scope;
        let mut texts: Vec<_> = search(index, query).passages.into_iter().map(|it| it.text).collect();
        texts.sort();
        texts.iter().map(|text| text.split_whitespace().last().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let expect = |index: &Arc<Index>| {
        assert_eq!(texts(index, SearchScope::Session(one.clone())), ["anchor."]);
        assert_eq!(texts(index, SearchScope::Session(two.clone())), ["boat."]);
        assert_eq!(texts(index, SearchScope::AllSessions), ["anchor.", "boat."]);
        assert_eq!(texts(index, SearchScope::Project), ["notes."]);
        assert_eq!(texts(index, SearchScope::Everything).len(), 3);
    };
    expect(&index);
    drop((searcher, index));
    fs::remove_dir_all(place.index_folder().join("index")).unwrap();
    let index = Arc::new(place.indexed());
    expect(&index);
    let row = index.all_documents().unwrap().into_iter().find(|row| row.session_id.as_ref() == Some(&one));
    assert!(index.remove_document(&row.unwrap().document_id).unwrap());
    assert_eq!(texts(&index, SearchScope::Session(one.clone())), Vec::<String>::new());
    index.verify().unwrap();
}

#[test]
fn a_document_without_a_name_or_without_end_is_refused() {
    let place = PassageName::new();
    let index = place.open();
    assert!(index.add_document(document(None, " ", b"text")).is_err());
    assert!(index.add_document(document(None, "a", &vec![b'x'; 9 * 1024 * 1024])).is_err());
}

#[test]
fn e_22_a_document_of_no_session_is_found_in_all_documents_and_in_no_session() {
    let place = PassageName::new();
    let index = Arc::new(place.indexed());
    let row = index.add_document(document(None, "handbook.html", b"<h1>Capstan</h1><p>Oil it.</p>")).unwrap();
    let found = |scope: SearchScope| {
        let mut query = query("capstan");
        query.scope = scope;
        search(&index, query).passages
    };
    let passages = found(SearchScope::AllSessions);
    assert_eq!(passages.len(), 1);
    assert_eq!((passages[0].path.as_str(), passages[0].language.as_str()), ("handbook.html", "html"));
    assert!(passages[0].text.contains("Oil it.") && !passages[0].text.contains('<'), "{}", passages[0].text);
    assert_eq!(passages[0].document_id.as_deref(), Some(row.document_id.as_str()));
    let everywhere = found(SearchScope::Everything);
    assert_eq!(everywhere.len(), 1);
    assert_eq!(
        (&everywhere[0].document_id, &everywhere[0].text),
        (&passages[0].document_id, &passages[0].text)
    );
    assert!(found(SearchScope::Project).is_empty());
    assert!(found(SearchScope::Session(SessionId::new("s1"))).is_empty());
}

#[test]
fn a_session_reaches_files_documents_of_no_session_and_its_own() {
    let place = PassageName::new();
    place.write("a.md", "# Windlass\n\nThe project's own notes.");
    let index = place.open_embedded();
    let (one, two) = (SessionId::new("s1"), SessionId::new("s2"));
    index.add_document(note(&one, "# Windlass\n\nIt hauls the anchor.")).unwrap();
    index.add_document(note(&two, "# Windlass\n\nIt hauls the net.")).unwrap();
    index.add_document(document(None, "all.md", b"# Windlass\n\nIt hauls for all.")).unwrap();
    index.update(&mut |_| {}).unwrap();
    let index = Arc::new(index);
    for kind in [SearchKind::Lexical, SearchKind::Semantic, SearchKind::Hybrid] {
        let reached = |session: &SessionId| {
            let query =
                SearchQuery { kind, scope: SearchScope::Reachable(session.clone()), ..query("windlass") };
            let mut texts: Vec<_> = search(&index, query).passages.into_iter().map(|it| it.text).collect();
            texts.sort();
            texts.iter().map(|text| text.split_whitespace().last().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(reached(&one), ["all.", "anchor.", "notes."], "{kind:?}");
        assert_eq!(reached(&two), ["all.", "net.", "notes."], "{kind:?}");
        assert_eq!(reached(&SessionId::new("s3")), ["all.", "notes."], "{kind:?}");
    }
}

#[test]
fn documents_are_listed_after_a_restart_and_removed_by_their_id() {
    let place = PassageName::new();
    let session = SessionId::new("s1");
    let index = place.indexed();
    index.add_document(document(None, "b.md", b"# Bilge")).unwrap();
    let row = index.add_document(document(Some(&session), "a.txt", b"Anchor.")).unwrap();
    assert_eq!((row.bytes, row.session_id.as_ref()), (7, Some(&session)));
    drop(index);
    let index = place.open();
    let own = |name: &str, session: Option<&str>| (name.to_owned(), session.map(str::to_owned));
    assert_eq!(names(&index), [own("a.txt", Some("s1")), own("b.md", None)]);
    for wrong in ["", "../../a", "00000000000000000000000000000000", &row.name] {
        assert!(!index.remove_document(wrong).unwrap(), "{wrong}");
    }
    assert!(index.remove_document(&row.document_id).unwrap());
    assert_eq!(names(&index), [own("b.md", None)]);
    index.verify().unwrap();
}

#[test]
fn a_document_that_is_no_text_says_why_it_is_not_taken() {
    let place = PassageName::new();
    let index = place.open_with(PdfReading::InProcess);
    for (name, bytes, why) in [
        ("a.bin", &b"zero\0byte"[..], "no text (binary)"),
        ("a.txt", b"\xff\xfea\0", "no text (encoding)"),
        ("a.pdf", b"not a PDF", "damaged, locked or no PDF"),
    ] {
        let error = index.add_document(document(None, name, bytes)).unwrap_err().to_string();
        assert!(error.contains(why) && error.contains(name), "{error}");
    }
    assert_eq!(names(&index), []);
}

#[test]
fn the_text_of_a_pdf_is_found_in_documents_and_in_the_project() {
    let pdf = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/documents/capstan.pdf")).unwrap();
    let place = PassageName::new();
    fs::write(place.root().join("manual.pdf"), &pdf).unwrap();
    fs::write(place.root().join("broken.pdf"), "no PDF").unwrap();
    let index = Arc::new(place.open_with(PdfReading::InProcess));
    update(&index);
    let session = SessionId::new("s1");
    index.add_document(document(Some(&session), "sent.pdf", &pdf)).unwrap();
    for (scope, name) in [(SearchScope::Project, "manual.pdf"), (SearchScope::Session(session), "sent.pdf")] {
        let mut query = query("how is the capstan greased");
        query.scope = scope;
        let passages = search(&index, query).passages;
        assert_eq!(passages[0].path, name);
        assert!(passages[0].text.contains("greased with tallow"), "{}", passages[0].text);
    }
    assert_eq!(index.status().unwrap().skipped, [("damaged".to_owned(), 1)]);
}

#[test]
fn nobody_reads_pdfs_unless_it_is_said_and_they_are_read_once_it_is() {
    let pdf = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/documents/capstan.pdf")).unwrap();
    let place = PassageName::new();
    fs::write(place.root().join("manual.pdf"), &pdf).unwrap();
    let index = Arc::new(place.indexed());
    assert_eq!(index.status().unwrap().skipped, [("pdf".to_owned(), 1)]);
    let refused = index.add_document(document(None, "sent.pdf", &pdf)).unwrap_err().to_string();
    assert!(refused.contains("PDFs are not read here"), "{refused}");
    drop(index);
    let index = Arc::new(place.open_with(PdfReading::InProcess));
    update(&index);
    assert_eq!(paths(&index, "how is the capstan greased"), ["manual.pdf"]);
}
