//! Files that change while the root is watched are found without anybody asking for an update.

use std::sync::Arc;
use std::time::Instant;
use std::{fs, thread};

use windlass_search::{Index, IndexWatch, Searcher};

use crate::place::{PassageName, paths};

fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed().as_secs() < 60, "{what}");
        thread::yield_now();
    }
}

fn watched(place: &PassageName) -> (Arc<Index>, IndexWatch) {
    let index = Arc::new(place.indexed());
    let watch = IndexWatch::start(Searcher::new(Arc::clone(&index))).unwrap();
    (index, watch)
}

#[test]
fn saved_new_moved_and_removed_files_are_seen() {
    let place = PassageName::new();
    place.write("src/a.rs", "fn alpha() {}");
    place.write(".gitignore", "made/\n");
    place.write("made/x.rs", "fn made() {}");
    let (index, _watch) = watched(&place);
    place.write("src/a.rs", "fn capstan() {}");
    until("saved", || paths(&index, "capstan") == ["src/a.rs"]);
    place.write("src/new/deep/b.rs", "fn windlass() {}");
    until("new folders", || paths(&index, "windlass") == ["src/new/deep/b.rs"]);
    place.write("src/new/deep/c.rs", "fn hawser() {}");
    until("new files in new folders", || paths(&index, "hawser") == ["src/new/deep/c.rs"]);
    fs::rename(place.root().join("src/new"), place.root().join("old")).unwrap();
    until("moved folders", || paths(&index, "hawser") == ["old/deep/c.rs"]);
    place.remove("old/deep/c.rs");
    until("removed", || paths(&index, "hawser").is_empty());
    place.write(".gitignore", "made/\nold/\n");
    until("ignored since", || paths(&index, "windlass").is_empty());
    assert!(paths(&index, "made").is_empty());
    index.verify().unwrap();
}

#[test]
fn a_watch_ends_when_it_is_dropped() {
    let place = PassageName::new();
    place.write("a.rs", "fn alpha() {}");
    let (index, watch) = watched(&place);
    drop(watch);
    until("everybody let go of the index", || Arc::strong_count(&index) == 1);
}
