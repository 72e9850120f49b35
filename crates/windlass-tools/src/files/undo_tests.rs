use super::*;

fn stores() -> (tempfile::TempDir, [Undo; 2]) {
    let folder = tempfile::tempdir().unwrap();
    let stores = [Undo::new(None), Undo::new(Some(folder.path().join("undo")))];
    (folder, stores)
}

#[test]
fn the_youngest_copy_comes_back_first_and_knows_what_replaced_it() {
    let (_folder, stores) = stores();
    for undo in stores {
        let (a, b) = (Path::new("/p/a"), Path::new("/p/b"));
        undo.keep(a, None, "h1").unwrap();
        undo.keep(a, Some(b"one"), "h2").unwrap();
        undo.keep(b, Some(b"other"), "h3").unwrap();
        let copy = undo.last(a).unwrap().unwrap();
        assert_eq!((copy.before.as_deref(), copy.after()), (Some(b"one".as_slice()), "h2"));
        undo.forget(&copy);
        let copy = undo.last(a).unwrap().unwrap();
        assert_eq!((copy.before.as_deref(), copy.after()), (None, "h1"));
        undo.forget(&copy);
        assert_eq!(undo.last(a).unwrap(), None);
        assert!(undo.last(b).unwrap().is_some());
    }
}

#[test]
fn copies_are_bounded_in_number_and_bytes() {
    let (folder, stores) = stores();
    for undo in &stores {
        for number in 0..UNDO_COPIES_MAX + 3 {
            undo.keep(Path::new(&format!("/p/{number}")), Some(b"x"), "h").unwrap();
        }
        assert_eq!(undo.last(Path::new("/p/2")).unwrap(), None);
        assert!(undo.last(Path::new("/p/3")).unwrap().is_some());
        let big = vec![0; UNDO_BYTES_MAX as usize / 2 + 1];
        undo.keep(Path::new("/p/big"), Some(&big), "h").unwrap();
        undo.keep(Path::new("/p/bigger"), Some(&big), "h").unwrap();
        assert_eq!(undo.last(Path::new("/p/big")).unwrap(), None);
        assert!(undo.last(Path::new("/p/bigger")).unwrap().is_some());
    }
    assert_eq!(names(&folder.path().join("undo")).unwrap().len(), 1);
}
