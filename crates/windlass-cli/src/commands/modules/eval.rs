//! `windlass modules eval`: a module's answers beside those that were expected, case by case.

use serde_json::json;
use windlass_core::text::time::duration;
use windlass_modules::measure::{CaseTally, Measured};

use super::exam::{Exam, cases_of, judge_of, new_bar, without_cases};
use super::trial::Trial;
use crate::args::{GlobalArgs, ModuleEvalArgs};
use crate::commands::run::block_on;
use crate::complaint::Result;
use crate::config::Flags;
use crate::exit::Exit;
use crate::project::store::SessionArchive;
use crate::providers::choice::choose;
use crate::terminal::out::{print, print_json, print_line};
use crate::terminal::run_follower::refused;
use crate::terminal::short_line::short_line;
use crate::terminal::table::lay_out;
use crate::wiring::Wiring;
use windlass_core::ports::host::ServedPort;

/// Characters of what was wrong with a case.
const WHY_CHARS_MAX: usize = 90;

pub(super) fn run(global: &GlobalArgs, args: &ModuleEvalArgs) -> Result<Exit> {
    let global = &without_cases(global)?;
    let flags = Flags { global: global.clone(), ..Flags::default() };
    // Nobody sits through all cases to answer questions.
    let wiring = Wiring::build_for(flags, &args.measure.permission, false)?;
    let module = wiring.modules.get(&args.id)?;
    let cases = cases_of(&args.measure, &module)?;
    let judge = judge_of(&wiring, &args.measure.metric)?;
    let chosen = choose(&wiring.config)?;
    let archive = SessionArchive::open(&wiring.config.folders, 1)?;
    let bar = new_bar(global, "asking", cases.len());
    let (sat, session) = block_on(async {
        let trial = Trial::begin(&wiring, &archive);
        let metric = (&args.measure.metric, judge);
        let mut exam = Exam::begin(&trial, (&module, &chosen), metric, &args.measure.data).await?;
        let sat = exam.sit(&module, &cases, &bar).await?;
        let session = exam.session().clone();
        trial.host().close().await.map_err(refused)?;
        Ok((sat, session))
    })?;
    bar.finish_and_clear();
    let tally = CaseTally::of(&sat.measured);
    if global.json {
        print_json(&json!({
            "module": module.module_id, "version": module.metadata.version, "model": chosen.model.name(),
            "data": args.measure.data.display().to_string(), "metric": args.measure.metric.to_string(),
            "is_whole": sat.is_whole, "session_id": session, "tally": tally, "cases": sat.measured,
        }))?;
    } else {
        print(&cases_table(&sat.measured))?;
        print_line("")?;
        print(&summary(&tally, &sat.measured))?;
        print_line(&format!("session {session}; windlass runs show RUN has all of a case"))?;
    }
    let is_good = args.at_least.is_none_or(|least| tally.score >= least);
    Ok(match (sat.is_whole, is_good) {
        (false, _) => Exit::Cancelled,
        (true, true) => Exit::Done,
        (true, false) => Exit::Failed,
    })
}

/// One row a case: where, how good, how long, in which run, and what was wrong.
fn cases_table(measured: &[Measured]) -> String {
    let head = ["LINE", "SCORE", "TIME", "RUN", "WHAT WAS WRONG"].map(str::to_owned);
    let rows = measured.iter().map(|case| {
        let why = case.why.as_deref().map(|why| short_line(why, WHY_CHARS_MAX)).unwrap_or_default();
        let run = case.run_id.clone().unwrap_or_default();
        [case.line.to_string(), format!("{:.2}", case.score), duration(case.elapsed_ms), run, why]
    });
    lay_out(&std::iter::once(head).chain(rows).collect::<Vec<_>>())
}

/// The figures of all cases.
pub(super) fn summary(tally: &CaseTally, measured: &[Measured]) -> String {
    let mut times: Vec<u64> = measured.iter().map(|case| case.elapsed_ms).collect();
    times.sort_unstable();
    let median = times.get(times.len() / 2).copied().unwrap_or_default();
    let own = |name: &str, value: String| [name.to_owned(), value];
    lay_out(&[
        own("cases", tally.cases.to_string()),
        own("passed", format!("{} of {}", tally.passed, tally.cases)),
        own("without an answer", tally.unanswered.to_string()),
        own("score", format!("{:.3}", tally.score)),
        own("median time", duration(median)),
    ])
}
