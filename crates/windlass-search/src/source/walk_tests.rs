//! What a walk gives and why it leaves out the rest.

use std::fs;
use std::path::Path;

use super::{FileWalk, Skip, look_at};

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn walked(root: &Path) -> Vec<(String, Option<Skip>)> {
    FileWalk::new(root).unwrap().map(|walked| (walked.path, walked.found.err())).collect()
}

#[test]
fn everything_left_out_has_its_reason_and_a_single_look_agrees_with_the_walk() {
    let root = tempfile::tempdir().unwrap();
    let root = root.path();
    for path in [
        "a.rs",
        ".env",
        "server.key",
        ".hidden",
        "target/x.rs",
        "log/a.log",
        "log/keep.log",
        "pic.png",
        "Cargo.lock",
        "deep/b.rs",
        "deep/made/c.rs",
        "node_modules/d.js",
    ] {
        write(root, path, "x");
    }
    write(root, ".gitignore", "*.log\n!keep.log\n");
    write(root, "deep/.gitignore", "/made\n");
    write(root, ".git/info/exclude", "nothing\n");
    std::os::unix::fs::symlink(root, root.join("loop")).unwrap();
    let found = walked(root);
    let expected = [
        (".env", Some(Skip::Secret)),
        (".git", Some(Skip::Hidden)),
        (".gitignore", Some(Skip::Hidden)),
        (".hidden", Some(Skip::Hidden)),
        ("Cargo.lock", Some(Skip::Generated)),
        ("a.rs", None),
        ("deep/.gitignore", Some(Skip::Hidden)),
        ("deep/b.rs", None),
        ("deep/made", Some(Skip::Ignored)),
        ("log/a.log", Some(Skip::Ignored)),
        ("log/keep.log", None),
        ("loop", Some(Skip::Link)),
        ("node_modules", Some(Skip::Ignored)),
        ("pic.png", Some(Skip::Binary)),
        ("server.key", Some(Skip::Secret)),
        ("target", Some(Skip::Ignored)),
    ];
    let expected: Vec<_> = expected.map(|(path, skip)| (path.to_owned(), skip)).into();
    assert_eq!(found, expected);
    for (path, skip) in &found {
        if root.join(path).is_file() {
            assert_eq!(look_at(root, path).unwrap().err(), *skip, "{path}");
        }
    }
    assert_eq!(look_at(root, "deep/made/c.rs"), Some(Err(Skip::Ignored)));
    assert_eq!(look_at(root, "loop/a.rs"), Some(Err(Skip::Link)));
    assert_eq!(look_at(root, "deep"), None);
    assert_eq!(look_at(root, "gone.rs"), None);
}

#[test]
fn names_that_are_not_unicode_and_pipes_are_left_out() {
    use std::os::unix::ffi::OsStrExt as _;
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join(std::ffi::OsStr::from_bytes(b"a\xff.rs")), "x").unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(root.path().join("socket")).unwrap();
    let reasons: Vec<_> = walked(root.path()).into_iter().map(|(_, skip)| skip).collect();
    assert_eq!(reasons, [Some(Skip::Name), Some(Skip::Special)]);
}

#[test]
fn a_folder_that_is_too_deep_is_not_entered() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), &format!("{}a.rs", "d/".repeat(80)), "x");
    let found = walked(root.path());
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].1, Some(Skip::TooDeep));
}
