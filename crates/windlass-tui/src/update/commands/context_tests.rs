use super::*;

#[test]
fn z_26_paths_are_a_tree_with_each_folder_once() {
    let paths = ["Cargo.toml", "src/a/b.rs", "src/a/c.rs", "src/main.rs", "deep/"].map(str::to_owned);
    assert_eq!(tree_of(&paths), "Cargo.toml\nsrc/\n  a/\n    b.rs\n    c.rs\n  main.rs\ndeep/\n");
    assert_eq!(tree_of(&[]), "");
}
