//! Another process on the same folder: this test binary, started again with a part to play.

use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;

use windlass_core::ports::JournalPort as _;
use windlass_core::ports::store::{Claim, NewSession, StorePort as _};
use windlass_core::protocol::ids::SessionId;
use windlass_store::{SqliteStore, StoreConfig};

use crate::place::{delta, sized_note};

const PART: &str = "WINDLASS_STORE_CHILD";
const FOLDER: &str = "WINDLASS_STORE_FOLDER";
/// Begins the lines that are meant for the parent: the test harness writes its own among them.
const MARK: &str = "child: ";
const SESSIONS: usize = 8;

/// A command that starts this binary again.
pub(crate) fn command(part: &str, folder: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    as_child(&mut command, part, folder);
    command
}

/// A shell that does something first and then becomes this binary.
pub(crate) fn shell_command(first: &str, part: &str, folder: &Path) -> Command {
    let mut command = Command::new("sh");
    let then = "exec \"$0\" \"$@\"";
    command.args(["-c", &format!("{first}; {then}")]).arg(std::env::current_exe().unwrap());
    as_child(&mut command, part, folder);
    command
}

fn as_child(command: &mut Command, part: &str, folder: &Path) {
    command
        .args(["--exact", "child::plays_its_part", "--test-threads=1"])
        .env(PART, part)
        .env(FOLDER, folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
}

/// A process that is killed when the test is over.
pub(crate) struct Running {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Running {
    pub(crate) fn start(mut command: Command) -> Self {
        let mut child = command.spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// The next line that is meant for us; nothing when the process is over.
    pub(crate) fn line(&mut self) -> Option<String> {
        loop {
            let line = self.lines.next()?.ok()?;
            if let Some((_, said)) = line.split_once(MARK) {
                return Some(said.to_owned());
            }
        }
    }

    /// SIGKILL; the lock is the system's to take back.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{MARK}{text}").unwrap();
    out.flush().unwrap();
}

/// Not a test: what a child process does. Without a part it is over at once.
#[test]
fn plays_its_part() {
    let (Ok(part), Some(folder)) = (std::env::var(PART), std::env::var_os(FOLDER)) else { return };
    let folder = Path::new(&folder);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    let store = match SqliteStore::open(folder, StoreConfig::default()) {
        Ok(store) => Arc::new(store),
        Err(error) => return say(&format!("refused {error}")),
    };
    match part.as_str() {
        "open" => say("opened"),
        "append" => runtime.block_on(append_for_ever(store)),
        "fill" => runtime.block_on(append_until_it_fails(&store)),
        "claim" => runtime.block_on(claim_and_wait(&store)),
        other => panic!("no such part: {other}"),
    }
}

/// Appends to several sessions at once and says what was acknowledged.
async fn append_for_ever(store: Arc<SqliteStore>) {
    let writers =
        (0..SESSIONS).map(|number| tokio::spawn(append_to(Arc::clone(&store), format!("s{number}"))));
    for ended in futures::future::join_all(writers).await {
        ended.unwrap();
    }
}

async fn append_to(store: Arc<SqliteStore>, session: String) {
    let id = SessionId::from(session.as_str());
    let mut seq = store.load(&id, 0).await.unwrap().last().map_or(0, |record| record.seq);
    if seq == 0 {
        store.create_session(&id, NewSession::default(), 0).await.ok();
    }
    assert_eq!(store.claim(&id).await.unwrap(), Claim::Taken);
    loop {
        let large = sized_note(&session, seq + 3, 10 + seq as usize % 5_000);
        store.append(&[delta(&session, seq + 1), delta(&session, seq + 2), large]).await.unwrap();
        seq += 3;
        say(&format!("acked {session} {seq}"));
    }
}

/// Appends until the disk says no, then shows that what is there can still be read.
async fn append_until_it_fails(store: &SqliteStore) {
    for seq in 1.. {
        match store.append(&[sized_note("s", seq, 20_000)]).await {
            Ok(()) => say(&format!("acked s {seq}")),
            Err(failure) => {
                say(&format!("failed {failure}"));
                let kept = store.load(&"s".into(), 0).await.unwrap().len() as u64;
                return say(&format!("kept {}", kept == seq - 1));
            }
        }
    }
}

async fn claim_and_wait(store: &SqliteStore) {
    match store.claim(&"s".into()).await.unwrap() {
        Claim::Taken => say("taken"),
        Claim::Held { by } => return say(&format!("held by {by}")),
    }
    // Until the parent kills us or lets us go.
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).unwrap();
}
