//! Every script of the repository: read, played on the run machine, and streamed as a model.

mod documents;
mod engine;
mod machine;
mod scripts;
