//! What a line says: one change, whole.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use windlass_core::permission::ApproveMode;
use windlass_core::ports::store::{NewSession, Save};
use windlass_core::protocol::event::Record;
use windlass_core::protocol::ids::{Millis, SessionId};
use windlass_core::protocol::settings::SessionSettings;

/// One change. A fork is one line with all its records, so that it is there whole or not at all.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "kebab-case")]
pub(crate) enum LogLine {
    SessionBegun { session_id: SessionId, begin: Box<NewSession>, now: Millis, records: Vec<Arc<Record>> },
    Appended { session_id: SessionId, records: Vec<Arc<Record>> },
    Renamed { session_id: SessionId, title: String },
    ApproveSet { session_id: SessionId, approve: ApproveMode },
    SettingsSet { session_id: SessionId, settings: SessionSettings },
    SessionDeleted { session_id: SessionId },
    GrantRevoked { grant_id: String },
    Saved { save: Save },
    SaveDeleted { save_id: String },
    Audited { session_id: SessionId, now: Millis, text: String },
}
