//! The network beside an independent implementation of it.

use candle_core::{DType, Device, Tensor};
use candle_nn::VarMap;
use candle_transformers::models::bert::{BertModel, Config as OtherConfig};
use serde_json::{Value, json};

use super::*;

fn config(activation: &str) -> Value {
    json!({
        "vocab_size": 40, "hidden_size": 24, "num_hidden_layers": 3, "num_attention_heads": 4,
        "intermediate_size": 48, "hidden_act": activation, "hidden_dropout_prob": 0.1,
        "max_position_embeddings": 32, "type_vocab_size": 2, "initializer_range": 0.02,
        "layer_norm_eps": 1e-12, "pad_token_id": 0,
    })
}

#[test]
fn the_vectors_are_those_of_another_implementation() {
    for activation in ["gelu", "relu"] {
        let weights = VarMap::new();
        let builder = VarBuilder::from_varmap(&weights, DType::F32, &Device::Cpu);
        let ours = Bert::load(&builder, &serde_json::from_value(config(activation)).unwrap()).unwrap();
        let other: OtherConfig = serde_json::from_value(config(activation)).unwrap();
        let other = BertModel::load(builder, &other).unwrap();
        let ids = Tensor::new(&[[5_u32, 17, 39, 2, 8], [9, 9, 4, 0, 0]], &Device::Cpu).unwrap();
        let mask =
            Tensor::new(&[[1_f32, 1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 0.0, 0.0]], &Device::Cpu).unwrap();
        let ours = ours.forward(&ids, &mask).unwrap();
        let other = other.forward(&ids, &ids.zeros_like().unwrap(), Some(&mask)).unwrap();
        // Vectors of padding are nobody's.
        let apart = (ours - other).unwrap().broadcast_mul(&mask.unsqueeze(2).unwrap()).unwrap();
        let most = apart.abs().unwrap().flatten_all().unwrap().max(0).unwrap().to_scalar::<f32>().unwrap();
        assert!(most < 1e-5, "{activation}: {most}");
    }
}

#[test]
fn weights_below_a_prefix_are_found() {
    let weights = VarMap::new();
    let builder = VarBuilder::from_varmap(&weights, DType::F32, &Device::Cpu);
    let config: BertConfig = serde_json::from_value(config("gelu")).unwrap();
    Bert::load(&builder.pp("bert"), &config).unwrap();
    let named = weights.data().lock().unwrap().len();
    Bert::load(&builder, &config).unwrap();
    assert_eq!(weights.data().lock().unwrap().len(), named, "no weights beside those that there were");
}
