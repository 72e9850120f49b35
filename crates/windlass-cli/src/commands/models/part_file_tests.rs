use tempfile::TempDir;

use super::*;

/// Of `weights`.
const HASH: &str = "9a129038d9a00aed0cf6a7ea059ca50a813449061ab87848cf1a13eafdf33b2c";

fn names(folder: &TempDir) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_part_becomes_the_file_in_the_end() {
    let folder = TempDir::new().unwrap();
    let place = folder.path().join("m.gguf");
    let mut part = PartFile::open(&place, "a").unwrap();
    part.write_note(None, Some(7)).unwrap();
    part.push(b"wei").unwrap();
    part.push(b"ghts").unwrap();
    assert_eq!(names(&folder), ["m.gguf.part", "m.gguf.part.json"]);
    let hash = part.sha256();
    part.finish().unwrap();
    assert_eq!(names(&folder), ["m.gguf"]);
    assert_eq!(hash, HASH);
    assert_eq!(hash_file(&place).unwrap(), (7, hash));
}

#[test]
fn what_is_there_is_gone_on_with_and_its_hash_too() {
    let folder = TempDir::new().unwrap();
    let place = folder.path().join("m.gguf");
    let mut part = PartFile::open(&place, "a").unwrap();
    part.write_note(Some("\"one\"".into()), Some(7)).unwrap();
    part.push(b"wei").unwrap();
    drop(part);
    let mut part = PartFile::open(&place, "a").unwrap();
    assert_eq!(
        (part.bytes(), part.note().etag.as_deref(), part.note().bytes_total),
        (3, Some("\"one\""), Some(7))
    );
    part.push(b"ghts").unwrap();
    assert_eq!(part.sha256(), HASH);
    part.finish().unwrap();
    assert_eq!(fs::read(&place).unwrap(), b"weights");
}

#[test]
fn a_part_of_another_address_or_of_nobody_knows_what_is_begun_anew() {
    let folder = TempDir::new().unwrap();
    let place = folder.path().join("m.gguf");
    let mut part = PartFile::open(&place, "a").unwrap();
    part.write_note(None, None).unwrap();
    part.push(b"other").unwrap();
    drop(part);
    assert_eq!(PartFile::open(&place, "b").unwrap().bytes(), 0);
    fs::write(folder.path().join("m.gguf.part"), "other").unwrap();
    fs::write(folder.path().join("m.gguf.part.json"), "nonsense").unwrap();
    assert_eq!(PartFile::open(&place, "b").unwrap().bytes(), 0);
}

#[test]
fn a_part_that_is_discarded_leaves_what_was_there() {
    let folder = TempDir::new().unwrap();
    let place = folder.path().join("m.gguf");
    fs::write(&place, "old").unwrap();
    let mut part = PartFile::open(&place, "a").unwrap();
    part.write_note(None, None).unwrap();
    part.push(b"wrong").unwrap();
    part.discard();
    assert_eq!(names(&folder), ["m.gguf"]);
    assert_eq!(fs::read(&place).unwrap(), b"old");
}

#[test]
fn the_beginning_can_be_looked_at_without_losing_the_end() {
    let folder = TempDir::new().unwrap();
    let mut part = PartFile::open(&folder.path().join("m.gguf"), "a").unwrap();
    assert!(!part.begins_with(b"GGUF").unwrap(), "nothing begins with nothing");
    part.push(b"GGUF1").unwrap();
    assert!(part.begins_with(b"GGUF").unwrap() && !part.begins_with(b"<htm").unwrap());
    part.push(b"2").unwrap();
    part.finish().unwrap();
    assert_eq!(fs::read(folder.path().join("m.gguf")).unwrap(), b"GGUF12");
}

#[test]
fn two_processes_do_not_write_one_file() {
    let folder = TempDir::new().unwrap();
    let place = folder.path().join("m.gguf");
    let _first = PartFile::open(&place, "a").unwrap();
    let second = PartFile::open(&place, "a");
    let Err(complaint) = second else { panic!("both have it") };
    assert!(complaint.to_string().contains("by another process"), "{complaint}");
}
