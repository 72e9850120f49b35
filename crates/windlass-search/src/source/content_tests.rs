//! What is text, and that its offsets are those of the file.

use super::{decode, read};
use crate::source::pdf::PdfReading;
use crate::source::walk::Skip;

#[test]
fn wrong_bytes_are_read_as_marks_of_the_same_length() {
    let text = decode(b"fn caf\xe9() {} // ordinary code with one stray byte".to_vec()).unwrap();
    assert!(text.starts_with("fn caf?() {}"));
    assert_eq!(text.len(), 49);
}

#[test]
fn zero_bytes_many_wrong_bytes_and_other_encodings_are_no_text() {
    assert_eq!(decode(b"MZ\0\0".to_vec()), Err(Skip::Binary));
    assert_eq!(decode(vec![0xfe; 100]), Err(Skip::Binary));
    assert_eq!(decode(b"\xff\xfea\0b\0".to_vec()), Err(Skip::Encoding));
}

#[test]
fn a_minified_file_was_made_by_a_program_and_a_long_paragraph_was_not() {
    assert_eq!(decode("a(){b};".repeat(4_000).into_bytes()), Err(Skip::Generated));
    assert!(decode("The pawl holds. ".repeat(4_000).into_bytes()).is_ok());
}

#[test]
fn a_folder_and_a_missing_file_are_not_read() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(read(folder.path(), 10, &PdfReading::Nobody).unwrap_err(), Skip::Special);
    assert_eq!(read(&folder.path().join("none"), 10, &PdfReading::Nobody).unwrap_err(), Skip::Unreadable);
}
