#![no_main]
//! Answers of chat completions, made of arbitrary bytes.

use windlass_models::WireKind;

libfuzzer_sys::fuzz_target!(|input: &[u8]| windlass_fuzz::read_answer(WireKind::Chat, input));
