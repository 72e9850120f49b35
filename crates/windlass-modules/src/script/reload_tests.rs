//! Scripts that are changed while they are watched.

use std::fs;
use std::sync::mpsc::Receiver;

use super::*;
use crate::script::{ScriptGrants, ScriptLimits};

/// Longer than any machine needs; a test that gets its report does not wait.
const PATIENCE: Duration = Duration::from_secs(30);

fn watched(folder: &Path) -> (ScriptLibrary, ScriptWatch, Receiver<ScriptReport>) {
    let (library, _) = ScriptLibrary::open(folder, ScriptLimits::default(), ScriptGrants::default());
    let (heard, reports) = channel();
    let watch = ScriptWatch::start(&library, move |report| drop(heard.send(report.clone()))).unwrap();
    (library, watch, reports)
}

fn write(folder: &Path, text: &str) {
    fs::write(folder.join("double.rhai"), text).unwrap();
}

const DOUBLE: &str =
    "/// Doubles a number\n/// @param n integer the number\nfn double(args) { args.n * 2 }\n";

#[test]
fn a_folder_that_comes_later_and_scripts_that_change_or_go_are_taken_in() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("tools");
    let (library, _watch, reports) = watched(&folder);
    assert_eq!(library.count(), 0);
    fs::create_dir(&folder).unwrap();
    write(&folder, DOUBLE);
    while library.count() == 0 {
        reports.recv_timeout(PATIENCE).unwrap();
    }
    write(&folder, "fn double(args) { args.n * }");
    while reports.recv_timeout(PATIENCE).unwrap().failed.is_empty() {}
    assert_eq!(library.names(), ["double"], "the last good version stays");
    fs::remove_file(folder.join("double.rhai")).unwrap();
    while library.count() > 0 {
        reports.recv_timeout(PATIENCE).unwrap();
    }
}

#[test]
fn a_library_without_a_folder_cannot_be_watched() {
    assert!(matches!(ScriptWatch::start(&ScriptLibrary::empty(), |_| {}), Err(ModuleError::Config(_))));
}
