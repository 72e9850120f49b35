//! How names fall into words.

use super::*;

#[test]
fn names_fall_into_words_whatever_their_case() {
    assert_eq!(words("run_machine"), ["run", "machine"]);
    assert_eq!(words("RunTrace"), ["run", "trace"]);
    assert_eq!(words("tidy-exceptions"), ["tidy", "exceptions"]);
    assert_eq!(words("HTTPClient"), ["httpclient"]);
}

#[test]
fn an_empty_word_is_found_as_a_whole_word_only() {
    assert!(judge("x", 1, "the type", "PathUtils").is_some());
    assert!(judge("x", 1, "the type", "SystemInfo").is_some());
    assert!(judge("x", 1, "the type", "Metadata").is_none());
    assert!(judge("x", 1, "the path", "information").is_none());
}
