//! The encoder itself: tokens in, one vector of length 1 for each text out.

use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;
use tokenizers::{Tokenizer, TruncationParams};
use windlass_core::ports::search::embed::EmbedFailure;

use super::TOKENS_MAX;
use super::bert::Bert;
use super::folder::{Folder, Pooling};
use crate::device;
use crate::tokens::parse_tokenizer;

/// A model with its tokenizer.
pub(super) struct Encoder {
    model: Bert,
    tokenizer: Tokenizer,
    pooling: Pooling,
    padding: u32,
    device: Device,
}

impl Encoder {
    pub(super) fn load(folder: &Folder) -> Result<Self, EmbedFailure> {
        let device = device::best();
        let weights = |why: &str| folder.wrong("model.safetensors", why);
        let builder = VarBuilder::from_buffered_safetensors(folder.read_weights()?, DType::F32, &device);
        let builder = builder.map_err(|error| weights(&format!("it is no safetensors file: {error}")))?;
        let model = Bert::load(&builder, &folder.config)
            .map_err(|error| weights(&format!("it does not fit config.json: {error}")))?;
        let tokenizer = read_tokenizer(folder)?;
        let padding = u32::try_from(folder.config.pad_token_id).unwrap_or_default();
        Ok(Self { model, tokenizer, pooling: folder.pooling, padding, device })
    }

    /// The tokens of each text, at most [`TOKENS_MAX`].
    pub(super) fn tokens(&self, texts: &[&str]) -> Result<Vec<Vec<u32>>, EmbedFailure> {
        let encoded = self.tokenizer.encode_batch_fast(texts.to_vec(), true);
        let encoded =
            encoded.map_err(|error| EmbedFailure(format!("a text cannot be cut into tokens: {error}")))?;
        Ok(encoded.iter().map(|encoding| encoding.get_ids().to_vec()).collect())
    }

    /// The vectors of one batch.
    pub(super) fn forward(&self, rows: &[&[u32]]) -> Result<Vec<Vec<f32>>, EmbedFailure> {
        self.compute(rows).map_err(|error| EmbedFailure(format!("the encoder could not compute: {error}")))
    }

    fn compute(&self, rows: &[&[u32]]) -> candle_core::Result<Vec<Vec<f32>>> {
        let width = rows.iter().map(|row| row.len()).max().unwrap_or_default().max(1);
        let shape = (rows.len(), width);
        let padded = |row: &&[u32]| {
            row.iter().copied().chain(std::iter::repeat(self.padding)).take(width).collect::<Vec<_>>()
        };
        let masked = |row: &&[u32]| {
            (0..width).map(|at| if at < row.len() { 1.0_f32 } else { 0.0 }).collect::<Vec<_>>()
        };
        let ids = Tensor::from_vec(rows.iter().flat_map(padded).collect::<Vec<u32>>(), shape, &self.device)?;
        let mask = Tensor::from_vec(rows.iter().flat_map(masked).collect::<Vec<f32>>(), shape, &self.device)?;
        let hidden = self.model.forward(&ids, &mask)?;
        let pooled = match self.pooling {
            Pooling::First => hidden.narrow(1, 0, 1)?.squeeze(1)?,
            Pooling::Mean => {
                let mask = mask.unsqueeze(2)?;
                hidden.broadcast_mul(&mask)?.sum(1)?.broadcast_div(&mask.sum(1)?)?
            }
        };
        let lengths = pooled.sqr()?.sum_keepdim(1)?.sqrt()?;
        pooled.broadcast_div(&lengths)?.to_vec2()
    }
}

/// Files of tokenizers come with a truncation and a fixed padding of their own, which are those of some training run.
fn read_tokenizer(folder: &Folder) -> Result<Tokenizer, EmbedFailure> {
    let wrong = |error: tokenizers::Error| folder.wrong("tokenizer.json", &error.to_string());
    let text = folder.read("tokenizer.json")?;
    let mut tokenizer = parse_tokenizer(&text).map_err(|why| folder.wrong("tokenizer.json", &why))?;
    let max_length = TOKENS_MAX.min(folder.config.max_position_embeddings);
    tokenizer
        .with_truncation(Some(TruncationParams { max_length, ..TruncationParams::default() }))
        .map_err(wrong)?
        .with_padding(None);
    let words = tokenizer.get_vocab_size(true);
    if words > folder.config.vocab_size {
        let why = format!("it has {words} tokens, and the model knows {}", folder.config.vocab_size);
        return Err(folder.wrong("tokenizer.json", &why));
    }
    Ok(tokenizer)
}
