use proptest::prelude::*;

use super::super::head::HeadReader;
use super::*;

/// The body and what remained of the bytes, read in pieces of that size.
fn read_in(mut payload: Payload, bytes: &[u8], size: usize) -> (Vec<u8>, usize, Result<(), PayloadFault>) {
    let mut body = Vec::new();
    let mut rest = 0;
    for part in bytes.chunks(size) {
        if payload.is_over() {
            rest += part.len();
            continue;
        }
        let mut part = part.to_vec();
        let piece = payload.join(&mut part);
        body.extend_from_slice(&part[piece.body]);
        rest += part.len() - piece.used;
        if let Some(fault) = piece.fault {
            return (body, 0, Err(fault));
        }
    }
    let end = if payload.is_over() { Ok(()) } else { payload.end() };
    (body, rest, end)
}

/// However the bytes are split, the body is the same.
fn read(payload: &Payload, bytes: &[u8]) -> (Vec<u8>, usize, Result<(), PayloadFault>) {
    let whole = read_in(payload.clone(), bytes, bytes.len().max(1));
    for size in 1..bytes.len().min(40) {
        assert_eq!(read_in(payload.clone(), bytes, size), whole, "in pieces of {size}");
    }
    whole
}

fn chunked(text: &str) -> (String, usize, Result<(), PayloadFault>) {
    let (body, rest, end) = read(&Payload::Chunked(ChunkReader::default()), text.as_bytes());
    (String::from_utf8(body).unwrap(), rest, end)
}

fn of(fields: &str) -> Result<Payload, HeadFault> {
    of_status(200, fields)
}

fn of_status(status: u16, fields: &str) -> Result<Payload, HeadFault> {
    let mut reader = HeadReader::default();
    reader.push(format!("HTTP/1.1 {status} X\r\n{fields}\r\n").as_bytes());
    reader.read(Payload::of).unwrap().unwrap()
}

#[test]
fn chunks_are_joined() {
    assert_eq!(chunked("3\r\nabc\r\n0a\r\n0123456789\r\n0\r\n\r\n"), ("abc0123456789".into(), 0, Ok(())));
    assert_eq!(chunked("0\r\n\r\n"), (String::new(), 0, Ok(())));
    assert_eq!(chunked("0000000000000001\r\na\r\n000\r\n\r\n"), ("a".into(), 0, Ok(())));
    assert_eq!(chunked("A\r\n0123456789\r\n0\r\n\r\nHTTP"), ("0123456789".into(), 4, Ok(())));
}

#[test]
fn what_stands_around_chunks_is_ignored() {
    let extended = "3;name=value;x=\"y\"\r\nabc\r\n1 ; y\r\nd\r\n0;last\r\n";
    assert_eq!(chunked(&[extended, "\r\n"].concat()), ("abcd".into(), 0, Ok(())));
    let trailed = [extended, "x-checksum: 1\r\nx-two: 2\r\n\r\n"].concat();
    assert_eq!(chunked(&trailed), ("abcd".into(), 0, Ok(())));
}

#[test]
fn a_bad_size_is_told_after_what_came_before_it() {
    for bad in [
        "\r\n",
        ";x\r\n",
        " 1\r\n",
        "-1\r\na",
        "+1\r\na",
        "0x1\r\na",
        "g\r\n",
        "1\n",
        "1\ra",
        "1;x\na",
        "1;x\ra",
        "00000000000000001\r\na",
        "11111111111111111\r\n",
    ] {
        let text = ["2\r\nab\r\n", bad].concat();
        assert_eq!(chunked(&text), ("ab".into(), 0, Err(PayloadFault::Chunk)), "{bad:?}");
    }
}

#[test]
fn a_chunk_ends_where_it_says() {
    for bad in ["2\r\nabc\r\n0\r\n\r\n", "2\r\nab0\r\n\r\n", "2\r\nab\n0\r\n\r\n", "2\r\nab\r0\r\n\r\n"] {
        assert_eq!(chunked(bad), ("ab".into(), 0, Err(PayloadFault::Chunk)), "{bad:?}");
    }
    assert_eq!(chunked("0\r\n\rx").2, Err(PayloadFault::Chunk));
}

#[test]
fn a_huge_size_is_only_a_number() {
    assert_eq!(chunked("ffffffffffffffff\r\nabc"), ("abc".into(), 0, Err(PayloadFault::Cut)));
    let huge = Payload::Sized(u64::MAX);
    assert_eq!(read(&huge, b"abc"), (b"abc".to_vec(), 0, Err(PayloadFault::Cut)));
}

#[test]
fn what_stands_around_chunks_is_bounded() {
    let extension = format!("1;{}\r\na\r\n0\r\n\r\n", "x".repeat(CHUNK_LINE_BYTES_MAX as usize + 1));
    assert_eq!(chunked(&extension).2, Err(PayloadFault::TooLong));
    let trailers = format!("0\r\n{}\r\n", "a: b\r\n".repeat(TRAILER_BYTES_MAX as usize / 4));
    assert_eq!(chunked(&trailers).2, Err(PayloadFault::TooLong));
    // Each line has the whole bound.
    let many = "1;xxxxxxxx\r\na\r\n".repeat(CHUNK_LINE_BYTES_MAX as usize / 4);
    assert_eq!(chunked(&[many.as_str(), "0\r\n\r\n"].concat()).2, Ok(()));
}

#[test]
fn an_end_before_the_end_is_a_cut() {
    let whole = "3\r\nabc\r\n0\r\nx: y\r\n\r\n";
    for length in 0..whole.len() {
        assert_eq!(chunked(&whole[..length]).2, Err(PayloadFault::Cut), "{length}");
    }
    assert_eq!(read(&Payload::Sized(4), b"abc"), (b"abc".to_vec(), 0, Err(PayloadFault::Cut)));
    assert_eq!(read(&Payload::Sized(3), b"abcd"), (b"abc".to_vec(), 1, Ok(())));
    assert_eq!(read(&Payload::Sized(0), b""), (Vec::new(), 0, Ok(())));
    assert_eq!(read(&Payload::UntilClose, b"abc"), (b"abc".to_vec(), 0, Ok(())));
}

#[test]
fn the_head_says_how_far_the_body_goes() {
    assert_eq!(of("content-length: 5\r\n"), Ok(Payload::Sized(5)));
    assert_eq!(of("content-length: 5\r\nContent-Length: 5, 5\r\n"), Ok(Payload::Sized(5)));
    assert_eq!(of(""), Ok(Payload::UntilClose));
    assert_eq!(of("transfer-encoding: Chunked\r\n"), Ok(Payload::Chunked(ChunkReader::default())));
    assert_eq!(
        of("content-length: 5\r\ntransfer-encoding: chunked\r\n"),
        Ok(Payload::Chunked(ChunkReader::default()))
    );
    assert_eq!(of("content-encoding: identity\r\ncontent-length: 1\r\n"), Ok(Payload::Sized(1)));
    assert_eq!(of_status(204, ""), Ok(Payload::Sized(0)));
    assert_eq!(of_status(304, "content-length: 5\r\n"), Ok(Payload::Sized(0)));
}

#[test]
fn a_head_that_is_not_clear_about_the_body_is_not_believed() {
    for length in ["-1", "+1", "1x", "0x1", "1 1", "99999999999999999999", "1, 2"] {
        let read = of(&format!("content-length: {length}\r\n"));
        assert!(matches!(read, Err(HeadFault::Length(_))), "{length}: {read:?}");
    }
    assert!(matches!(of("content-length: 1\r\ncontent-length: 2\r\n"), Err(HeadFault::Length(_))));
    for coding in ["transfer-encoding: gzip", "transfer-encoding: gzip, chunked", "content-encoding: br"] {
        let read = of(&format!("{coding}\r\n"));
        assert!(matches!(read, Err(HeadFault::Coding(_))), "{coding}: {read:?}");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_the_same_however_they_are_split(
        text in "([0-9a-f]{1,2}(;x)?\r\n[a-z]{0,20}(\r\n)?|\r|\n|0\r\n(a: b\r\n)?\r\n){0,8}"
    ) {
        let _ = read(&Payload::Chunked(ChunkReader::default()), text.as_bytes());
    }

    #[test]
    fn what_was_cut_into_chunks_is_whole_again(parts in prop::collection::vec("[a-z\r\n]{1,30}", 0..6)) {
        let chunks: String = parts.iter().map(|part| format!("{:x}\r\n{part}\r\n", part.len())).collect();
        prop_assert_eq!(chunked(&[&chunks, "0\r\n\r\n"].concat()), (parts.concat(), 0, Ok(())));
    }
}
