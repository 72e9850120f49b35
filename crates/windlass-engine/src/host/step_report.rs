//! What a step of a run asked of its model, and what that answered.
//!
//! The answer is on record; the question is made again by rehearsal, with the tools, limits and words of today.
//! Whatever of that is not there any more is told, and never guessed.

use std::sync::Arc;

use windlass_core::ports::host::HostError;
use windlass_core::ports::store::RunRow;
use windlass_core::protocol::ids::RunId;
use windlass_core::protocol::model::ModelRequest;
use windlass_core::protocol::step::{AskedRequest, StepReport};
use windlass_core::rehearse::recall_request;

use super::replay::RecordedRun;
use super::{Host, OpenModel};
use crate::form::formed;

impl Host {
    /// The exact exchange of a step.
    pub(super) async fn report_step(&self, run_id: &RunId, step: u32) -> Result<StepReport, HostError> {
        let row = self.run_row(run_id).await?;
        let past = self.recollect(&row).await?;
        let report = StepReport::fold(step, past.own.iter().map(AsRef::as_ref));
        let mut report = report
            .ok_or_else(|| HostError::Missing { what: "step", id: format!("{step} of run {run_id}") })?;
        let begun = past.start.as_ref().and_then(|start| start.send.wishes.setup.clone());
        let setup = self.setup_of_record(&row, begun);
        let (settings, opened) = match self.settings(&setup) {
            Ok(opened) => opened,
            Err(error) => {
                report.problem = Some(unopened(&row, &error));
                // Without even a profile nothing can be made again.
                let Ok(mute) = self.mute_settings(&setup) else { return Ok(report) };
                mute
            }
        };
        let RecordedRun { own, start, mut permissions } = past;
        let Some(start) = start else {
            report.problem = Some(
                "the request cannot be made again: the beginning of the run is not on record".to_owned(),
            );
            return Ok(report);
        };
        let shelf = self.parts.registry.snapshot_of(&settings.profile);
        let settings = formed(&Arc::new(settings), &start.send.wishes);
        match recall_request(&settings, start, &own, &shelf.toolset, &mut permissions, step) {
            Ok(request) => show(&mut report, &request, &opened),
            Err(divergence) => {
                report.problem = Some(format!(
                    "the request cannot be made again with the tools, rules and limits of today: {divergence}"
                ));
            }
        }
        Ok(report)
    }
}

fn show(report: &mut StepReport, request: &ModelRequest, opened: &OpenModel) {
    report.request = Some(AskedRequest::from(request));
    report.wire = opened.model.written(request);
}

fn unopened(row: &RunRow, error: &HostError) -> String {
    format!(
        "the model {} cannot be opened ({error}): the request is as it is made without knowing the model, and how \
         it went over the wire is not known",
        row.model
    )
}
