//! The network of a BERT-class encoder: tokens in, one vector for each token out.
//!
//! Knows no files and no tokenizer. That the arithmetic is the original's, the tests hold against an independent
//! implementation and against vectors of the reference.

use candle_core::{Result, Tensor};
use candle_nn::{
    Activation, Embedding, LayerNorm, Linear, Module as _, VarBuilder, embedding, layer_norm, linear,
};
use serde::Deserialize;

/// What is added to the score of a token that is padding: nothing is left of it behind the softmax.
const MASKED: f64 = -1e9;

/// The part of `config.json` that the network depends on.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct BertConfig {
    pub(super) vocab_size: usize,
    hidden_size: usize,
    num_hidden_layers: usize,
    num_attention_heads: usize,
    intermediate_size: usize,
    hidden_act: Activation,
    pub(super) max_position_embeddings: usize,
    #[serde(default = "two")]
    type_vocab_size: usize,
    #[serde(default = "tiny")]
    layer_norm_eps: f64,
    #[serde(default)]
    pub(super) pad_token_id: usize,
}

fn two() -> usize {
    2
}

fn tiny() -> f64 {
    1e-12
}

pub(super) struct Bert {
    words: Embedding,
    positions: Embedding,
    kinds: Embedding,
    norm: LayerNorm,
    layers: Vec<BertLayer>,
}

impl Bert {
    /// Takes the weights; some files have all of them below `bert`.
    pub(super) fn load(weights: &VarBuilder<'_>, config: &BertConfig) -> Result<Self> {
        let inner = weights.pp("bert");
        let weights =
            if inner.contains_tensor("embeddings.word_embeddings.weight") { &inner } else { weights };
        let tables = weights.pp("embeddings");
        let width = config.hidden_size;
        let layers = (0..config.num_hidden_layers)
            .map(|number| BertLayer::load(&weights.pp(format!("encoder.layer.{number}")), config));
        Ok(Self {
            words: embedding(config.vocab_size, width, tables.pp("word_embeddings"))?,
            positions: embedding(config.max_position_embeddings, width, tables.pp("position_embeddings"))?,
            kinds: embedding(config.type_vocab_size, width, tables.pp("token_type_embeddings"))?,
            norm: layer_norm(width, config.layer_norm_eps, tables.pp("LayerNorm"))?,
            layers: layers.collect::<Result<_>>()?,
        })
    }

    /// The vectors of all tokens of a batch; `mask` is 1 where there is a token and 0 where there is padding.
    pub(super) fn forward(&self, ids: &Tensor, mask: &Tensor) -> Result<Tensor> {
        let (_, length) = ids.dims2()?;
        let places = Tensor::arange(0, u32::try_from(length).unwrap_or(u32::MAX), ids.device())?;
        let words = self.words.forward(ids)?;
        // One text each: all tokens are of the first kind.
        let known = (words + self.kinds.forward(&ids.zeros_like()?)?)?;
        let placed = known.broadcast_add(&self.positions.forward(&places)?.unsqueeze(0)?)?;
        let hidden = self.norm.forward(&placed)?;
        // 1 becomes 0 and 0 becomes MASKED, for every head and every asking token.
        let hindrance = mask.affine(-MASKED, MASKED)?.unsqueeze(1)?.unsqueeze(1)?;
        self.layers.iter().try_fold(hidden, |hidden, layer| layer.forward(&hidden, &hindrance))
    }
}

struct BertLayer {
    query: Linear,
    key: Linear,
    value: Linear,
    attended: Linear,
    attended_norm: LayerNorm,
    wide: Linear,
    activation: Activation,
    narrow: Linear,
    narrow_norm: LayerNorm,
    heads: usize,
}

impl BertLayer {
    fn load(weights: &VarBuilder<'_>, config: &BertConfig) -> Result<Self> {
        let (width, wide, eps) = (config.hidden_size, config.intermediate_size, config.layer_norm_eps);
        let attention = weights.pp("attention");
        let own = |name: &str| linear(width, width, attention.pp(name));
        Ok(Self {
            query: own("self.query")?,
            key: own("self.key")?,
            value: own("self.value")?,
            attended: own("output.dense")?,
            attended_norm: layer_norm(width, eps, attention.pp("output.LayerNorm"))?,
            wide: linear(width, wide, weights.pp("intermediate.dense"))?,
            activation: config.hidden_act,
            narrow: linear(wide, width, weights.pp("output.dense"))?,
            narrow_norm: layer_norm(width, eps, weights.pp("output.LayerNorm"))?,
            heads: config.num_attention_heads.max(1),
        })
    }

    fn forward(&self, hidden: &Tensor, hindrance: &Tensor) -> Result<Tensor> {
        let attended = self.attended.forward(&self.attend(hidden, hindrance)?)?;
        let hidden = self.attended_norm.forward(&(attended + hidden)?)?;
        let wide = self.activation.forward(&self.wide.forward(&hidden)?)?;
        self.narrow_norm.forward(&(self.narrow.forward(&wide)? + hidden)?)
    }

    fn attend(&self, hidden: &Tensor, hindrance: &Tensor) -> Result<Tensor> {
        let (rows, length, width) = hidden.dims3()?;
        let head_width = width / self.heads;
        let split = |side: &Linear| {
            side.forward(hidden)?
                .reshape((rows, length, self.heads, head_width))?
                .transpose(1, 2)?
                .contiguous()
        };
        let (query, key, value) = (split(&self.query)?, split(&self.key)?, split(&self.value)?);
        #[expect(clippy::cast_precision_loss, reason = "heads are a few dozen numbers wide")]
        let scale = 1.0 / (head_width as f64).sqrt();
        let scores = (query.matmul(&key.t()?)? * scale)?.broadcast_add(hindrance)?;
        let shares = candle_nn::ops::softmax_last_dim(&scores)?;
        shares.matmul(&value)?.transpose(1, 2)?.reshape((rows, length, width))
    }
}

#[cfg(test)]
#[path = "bert_tests.rs"]
mod tests;
