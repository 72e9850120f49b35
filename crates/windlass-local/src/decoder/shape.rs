//! What a model looks like: the differences between the Llama-like families as numbers and switches.
//!
//! Knows no file format; files fill it in, the decoder obeys it.

/// A family of models that share one way of computing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ModelFamily {
    /// Qwen2 and 2.5: biases on queries, keys and values.
    Qwen2,
    /// Qwen3: queries and keys are normalised.
    Qwen3,
    /// Llama 3, SmolLM and their many relatives.
    Llama,
    /// Mistral: Llama with a window, sometimes.
    Mistral,
}

impl ModelFamily {
    /// The family of an architecture's name in a file.
    pub(crate) fn of(architecture: &str) -> Option<Self> {
        match architecture {
            "qwen2" => Some(ModelFamily::Qwen2),
            "qwen3" => Some(ModelFamily::Qwen3),
            "llama" | "smollm" => Some(ModelFamily::Llama),
            "mistral" => Some(ModelFamily::Mistral),
            _ => None,
        }
    }

    pub fn word(self) -> &'static str {
        match self {
            ModelFamily::Qwen2 => "qwen2",
            ModelFamily::Qwen3 => "qwen3",
            ModelFamily::Llama => "llama",
            ModelFamily::Mistral => "mistral",
        }
    }
}

/// Which numbers of a head are rotated together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RopeLayout {
    /// The first of the first half with the first of the second, and so on.
    Halves,
    /// Neighbours: how llama.cpp lays out the weights of the llama family.
    Pairs,
}

/// How positions beyond those of the training are reached.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum RopeScaling {
    None,
    /// All positions are divided.
    Linear(f64),
    /// Llama 3.1: slow rotations are slowed further, fast ones are left alone.
    Llama3 {
        factor: f64,
        low: f64,
        high: f64,
        original_tokens: f64,
    },
    /// The divisor of every rotation, as a file gives it.
    Divisors(Vec<f32>),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RopeShape {
    pub(crate) theta: f64,
    pub(crate) layout: RopeLayout,
    pub(crate) scaling: RopeScaling,
}

/// The numbers of a model.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ModelShape {
    pub(crate) family: ModelFamily,
    pub(crate) layers: usize,
    pub(crate) hidden: usize,
    pub(crate) feed_forward: usize,
    pub(crate) heads: usize,
    pub(crate) kv_heads: usize,
    pub(crate) head_size: usize,
    pub(crate) vocabulary: usize,
    pub(crate) norm_epsilon: f64,
    pub(crate) rope: RopeShape,
    /// What it was trained for.
    pub(crate) context_tokens: usize,
    /// How far back a token sees; everything when absent.
    pub(crate) window_tokens: Option<usize>,
}

/// No model has more of anything; a damaged file soon does.
const NUMBER_MAX: usize = 1 << 24;

impl ModelShape {
    /// What contradicts itself, if anything does.
    pub(crate) fn fault(&self) -> Option<String> {
        let numbers = [
            ("layers", self.layers),
            ("hidden size", self.hidden),
            ("feed-forward size", self.feed_forward),
            ("heads", self.heads),
            ("key heads", self.kv_heads),
            ("head size", self.head_size),
            ("vocabulary", self.vocabulary),
            ("context", self.context_tokens),
        ];
        if let Some((name, number)) = numbers.iter().find(|(_, number)| !(1..=NUMBER_MAX).contains(number)) {
            return Some(format!("its {name} is {number}"));
        }
        if !self.heads.is_multiple_of(self.kv_heads) {
            return Some(format!("{} heads do not share {} key heads evenly", self.heads, self.kv_heads));
        }
        if !self.head_size.is_multiple_of(2) {
            return Some(format!("its head size {} is odd", self.head_size));
        }
        let is_sound = self.norm_epsilon.is_finite() && self.rope.theta.is_finite() && self.rope.theta > 1.0;
        (!is_sound).then(|| "its norm or its rotation is no number".to_owned())
    }

    /// Bytes of the cache for one token: keys and values of all layers, as 32-bit floats.
    pub(crate) fn cache_bytes_of_token(&self) -> u64 {
        let numbers = 2 * self.layers * self.kv_heads * self.head_size;
        u64::try_from(numbers).unwrap_or(u64::MAX).saturating_mul(4)
    }

    /// The matrices of a layer with their rows and columns.
    pub(crate) fn size_of(&self, weight: LayerWeight) -> (usize, usize) {
        let (queries, keys) = (self.heads * self.head_size, self.kv_heads * self.head_size);
        match weight {
            LayerWeight::Query => (queries, self.hidden),
            LayerWeight::Key | LayerWeight::Value => (keys, self.hidden),
            LayerWeight::Output => (self.hidden, queries),
            LayerWeight::Gate | LayerWeight::Up => (self.feed_forward, self.hidden),
            LayerWeight::Down => (self.hidden, self.feed_forward),
            LayerWeight::QueryBias => (1, queries),
            LayerWeight::KeyBias | LayerWeight::ValueBias => (1, keys),
            LayerWeight::QueryNorm | LayerWeight::KeyNorm => (1, self.head_size),
            LayerWeight::AttentionNorm | LayerWeight::FeedForwardNorm => (1, self.hidden),
        }
    }
}

/// A tensor of a model, whatever its file calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WeightName {
    /// One row for every token.
    Embedding,
    /// The norm before the head.
    LastNorm,
    /// From the last layer to the tokens; often the embedding again.
    Head,
    Layer(usize, LayerWeight),
}

/// A tensor of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LayerWeight {
    AttentionNorm,
    Query,
    Key,
    Value,
    QueryBias,
    KeyBias,
    ValueBias,
    QueryNorm,
    KeyNorm,
    Output,
    FeedForwardNorm,
    Gate,
    Up,
    Down,
}
