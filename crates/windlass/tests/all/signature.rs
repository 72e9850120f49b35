//! `#[derive(Signature)]`: what it makes of a struct.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use windlass::dspy::{Field, FieldType, Signature, SignatureType};

use crate::shop::{Answering, folder};

#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
enum Mood {
    Glad,
    Sad,
}

/// Says how a text feels.
#[derive(Signature)]
#[signature(typed)]
struct Feeling {
    /// Some text,
    /// of any length.
    #[input]
    text: String,
    #[input(name = "words", description = "Words to look for")]
    known_words: Vec<String>,
    #[input]
    weight: Option<f64>,
    /// How it feels.
    #[output(kind = "string")]
    mood: Mood,
    #[output]
    points: u8,
    #[output]
    share: f32,
    #[output]
    is_sure: bool,
    #[output]
    counts: BTreeMap<String, u32>,
    #[output]
    r#type: Option<Value>,
}

#[test]
fn a_struct_declares_inputs_and_outputs_in_their_order() {
    let signature = Feeling::signature();
    assert_eq!(
        signature.inputs,
        [
            Field::new("text", FieldType::String).described("Some text,\nof any length."),
            Field::new("words", FieldType::Array).described("Words to look for"),
            Field::new("weight", FieldType::Json),
        ]
    );
    let kinds: Vec<_> =
        signature.outputs.iter().map(|field| (field.name.as_str(), field.field_type)).collect();
    assert_eq!(
        kinds,
        [
            ("mood", FieldType::String),
            ("points", FieldType::Integer),
            ("share", FieldType::Number),
            ("is_sure", FieldType::Boolean),
            ("counts", FieldType::Object),
            ("type", FieldType::Json),
        ]
    );
}

#[tokio::test]
async fn typed_inputs_go_in_and_typed_outputs_come_out() {
    let module = json!({"module_id": "feel", "signature_name": "feeling", "instruction": "Feel."});
    let folder = folder(&[("feel", module)]);
    let output = json!({"mood": "sad", "points": 3, "share": 0.5, "is_sure": true, "counts": {"rain": 2}});
    let model = Answering::outputs([output]);
    let mut signatures = windlass::dspy::SignatureRegistry::new();
    signatures.register::<Feeling>("feeling");
    let engine =
        windlass::dspy::ModuleEngine::new(folder.path(), std::sync::Arc::new(model.clone()), signatures)
            .unwrap();
    let inputs = FeelingInputs { text: "It rains.".into(), known_words: vec!["rain".into()], weight: None };
    let felt = engine.invoke_typed::<Feeling>("feel", &inputs).await.unwrap();
    assert_eq!((felt.mood, felt.points, felt.is_sure, felt.r#type), (Mood::Sad, 3, true, None));
    assert_eq!((felt.share, felt.counts["rain"]), (0.5, 2));
    assert!(model.inputs()[0].contains(r#"words: ["rain"]"#), "{:?}", model.inputs());

    // What no Rust type can be made of is said, with the field.
    let model = Answering::outputs([
        json!({"mood": "odd", "points": 3, "share": 0.5, "is_sure": true, "counts": {}}),
    ]);
    let mut signatures = windlass::dspy::SignatureRegistry::new();
    signatures.register::<Feeling>("feeling");
    let engine =
        windlass::dspy::ModuleEngine::new(folder.path(), std::sync::Arc::new(model), signatures).unwrap();
    let error = engine.invoke_typed_sync::<Feeling>("feel", &inputs).unwrap_err();
    assert!(error.to_string().contains("unknown variant `odd`"), "{error}");
}
