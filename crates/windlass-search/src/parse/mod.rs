//! What a text says: `language` by its name, `grammar` (node kinds as tables), `cut` into passages, `symbols` (definitions
//! and uses) of the same parse.

pub(crate) mod cut;
pub(crate) mod grammar;
pub(crate) mod language;
pub(crate) mod symbols;
