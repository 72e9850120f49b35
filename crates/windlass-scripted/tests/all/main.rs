//! Every script of the repository: read, played on the run machine, and streamed as a model.

// A test that cannot go on should say so loudly; the allowance for tests does not reach their fixtures.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod documents;
mod engine;
mod machine;
mod rehearsals;
mod schema;
mod scripts;
mod steps;
