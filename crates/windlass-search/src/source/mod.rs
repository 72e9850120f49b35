//! What there is to read: the files of a root and the documents that sessions added, as text.
//!
//! `walk` finds files, `watch` tells when they change, `content` turns bytes into text, `pdf` those of a PDF in a process of its own,
//! `documents` keeps what was added by hand.

pub(crate) mod content;
pub(crate) mod documents;
pub(crate) mod pdf;
pub(crate) mod walk;
pub(crate) mod watch;
