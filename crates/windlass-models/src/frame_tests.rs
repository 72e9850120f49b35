use super::*;

type Frames = Vec<(Option<String>, String)>;

fn read(framing: Framing, pieces: &[&[u8]]) -> Result<Frames, FrameTooLong> {
    let mut frames = Frames::new();
    let mut splitter = Splitter::new(framing);
    let mut sink = |name: Option<&str>, payload: &str| {
        frames.push((name.map(str::to_owned), payload.to_owned()));
        Ok::<(), FrameTooLong>(())
    };
    for piece in pieces {
        splitter.push(piece, &mut sink)?;
    }
    splitter.finish(&mut sink)?;
    Ok(frames)
}

fn sse(text: &[u8]) -> Frames {
    read(Framing::Sse, &[text]).unwrap()
}

fn payloads(frames: &Frames) -> Vec<&str> {
    frames.iter().map(|(_, payload)| payload.as_str()).collect()
}

#[test]
fn an_event_ends_with_a_blank_line_whatever_ends_its_lines() {
    for text in ["data: a\n\ndata: b\n\n", "data: a\r\rdata: b\r\r", "data: a\r\n\r\ndata: b\r\n\r\n"] {
        assert_eq!(payloads(&sse(text.as_bytes())), ["a", "b"], "{text:?}");
    }
    assert_eq!(payloads(&sse(b"data: a\n\r\ndata: b\r\n\ndata: c\r\n\r")), ["a", "b", "c"]);
}

#[test]
fn one_space_after_the_colon_is_no_part_of_the_value() {
    assert_eq!(payloads(&sse(b"data:a\n\ndata: b\n\ndata:  c\n\ndata:\td\n\n")), ["a", "b", " c", "\td"]);
}

#[test]
fn payload_lines_are_joined_and_colons_in_them_stay() {
    assert_eq!(payloads(&sse(b"data: {\"a\":\ndata: 1}\n\n")), ["{\"a\":\n1}"]);
    assert_eq!(payloads(&sse(b"data: a\ndata\ndata: b\n\n")), ["a\n\nb"]);
}

#[test]
fn the_name_of_an_event_is_the_last_one_given_and_ends_with_it() {
    let frames = sse(b"event: x\nevent: message_start\ndata: a\n\ndata: b\n\nevent: lost\n\ndata: c\n\n");
    let names: Vec<Option<&str>> = frames.iter().map(|(name, _)| name.as_deref()).collect();
    assert_eq!(names, [Some("message_start"), None, None]);
    assert_eq!(payloads(&frames), ["a", "b", "c"]);
    assert_eq!(sse(b"data: a\nevent: late\n\n"), [(Some("late".to_owned()), "a".to_owned())]);
    assert_eq!(sse(b"event:\ndata: a\n\n"), [(None, "a".to_owned())]);
}

#[test]
fn openrouter_6_comments_ids_retries_and_unknown_fields_are_nothing() {
    let text = b": OPENROUTER PROCESSING\n\nid: 7\nretry: 10\nfoo: bar\nbar\ndata: a\n: more\n\n:\n\n";
    assert_eq!(payloads(&sse(text)), ["a"]);
    assert_eq!(payloads(&sse(b"Data: a\n\n data: b\n\ndatax: c\n\n")), [""; 0]);
}

#[test]
fn an_event_without_a_payload_is_a_heartbeat() {
    assert_eq!(payloads(&sse(b"event: ping\ndata:\n\ndata: \n\n\n\n\ndata: a\n\n")), ["a"]);
}

#[test]
fn a_byte_order_mark_is_dropped_at_the_beginning_and_only_there() {
    assert_eq!(payloads(&sse(b"\xEF\xBB\xBFdata: a\n\n")), ["a"]);
    assert_eq!(payloads(&sse("data: \u{feff}a\n\n\u{feff}data: b\n\n".as_bytes())), ["\u{feff}a"]);
    assert_eq!(payloads(&sse(b"\xEF\xBBdata: a\n\ndata: b\n\n")), ["b"]);
    let pieces: [&[u8]; 4] = [b"\xEF", b"\xBB", b"\xBF", b"data: a\n\n"];
    assert_eq!(payloads(&read(Framing::Sse, &pieces).unwrap()), ["a"]);
}

#[test]
fn the_last_event_is_given_without_its_blank_line() {
    for text in ["data: a\n\ndata: [DONE]", "data: a\n\ndata: [DONE]\n", "data: a\n\ndata: [DONE]\r\n"] {
        assert_eq!(payloads(&sse(text.as_bytes())), ["a", "[DONE]"], "{text:?}");
    }
    assert_eq!(payloads(&sse(b"data: a\n\nevent: x\nid: 1")), ["a"]);
    assert_eq!(payloads(&sse(b"")), [""; 0]);
}

#[test]
fn bytes_that_are_no_text_become_the_mark_that_calls_do_not_survive() {
    assert_eq!(payloads(&sse(b"data: a\xFFb\xE2\x82\n\ndata: \xC3\xA9\n\n")), ["a\u{fdd0}b\u{fdd0}", "é"]);
    assert_eq!(payloads(&read(Framing::Lines, &[b"\xF0\x9F\n"]).unwrap()), ["\u{fdd0}"]);
}

#[test]
fn json_comes_a_line_and_blank_lines_are_nothing() {
    let frames = read(Framing::Lines, &[b"{\"a\":1}\r\n\n  \n{\"b\":", b"2}\n{\"c\":3}"]).unwrap();
    assert_eq!(payloads(&frames), ["{\"a\":1}\r", "{\"b\":2}", "{\"c\":3}"]);
}

#[test]
fn what_the_sink_refuses_ends_the_reading() {
    #[derive(Debug, PartialEq)]
    struct Enough;
    impl From<FrameTooLong> for Enough {
        fn from(_: FrameTooLong) -> Self {
            Enough
        }
    }
    let mut seen = 0;
    let result = Splitter::new(Framing::Sse).push(b"data: a\n\ndata: b\n\ndata: c\n\n", &mut |_, payload| {
        seen += 1;
        if payload == "b" { Err(Enough) } else { Ok(()) }
    });
    assert_eq!((result, seen), (Err(Enough), 2));
}

#[test]
fn an_event_over_the_limit_is_an_error_however_it_is_split() {
    let long = vec![b'x'; FRAME_BYTES_MAX + 1];
    let whole = [b"data: ok\n\ndata: ".as_slice(), &long, b"\n\n"].concat();
    assert_eq!(read(Framing::Sse, &[&whole]), Err(FrameTooLong));
    let pieces: Vec<&[u8]> = whole.chunks(1 << 20).collect();
    assert_eq!(read(Framing::Sse, &pieces), Err(FrameTooLong));
    let line = vec![b'y'; 1 << 20];
    let many = [b"data: ".as_slice(), &line, b"\n"].concat().repeat(17);
    assert_eq!(read(Framing::Sse, &[&many]), Err(FrameTooLong));
    assert_eq!(read(Framing::Lines, &[&long]), Err(FrameTooLong));
    let most = [b"data: ".as_slice(), &vec![b'z'; FRAME_BYTES_MAX - 6], b"\n\n"].concat();
    assert_eq!(read(Framing::Sse, &[&most]).unwrap().len(), 1);
}

/// About 4 kB with everything in it: names, joined lines, comments, characters of one to four bytes.
fn sample(line_end: &str) -> Vec<u8> {
    let mut text = String::from("\u{feff}: hello\n\n");
    let words = ["Zwölf", "Boxkämpfer", "日本語", "🦀🦀", "plain", "{\"a\":\"b\"}"];
    let mut number = 0;
    while text.len() < 4_000 {
        let word = words[number % words.len()];
        match number % 5 {
            0 => text.push_str(&format!("event: e{number}\ndata: {{\"n\":{number},\"w\":\"{word}\"}}\n\n")),
            1 => text.push_str(&format!("data: {word}\ndata:\ndata:{word}\n\n")),
            2 => text.push_str(&format!(": keep-alive\nid: {number}\ndata: {word} {word}\n\n")),
            3 => text.push_str("\n\nevent: ping\n\ndata\n\n"),
            _ => text.push_str(&format!("data:  {}\n\n", word.repeat(6))),
        }
        number += 1;
    }
    text.push_str("data: [DONE]\n");
    text.replace('\n', line_end).into_bytes()
}

#[test]
fn every_split_point_of_a_4_kb_stream_gives_the_same_frames() {
    for line_end in ["\n", "\r", "\r\n"] {
        let text = sample(line_end);
        let whole = sse(&text);
        assert!(whole.len() > 60 && text.len() >= 4_000);
        for at in 0..=text.len() {
            let (head, tail) = text.split_at(at);
            assert_eq!(read(Framing::Sse, &[head, tail]).unwrap(), whole, "{line_end:?} at {at}");
        }
        for size in [1, 2, 3, 7, 64] {
            let pieces: Vec<&[u8]> = text.chunks(size).collect();
            assert_eq!(read(Framing::Sse, &pieces).unwrap(), whole, "{line_end:?} in pieces of {size}");
        }
    }
    let lines = sample("\n");
    let whole = read(Framing::Lines, &[&lines]).unwrap();
    for at in 0..=lines.len() {
        let (head, tail) = lines.split_at(at);
        assert_eq!(read(Framing::Lines, &[head, tail]).unwrap(), whole, "lines at {at}");
    }
}

#[test]
fn every_pair_of_split_points_of_a_small_stream_gives_the_same_frames() {
    for line_end in ["\n", "\r", "\r\n"] {
        let text =
            "\u{feff}event: é\ndata: 🦀\n: c\ndata:b\n\ndata: x\n\n\ndata: [DONE]".replace('\n', line_end);
        let text = text.as_bytes();
        let whole = sse(text);
        assert_eq!(payloads(&whole), ["🦀\nb", "x", "[DONE]"]);
        for first in 0..=text.len() {
            for second in first..=text.len() {
                let pieces = [&text[..first], &text[first..second], &text[second..]];
                assert_eq!(
                    read(Framing::Sse, &pieces).unwrap(),
                    whole,
                    "{line_end:?} at {first} and {second}"
                );
            }
        }
    }
}
