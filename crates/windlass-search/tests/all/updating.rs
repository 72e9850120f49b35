//! Keeping an index up to date: by content, file by file, document by document.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;
use std::{fs, thread};

use windlass_core::ports::search::{NewDocument, SearchPort as _};
use windlass_search::{
    Index, IndexCondition, IndexConfig, IndexError, IndexPlace, Searcher, Skip, TouchOutcome,
};

use crate::place::{PassageName, paths, update};

#[test]
fn only_what_changed_is_indexed_again() {
    let place = PassageName::new();
    place.write("a.rs", "fn alpha() {}");
    place.write("b.rs", "fn beta() {}");
    place.write("c.md", "# Gamma\n\nWords.");
    let index = place.open();
    assert_eq!(index.opened(), &IndexCondition::Created);
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
fn an_index_that_is_updated_again_and_again_has_each_passage_once() {
    let place = PassageName::new();
    let config = IndexConfig { batch_files: 3, threads: 2, ..IndexConfig::default() };
    for round in 0..40 {
        for number in (round % 3..30).step_by(3) {
            place.write(&format!("m{number}.rs"), &format!("fn haul_{number}() {{ wind({round}) }}"));
        }
        // Small commits are merged while others are made.
        let index = Index::open(&place.index_folder(), &place.root(), config.clone()).unwrap();
        update(&index);
        index.verify().unwrap_or_else(|error| panic!("round {round}: {error}"));
    }
}

#[test]
fn a_list_of_deletions_that_a_killed_process_left_behind_is_no_obstacle() {
    let place = PassageName::new();
    for number in 0..9 {
        place.write(&format!("m{number}.rs"), "fn haul() {}");
    }
    drop(place.indexed());
    let folder = place.index_folder().join("index");
    let mut names =
        fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let part = names.find(|name| name.ends_with(".store")).unwrap();
    for number in 0..99 {
        fs::write(folder.join(part.replace("store", &format!("{number}.del"))), "nonsense").unwrap();
    }
    place.write("m3.rs", "fn capstan() {}");
    let index = Arc::new(place.indexed());
    index.verify().unwrap();
    assert_eq!(paths(&index, "capstan"), ["m3.rs"]);
}

#[test]
fn a_renamed_file_is_found_under_its_new_name_alone() {
    let place = PassageName::new();
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
    let place = PassageName::new();
    for number in 0..300 {
        place.write(&format!("src/m{number}.rs"), &format!("fn haul_{number}() {{}}\n").repeat(20));
    }
    place.write(".gitignore", "made.rs\n");
    let index = place.indexed();
    let mut times = Vec::new();
    for round in 0..9 {
        place.write("src/m7.rs", &format!("fn pawl_{round}() {{}}\n"));
        let begun = Instant::now();
        assert_eq!(index.touch("src/m7.rs").unwrap(), TouchOutcome::Indexed);
        times.push(begun.elapsed().as_millis());
    }
    // Other tests keep the processor and the disk busy; the benchmark measures alone.
    assert!(times.iter().min().unwrap() < &1_000, "{times:?}");
    assert_eq!(index.touch("./src/m7.rs").unwrap(), TouchOutcome::Unchanged);
    place.remove("src/m8.rs");
    assert_eq!(index.touch("src/m8.rs").unwrap(), TouchOutcome::Removed);
    place.write("made.rs", "fn made() {}");
    assert_eq!(index.touch("made.rs").unwrap(), TouchOutcome::Skipped(Skip::Ignored));
    place.write(".env", "KEY=secret_word");
    assert_eq!(index.touch(".env").unwrap(), TouchOutcome::Skipped(Skip::Secret));
    for outside in ["../secret.rs", "/etc/passwd", "src", "none.rs", ""] {
        assert_eq!(index.touch(outside).unwrap(), TouchOutcome::Nothing, "{outside}");
    }
    let new = place.root().canonicalize().unwrap().join("src/new.rs");
    fs::write(&new, "fn brand_new() {}").unwrap();
    assert_eq!(index.touch(new.to_str().unwrap()).unwrap(), TouchOutcome::Indexed);
    index.verify().unwrap();
    assert!(index.status().unwrap().completed_ms.is_some());
    let index = Arc::new(index);
    assert_eq!(paths(&index, "pawl_8"), ["src/m7.rs"]);
    assert_eq!(paths(&index, "brand_new"), ["src/new.rs"]);
}

#[test]
fn z_4_a_file_touched_through_the_port_is_found_soon_after() {
    let place = PassageName::new();
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
    let place = PassageName::new();
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
fn progress_is_told_from_the_first_file_to_the_last() {
    let place = PassageName::new();
    for number in 0..50 {
        place.write(&format!("m{number}.rs"), "fn a() {}");
    }
    let mut told = Vec::new();
    place.open().update(&mut |progress| told.push((progress.done, progress.total))).unwrap();
    assert_eq!(told, (1..=50).map(|done| (done, 50)).collect::<Vec<_>>());
}

#[test]
fn an_index_in_memory_does_what_one_on_disk_does_and_writes_nothing() {
    let place = PassageName::new();
    place.write("a.rs", "fn alpha() {}");
    place.write("b.rs", "fn beta() {}");
    let open = |root| Index::open_at(IndexPlace::Memory, root, IndexConfig::default()).unwrap();
    let root = place.root();
    let index = Arc::new(open(Some(&root)));
    assert_eq!((index.opened(), update(&index).added), (&IndexCondition::Created, 2));
    place.write("b.rs", "fn delta() {}");
    assert_eq!(index.touch("b.rs").unwrap(), TouchOutcome::Indexed);
    assert_eq!((paths(&index, "delta"), paths(&index, "beta")), (vec!["b.rs".to_owned()], vec![]));
    let note = |text: &str| NewDocument { name: "n.md".into(), session_id: None, bytes: text.into() };
    index.add_document(note("A quokka.")).unwrap();
    index.add_document(note("A wombat.")).unwrap();
    assert_eq!(index.all_documents().unwrap().len(), 1);
    assert!(index.status().unwrap().bytes > 0);
    index.verify().unwrap();
    index.clear().unwrap();
    assert_eq!(update(&index).added, 3, "documents stay");
    let id = index.all_documents().unwrap().remove(0).document_id;
    assert!(index.remove_document(&id).unwrap() && !index.remove_document(&id).unwrap());
    index.verify().unwrap();
    assert!(!place.index_folder().exists());
    // Another one knows nothing of it, and one without a root reads no file.
    let alone = open(None);
    assert_eq!((update(&alone).added, alone.touch("a.rs").unwrap()), (0, TouchOutcome::Nothing));
}

#[test]
fn an_update_that_is_stopped_says_so_and_the_next_one_completes_it() {
    let place = PassageName::new();
    for number in 0..200 {
        place.write(&format!("m{number}.rs"), &format!("fn haul_{number}() {{}}"));
    }
    let config = IndexConfig { threads: 1, batch_files: 10, ..IndexConfig::default() };
    let stop = Arc::clone(&config.stop);
    let index = Index::open(&place.index_folder(), &place.root(), config).unwrap();
    let stopped = index.update(&mut |progress| stop.store(progress.done >= 35, Ordering::Relaxed));
    assert!(matches!(stopped, Err(IndexError::Stopped)), "{stopped:?}");
    let status = index.status().unwrap();
    assert!((30..200).contains(&status.files) && status.completed_ms.is_none(), "{status:?}");
    stop.store(false, Ordering::Relaxed);
    assert_eq!(update(&index).added, 200 - status.files);
    index.verify().unwrap();
}
