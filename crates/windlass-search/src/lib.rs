//! Finding code and notes: files and documents are cut into passages, kept in one index on disk, and found by words,
//! by names and by meaning.
//!
//! | part | modules |
//! |---|---|
//! | what there is to read | `walk` (files of a root), `content` (bytes to text), `pdf`, `documents`, `watch` |
//! | what it says | `language`, `grammar` (node kinds as tables), `cut` (passages), `symbols` (definitions and uses) |
//! | the index | `index` (open, repair, update, touch), `tokens` (words of code), `vectors` |
//! | finding | `lexical` (words), `graph` (names), `embed` (meaning), `fuse`, `ties`, `neighbours`, `recency`, `diversity`, `budget`, `retrieve` (all of them), `searcher` (the port) |
//!
//! The index on disk is the only truth about what was indexed, and its commit the only safe point: whatever is held in
//! memory is made of it. Knows no tool, session engine, command line or HTTP; tantivy and tree-sitter stay in here.

mod budget;
mod content;
mod cut;
mod diversity;
mod documents;
mod embed;
mod fuse;
mod grammar;
mod graph;
mod index;
mod language;
mod lexical;
mod limits;
mod neighbours;
mod pdf;
mod recency;
mod retrieve;
mod searcher;
mod symbols;
mod ties;
mod tokens;
mod vectors;
mod walk;
mod watch;

pub use embed::{EmbedFailure, EmbedPort, HashedEmbedder, Side, WordCounts, cosine};
pub use index::{Index, IndexConfig, IndexError, Opened, Touched, UpdateReport};
pub use language::Language;
pub use searcher::{Searcher, Tuning};
pub use tokens::{CodeTokenizer, CodeTokens, Word, WordKind, each_word, words};
pub use walk::Skip;
pub use watch::Watch;
