//! Keeping an index up to date: by content, file by file, document by document.

use std::sync::Arc;
use std::time::Instant;
use std::{fs, thread};

use windlass_core::ids::SessionId;
use windlass_core::search::{SearchPort as _, SearchScope};
use windlass_search::{Opened, Searcher, Skip, Touched};

use crate::place::{Place, paths, query, search, update, wait};

#[test]
fn only_what_changed_is_indexed_again() {
    let place = Place::new();
    place.write("a.rs", "fn alpha() {}");
    place.write("b.rs", "fn beta() {}");
    place.write("c.md", "# Gamma\n\nWords.");
    let index = place.open();
    assert_eq!(index.opened(), &Opened::Created);
    let report = update(&index);
    assert_eq!((report.added, report.changed, report.removed, report.unchanged), (3, 0, 0, 0));
    assert_eq!(update(&index).unchanged, 3);
    place.write("b.rs", "fn delta() {}");
    // The same content written again is no change.
    place.write("a.rs", "fn alpha() {}");
    place.remove("c.md");
    place.write("d.rs", "fn epsilon() {}");
    let report = update(&index);
    assert_eq!((report.added, report.changed, report.removed, report.unchanged), (1, 1, 1, 1));
    let index = Arc::new(index);
    assert_eq!(paths(&index, "beta"), Vec::<String>::new());
    assert_eq!(paths(&index, "gamma"), Vec::<String>::new());
    assert_eq!(paths(&index, "delta"), ["b.rs"]);
    index.verify().unwrap();
}

#[test]
fn a_renamed_file_is_found_under_its_new_name_alone() {
    let place = Place::new();
    place.write("old.rs", "fn capstan() {}");
    let index = Arc::new(place.indexed());
    fs::rename(place.root().join("old.rs"), place.root().join("new.rs")).unwrap();
    update(&index);
    assert_eq!(paths(&index, "capstan"), ["new.rs"]);
    // A file of the same size and time renamed over another is seen too.
    place.write("other.rs", "fn windlas() {}");
    let time = fs::metadata(place.root().join("new.rs")).unwrap().modified().unwrap();
    fs::File::options().write(true).open(place.root().join("other.rs")).unwrap().set_modified(time).unwrap();
    fs::rename(place.root().join("other.rs"), place.root().join("new.rs")).unwrap();
    update(&index);
    assert_eq!(paths(&index, "windlas"), ["new.rs"]);
}

#[test]
fn z_4_a_touched_file_is_indexed_again_alone_and_at_once() {
    let place = Place::new();
    for number in 0..300 {
        place.write(&format!("src/m{number}.rs"), &format!("fn haul_{number}() {{}}\n").repeat(20));
    }
    place.write(".gitignore", "made.rs\n");
    let index = place.indexed();
    let mut times = Vec::new();
    for round in 0..9 {
        place.write("src/m7.rs", &format!("fn pawl_{round}() {{}}\n"));
        let begun = Instant::now();
        assert_eq!(index.touch("src/m7.rs").unwrap(), Touched::Indexed);
        times.push(begun.elapsed().as_millis());
    }
    // Other tests keep the processor and the disk busy; the benchmark measures alone.
    assert!(times.iter().min().unwrap() < &1_000, "{times:?}");
    assert_eq!(index.touch("./src/m7.rs").unwrap(), Touched::Unchanged);
    place.remove("src/m8.rs");
    assert_eq!(index.touch("src/m8.rs").unwrap(), Touched::Removed);
    place.write("made.rs", "fn made() {}");
    assert_eq!(index.touch("made.rs").unwrap(), Touched::Skipped(Skip::Ignored));
    place.write(".env", "KEY=secret_word");
    assert_eq!(index.touch(".env").unwrap(), Touched::Skipped(Skip::Secret));
    for outside in ["../secret.rs", "/etc/passwd", "src", "none.rs", ""] {
        assert_eq!(index.touch(outside).unwrap(), Touched::Nothing, "{outside}");
    }
    let new = place.root().canonicalize().unwrap().join("src/new.rs");
    fs::write(&new, "fn brand_new() {}").unwrap();
    assert_eq!(index.touch(new.to_str().unwrap()).unwrap(), Touched::Indexed);
    index.verify().unwrap();
    assert!(index.status().unwrap().completed_ms.is_some());
    let index = Arc::new(index);
    assert_eq!(paths(&index, "pawl_8"), ["src/m7.rs"]);
    assert_eq!(paths(&index, "brand_new"), ["src/new.rs"]);
}

#[test]
fn z_4_a_file_touched_through_the_port_is_found_soon_after() {
    let place = Place::new();
    place.write("a.rs", "fn alpha() {}");
    let index = Arc::new(place.indexed());
    let searcher = Searcher::new(Arc::clone(&index));
    place.write("a.rs", "fn capstan() {}");
    searcher.touch("a.rs");
    let begun = Instant::now();
    while paths(&index, "capstan").is_empty() {
        assert!(begun.elapsed().as_secs() < 30, "the touched file was never indexed");
        thread::yield_now();
    }
}

#[test]
fn many_small_changes_are_merged_again() {
    let place = Place::new();
    place.write("a.rs", "fn alpha() {}");
    let index = place.indexed();
    for number in 0..16 {
        let path = format!("a{number}.rs");
        place.write(&path, &format!("fn alpha_{number}() {{}}"));
        index.touch(&path).unwrap();
    }
    assert!(index.settle().unwrap());
    assert!(!index.settle().unwrap());
    index.verify().unwrap();
    assert_eq!(paths(&Arc::new(index), "alpha_15")[0], "a15.rs");
}

#[test]
fn e_22_documents_are_found_in_their_session_and_survive_a_damaged_index() {
    let place = Place::new();
    place.write("a.md", "# Windlass\n\nThe project's own notes.");
    let index = Arc::new(place.indexed());
    let (one, two) = (SessionId::new("s1"), SessionId::new("s2"));
    let searcher = Searcher::new(Arc::clone(&index));
    wait(searcher.add_document(&one, "notes.md", "# Windlass\n\nIt hauls the anchor.")).unwrap();
    wait(searcher.add_document(&two, "notes.md", "# Windlass\n\nIt hauls the net.")).unwrap();
    wait(searcher.add_document(&two, "notes.md", "# Windlass\n\nIt hauls the boat.")).unwrap();
    let texts = |index: &Arc<windlass_search::Index>, scope: SearchScope| {
        let mut query = query("windlass");
        query.scope = scope;
        let mut texts: Vec<_> = search(index, query).passages.into_iter().map(|it| it.text).collect();
        texts.sort();
        texts.iter().map(|text| text.split_whitespace().last().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let expect = |index: &Arc<windlass_search::Index>| {
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
    assert!(index.remove_document(&one, "notes.md").unwrap());
    assert_eq!(texts(&index, SearchScope::Session(one.clone())), Vec::<String>::new());
    index.verify().unwrap();
}

#[test]
fn a_document_without_a_name_or_without_end_is_refused() {
    let place = Place::new();
    let index = place.open();
    let session = SessionId::new("s1");
    assert!(index.add_document(&session, " ", "text").is_err());
    assert!(index.add_document(&session, "a", &"x".repeat(9 * 1024 * 1024)).is_err());
}

#[test]
fn progress_is_told_from_the_first_file_to_the_last() {
    let place = Place::new();
    for number in 0..50 {
        place.write(&format!("m{number}.rs"), "fn a() {}");
    }
    let mut told = Vec::new();
    place.open().update(&mut |progress| told.push((progress.done, progress.total))).unwrap();
    assert_eq!(told, (1..=50).map(|done| (done, 50)).collect::<Vec<_>>());
}
