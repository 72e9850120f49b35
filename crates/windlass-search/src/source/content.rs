//! Bytes of files to texts whose byte offsets are those of the file.
//!
//! A byte that is no UTF-8 is read as `?`, so that a file with a few of them is found all the same and every span still
//! fits; with many of them, or with zero bytes, it is no text. Owns the decision, knows nothing of the index.

use std::fs::{self, File, OpenOptions};
use std::io::Read;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::limits::{BINARY_PROBE_BYTES, GENERATED_BYTES_MIN, GENERATED_LINE_BYTES, PDF_BYTES_MAX};
use crate::source::pdf::{self, PdfFailure, PdfReading};
use crate::source::walk::Skip;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileText {
    pub(crate) text: String,
    /// Of the bytes in the file.
    pub(crate) hash: u64,
}

/// Reads a file that a walk came upon. Of a PDF, offsets are those in its text.
pub(crate) fn read(path: &Path, bytes_max: u64, pdfs: &PdfReading) -> Result<FileText, Skip> {
    let is_pdf = path.to_str().is_some_and(pdf::is_pdf_name);
    if is_pdf && *pdfs == PdfReading::Nobody {
        return Err(Skip::Pdf);
    }
    let bytes_max = if is_pdf { PDF_BYTES_MAX } else { bytes_max };
    let named = fs::symlink_metadata(path).map_err(|_| Skip::Unreadable)?;
    if !named.is_file() {
        return Err(if named.is_symlink() { Skip::Link } else { Skip::Special });
    }
    if named.len() > bytes_max {
        return Err(Skip::TooLarge);
    }
    let file = open(path).map_err(|_| Skip::Unreadable)?;
    let opened = file.metadata().map_err(|_| Skip::Unreadable)?;
    if !is_same(&named, &opened) {
        // It was swapped for something else just now; the next update looks again.
        return Err(Skip::Unreadable);
    }
    let mut bytes = Vec::with_capacity(usize::try_from(named.len()).unwrap_or(0));
    file.take(bytes_max + 1).read_to_end(&mut bytes).map_err(|_| Skip::Unreadable)?;
    if bytes.len() as u64 > bytes_max {
        return Err(Skip::TooLarge);
    }
    let hash = hash(&bytes);
    let text = if is_pdf { pdf_text(bytes, pdfs)? } else { decode(bytes)? };
    Ok(FileText { text, hash })
}

fn pdf_text(bytes: Vec<u8>, pdfs: &PdfReading) -> Result<String, Skip> {
    pdf::text(bytes, pdfs).map_err(|failure| match failure {
        PdfFailure::Unreadable => Skip::Damaged,
        PdfFailure::Empty => Skip::Binary,
        PdfFailure::TooSlow | PdfFailure::TooMuch => Skip::TooLarge,
        PdfFailure::NoReader => Skip::Pdf,
        PdfFailure::NoHelper => Skip::Unreadable,
    })
}

/// Opens a file that was one a moment ago: had it become a link it is not followed, had it become a pipe it is not waited at.
#[cfg(unix)]
pub(crate) fn open(path: &Path) -> std::io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    // The flags fit: the system takes them as this very type.
    OpenOptions::new().read(true).custom_flags(i32::try_from(flags.bits()).unwrap_or_default()).open(path)
}

#[cfg(not(unix))]
pub(crate) fn open(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().read(true).open(path)
}

#[cfg(unix)]
fn is_same(named: &fs::Metadata, opened: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    named.ino() == opened.ino() && named.dev() == opened.dev()
}

#[cfg(not(unix))]
fn is_same(_named: &fs::Metadata, opened: &fs::Metadata) -> bool {
    opened.is_file()
}

/// The first eight bytes of the SHA-256: only versions of one file are compared.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    let digest = Sha256::digest(bytes);
    digest.iter().take(8).fold(0, |hash, byte| (hash << 8) | u64::from(*byte))
}

/// Bytes as a text of the same length.
pub(crate) fn decode(bytes: Vec<u8>) -> Result<String, Skip> {
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return Err(Skip::Encoding);
    }
    let probe = bytes.get(..bytes.len().min(BINARY_PROBE_BYTES)).unwrap_or_default();
    if memchr::memchr(0, probe).is_some() {
        return Err(Skip::Binary);
    }
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => repair(error.as_bytes())?,
    };
    let lines = memchr::memchr_iter(b'\n', text.as_bytes()).count() + 1;
    if text.len() >= GENERATED_BYTES_MIN && text.len() / lines > GENERATED_LINE_BYTES && !is_prose(&text) {
        return Err(Skip::Generated);
    }
    Ok(text)
}

/// Prose may have a paragraph in each line; minified code and data have few blanks.
fn is_prose(text: &str) -> bool {
    let probe = text.get(..text.floor_char_boundary(BINARY_PROBE_BYTES)).unwrap_or_default();
    probe.bytes().filter(|byte| *byte == b' ').count() * 10 > probe.len()
}

/// Puts a `?` for each byte that is not UTF-8; gives up when these are more than one in ten.
fn repair(bytes: &[u8]) -> Result<String, Skip> {
    let mut text = String::with_capacity(bytes.len());
    let mut wrong = 0;
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        wrong += chunk.invalid().len();
        text.extend(chunk.invalid().iter().map(|_| '?'));
    }
    if wrong * 10 > bytes.len() { Err(Skip::Binary) } else { Ok(text) }
}

#[cfg(test)]
#[path = "content_tests.rs"]
mod tests;
