//! The folder of an encoder: which files it must have, what they say, and what its vectors are called by.

use std::fs;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use windlass_core::ports::search::embed::EmbedFailure;

use super::bert::BertConfig;
use crate::file::{open_file, read_json};

/// Largest file of weights: encoders of this class have a tenth of it, and all of it is held in memory.
const WEIGHTS_BYTES_MAX: u64 = 4 << 30;
/// Pieces of the weights that their name is made of, spread over the file, and bytes of each.
const SAMPLES: u64 = 64;
const SAMPLE_BYTES: usize = 4 << 10;

/// How the vectors of tokens become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pooling {
    Mean,
    /// That of the first token.
    First,
}

/// A folder that was looked at.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    pub(super) config: BertConfig,
    pub(super) pooling: Pooling,
}

/// What a sentence encoder's folder says of pooling, where it says something.
#[derive(Deserialize)]
struct PoolingFile {
    #[serde(default)]
    pooling_mode_cls_token: bool,
    #[serde(default)]
    pooling_mode_mean_tokens: bool,
}

impl Folder {
    /// Checks that all files are there and that the model is one that can be run.
    pub(super) fn open(path: &Path) -> Result<Self, EmbedFailure> {
        let shown = path.display();
        if !path.is_dir() {
            return Err(EmbedFailure(format!("there is no folder {shown}: {NEEDED}")));
        }
        for name in ["config.json", "tokenizer.json", "model.safetensors"] {
            if !path.join(name).is_file() {
                return Err(EmbedFailure(format!("{shown} has no {name}: {NEEDED}")));
            }
        }
        let config = read_config(path)?;
        let pooling = read_pooling(path)?;
        let bytes = fs::metadata(path.join("model.safetensors")).map_or(0, |metadata| metadata.len());
        if bytes > WEIGHTS_BYTES_MAX {
            let most = WEIGHTS_BYTES_MAX >> 30;
            let text = format!("{shown}/model.safetensors is larger than {most} GiB: take a smaller encoder");
            return Err(EmbedFailure(text));
        }
        Ok(Self { path: path.to_owned(), config, pooling })
    }

    /// Reads a file of it that is text.
    pub(super) fn read(&self, name: &str) -> Result<Vec<u8>, EmbedFailure> {
        read_text(&self.path.join(name))
    }

    pub(super) fn read_weights(&self) -> Result<Vec<u8>, EmbedFailure> {
        read(&self.path.join("model.safetensors"), WEIGHTS_BYTES_MAX)
    }

    /// A failure of one of its files.
    pub(super) fn wrong(&self, name: &str, why: &str) -> EmbedFailure {
        wrong(&self.path.join(name), why)
    }

    /// The folder's own name and a sum over what its vectors depend on.
    pub(super) fn name(&self) -> Result<String, EmbedFailure> {
        let mut sum = 0xcbf2_9ce4_8422_2325;
        for name in ["config.json", "tokenizer.json"] {
            sum = add(sum, &self.read(name)?);
        }
        let path = self.path.join("model.safetensors");
        sum = add_samples(sum, &path).map_err(|error| wrong(&path, &error.to_string()))?;
        sum = add(sum, format!("{:?} {}", self.pooling, super::TOKENS_MAX).as_bytes());
        let whole = self.path.canonicalize().unwrap_or_else(|_| self.path.clone());
        let own = whole.file_name().map_or_else(|| "encoder".into(), |name| name.to_string_lossy());
        Ok(format!("{own}@{sum:016x}"))
    }
}

const NEEDED: &str = "a sentence encoder is a folder with config.json, tokenizer.json and model.safetensors, such as \
                      all-MiniLM-L6-v2";

fn wrong(path: &Path, why: &str) -> EmbedFailure {
    EmbedFailure(format!("{} cannot be used: {why}", path.display()))
}

fn read(path: &Path, bytes_max: u64) -> Result<Vec<u8>, EmbedFailure> {
    let file = open_file(path).map_err(|error| wrong(path, &error.to_string()))?;
    let mut bytes = Vec::new();
    file.take(bytes_max).read_to_end(&mut bytes).map_err(|error| wrong(path, &error.to_string()))?;
    Ok(bytes)
}

/// A text of JSON, no larger than the largest vocabularies.
fn read_text(path: &Path) -> Result<Vec<u8>, EmbedFailure> {
    read_json(path).map(String::into_bytes).map_err(|error| wrong(path, &error.to_string()))
}

fn read_config(folder: &Path) -> Result<BertConfig, EmbedFailure> {
    let path = folder.join("config.json");
    let bytes = read_text(&path)?;
    let fields: serde_json::Value =
        serde_json::from_slice(&bytes).map_err(|error| wrong(&path, &format!("it is no JSON: {error}")))?;
    let kind = fields.get("model_type").and_then(serde_json::Value::as_str).unwrap_or("bert");
    if kind != "bert" {
        return Err(wrong(
            &path,
            &format!("it describes a model of the kind '{kind}'; only 'bert' can be run"),
        ));
    }
    serde_json::from_value(fields).map_err(|error| wrong(&path, &error.to_string()))
}

fn read_pooling(folder: &Path) -> Result<Pooling, EmbedFailure> {
    let path = folder.join("1_Pooling").join("config.json");
    if !path.is_file() {
        return Ok(Pooling::Mean);
    }
    let said: PoolingFile =
        serde_json::from_slice(&read_text(&path)?).map_err(|error| wrong(&path, &error.to_string()))?;
    match (said.pooling_mode_mean_tokens, said.pooling_mode_cls_token) {
        (true, _) => Ok(Pooling::Mean),
        (false, true) => Ok(Pooling::First),
        (false, false) => {
            Err(wrong(&path, "it asks for a pooling other than that of the mean or the first token"))
        }
    }
}

/// Reading all of the weights for their name would cost more than using them.
fn add_samples(mut sum: u64, path: &Path) -> std::io::Result<u64> {
    let mut file = open_file(path)?;
    let length = file.metadata()?.len();
    sum = add(sum, &length.to_le_bytes());
    let mut piece = vec![0; SAMPLE_BYTES];
    for sample in 0..SAMPLES {
        file.seek(SeekFrom::Start(length / SAMPLES * sample))?;
        let count = file.read(&mut piece)?;
        sum = add(sum, piece.get(..count).unwrap_or_default());
    }
    Ok(sum)
}

fn add(sum: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(sum, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
