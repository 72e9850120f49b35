//! Searching a folder and documents: an index that the agent's tools, its sessions and the program itself ask.
//!
//! | what | how |
//! |---|---|
//! | an index of a folder | [`Builder::index_folder`], or [`Builder::search`] with a [`SearchConfig`] |
//! | the model searches | the search tools: they come with the index, alone or among the built-in ones |
//! | the program searches | [`Windlass::search`]: passages with their place and what their scores are made of |
//! | documents | [`Windlass::add_document`], [`AgentSession::add_document`]: texts by name, with a folder or without |
//! | an answer with its sources | [`Windlass::ask`], [`AgentSession::ask`] |
//! | how far it is | [`Windlass::index_ready`], [`Windlass::index_progress`], [`Windlass::index_status`] |
//!
//! Files are found as `.gitignore` and `.ignore` say, without secrets, binaries and links; nothing outside the folder is
//! read. A session behind a server, and its `Client`, ask the index of the server (feature `client`). What is in the index may be found by every search tool: rules for `read_file` do not reach into it.
//!
//! [`Builder::index_folder`]: crate::Builder::index_folder
//! [`Builder::search`]: crate::Builder::search
//! [`Windlass::search`]: crate::Windlass::search
//! [`Windlass::ask`]: crate::Windlass::ask
//! [`Windlass::add_document`]: crate::Windlass::add_document
//! [`Windlass::index_ready`]: crate::Windlass::index_ready
//! [`Windlass::index_progress`]: crate::Windlass::index_progress
//! [`Windlass::index_status`]: crate::Windlass::index_status
//! [`AgentSession::ask`]: crate::AgentSession::ask
//! [`AgentSession::add_document`]: crate::AgentSession::add_document

mod ask;
#[cfg(feature = "search")]
mod config;
mod documents;
#[cfg(feature = "search")]
mod index;
#[cfg(feature = "client")]
mod served;
mod session_index;

pub use ask::CitedAnswer;
#[cfg(feature = "search")]
pub use config::SearchConfig;
pub use windlass_core::ports::search::embed::EmbedPort;
pub use windlass_core::ports::search::{
    DocumentRow, Found, IndexProgress, IndexStatus, Passage, ScoreParts, SearchFailure, SearchKind,
    SearchQuery, SearchScope, TokenBudget,
};
#[cfg(feature = "search")]
pub use windlass_search::{HashedEmbedder, PdfReading, pdf_helper};
