//! The server: accepts, reads, lets the part be played, does what the part says.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{oneshot, watch};

use super::act::Act;
use super::http::read_request;
use super::ledger::{RequestLedger, SharedLedger};
use super::play::VendorStage;
use super::script::VendorScript;
use super::taught::TaughtStep;

/// A provider on a port of its own; gone when dropped.
#[derive(Debug)]
pub struct ProviderServer {
    address: SocketAddr,
    ledger: Arc<SharedLedger>,
    stage: Arc<VendorStage>,
    gate: watch::Sender<bool>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl ProviderServer {
    /// Starts one on loopback.
    pub fn start() -> io::Result<Self> {
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let ledger = Arc::new(SharedLedger::default());
        let (gate, opened) = watch::channel(false);
        let (stop, stopped) = oneshot::channel();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let stage = Arc::new(VendorStage::default());
        let place = ServerShared { ledger: Arc::clone(&ledger), stage: Arc::clone(&stage), opened };
        let thread = std::thread::spawn(move || {
            runtime.block_on(async {
                tokio::select! {
                    () = accept(listener, place) => {}
                    _ = stopped => {}
                }
            });
        });
        Ok(Self { address, ledger, stage, gate, stop: Some(stop), thread: Some(thread) })
    }

    /// The address without a path.
    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Where a vendor's API is; its manners are the server's.
    pub fn base_url(&self, vendor: &str) -> String {
        format!("{}/{vendor}/v1", self.origin())
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What reached it so far.
    pub fn ledger(&self) -> RequestLedger {
        self.ledger.snapshot()
    }

    /// Waits until the ledger looks as wished; `None` when it does not in time.
    pub fn wait_until(
        &self,
        patience: Duration,
        wish: impl Fn(&RequestLedger) -> bool,
    ) -> Option<RequestLedger> {
        self.ledger.wait_until(patience, wish)
    }

    /// A part whose answers are these texts: the first, then one for each that the conversation has.
    pub fn teach(&self, answers: impl IntoIterator<Item = impl Into<String>>) -> VendorScript {
        let answers = answers.into_iter().map(Into::into).collect();
        VendorScript { taught: Some(self.stage.taught.answers(answers)), ..VendorScript::default() }
    }

    /// A part that says these steps one after the other, one a request, and then begins again.
    pub fn teach_steps(&self, steps: Vec<TaughtStep>) -> VendorScript {
        VendorScript { taught: Some(self.stage.taught.steps(steps)), ..VendorScript::default() }
    }

    /// Lets answers that are held go on.
    pub fn release(&self) {
        self.gate.send_replace(true);
    }
}

impl Drop for ProviderServer {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// What all connections share.
#[derive(Clone)]
struct ServerShared {
    ledger: Arc<SharedLedger>,
    stage: Arc<VendorStage>,
    opened: watch::Receiver<bool>,
}

async fn accept(listener: std::net::TcpListener, place: ServerShared) {
    let Ok(listener) = TcpListener::from_std(listener) else { return };
    while let Ok((stream, _)) = listener.accept().await {
        // Small writes are the point of several parts.
        let _ = stream.set_nodelay(true);
        tokio::spawn(serve(stream, place.clone()));
    }
}

async fn serve(mut stream: TcpStream, mut place: ServerShared) {
    let connection = place.ledger.open();
    let is_closed_by_client = converse(&mut stream, &mut place, connection).await.unwrap_or(true);
    drop(stream);
    place.ledger.close(connection, is_closed_by_client);
}

/// Answers request after request; whether the client ended it.
async fn converse(stream: &mut TcpStream, place: &mut ServerShared, connection: usize) -> io::Result<bool> {
    let mut buffer = Vec::new();
    while let Some(request) = read_request(stream, &mut buffer).await? {
        let answer = place.stage.play(&request);
        place.ledger.receive(connection, &request, answer.heard);
        for act in answer.acts {
            match act {
                Act::Write(bytes) => stream.write_all(&bytes).await?,
                Act::Hold => {
                    tokio::select! {
                        _ = place.opened.wait_for(|is_open| *is_open) => {}
                        () = gone(stream) => return Ok(true),
                    }
                }
                Act::Hang => {
                    gone(stream).await;
                    return Ok(true);
                }
                Act::Close => return Ok(false),
            }
        }
    }
    Ok(true)
}

/// Ends when the client has closed its side.
async fn gone(stream: &mut TcpStream) {
    let mut byte = [0];
    while stream.read(&mut byte).await.is_ok_and(|read| read > 0) {}
}

#[cfg(test)]
#[path = "server_tests.rs"]
mod tests;
