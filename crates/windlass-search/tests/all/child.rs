//! Another process on the same folders: this test binary, started again with a part to play.

use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};

use windlass_search::{Index, IndexConfig};

use crate::place::PassageName;

const FOLDER: &str = "WINDLASS_SEARCH_FOLDER";
const ROOT: &str = "WINDLASS_SEARCH_ROOT";
const BATCH: &str = "WINDLASS_SEARCH_BATCH";
/// Small batches: many commits to be killed in.
const BATCH_FILES: usize = 7;
/// Begins the lines that are meant for the parent.
const MARK: &str = "child: ";
/// Begins the last of them: the most memory that the child ever had, in KiB.
pub(crate) const PEAK: &str = "peak ";

/// A process that brings an index up to date, and is killed when the test is over.
pub(crate) struct Indexing {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Indexing {
    pub(crate) fn start(place: &PassageName) -> Self {
        Self::in_batches(place, BATCH_FILES)
    }

    /// With so many files between two commits.
    pub(crate) fn in_batches(place: &PassageName, batch_files: usize) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "child::plays_its_part", "--nocapture", "--test-threads=1"])
            .env(FOLDER, place.index_folder())
            .env(ROOT, place.root())
            .env(BATCH, batch_files.to_string())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines }
    }

    /// The next thing it says; `None` at its end.
    pub(crate) fn next(&mut self) -> Option<String> {
        loop {
            let line = self.lines.next()?.ok()?;
            if let Some(said) = line.strip_prefix(MARK) {
                return Some(said.to_owned());
            }
        }
    }

    /// Ends it as a power cut would.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Indexing {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn say(what: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{MARK}{what}").and_then(|()| out.flush());
}

#[test]
fn plays_its_part() {
    let (Ok(folder), Ok(root)) = (std::env::var(FOLDER), std::env::var(ROOT)) else { return };
    say("begun");
    let batch_files = std::env::var(BATCH).unwrap().parse().unwrap();
    let config = IndexConfig { batch_files, threads: 2, ..IndexConfig::default() };
    let index = Index::open(&PathBuf::from(folder), &PathBuf::from(root), config).unwrap();
    say("opened");
    index.update(&mut |progress| say(&progress.done.to_string())).unwrap();
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0");
    say(&format!("{PEAK}{}", peak.split_whitespace().next().unwrap()));
}
