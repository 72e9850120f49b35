//! `windlass models doctor`: small probes of a live endpoint; what they find is kept and obeyed.

use std::sync::Arc;

use futures::StreamExt;
use windlass_core::ports::{BoxFuture, ModelPort};
use windlass_core::protocol::model::{ModelDelta, ModelFailure, ModelRequest};
use windlass_engine::clock::Clock;
use windlass_models::doctor::{
    DoctorProgress, ExaminationLimits, Patient, ProbeFinding, ProbeVerdict, examine,
};
use windlass_models::quirks::Quirks;
use windlass_models::transport::Transport;
use windlass_models::{ModelName, ModelTarget, WireModel};

use crate::args::GlobalArgs;
use crate::commands::run::block_on;
use crate::complaint::{CommandError, Result};
use crate::config::CliConfig;
use crate::exit::Exit;
use crate::providers::diagnosis::{self, Examined};
use crate::providers::target;
use crate::terminal::out::{print, print_json, tell_line};
use crate::terminal::table::lay_out;

/// Examines a model and keeps what was found.
pub(crate) fn run(global: &GlobalArgs, config: &CliConfig, name: &ModelName) -> Result<Exit> {
    let exam = EndpointExam::make(config, name)?;
    let mut told = |progress: DoctorProgress<'_>| match progress {
        DoctorProgress::Begun(probe) if !global.quiet => tell_line(&format!("· {}", probe.title())),
        DoctorProgress::Begun(_) | DoctorProgress::Found(_) => {}
    };
    let examined = block_on(async {
        tokio::select! {
            examined = exam.examine(&mut told) => Ok(Some(examined)),
            _ = tokio::signal::ctrl_c() => Ok(None),
        }
    })?;
    let Some(examined) = examined else { return Ok(Exit::Cancelled) };
    if let Some(finding) = examined.silence() {
        let why = finding.detail.as_deref().unwrap_or(&finding.meaning);
        return Err(CommandError::failed(format!("'{name}' does not answer: {why}")).at(&examined.base_url));
    }
    let file = diagnosis::store(&config.folders.data, name, &examined)?;
    if global.json {
        print_json(&examined)?;
        return Ok(Exit::Done);
    }
    print(&lay_out(&rows(&examined)))?;
    tell_line(&format!("saved in {}; the next run uses it", file.display()));
    Ok(Exit::Done)
}

/// One row a probe.
pub(crate) fn rows(examined: &Examined) -> Vec<[String; 3]> {
    examined.diagnosis.findings.iter().map(row).collect()
}

fn row(finding: &ProbeFinding) -> [String; 3] {
    let mark = match finding.verdict {
        ProbeVerdict::Pass => "✓",
        ProbeVerdict::Fail => "✗",
        ProbeVerdict::Unsure => "?",
        ProbeVerdict::Skipped => "–",
    };
    [mark.to_owned(), finding.probe.title().to_owned(), finding.meaning.clone()]
}

/// One endpoint, to be examined.
pub(crate) struct EndpointExam {
    target: ModelTarget,
    transport: Arc<Transport>,
}

impl EndpointExam {
    /// What an earlier examination found is no part of what is examined.
    pub(crate) fn make(config: &CliConfig, name: &ModelName) -> Result<Self> {
        let target = target::plain_target(config, name)?;
        Ok(Self { target, transport: Arc::new(target::transport(config)?) })
    }

    /// Examines it, minutes if need be; nothing is kept.
    pub(crate) async fn examine(&self, told: &mut (dyn FnMut(DoctorProgress<'_>) + Send)) -> Examined {
        let (limits, at_ms) = (ExaminationLimits::default(), Clock::system().now_ms());
        let diagnosis = examine(self, &self.target, &limits, at_ms, told).await;
        Examined { base_url: self.target.base_url.clone(), diagnosis }
    }
}

impl Patient for EndpointExam {
    fn ask<'a>(
        &'a self,
        request: ModelRequest,
        quirks: &'a Quirks,
    ) -> BoxFuture<'a, std::result::Result<Vec<ModelDelta>, ModelFailure>> {
        let target = ModelTarget { quirks: quirks.clone(), ..self.target.clone() };
        let model = WireModel::new(target, Arc::clone(&self.transport));
        Box::pin(async move {
            let mut deltas = Vec::new();
            let mut stream = model.stream(request);
            while let Some(delta) = stream.next().await {
                deltas.push(delta?);
            }
            Ok(deltas)
        })
    }
}
