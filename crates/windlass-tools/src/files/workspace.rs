//! What the file tools share: the read ledger, the undo copies and the one way in which files change.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use serde_json::Value;
use windlass_core::ports::ResultsPort;
use windlass_core::ports::search::SharedSearch;
use windlass_core::protocol::ids::SessionId;
use windlass_core::protocol::tool::ToolFailure;

use super::file_place::{FilePlace, Snapshot};
use super::ledger::ReadLedger;
use super::offload::StopFlag;
use super::root::{Root, shown};
use super::undo::Undo;
use super::{sha256, write};

/// Shared by all file tools.
pub(crate) struct FileWorkspace {
    pub(crate) ledger: ReadLedger,
    pub(crate) undo: Undo,
    search: Option<SharedSearch>,
    /// One change at a time, so that nothing comes between the last look at a file and its writing.
    changing: Mutex<()>,
}

/// A change that was worked out but not made.
pub(crate) struct FileChange {
    pub(crate) place: FilePlace,
    /// The file as it is; `None` when it will be made.
    pub(crate) before: Option<Snapshot>,
    /// The bytes as they will be; `None` when it will be removed.
    pub(crate) after: Option<Vec<u8>>,
}

impl FileChange {
    /// Whether the file would be the same afterwards.
    pub(crate) fn is_void(&self) -> bool {
        self.before.as_ref().map(|before| &before.bytes) == self.after.as_ref()
    }
}

/// Whether a change can be undone later.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum UndoCopy {
    Kept,
    /// The change is itself an undoing.
    NotKept,
}

impl FileWorkspace {
    pub(crate) fn new(undo_dir: Option<PathBuf>, search: Option<SharedSearch>) -> Self {
        Self { ledger: ReadLedger::default(), undo: Undo::new(undo_dir), search, changing: Mutex::default() }
    }

    /// Tells the index that a file was read or written (Z-4).
    pub(crate) fn touch(&self, place: &FilePlace) {
        if let (Some(search), Some(path)) = (&self.search, place.absolute().to_str()) {
            search.touch(path);
        }
    }

    /// Learns from a session's earlier outcomes what it has seen of files: it may have read them before a restart.
    pub(crate) fn recall(&self, session: &SessionId, root: &Root, results: &dyn ResultsPort) {
        if !self.ledger.is_first_sight(session) {
            return;
        }
        // Newest first: of a file that was read twice the last reading counts.
        for outcome in results.all().into_iter().rev() {
            let Ok(output) = &outcome.body else { continue };
            let text = |name: &str| output.json.get(name).and_then(Value::as_str);
            let (Some(path), Some(hash)) = (text("path"), text("sha256")) else { continue };
            let Ok(place) = root.locate(path) else { continue };
            // What this process saw itself is newer.
            if self.ledger.last_seen(session, place.absolute()).is_none() {
                self.ledger.record(session, place.absolute(), hash);
            }
        }
    }

    /// Refuses to change a file that the session has not seen as it is now. An expected hash speaks
    /// for itself; without one the session must have read the file.
    pub(crate) fn check_seen(
        &self,
        session: &SessionId,
        place: &FilePlace,
        now: &Snapshot,
        expected: Option<&str>,
    ) -> Result<(), ToolFailure> {
        if let Some(expected) = expected {
            return self.check_expected(place, now, expected);
        }
        let path = shown(place.path());
        match self.ledger.last_seen(session, place.absolute()) {
            Some(seen) if seen == now.sha256 => Ok(()),
            Some(_) => Err(ToolFailure::invalid_args(format!("'{path}' has changed since it was read"))
                .hint("Read it again with read_file, then send the change again.")),
            None => {
                Err(ToolFailure::invalid_args(format!("'{path}' exists and was not read in this session"))
                    .hint("Read it first with read_file, then send the change again."))
            }
        }
    }

    /// Refuses to change a file that is not what somebody saw.
    pub(crate) fn check_expected(
        &self,
        place: &FilePlace,
        now: &Snapshot,
        expected: &str,
    ) -> Result<(), ToolFailure> {
        if expected.eq_ignore_ascii_case(&now.sha256) {
            return Ok(());
        }
        let path = shown(place.path());
        let message = format!("'{path}' is not what was expected: its SHA-256 is {}", now.sha256);
        Err(ToolFailure::invalid_args(message)
            .at("expected_sha256", now.sha256.as_str(), expected)
            .hint("Read the file again with read_file and work from what is there now."))
    }

    /// The content that a file had when its SHA-256 was this, if the last change that was made here replaced just
    /// that.
    pub(crate) fn content_before(&self, place: &FilePlace, now: &Snapshot, sha: &str) -> Option<Vec<u8>> {
        let copy = self.undo.last(place.absolute()).ok()??;
        let is_last = copy.after() == now.sha256;
        copy.before.filter(|bytes| is_last && sha256(bytes).eq_ignore_ascii_case(sha))
    }

    /// Makes a change: only if the file is still as it was when the change was worked out. Returns the
    /// hash of the new content.
    pub(crate) fn apply(
        &self,
        session: &SessionId,
        change: &FileChange,
        undo: UndoCopy,
        stop: &StopFlag,
    ) -> Result<String, ToolFailure> {
        let _alone = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        stop.check()?;
        let FileChange { place, before, after } = change;
        // Looked at once more, under the lock: somebody may have thought about the question for minutes.
        let now = place.snapshot()?.map(|now| now.sha256);
        if now.as_deref() != before.as_ref().map(|before| before.sha256.as_str()) {
            let message = format!("'{}' changed while the call was prepared", shown(place.path()));
            return Err(ToolFailure::invalid_args(message).hint("Read it again, then send the change again."));
        }
        if before.as_ref().is_some_and(|before| before.permissions.readonly()) {
            let message = format!("'{}' is read-only; nothing was written", shown(place.path()));
            return Err(ToolFailure::denied(message).hint("Leave the file as it is, and tell the user."));
        }
        let hash = after.as_deref().map(sha256).unwrap_or_default();
        // Before the file is touched: what could not be taken back is not done.
        if undo == UndoCopy::Kept {
            let bytes = before.as_ref().map(|before| before.bytes.as_slice());
            self.undo.keep(place.absolute(), bytes, &hash).map_err(|error| {
                ToolFailure::io_error("No undo copy could be kept, so nothing was written.")
                    .detail(error.to_string())
            })?;
        }
        let written = match after {
            Some(bytes) => write::put(place, bytes, before.as_ref().map(|before| before.permissions.clone())),
            None => write::remove(place),
        };
        if let Err(failure) = written {
            // The copy of a change that did not happen would stand in the way of older ones.
            if let (UndoCopy::Kept, Ok(Some(copy))) = (undo, self.undo.last(place.absolute())) {
                self.undo.forget(&copy);
            }
            return Err(failure);
        }
        self.ledger.record(session, place.absolute(), &hash);
        self.touch(place);
        Ok(hash)
    }
}
