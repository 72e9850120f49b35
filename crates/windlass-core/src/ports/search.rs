//! Searching: what is looked for, what is found, and the port by which an index is plugged in.
//!
//! A passage is a piece of a file or document with its place and the parts of its score. Knows no index, no file
//! system and no model; how scores are made is the index's business.

pub mod embed;

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::protocol::ids::{Millis, SessionId};

/// What is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchQuery {
    /// Words, a question, an identifier.
    pub text: String,
    /// At most so many passages.
    pub top_k: usize,
    /// Which ways of finding count.
    pub kind: SearchKind,
    /// Where to look.
    pub scope: SearchScope,
    /// How much text may be given.
    pub budget: TokenBudget,
}

/// Passages that are given where nobody says how many: what a person looks through.
const TOP_K_USUAL: usize = 10;

impl SearchQuery {
    /// Ten passages of files and documents, found in every way there is.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            top_k: TOP_K_USUAL,
            kind: SearchKind::default(),
            scope: SearchScope::Everything,
            budget: TokenBudget::default(),
        }
    }
}

impl From<&str> for SearchQuery {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl From<String> for SearchQuery {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

/// Ways of finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SearchKind {
    /// By words alone (BM25).
    Lexical,
    /// By meaning alone (vectors).
    Semantic,
    /// By definitions and uses of names (the symbol graph).
    Structural,
    /// All of them, fused.
    #[default]
    Hybrid,
}

impl SearchKind {
    /// All of them.
    pub const ALL: [SearchKind; 4] =
        [SearchKind::Lexical, SearchKind::Semantic, SearchKind::Structural, SearchKind::Hybrid];

    /// The word of arguments and flags.
    pub fn word(self) -> &'static str {
        match self {
            SearchKind::Lexical => "lexical",
            SearchKind::Semantic => "semantic",
            SearchKind::Structural => "structural",
            SearchKind::Hybrid => "hybrid",
        }
    }

    /// Reads the word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

/// Where to look.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum SearchScope {
    /// The files of the project.
    #[default]
    Project,
    /// Documents and notes of one session (E-22).
    Session(SessionId),
    /// Documents and notes of all sessions, and of none.
    AllSessions,
    /// What one session may be told of: the files of the project, documents of no session, and its own.
    Reachable(SessionId),
    /// Everything.
    Everything,
}

/// How many tokens of text may be given; what does not fit is left out, never cut in the middle of a passage unless one
/// passage alone is too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenBudget {
    /// In all.
    pub total: u32,
    /// Of one file.
    pub file: u32,
    /// Of one passage.
    pub passage: u32,
}

impl Default for TokenBudget {
    fn default() -> Self {
        Self { total: 4_000, file: 2_000, passage: 800 }
    }
}

/// A piece of text that was found, with its place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Passage {
    /// `path#start:end`, in bytes.
    pub id: String,
    /// The file, relative to the root with `/`; the document's name for documents.
    pub path: String,
    /// The document it is of; `None` for files of the project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document_id: Option<String>,
    /// The first byte.
    pub start: u64,
    /// The byte after the last.
    pub end: u64,
    /// The first line, from 1.
    pub line: u32,
    /// The language's word: `rust`, `python`, `markdown`, `text`, …
    pub language: String,
    /// What it defines, from the outside in: `Windlass::haul`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// The text.
    pub text: String,
    /// The fused score: larger is better.
    pub score: f32,
    /// What the score is made of.
    pub parts: ScoreParts,
}

impl Passage {
    /// Its text behind its place, as background for a model.
    pub fn quoted(&self) -> String {
        format!("From {}:{}\n{}", self.path, self.line, self.text.trim_end())
    }
}

/// Parts of a score, for people who want to know why.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ScoreParts {
    /// By words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lexical: Option<f32>,
    /// By meaning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vector: Option<f32>,
    /// By names that it defines or uses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symbol: Option<f32>,
    /// By its path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<f32>,
}

/// What a search gave.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Found {
    /// Passages, best first.
    pub passages: Vec<Passage>,
    /// Set while the index is not complete: how far it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub indexing: Option<IndexProgress>,
    /// Set when a way of finding could not be used and the others answered: which, and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

/// How far indexing is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IndexProgress {
    /// Files done.
    pub done: u64,
    /// Files known so far.
    pub total: u64,
}

/// What an index holds.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Index"))]
pub struct IndexStatus {
    /// Files in it.
    pub files: u64,
    /// Passages in it.
    pub passages: u64,
    /// Definitions in its symbol graph.
    pub symbols: u64,
    /// Bytes on disk.
    pub bytes: u64,
    /// When it was last complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_ms: Option<Millis>,
    /// Set while it works.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub indexing: Option<IndexProgress>,
    /// Files that were left out, by reason: `binary`, `too_large`, `unreadable`, `ignored`, …
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<(String, u64)>,
    /// Which embedder makes its vectors, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub embedder: Option<String>,
    /// Files that this embedder has not made vectors of yet; words find them all the same.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub files_without_vectors: u64,
    /// Why it last made none, if it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub embedder_failure: Option<String>,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// A document or a note that a user adds to the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDocument {
    /// Its name: `handbook.pdf`. One of the same name and session is replaced.
    pub name: String,
    /// The session it is for; without one, it is for searches in all documents.
    pub session_id: Option<SessionId>,
    /// Markdown, text, HTML or PDF; the name's ending tells which.
    pub bytes: Vec<u8>,
}

/// A document as it is listed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Document"))]
pub struct DocumentRow {
    /// By which it is removed.
    pub document_id: String,
    /// Its name.
    pub name: String,
    /// The session it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// When it was added.
    pub added_ms: Millis,
    /// Bytes of its text.
    pub bytes: u64,
}

/// A definition or a use of a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SymbolPlace {
    /// The name, from the outside in.
    pub symbol: String,
    /// `function`, `struct`, `trait`, `class`, `method`, `module`, `constant`, …; `call`, `import` or `reference` of uses.
    pub kind: String,
    /// The file.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// The first byte.
    pub start: u64,
    /// The byte after the last.
    pub end: u64,
    /// The line's text.
    pub text: String,
}

/// Why an index did not answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SearchFailure {
    /// There is no index yet: build it.
    #[error("{0}")]
    Missing(String),
    /// The query is wrong: change it.
    #[error("{0}")]
    Invalid(String),
    /// The query is right, and this index cannot answer its kind (no embedder): ask in another way.
    #[error("{0}")]
    Unsupported(String),
    /// The index, a file or an embedder broke: never "nothing found".
    #[error("{0}")]
    Broken(String),
}

/// An index that can be searched.
#[async_trait]
pub trait SearchPort: Send + Sync + fmt::Debug {
    /// The best passages.
    async fn search(&self, query: SearchQuery) -> Result<Found, SearchFailure>;
    /// Definitions of a name, exact ones first.
    async fn find_symbol(&self, name: &str, rows_max: usize) -> Result<Vec<SymbolPlace>, SearchFailure>;
    /// Uses of a name.
    async fn find_references(&self, name: &str, rows_max: usize) -> Result<Vec<SymbolPlace>, SearchFailure>;
    /// What it holds.
    async fn status(&self) -> Result<IndexStatus, SearchFailure>;
    /// A file was read or written: it is indexed again soon, if it changed (Z-4).
    fn touch(&self, path: &str);
    /// Adds or replaces a document.
    async fn add_document(&self, document: NewDocument) -> Result<DocumentRow, SearchFailure>;
    /// All documents, by name.
    async fn documents(&self) -> Result<Vec<DocumentRow>, SearchFailure>;
    /// Removes a document; whether there was one.
    async fn remove_document(&self, document_id: &str) -> Result<bool, SearchFailure>;
}

/// An index that is shared.
pub type SharedSearch = Arc<dyn SearchPort>;
