use super::*;

fn read(text: &str) -> Result<Option<(u16, bool)>, HeadFault> {
    let mut reader = HeadReader::default();
    reader.push(text.as_bytes());
    reader.read(|head| (head.status, head.is_kept_open()))
}

#[test]
fn a_head_is_read_with_its_headers_and_what_follows_is_kept() {
    let mut reader = HeadReader::default();
    assert!(reader.is_untouched());
    reader.push(b"HTTP/1.1 429 Slow Down\r\nRetry-After: 3\r\nX: a, b\r\nx: ,c\r\n\r\n{\"a\"");
    assert!(!reader.is_untouched());
    let told = reader.read(|head| {
        let elements: Vec<_> = head.elements("x").map(<[u8]>::to_vec).collect();
        (head.status, head.field("retry-after").map(str::to_owned), elements)
    });
    let (status, wait, elements) = told.unwrap().unwrap();
    assert_eq!((status, wait.as_deref()), (429, Some("3")));
    assert_eq!(elements, [b"a", b"b", b"c"]);
    assert_eq!(reader.into_rest(), b"{\"a\"");
}

#[test]
fn a_head_that_comes_byte_by_byte_is_the_same() {
    let text = b"HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n";
    let mut reader = HeadReader::default();
    let mut statuses = Vec::new();
    for byte in text {
        reader.push(&[*byte]);
        statuses.extend(reader.read(|head| head.status).unwrap());
    }
    assert_eq!(statuses, [200]);
    assert!(reader.into_rest().is_empty());
}

#[test]
fn interim_answers_are_skipped_and_another_protocol_is_none() {
    let text = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 204 None\r\n\r\n";
    assert_eq!(read(text), Ok(Some((204, true))));
    assert_eq!(read("HTTP/1.1 100 Continue\r\n\r\n"), Ok(None));
    assert_eq!(read("HTTP/1.1 101 Switching Protocols\r\n\r\n"), Err(HeadFault::Status(101)));
    assert_eq!(read("HTTP/1.1 042 Odd\r\n\r\n"), Err(HeadFault::Status(42)));
}

#[test]
fn a_connection_is_kept_unless_somebody_says_otherwise() {
    for (head, is_kept) in [
        ("HTTP/1.1 200 OK\r\n\r\n", true),
        ("HTTP/1.1 200 OK\r\nconnection: keep-alive\r\n\r\n", true),
        ("HTTP/1.1 200 OK\r\nConnection: foo, Close\r\n\r\n", false),
        ("HTTP/1.1 200 OK\r\nconnection: foo\r\nconnection: close\r\n\r\n", false),
        ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ncontent-length: 3\r\n\r\n", false),
        ("HTTP/1.0 200 OK\r\n\r\n", false),
    ] {
        assert_eq!(read(head), Ok(Some((200, is_kept))), "{head}");
    }
}

#[test]
fn what_is_no_http_is_told_by_its_first_bytes() {
    for text in ["SSH-2.0-OpenSSH_9.6\r\n", "\u{15}\u{3}\u{1}\0\u{2}", "HTTP/2 200\r\n", "<html>"] {
        assert!(matches!(read(text), Err(HeadFault::Unreadable(_))), "{text:?}: {:?}", read(text));
    }
    for text in ["", "H", "HTTP/1.1 2", "HTTP/1.1 200 OK\r\na: b\r\n"] {
        assert_eq!(read(text), Ok(None), "{text:?}");
    }
    assert!(matches!(read("HTTP/1.1 200 OK\r\nbad header\r\n\r\n"), Err(HeadFault::Unreadable(_))));
    assert!(matches!(read("HTTP/1.1 200 OK\r\na: b\0c\r\n\r\n"), Err(HeadFault::Unreadable(_))));
}

#[test]
fn a_head_is_bounded_in_bytes_and_in_headers() {
    let with = |count: usize| format!("HTTP/1.1 200 OK\r\n{}\r\n", "a: b\r\n".repeat(count));
    assert_eq!(read(&with(HEAD_FIELDS_MAX)), Ok(Some((200, true))));
    assert_eq!(read(&with(HEAD_FIELDS_MAX + 1)), Err(HeadFault::TooLong));

    let long = format!("HTTP/1.1 200 OK\r\na: {}\r\n\r\n", "b".repeat(HEAD_BYTES_MAX));
    assert_eq!(read(&long), Err(HeadFault::TooLong));
    assert_eq!(read(long.trim_end()), Err(HeadFault::TooLong));
}

#[test]
fn interim_answers_without_end_are_not_believed() {
    let mut reader = HeadReader::default();
    let interim = "HTTP/1.1 102 Processing\r\n\r\n".repeat(100);
    let mut read = Ok(None);
    for _ in 0..HEAD_BYTES_MAX / interim.len() + 2 {
        reader.push(interim.as_bytes());
        read = reader.read(|head| head.status);
        if read.is_err() {
            break;
        }
    }
    assert_eq!(read, Err(HeadFault::TooLong));
}
