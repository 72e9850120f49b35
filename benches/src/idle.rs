//! What an idle session holds in memory.

use windlass_core::protocol::command::MessageSend;
use windlass_engine::ids::{new_message_id, new_run_id, new_session_id};
use windlass_engine::session::{Session, SessionParts};

use crate::loads::parts;
use crate::resident_bytes;

/// Bytes a session, measured over `count` sessions that each had one run with two calls.
pub async fn idle_session_bytes(count: usize) -> u64 {
    // The first sessions grow what all share: allocator, runtime, registry.
    let _warm = idle_sessions(count / 10).await;
    let before = resident_bytes();
    let sessions = idle_sessions(count).await;
    let after = resident_bytes();
    let each = after.saturating_sub(before) / sessions.len().max(1) as u64;
    drop(sessions);
    each
}

/// Sessions of one process: they share model, tools, rules and journal, as they do in a server.
async fn idle_sessions(count: usize) -> Vec<Session> {
    let shared = parts(2, 0);
    let mut sessions = Vec::with_capacity(count);
    for _ in 0..count {
        let session = Session::start(SessionParts { session_id: new_session_id(), ..shared.clone() });
        let send = MessageSend::text(new_run_id(), new_message_id(), "Go.");
        if let Ok(handle) = session.send(send).await {
            let _ = handle.finished().await;
        }
        sessions.push(session);
    }
    sessions
}
