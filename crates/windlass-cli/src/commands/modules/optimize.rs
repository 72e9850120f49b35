//! `windlass modules optimize`: a better version of a module, if there is one.
//!
//! Half of the cases teach and half judge. Examples come from teaching cases that the module passes; instructions come from
//! a model, where one is named. What scores best on the judging cases is written as a new version; the old file stays.

use std::sync::Arc;

use serde_json::{Value, json};
use windlass_core::ports::host::ServedPort;
use windlass_core::text::time::rfc3339;
use windlass_engine::clock::Clock;
use windlass_modules::Module;
use windlass_modules::measure::{
    CaseTally, Measured, ModuleCase, PassedCase, WrittenVersion, choose_demos, next_version, proposal_inputs,
    proposer, read_proposal, split_cases, write_version,
};

use super::exam::{Exam, cases_of, judge_of, new_bar, without_cases};
use super::trial::Trial;
use crate::args::{GlobalArgs, OptimizeArgs};
use crate::commands::run::block_on;
use crate::complaint::{CommandError, Result};
use crate::config::Flags;
use crate::exit::Exit;
use crate::project::store::SessionArchive;
use crate::providers::choice::{ChosenModel, choose, choose_named};
use crate::terminal::out::{print, print_json, print_line};
use crate::terminal::run_follower::refused;
use crate::terminal::table::lay_out;
use crate::trust::renew;
use crate::wiring::Wiring;

/// A version that was tried.
struct TriedVersion {
    /// What is different about it.
    what: String,
    /// What made it, for its metadata.
    optimizer: &'static str,
    module: Arc<Module>,
    tally: CaseTally,
}

/// Everything that was tried, the version as it is first.
struct TriedVersions {
    tried: Vec<TriedVersion>,
    is_whole: bool,
}

pub(super) fn run(global: &GlobalArgs, args: &OptimizeArgs) -> Result<Exit> {
    let global = &without_cases(global)?;
    let flags = Flags { global: global.clone(), ..Flags::default() };
    let wiring = Wiring::build_for(flags, &args.measure.permission, false)?;
    let (module, folder) = wiring.modules.find_with_folder(&args.id)?;
    let cases = cases_of(&args.measure, &module)?;
    let chosen = choose(&wiring.config)?;
    let proposing =
        args.propose_with.as_deref().map(|word| choose_named(&wiring.config, word)).transpose()?;
    let archive = SessionArchive::open(&wiring.config.folders, 1)?;
    let found = block_on(async {
        let trial = Trial::begin(&wiring, &archive);
        let judge = judge_of(&wiring, &args.measure.metric)?;
        let metric = (&args.measure.metric, judge);
        let exam = Exam::begin(&trial, (&module, &chosen), metric, &args.measure.data).await?;
        let search = Search {
            global,
            args,
            trial: &trial,
            exam,
            found: TriedVersions { tried: Vec::new(), is_whole: true },
        };
        let found = search.find(&module, &cases, proposing.as_ref()).await?;
        trial.host().close().await.map_err(refused)?;
        Ok(found)
    })?;
    let Some((first, best)) = best_of(&found.tried) else {
        return Ok(Exit::Cancelled);
    };
    let is_better = best.tally.score > first.tally.score;
    let version = Arc::new(new_version(&module, best));
    let written = match is_better && found.is_whole && !args.dry_run {
        true => {
            Some(write_version(&folder, &version).map_err(|error| CommandError::failed(error.to_string()))?)
        }
        false => None,
    };
    if let Some(written) = &written {
        let manifest = folder.join("manifest.json");
        let files = [written.path.as_path(), written.kept.as_path(), manifest.as_path()];
        let config = &wiring.config;
        renew(&config.trust, &config.folders.data, &files, Clock::system().now_ms())?;
    }
    if global.json {
        let tried: Vec<Value> = found.tried.iter().map(tried_json).collect();
        let path = written.as_ref().map(|written| written.path.display().to_string());
        let kept = written.as_ref().map(|written| written.kept.display().to_string());
        print_json(&json!({
            "module": module.module_id, "tried": tried, "is_better": is_better, "is_whole": found.is_whole,
            "score_before": first.tally.score, "score": best.tally.score, "version": version.metadata.version,
            "written": path, "kept": kept,
        }))?;
    } else {
        let head = ["SCORE", "PASSED", "VERSION"].map(str::to_owned);
        let rows = found.tried.iter().map(|tried| {
            let passed = format!("{} of {}", tried.tally.passed, tried.tally.cases);
            [format!("{:.3}", tried.tally.score), passed, tried.what.clone()]
        });
        print(&lay_out(&std::iter::once(head).chain(rows).collect::<Vec<_>>()))?;
        print_line(&verdict(args, &version, (first, best), written.as_ref()))?;
    }
    Ok(if found.is_whole { Exit::Done } else { Exit::Cancelled })
}

/// What came of it, in a line.
fn verdict(
    args: &OptimizeArgs,
    version: &Module,
    (first, best): (&TriedVersion, &TriedVersion),
    written: Option<&WrittenVersion>,
) -> String {
    let is_better = best.tally.score > first.tally.score;
    match (written, is_better) {
        (Some(written), _) => format!(
            "version {} scores {:.3} (before: {:.3}): wrote {}, kept {}",
            version.metadata.version,
            best.tally.score,
            first.tally.score,
            written.path.display(),
            written.kept.display()
        ),
        (None, false) => "nothing scores better than the version as it is; nothing was written".to_owned(),
        (None, true) if args.dry_run => {
            format!("{} would be written as version {}", best.what, version.metadata.version)
        }
        (None, true) => "stopped before the end; nothing was written".to_owned(),
    }
}

/// The version as it is, and the first of those that score best.
fn best_of(tried: &[TriedVersion]) -> Option<(&TriedVersion, &TriedVersion)> {
    let (first, rest) = tried.split_first()?;
    let best =
        rest.iter().fold(first, |best, next| if next.tally.score > best.tally.score { next } else { best });
    Some((first, best))
}

fn tried_json(tried: &TriedVersion) -> Value {
    json!({"what": tried.what, "tally": tried.tally, "instruction": tried.module.instruction, "demos": tried.module.demos.len()})
}

fn new_version(module: &Module, best: &TriedVersion) -> Module {
    let mut version = Module::clone(&best.module);
    version.metadata.version = next_version(&module.metadata.version);
    version.metadata.optimizer = best.optimizer.to_owned();
    version.metadata.optimized_at = Some(rfc3339(Clock::system().now_ms()));
    version.metadata.metric_score = Some(best.tally.score);
    version
}

/// A search for a better version.
struct Search<'a> {
    global: &'a GlobalArgs,
    args: &'a OptimizeArgs,
    trial: &'a Trial,
    exam: Exam<'a>,
    found: TriedVersions,
}

impl Search<'_> {
    async fn find(
        mut self,
        module: &Arc<Module>,
        cases: &[ModuleCase],
        proposing: Option<&ChosenModel>,
    ) -> Result<TriedVersions> {
        let split = split_cases(cases);
        let taught = self.sit(module, &split.teaching, "teaching").await?;
        self.judge(module, &split.judging, "as it is".to_owned(), "").await?;
        if let Some(model) = proposing {
            self.try_instructions(module, &split.judging, &taught, model).await?;
        }
        // Examples are tried with the best instruction so far, not with every one.
        let base = best_of(&self.found.tried)
            .map_or_else(|| Arc::clone(module), |(_, best)| Arc::clone(&best.module));
        let is_new = base.instruction != module.instruction;
        let passed = passed_of(&split.teaching, &taught);
        let count = usize::try_from(self.args.demos).unwrap_or(usize::MAX);
        for demos in choose_demos(&base, &passed, count) {
            let what = match (demos.len(), is_new) {
                (1, _) => "1 example".to_owned(),
                (count, false) => format!("{count} examples"),
                (count, true) => format!("{count} examples and the new instruction"),
            };
            let candidate = Arc::new(Module { demos, ..Module::clone(&base) });
            let optimizer = if is_new { "instruction_and_few_shot" } else { "few_shot" };
            self.judge(&candidate, &split.judging, what, optimizer).await?;
        }
        Ok(self.found)
    }

    async fn try_instructions(
        &mut self,
        module: &Arc<Module>,
        judging: &[ModuleCase],
        taught: &[Measured],
        model: &ChosenModel,
    ) -> Result<()> {
        let proposer = Arc::new(proposer());
        let title = format!("instructions for {}", module.module_id);
        let session = self.trial.session(&proposer, model, &title).await?;
        let mut earlier = Vec::new();
        for number in 1..=self.args.proposals {
            if !self.found.is_whole {
                return Ok(());
            }
            let given = proposal_inputs(module, taught, &earlier);
            let ran = self.trial.ask(&session, (&proposer, model), &given).await?;
            let outputs = match ran.outputs {
                Ok(outputs) => outputs,
                Err(unanswered) if number == 1 => {
                    let name = model.model.name();
                    return Err(CommandError::failed(format!(
                        "'{name}' proposes nothing: {}",
                        unanswered.why
                    ))
                    .at(format!("run {}", ran.run_id)));
                }
                Err(_) => continue,
            };
            let Some(instruction) = read_proposal(module, &outputs).filter(|text| !earlier.contains(text))
            else {
                continue;
            };
            earlier.push(instruction.clone());
            let candidate = Arc::new(Module { instruction, ..Module::clone(module) });
            self.judge(&candidate, judging, format!("instruction {number}"), "instruction").await?;
        }
        Ok(())
    }

    async fn sit(
        &mut self,
        module: &Arc<Module>,
        cases: &[ModuleCase],
        word: &'static str,
    ) -> Result<Vec<Measured>> {
        if !self.found.is_whole {
            return Ok(Vec::new());
        }
        let bar = new_bar(self.global, word, cases.len());
        let sat = self.exam.sit(module, cases, &bar).await?;
        bar.finish_and_clear();
        self.found.is_whole &= sat.is_whole;
        Ok(sat.measured)
    }

    /// Scores a version by the judging cases; one that was not put to all of them does not count.
    async fn judge(
        &mut self,
        module: &Arc<Module>,
        cases: &[ModuleCase],
        what: String,
        optimizer: &'static str,
    ) -> Result<()> {
        let measured = self.sit(module, cases, "judging").await?;
        if self.found.is_whole {
            let (module, tally) = (Arc::clone(module), CaseTally::of(&measured));
            self.found.tried.push(TriedVersion { what, optimizer, module, tally });
        }
        Ok(())
    }
}

/// Teaching cases that the module passed, with all that it gave.
fn passed_of(teaching: &[ModuleCase], taught: &[Measured]) -> Vec<PassedCase> {
    let passed = teaching.iter().zip(taught).filter(|(_, measured)| measured.is_passed);
    passed
        .filter_map(|(case, measured)| {
            Some(PassedCase { inputs: case.inputs.clone(), outputs: measured.outputs.clone()? })
        })
        .collect()
}
