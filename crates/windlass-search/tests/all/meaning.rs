//! Finding by meaning: vectors are made with the index, come back with it, and go with their file.

use std::sync::Arc;

use async_trait::async_trait;
use windlass_core::ports::search::{
    NewDocument, SearchFailure, SearchKind, SearchPort as _, SearchQuery, SearchScope, TokenBudget,
};
use windlass_search::{EmbedFailure, EmbedPort, Index, IndexConfig, Searcher, Side};

use crate::place::{PassageName, query, search, update, wait};

fn semantic(text: &str) -> SearchQuery {
    SearchQuery { kind: SearchKind::Semantic, ..query(text) }
}

/// Two directions: texts about water and all others.
#[derive(Debug)]
struct Wet {
    name: &'static str,
    is_broken: std::sync::atomic::AtomicBool,
}

#[async_trait]
impl EmbedPort for Wet {
    fn name(&self) -> &str {
        self.name
    }

    async fn embed(&self, texts: &[&str], _side: Side<'_>) -> Result<Vec<Vec<f32>>, EmbedFailure> {
        let wet = |text: &&str| ["sea", "harbour", "wave"].iter().any(|word| text.contains(word));
        let vectors =
            texts.iter().map(|text| if wet(text) { vec![1.0, 0.1] } else { vec![0.0, 1.0] }).collect();
        let is_broken = self.is_broken.load(std::sync::atomic::Ordering::Relaxed);
        // It has to be waited for, as one over HTTP.
        tokio::task::yield_now().await;
        if is_broken { Err(EmbedFailure("gone".to_owned())) } else { Ok(vectors) }
    }
}

fn wet() -> Arc<Wet> {
    Arc::new(Wet { name: "wet", is_broken: false.into() })
}

fn open(place: &PassageName, embedder: Option<Arc<Wet>>) -> Arc<Index> {
    let embedder = embedder.map(|it| it as Arc<dyn EmbedPort>);
    let config = IndexConfig { embedder, ..IndexConfig::default() };
    Arc::new(Index::open(&place.index_folder(), &place.root(), config).unwrap())
}

#[test]
fn vectors_come_back_with_the_index_and_change_with_their_file() {
    let place = PassageName::new();
    place.write("a.md", "The harbour is calm.");
    place.write("b.md", "The desk is tidy.");
    let index = open(&place, Some(wet()));
    update(&index);
    let first = |index: &Arc<Index>| search(index, semantic("a wave")).passages.remove(0);
    assert_eq!(first(&index).path, "a.md");
    assert!(first(&index).parts.vector.unwrap() > 0.9);
    drop(index);
    let index = open(&place, Some(wet()));
    assert_eq!(first(&index).path, "a.md");
    place.write("a.md", "The desk is full.");
    place.write("b.md", "The sea is wide.");
    index.touch("a.md").unwrap();
    index.touch("b.md").unwrap();
    assert_eq!(first(&index).path, "b.md");
    place.remove("b.md");
    update(&index);
    assert!(search(&index, semantic("a wave")).passages.iter().all(|it| it.path == "a.md"));
}

#[test]
fn an_index_opened_on_a_runtime_may_be_used_there() {
    let place = PassageName::new();
    place.write("a.md", "The harbour is calm.");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap();
    runtime.block_on(async {
        let index = open(&place, Some(wet()));
        update(&index);
        place.write("a.md", "The sea is wide.");
        index.touch("a.md").unwrap();
        let found = Searcher::new(index).search(semantic("a wave")).await.unwrap();
        assert_eq!(found.passages[0].text, "The sea is wide.");
    });
}

#[test]
fn a_session_finds_its_own_documents_by_meaning() {
    let place = PassageName::new();
    place.write("a.md", "The harbour is calm.");
    let index = open(&place, Some(wet()));
    update(&index);
    let session = windlass_core::protocol::ids::SessionId::new("s1");
    let log = NewDocument {
        name: "log".to_owned(),
        session_id: Some(session.clone()),
        bytes: b"The sea was wide.".to_vec(),
    };
    index.add_document(log).unwrap();
    let mut asked = semantic("a wave");
    assert_eq!(search(&index, asked.clone()).passages.len(), 1);
    asked.scope = SearchScope::Session(session);
    let found = search(&index, asked);
    assert_eq!(found.passages.iter().map(|it| it.path.as_str()).collect::<Vec<_>>(), ["log"]);
}

#[test]
fn another_embedder_or_one_that_failed_is_made_up_for_by_the_next_update() {
    let place = PassageName::new();
    place.write("a.md", "The harbour is calm.");
    update(&open(&place, None));
    let embedder = wet();
    embedder.is_broken.store(true, std::sync::atomic::Ordering::Relaxed);
    let index = open(&place, Some(Arc::clone(&embedder)));
    let report = update(&index);
    assert_eq!((report.unchanged, report.embedder_failure.as_deref()), (1, Some("gone")));
    place.write("b.md", "The quay is wet.");
    assert_eq!(update(&index).added, 1, "new files are indexed without it");
    let status = index.status().unwrap();
    assert_eq!((status.files_without_vectors, status.embedder_failure.as_deref()), (2, Some("gone")));
    // Words are found all the same, and a failure is told where meaning was asked for.
    let by_words = SearchQuery { kind: SearchKind::Lexical, ..query("harbour") };
    assert_eq!(search(&index, by_words).passages.len(), 1);
    let failure = wait(Searcher::new(Arc::clone(&index)).search(semantic("a wave"))).unwrap_err();
    assert!(matches!(failure, SearchFailure::Broken(_)), "{failure:?}");
    embedder.is_broken.store(false, std::sync::atomic::Ordering::Relaxed);
    assert_eq!(update(&index).changed, 2);
    assert_eq!(search(&index, semantic("a wave")).passages[0].path, "a.md");
    assert_eq!(update(&index).changed, 0);
    assert_eq!(index.status().unwrap().embedder_failure, None);
}

#[test]
fn words_and_names_answer_when_the_embedder_fails_and_say_so() {
    let place = PassageName::new();
    place.write("a.md", "The harbour is calm.");
    let embedder = wet();
    let index = open(&place, Some(Arc::clone(&embedder)));
    update(&index);
    embedder.is_broken.store(true, std::sync::atomic::Ordering::Relaxed);
    let found = search(&index, query("harbour"));
    assert_eq!(found.passages[0].path, "a.md");
    assert!(found.notice.is_some_and(|notice| notice.contains("gone")));
    // It is left alone for a while, and still said to be missing; who insists asks it again.
    embedder.is_broken.store(false, std::sync::atomic::Ordering::Relaxed);
    assert!(search(&index, query("harbour")).notice.is_some());
    assert_eq!(search(&index, semantic("a wave")).passages.len(), 1);
    assert_eq!(search(&index, query("harbour")).notice, None);
}

#[test]
fn vectors_of_two_embedders_are_never_taken_for_one_another() {
    let place = PassageName::new();
    place.write("a.md", "The harbour is calm.");
    update(&open(&place, Some(wet())));
    let other = Arc::new(Wet { name: "wetter", is_broken: false.into() });
    let index = open(&place, Some(Arc::clone(&other)));
    assert!(search(&index, semantic("a wave")).passages.is_empty(), "those of the first are none");
    assert_eq!(index.status().unwrap().files_without_vectors, 1);
    assert_eq!(update(&index).changed, 1);
    assert_eq!(search(&index, semantic("a wave")).passages.len(), 1);
    // Without any, nothing is written again.
    let index = open(&place, None);
    assert_eq!((update(&index).changed, index.status().unwrap().embedder), (0, None));
}

#[test]
fn e_22_new_documents_of_a_session_come_before_old_ones_that_say_as_much() {
    let place = PassageName::new();
    let index = open(&place, None);
    let session = windlass_core::protocol::ids::SessionId::new("s1");
    for name in ["a", "b"] {
        let bytes = format!("The rope {name}{name} was tarred.").into_bytes();
        let document = NewDocument { name: name.to_owned(), session_id: Some(session.clone()), bytes };
        index.add_document(document).unwrap();
    }
    let asked = || SearchQuery { scope: SearchScope::Session(session.clone()), ..query("tarred rope") };
    let order = |index: &Arc<Index>| {
        search(index, asked()).passages.iter().map(|it| it.path.clone()).collect::<Vec<_>>()
    };
    assert_eq!(order(&index), ["a", "b"], "equally good and equally old: by name");
    for entry in std::fs::read_dir(place.index_folder().join("documents")).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let mut document: serde_json::Value = serde_json::from_str(&text).unwrap();
        if document["name"] == "a" {
            document["added_ms"] = (document["added_ms"].as_u64().unwrap() - 20 * 24 * 3_600_000).into();
            std::fs::write(&path, document.to_string()).unwrap();
        }
    }
    update(&index);
    assert_eq!(order(&index), ["b", "a"], "twenty days make the difference");
}

#[test]
fn meaning_without_an_embedder_is_a_wish_that_this_index_cannot_fulfil() {
    let place = PassageName::new();
    place.write("a.md", "The harbour is calm.");
    let index = Arc::new(place.indexed());
    let failure = wait(Searcher::new(index).search(semantic("a wave"))).unwrap_err();
    assert!(matches!(failure, SearchFailure::Unsupported(_)), "{failure:?}");
}

#[test]
fn the_built_in_embedder_finds_other_forms_of_a_word() {
    let place = PassageName::new();
    place.write("a.rs", "/// Removes a file from the disk.\nfn delete_file(path: &Path) {}\n");
    place.write("b.rs", "/// Paints the screen.\nfn draw_screen(size: Size) {}\n");
    let index = Arc::new(place.open_embedded());
    update(&index);
    assert_eq!(search(&index, query("deleting files")).passages[0].path, "a.rs");
    assert_eq!(index.status().unwrap().embedder.as_deref(), Some("builtin-2"));
}

#[test]
fn r_42_budgets_for_total_file_and_passage_hold() {
    let place = PassageName::new();
    for number in 0..8 {
        let functions: String = (0..6)
            .map(|at| {
                format!(
                    "/// Hauls {number} {at}.\nfn haul_{number}_{at}() {{\n{}}}\n\n",
                    "    wind(load);\n".repeat(40)
                )
            })
            .collect();
        place.write(&format!("m{number}.rs"), &functions);
    }
    let index = Arc::new(place.indexed());
    for budget in [
        TokenBudget { total: 500, file: 300, passage: 100 },
        TokenBudget { total: 100, file: 100, passage: 100 },
        TokenBudget { total: 0, file: 0, passage: 0 },
        TokenBudget { total: 4_000, file: 200, passage: 800 },
    ] {
        let asked = SearchQuery { budget, top_k: 50, ..query("haul wind load") };
        let found = search(&index, asked).passages;
        let tokens = |text: &str| text.len().div_ceil(4) as u32;
        assert!(found.iter().map(|it| tokens(&it.text)).sum::<u32>() <= budget.total);
        assert!(found.iter().all(|it| tokens(&it.text) <= budget.passage));
        for one in &found {
            let of_file =
                found.iter().filter(|it| it.path == one.path).map(|it| tokens(&it.text)).sum::<u32>();
            assert!(of_file <= budget.file);
        }
    }
}
