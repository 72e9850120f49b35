#![no_main]
//! However a text is split, the thinking and the answer in it are the same, and nothing but tags is lost.

use windlass_models::think::{Piece, ThinkSplitter};

fn read(opens_thinking: bool, pieces: &[&str]) -> (String, String) {
    let mut splitter = ThinkSplitter::new(opens_thinking);
    let mut out = Vec::new();
    for piece in pieces {
        splitter.push(piece, &mut out);
    }
    splitter.flush(&mut out);
    let mut read = (String::new(), String::new());
    for piece in out {
        match piece {
            Piece::Text(text) => read.0.push_str(&text),
            Piece::Reasoning(text) => read.1.push_str(&text),
        }
    }
    read
}

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let Some((choice, bytes)) = input.split_last() else { return };
    let opens_thinking = choice & 1 == 1;
    let text = String::from_utf8_lossy(bytes);
    let whole = read(opens_thinking, &[&text]);
    let pieces: Vec<&str> = text.split_inclusive(|_| true).collect();
    assert_eq!(whole, read(opens_thinking, &pieces));
    assert!(whole.0.len() + whole.1.len() <= text.len());
});
