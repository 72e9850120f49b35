//! A model in a folder of safetensors: config.json, tokenizer files, and the weights in one file or several.
//!
//! Knows the names that Hugging Face gives; the decoder knows none of them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use candle_core::safetensors::SliceSafetensors;
use candle_core::{DType, Device, Tensor};
use serde::Deserialize;
use serde_json::Value;

use super::bounded::{has_values_at_most, read_json};
use super::mapped::Bytes;
use crate::decoder::shape::{
    LayerWeight, ModelFamily, ModelShape, RopeLayout, RopeScaling, RopeShape, WeightName,
};
use crate::error::LocalError;

#[derive(Debug)]
pub(crate) struct FolderFiles {
    path: PathBuf,
    files: Vec<(PathBuf, Bytes)>,
    config: FolderConfig,
    shape: ModelShape,
}

/// What is used of config.json.
#[derive(Debug, Deserialize)]
struct FolderConfig {
    #[serde(default)]
    model_type: String,
    hidden_size: usize,
    intermediate_size: usize,
    num_hidden_layers: usize,
    num_attention_heads: usize,
    num_key_value_heads: Option<usize>,
    head_dim: Option<usize>,
    vocab_size: usize,
    rms_norm_eps: f64,
    #[serde(default = "theta_of_old")]
    rope_theta: f64,
    rope_scaling: Option<Value>,
    max_position_embeddings: usize,
    sliding_window: Option<usize>,
    use_sliding_window: Option<bool>,
    torch_dtype: Option<String>,
    eos_token_id: Option<Value>,
}

fn theta_of_old() -> f64 {
    10_000.0
}

impl FolderFiles {
    /// Reads configuration and headers; the weights stay in their files.
    pub(crate) fn open(path: &Path) -> Result<Self, LocalError> {
        let damaged = |file: PathBuf, message: String| LocalError::Damaged { path: file, message };
        let config_path = path.join("config.json");
        let text = read_json(&config_path).map_err(|_| LocalError::NotAModel {
            path: path.into(),
            message: "the folder has no config.json".to_owned(),
        })?;
        let value: Value =
            serde_json::from_str(&text).map_err(|error| damaged(config_path.clone(), error.to_string()))?;
        let model_type = value.get("model_type").and_then(Value::as_str).unwrap_or_default().to_owned();
        let family = ModelFamily::of(&model_type)
            .ok_or_else(|| LocalError::Architecture { path: path.into(), found: model_type })?;
        let config: FolderConfig =
            serde_json::from_value(value).map_err(|error| damaged(config_path.clone(), error.to_string()))?;
        let shape = shape_of(family, &config);
        if let Some(fault) = shape.fault() {
            return Err(damaged(config_path, fault));
        }
        let mut files = Vec::new();
        for file in weight_files(path)? {
            let bytes = Bytes::of_file(&file)?;
            check_header(&file, bytes.as_slice())?;
            files.push((file, bytes));
        }
        Ok(Self { path: path.into(), files, config, shape })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn shape(&self) -> &ModelShape {
        &self.shape
    }

    pub(crate) fn file_bytes(&self) -> usize {
        self.files.iter().map(|(_, bytes)| bytes.as_slice().len()).sum()
    }

    pub(crate) fn quantisation(&self) -> String {
        self.config.torch_dtype.clone().unwrap_or_else(|| "dense".to_owned())
    }

    pub(crate) fn architecture(&self) -> &str {
        &self.config.model_type
    }

    /// Tokens that end an answer, as the configuration says.
    pub(crate) fn stops(&self) -> Vec<u32> {
        let from_file =
            self.json("generation_config.json").and_then(|value| value.get("eos_token_id").cloned());
        let value = from_file.or_else(|| self.config.eos_token_id.clone()).unwrap_or_default();
        let number = |value: &Value| value.as_u64().and_then(|number| u32::try_from(number).ok());
        match &value {
            Value::Array(items) => items.iter().filter_map(number).collect(),
            other => number(other).into_iter().collect(),
        }
    }

    /// A file of the folder as text.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        read_json(&self.path.join(name)).ok()
    }

    /// A file of the folder as JSON.
    pub(crate) fn json(&self, name: &str) -> Option<Value> {
        serde_json::from_str(&self.text(name)?).ok()
    }

    /// How many numbers all tensors have.
    pub(crate) fn parameters(&self) -> u64 {
        let mut count = 0_u64;
        for (_, bytes) in &self.files {
            let Ok(tensors) = SliceSafetensors::new(bytes.as_slice()) else { continue };
            for (_, view) in tensors.tensors() {
                let numbers: usize = view.shape().iter().product();
                count = count.saturating_add(u64::try_from(numbers).unwrap_or(u64::MAX));
            }
        }
        count
    }

    /// A tensor as 32-bit floats, if a file has it.
    pub(crate) fn tensor(
        &self,
        weight: WeightName,
        size: (usize, usize),
        device: &Device,
    ) -> Result<Option<Tensor>, LocalError> {
        let name = name_of(weight);
        let expected: &[usize] = if size.0 == 1 { &[size.1] } else { &[size.0, size.1] };
        for (file, bytes) in &self.files {
            let damaged = |message: String| LocalError::Damaged { path: file.clone(), message };
            let tensors =
                SliceSafetensors::new(bytes.as_slice()).map_err(|error| damaged(error.to_string()))?;
            let Ok(view) = tensors.get(&name) else { continue };
            if view.shape() != expected {
                return Err(damaged(format!("'{name}' is {:?} and should be {expected:?}", view.shape())));
            }
            let tensor = tensors.load(&name, device).and_then(|tensor| tensor.to_dtype(DType::F32));
            return tensor.map(Some).map_err(|error| damaged(format!("'{name}': {error}")));
        }
        Ok(None)
    }
}

/// Files of weights: the largest models come in a few hundred.
const WEIGHT_FILES_MAX: usize = 1_000;
/// Header of one of them: those of the largest files are a few hundred kilobytes.
const HEADER_BYTES_MAX: u64 = 4 << 20;
/// Values of that header.
const HEADER_VALUES_MAX: usize = 1_000_000;

fn weight_files(path: &Path) -> Result<Vec<PathBuf>, LocalError> {
    let unreadable =
        |error: std::io::Error| LocalError::Unreadable { path: path.into(), message: error.to_string() };
    let index = read_json(&path.join("model.safetensors.index.json")).ok();
    let index = index.and_then(|text| serde_json::from_str::<Value>(&text).ok());
    let listed = index.as_ref().and_then(|index| index.get("weight_map")).and_then(Value::as_object);
    let mut files: Vec<PathBuf> = match listed {
        // Only names of this folder: an index must not reach out of it.
        Some(map) => {
            let names = map.values().filter_map(Value::as_str);
            names.filter_map(|name| Path::new(name).file_name()).map(|name| path.join(name)).collect()
        }
        None => std::fs::read_dir(path)
            .map_err(unreadable)?
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|file| file.extension().is_some_and(|extension| extension == "safetensors"))
            .collect(),
    };
    files.sort();
    files.dedup();
    if files.len() > WEIGHT_FILES_MAX {
        let message = format!("the folder has more than {WEIGHT_FILES_MAX} .safetensors files");
        return Err(LocalError::NotAModel { path: path.into(), message });
    }
    if files.is_empty() {
        let message = "the folder has no .safetensors file".to_owned();
        return Err(LocalError::NotAModel { path: path.into(), message });
    }
    Ok(files)
}

/// What is read of a header that the library refused.
#[derive(Deserialize)]
struct TensorPlace {
    data_offsets: (u64, u64),
}

/// Refuses a header that would take more memory than a model's does, and tells a file that was cut from one that is wrong.
fn check_header(file: &Path, bytes: &[u8]) -> Result<(), LocalError> {
    let damaged = |message: String| LocalError::Damaged { path: file.into(), message };
    let length = bytes.first_chunk::<8>().map_or(0, |length| u64::from_le_bytes(*length));
    let header_end = usize::try_from(length.saturating_add(8)).unwrap_or(usize::MAX);
    let header = bytes.get(8..header_end);
    let is_modest = header.is_none_or(|header| has_values_at_most(header, HEADER_VALUES_MAX));
    if length > HEADER_BYTES_MAX || !is_modest {
        return Err(damaged(format!("its header says that it has {length} bytes, more than any model's")));
    }
    let Err(error) = SliceSafetensors::new(bytes) else { return Ok(()) };
    let tensors: Option<BTreeMap<String, TensorPlace>> =
        header.and_then(|header| serde_json::from_slice(header).ok());
    let last = tensors.iter().flatten().map(|(_, tensor)| tensor.data_offsets.1).max();
    let needed_bytes = length.saturating_add(8).saturating_add(last.unwrap_or(0));
    let found_bytes = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    Err(if needed_bytes > found_bytes && needed_bytes < 1 << 40 {
        LocalError::Truncated { path: file.into(), found_bytes, needed_bytes }
    } else {
        damaged(error.to_string())
    })
}

fn shape_of(family: ModelFamily, config: &FolderConfig) -> ModelShape {
    let (scaling, original) = scaling_of(config.rope_scaling.as_ref());
    let heads = config.num_attention_heads;
    ModelShape {
        family,
        layers: config.num_hidden_layers,
        hidden: config.hidden_size,
        feed_forward: config.intermediate_size,
        heads,
        kv_heads: config.num_key_value_heads.unwrap_or(heads),
        head_size: config.head_dim.or_else(|| config.hidden_size.checked_div(heads)).unwrap_or(0),
        vocabulary: config.vocab_size,
        norm_epsilon: config.rms_norm_eps,
        rope: RopeShape { theta: config.rope_theta, layout: RopeLayout::Halves, scaling },
        context_tokens: original
            .unwrap_or(config.max_position_embeddings)
            .min(config.max_position_embeddings),
        window_tokens: config.sliding_window.filter(|_| match family {
            ModelFamily::Mistral => config.use_sliding_window.unwrap_or(true),
            ModelFamily::Qwen2 | ModelFamily::Qwen3 | ModelFamily::Llama => {
                config.use_sliding_window.unwrap_or(false)
            }
        }),
    }
}

/// The scaling, and the context it leaves where it is of a kind that is not done here.
fn scaling_of(scaling: Option<&Value>) -> (RopeScaling, Option<usize>) {
    let Some(scaling) = scaling.filter(|scaling| scaling.is_object()) else {
        return (RopeScaling::None, None);
    };
    let number = |key: &str| scaling.get(key).and_then(Value::as_f64);
    let kind = scaling.get("rope_type").or_else(|| scaling.get("type")).and_then(Value::as_str);
    let original = scaling.get("original_max_position_embeddings").and_then(Value::as_u64);
    let original = original.and_then(|tokens| usize::try_from(tokens).ok());
    match (kind, number("factor")) {
        (Some("linear"), Some(factor)) if factor >= 1.0 => (RopeScaling::Linear(factor), None),
        (Some("llama3"), Some(factor)) => {
            let (low, high) = (number("low_freq_factor"), number("high_freq_factor"));
            let original_tokens = number("original_max_position_embeddings");
            match (low, high, original_tokens) {
                (Some(low), Some(high), Some(original_tokens)) if high > low => {
                    (RopeScaling::Llama3 { factor, low, high, original_tokens }, None)
                }
                _ => (RopeScaling::None, original),
            }
        }
        (Some("default") | None, _) => (RopeScaling::None, None),
        _ => (RopeScaling::None, original),
    }
}

fn name_of(weight: WeightName) -> String {
    let (layer, weight) = match weight {
        WeightName::Embedding => return "model.embed_tokens.weight".to_owned(),
        WeightName::LastNorm => return "model.norm.weight".to_owned(),
        WeightName::Head => return "lm_head.weight".to_owned(),
        WeightName::Layer(layer, weight) => (layer, weight),
    };
    let name = match weight {
        LayerWeight::AttentionNorm => "input_layernorm.weight",
        LayerWeight::Query => "self_attn.q_proj.weight",
        LayerWeight::Key => "self_attn.k_proj.weight",
        LayerWeight::Value => "self_attn.v_proj.weight",
        LayerWeight::QueryBias => "self_attn.q_proj.bias",
        LayerWeight::KeyBias => "self_attn.k_proj.bias",
        LayerWeight::ValueBias => "self_attn.v_proj.bias",
        LayerWeight::QueryNorm => "self_attn.q_norm.weight",
        LayerWeight::KeyNorm => "self_attn.k_norm.weight",
        LayerWeight::Output => "self_attn.o_proj.weight",
        LayerWeight::FeedForwardNorm => "post_attention_layernorm.weight",
        LayerWeight::Gate => "mlp.gate_proj.weight",
        LayerWeight::Up => "mlp.up_proj.weight",
        LayerWeight::Down => "mlp.down_proj.weight",
    };
    format!("model.layers.{layer}.{name}")
}
