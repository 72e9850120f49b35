//! Model wires: any model people use, behind one port.
//!
//! A request goes `health` (is the history legal for this provider?) → `lower` (schemas and names in the
//! provider's dialect) → `wire/*/encode` → `transport` → `frame` → `wire/*/decode` → deltas. Encoders and
//! decoders are pure; `transport` alone, over `http1`, speaks to a network. Quirks of providers are data (`catalog`, `quirks`),
//! and what the doctor measured of an endpoint is laid over them. Knows no tools, sessions or permissions.

mod answer;
pub mod catalog;
pub mod doctor;
pub mod download;
pub mod embed;
pub mod failure;
pub mod frame;
pub mod guard;
pub mod health;
pub mod http1;
mod kept;
pub mod limits;
#[cfg(test)]
#[path = "loopback_tests.rs"]
mod loopback;
pub mod lower;
pub mod name;
pub mod overflow;
pub mod port;
pub mod quirks;
mod report;
pub mod tags;
pub mod target;
pub mod think;
pub mod transport;
mod unread;
pub mod wait;
mod watch;
pub mod wire;

pub use embed::{EmbedPatience, EndpointEmbedder};
pub use name::ModelName;
pub use port::WireModel;
pub use quirks::Quirks;
pub use target::{Abilities, AuthForm, Prices, Target, WireKind};
pub use transport::{ProxyRoute, Transport, TransportConfig};
