use std::io::Write as _;
use std::path::PathBuf;
use std::time::Instant;

use super::*;

/// Long enough for a process to begin on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A program of a shell's words. A process of its own writes it: a file that this one has open for writing could not be
/// started by a thread beside it.
fn program(words: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("reader");
    let mut writer = Command::new("sh")
        .args(["-c", "cat > \"$0\" && chmod 700 \"$0\""])
        .arg(&path)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    writer.stdin.take().unwrap().write_all(format!("#!/bin/sh\n{words}\n").as_bytes()).unwrap();
    assert!(writer.wait().unwrap().success());
    (folder, path)
}

fn read(words: &str, bytes: Vec<u8>) -> Result<String, PdfFailure> {
    let (_folder, path) = program(words);
    text_within(&path, bytes, PATIENCE)
}

#[test]
fn a_child_is_given_the_bytes_and_answers_with_the_text() {
    let echo = "printf t; /bin/cat; printf '\\000'";
    assert_eq!(read(echo, b"The pawl holds.".to_vec()), Ok("The pawl holds.".to_owned()));
    assert_eq!(read("/bin/cat >/dev/null; printf 'e\\000'", vec![b'x'; 1 << 20]), Err(PdfFailure::Empty));
}

#[test]
fn whatever_becomes_of_a_child_costs_one_text() {
    for (words, failure) in [
        // It breaks off in the middle of its answer, and says that all is well.
        ("printf tThe; exit 0", PdfFailure::Unreadable),
        ("exit 101", PdfFailure::Unreadable),
        ("kill -KILL $$", PdfFailure::TooMuch),
        ("kill -ABRT $$", PdfFailure::TooMuch),
        ("kill -XCPU $$", PdfFailure::TooSlow),
        // It says what nobody says.
        ("printf 'q\\000'", PdfFailure::Unreadable),
        ("printf 't\\377\\000'", PdfFailure::Unreadable),
    ] {
        // More than a pipe takes, which it does not read.
        assert_eq!(read(words, vec![b'x'; 1 << 20]), Err(failure), "{words}");
    }
    assert_eq!(text_within(Path::new("/nowhere/reader"), vec![], PATIENCE), Err(PdfFailure::NoHelper));
}

#[test]
fn a_child_that_never_ends_is_killed() {
    let (folder, path) = program("echo $$ > \"$(/usr/bin/dirname \"$0\")/number\"; while :; do :; done");
    let begun = Instant::now();
    // It is killed after this time, whether or not it has begun.
    assert_eq!(text_within(&path, vec![], Duration::from_secs(2)), Err(PdfFailure::TooSlow));
    assert!(begun.elapsed() < PATIENCE);
    if let Ok(number) = std::fs::read_to_string(folder.path().join("number")) {
        assert!(!Path::new("/proc").join(number.trim()).exists(), "{number}");
    }
}

#[test]
fn a_child_that_says_too_much_is_not_listened_to() {
    assert_eq!(
        read("while :; do echo tttttttttttttttttttttttttttttttt; done", vec![]),
        Err(PdfFailure::TooMuch)
    );
}

#[test]
fn a_child_gets_no_variable_and_no_open_file_of_ours() {
    let held = tempfile::NamedTempFile::new().unwrap();
    let words =
        "printf t; /usr/bin/env; for file in /proc/$$/fd/*; do /bin/readlink \"$file\"; done; printf '\\000'";
    let said = read(words, vec![]).unwrap();
    assert!(!said.contains("CARGO") && !said.contains("HOME="), "{said}");
    assert!(!said.contains(held.path().to_str().unwrap()), "{said}");
    assert!(said.contains("pipe:"), "{said}");
}
