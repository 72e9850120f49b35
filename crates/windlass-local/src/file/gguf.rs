//! A model in one GGUF file: its shape, its tensors by name, its metadata.
//!
//! Knows the names that llama.cpp gives; the decoder knows none of them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use candle_core::Device;
use candle_core::quantized::{GgmlDType, QTensor};

use super::header::{self, GgufHeader, HeaderFault, Meta, TensorEntry};
use super::mapped::{self, Bytes};
use crate::decoder::shape::{
    LayerWeight, ModelFamily, ModelShape, RopeLayout, RopeScaling, RopeShape, WeightName,
};
use crate::error::LocalError;

/// An open GGUF file.
#[derive(Debug)]
pub(crate) struct GgufFile {
    path: PathBuf,
    bytes: Arc<Bytes>,
    header: GgufHeader,
    shape: ModelShape,
}

impl GgufFile {
    /// Reads the header; the weights stay in the file.
    pub(crate) fn open(path: &Path, bytes: Bytes) -> Result<Self, LocalError> {
        let damaged = |message: String| LocalError::Damaged { path: path.into(), message };
        let found = bytes.as_slice().len();
        let header = header::read(bytes.as_slice()).map_err(|fault| match fault {
            HeaderFault::NotGguf => LocalError::NotAModel {
                path: path.into(),
                message: "it does not begin as a GGUF file does".to_owned(),
            },
            HeaderFault::Ends(needed) => truncated(path, found, needed),
            HeaderFault::Wrong(message) => damaged(message),
        })?;
        let shape = shape_of(path, &header, bytes.as_slice())?;
        if let Some(fault) = shape.fault() {
            return Err(damaged(fault));
        }
        let needed = header.tensors.values().map(|entry| entry.range.end).max().unwrap_or(0);
        if needed > found {
            return Err(truncated(path, found, needed));
        }
        Ok(Self { path: path.into(), bytes: Arc::new(bytes), header, shape })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn shape(&self) -> &ModelShape {
        &self.shape
    }

    pub(crate) fn meta(&self, key: &str) -> Option<&Meta> {
        self.header.meta.get(key)
    }

    pub(crate) fn file_bytes(&self) -> usize {
        self.bytes.as_slice().len()
    }

    /// All tensors, for counting.
    pub(crate) fn entries(&self) -> impl Iterator<Item = &TensorEntry> {
        self.header.tensors.values()
    }

    /// The same, and whether it is only looked up and never multiplied: the table of a model with a head of its own.
    pub(crate) fn entries_looked_up(&self) -> impl Iterator<Item = (&TensorEntry, bool)> {
        let has_head = self.header.tensors.contains_key(&name_of(WeightName::Head));
        let table = name_of(WeightName::Embedding);
        self.header.tensors.iter().map(move |(name, entry)| (entry, has_head && *name == table))
    }

    /// The quantisation that most bytes are in.
    pub(crate) fn quantisation(&self) -> String {
        let mut bytes_of: BTreeMap<String, usize> = BTreeMap::new();
        for entry in self.entries() {
            *bytes_of.entry(word_of(entry.dtype)).or_default() += entry.range.len();
        }
        bytes_of.into_iter().max_by_key(|(_, bytes)| *bytes).map(|(word, _)| word).unwrap_or_default()
    }

    /// A tensor, if the file has it.
    pub(crate) fn tensor(
        &self,
        weight: WeightName,
        size: (usize, usize),
        device: &Device,
    ) -> Result<Option<QTensor>, LocalError> {
        let name = name_of(weight);
        let Some(entry) = self.header.tensors.get(&name) else { return Ok(None) };
        let damaged = |message: String| LocalError::Damaged { path: self.path.clone(), message };
        let expected: &[usize] = if size.0 == 1 { &[size.1] } else { &[size.0, size.1] };
        if entry.shape != expected {
            return Err(damaged(format!("'{name}' is {:?} and should be {expected:?}", entry.shape)));
        }
        let tensor = mapped::tensor(&self.bytes, entry.range.clone(), entry.dtype, &entry.shape, device);
        let tensor = tensor.map_err(|error| damaged(format!("'{name}': {error}")))?;
        tensor.map(Some).ok_or_else(|| damaged(format!("'{name}' does not lie where numbers may")))
    }
}

fn truncated(path: &Path, found: usize, needed: usize) -> LocalError {
    let count = |bytes: usize| u64::try_from(bytes).unwrap_or(u64::MAX);
    LocalError::Truncated { path: path.into(), found_bytes: count(found), needed_bytes: count(needed) }
}

fn word_of(dtype: GgmlDType) -> String {
    let word = format!("{dtype:?}");
    match word.strip_suffix('K') {
        Some(stem) => format!("{stem}_K"),
        None => word,
    }
}

fn name_of(weight: WeightName) -> String {
    let (layer, weight) = match weight {
        WeightName::Embedding => return "token_embd.weight".to_owned(),
        WeightName::LastNorm => return "output_norm.weight".to_owned(),
        WeightName::Head => return "output.weight".to_owned(),
        WeightName::Layer(layer, weight) => (layer, weight),
    };
    let name = match weight {
        LayerWeight::AttentionNorm => "attn_norm.weight",
        LayerWeight::Query => "attn_q.weight",
        LayerWeight::Key => "attn_k.weight",
        LayerWeight::Value => "attn_v.weight",
        LayerWeight::QueryBias => "attn_q.bias",
        LayerWeight::KeyBias => "attn_k.bias",
        LayerWeight::ValueBias => "attn_v.bias",
        LayerWeight::QueryNorm => "attn_q_norm.weight",
        LayerWeight::KeyNorm => "attn_k_norm.weight",
        LayerWeight::Output => "attn_output.weight",
        LayerWeight::FeedForwardNorm => "ffn_norm.weight",
        LayerWeight::Gate => "ffn_gate.weight",
        LayerWeight::Up => "ffn_up.weight",
        LayerWeight::Down => "ffn_down.weight",
    };
    format!("blk.{layer}.{name}")
}

fn shape_of(path: &Path, header: &GgufHeader, bytes: &[u8]) -> Result<ModelShape, LocalError> {
    let damaged = |message: String| LocalError::Damaged { path: path.into(), message };
    let architecture = header.meta.get("general.architecture").and_then(Meta::as_text);
    let architecture =
        architecture.ok_or_else(|| damaged("it does not say which architecture it is".to_owned()))?;
    let unknown = || LocalError::Architecture { path: path.into(), found: architecture.to_owned() };
    let family = ModelFamily::of(architecture).ok_or_else(unknown)?;
    let meta = |key: &str| header.meta.get(&format!("{architecture}.{key}"));
    if meta("expert_count").and_then(Meta::as_usize).is_some_and(|experts| experts > 0) {
        return Err(LocalError::Architecture {
            path: path.into(),
            found: format!("{architecture} with experts"),
        });
    }
    let number = |key: &str| {
        meta(key).and_then(Meta::as_usize).ok_or_else(|| damaged(format!("it does not say its {key}")))
    };
    let (hidden, heads) = (number("embedding_length")?, number("attention.head_count")?);
    let embedding = header.tensors.get("token_embd.weight").and_then(|entry| entry.shape.first());
    let vocabulary =
        *embedding.ok_or_else(|| damaged("it has no embedding 'token_embd.weight'".to_owned()))?;
    let head_size = meta("attention.key_length").and_then(Meta::as_usize);
    let head_size = head_size.or_else(|| hidden.checked_div(heads)).unwrap_or(0);
    let epsilon = meta("attention.layer_norm_rms_epsilon").and_then(Meta::as_f64);
    let mut shape = ModelShape {
        family,
        layers: number("block_count")?,
        hidden,
        feed_forward: number("feed_forward_length")?,
        heads,
        kv_heads: meta("attention.head_count_kv").and_then(Meta::as_usize).unwrap_or(heads),
        head_size,
        vocabulary,
        norm_epsilon: epsilon.ok_or_else(|| damaged("it does not say its norm's epsilon".to_owned()))?,
        rope: RopeShape {
            theta: meta("rope.freq_base").and_then(Meta::as_f64).unwrap_or(10_000.0),
            layout: match family {
                ModelFamily::Qwen2 | ModelFamily::Qwen3 => RopeLayout::Halves,
                ModelFamily::Llama | ModelFamily::Mistral => RopeLayout::Pairs,
            },
            scaling: RopeScaling::None,
        },
        context_tokens: number("context_length")?,
        window_tokens: match family {
            ModelFamily::Llama | ModelFamily::Mistral => {
                meta("attention.sliding_window").and_then(Meta::as_usize)
            }
            ModelFamily::Qwen2 | ModelFamily::Qwen3 => None,
        },
    };
    scale(&mut shape, &meta);
    if let Some(divisors) = divisors_of(header, bytes, shape.head_size) {
        shape.rope.scaling = RopeScaling::Divisors(divisors);
    }
    Ok(shape)
}

/// Scaling that is not done here shortens the context to what the model was trained for instead.
fn scale<'a>(shape: &mut ModelShape, meta: &impl Fn(&str) -> Option<&'a Meta>) {
    let factor = meta("rope.scaling.factor").and_then(Meta::as_f64);
    match meta("rope.scaling.type").and_then(Meta::as_text) {
        Some("linear") => {
            if let Some(factor) = factor.filter(|factor| factor.is_finite() && *factor >= 1.0) {
                shape.rope.scaling = RopeScaling::Linear(factor);
            }
        }
        Some("none") | None => {}
        Some(_) => {
            let original = meta("rope.scaling.original_context_length").and_then(Meta::as_usize);
            shape.context_tokens = original.unwrap_or(shape.context_tokens).min(shape.context_tokens);
        }
    }
}

/// How llama.cpp writes the scaling of Llama 3.1: a divisor for every rotation.
fn divisors_of(header: &GgufHeader, bytes: &[u8], head_size: usize) -> Option<Vec<f32>> {
    let entry = header.tensors.get("rope_freqs.weight")?;
    if entry.dtype != GgmlDType::F32 || entry.shape != [head_size / 2] {
        return None;
    }
    let raw = bytes.get(entry.range.clone())?;
    let divisors: Vec<f32> =
        raw.chunks_exact(4).filter_map(|chunk| chunk.try_into().ok()).map(f32::from_le_bytes).collect();
    divisors.iter().all(|divisor| divisor.is_finite() && *divisor > 0.0).then_some(divisors)
}
