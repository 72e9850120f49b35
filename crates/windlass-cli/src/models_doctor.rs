//! `windlass models doctor`: small probes of a live endpoint; what they find is kept and obeyed.

use std::sync::Arc;

use futures::StreamExt;
use windlass_core::model::{ModelDelta, ModelFailure, ModelRequest};
use windlass_core::port::{BoxFuture, ModelPort};
use windlass_engine::clock::Clock;
use windlass_models::doctor::{ExaminationLimits, Finding, Patient, Probe, Progress, Verdict, examine};
use windlass_models::quirks::Quirks;
use windlass_models::transport::Transport;
use windlass_models::{ModelName, Target, WireModel};

use crate::args::GlobalArgs;
use crate::complaint::{Complaint, Result};
use crate::config::Config;
use crate::diagnosis::{self, Examined};
use crate::exit::Exit;
use crate::out::{print, print_json, tell_line};
use crate::provider;
use crate::run::block_on;
use crate::table::lay_out;
use crate::visible::visible;

/// Examines a model and keeps what was found.
pub(crate) fn run(global: &GlobalArgs, config: &Config, name: &ModelName) -> Result<Exit> {
    // What an earlier visit found is no part of what is examined.
    let target = provider::plain_target(config, name)?;
    let bed = Bed { target: target.clone(), transport: Arc::new(provider::transport(config)?) };
    let at_ms = Clock::system().now_ms();
    let mut told = |progress: Progress<'_>| match progress {
        Progress::Begun(probe) if !global.quiet => tell_line(&format!("· {}", probe.title())),
        Progress::Begun(_) | Progress::Found(_) => {}
    };
    let diagnosis = block_on(async {
        tokio::select! {
            diagnosis = examine(&bed, &target, &ExaminationLimits::default(), at_ms, &mut told) => Ok(Some(diagnosis)),
            _ = tokio::signal::ctrl_c() => Ok(None),
        }
    })?;
    let Some(diagnosis) = diagnosis else { return Ok(Exit::Cancelled) };
    let examined = Examined { base_url: target.base_url.clone(), diagnosis };
    let plain = examined.diagnosis.finding(Probe::PlainAnswer);
    if let Some(finding) = plain.filter(|finding| finding.verdict != Verdict::Pass) {
        let why = finding.detail.as_deref().unwrap_or(&finding.meaning);
        return Err(Complaint::failed(format!("'{name}' does not answer: {why}")).at(&target.base_url));
    }
    let file = diagnosis::store(&config.folders.data, name, &examined)?;
    if global.json {
        print_json(&examined)?;
        return Ok(Exit::Done);
    }
    print(&lay_out(&rows(&examined)))?;
    tell_line(&format!("kept in {}; the next run obeys it", file.display()));
    Ok(Exit::Done)
}

/// One row a probe.
pub(crate) fn rows(examined: &Examined) -> Vec<[String; 3]> {
    examined.diagnosis.findings.iter().map(row).collect()
}

fn row(finding: &Finding) -> [String; 3] {
    let mark = match finding.verdict {
        Verdict::Pass => "✓",
        Verdict::Fail => "✗",
        Verdict::Unsure => "?",
        Verdict::Skipped => "–",
    };
    [mark.to_owned(), finding.probe.title().to_owned(), visible(&finding.meaning).into_owned()]
}

/// Where an endpoint lies while it is examined.
struct Bed {
    target: Target,
    transport: Arc<Transport>,
}

impl Patient for Bed {
    fn ask<'a>(
        &'a self,
        request: ModelRequest,
        quirks: &'a Quirks,
    ) -> BoxFuture<'a, std::result::Result<Vec<ModelDelta>, ModelFailure>> {
        let target = Target { quirks: quirks.clone(), ..self.target.clone() };
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
