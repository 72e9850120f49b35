//! From the bytes of a PDF to its text, by lopdf.
//!
//! Read page by page on a thread of its own, so that a reader that panics or takes too long costs the text of one file; what
//! a stream may unpack to, the pages and the text are bounded. What is made of a stream is not: numbers and lists take
//! many times their place in a file, and a chain of objects is followed as deep as it goes. Whoever cannot have that stands
//! in a process of its own.

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use lopdf::{Document, LoadOptions};

use super::PdfFailure;
use crate::limits::{PDF_PAGES_MAX, PDF_STACK_BYTES, PDF_STREAM_BYTES_MAX, PDF_TEXT_BYTES_MAX};

/// The text of a PDF, a blank line between pages.
pub(super) fn text_on_a_thread(bytes: Vec<u8>, time: Duration) -> Result<String, PdfFailure> {
    let (sender, receiver) = mpsc::sync_channel(1);
    let deadline = Instant::now() + time;
    let read = move || {
        // Nobody listens any more when it took too long.
        let _ = sender.send(read(&bytes, deadline));
    };
    let thread = thread::Builder::new().name("search-pdf".to_owned()).stack_size(PDF_STACK_BYTES);
    thread.spawn(read).map_err(|_| PdfFailure::Unreadable)?;
    match receiver.recv_timeout(time) {
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
#[path = "extract_tests.rs"]
mod tests;
