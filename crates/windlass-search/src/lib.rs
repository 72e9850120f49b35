//! Finding code and notes: files and documents are cut into passages, kept in one index on disk, and found by words,
//! by names and by meaning.
//!
//! | room | what is in it |
//! |---|---|
//! | `source` | what there is to read: files, documents, PDFs, and when they change |
//! | `parse` | what it says: languages, grammars as tables, passages, definitions and uses |
//! | `index` | the index on disk: open, repair, update, touch |
//! | `tokens` | the words of code |
//! | `embed` | the meaning of a text as numbers |
//! | `find` | by words, names and meaning, made one list; the port |
//!
//! The index on disk is the only truth about what was indexed, and its commit the only safe point: whatever is held in
//! memory is made of it. Knows no tool, session engine, command line or HTTP; tantivy and tree-sitter stay in here.
//!
//! - `limits`: the limits of searching, each with its reason

mod embed;
mod find;
mod index;
mod limits;
mod parse;
mod source;
mod tokens;

pub use embed::{EmbedFailure, EmbedPort, HashedEmbedder, Side, WordCounts, cosine};
pub use find::searcher::{Searcher, Tuning};
pub use index::{Index, IndexCondition, IndexConfig, IndexError, TouchOutcome, UpdateReport};
pub use parse::language::SourceLanguage;
pub use source::walk::Skip;
pub use source::watch::IndexWatch;
pub use tokens::{CodeTokenizer, CodeTokens, CodeWord, CodeWordKind, each_word, words};
