//! Folders of scripts.

use std::fs;

use serde_json::json;
use windlass_core::ports::ToolPort;
use windlass_modules::script::{ScriptGrants, ScriptLibrary, ScriptLimits, ScriptReport};
use windlass_testkit::NullContext;

use crate::script_world::object;

fn open(folder: &std::path::Path) -> (ScriptLibrary, ScriptReport) {
    ScriptLibrary::open(folder, ScriptLimits::default(), ScriptGrants::default())
}

async fn give(library: &ScriptLibrary, name: &str) -> serde_json::Value {
    let tool = library.get(name).unwrap();
    tool.run(&object(json!({})), &NullContext::new().build()).await.unwrap().json
}

#[test]
fn a_folder_that_is_not_there_has_no_scripts() {
    let folder = tempfile::tempdir().unwrap();
    let (library, report) = open(&folder.path().join("none"));
    assert_eq!((library.count(), report), (0, ScriptReport::default()));
    assert_eq!(ScriptLibrary::empty().reload(), ScriptReport::default());
}

#[test]
fn files_become_tools_and_broken_ones_are_named_with_their_line() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("b.rhai", "/// Gives two.\nfn b() { 2 }");
    write("a.rhai", "fn a(args) { 1 }");
    write("bad.rhai", "fn bad() {\n  let = 1;\n}");
    write("notes.txt", "no script");
    let (library, report) = open(folder.path());
    assert_eq!(library.names(), ["a", "b"]);
    assert_eq!(library.tools()[1].spec().description, "Gives two.");
    assert_eq!(report.loaded, ["a", "b"]);
    assert_eq!((report.failed.len(), report.failed[0].line), (1, Some(2)));
    assert!(report.failed[0].file.ends_with("bad.rhai"));
}

#[tokio::test]
async fn r_18_a_reload_takes_in_what_changed_and_keeps_what_broke() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    for name in ["same", "fresh", "breaks", "goes"] {
        write(&format!("{name}.rhai"), &format!("fn {name}() {{ 1 }}"));
    }
    let (library, _) = open(folder.path());
    let old = library.get("fresh").unwrap();
    write("fresh.rhai", "fn fresh() { 2 }");
    write("breaks.rhai", "fn breaks() {");
    fs::remove_file(folder.path().join("goes.rhai")).unwrap();
    let report = library.reload();
    assert!(report.is_change());
    assert_eq!((report.loaded, report.unchanged), (vec!["fresh".to_owned()], vec!["same".to_owned()]));
    assert_eq!((report.kept, report.removed), (vec!["breaks".to_owned()], vec!["goes".to_owned()]));
    assert_eq!(report.failed.len(), 1);
    assert_eq!((give(&library, "fresh").await, give(&library, "breaks").await), (json!(2), json!(1)));
    // Who holds the old version runs the old version.
    let given = old.run(&object(json!({})), &NullContext::new().build()).await.unwrap();
    assert_eq!(given.json, json!(1));
    assert!(!library.reload().is_change());
}

#[tokio::test]
async fn scripts_of_one_folder_share_what_they_remember_also_over_a_reload() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("put.rhai"), "fn put() { state_set(\"k\", 42) }").unwrap();
    fs::write(folder.path().join("take.rhai"), "fn take() { state_get(\"k\") }").unwrap();
    let (library, _) = open(folder.path());
    give(&library, "put").await;
    fs::write(folder.path().join("take.rhai"), "fn take() { state_get(\"k\") + 0 }").unwrap();
    library.reload();
    assert_eq!(give(&library, "take").await, json!(42));
    let other = open(folder.path()).0;
    assert!(other.get("take").unwrap().run(&object(json!({})), &NullContext::new().build()).await.is_err());
}

#[test]
fn files_that_are_too_large_or_no_text_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("large.rhai"), "// ".repeat(50_000)).unwrap();
    fs::write(folder.path().join("bytes.rhai"), [0xff, 0xfe]).unwrap();
    fs::create_dir(folder.path().join("folder.rhai")).unwrap();
    let (library, report) = open(folder.path());
    assert_eq!((library.count(), report.failed.len()), (0, 3));
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_folder_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("x.rhai"), "fn x() { 1 }").unwrap();
    std::os::unix::fs::symlink(outside.path().join("x.rhai"), folder.path().join("x.rhai")).unwrap();
    let (library, report) = open(folder.path());
    assert_eq!(library.count(), 0);
    assert!(report.failed[0].message.contains("link out of its folder"));
}
