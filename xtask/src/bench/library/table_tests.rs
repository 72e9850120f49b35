//! The table says what the programs and the figures say.

use super::*;

fn checkout() -> std::path::PathBuf {
    crate::checkout::find_root(&std::env::current_dir().unwrap()).unwrap()
}

#[test]
fn the_committed_table_is_of_the_committed_programs_and_figures() {
    let root = checkout();
    let figures = crate::bench::rows(&crate::bench::read(&root).unwrap()).unwrap();
    let (path, text) = document(&root, &figures).unwrap();
    let committed = std::fs::read_to_string(root.join(&path)).unwrap();
    assert_eq!(committed, text, "the table of {path} is old: run `cargo xtask bench --plots`");
}

#[test]
fn the_versions_of_the_table_are_those_that_are_compiled() {
    for library in LIBRARIES.iter().filter(|library| !library.is_ours()) {
        let (list, pin) = match library.language {
            Language::Rust => ("Cargo.toml", format!("\"={}\"", library.version)),
            Language::Python => ("requirements.txt", format!("slim=={}\n", library.version)),
        };
        let path = checkout().join(super::super::FOLDER).join(library.folder).join(list);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains(&pin), "{} does not pin {pin}", path.display());
    }
}

#[test]
fn blank_lines_and_comments_are_no_code() {
    let rust = "//! Header.\n\n/// What the model reads.\nfn add() {\n    // why\n    1 + 1;\n}\n";
    assert_eq!(count_lines(rust, Language::Rust), 3);
    let python = "\"\"\"Header\nof two lines.\"\"\"\n\nx = 1  # why\n# why\ndef f():\n    \"\"\"Text.\"\"\"\n    return \"\"\"a\"\"\"\n";
    assert_eq!(count_lines(python, Language::Python), 3);
}
