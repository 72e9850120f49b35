//! Indexing that is killed, damaged and disturbed by other processes.

use std::fs;
use std::sync::Arc;

use windlass_core::ports::search::{SearchFailure, SearchPort as _};
use windlass_search::{Index, IndexCondition, IndexConfig, IndexError, Searcher};

use crate::child::Indexing;
use crate::place::{PassageName, paths, query, search, update, wait};

const FILES: usize = 90;

fn write_file(place: &PassageName, number: usize, version: usize) {
    let text = format!(
        "/// Hauls load {number}.\npub fn haul_{number}(turns: u32) -> u32 {{\n    wind_{version}(turns)\n}}\n\n\
         pub struct Load{number};\n"
    );
    place.write(&format!("deck{}/haul_{number}.rs", number % 7), &text);
}

/// Numbers that look random and are the same in every test run.
fn numbers() -> impl Iterator<Item = usize> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as usize
    })
}

#[test]
fn an_index_killed_at_fifty_points_opens_knows_what_it_lacks_and_completes() {
    let place = PassageName::new();
    let mut numbers = numbers();
    let (mut complete, mut incomplete) = (0, 0);
    for point in 0..50 {
        // Something is always left to do, and each file may be there in an older version.
        for number in (point % 3..FILES).step_by(3) {
            write_file(&place, number, point);
        }
        let mut child = Indexing::start(&place);
        let lines = numbers.next().unwrap() % 40;
        for _ in 0..lines {
            if child.next().is_none() {
                break;
            }
        }
        child.kill();
        let index = place.open();
        assert!(!matches!(index.opened(), IndexCondition::Emptied(_)), "point {point}: {:?}", index.opened());
        index.verify().unwrap_or_else(|error| panic!("point {point}: {error}"));
        let status = index.status().unwrap();
        match status.completed_ms {
            Some(_) => complete += 1,
            None => {
                incomplete += 1;
                assert!(status.indexing.is_some(), "point {point}: an index that lacks files says so");
                let found = search(&Arc::new(index), query("haul"));
                assert!(found.indexing.is_some(), "point {point}");
            }
        }
    }
    assert!(incomplete >= 10, "{incomplete} of the kills were in the middle, {complete} after the end");
    let index = place.indexed();
    index.verify().unwrap();
    let status = index.status().unwrap();
    assert!(status.completed_ms.is_some() && status.indexing.is_none());
    let fresh = PassageName::new();
    for number in 0..FILES {
        let path = format!("deck{}/haul_{number}.rs", number % 7);
        fresh.write(&path, &fs::read_to_string(place.root().join(&path)).unwrap());
    }
    let expected = fresh.indexed().status().unwrap();
    assert_eq!(
        (status.files, status.passages, status.symbols),
        (expected.files, expected.passages, expected.symbols)
    );
    assert_eq!(paths(&Arc::new(index), "haul_42")[0], "deck0/haul_42.rs");
}

#[test]
fn a_damaged_index_is_built_again_and_says_so() {
    for damage in ["cut short", "no list", "nonsense", "no part"] {
        let place = PassageName::new();
        write_file(&place, 1, 1);
        drop(place.indexed());
        let folder = place.index_folder().join("index");
        let part = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
        let part = part.into_iter().find(|path| path.extension().is_some_and(|it| it == "fast")).unwrap();
        match damage {
            "cut short" => fs::write(&part, &fs::read(&part).unwrap()[..10]).unwrap(),
            "no list" => fs::remove_file(folder.join("meta.json")).unwrap(),
            "nonsense" => fs::write(folder.join("meta.json"), "{}").unwrap(),
            _ => fs::remove_file(&part).unwrap(),
        }
        let index = place.open();
        assert!(matches!(index.opened(), IndexCondition::Emptied(_)), "{damage}: {:?}", index.opened());
        assert!(index.status().unwrap().indexing.is_some(), "{damage}: it says that it is not complete");
        update(&index);
        assert_eq!(paths(&Arc::new(index), "haul_1"), ["deck1/haul_1.rs"], "{damage}");
    }
}

#[test]
fn r_8_an_index_that_cannot_be_read_is_a_failure_and_not_nothing_found() {
    let place = PassageName::new();
    write_file(&place, 1, 1);
    let index = Arc::new(place.indexed());
    let folder = place.index_folder().join("index");
    // A new list of parts that names parts which are not there.
    let meta = fs::read_to_string(folder.join("meta.json")).unwrap();
    let start = meta.find("segment_id").unwrap() + "segment_id\": \"".len();
    let mut wrong = meta.clone();
    wrong.replace_range(start..start + 8, "00000000");
    let newer = std::time::SystemTime::now() + std::time::Duration::from_secs(5);
    fs::write(folder.join("meta.json"), wrong).unwrap();
    fs::File::options().write(true).open(folder.join("meta.json")).unwrap().set_modified(newer).unwrap();
    let failure = wait(Searcher::new(Arc::clone(&index)).search(query("haul"))).unwrap_err();
    assert!(
        matches!(&failure, SearchFailure::Broken(text) if text.contains("the next update")),
        "{failure:?}"
    );
    // The next update sees that it is damaged, and repairs it.
    let report = update(&index);
    assert!(report.rebuilt.is_some());
    assert_eq!(paths(&index, "haul_1"), ["deck1/haul_1.rs"]);
}

#[test]
fn one_process_writes_and_all_read() {
    let place = PassageName::new();
    for number in 0..FILES {
        write_file(&place, number, 1);
    }
    let mut child = Indexing::start(&place);
    while child.next().unwrap() != "10" {}
    let index = Arc::new(place.open());
    let busy = index.update(&mut |_| {});
    if let Err(error) = busy {
        assert!(matches!(error, IndexError::Busy { .. }), "{error}");
    }
    let found = search(&index, query("haul"));
    assert!(!found.passages.is_empty(), "what is committed is found while another process goes on");
    while child.next().is_some() {}
    // What the other process committed is seen without opening the index again.
    assert_eq!(index.status().unwrap().files, FILES as u64);
    index.verify().unwrap();
}

#[test]
fn an_index_of_another_root_is_not_used() {
    let (place, other) = (PassageName::new(), PassageName::new());
    write_file(&place, 1, 1);
    drop(place.indexed());
    let index = Index::open(&place.index_folder(), &other.root(), IndexConfig::default()).unwrap();
    assert!(matches!(index.opened(), IndexCondition::Emptied(reason) if reason.contains("index of")));
}
