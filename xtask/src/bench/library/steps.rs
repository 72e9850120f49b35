//! What a step costs: the libraries take turns on one core, the provider has another.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};

use super::{FLOOR, LIBRARIES, Language, LibraryBench, OURS, PROVIDER, figure};
use crate::bench::Figure;
use crate::bench::peers::middle;
use crate::command_line::CommandLine;

const ROUNDS: usize = 7;
/// Sessions of eleven steps; half a second and more of processor time each.
const SESSIONS: &str = "1000";
const PYTHON_SESSIONS: &str = "30";

pub(super) const STEP: &str = "a step";
pub(super) const AGAINST_FLOOR: &str = "a step, against the floor";

pub(super) fn measure(bench: &LibraryBench) -> Result<Vec<Figure>> {
    bench.build(PROVIDER, &["--release"])?;
    bench.build(FLOOR, &["--release"])?;
    let mut programs = vec![(FLOOR, vec![bench.binary(FLOOR, "release", "steps")], SESSIONS)];
    for library in &LIBRARIES {
        let sessions = match library.language {
            Language::Rust => SESSIONS,
            Language::Python => PYTHON_SESSIONS,
        };
        if library.language == Language::Rust {
            bench.build(library.folder, &["--release", "--bin", "steps"])?;
        }
        programs.push((library.folder, bench.program(library, "release", "steps")?, sessions));
    }
    let mut rounds: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for round in 1..=ROUNDS {
        for (folder, program, sessions) in &programs {
            let micros = bench.once(program, sessions).with_context(|| format!("{folder} failed"))?;
            println!("{folder} round {round}: {micros:.2} µs CPU a step");
            rounds.entry(folder).or_default().push(micros);
        }
    }
    let floor = rounds.get(FLOOR).cloned().unwrap_or_default();
    let mut figures = Vec::new();
    for (folder, ..) in &programs {
        let micros = rounds.get(folder).cloned().unwrap_or_default();
        // A library and the floor of one round ran in the same minute.
        let ratios = micros.iter().zip(&floor).map(|(own, floor)| own / floor).collect();
        let target = if *folder == OURS { "at most 1.85" } else { "–" };
        figures.push(figure(folder, STEP, format!("{:.1} µs CPU", middle(micros)), "–"));
        figures.push(figure(folder, AGAINST_FLOOR, format!("{:.2} times", middle(ratios)), target));
    }
    Ok(figures)
}

impl LibraryBench {
    /// Microseconds of a step in one run of a program.
    fn once(&self, program: &[String], sessions: &str) -> Result<f64> {
        let provider = self.provider()?;
        let args = ["-c", "0"].into_iter().chain(program.iter().map(String::as_str));
        let args: Vec<&str> = args.chain([provider.url.as_str(), sessions]).collect();
        let said = CommandLine::new(&self.root, "taskset", &args).output()?;
        said.trim().parse().with_context(|| format!("it said '{}'", said.trim()))
    }
}
