//! Every script of the repository: read, played on the run machine, and streamed as a model.

mod documents;
mod machine;
mod scripts;
