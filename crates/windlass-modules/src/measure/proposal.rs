//! Other instructions for a module, asked of a model by a module of our own.

use serde_json::{Map, Value, json};

use super::tally::Measured;
use crate::module::{Module, ModuleOrigin, Predictor};
use crate::signature::{Field, FieldType, Signature};

/// The name of the module that proposes instructions.
pub const PROPOSER: &str = "windlass.propose_instruction";

/// Cases that went wrong and are shown to whoever proposes.
const MISSES_MAX: usize = 5;

/// The module that proposes instructions.
pub fn proposer() -> Module {
    let field = |name: &str, about: &str, field_type| Field {
        name: name.to_owned(),
        description: Some(about.to_owned()),
        field_type,
    };
    Module {
        module_id: PROPOSER.to_owned(),
        predictor: Predictor::Predict,
        signature_name: String::new(),
        signature: Signature {
            inputs: vec![
                field("instruction", "The instruction as it is", FieldType::String),
                field("signature", "The inputs and outputs it is for", FieldType::Object),
                field("misses", "Cases that went wrong with it, and why", FieldType::Array),
                field("earlier", "Instructions that were proposed before", FieldType::Array),
            ],
            outputs: vec![field("instruction", "The better instruction, whole", FieldType::String)],
        },
        instruction: "You improve the instruction of a program that turns inputs into outputs with a language model. Read \
                      what went wrong, find what the instruction leaves open or says badly, and write a whole new \
                      instruction: clear, general, and as short as it can be. Do not put the answers of single cases into \
                      it, and do not repeat an earlier proposal."
            .to_owned(),
        demos: Vec::new(),
        tool_enabled: false,
        tools: None,
        metadata: ModuleOrigin { optimizer: "built_in".to_owned(), version: "1".to_owned(), ..ModuleOrigin::default() },
    }
}

/// What the module that proposes is given.
pub fn proposal_inputs(module: &Module, measured: &[Measured], earlier: &[String]) -> Map<String, Value> {
    let misses = measured.iter().filter(|case| !case.is_passed).take(MISSES_MAX);
    let misses: Vec<Value> = misses.map(|case| json!({"outputs": case.outputs, "why": case.why})).collect();
    let signature = serde_json::to_value(&module.signature).unwrap_or_default();
    let mut given = Map::new();
    given.insert("instruction".into(), module.instruction.clone().into());
    given.insert("signature".into(), signature);
    given.insert("misses".into(), misses.into());
    given.insert("earlier".into(), earlier.to_vec().into());
    given
}

/// The instruction that was proposed, unless it is none or the one that there is.
pub fn read_proposal(module: &Module, outputs: &Map<String, Value>) -> Option<String> {
    let text = outputs.get("instruction")?.as_str()?.trim();
    (!text.is_empty() && text != module.instruction.trim()).then(|| text.to_owned())
}

#[cfg(test)]
#[path = "proposal_tests.rs"]
mod tests;
