#![no_main]
//! Answers of Gemini, made of arbitrary bytes.

use windlass_models::WireKind;

libfuzzer_sys::fuzz_target!(|input: &[u8]| windlass_fuzz::read_answer(WireKind::Gemini, input));
