//! Fixture checkouts for every task's tests, and the tests of reading them.

use std::path::Path;

use super::*;

/// A throw-away checkout in a temporary folder.
pub(crate) struct Fixture {
    folder: tempfile::TempDir,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        let fixture = Self { folder: tempfile::tempdir().unwrap() };
        fixture.with("Cargo.toml", "[workspace]\nresolver = \"3\"\nmembers = [\"crates/*\"]\n")
    }

    /// Writes one file, folders included.
    pub(crate) fn with(self, path: &str, text: &str) -> Self {
        let file = self.root().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
        self
    }

    /// Writes a package with these lines under its `[package]` table and an empty library.
    pub(crate) fn with_package(self, name: &str, rest: &str) -> Self {
        let manifest =
            format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n{rest}\n");
        self.with(&format!("crates/{name}/Cargo.toml"), &manifest)
            .with(&format!("crates/{name}/src/lib.rs"), "//! A room.\n")
    }

    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn files(&self) -> Vec<TextFile> {
        read_files(self.root()).unwrap()
    }
}

#[test]
fn the_root_is_found_from_any_folder_below_it() {
    let fixture = Fixture::new().with("crates/a/src/lib.rs", "").with("crates/a/Cargo.toml", "[package]\n");
    assert_eq!(find_root(&fixture.root().join("crates/a/src")).unwrap(), fixture.root());
    assert!(find_root(Path::new("/")).is_err());
}

#[test]
fn files_are_those_git_would_track() {
    let fixture = Fixture::new()
        .with(".gitignore", "/target\n")
        .with("target/debug/x.rs", "ignored")
        .with(".git/HEAD", "never")
        .with(".ci/run", "hidden, yet tracked");
    let paths: Vec<_> = fixture.files().into_iter().map(|file| file.path).collect();
    assert_eq!(paths, [".ci/run", ".gitignore", "Cargo.toml"]);
}

#[test]
fn rooms_tests_and_shipped_code_are_told_by_their_place() {
    let file = |path: &str| TextFile { path: path.to_owned(), text: String::new() };
    assert_eq!(file("crates/a/src/lib.rs").room(), Some("a"));
    assert_eq!(file("xtask/src/main.rs").room(), Some("xtask"));
    assert_eq!(file("docs/glossary.md").room(), None);
    assert!(file("crates/a/src/lib.rs").is_shipped_rust());
    assert!(file("crates/a/src/run_tests.rs").is_test());
    assert!(file("crates/a/tests/all/main.rs").is_test());
    assert!(!file("crates/a/src/tests_of_time.rs").is_test());
    assert!(!file("crates/a/examples/embed.rs").is_shipped_rust());
    assert!(file("web/dist/assets/index-1.js").is_generated());
    assert!(file("web/src/protocol/api.ts").is_generated());
    assert!(!file("web/src/wire/api.ts").is_generated());
}

#[test]
fn packages_carry_their_shipped_and_their_dev_dependencies_apart() {
    let fixture = Fixture::new()
        .with_package("a", "[dependencies]\nb = { path = \"../b\" }\n[dev-dependencies]\nserde = \"1\"")
        .with_package("b", "[build-dependencies]\nserde = \"1\"");
    let workspace = read_workspace(fixture.root()).unwrap();
    let [a, b] = workspace.packages.as_slice() else { panic!("two packages") };
    assert_eq!((a.name.as_str(), a.manifest.as_str()), ("a", "crates/a/Cargo.toml"));
    assert_eq!(a.dependencies, ["b"]);
    assert_eq!(a.dev_dependencies, ["serde"]);
    assert_eq!(b.dependencies, ["serde"]);
    assert!(workspace.target_folder.ends_with("target") || workspace.target_folder.is_absolute());
}

#[test]
fn the_oldest_compiler_that_is_promised_is_the_one_that_checks_everything() {
    let root = find_root(&std::env::current_dir().unwrap()).unwrap();
    let read = |path: &str| std::fs::read_to_string(root.join(path)).unwrap();
    let quoted = |text: &str, key: &str| {
        let line = text.lines().find(|line| line.trim_start().starts_with(key)).unwrap().to_owned();
        line.split('"').nth(1).unwrap().to_owned()
    };
    let promised = quoted(&read("Cargo.toml"), "rust-version");
    let used = quoted(&read("rust-toolchain.toml"), "channel");
    assert_eq!(used.rsplit_once('.').unwrap().0, promised);
    for document in ["README.md", "docs/library.md"] {
        assert!(
            read(document).contains(&format!("Rust {promised} or later")),
            "{document} does not say {promised}"
        );
    }
}
