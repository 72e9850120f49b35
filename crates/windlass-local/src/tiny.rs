//! Models of random weights for tests: every family, as GGUF and as a folder, small enough to make in a moment.

use std::collections::HashMap;
use std::io::Cursor;
use std::path::Path;

use candle_core::quantized::gguf_file::{self, Value};
use candle_core::quantized::{GgmlDType, QTensor};
use candle_core::{DType, Device, Tensor};
use serde_json::json;

use crate::decoder::shape::ModelFamily;

/// What a tiny model is.
#[derive(Debug, Clone)]
pub(crate) struct Tiny {
    pub(crate) family: ModelFamily,
    pub(crate) hidden: usize,
    pub(crate) feed_forward: usize,
    pub(crate) layers: usize,
    pub(crate) heads: usize,
    pub(crate) kv_heads: usize,
    pub(crate) dtype: GgmlDType,
    pub(crate) is_tied: bool,
    pub(crate) window: Option<usize>,
    /// Llama 3.1's scaling, in a folder.
    pub(crate) is_scaled: bool,
    pub(crate) template: Option<String>,
    pub(crate) architecture: String,
}

pub(crate) const CONTEXT: usize = 512;

impl Tiny {
    pub(crate) fn new(family: ModelFamily, dtype: GgmlDType) -> Self {
        Self {
            family,
            hidden: 64,
            feed_forward: 96,
            layers: 2,
            heads: 4,
            kv_heads: 2,
            dtype,
            is_tied: false,
            window: None,
            is_scaled: false,
            template: None,
            // llama.cpp knows Mistral as llama.
            architecture: match family {
                ModelFamily::Mistral => "llama".to_owned(),
                other => other.word().to_owned(),
            },
        }
    }

    /// Wide enough for the kernels that lay weights out anew.
    pub(crate) fn wide(family: ModelFamily, dtype: GgmlDType) -> Self {
        Self { hidden: 256, feed_forward: 512, ..Self::new(family, dtype) }
    }

    fn head(&self) -> usize {
        self.hidden / self.heads
    }

    /// All tensors: GGUF's name, Hugging Face's name, numbers.
    pub(crate) fn tensors(&self) -> Vec<(String, String, Tensor)> {
        let mut dice = Dice(7);
        let (hidden, keys, wide) = (self.hidden, self.kv_heads * self.head(), self.feed_forward);
        let vocabulary = vocabulary().len();
        let mut all = vec![
            both("token_embd.weight", "model.embed_tokens.weight", dice.matrix(vocabulary, hidden)),
            both("output_norm.weight", "model.norm.weight", dice.norm(hidden)),
        ];
        if !self.is_tied {
            // Reserved tokens score nothing: the best token never ends an answer.
            let plain = dice.matrix(vocabulary - RESERVED.len(), hidden);
            let reserved = Tensor::zeros((RESERVED.len(), hidden), DType::F32, &Device::Cpu).unwrap();
            let head = Tensor::cat(&[plain, reserved], 0).unwrap();
            all.push(both("output.weight", "lm_head.weight", head));
        }
        for layer in 0..self.layers {
            let mut add = |gguf: &str, other: &str, tensor: Tensor| {
                all.push((format!("blk.{layer}.{gguf}"), format!("model.layers.{layer}.{other}"), tensor));
            };
            add("attn_norm.weight", "input_layernorm.weight", dice.norm(hidden));
            add("attn_q.weight", "self_attn.q_proj.weight", dice.matrix(hidden, hidden));
            add("attn_k.weight", "self_attn.k_proj.weight", dice.matrix(keys, hidden));
            add("attn_v.weight", "self_attn.v_proj.weight", dice.matrix(keys, hidden));
            add("attn_output.weight", "self_attn.o_proj.weight", dice.matrix(hidden, hidden));
            add("ffn_norm.weight", "post_attention_layernorm.weight", dice.norm(hidden));
            add("ffn_gate.weight", "mlp.gate_proj.weight", dice.matrix(wide, hidden));
            add("ffn_up.weight", "mlp.up_proj.weight", dice.matrix(wide, hidden));
            add("ffn_down.weight", "mlp.down_proj.weight", dice.matrix(hidden, wide));
            match self.family {
                ModelFamily::Qwen2 => {
                    add("attn_q.bias", "self_attn.q_proj.bias", dice.vector(hidden));
                    add("attn_k.bias", "self_attn.k_proj.bias", dice.vector(keys));
                    add("attn_v.bias", "self_attn.v_proj.bias", dice.vector(keys));
                }
                ModelFamily::Qwen3 => {
                    add("attn_q_norm.weight", "self_attn.q_norm.weight", dice.norm(self.head()));
                    add("attn_k_norm.weight", "self_attn.k_norm.weight", dice.norm(self.head()));
                }
                ModelFamily::Llama | ModelFamily::Mistral => {}
            }
        }
        all
    }

    /// The model as the bytes of a GGUF file.
    pub(crate) fn gguf(&self) -> Vec<u8> {
        let tensors: Vec<(String, QTensor)> = self
            .tensors()
            .into_iter()
            .map(|(name, _, tensor)| {
                let dtype = if tensor.rank() == 1 { GgmlDType::F32 } else { self.dtype };
                (name, QTensor::quantize(&tensor, dtype).unwrap())
            })
            .collect();
        let tensors: Vec<(&str, &QTensor)> =
            tensors.iter().map(|(name, tensor)| (name.as_str(), tensor)).collect();
        let metadata = self.metadata();
        let metadata: Vec<(&str, &Value)> =
            metadata.iter().map(|(key, value)| (key.as_str(), value)).collect();
        let mut file = Cursor::new(Vec::new());
        gguf_file::write(&mut file, &metadata, &tensors).unwrap();
        file.into_inner()
    }

    fn metadata(&self) -> Vec<(String, Value)> {
        let number = |number: usize| Value::U32(u32::try_from(number).unwrap());
        let own = |key: &str| format!("{}.{key}", self.architecture);
        let texts = |texts: &[String]| Value::Array(texts.iter().cloned().map(Value::String).collect());
        let words = vocabulary();
        let kinds = words.iter().map(|word| Value::I32(if is_reserved(word) { 3 } else { 1 }));
        let end = words.iter().position(|word| word == "<|im_end|>").unwrap();
        let mut all = vec![
            ("general.architecture".to_owned(), Value::String(self.architecture.clone())),
            ("general.name".to_owned(), Value::String("tiny".to_owned())),
            // Candle's Qwen3 rotates in 16 bits unless it is told otherwise.
            ("general.dtype".to_owned(), Value::U32(0)),
            (own("block_count"), number(self.layers)),
            (own("context_length"), number(CONTEXT)),
            (own("embedding_length"), number(self.hidden)),
            (own("feed_forward_length"), number(self.feed_forward)),
            (own("attention.head_count"), number(self.heads)),
            (own("attention.head_count_kv"), number(self.kv_heads)),
            (own("attention.key_length"), number(self.head())),
            (own("attention.layer_norm_rms_epsilon"), Value::F32(1e-5)),
            (own("rope.dimension_count"), number(self.head())),
            (own("rope.freq_base"), Value::F32(10_000.0)),
            ("tokenizer.ggml.model".to_owned(), Value::String("gpt2".to_owned())),
            ("tokenizer.ggml.pre".to_owned(), Value::String("qwen2".to_owned())),
            ("tokenizer.ggml.tokens".to_owned(), texts(&words)),
            ("tokenizer.ggml.token_type".to_owned(), Value::Array(kinds.collect())),
            ("tokenizer.ggml.merges".to_owned(), texts(&merges())),
            ("tokenizer.ggml.eos_token_id".to_owned(), number(end)),
        ];
        if let Some(window) = self.window {
            all.push((own("attention.sliding_window"), number(window)));
        }
        if let Some(template) = &self.template {
            all.push(("tokenizer.chat_template".to_owned(), Value::String(template.clone())));
        }
        all
    }

    pub(crate) fn config(&self) -> serde_json::Value {
        json!({
            "model_type": self.family.word(),
            "hidden_size": self.hidden,
            "intermediate_size": self.feed_forward,
            "num_hidden_layers": self.layers,
            "num_attention_heads": self.heads,
            "num_key_value_heads": self.kv_heads,
            "head_dim": self.head(),
            "vocab_size": vocabulary().len(),
            "rms_norm_eps": 1e-5,
            "rope_theta": 10_000.0,
            "max_position_embeddings": CONTEXT,
            "sliding_window": self.window,
            "use_sliding_window": self.window.is_some(),
            "rope_scaling": self.is_scaled.then(|| json!({
                "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                "original_max_position_embeddings": 64,
            })),
            "torch_dtype": "float32",
            "hidden_act": "silu",
            "use_flash_attn": false,
            "tie_word_embeddings": false,
            "attention_bias": false,
            "max_window_layers": 0,
            "eos_token_id": [1],
        })
    }

    /// The model as a folder of safetensors.
    pub(crate) fn write_folder(&self, folder: &Path) {
        let config = self.config();
        std::fs::write(folder.join("config.json"), config.to_string()).unwrap();
        let tensors: HashMap<String, Tensor> =
            self.tensors().into_iter().map(|(_, name, tensor)| (name, tensor)).collect();
        candle_core::safetensors::save(&tensors, folder.join("model.safetensors")).unwrap();
        std::fs::write(folder.join("tokenizer.json"), tokenizer_json()).unwrap();
        let settings = json!({ "eos_token": { "content": "<|im_end|>" }, "chat_template": self.template });
        std::fs::write(folder.join("tokenizer_config.json"), settings.to_string()).unwrap();
    }
}

fn both(gguf: &str, other: &str, tensor: Tensor) -> (String, String, Tensor) {
    (gguf.to_owned(), other.to_owned(), tensor)
}

/// The letter of every byte, as byte-level tokens write it.
fn letters() -> Vec<String> {
    let is_own = |byte: u8| matches!(byte, 33..=126 | 161..=172 | 174..=255);
    let mut spare = 256_u32..;
    let letter = |byte: u8| {
        let code = if is_own(byte) { u32::from(byte) } else { spare.next().unwrap() };
        char::from_u32(code).unwrap().to_string()
    };
    (0..=255).map(letter).collect()
}

pub(crate) fn merges() -> Vec<String> {
    ["h e", "l l", "he ll", "hell o", "Ġ w", "o r", "Ġw or", "t o"].map(str::to_owned).to_vec()
}

const RESERVED: [&str; 24] = [
    "<|im_start|>",
    "<|im_end|>",
    "<|endoftext|>",
    "<tool_call>",
    "</tool_call>",
    "<answer>",
    "<|eot_id|>",
    "<|begin_of_text|>",
    "<|start_header_id|>",
    "<|end_header_id|>",
    "<|python_tag|>",
    "<s>",
    "</s>",
    "[INST]",
    "[/INST]",
    "[TOOL_CALLS]",
    "[AVAILABLE_TOOLS]",
    "[/AVAILABLE_TOOLS]",
    "[TOOL_RESULTS]",
    "[/TOOL_RESULTS]",
    "<tool_response>",
    "</tool_response>",
    "<think>",
    "</think>",
];

pub(crate) fn is_reserved(word: &str) -> bool {
    RESERVED.contains(&word)
}

/// 288 tokens: bytes, a few words, and the reserved tokens of all families.
pub(crate) fn vocabulary() -> Vec<String> {
    let merged = merges().into_iter().map(|merge| merge.replace(' ', ""));
    letters().into_iter().chain(merged).chain(RESERVED.map(str::to_owned)).collect()
}

fn tokenizer_json() -> String {
    let words = vocabulary();
    let plain = words.iter().enumerate().filter(|(_, word)| !is_reserved(word));
    let vocab: serde_json::Map<String, serde_json::Value> =
        plain.map(|(id, word)| (word.clone(), json!(id))).collect();
    let added: Vec<serde_json::Value> = words
        .iter()
        .enumerate()
        .filter(|(_, word)| is_reserved(word))
        .map(|(id, word)| {
            json!({ "id": id, "content": word, "single_word": false, "lstrip": false, "rstrip": false,
                    "normalized": false, "special": !word.starts_with("<tool") })
        })
        .collect();
    let merges: Vec<Vec<String>> =
        merges().iter().map(|merge| merge.split(' ').map(str::to_owned).collect()).collect();
    json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": added, "normalizer": null,
        "pre_tokenizer": { "type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true },
        "post_processor": null,
        "decoder": { "type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true },
        "model": { "type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": null,
                   "end_of_word_suffix": null, "fuse_unk": false, "byte_fallback": false, "ignore_merges": false,
                   "vocab": vocab, "merges": merges },
    })
    .to_string()
}

/// Numbers that are the same every time.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn numbers(&mut self, count: usize, scale: f32) -> Vec<f32> {
        (0..count).map(|_| ((self.next() >> 40) as f32 / (1 << 23) as f32 - 1.0) * scale).collect()
    }

    fn matrix(&mut self, rows: usize, columns: usize) -> Tensor {
        let scale = 2.0 / (columns as f32).sqrt();
        Tensor::from_vec(self.numbers(rows * columns, scale), (rows, columns), &Device::Cpu).unwrap()
    }

    fn vector(&mut self, length: usize) -> Tensor {
        Tensor::from_vec(self.numbers(length, 0.5), length, &Device::Cpu).unwrap()
    }

    fn norm(&mut self, length: usize) -> Tensor {
        (self.vector(length) + 1.0).unwrap()
    }
}
