#![no_main]
//! However a text is split, the calls in its tags are the same, and no more comes out than went in.

use windlass_core::calls::assemble::Assembler;
use windlass_core::protocol::message::text_of;
use windlass_core::protocol::model::{Finish, ModelDelta};
use windlass_core::protocol::tool::RawCall;
use windlass_models::tags::{RunTag, TagReader};

fn read(pieces: &[&str]) -> (String, Vec<RawCall>) {
    let mut reader = TagReader::new(RunTag::named("tool_call"));
    let mut out = Vec::new();
    for piece in pieces {
        reader.push(ModelDelta::Text((*piece).to_owned()), &mut out);
    }
    reader.push(ModelDelta::Finish(Finish::Stop), &mut out);
    reader.end(&mut out);
    let mut assembler = Assembler::new("fuzz/model");
    for delta in out {
        assembler.push(delta);
    }
    let step = assembler.finish();
    let calls = step.calls.into_iter().map(|call| RawCall { after_parts: 0, ..call }).collect();
    (text_of(&step.parts), calls)
}

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let text = String::from_utf8_lossy(input);
    let whole = read(&[&text]);
    let pieces: Vec<&str> = text.split_inclusive(|_| true).collect();
    assert_eq!(whole, read(&pieces));
    assert!(whole.0.len() <= text.len());
});
