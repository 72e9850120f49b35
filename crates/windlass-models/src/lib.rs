//! Model wires: any model people use, behind one port.
//!
//! A request goes `health` (is the history legal for this provider?) → `lower` (schemas and names in the
//! provider's dialect) → `wire/*/encode` → `transport` → `frame` → `wire/*/decode` → deltas. Encoders and
//! decoders are pure; `transport` alone speaks HTTP. Quirks of providers are data (`catalog`, `quirks`),
//! and what the doctor measured of an endpoint is laid over them. Knows no tools, sessions or permissions.

pub mod catalog;
pub mod doctor;
pub mod failure;
pub mod health;
pub mod limits;
pub mod lower;
pub mod name;
pub mod quirks;
pub mod target;
pub mod wire;

pub use name::ModelName;
pub use quirks::Quirks;
pub use target::{Abilities, AuthForm, Prices, Target, WireKind};
