//! Signatures: the typed inputs and outputs of a module.

use serde::{Deserialize, Serialize};

/// The inputs and outputs of a module, in their order.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Signature {
    /// What it takes.
    pub inputs: Vec<Field>,
    /// What it gives.
    pub outputs: Vec<Field>,
}

/// One input or output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// What it is, for the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What it holds.
    #[serde(default)]
    pub field_type: FieldType,
}

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldType {
    /// Text.
    #[default]
    String,
    /// A whole number.
    Integer,
    /// Any number.
    Number,
    /// True or false.
    Boolean,
    /// A list.
    Array,
    /// An object.
    Object,
    /// Any JSON; may be null or left out.
    Json,
}
