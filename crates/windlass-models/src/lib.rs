//! Model wires: any model people use, behind one port.
//!
//! A request goes `lower` (schemas and names in the provider's dialect) → `guard` (only wishes it takes) →
//! `health` (is the history legal for this provider?) → `wire/*/encode` → `transport` → `frame` →
//! `wire/*/decode` → deltas. Encoders and decoders are pure. Knows no tools, sessions or permissions.
//!
//! # Layout
//!
//! - `port`: a model at an endpoint as core's `ModelPort`; `request` prepares what is sent and keeps the
//!   written history between the steps of a run; `answer` reads what comes back, over `frame` and `think`
//! - `health`, `lower`, `guard`: what must hold of a history, of tools and of wishes before a provider takes them
//! - `wire`: one folder for each protocol (chat, messages, responses, gemini, ollama); `tags` gives calls to
//!   models whose wire has none
//! - `transport`: the only room that speaks to a network, over its own `http1`; time limits, waits, proxies
//! - `failure`: what went wrong, in words; `limits`: every bound with its reason
//! - `catalog`, `quirks`, `target`, `name`: who wants what, as data; `doctor` measures an endpoint, and what it
//!   finds is laid over the catalogue
//! - `embed`, `download`: sentence vectors and files over the same transport

mod answer;
pub mod catalog;
pub mod doctor;
pub mod download;
pub mod embed;
pub mod failure;
pub mod frame;
pub mod guard;
pub mod health;
pub mod limits;
#[cfg(test)]
#[path = "loopback_tests.rs"]
mod loopback;
pub mod lower;
pub mod name;
pub mod port;
pub mod quirks;
mod request;
pub mod tags;
pub mod target;
pub mod think;
pub mod transport;
pub mod wire;

pub use embed::{EmbedPatience, EndpointEmbedder};
pub use name::ModelName;
pub use port::WireModel;
pub use quirks::Quirks;
pub use target::{Abilities, AuthForm, ModelTarget, Prices, WireKind};
pub use transport::{ProxyRoute, Transport, TransportConfig};
