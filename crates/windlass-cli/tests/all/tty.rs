//! The binary on a pseudo-terminal of its own; `script` of util-linux makes it.

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc;

use crate::lifeline::PATIENCE;
use crate::place::Place;

/// A program on a pseudo-terminal; `script` of util-linux makes it.
pub(crate) struct Terminal {
    child: Child,
    keys: Option<ChildStdin>,
    chunks: mpsc::Receiver<Vec<u8>>,
    pub(crate) seen: String,
    /// The beginning of a character whose end is still to come.
    cut: Vec<u8>,
    /// How much of it, without colours, was waited for already.
    mark: usize,
}

impl Terminal {
    /// The binary with these arguments on a terminal of the usual size.
    pub(crate) fn start(place: &Place, args: &str, vars: &[(&str, &str)]) -> Self {
        Self::sized(place, args, vars, 80, 24)
    }

    /// The same on a terminal of this size.
    pub(crate) fn sized(place: &Place, args: &str, vars: &[(&str, &str)], columns: u16, rows: u16) -> Self {
        let program = env!("CARGO_BIN_EXE_windlass");
        let line = format!("stty cols {columns} rows {rows} && exec {program} {args}");
        let mut child = place
            .bare("script")
            .args(["-qec", &line, "/dev/null"])
            .envs(vars.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let (sender, chunks) = mpsc::channel();
        let mut screen = child.stdout.take().unwrap();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(read @ 1..) = screen.read(&mut bytes) {
                let _ = sender.send(bytes[..read].to_vec());
            }
        });
        let keys = child.stdin.take();
        Self { child, keys, chunks, seen: String::new(), cut: Vec::new(), mark: 0 }
    }

    /// Waits until the screen shows a text, after what was waited for before.
    #[track_caller]
    pub(crate) fn wait_for(&mut self, text: &str) -> &mut Self {
        loop {
            let shown = console::strip_ansi_codes(&self.seen);
            if let Some(at) = shown[self.mark..].find(text) {
                self.mark += at + text.len();
                return self;
            }
            match self.chunks.recv_timeout(PATIENCE) {
                Ok(bytes) => self.take_bytes(&bytes),
                Err(_) => panic!("'{text}' never came; seen: {}", self.seen),
            }
        }
    }

    /// Types a line and Enter.
    pub(crate) fn type_line(&mut self, line: &str) -> &mut Self {
        self.type_keys(&format!("{line}\r"))
    }

    pub(crate) fn type_keys(&mut self, keys: &str) -> &mut Self {
        let terminal = self.keys.as_mut().unwrap();
        terminal.write_all(keys.as_bytes()).unwrap();
        terminal.flush().unwrap();
        self
    }

    /// Waits for a text and takes everything up to its end, without colours, line by line.
    #[track_caller]
    pub(crate) fn take_until(&mut self, text: &str) -> Vec<String> {
        let mut looked = 0_usize;
        loop {
            let from = self.seen.floor_char_boundary(looked.saturating_sub(text.len()));
            if let Some(at) = self.seen[from..].find(text) {
                let rest = self.seen.split_off(from + at + text.len());
                let taken = std::mem::replace(&mut self.seen, rest);
                let shown = console::strip_ansi_codes(&taken);
                return shown.split('\n').map(|line| line.trim_end_matches('\r').to_owned()).collect();
            }
            looked = self.seen.len();
            match self.chunks.recv_timeout(PATIENCE) {
                Ok(bytes) => self.take_bytes(&bytes),
                Err(_) => panic!("'{text}' never came; seen: {}", self.seen),
            }
        }
    }

    /// Takes what came; a character may come in two pieces.
    fn take_bytes(&mut self, bytes: &[u8]) {
        self.cut.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&self.cut) {
            Ok(_) => self.cut.len(),
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            Err(error) => panic!("not UTF-8: {error}"),
        };
        let rest = self.cut.split_off(whole);
        self.seen.push_str(std::str::from_utf8(&self.cut).unwrap());
        self.cut = rest;
    }

    /// Waits for the end; the exit code and everything that was shown, without colours.
    pub(crate) fn end(mut self) -> (i32, String) {
        while let Ok(bytes) = self.chunks.recv_timeout(PATIENCE) {
            self.take_bytes(&bytes);
        }
        let code = self.child.wait().unwrap().code().unwrap_or(-1);
        (code, console::strip_ansi_codes(&self.seen).replace('\r', ""))
    }
}
