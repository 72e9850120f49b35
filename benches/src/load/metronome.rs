//! A model whose words are the time: each piece says when it was sent, so that a reader knows how long it took.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

const BEAT: Duration = Duration::from_millis(5);
/// What is said before the first beat, in pieces as models send them: more than the sockets of a reader hold that
/// does not read.
const PRELUDE_PIECES: usize = 20_000;
const PRELUDE_CHARS: usize = 40;

/// Beats until it is stopped.
#[derive(Debug, Clone)]
pub struct Metronome {
    start: Instant,
    is_over: Arc<AtomicBool>,
}

impl Metronome {
    /// Listens on a port of this machine and answers every request with beats.
    pub async fn listen(port: usize) -> io::Result<Self> {
        let listener = TcpListener::bind(format!("127.0.0.1:{port}")).await?;
        let metronome = Self { start: Instant::now(), is_over: Arc::default() };
        let own = metronome.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let own = own.clone();
                // A server that hangs up has heard enough.
                tokio::spawn(async move { own.beat(stream).await });
            }
        });
        Ok(metronome)
    }

    /// Microseconds since it was made.
    pub fn now_us(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    pub fn stop(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    async fn beat(&self, mut stream: TcpStream) -> io::Result<()> {
        stream.set_nodelay(true)?;
        let mut request = vec![0; 64 * 1024];
        // Whatever it asks, the answer is the same; how much of it came does not matter.
        let _bytes = stream.read(&mut request).await?;
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
        stream.write_all(head.as_bytes()).await?;
        let prelude = piece(&"x".repeat(PRELUDE_CHARS));
        for _ in 0..PRELUDE_PIECES {
            stream.write_all(prelude.as_bytes()).await?;
        }
        let mut beats = tokio::time::interval(BEAT);
        while !self.is_over.load(Ordering::Relaxed) {
            beats.tick().await;
            stream.write_all(piece(&format!("at={} ", self.now_us())).as_bytes()).await?;
        }
        let end =
            "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
        stream.write_all(end.as_bytes()).await?;
        stream.shutdown().await
    }
}

fn piece(text: &str) -> String {
    format!(
        "data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{text}\"}},\"finish_reason\":null}}]}}\n\n"
    )
}
