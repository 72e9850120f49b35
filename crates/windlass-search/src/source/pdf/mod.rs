//! The text of PDF files, which nobody knows who wrote. Some are written to end whoever reads them.
//!
//! Layout is not understood: the text comes in the order of the file. Pictures of text have none.
//!
//! - `extract`: from bytes to text; memory and stack are not bounded there
//! - `child`: a child process does it, is fed, waited for and killed; `process`: what that process does

mod child;
mod extract;
mod process;

use std::path::PathBuf;
use std::time::Duration;

pub use process::pdf_helper;

use crate::limits::PDF_MS_MAX;

/// Who reads PDFs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum PdfReading {
    /// Nobody: PDFs of the project are left out, those that are added are refused.
    #[default]
    Nobody,
    /// A child process for each, held to limits of memory and time, so that the worst of them costs its own text alone.
    /// This program is started; it hands its arguments to [`pdf_helper`] before it does anything else.
    Child(PathBuf),
    /// This process. Time is limited, memory is not: 33 KB can take gigabytes, and objects that lead from one to the next
    /// can end the process. Only for PDFs whose authors you know.
    InProcess,
}

/// Why a file has no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PdfFailure {
    /// Nobody reads PDFs here.
    NoReader,
    /// The program that reads them cannot be started.
    NoHelper,
    /// It is damaged, encrypted or no PDF at all.
    Unreadable,
    /// It was given up after some time.
    TooSlow,
    /// It wanted more memory than one may have.
    TooMuch,
    /// There is no text in it.
    Empty,
}

impl PdfFailure {
    pub(crate) fn text(self) -> &'static str {
        match self {
            PdfFailure::NoReader => "PDFs are not read here",
            PdfFailure::NoHelper => "the program that reads PDFs cannot be started",
            PdfFailure::Unreadable => "it is damaged, locked or no PDF",
            PdfFailure::TooSlow => "reading it takes too long",
            PdfFailure::TooMuch => "reading it takes too much memory",
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
pub(crate) fn text(bytes: Vec<u8>, reading: &PdfReading) -> Result<String, PdfFailure> {
    match reading {
        PdfReading::Nobody => Err(PdfFailure::NoReader),
        PdfReading::Child(program) => child::text(program, bytes),
        PdfReading::InProcess => extract::text_on_a_thread(bytes, Duration::from_millis(PDF_MS_MAX)),
    }
}
