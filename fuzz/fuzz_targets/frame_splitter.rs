#![no_main]
//! However bytes are split, the frames are the same, and no more comes out than went in.

use windlass_models::frame::{FrameTooLong, Framing, Splitter};

type Frames = Vec<(Option<String>, String)>;

fn read<'a>(framing: Framing, pieces: impl Iterator<Item = &'a [u8]>) -> Frames {
    let mut frames = Frames::new();
    let mut splitter = Splitter::new(framing);
    let mut sink = |event: Option<&str>, data: &str| {
        frames.push((event.map(str::to_owned), data.to_owned()));
        Ok::<(), FrameTooLong>(())
    };
    for piece in pieces {
        splitter.push(piece, &mut sink).expect("no input is that long");
    }
    splitter.finish(&mut sink).expect("no input is that long");
    frames
}

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let Some((size, bytes)) = input.split_last() else { return };
    for framing in [Framing::Sse, Framing::Lines] {
        let whole = read(framing, std::iter::once(bytes));
        assert_eq!(whole, read(framing, bytes.chunks(usize::from(*size).max(1))));
        assert_eq!(whole, read(framing, bytes.chunks(1)));
        // A replacement character has three bytes.
        let weight: usize =
            whole.iter().map(|(event, data)| data.len() + event.as_ref().map_or(0, String::len)).sum();
        assert!(weight <= 3 * bytes.len());
    }
});
