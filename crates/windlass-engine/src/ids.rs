//! New ids, sorted by the time of their making (UUID version 7). The core takes ids as data and never
//! makes one.

use uuid::Uuid;
use windlass_core::protocol::ids::{MessageId, RunId, SessionId};

pub fn new_session_id() -> SessionId {
    SessionId::new(Uuid::now_v7().to_string())
}

pub fn new_run_id() -> RunId {
    RunId::new(Uuid::now_v7().to_string())
}

pub fn new_message_id() -> MessageId {
    MessageId::new(Uuid::now_v7().to_string())
}
