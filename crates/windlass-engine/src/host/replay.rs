//! Replay: a run is played again from its record, with the tools, rules and limits of today, and compared.

use std::sync::Arc;

use windlass_core::permission::{GateSettings, Permissions};
use windlass_core::ports::host::{HostError, ReplayDivergence, ReplayReport};
use windlass_core::ports::store::RunRow;
use windlass_core::protocol::command::RunSetup;
use windlass_core::protocol::event::Record;
use windlass_core::protocol::history::History;
use windlass_core::protocol::ids::RunId;
use windlass_core::rehearse::{CheckedBy, Divergence, rehearse, start_of};
use windlass_core::run::{RunSettings, Start};

use super::slot::OpenedWith;
use super::{Host, broken, failed};
use crate::form::formed;

/// A run on record, and what it is played again with.
pub(super) struct RecordedRun {
    pub(super) own: Vec<Arc<Record>>,
    /// What it began with; nothing if its beginning is not on record.
    pub(super) start: Option<Start>,
    /// The rules and grants before it, with its own gates.
    pub(super) permissions: Permissions,
}

impl Host {
    /// Plays a run again from its record and says where it first goes another way.
    pub(super) async fn replay_run(&self, run_id: &RunId) -> Result<ReplayReport, HostError> {
        let row = self.run_row(run_id).await?;
        let RecordedRun { own, start, mut permissions } = self.recollect(&row).await?;
        let start = start.ok_or_else(|| broken(format!("the beginning of run {run_id} is not on record")))?;
        let settings = Arc::new(self.settings_of_record(&row, start.send.wishes.setup.clone())?);
        let settings = formed(&settings, &start.send.wishes);
        let shelf = self.parts.registry.snapshot_of(&settings.profile);
        let checked_by = CheckedBy::Tools;
        let played = rehearse(settings, start, &own, &shelf.toolset, &mut permissions, checked_by);
        let run_id = run_id.clone();
        Ok(match played {
            Ok(rehearsed) => ReplayReport { run_id, same: rehearsed.same, divergence: None },
            Err(Divergence { seq, recorded, replayed }) => {
                let is_same = |record: &&Arc<Record>| record.seq < seq && record.event.is_of_machine();
                let same = own.iter().filter(is_same).count() as u64;
                ReplayReport { run_id, same, divergence: Some(ReplayDivergence { seq, recorded, replayed }) }
            }
        })
    }

    /// Loads a run, and what it began with.
    pub(super) async fn recollect(&self, row: &RunRow) -> Result<RecordedRun, HostError> {
        let session = self.parts.store.session(&row.session_id).await;
        let session = session.map_err(failed("session", row.session_id.as_str()))?;
        let records = self.parts.store.load(&row.session_id, 0).await.map_err(broken)?;
        let earlier = records.iter().filter(|record| record.seq < row.first_seq);
        let history = History::fold(&session.begin.history, earlier);
        let own: Vec<_> = records.iter().filter(|record| record.run_id == row.run_id).cloned().collect();
        let mut permissions = Permissions::new(self.parts.policies.rules(), self.parts.approve);
        permissions.restore(&[], &history.asked);
        let start = start_of(&own, history.transcript, history.next_call_number);
        if let Some(Start { send, .. }) = &start {
            let root = self.parts.root.display().to_string();
            let profile = (self.parts.profiles)(Some(&row.profile)).unwrap_or_default();
            permissions.begin_run(GateSettings::of(&send.wishes, &profile, root));
        }
        Ok(RecordedRun { own, start, permissions })
    }

    /// What a run on record was run with, as far as that is still there: a model that is not will do as a name.
    fn settings_of_record(
        &self,
        row: &RunRow,
        begun: Option<Arc<RunSetup>>,
    ) -> Result<RunSettings, HostError> {
        let setup = self.setup_of_record(row, begun);
        let (settings, _) = self.settings(&setup).or_else(|_| self.mute_settings(&setup))?;
        Ok(settings)
    }

    /// What a session is opened with for a run on record.
    pub(super) fn setup_of_record(&self, row: &RunRow, begun: Option<Arc<RunSetup>>) -> OpenedWith {
        OpenedWith {
            model: Some(row.model.clone()),
            profile: Some(row.profile.clone()),
            executes_while_streaming: None,
            edition: self.parts.models.edition(Some(&row.model)),
            begun,
        }
    }
}
