//! The text of PDF files, which nobody knows who wrote.
//!
//! Read page by page on a thread of its own, so that a reader that panics or takes too long costs the text of one file
//! and nothing else; what a stream may unpack to, the pages and the text are bounded. Layout is not understood: the
//! text comes in the order of the file. Pictures of text have none.

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use lopdf::{Document, LoadOptions};

use crate::limits::{PDF_MS_MAX, PDF_PAGES_MAX, PDF_STACK_BYTES, PDF_STREAM_BYTES_MAX, PDF_TEXT_BYTES_MAX};

/// Why a file has no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PdfFailure {
    /// It is damaged, encrypted or no PDF at all.
    Unreadable,
    /// It was given up after some time.
    TooSlow,
    /// There is no text in it.
    Empty,
}

impl PdfFailure {
    pub(crate) fn text(self) -> &'static str {
        match self {
            PdfFailure::Unreadable => "it is damaged, locked or no PDF",
            PdfFailure::TooSlow => "reading it takes too long",
            PdfFailure::Empty => "there is no text in it, pictures of text perhaps",
        }
    }
}

/// Whether a file is one, by its name or its first bytes.
pub(crate) fn is_pdf(name: &str, bytes: &[u8]) -> bool {
    bytes.starts_with(b"%PDF-") || is_pdf_name(name)
}

/// Whether a name is that of one.
pub(crate) fn is_pdf_name(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, ending)| ending.eq_ignore_ascii_case("pdf"))
}

/// The text of a PDF, a blank line between pages.
pub(crate) fn text(bytes: Vec<u8>) -> Result<String, PdfFailure> {
    let (sender, receiver) = mpsc::sync_channel(1);
    let deadline = Instant::now() + Duration::from_millis(PDF_MS_MAX);
    let read = move || {
        // Nobody listens any more when it took too long.
        let _ = sender.send(read(&bytes, deadline));
    };
    let thread = thread::Builder::new().name("search-pdf".to_owned()).stack_size(PDF_STACK_BYTES);
    thread.spawn(read).map_err(|_| PdfFailure::Unreadable)?;
    match receiver.recv_timeout(Duration::from_millis(PDF_MS_MAX)) {
        Ok(text) => text,
        Err(mpsc::RecvTimeoutError::Timeout) => Err(PdfFailure::TooSlow),
        // It panicked.
        Err(mpsc::RecvTimeoutError::Disconnected) => Err(PdfFailure::Unreadable),
    }
}

fn read(bytes: &[u8], deadline: Instant) -> Result<String, PdfFailure> {
    let options = LoadOptions { max_decompressed_size: Some(PDF_STREAM_BYTES_MAX), ..LoadOptions::default() };
    let document = Document::load_mem_with_options(bytes, options).map_err(|_| PdfFailure::Unreadable)?;
    let mut text = String::new();
    let pages = document.page_iter().take(PDF_PAGES_MAX).count();
    for page in (1..).take(pages) {
        if Instant::now() > deadline {
            return Err(PdfFailure::TooSlow);
        }
        // A page that cannot be read does not hide the others.
        let Ok(page) = document.extract_text_with_limit(&[page], PDF_STREAM_BYTES_MAX) else { continue };
        push_page(&mut text, &page);
        if text.len() > PDF_TEXT_BYTES_MAX {
            text.truncate(text.floor_char_boundary(PDF_TEXT_BYTES_MAX));
            break;
        }
    }
    if text.trim().is_empty() { Err(PdfFailure::Empty) } else { Ok(text) }
}

/// Adds a page without marks that are no text.
fn push_page(text: &mut String, page: &str) {
    if !text.is_empty() {
        text.push('\n');
    }
    for line in page.lines().map(str::trim_end).filter(|line| !line.is_empty()) {
        text.extend(line.chars().filter(|c| !c.is_control() || *c == '\t'));
        text.push('\n');
    }
}

#[cfg(test)]
#[path = "pdf_tests.rs"]
mod tests;
