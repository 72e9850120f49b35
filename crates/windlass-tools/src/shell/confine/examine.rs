//! Does the deeds of the doctor's table, and measures what a mechanism costs.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use windlass_core::permission::ConfinedBy;

use super::super::config::SandboxConfig;
use super::super::deeds::SandboxDeed;
use super::super::plan::ConfinePlan;
use super::super::probe::{ProvenSandbox, look_for};
use super::super::stage::{Stage, Told};
use super::{DeedReport, DeedVerdict, SandboxReport};
use crate::shell::environment::Environment;
use crate::shell::process::{Launch, execute};

/// Commands of each kind that are measured. They take turns, so that a busy machine is busy for all of them.
const RUNS: usize = 31;
/// A command that does nothing.
const IDLE: &str = "/bin/true";
const IDLE_MS_MAX: u64 = 10_000;
const IDLE_BYTES_MAX: usize = 1_024;

pub(super) async fn fill(
    mut report: SandboxReport,
    config: &SandboxConfig,
    proven: &ProvenSandbox,
) -> SandboxReport {
    if proven.by != ConfinedBy::Nothing {
        // With another mechanism no host can be granted.
        let is_tried = |deed: &SandboxDeed| proven.by == ConfinedBy::Bubblewrap || deed.reaching().is_none();
        for deed in SandboxDeed::ALL.into_iter().filter(is_tried) {
            report.deeds.push(examine(config, proven, deed).await);
        }
    }
    // What cannot be measured is left out.
    let _ = measure(&mut report, config).await;
    report
}

async fn examine(config: &SandboxConfig, proven: &ProvenSandbox, deed: SandboxDeed) -> DeedReport {
    let control = match deed {
        // These need something to take off, and the capabilities for it: a sandbox without the two lines that forbid them.
        SandboxDeed::Remount | SandboxDeed::Unmount => weakened(config, proven, deed).await,
        _ => once(config, proven, deed, ControlKind::Bare).await,
    };
    let held = once(config, proven, deed, ControlKind::Held).await;
    let verdict = match (deed, control.is_ok(), held.is_ok()) {
        (deed, _, true) if deed.is_wanted() => DeedVerdict::Works,
        (deed, _, false) if deed.is_wanted() => DeedVerdict::Broken,
        (_, _, true) => DeedVerdict::NotHeld,
        (_, true, false) => DeedVerdict::Held,
        (_, false, false) => DeedVerdict::Unproven,
    };
    let words = |outcome: Result<(), String>| outcome.map_or_else(|why| why, |()| "done".to_owned());
    DeedReport { deed: deed.word(), about: deed.about(), control: words(control), held: words(held), verdict }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ControlKind {
    Bare,
    Held,
    /// Bubblewrap that leaves all capabilities.
    Capable,
}

async fn weakened(config: &SandboxConfig, proven: &ProvenSandbox, deed: SandboxDeed) -> Result<(), String> {
    let known = look_for(config, ConfinedBy::Bubblewrap);
    let known = known.map_err(|error| format!("no control without bubblewrap: {error}"))?;
    once(config, &ProvenSandbox { failed: proven.failed.clone(), ..known }, deed, ControlKind::Capable).await
}

/// Does one deed on a stage of its own; an error is why it did not happen.
async fn once(
    config: &SandboxConfig,
    proven: &ProvenSandbox,
    deed: SandboxDeed,
    kind: ControlKind,
) -> Result<(), String> {
    let act = async {
        let mut stage = Stage::build(config, deed.word())?;
        let plan = match kind {
            ControlKind::Bare => None,
            ControlKind::Held => Some(stage.plan(config, proven, &[deed])?),
            ControlKind::Capable => {
                let mut plan: ConfinePlan = stage.plan(config, proven, &[deed])?;
                plan.is_capable = true;
                Some(plan)
            }
        };
        let told: Told = stage.act(&[deed], plan.map(Arc::new)).await?;
        let happened = stage.happened(deed, &told).await;
        io::Result::Ok(match (happened, told.is_done(deed)) {
            (true, _) => Ok(()),
            // A packet that arrives nowhere is sent all the same.
            (false, true) => Err("done inside, and nothing of it got out".to_owned()),
            (false, false) => Err(told.reason(deed)),
        })
    };
    act.await.unwrap_or_else(|error| Err(format!("not tried: {error}")))
}

/// The medians of bare and held commands that do nothing.
async fn measure(report: &mut SandboxReport, config: &SandboxConfig) -> io::Result<()> {
    let stage = Stage::build(config, "idle")?;
    let mut kinds = vec![(ConfinedBy::Nothing, None, Vec::new())];
    for mechanism in &report.mechanisms {
        if let Ok(known) = look_for(config, mechanism.by)
            && mechanism.problem.is_none()
        {
            kinds.push((mechanism.by, Some(Arc::new(stage.plan(config, &known, &[])?)), Vec::new()));
        }
    }
    for _ in 0..RUNS {
        for (_, plan, times) in &mut kinds {
            let launch = Launch {
                words: vec![IDLE.to_owned()],
                folder: Dir::open_ambient_dir(&stage.facts.root, ambient_authority())?,
                path: stage.facts.root.clone(),
                inherited: Arc::new(Environment::default()),
                env: BTreeMap::new(),
                timeout: Duration::from_millis(IDLE_MS_MAX),
                stream_bytes_max: IDLE_BYTES_MAX,
                held: plan.clone(),
                reach: None,
            };
            let begun = Instant::now();
            execute(launch, &|_| {}).await?;
            times.push(begun.elapsed());
        }
    }
    let mut kinds = kinds.into_iter().map(|(by, _, times)| (by, Figures::of(times)));
    let bare = kinds.next().map(|(_, bare)| bare).unwrap_or_default();
    report.bare_ms = Some(bare.median_ms);
    for (by, held) in kinds {
        for one in report.mechanisms.iter_mut().filter(|one| one.by == by) {
            one.overhead_ms = Some(held.median_ms - bare.median_ms);
            one.overhead_min_ms = Some(held.min_ms - bare.min_ms);
        }
    }
    Ok(())
}

/// What commands of one kind took.
#[derive(Default)]
struct Figures {
    median_ms: f64,
    /// Of the fastest: a busy machine makes every other one longer.
    min_ms: f64,
}

impl Figures {
    fn of(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        let ms = |at: usize| times.get(at).map_or(0.0, |time| time.as_secs_f64() * 1_000.0);
        Self { median_ms: ms(times.len() / 2), min_ms: ms(0) }
    }
}
