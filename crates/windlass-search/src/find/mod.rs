//! Finding: `lexical` by words, `graph` by names, `vectors` by meaning, then `fuse`, `ties`, `neighbours`, `recency`,
//! `diversity` and `budget` order and limit what was found; `retrieve` runs all of them, `searcher` is the port.

pub(crate) mod budget;
pub(crate) mod diversity;
pub(crate) mod fuse;
pub(crate) mod graph;
pub(crate) mod lexical;
pub(crate) mod neighbours;
pub(crate) mod recency;
pub(crate) mod retrieve;
pub(crate) mod searcher;
pub(crate) mod ties;
pub(crate) mod vectors;
