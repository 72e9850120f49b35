//! Load for a server that runs elsewhere: sockets, streams, and what they cost it.
//!
//! Owns the client's side. The server is another process, named by its address and number; who starts and ends it
//! is not known here.

pub mod crowd;
pub mod metronome;
pub mod process;
pub mod relay;
pub mod silent;
pub mod stream;
pub mod unfinished;
pub mod wire;

use std::collections::HashMap;
use std::net::SocketAddr;

use crate::load::process::Process;
use crate::load::wire::LoadClient;

/// What a load is told, as `name=value` on its command line.
#[derive(Debug, Clone)]
pub struct LoadWishes(HashMap<String, String>);

impl LoadWishes {
    /// Reads a command line.
    pub fn read(args: impl Iterator<Item = String>) -> Self {
        Self(args.filter_map(|arg| arg.split_once('=').map(|(a, b)| (a.to_owned(), b.to_owned()))).collect())
    }

    /// A number, or what is usual.
    pub fn number(&self, name: &str, usual: usize) -> usize {
        self.0.get(name).and_then(|text| text.parse().ok()).unwrap_or(usual)
    }

    /// A word, or what is usual.
    pub fn word<'a>(&'a self, name: &str, usual: &'a str) -> &'a str {
        self.0.get(name).map_or(usual, String::as_str)
    }

    /// A client of the server.
    pub fn client(&self) -> Result<LoadClient, String> {
        let text = self.word("addr", "");
        let address: SocketAddr = text.parse().map_err(|_| format!("addr='{text}' is no HOST:PORT"))?;
        Ok(LoadClient::new(address))
    }

    pub fn process(&self) -> Process {
        Process::new(self.number("pid", 0))
    }
}

/// The value below which that share of the values lies.
pub fn percentile(values: &mut [u64], share: f64) -> u64 {
    values.sort_unstable();
    let place = (values.len() as f64 * share) as usize;
    values.get(place.min(values.len().saturating_sub(1))).copied().unwrap_or(0)
}
