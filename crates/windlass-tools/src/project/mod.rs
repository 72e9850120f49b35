//! The index of the project: the tools `request_code_context`, `search_codebase`, `find_symbol`, `find_references` and, over documents
//! of sessions, `rag_search`. `names` has what the two that look for names share, `passages` what all do.

pub(crate) mod find_references;
pub(crate) mod find_symbol;
mod names;
mod passages;
pub(crate) mod rag_search;
pub(crate) mod request_code_context;
pub(crate) mod search_codebase;
