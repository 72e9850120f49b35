//! `windlass sandbox doctor`: what the sandbox of this machine holds, shown by deeds.

use windlass_core::permission::ConfinedBy;
use windlass_tools::{SandboxConfig, SandboxReport, sandbox_doctor};

use crate::args::{GlobalArgs, PermissionArgs, SandboxCommand};
use crate::commands::run::block_on;
use crate::complaint::Result;
use crate::config::Flags;
use crate::exit::Exit;
use crate::terminal::out::{print, print_json, print_line};
use crate::terminal::table::lay_out;
use crate::wiring::{Wiring, mechanism, sandbox_config};

pub(crate) fn run(global: &GlobalArgs, command: &SandboxCommand) -> Result<Exit> {
    match command {
        SandboxCommand::Doctor { without } => doctor(global, without),
    }
}

fn doctor(global: &GlobalArgs, without: &[String]) -> Result<Exit> {
    let flags = Flags { global: global.clone(), ..Flags::default() };
    let wiring = Wiring::build(flags, &PermissionArgs::default())?;
    let mut config: SandboxConfig = sandbox_config(&wiring.config)?;
    config.without.extend(without.iter().filter_map(|word| mechanism(word)));
    let report = block_on(async { Ok(sandbox_doctor(config).await) })?;
    if global.json {
        print_json(&report)?;
    } else {
        show(&report)?;
    }
    Ok(if report.is_sound() { Exit::Done } else { Exit::Failed })
}

fn show(report: &SandboxReport) -> Result<()> {
    for mechanism in &report.mechanisms {
        let state = match &mechanism.problem {
            Some(problem) => format!("not used: {problem}"),
            None if mechanism.is_used => "used".to_owned(),
            None => "not needed".to_owned(),
        };
        let cost = mechanism.overhead_ms.zip(mechanism.overhead_min_ms);
        let cost = cost.map(|(ms, least)| format!(", {ms:.1} ms a command, {least:.1} ms at least"));
        let cost = cost.unwrap_or_default();
        print_line(&format!("{}: {state}{cost}", mechanism.by.word()))?;
    }
    if report.by == ConfinedBy::Nothing {
        return print_line("No sandbox on this machine: commands run with your rights, and are asked about.");
    }
    let rows = report.deeds.iter().map(|deed| {
        let verdict = deed.verdict.word().to_owned();
        [verdict, deed.about.to_owned(), deed.control.clone(), deed.held.clone()]
    });
    let head = ["verdict", "deed", "without the sandbox", "in it"].map(str::to_owned);
    let rows: Vec<[String; 4]> = std::iter::once(head).chain(rows).collect();
    print(&lay_out(&rows))?;
    report.not_held.iter().try_for_each(|line| print_line(&format!("not held: {line}")))
}
