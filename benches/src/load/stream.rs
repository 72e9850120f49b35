//! One reader of a run's events: frames, the last id, and a sum over everything that counts.

use std::hash::{DefaultHasher, Hasher as _};
use std::io;
use std::time::Duration;

use crate::load::wire::{AnswerStream, LoadClient, LoadRequest};

/// How a reader reads.
#[derive(Debug, Clone, Copy)]
pub struct ReaderManner {
    pub bytes: usize,
    /// How long it sleeps after them.
    pub pause: Duration,
    /// How often it goes away in the middle and comes back.
    pub breaks: usize,
}

impl ReaderManner {
    /// As fast as it comes.
    pub const FAST: Self = Self { bytes: 16 * 1024, pause: Duration::ZERO, breaks: 0 };
    /// Slower than a run speaks, and the server's end of the socket is full.
    pub const SLOW: Self = Self { bytes: 2 * 1024, pause: Duration::from_millis(100), breaks: 0 };
}

/// Frames between two breaks.
const FRAMES_A_BREAK: usize = 40;
/// What the system holds for a slow reader.
const SLOW_BYTES: u32 = 4 * 1024;

/// What a reader saw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenStream {
    /// Over the bytes of all frames, in order.
    pub sum: u64,
    pub frames: usize,
    pub last: Vec<u8>,
}

impl SeenStream {
    /// Whether the run has come to its end.
    pub fn is_whole(&self) -> bool {
        memchr::memmem::find(&self.last, b"\"type\":\"done\"").is_some()
    }
}

/// What has come so far. What came after the last id counts only when the next id comes.
#[derive(Default)]
struct Sum {
    hasher: DefaultHasher,
    rest: Vec<u8>,
    open: Vec<u8>,
    open_frames: usize,
    frames: usize,
    last: Vec<u8>,
    last_id: Option<u64>,
}

impl Sum {
    fn take_frames(&mut self) {
        while let Some(end) = memchr::memmem::find(&self.rest, b"\n\n") {
            let frame: Vec<u8> = self.rest.drain(..end + 2).collect();
            if frame.starts_with(b":") {
                continue;
            }
            self.open.extend_from_slice(&frame);
            self.open_frames += 1;
            let id = frame.strip_prefix(b"id: ").and_then(|rest| {
                let digits: Vec<u8> = rest.iter().copied().take_while(u8::is_ascii_digit).collect();
                String::from_utf8(digits).ok()?.parse().ok()
            });
            if let Some(id) = id {
                self.last_id = Some(id);
                self.hasher.write(&self.open);
                self.frames += self.open_frames;
                self.forget_open();
                self.last = frame;
            }
        }
    }

    fn forget_open(&mut self) {
        self.open.clear();
        self.open_frames = 0;
    }
}

/// Reads the events of a run to their end.
pub async fn read(client: &LoadClient, run_id: &str, manner: ReaderManner) -> io::Result<SeenStream> {
    let path = format!("/api/runs/{run_id}/events");
    let mut sum = Sum::default();
    for breaks_left in (0..=manner.breaks).rev() {
        let receive_bytes = (!manner.pause.is_zero()).then_some(SLOW_BYTES);
        let ask = LoadRequest {
            path: &path,
            is_stream: true,
            last_id: sum.last_id,
            receive_bytes,
            ..LoadRequest::default()
        };
        let reading = client.open(ask).await?;
        if reading.status != 200 {
            return Err(io::Error::other(format!("{path}: {}", reading.status)));
        }
        let frames_max = if breaks_left == 0 { usize::MAX } else { sum.frames + FRAMES_A_BREAK };
        if read_on(reading, &mut sum, manner, frames_max).await? {
            break;
        }
        sum.rest.clear();
        sum.forget_open();
    }
    // What has no id behind it is no whole stream; the sum must not match then.
    sum.hasher.write(&sum.open);
    Ok(SeenStream { sum: sum.hasher.finish(), frames: sum.frames + sum.open_frames, last: sum.last })
}

/// Reads until the end, or until there are so many frames; says whether it was the end.
async fn read_on(
    mut reading: AnswerStream,
    sum: &mut Sum,
    manner: ReaderManner,
    frames_max: usize,
) -> io::Result<bool> {
    loop {
        let is_open = reading.more(&mut sum.rest, manner.bytes).await?;
        sum.take_frames();
        if !is_open {
            return Ok(true);
        }
        if sum.frames + sum.open_frames >= frames_max {
            return Ok(false);
        }
        if !manner.pause.is_zero() {
            tokio::time::sleep(manner.pause).await;
        }
    }
}
