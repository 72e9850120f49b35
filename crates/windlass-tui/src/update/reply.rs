//! What effects gave.

use windlass_core::host::HostError;

use super::question;
use crate::effect::Effect;
use crate::input::{Reply, Wish};
use crate::state::State;
use crate::state::session::OpenSession;

/// Takes a reply.
pub(super) fn take(state: &mut State, reply: Reply) -> Vec<Effect> {
    match reply {
        Reply::Opened { row, records } => {
            let mut session = OpenSession::new(*row);
            records.iter().for_each(|record| session.apply(record));
            let (session_id, after) = (session.row.session_id.clone(), session.durable_seq);
            state.session = Some(session);
            state.transcript = Default::default();
            vec![Effect::Follow { session_id, after }]
        }
        Reply::Started { run, session } => match session {
            Some(row) => {
                let session_id = row.session_id.clone();
                state.session = Some(OpenSession::new(*row));
                vec![Effect::Follow { session_id, after: 0 }]
            }
            // A fork or a run that was taken up again may be in another session than the one that is shown.
            None => match &state.session {
                Some(open) if open.row.session_id == run.session_id => Vec::new(),
                Some(_) | None => vec![Effect::Open(run.session_id)],
            },
        },
        Reply::Models(models) => {
            state.about.models = models;
            Vec::new()
        }
        Reply::Sessions(_)
        | Reply::UnfinishedRuns(_)
        | Reply::Rules(_)
        | Reply::Explained { .. }
        | Reply::Paths(_)
        | Reply::Found { .. }
        | Reply::Quiet => Vec::new(),
        Reply::Done(text) => {
            state.tell(text);
            Vec::new()
        }
        Reply::Refused { wish, error } => {
            refuse(state, wish, &error);
            Vec::new()
        }
    }
}

fn refuse(state: &mut State, wish: Wish, error: &HostError) {
    match wish {
        // What was written is not lost.
        Wish::Send(text) => {
            state.sending = None;
            state.composer.put_back(&text);
            state.complain(error.to_string());
        }
        Wish::Cancel => {
            state.cancelling = None;
            state.complain(format!("the run could not be stopped: {error}"));
        }
        Wish::Answer(call_id) => question::refuse(state, &call_id, error),
        Wish::Open => state.complain(format!("the session could not be opened: {error}")),
        Wish::Other(what) => state.complain(format!("could not {what}: {error}")),
    }
}
