//! Folders of modules: loading, reloading, and watching real files with the real watcher.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::timeout;
use windlass_modules::limits::FILE_BYTES_MAX;
use windlass_modules::{
    Field, FieldType, HotReload, HotReloadConfig, HotReloadEvent, HotReloadEvents, HotReloadHandle,
    LoadReport, ModuleError, ModuleLibrary, Signature, SignatureRegistry, SignatureType, hash_of,
};

/// A folder of modules that can be changed.
struct Folder {
    folder: TempDir,
    entries: BTreeMap<String, Value>,
}

fn module(id: &str, instruction: &str) -> String {
    let file = json!({
        "module_id": id,
        "signature": {"inputs": [{"name": "question"}], "outputs": [{"name": "answer"}]},
        "instruction": instruction,
    });
    format!("{file:#}")
}

impl Folder {
    /// With the modules `a` and `b`, saying `one`.
    fn new() -> Self {
        let mut folder = Self { folder: tempfile::tempdir().unwrap(), entries: BTreeMap::new() };
        for id in ["a", "b"] {
            folder.write(&format!("{id}.json"), &module(id, "one"));
            folder.enter(id, json!({"path": format!("{id}.json")}));
        }
        folder.write_manifest();
        folder
    }

    fn path(&self, file: &str) -> PathBuf {
        fs::canonicalize(self.folder.path()).unwrap().join(file)
    }

    fn write(&self, file: &str, text: &str) {
        fs::write(self.path(file), text).unwrap();
    }

    fn enter(&mut self, id: &str, entry: Value) {
        self.entries.insert(id.to_owned(), entry);
    }

    fn write_manifest(&self) {
        let manifest = json!({"version": "1.0", "modules": self.entries});
        self.write("manifest.json", &manifest.to_string());
    }

    fn open(&self) -> (ModuleLibrary, LoadReport) {
        ModuleLibrary::open(self.folder.path(), SignatureRegistry::new())
    }

    /// Watched, with a reader of events.
    fn watch(&self) -> (ModuleLibrary, HotReloadHandle, HotReloadEvents) {
        let library = self.open().0;
        let handle = HotReload::start(&library, HotReloadConfig::default()).unwrap();
        let events = handle.events();
        (library, handle, events)
    }
}

fn says(library: &ModuleLibrary, id: &str) -> Option<String> {
    library.get(id).map(|module| module.instruction.clone())
}

async fn next(events: &mut HotReloadEvents) -> HotReloadEvent {
    timeout(Duration::from_secs(20), events.next()).await.expect("an event comes").expect("the watch goes on")
}

/// Reads events until one fits.
async fn wait_for(events: &mut HotReloadEvents, fits: impl Fn(&HotReloadEvent) -> bool) -> HotReloadEvent {
    loop {
        let event = next(events).await;
        if fits(&event) {
            return event;
        }
    }
}

fn changed(folder: &Folder, id: &str, file: &str) -> HotReloadEvent {
    HotReloadEvent::ModuleChanged { module_id: id.to_owned(), path: folder.path(file) }
}

#[test]
fn a_folder_without_a_manifest_has_no_modules_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let (library, report) = ModuleLibrary::open(folder.path(), SignatureRegistry::new());
    assert_eq!((library.count(), report.failed.len()), (0, 0));
    assert!(report.warnings[0].contains("there is no manifest"), "{report:?}");
    assert_eq!(ModuleLibrary::empty().count(), 0);
}

#[test]
fn a_bad_file_is_left_out_and_the_rest_is_loaded() {
    let folder = Folder::new();
    folder.write("a.json", "{\n  \"module_id\": \"a\",\n  oops\n}");
    let (library, report) = folder.open();
    assert_eq!((library.ids(), report.loaded), (vec!["b".to_owned()], vec!["b".to_owned()]));
    let [(path, ModuleError::Json(text))] = report.failed.as_slice() else { panic!("{:?}", report.failed) };
    assert_eq!(path, &folder.path("a.json"));
    assert!(text.contains("a.json:3:3: key must be a string"), "{text}");
}

#[test]
fn r_18_a_broken_module_or_manifest_keeps_the_modules_that_were_there() {
    let folder = Folder::new();
    let (library, _) = folder.open();
    folder.write("a.json", "{");
    folder.write("b.json", &module("b", "two"));
    let report = library.reload_all();
    assert_eq!((report.kept, report.loaded), (vec!["a".to_owned()], vec!["b".to_owned()]));
    assert_eq!((says(&library, "a").unwrap(), says(&library, "b").unwrap()), ("one".into(), "two".into()));
    assert!(matches!(library.reload_module("a"), Err(ModuleError::Json(_))));

    for broken in ["{", "[]", r#"{"version": "9", "modules": {}}"#] {
        folder.write("manifest.json", broken);
        let report = library.reload_all();
        assert!(report.failed.iter().any(|(path, _)| *path == folder.path("manifest.json")), "{report:?}");
        assert_eq!((library.ids(), report.removed.len()), (vec!["a".to_owned(), "b".to_owned()], 0));
    }
    fs::remove_file(folder.path("manifest.json")).unwrap();
    assert_eq!((library.reload_all().removed.len(), library.count()), (0, 2));
}

#[test]
fn r_19_a_file_with_another_hash_than_its_manifest_says_is_refused() {
    let mut folder = Folder::new();
    let good = module("a", "two");
    let hash = format!("sha256:{}", hash_of(good.as_bytes()));
    folder.enter("a", json!({"path": "a.json", "hash": hash}));
    folder.write_manifest();
    let (library, report) = folder.open();
    let actual = format!("sha256:{}", hash_of(module("a", "one").as_bytes()));
    let mismatch = ModuleError::HashMismatch { module: "a".into(), expected: hash.clone(), actual };
    assert_eq!(report.failed, [(folder.path("a.json"), mismatch)]);
    assert_eq!(library.ids(), ["b"]);
    folder.write("a.json", &good);
    assert_eq!(library.reload_all().loaded, ["a"]);
    // Once it is there, a wrong one does not push it out.
    folder.write("a.json", &module("a", "three"));
    assert_eq!(library.reload_all().kept, ["a"]);
    assert_eq!(says(&library, "a").unwrap(), "two");
}

#[test]
fn files_outside_the_folder_and_files_without_end_are_refused() {
    let mut folder = Folder::new();
    let elsewhere = tempfile::tempdir().unwrap();
    let outside = elsewhere.path().join("c.json");
    fs::write(&outside, module("c", "one")).unwrap();
    std::os::unix::fs::symlink(&outside, folder.path("link.json")).unwrap();
    folder.write("large.json", &" ".repeat(usize::try_from(FILE_BYTES_MAX).unwrap() + 1));
    fs::create_dir(folder.path("folder.json")).unwrap();
    let paths =
        ["link.json", "../c.json", outside.to_str().unwrap(), "large.json", "folder.json", "", "none.json"];
    for path in paths {
        folder.enter("c", json!({"path": path}));
        folder.write_manifest();
        let (library, report) = folder.open();
        assert_eq!((library.ids(), report.failed.len()), (vec!["a".to_owned(), "b".to_owned()], 1), "{path}");
    }
}

#[test]
fn a_module_must_call_itself_as_its_manifest_does() {
    let folder = Folder::new();
    folder.write("a.json", &module("x", "one"));
    let report = folder.open().1;
    assert!(report.failed[0].1.to_string().contains("calls itself 'x', its manifest 'a'"), "{report:?}");
}

#[test]
fn reload_module_takes_in_one_file() {
    let mut folder = Folder::new();
    let (library, _) = folder.open();
    let before = library.get("a").unwrap();
    folder.write("a.json", &module("a", "two"));
    folder.write("b.json", &module("b", "two"));
    assert_eq!(library.reload_module("a").unwrap().instruction, "two");
    assert_eq!((before.instruction.as_str(), says(&library, "b").unwrap()), ("one", "one".into()));
    assert_eq!(library.reload_module("z"), Err(ModuleError::ModuleNotFound("z".into())));
    folder.write("c.json", &module("c", "one"));
    folder.enter("c", json!({"path": "c.json", "tags": ["new"]}));
    folder.write_manifest();
    assert!(library.reload_module("c").is_ok());
    assert_eq!((library.with_tag("new"), library.count()), (vec!["c".to_owned()], 3));
    assert_eq!(library.reload_all().loaded, ["b"]);
}

struct Question;

impl SignatureType for Question {
    fn signature() -> Signature {
        let field = |name| Field::new(name, FieldType::String);
        Signature { inputs: vec![field("question")], outputs: vec![field("answer")] }
    }
}

#[test]
fn d_28_signatures_may_come_from_the_program_and_one_that_is_not_there_is_named() {
    let folder = Folder::new();
    folder.write("a.json", r#"{"module_id": "a", "signature_name": "test.question"}"#);
    let (library, report) = folder.open();
    assert_eq!(report.failed[0].1.to_string(), "Signature not found: test.question");
    assert!(library.get("a").is_none());
    let mut signatures = SignatureRegistry::new();
    signatures.register::<Question>("test.question");
    let (library, report) = ModuleLibrary::open(folder.folder.path(), signatures);
    assert_eq!(
        (report.failed.len(), library.get("a").unwrap().signature.clone()),
        (0, Question::signature())
    );
}

#[tokio::test]
async fn a_saved_file_is_the_new_version_and_a_run_that_goes_on_keeps_its_own() {
    let folder = Folder::new();
    let (library, handle, mut events) = folder.watch();
    let held = library.get("a").unwrap();
    folder.write("a.json", &module("a", "two"));
    assert_eq!(next(&mut events).await, changed(&folder, "a", "a.json"));
    assert_eq!((says(&library, "a").unwrap(), held.instruction.as_str()), ("two".into(), "one"));
    let stats = handle.stats();
    assert_eq!((stats.reloads_total, stats.reloads_failed, stats.reloads_skipped), (1, 0, 0));
    assert!(stats.last_reload_ms > 1_700_000_000_000);
}

#[tokio::test]
async fn a_file_that_is_what_it_was_is_skipped_also_the_first_time() {
    let folder = Folder::new();
    let (library, handle, mut events) = folder.watch();
    let before = library.get("a").unwrap();
    folder.write("a.json", &module("a", "one"));
    assert_eq!(next(&mut events).await, HotReloadEvent::ModuleSkipped { module_id: "a".into() });
    assert!(Arc::ptr_eq(&before, &library.get("a").unwrap()));
    assert_eq!((handle.stats().reloads_total, handle.stats().reloads_skipped), (0, 1));
}

#[tokio::test]
async fn r_18_a_broken_file_is_told_by_its_line_and_the_last_good_version_stays() {
    let folder = Folder::new();
    let (library, handle, mut events) = folder.watch();
    folder.write("a.json", "{\n  \"module_id\": \"a\",\n  \"predictor_type\": \"guess\"\n}");
    let HotReloadEvent::ReloadError { path, error } = next(&mut events).await else { panic!() };
    assert_eq!(path, folder.path("a.json"));
    let text = error.to_string();
    assert!(text.contains("a.json:3:") && text.contains("unknown variant `guess`"), "{text}");
    assert!(text.contains("`predict`, `chain_of_thought`, `react`"), "{text}");
    assert_eq!((says(&library, "a").unwrap(), handle.stats().reloads_failed), ("one".into(), 1));
    folder.write("a.json", &module("a", "mended"));
    assert_eq!(next(&mut events).await, changed(&folder, "a", "a.json"));
    assert_eq!(says(&library, "a").unwrap(), "mended");
}

#[tokio::test]
async fn a_file_that_was_renamed_is_the_same_module_and_its_manifest_may_follow() {
    let mut folder = Folder::new();
    let (library, _handle, mut events) = folder.watch();
    fs::rename(folder.path("a.json"), folder.path("moved.json")).unwrap();
    assert_eq!(next(&mut events).await, changed(&folder, "a", "moved.json"));
    assert_eq!(library.ids(), ["a", "b"]);
    folder.write("moved.json", &module("a", "two"));
    assert_eq!(next(&mut events).await, changed(&folder, "a", "moved.json"));
    folder.enter("a", json!({"path": "moved.json"}));
    folder.write_manifest();
    assert_eq!(next(&mut events).await, HotReloadEvent::ManifestChanged);
    folder.write("b.json", &module("b", "two"));
    assert_eq!(next(&mut events).await, changed(&folder, "b", "b.json"));
    assert_eq!((says(&library, "a").unwrap(), library.count()), ("two".into(), 2));
}

#[tokio::test]
async fn an_editor_that_saves_by_renaming_changes_the_module() {
    let folder = Folder::new();
    let (library, _handle, mut events) = folder.watch();
    folder.write("a.json.part", &module("a", "two"));
    fs::rename(folder.path("a.json.part"), folder.path("a.json")).unwrap();
    assert_eq!(next(&mut events).await, changed(&folder, "a", "a.json"));
    assert_eq!(says(&library, "a").unwrap(), "two");
}

#[tokio::test]
async fn a_file_that_was_deleted_is_a_module_that_is_gone_until_it_is_back() {
    let folder = Folder::new();
    let (library, handle, mut events) = folder.watch();
    fs::remove_file(folder.path("a.json")).unwrap();
    assert_eq!(next(&mut events).await, HotReloadEvent::ModuleDeleted { module_id: "a".into() });
    assert_eq!((library.ids(), handle.stats().reloads_failed), (vec!["b".to_owned()], 0));
    folder.write("a.json", &module("a", "back"));
    assert_eq!(next(&mut events).await, changed(&folder, "a", "a.json"));
    assert_eq!(says(&library, "a").unwrap(), "back");
}

#[tokio::test]
async fn a_manifest_that_names_a_file_that_is_not_there_is_told() {
    let mut folder = Folder::new();
    let (library, _handle, mut events) = folder.watch();
    folder.enter("c", json!({"path": "c.json"}));
    folder.write_manifest();
    assert_eq!(next(&mut events).await, HotReloadEvent::ManifestChanged);
    let HotReloadEvent::ReloadError { path, error } = next(&mut events).await else { panic!() };
    assert_eq!((path, library.count()), (folder.path("c.json"), 2));
    assert!(error.to_string().contains("there is no such file"), "{error}");
    folder.write("c.json", &module("c", "one"));
    assert_eq!(next(&mut events).await, changed(&folder, "c", "c.json"));
}

#[tokio::test]
async fn modules_come_and_go_with_the_manifest_and_with_folders() {
    let mut folder = Folder::new();
    let (library, _handle, mut events) = folder.watch();
    fs::create_dir(folder.path("npc")).unwrap();
    folder.write("npc/c.json", &module("c", "one"));
    folder.enter("c", json!({"path": "npc/c.json", "tags": ["npc"]}));
    folder.entries.remove("b");
    folder.write_manifest();
    wait_for(&mut events, |event| *event == HotReloadEvent::ManifestChanged).await;
    assert_eq!(next(&mut events).await, changed(&folder, "c", "npc/c.json"));
    assert_eq!(next(&mut events).await, HotReloadEvent::ModuleDeleted { module_id: "b".into() });
    assert_eq!(
        (library.ids(), library.with_tag("npc")),
        (vec!["a".into(), "c".into()], vec!["c".to_owned()])
    );
    folder.write("npc/c.json", &module("c", "two"));
    wait_for(&mut events, |event| *event == changed(&folder, "c", "npc/c.json")).await;
    assert_eq!(says(&library, "c").unwrap(), "two");
    fs::rename(folder.path("npc"), folder.path("people")).unwrap();
    wait_for(&mut events, |event| *event == HotReloadEvent::ModuleDeleted { module_id: "c".into() }).await;
    assert_eq!(library.ids(), ["a"]);
}

#[tokio::test]
async fn r_18_a_broken_manifest_is_told_and_everything_stays() {
    let folder = Folder::new();
    let (library, _handle, mut events) = folder.watch();
    folder.write("manifest.json", "{\n\"version\": 1");
    let HotReloadEvent::ReloadError { path, error } = next(&mut events).await else { panic!() };
    assert_eq!(path, folder.path("manifest.json"));
    assert!(error.to_string().contains("manifest.json:2:"), "{error}");
    fs::remove_file(folder.path("manifest.json")).unwrap();
    assert!(matches!(next(&mut events).await, HotReloadEvent::ReloadError { .. }));
    assert_eq!(library.ids(), ["a", "b"]);
}

#[tokio::test]
async fn a_second_watcher_is_refused_until_the_first_has_stopped() {
    let folder = Folder::new();
    let (library, handle, mut events) = folder.watch();
    let second = HotReload::start(&library, HotReloadConfig::default());
    assert_eq!(second.err(), Some(ModuleError::Config("Hot reload already running".into())));
    assert!(handle.is_running());
    handle.stop();
    handle.stop();
    assert!(!handle.is_running());
    folder.write("a.json", &module("a", "two"));
    drop(handle);
    assert_eq!(timeout(Duration::from_secs(20), events.next()).await, Ok(None));
    // What was missed meanwhile is taken in when watching begins again.
    let third = HotReload::start(&library, HotReloadConfig::default()).unwrap();
    assert_eq!((says(&library, "a").unwrap(), third.is_running()), ("two".into(), true));
}

#[test]
fn what_cannot_be_watched_is_an_error_and_may_be_tried_again() {
    let refused = HotReload::start(&ModuleLibrary::empty(), HotReloadConfig::default());
    assert!(matches!(refused, Err(ModuleError::Config(_))));
    let parent = tempfile::tempdir().unwrap();
    let (library, _) = ModuleLibrary::open(parent.path().join("later"), SignatureRegistry::new());
    let start = || HotReload::start(&library, HotReloadConfig::default());
    assert!(matches!(start(), Err(ModuleError::Watcher(_))));
    fs::create_dir(parent.path().join("later")).unwrap();
    assert!(start().is_ok());
}

#[tokio::test]
async fn a_reader_that_never_reads_does_not_hold_the_watcher_up() {
    let mut folder = Folder::new();
    let (library, handle, mut events) = folder.watch();
    let mut idle = handle.events();
    for number in 0..400 {
        let id = format!("m{number}");
        folder.write(&format!("{id}.json"), &module(&id, "one"));
        folder.enter(&id, json!({"path": format!("{id}.json")}));
    }
    folder.write_manifest();
    // More events than are kept: a reader gets the newest and knows that it missed some.
    wait_for(
        &mut events,
        |event| matches!(event, HotReloadEvent::ModuleChanged { module_id, .. } if module_id == "m99"),
    )
    .await;
    assert_eq!(library.count(), 402);
    folder.write("a.json", &module("a", "two"));
    wait_for(&mut events, |event| *event == changed(&folder, "a", "a.json")).await;
    assert_eq!(says(&library, "a").unwrap(), "two");
    let first = idle.try_next();
    assert!(first.is_some() && idle.missed() > 0, "{first:?}");
}

#[tokio::test]
async fn a_manifest_that_is_not_watched_changes_nothing() {
    let mut folder = Folder::new();
    let library = folder.open().0;
    let config = HotReloadConfig { debounce_ms: 20, watch_manifest: false };
    let handle = HotReload::start(&library, config).unwrap();
    let mut events = handle.events();
    folder.entries.remove("b");
    folder.write_manifest();
    folder.write("a.json", &module("a", "two"));
    wait_for(&mut events, |event| *event == changed(&folder, "a", "a.json")).await;
    assert_eq!(library.ids(), ["a", "b"]);
}

/// A path is shown as it is, for whoever looks for the file.
#[test]
fn a_library_knows_its_folder() {
    let folder = Folder::new();
    let (library, _) = folder.open();
    assert_eq!(library.folder(), Some(folder.path("").as_path()).map(|path| path as &Path));
}
