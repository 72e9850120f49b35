use std::io::Cursor;
use std::path::Path;

use candle_core::DType;
use candle_core::quantized::{GgmlDType, gguf_file};
use candle_nn::VarBuilder;
use candle_transformers::models::{
    llama, mistral, quantized_llama, quantized_qwen2, quantized_qwen3, qwen2, qwen3,
};

use super::shape::{ModelFamily, RopeScaling};
use super::*;
use crate::tiny::{CONTEXT, Tiny};

const PROMPT: [u32; 9] = [65, 3, 200, 17, 270, 5, 99, 256, 31];
const NEXT: [u32; 3] = [8, 120, 44];

fn file_of(tiny: &Tiny) -> ModelFile {
    ModelFile::of_program(tiny.gguf().leak()).unwrap()
}

fn decoder_of(file: &ModelFile) -> LoadedDecoder {
    LoadedDecoder::load(file, CONTEXT, &Device::Cpu).unwrap()
}

fn read_one(decoder: &LoadedDecoder, cache: &mut KvCache, tokens: &[u32]) -> Vec<f32> {
    let mut readings = [SessionInput { cache, tokens, wants_scores: true }];
    decoder.read(&mut readings).unwrap().remove(0).unwrap()
}

/// Numbers that are rounded to a few bits on their way may be rounded differently here and there: then the scores
/// agree on the whole, and none is far off.
fn assert_alike(ours: &[Vec<f32>], theirs: &[Vec<f32>], what: &str) {
    for (ours, theirs) in ours.iter().zip(theirs) {
        let apart: Vec<f32> = ours.iter().zip(theirs).map(|(a, b)| (a - b).abs()).collect();
        let widest = ours.iter().map(|score| score.abs()).fold(0.0, f32::max);
        let (mean, most) =
            (apart.iter().sum::<f32>() / apart.len() as f32, apart.iter().copied().fold(0.0, f32::max));
        assert!(mean < 0.01 * widest && most < 0.04 * widest, "{what}: {mean} and {most} of {widest} apart");
    }
}

/// Our scores after the prompt and after each of three tokens.
fn ours(decoder: &LoadedDecoder) -> Vec<Vec<f32>> {
    let mut cache = decoder.cache().unwrap();
    let mut all = vec![read_one(decoder, &mut cache, &PROMPT)];
    all.extend(NEXT.iter().map(|token| read_one(decoder, &mut cache, &[*token])));
    all
}

/// Candle's own: a function of tokens and their offset.
fn theirs(mut forward: impl FnMut(&Tensor, usize) -> candle_core::Result<Tensor>) -> Vec<Vec<f32>> {
    let mut score = |tokens: &[u32], offset: usize| {
        let tokens = Tensor::new(tokens, &Device::Cpu).unwrap().unsqueeze(0).unwrap();
        let scores = forward(&tokens, offset).unwrap().to_dtype(DType::F32).unwrap().flatten_all().unwrap();
        scores.to_vec1::<f32>().unwrap()
    };
    let mut all = vec![score(&PROMPT, 0)];
    all.extend((PROMPT.len()..).zip(NEXT).map(|(at, token)| score(&[token], at)));
    all
}

fn assert_close(ours: &[Vec<f32>], theirs: &[Vec<f32>], what: &str) {
    assert_eq!(ours.len(), theirs.len());
    for (at, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
        assert_eq!(ours.len(), theirs.len(), "{what}");
        let apart = ours.iter().zip(theirs).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(apart < 1e-3, "{what}: scores {at} are {apart} apart");
        let widest = ours.iter().map(|score| score.abs()).fold(0.0, f32::max);
        assert!(widest > 0.1, "{what}: scores {at} say nothing");
    }
}

fn theirs_of_gguf(tiny: &Tiny) -> Vec<Vec<f32>> {
    let bytes = tiny.gguf();
    let mut reader = Cursor::new(bytes);
    let content = gguf_file::Content::read(&mut reader).unwrap();
    let device = Device::Cpu;
    match tiny.family {
        ModelFamily::Qwen2 => {
            let mut model = quantized_qwen2::ModelWeights::from_gguf(content, &mut reader, &device).unwrap();
            theirs(|tokens, offset| model.forward(tokens, offset))
        }
        ModelFamily::Qwen3 => {
            let mut model = quantized_qwen3::ModelWeights::from_gguf(content, &mut reader, &device).unwrap();
            theirs(|tokens, offset| model.forward(tokens, offset))
        }
        ModelFamily::Llama | ModelFamily::Mistral => {
            let mut model = quantized_llama::ModelWeights::from_gguf(content, &mut reader, &device).unwrap();
            theirs(|tokens, offset| model.forward(tokens, offset))
        }
    }
}

#[test]
fn scores_of_gguf_files_are_those_of_candles_own_models() {
    for family in [ModelFamily::Qwen2, ModelFamily::Qwen3, ModelFamily::Llama, ModelFamily::Mistral] {
        for tiny in [Tiny::new(family, GgmlDType::F32), Tiny::wide(family, GgmlDType::F32)] {
            let what = format!("{} {}", family.word(), tiny.hidden);
            assert_close(&ours(&decoder_of(&file_of(&tiny))), &theirs_of_gguf(&tiny), &what);
        }
        // Rows are rounded by scales of more bits than candle's; where they are wide, it rounds them roughly for Q8_0.
        let rounded = [Tiny::new(family, GgmlDType::Q8_0), Tiny::new(family, GgmlDType::Q4_0)];
        for tiny in rounded.into_iter().chain([Tiny::wide(family, GgmlDType::Q4_0)]) {
            let what = format!("{} rounded, {}", family.word(), tiny.hidden);
            assert_alike(&ours(&decoder_of(&file_of(&tiny))), &theirs_of_gguf(&tiny), &what);
        }
    }
}

#[test]
fn scores_of_k_quants_are_those_of_candles_own_models() {
    for dtype in [GgmlDType::Q4K, GgmlDType::Q6K, GgmlDType::Q5K] {
        let tiny = Tiny::wide(ModelFamily::Qwen2, dtype);
        let what = format!("{dtype:?}");
        assert_alike(&ours(&decoder_of(&file_of(&tiny))), &theirs_of_gguf(&tiny), &what);
    }
}

#[test]
fn a_head_that_is_the_embedding_again_is_found() {
    let tiny = Tiny { is_tied: true, ..Tiny::new(ModelFamily::Qwen2, GgmlDType::F32) };
    assert_close(&ours(&decoder_of(&file_of(&tiny))), &theirs_of_gguf(&tiny), "tied");
}

fn folder_of(tiny: &Tiny, folder: &Path) -> ModelFile {
    tiny.write_folder(folder);
    ModelFile::open(folder).unwrap()
}

fn theirs_of_folder(tiny: &Tiny) -> Vec<Vec<f32>> {
    let tensors = tiny.tensors().into_iter().map(|(_, name, tensor)| (name, tensor)).collect();
    let weights = VarBuilder::from_tensors(tensors, DType::F32, &Device::Cpu);
    // Theirs sees the token at the very edge of a window too.
    let window = tiny.window.map(|window| window - 1);
    let config = Tiny { window, ..tiny.clone() }.config();
    match tiny.family {
        ModelFamily::Qwen2 => {
            let mut config = config;
            config["sliding_window"] = CONTEXT.into();
            let config: qwen2::Config = serde_json::from_value(config).unwrap();
            let mut model = qwen2::ModelForCausalLM::new(&config, weights).unwrap();
            theirs(|tokens, offset| model.forward(tokens, offset))
        }
        ModelFamily::Qwen3 => {
            let config: qwen3::Config = serde_json::from_value(config).unwrap();
            let mut model = qwen3::ModelForCausalLM::new(&config, weights).unwrap();
            theirs(|tokens, offset| model.forward(tokens, offset))
        }
        ModelFamily::Llama => {
            let config: llama::LlamaConfig = serde_json::from_value(config).unwrap();
            let config = config.into_config(false);
            let mut cache = llama::Cache::new(true, DType::F32, &config, &Device::Cpu).unwrap();
            let model = llama::Llama::load(weights, &config).unwrap();
            theirs(|tokens, offset| model.forward(tokens, offset, &mut cache))
        }
        ModelFamily::Mistral => {
            let config: mistral::Config = serde_json::from_value(config).unwrap();
            let mut model = mistral::Model::new(&config, weights).unwrap();
            theirs(|tokens, offset| model.forward(tokens, offset))
        }
    }
}

#[test]
fn scores_of_safetensors_are_those_of_candles_own_models() {
    for family in [ModelFamily::Qwen2, ModelFamily::Qwen3, ModelFamily::Llama, ModelFamily::Mistral] {
        let tiny = Tiny::new(family, GgmlDType::F32);
        let folder = tempfile::tempdir().unwrap();
        let decoder = decoder_of(&folder_of(&tiny, folder.path()));
        assert_close(&ours(&decoder), &theirs_of_folder(&tiny), family.word());
    }
}

#[test]
fn a_window_hides_what_is_older_in_reading_and_in_writing() {
    let tiny = Tiny { window: Some(4), ..Tiny::new(ModelFamily::Mistral, GgmlDType::F32) };
    let folder = tempfile::tempdir().unwrap();
    let decoder = decoder_of(&folder_of(&tiny, folder.path()));
    let all = ours(&decoder);
    assert_close(&all[..1], &theirs_of_folder(&tiny)[..1], "a window while reading");
    // Written one by one or read in one piece: the same.
    let mut cache = decoder.cache().unwrap();
    let whole: Vec<u32> = PROMPT.iter().chain(&NEXT).copied().collect();
    let read = read_one(&decoder, &mut cache, &whole);
    assert_close(&all[3..], &[read], "a window while writing");
}

#[test]
fn a_window_as_wide_as_the_context_hides_nothing() {
    let narrow = Tiny { window: Some(CONTEXT), ..Tiny::new(ModelFamily::Mistral, GgmlDType::F32) };
    let open = Tiny::new(ModelFamily::Mistral, GgmlDType::F32);
    let folder = tempfile::tempdir().unwrap();
    let all = ours(&decoder_of(&folder_of(&open, folder.path())));
    let folder = tempfile::tempdir().unwrap();
    assert_close(
        &ours(&decoder_of(&folder_of(&narrow, folder.path()))),
        &all,
        "a window as wide as the context",
    );
}

#[test]
fn two_sessions_in_one_computation_score_as_they_do_alone() {
    for dtype in [GgmlDType::F32, GgmlDType::Q8_0] {
        for family in [ModelFamily::Qwen2, ModelFamily::Llama] {
            let decoder = decoder_of(&file_of(&Tiny::wide(family, dtype)));
            let (mut first, mut second) = (decoder.cache().unwrap(), decoder.cache().unwrap());
            let alone = [
                read_one(&decoder, &mut decoder.cache().unwrap(), &PROMPT),
                read_one(&decoder, &mut decoder.cache().unwrap(), &PROMPT[..4]),
            ];
            let mut readings = [
                SessionInput { cache: &mut first, tokens: &PROMPT, wants_scores: true },
                SessionInput { cache: &mut second, tokens: &PROMPT[..4], wants_scores: true },
            ];
            let both: Vec<Vec<f32>> = decoder.read(&mut readings).unwrap().into_iter().flatten().collect();
            assert_close(&both, &alone, "together");
            let next = [read_one(&decoder, &mut first, &NEXT), read_one(&decoder, &mut second, &NEXT)];
            let mut third = decoder.cache().unwrap();
            read_one(&decoder, &mut third, &PROMPT);
            assert_close(&next[..1], &[read_one(&decoder, &mut third, &NEXT)], "afterwards");
        }
    }
}

#[test]
fn a_copy_of_a_beginning_reads_on_as_the_whole_does() {
    let decoder = decoder_of(&file_of(&Tiny::new(ModelFamily::Qwen3, GgmlDType::Q8_0)));
    let mut whole = decoder.cache().unwrap();
    read_one(&decoder, &mut whole, &PROMPT);
    let mut fork = whole.fork(4).unwrap();
    assert_eq!(fork.len(), 4);
    let scores = read_one(&decoder, &mut fork, &PROMPT[4..]);
    let mut cut = whole;
    cut.truncate(4);
    assert_close(&[scores], &[read_one(&decoder, &mut cut, &PROMPT[4..])], "fork");
}

#[test]
fn a_long_past_is_moved_when_its_room_is_used_up() {
    let decoder = decoder_of(&file_of(&Tiny::new(ModelFamily::Llama, GgmlDType::F32)));
    let tokens: Vec<u32> = (0..400).map(|at| at % 250).collect();
    let mut in_pieces = decoder.cache().unwrap();
    let pieces: Vec<Vec<f32>> =
        tokens.chunks(50).map(|piece| read_one(&decoder, &mut in_pieces, piece)).collect();
    let mut at_once = decoder.cache().unwrap();
    let scores = read_one(&decoder, &mut at_once, &tokens);
    assert_close(&pieces[7..], &[scores], "pieces");
    assert!(in_pieces.bytes() >= 400 * 2 * 2 * 2 * 16 * 4);
}

#[test]
fn the_scaling_of_llama_3_1_is_that_of_candles_own_model() {
    let tiny = Tiny { is_scaled: true, ..Tiny::new(ModelFamily::Llama, GgmlDType::F32) };
    let folder = tempfile::tempdir().unwrap();
    let file = folder_of(&tiny, folder.path());
    assert!(matches!(file.shape().rope.scaling, RopeScaling::Llama3 { .. }));
    assert_close(&ours(&decoder_of(&file)), &theirs_of_folder(&tiny), "scaled");
}

#[test]
fn a_token_beyond_the_vocabulary_is_refused() {
    let decoder = decoder_of(&file_of(&Tiny::new(ModelFamily::Qwen2, GgmlDType::Q8_0)));
    let mut cache = decoder.cache().unwrap();
    let mut readings = [SessionInput { cache: &mut cache, tokens: &[4_000_000], wants_scores: true }];
    assert!(decoder.read(&mut readings).is_err());
}
