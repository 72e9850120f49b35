//! Replay: a run is played again from its record, with the tools, rules and limits of today, and compared.

use std::sync::Arc;

use windlass_core::event::Record;
use windlass_core::history::History;
use windlass_core::host::{HostError, ReplayDivergence, ReplayReport};
use windlass_core::ids::RunId;
use windlass_core::permission::{GateSettings, Permissions};
use windlass_core::rehearse::{Divergence, rehearse, start_of};
use windlass_core::run::RunSettings;

use super::berth::Setup;
use super::{Host, broken, failed};

impl Host {
    /// Plays a run again from its record and says where it first goes another way.
    pub(super) async fn replay_run(&self, run_id: &RunId) -> Result<ReplayReport, HostError> {
        let row = self.run_row(run_id).await?;
        let session = self.parts.store.session(&row.session_id).await;
        let session = session.map_err(failed("session", row.session_id.as_str()))?;
        let records = self.parts.store.load(&row.session_id, 0).await.map_err(broken)?;
        let earlier = records.iter().filter(|record| record.seq < row.first_seq);
        let history = History::fold(&session.begin.history, earlier);
        let own: Vec<_> = records.iter().filter(|record| record.run_id == *run_id).cloned().collect();
        let start = start_of(&own, history.transcript, history.next_call_number);
        let start = start.ok_or_else(|| broken(format!("the beginning of run {run_id} is not on record")))?;
        let mut permissions = Permissions::new(self.parts.policies.rules(), self.parts.approve);
        permissions.restore(&history.grants, &history.asked);
        permissions.begin_run(GateSettings {
            tools_allowed: start.send.tools_allowed,
            allow_list: start.send.tools.clone(),
            tool_choice: start.send.tool_choice.clone(),
            ..GateSettings::default()
        });
        let settings = Arc::new(self.settings_of_record(&row.model, &row.profile)?);
        let shelf = self.parts.registry.snapshot();
        let played = rehearse(settings, start, &own, &shelf.toolset, &mut permissions);
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

    /// What a run on record was run with, as far as that is still there: a model that is not will do as a name.
    fn settings_of_record(&self, model: &str, profile: &str) -> Result<RunSettings, HostError> {
        let setup = Setup {
            model: Some(model.to_owned()),
            profile: Some(profile.to_owned()),
            executes_while_streaming: self.parts.executes_while_streaming,
        };
        let (settings, _) = self.settings(&setup).or_else(|_| self.mute_settings(&setup))?;
        Ok(settings)
    }
}
