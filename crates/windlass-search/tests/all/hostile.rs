//! Trees that are large, strange or hostile.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;

use windlass_search::IndexConfig;

use crate::child::{Indexing, PEAK};
use crate::place::{PassageName, paths, update};

#[test]
fn huge_binary_wrong_and_unreadable_files_are_left_out_with_their_reason() {
    let place = PassageName::new();
    place.write("good.rs", "fn capstan() {}");
    place.write("latin.rs", "");
    fs::write(place.root().join("latin.rs"), b"// caf\xe9 and more words around it\nfn windlass() {}")
        .unwrap();
    fs::write(place.root().join("data.txt"), b"text\0with zero").unwrap();
    fs::write(place.root().join("wide.txt"), b"\xff\xfea\0b\0").unwrap();
    place.write("bundle.js", &"a(){b};".repeat(10_000));
    fs::File::create(place.root().join("huge.rs")).unwrap().set_len(1 << 30).unwrap();
    std::os::unix::fs::symlink("..", place.root().join("loop")).unwrap();
    std::os::unix::fs::symlink("self", place.root().join("self")).unwrap();
    let index = Arc::new(place.open());
    let report = update(&index);
    assert_eq!(report.added, 2);
    let skipped: Vec<_> = index.status().unwrap().skipped;
    let expected = [("binary", 1), ("encoding", 1), ("generated", 1), ("link", 2), ("too_large", 1)];
    assert_eq!(skipped, expected.map(|(reason, count)| (reason.to_owned(), count)));
    assert_eq!(paths(&index, "windlass"), ["latin.rs"]);
    // Nothing is looked into a second time.
    let again = update(&index);
    assert_eq!((again.added, again.changed), (0, 0));
    assert_eq!(index.status().unwrap().skipped, skipped);
}

#[test]
fn a_file_that_may_not_be_read_leaves_and_comes_back() {
    let place = PassageName::new();
    place.write("a.rs", "fn capstan() {}");
    place.write("closed/b.rs", "fn windlass() {}");
    place.write("open.rs", "fn hawser() {}");
    let index = Arc::new(place.indexed());
    let mode = |path: &str, mode: u32| {
        fs::set_permissions(place.root().join(path), fs::Permissions::from_mode(mode)).unwrap();
    };
    mode("a.rs", 0o000);
    mode("closed", 0o000);
    with_few_rights(&place, || {
        assert!(fs::read(place.root().join("a.rs")).is_err(), "permissions count here");
        update(&index);
    });
    assert!(paths(&index, "capstan").is_empty() && paths(&index, "windlass").is_empty());
    assert_eq!(paths(&index, "hawser"), ["open.rs"]);
    assert_eq!(index.status().unwrap().skipped, [("unreadable".to_owned(), 2)]);
    index.verify().unwrap();
    mode("a.rs", 0o644);
    mode("closed", 0o755);
    with_few_rights(&place, || drop(update(&index)));
    assert_eq!(paths(&index, "capstan"), ["a.rs"]);
    assert_eq!(paths(&index, "windlass"), ["closed/b.rs"]);
}

/// Does something where permissions count: root, who may read everything, becomes somebody else for it.
fn with_few_rights(place: &PassageName, act: impl FnOnce() + Send) {
    #[cfg(target_os = "linux")]
    if rustix::process::geteuid().is_root() {
        let nobody = rustix::thread::Uid::from_raw(65_534);
        place.give_to(nobody.as_raw());
        let act = || {
            // Of this thread alone, and of those that it starts.
            rustix::thread::set_thread_res_uid(nobody, nobody, nobody).unwrap();
            act();
        };
        return std::thread::scope(|scope| scope.spawn(act).join()).unwrap();
    }
    act();
}

#[test]
fn a_root_that_is_gone_is_an_error_and_not_an_empty_index() {
    let place = PassageName::new();
    place.write("a.rs", "fn capstan() {}");
    let index = Arc::new(place.indexed());
    fs::rename(place.root(), place.root().with_extension("moved")).unwrap();
    assert!(index.update(&mut |_| {}).is_err());
    assert_eq!(paths(&index, "capstan"), ["a.rs"]);
}

#[test]
fn a_hundred_thousand_tiny_files_are_indexed_in_bounded_memory_and_left_alone() {
    let place = PassageName::new();
    for folder in 0..200 {
        let folder_path = place.root().join(format!("d{folder}"));
        fs::create_dir(&folder_path).unwrap();
        for number in 0..500 {
            fs::write(folder_path.join(format!("f{number}.txt")), format!("load {folder} {number}")).unwrap();
        }
    }
    let mut child = Indexing::in_batches(&place, IndexConfig::default().batch_files);
    let mut last = String::new();
    while let Some(said) = child.next() {
        last = said;
    }
    let peak_kib: u64 = last.strip_prefix(PEAK).expect(&last).parse().unwrap();
    assert!(peak_kib < 400 * 1024, "{peak_kib} KiB for files of a few bytes");
    let index = Arc::new(place.open());
    let status = index.status().unwrap();
    assert_eq!((status.files, status.passages, status.indexing), (100_000, 100_000, None));
    // Which two of the words are in the path and which in the text alone decides.
    assert_eq!(paths(&index, "load 123 456")[0], "d123/f456.txt");
    place.remove("d7/f7.txt");
    let report = update(&index);
    assert_eq!((report.removed, report.added, report.changed), (1, 0, 0));
    assert_eq!(index.status().unwrap().files, 99_999);
}

#[test]
fn every_kind_of_mark_in_a_query_is_only_text() {
    let place = PassageName::new();
    place.write("a.rs", "fn capstan() { let value = \"a:b\"; }");
    let index = Arc::new(place.indexed());
    for text in [
        "capstan:",
        "+capstan -",
        "\"capstan",
        "capstan~2",
        "(capstan",
        "capstan^",
        "[capstan TO",
        "text:capstan",
        "capstan AND OR NOT",
        "*capstan*",
        "\\capstan",
        "/capstan/",
        "capstan\u{0}",
        "{capstan}",
        "😀 capstan",
    ] {
        assert_eq!(paths(&index, text), ["a.rs"], "{text}");
    }
}
