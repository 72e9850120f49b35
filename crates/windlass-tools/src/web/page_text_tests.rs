use super::*;

#[test]
fn media_types_decide_what_can_be_read() {
    for (content_type, kind) in [
        ("text/html", BodyKind::Html),
        ("Text/HTML; charset=utf-8", BodyKind::Html),
        ("application/xhtml+xml", BodyKind::Html),
        ("text/plain", BodyKind::Text),
        ("text/markdown", BodyKind::Text),
        ("application/json", BodyKind::Text),
        ("application/problem+json; x=y", BodyKind::Text),
        ("image/svg+xml", BodyKind::Text),
        ("application/rss+xml", BodyKind::Text),
        ("image/png", BodyKind::Unreadable),
        ("application/pdf", BodyKind::Unreadable),
        ("application/octet-stream", BodyKind::Unreadable),
        ("video/mp4", BodyKind::Unreadable),
        ("application/zip", BodyKind::Unreadable),
        ("nonsense", BodyKind::Unreadable),
    ] {
        assert_eq!(body_kind(Some(content_type), b"x"), kind, "{content_type}");
    }
}

#[test]
fn without_a_media_type_the_first_bytes_decide() {
    for (bytes, kind) in [
        (&b"  <!DOCTYPE HTML><p>x"[..], BodyKind::Html),
        (b"<html>", BodyKind::Html),
        (b"{\"a\": 1}", BodyKind::Text),
        (b"", BodyKind::Text),
        (b"\x89PNG\r\n\x1a\n\0\0\0", BodyKind::Unreadable),
    ] {
        assert_eq!(body_kind(None, bytes), kind);
        assert_eq!(body_kind(Some(" "), bytes), kind);
    }
}

#[test]
fn charsets_are_found_where_pages_put_them() {
    for (bytes, content_type, expected) in [
        (&b"caf\xe9"[..], Some("text/plain; charset=ISO-8859-1"), "café"),
        (b"caf\xe9", Some("text/plain; charset=\"iso-8859-1\""), "café"),
        (b"caf\xc3\xa9", Some("text/plain"), "café"),
        (b"caf\xe9 \x80", None, "café €"),
        (
            b"<meta charset=windows-1251>\xcf\xf0\xe8\xe2\xe5\xf2",
            Some("text/html"),
            "<meta charset=windows-1251>Привет",
        ),
        (
            b"<META http-equiv=x content='text/html; charset=Shift_JIS'>\x83\x65",
            None,
            "<META http-equiv=x content='text/html; charset=Shift_JIS'>テ",
        ),
        (b"\xff\xfeh\0i\0", Some("text/plain; charset=utf-8"), "hi"),
        (b"\xef\xbb\xbfhi", None, "hi"),
        (b"<meta charset=utf-16>\xc3\xa9", None, "<meta charset=utf-16>é"),
        (b"caf\xc3", None, "caf\u{fffd}"),
        (b"x", Some("text/plain; charset=nonsense"), "x"),
        (b"x", Some(";;;charset=;"), "x"),
    ] {
        assert_eq!(decode(bytes, content_type), expected, "{content_type:?}");
    }
}
