use super::*;

#[test]
fn every_encoding_is_recognised_and_written_back_byte_for_byte() {
    let cases: [(&[u8], Encoding, &str); 6] = [
        (b"plain \xC3\xA4", Encoding::Utf8, "plain ä"),
        (b"\xEF\xBB\xBFmarked", Encoding::Utf8Marked, "marked"),
        (b"\xFF\xFEa\0\xE4\0", Encoding::Utf16Le, "aä"),
        (b"\xFE\xFF\0a\0\xE4", Encoding::Utf16Be, "aä"),
        (b"caf\xE9 \x80", Encoding::Windows1252, "café €"),
        (b"", Encoding::Utf8, ""),
    ];
    for (bytes, encoding, content) in cases {
        let text = decode(bytes.to_vec()).unwrap();
        assert_eq!((text.encoding, text.content.as_str()), (encoding, content));
        assert_eq!(encode(content, encoding).unwrap(), bytes);
    }
}

#[test]
fn binary_is_not_text() {
    let cases: [&[u8]; 4] = [b"\x7fELF\0\0", b"\xFF\xFE\0", b"\x80\x01\x02\x03\x04", b"\xFF\xFEa\0\0\0"];
    for bytes in cases {
        assert_eq!(decode(bytes.to_vec()), None, "{bytes:?}");
    }
}

#[test]
fn a_character_that_the_encoding_lacks_is_not_written_as_something_else() {
    assert_eq!(encode("日本", Encoding::Windows1252), None);
}
