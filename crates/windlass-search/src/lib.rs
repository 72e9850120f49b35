//! Finding code and notes: files and documents are cut into passages, kept in one index on disk, and found by words,
//! by names and by meaning.
//!
//! | room | what is in it |
//! |---|---|
//! | `source` | what there is to read: files, documents, PDFs, and when they change |
//! | `parse` | what it says: languages, grammars as tables, passages, definitions and uses |
//! | `index` | the index, on disk or in memory: open, repair, update, touch |
//! | `tokens` | the words of code |
//! | `embed` | the meaning of a text as numbers |
//! | `find` | by words, names and meaning, made one list; the port |
//! | `project` | when an index is opened and brought up to date; the port for tools, hosts and programs |
//!
//! The index is the only truth about what was indexed, and its commit the only safe point: whatever is held in
//! memory is made of it. Knows no tool, session engine, command line or HTTP; tantivy and tree-sitter stay in here.
//!
//! - `private`: folders and files for their owner alone; `limits`: the limits of searching, each with its reason

mod embed;
mod find;
mod index;
mod limits;
mod parse;
mod private;
mod project;
mod source;
mod tokens;

pub use embed::{EmbedFailure, EmbedPort, HashedEmbedder, Side, WordCounts, cosine};
pub use find::searcher::{Searcher, Tuning};
pub use index::{
    Index, IndexCondition, IndexConfig, IndexError, IndexPlace, TouchOutcome, UpdateReport, index_folder,
};
pub use limits::QUERY_BYTES_MAX;
pub use parse::language::SourceLanguage;
pub use project::{EmbedderChoice, ProjectIndex, UpdateProgress};
pub use source::pdf::{PdfReading, pdf_helper};
pub use source::walk::Skip;
pub use source::watch::IndexWatch;
pub use tokens::{CodeTokenizer, CodeTokens, CodeWord, CodeWordKind, each_word, words};
