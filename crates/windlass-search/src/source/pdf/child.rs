//! A child process reads a PDF: it is given the bytes, has some time, and whatever becomes of it costs one text.
//!
//! Owns how it is started, fed, waited for and killed, and what is made of its end. Believes nothing it says beyond a text
//! of bounded size.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Condvar, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use super::PdfFailure;
use super::process::{self, WORD};
use crate::limits::{PDF_CHILDREN_MAX, PDF_WAIT_MS_MAX};

/// Children of this process that read now, whichever index they read for.
static READING: Mutex<usize> = Mutex::new(0);
static ENDED: Condvar = Condvar::new();

/// The right to have one more of them.
struct ReadingPermit;

impl ReadingPermit {
    /// Waits for one: each of those before has a time limit.
    fn take() -> Self {
        let mut reading = READING.lock().unwrap_or_else(PoisonError::into_inner);
        while *reading >= PDF_CHILDREN_MAX {
            reading = ENDED.wait(reading).unwrap_or_else(PoisonError::into_inner);
        }
        *reading += 1;
        Self
    }
}

impl Drop for ReadingPermit {
    fn drop(&mut self) {
        *READING.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        ENDED.notify_one();
    }
}

/// A child that does not outlive its parent's interest.
struct PdfChild(Child);

impl PdfChild {
    /// Ends it, if it has not ended, and says how it did. One that has ended by itself keeps its own end.
    fn end(&mut self) -> Option<ExitStatus> {
        // Fails only for a process that is gone.
        let _ = self.0.kill();
        self.0.wait().ok()
    }
}

impl Drop for PdfChild {
    fn drop(&mut self) {
        self.end();
    }
}

pub(super) fn text(program: &Path, bytes: Vec<u8>) -> Result<String, PdfFailure> {
    let _permit = ReadingPermit::take();
    text_within(program, bytes, Duration::from_millis(PDF_WAIT_MS_MAX))
}

fn text_within(program: &Path, bytes: Vec<u8>, time: Duration) -> Result<String, PdfFailure> {
    let mut command = Command::new(program);
    // Nothing of ours goes along but the bytes: no variable, and no file is open in it, since all are closed on the way.
    command
        .arg(WORD)
        .arg(program)
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut child = PdfChild(command.spawn().map_err(|_| PdfFailure::NoHelper)?);
    let (Some(mut stdin), Some(stdout)) = (child.0.stdin.take(), child.0.stdout.take()) else {
        return Err(PdfFailure::NoHelper);
    };
    let (sender, receiver) = mpsc::sync_channel(1);
    let talk = move || {
        // A child that does not want them all says why on its way out.
        let _ = stdin.write_all(&bytes);
        drop((stdin, bytes));
        let mut said = Vec::new();
        let _ = stdout.take(process::ANSWER_BYTES_MAX).read_to_end(&mut said);
        // Nobody listens any more when it took too long.
        let _ = sender.send(said);
    };
    let talking = thread::Builder::new().name("search-pdf".to_owned()).spawn(talk);
    let talking = talking.map_err(|_| PdfFailure::NoHelper)?;
    let said = receiver.recv_timeout(time);
    let status = child.end();
    // Its pipes are closed now, so the thread has ended or is about to.
    let _ = talking.join();
    match (said, status) {
        (Err(_), _) => Err(PdfFailure::TooSlow),
        (Ok(said), status) => process::answer(said).unwrap_or_else(|| Err(failure_of(status))),
    }
}

/// What the end of a child that did not answer says. A process that may have no more memory or stack ends by a signal, and
/// one that may have no more time by one of its own.
fn failure_of(status: Option<ExitStatus>) -> PdfFailure {
    match status.map(|status| (status.code(), signal_of(status))) {
        Some((None, Some(signal))) if signal == process::TIME_SIGNAL => PdfFailure::TooSlow,
        Some((None, _)) => PdfFailure::TooMuch,
        Some((Some(_), _)) => PdfFailure::Unreadable,
        None => PdfFailure::NoHelper,
    }
}

#[cfg(unix)]
fn signal_of(status: ExitStatus) -> Option<i32> {
    use std::os::unix::process::ExitStatusExt as _;
    status.signal()
}

#[cfg(not(unix))]
fn signal_of(_status: ExitStatus) -> Option<i32> {
    None
}

#[cfg(test)]
#[path = "child_tests.rs"]
mod tests;
