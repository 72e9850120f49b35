use tempfile::TempDir;

use super::*;

fn root(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

#[test]
fn the_digest_is_that_of_names_and_bytes_and_of_nothing_else() {
    let of = |files: &[(&str, &str)]| Brought::read(root(files).path()).unwrap().digest();
    let one = of(&[(".windlass/a", "x"), (".windlass/tools/b.rhai", "y"), ("src/main.rs", "z")]);
    assert_eq!(one, of(&[(".windlass/tools/b.rhai", "y"), (".windlass/a", "x")]));
    assert_ne!(one, of(&[(".windlass/a", "x"), (".windlass/tools/b.rhai", "y2")]));
    assert_ne!(one, of(&[(".windlass/a", "x"), (".windlass/tools/c.rhai", "y")]));
    assert_ne!(of(&[(".windlass/a", "bc")]), of(&[(".windlass/ab", "c")]));
    assert!(Brought::read(root(&[("a", "x")]).path()).unwrap().is_empty());
}

#[cfg(unix)]
#[test]
fn links_pipes_and_too_much_are_refused_with_their_reason() {
    use std::os::unix::fs::symlink;
    let folder = root(&[(".windlass/a", "x"), ("b", "y")]);
    symlink("../b", folder.path().join(".windlass/link")).unwrap();
    assert!(Brought::read(folder.path()).unwrap_err().contains(".windlass/link is a link"));
    let folder = root(&[("real/a", "x")]);
    symlink("real", folder.path().join(".windlass")).unwrap();
    assert!(Brought::read(folder.path()).unwrap_err().contains("link"));
    let big = "x".repeat(usize::try_from(BYTES_MAX).unwrap() + 1);
    let folder = root(&[(".windlass/a", &big)]);
    assert!(Brought::read(folder.path()).unwrap_err().contains("bytes"));
}
