//! Models and how they are reached: settings, keys and findings become ports.
//!
//! - `choice`: which model answers; `open`: models by name, for a host
//! - `target`: one endpoint, connected; `diagnosis`: what `models doctor` found of it
//! - `keys`, `key_command`, `keyring`: where keys are; `child_environment`: the variables of such commands;
//!   `user_secrets`: secrets for tools, bound to hosts
//! - `local`: models in this process; `pulled`: the model files that were downloaded

pub(crate) mod child_environment;
pub(crate) mod choice;
pub(crate) mod diagnosis;
pub(crate) mod key_command;
pub(crate) mod keyring;
pub(crate) mod keys;
pub(crate) mod local;
pub(crate) mod open;
pub(crate) mod pulled;
pub(crate) mod target;
pub(crate) mod user_secrets;
