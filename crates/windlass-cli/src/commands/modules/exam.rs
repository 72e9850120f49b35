//! Cases put to a module, one run each, and what its answers are worth.

use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::Arc;

use indicatif::{ProgressBar, ProgressStyle};
use windlass_core::protocol::ids::SessionId;
use windlass_modules::Module;
use windlass_modules::measure::{
    Measured, Metric, ModuleCase, Score, judge_inputs, read_cases, read_verdict,
};

use super::trial::Trial;
use crate::args::{GlobalArgs, MeasureArgs};
use crate::commands::run::read_bounded;
use crate::complaint::{CommandError, Result};
use crate::providers::choice::ChosenModel;
use crate::terminal::signals::Signals;
use crate::wiring::Wiring;

/// The global flags, where `--data` names cases: here it is not the data folder.
pub(super) fn without_cases(global: &GlobalArgs) -> Result<GlobalArgs> {
    let is_data = |word: &std::ffi::OsString| {
        word.to_str().is_some_and(|word| word == "--data" || word.starts_with("--data="))
    };
    if std::env::args_os().filter(is_data).count() > 1 {
        return Err(CommandError::usage("--data is there twice, and names the cases here")
            .cure("name the data folder by the environment: WINDLASS_DATA=DIR"));
    }
    Ok(GlobalArgs { data: None, ..global.clone() })
}

/// Reads the cases of a file.
pub(super) fn cases_of(args: &MeasureArgs, module: &Module) -> Result<Vec<ModuleCase>> {
    let path = &args.data;
    let file = std::fs::File::open(path);
    let file = file.map_err(|error| CommandError::file(path, "read", &error).into_usage())?;
    let name = path.display().to_string();
    let text = read_bounded(file, &name)?;
    let mut cases = read_cases(&text, module).map_err(|bad| {
        let place = match (bad.line, bad.column) {
            (0, _) => name.clone(),
            (line, 0) => format!("{name}:{line}"),
            (line, column) => format!("{name}:{line}:{column}"),
        };
        CommandError::usage(format!("the cases cannot be used: {}", bad.why))
            .at(place)
            .cure("one JSON object a line: {\"inputs\": {…}, \"outputs\": {…}}")
    })?;
    cases.truncate(args.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX)));
    Ok(cases)
}

/// The module that judges, where one does.
pub(super) fn judge_of(wiring: &Wiring, metric: &Metric) -> Result<Option<Arc<Module>>> {
    match metric {
        Metric::Exact | Metric::Contains | Metric::Json => Ok(None),
        Metric::Module(id) => wiring.modules.get(id).map(Some),
    }
}

/// Who asks, what with, and how answers are weighed.
pub(super) struct Exam<'a> {
    trial: &'a Trial,
    model: &'a ChosenModel,
    metric: &'a Metric,
    session: SessionId,
    judge: Option<(Arc<Module>, SessionId)>,
    signals: Signals,
}

/// Cases that were put to a module.
pub(super) struct ExamResult {
    pub(super) measured: Vec<Measured>,
    /// Whether nobody stopped it before the last one.
    pub(super) is_whole: bool,
}

impl<'a> Exam<'a> {
    /// An examination of a module, with a session of its own for the runs of it and of its judge.
    pub(super) async fn begin(
        trial: &'a Trial,
        (module, model): (&Arc<Module>, &'a ChosenModel),
        (metric, judge): (&'a Metric, Option<Arc<Module>>),
        data: &Path,
    ) -> Result<Exam<'a>> {
        let file = data.file_name().unwrap_or(data.as_os_str()).to_string_lossy();
        let session = trial.session(module, model, &format!("eval {} · {file}", module.module_id)).await?;
        let judge = match judge {
            None => None,
            Some(judge) => {
                let title = format!("judge {} · {file}", module.module_id);
                let session = trial.session(&judge, model, &title).await?;
                Some((judge, session))
            }
        };
        Ok(Self { trial, model, metric, session, judge, signals: Signals::listen()? })
    }

    /// The session of its runs.
    pub(super) fn session(&self) -> &SessionId {
        &self.session
    }

    /// Puts all cases to a version of the module, until somebody stops it. A model that does not answer the first one is not
    /// asked again.
    pub(super) async fn sit(
        &mut self,
        module: &Arc<Module>,
        cases: &[ModuleCase],
        bar: &ProgressBar,
    ) -> Result<ExamResult> {
        let mut measured = Vec::new();
        for case in cases {
            let (trial, model, metric) = (self.trial, self.model, self.metric);
            let asking = ask(trial, model, metric, (&self.session, module), self.judge.as_ref(), case);
            let (result, is_model) = tokio::select! {
                result = asking => result?,
                () = self.signals.next() => return Ok(ExamResult { measured, is_whole: false }),
            };
            if is_model && measured.is_empty() {
                let why = result.why.unwrap_or_default();
                let name = self.model.model.name();
                return Err(CommandError::failed(format!("'{name}' does not answer: {why}"))
                    .cure("windlass models doctor"));
            }
            measured.push(result);
            bar.inc(1);
        }
        Ok(ExamResult { measured, is_whole: true })
    }
}

/// One case: what it was worth, and whether the model itself failed.
async fn ask(
    trial: &Trial,
    model: &ChosenModel,
    metric: &Metric,
    (session, module): (&SessionId, &Arc<Module>),
    judge: Option<&(Arc<Module>, SessionId)>,
    case: &ModuleCase,
) -> Result<(Measured, bool)> {
    let ran = trial.ask(session, (module, model), &case.inputs).await?;
    let (outputs, score, is_model) = match ran.outputs {
        Err(unanswered) => (None, Score::nothing(unanswered.why), unanswered.is_model),
        Ok(outputs) => {
            let score = match (metric.score(&case.outputs, &outputs), judge) {
                (Some(score), _) => score,
                (None, Some((judge, session))) => {
                    let given = judge_inputs(judge, &case.inputs, &case.outputs, &outputs)
                        .map_err(|error| CommandError::usage(error.to_string()).at("--metric"))?;
                    let verdict = trial.ask(session, (judge, model), &given).await?;
                    let verdict = verdict.outputs.map_err(|unanswered| unanswered.why);
                    verdict
                        .and_then(|outputs| read_verdict(&outputs))
                        .unwrap_or_else(|why| Score::nothing(format!("the judge gave no verdict: {why}")))
                }
                (None, None) => Score::nothing("nobody judges"),
            };
            (Some(outputs), score, false)
        }
    };
    let measured = Measured {
        line: case.line,
        score: score.value,
        is_passed: Measured::passes(score.value),
        why: score.why,
        outputs,
        run_id: Some(ran.run_id.to_string()),
        elapsed_ms: ran.elapsed_ms,
    };
    Ok((measured, is_model))
}

/// A bar for people who look.
pub(super) fn new_bar(global: &GlobalArgs, word: &'static str, cases: usize) -> ProgressBar {
    if !io::stderr().is_terminal() || global.quiet || global.json {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(cases as u64).with_message(word);
    if let Ok(style) = ProgressStyle::with_template("{msg} {bar:30} {pos}/{len} cases {eta:.dim}") {
        bar.set_style(style);
    }
    bar
}
