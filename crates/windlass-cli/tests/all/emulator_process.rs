//! The independent emulator as a process: found where `cargo xtask test` puts it, started on a free port,
//! asked what reached it, ended with the test.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;

use serde_json::Value;

use crate::lifeline::PATIENCE;

/// Where the emulator is below the target folder.
const ENTRY: &str = "xtask-tools/aimock/node_modules/@copilotkit/aimock/dist/cli.js";

pub(crate) struct Emulator {
    child: Child,
    address: String,
}

impl Emulator {
    /// Starts one with the fixtures of this house.
    pub(crate) fn start() -> Self {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/emulator/scenarios.json");
        let mut child = Command::new("node")
            .arg(entry())
            .args(["--port", "0", "--host", "127.0.0.1", "--fixtures"])
            .arg(fixtures)
            // Without it a fixture of one turn answers any other that has none.
            .env("AIMOCK_STRICT_TURN_INDEX", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("node cannot be started: {error}; install Node 20 or later"));
        let (said, heard) = mpsc::channel();
        let out = BufReader::new(child.stdout.take().unwrap());
        // Read to its end, or the emulator would stop at a full pipe.
        std::thread::spawn(move || {
            for line in out.lines().map_while(Result::ok) {
                if let Some((_, address)) = line.split_once("listening on http://") {
                    let _ = said.send(address.trim().to_owned());
                }
            }
        });
        let address = heard.recv_timeout(PATIENCE);
        let mut emulator = Self { child, address: String::new() };
        emulator.address = address.expect("the emulator does not start");
        emulator
    }

    pub(crate) fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// All requests so far, in order, as the emulator understood them: whatever the surface, in the words
    /// of OpenAI's chat.
    pub(crate) fn journal(&self) -> Vec<Value> {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.write_all(b"GET /__aimock/journal HTTP/1.0\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {body}"))
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The emulator's program, in the target folder that this test was built in.
fn entry() -> PathBuf {
    let binary = Path::new(env!("CARGO_BIN_EXE_windlass"));
    let found = binary.ancestors().map(|folder| folder.join(ENTRY)).find(|path| path.is_file());
    found.unwrap_or_else(|| {
        panic!(
            "the provider emulator is not installed: no {ENTRY} in the target folder; \
             install it with `cargo xtask test --only emulator` (it needs node and npm)"
        )
    })
}
