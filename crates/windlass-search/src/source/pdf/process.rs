//! What a program does that was started to read one PDF: it takes limits upon itself, begins anew under them, reads the
//! file from its standard input and answers on its standard output.
//!
//! It begins anew because a limit counts from then on: an allocator may have asked the system for gigabytes before the first
//! line of a program runs.

use std::ffi::OsString;
use std::io::{self, Read as _, Write as _};
use std::time::Duration;

use super::{PdfFailure, extract};
use crate::limits::{PDF_BYTES_MAX, PDF_TEXT_BYTES_MAX, PDF_WAIT_MS_MAX};

/// The first word of a program that is to read a PDF; the second is where the program is.
pub(super) const WORD: &str = "pdf-child";

/// The same once it stands under limits.
const WORD_WITHIN_LIMITS: &str = "pdf-child-within-limits";

/// How it ends where it could not begin: what a shell says of a program that cannot be started.
const NOT_STARTED: u8 = 126;

/// An answer begins with what it is. Then comes the text, if there is one.
const TEXT: u8 = b't';
const UNREADABLE: u8 = b'u';
const EMPTY: u8 = b'e';
const TOO_SLOW: u8 = b's';

/// The last byte of an answer: one that broke off has none.
const END: u8 = 0;

/// Longest answer: the longest text with a byte on either side.
pub(super) const ANSWER_BYTES_MAX: u64 = PDF_TEXT_BYTES_MAX as u64 + 2;

/// What a program does first that is named in [`PdfReading::Child`](super::PdfReading::Child): `arguments` are those after
/// its own name. None where it was not called as one; else how it ends.
pub fn pdf_helper(arguments: impl IntoIterator<Item = OsString>) -> Option<u8> {
    let mut arguments = arguments.into_iter();
    match arguments.next()?.to_str()? {
        WORD => Some(within_limits(arguments.next())),
        WORD_WITHIN_LIMITS => Some(answer_what_is_asked()),
        _ => None,
    }
}

fn answer_what_is_asked() -> u8 {
    let mut bytes = Vec::new();
    let read = io::stdin().lock().take(PDF_BYTES_MAX + 1).read_to_end(&mut bytes);
    let found = match read {
        Ok(length) if length as u64 <= PDF_BYTES_MAX => {
            extract::text_on_a_thread(bytes, Duration::from_millis(PDF_WAIT_MS_MAX))
        }
        Ok(_) | Err(_) => Err(PdfFailure::Unreadable),
    };
    let (kind, text) = match &found {
        Ok(text) => (TEXT, text.as_str()),
        Err(PdfFailure::Empty) => (EMPTY, ""),
        Err(PdfFailure::TooSlow) => (TOO_SLOW, ""),
        Err(PdfFailure::Unreadable | PdfFailure::TooMuch | PdfFailure::NoReader | PdfFailure::NoHelper) => {
            (UNREADABLE, "")
        }
    };
    let mut out = io::stdout().lock();
    let said = out.write_all(&[kind]).and_then(|()| out.write_all(text.as_bytes()));
    u8::from(said.and_then(|()| out.write_all(&[END])).and_then(|()| out.flush()).is_err())
}

/// What an answer says; `None` of one that broke off or says nothing we know.
pub(super) fn answer(mut said: Vec<u8>) -> Option<Result<String, PdfFailure>> {
    if said.pop()? != END {
        return None;
    }
    let (kind, text) = said.split_first()?;
    match *kind {
        TEXT => Some(Ok(str::from_utf8(text).ok()?.to_owned())),
        EMPTY => Some(Err(PdfFailure::Empty)),
        UNREADABLE => Some(Err(PdfFailure::Unreadable)),
        TOO_SLOW => Some(Err(PdfFailure::TooSlow)),
        _ => None,
    }
}

/// Becomes the same program under limits.
#[cfg(unix)]
fn within_limits(own: Option<OsString>) -> u8 {
    use std::os::unix::process::CommandExt as _;
    if let Some(own) = own
        && limits::take().is_ok()
    {
        // Returns only where it fails.
        let _ = std::process::Command::new(own).arg(WORD_WITHIN_LIMITS).exec();
    }
    NOT_STARTED
}

/// Without limits of the system there are those of time alone.
#[cfg(not(unix))]
fn within_limits(_own: Option<OsString>) -> u8 {
    answer_what_is_asked()
}

#[cfg(unix)]
mod limits {
    use rustix::io::Result;
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    use crate::limits::{PDF_ADDRESS_BYTES, PDF_MEMORY_BYTES, PDF_MS_MAX};

    /// Nothing of a file is left behind, whatever it does: no core, no file, no hour of work for a parent that is gone.
    pub(super) fn take() -> Result<()> {
        #[cfg(target_os = "linux")]
        rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
        at_most(Resource::Core, 0)?;
        at_most(Resource::Fsize, 0)?;
        at_most(Resource::Cpu, PDF_MS_MAX.div_ceil(1_000))?;
        at_most(Resource::Data, PDF_MEMORY_BYTES)?;
        at_most(Resource::As, PDF_ADDRESS_BYTES)
    }

    /// Who already has less keeps it.
    fn at_most(what: Resource, value: u64) -> Result<()> {
        let had = getrlimit(what).maximum;
        let value = had.map_or(value, |had| had.min(value));
        setrlimit(what, Rlimit { current: Some(value), maximum: Some(value) })
    }
}

/// By which signal the system ends one that has used up its time.
#[cfg(unix)]
pub(super) const TIME_SIGNAL: i32 = rustix::process::Signal::XCPU.as_raw();

/// There is none.
#[cfg(not(unix))]
pub(super) const TIME_SIGNAL: i32 = -1;
