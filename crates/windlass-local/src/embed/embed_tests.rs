//! A tiny encoder with weights of our own making; that the arithmetic is the original's, the command's tests hold
//! against vectors of the reference implementation.

use std::collections::HashMap;
use std::fs;

use candle_core::{Device, Tensor};
use serde_json::json;

use super::*;

const HIDDEN: usize = 8;
const WORDS: [&str; 6] = ["[PAD]", "[UNK]", "anchor", "rope", "sail", "wind"];

/// Weights that look random and are the same each time.
fn weights(seed: u32) -> HashMap<String, Tensor> {
    let mut state = seed;
    let mut tensor = |shape: &[usize]| {
        let numbers: Vec<f32> = (0..shape.iter().product())
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                f32::from((state >> 20) as u16) / 2_048.0 - 1.0
            })
            .collect();
        Tensor::from_vec(numbers, shape, &Device::Cpu).unwrap()
    };
    let mut all = HashMap::new();
    for (name, rows) in [("word", WORDS.len()), ("position", 300), ("token_type", 2)] {
        all.insert(format!("embeddings.{name}_embeddings.weight"), tensor(&[rows, HIDDEN]));
    }
    let layer = "encoder.layer.0";
    for (name, rows, columns) in [
        ("attention.self.query", HIDDEN, HIDDEN),
        ("attention.self.key", HIDDEN, HIDDEN),
        ("attention.self.value", HIDDEN, HIDDEN),
        ("attention.output.dense", HIDDEN, HIDDEN),
        ("intermediate.dense", 16, HIDDEN),
        ("output.dense", HIDDEN, 16),
    ] {
        all.insert(format!("{layer}.{name}.weight"), tensor(&[rows, columns]));
        all.insert(format!("{layer}.{name}.bias"), tensor(&[rows]));
    }
    for name in [
        "embeddings.LayerNorm",
        &format!("{layer}.attention.output.LayerNorm"),
        &format!("{layer}.output.LayerNorm"),
    ] {
        all.insert(format!("{name}.weight"), tensor(&[HIDDEN]));
        all.insert(format!("{name}.bias"), tensor(&[HIDDEN]));
    }
    all
}

fn folder(seed: u32) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let config = json!({
        "model_type": "bert", "vocab_size": WORDS.len(), "hidden_size": HIDDEN, "num_hidden_layers": 1,
        "num_attention_heads": 2, "intermediate_size": 16, "hidden_act": "gelu", "hidden_dropout_prob": 0.1,
        "max_position_embeddings": 300, "type_vocab_size": 2, "initializer_range": 0.02,
        "layer_norm_eps": 1e-12, "pad_token_id": 0,
    });
    let vocab: HashMap<&str, usize> = WORDS.iter().enumerate().map(|(at, word)| (*word, at)).collect();
    // As published files of tokenizers are: cut short and padded to a fixed length.
    let tokenizer = json!({
        "version": "1.0", "added_tokens": [], "normalizer": {"type": "Lowercase"},
        "truncation": {"direction": "Right", "max_length": 4, "strategy": "LongestFirst", "stride": 0},
        "padding": {"strategy": {"Fixed": 4}, "direction": "Right", "pad_to_multiple_of": null, "pad_id": 0,
            "pad_type_id": 0, "pad_token": "[PAD]"},
        "pre_tokenizer": {"type": "Whitespace"}, "post_processor": null, "decoder": null,
        "model": {"type": "WordLevel", "vocab": vocab, "unk_token": "[UNK]"},
    });
    fs::write(folder.path().join("config.json"), config.to_string()).unwrap();
    fs::write(folder.path().join("tokenizer.json"), tokenizer.to_string()).unwrap();
    candle_core::safetensors::save(&weights(seed), folder.path().join("model.safetensors")).unwrap();
    folder
}

fn near(one: &[f32], two: &[f32]) -> bool {
    one.len() == two.len() && one.iter().zip(two).all(|(a, b)| (a - b).abs() < 1e-4)
}

#[test]
fn a_vector_does_not_depend_on_what_else_is_in_the_batch() {
    let folder = folder(1);
    let encoder = FolderEmbedder::open(folder.path()).unwrap();
    let texts = ["anchor", "rope sail wind rope anchor wind sail", "Sail rope", "rope sail"];
    let together = encoder.encode(&texts).unwrap();
    for (text, vector) in texts.iter().zip(&together) {
        assert_eq!(vector.len(), HIDDEN);
        assert!((vector.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-4);
        assert!(near(&encoder.encode(&[text]).unwrap()[0], vector), "{text}");
    }
    assert!(!near(&together[0], &together[1]) && !near(&together[2], &together[3]));
    assert!(encoder.encode(&[]).unwrap().is_empty());
}

#[test]
fn long_texts_are_cut_at_the_encoders_own_length_and_not_at_that_of_the_file() {
    let folder = folder(1);
    let encoder = FolderEmbedder::open(folder.path()).unwrap();
    let words = |count: usize| {
        ["anchor", "rope", "wind"].iter().cycle().take(count).copied().collect::<Vec<_>>().join(" ")
    };
    let vectors =
        encoder.encode(&[&words(TOKENS_MAX), &words(TOKENS_MAX + 40), &words(20), &words(4)]).unwrap();
    assert!(near(&vectors[0], &vectors[1]));
    assert!(!near(&vectors[2], &vectors[3]));
}

#[test]
fn batches_hold_so_many_tokens_and_at_least_one_text() {
    let rows: Vec<Vec<u32>> = [10, 10, 20, 3_000, 5_000].iter().map(|length| vec![0; *length]).collect();
    let rows: Vec<(usize, &Vec<u32>)> = rows.iter().enumerate().collect();
    let mut rest = rows.as_slice();
    let mut sizes = Vec::new();
    while let Some((batch, after)) = split_batch(rest) {
        sizes.push(batch.len());
        rest = after;
    }
    assert_eq!(sizes, [3, 1, 1]);
}

#[test]
fn another_encoder_has_another_name() {
    let name = |folder: &tempfile::TempDir| FolderEmbedder::open(folder.path()).unwrap().name().to_owned();
    let folder = folder(1);
    let before = name(&folder);
    assert_eq!(before, name(&folder));
    candle_core::safetensors::save(&weights(2), folder.path().join("model.safetensors")).unwrap();
    assert_ne!(before, name(&folder));
}

#[test]
fn the_first_token_is_taken_where_the_folder_says_so() {
    let folder = folder(1);
    let mean = FolderEmbedder::open(folder.path()).unwrap().encode(&["rope sail"]).unwrap();
    fs::create_dir(folder.path().join("1_Pooling")).unwrap();
    let say = |text: &str| fs::write(folder.path().join("1_Pooling/config.json"), text).unwrap();
    say("{\"pooling_mode_cls_token\": true, \"pooling_mode_mean_tokens\": false}");
    let first = FolderEmbedder::open(folder.path()).unwrap().encode(&["rope sail"]).unwrap();
    assert!(!near(&mean[0], &first[0]));
    say("{\"pooling_mode_max_tokens\": true}");
    assert!(FolderEmbedder::open(folder.path()).unwrap_err().0.contains("pooling"));
}

#[test]
fn what_is_missing_or_wrong_is_said_with_its_file() {
    let nowhere = FolderEmbedder::open(Path::new("/nowhere/at/all")).unwrap_err();
    assert!(nowhere.0.contains("/nowhere/at/all") && nowhere.0.contains("model.safetensors"), "{nowhere}");
    for name in ["config.json", "tokenizer.json", "model.safetensors"] {
        let folder = folder(1);
        fs::remove_file(folder.path().join(name)).unwrap();
        let failure = FolderEmbedder::open(folder.path()).unwrap_err();
        assert!(failure.0.contains(&format!("has no {name}")), "{failure}");
    }
    let told = |name: &str, text: &str| {
        let folder = folder(1);
        fs::write(folder.path().join(name), text).unwrap();
        let said = FolderEmbedder::open(folder.path()).and_then(|encoder| encoder.encode(&["rope"]));
        said.unwrap_err().0
    };
    assert!(told("config.json", "{").contains("config.json cannot be used: it is no JSON"));
    assert!(told("config.json", "{\"model_type\": \"qwen2\"}").contains("'qwen2'"));
    assert!(told("tokenizer.json", "{}").contains("tokenizer.json cannot be used"));
    assert!(told("model.safetensors", "no weights").contains("no safetensors file"));
}

#[test]
fn weights_of_another_shape_do_not_fit() {
    let folder = folder(1);
    let mut fewer = weights(1);
    fewer.remove("encoder.layer.0.output.dense.bias");
    candle_core::safetensors::save(&fewer, folder.path().join("model.safetensors")).unwrap();
    let failure = FolderEmbedder::open(folder.path()).unwrap().encode(&["rope"]).unwrap_err();
    assert!(failure.0.contains("does not fit config.json"), "{failure}");
}
