//! Which mechanism holds on this machine: found out by deeds, not by names and versions. A sandbox that was never seen to refuse
//! anything is none.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use windlass_core::permission::ConfinedBy;

use super::config::SandboxConfig;

/// What was found.
#[derive(Debug, Clone)]
pub(crate) struct ProvenSandbox {
    pub(crate) by: ConfinedBy,
    /// `bwrap`, where that is the mechanism.
    pub(crate) program: Option<PathBuf>,
    /// Why hosts cannot be reached through the proxy, where the user named some and it did not hold.
    pub(crate) hosts_problem: Option<String>,
    /// What the mechanism does not hold.
    pub(crate) weaknesses: Vec<String>,
    /// Those that were tried before and did not hold, and why.
    pub(crate) failed: Vec<(ConfinedBy, String)>,
}

impl ProvenSandbox {
    fn of(by: ConfinedBy) -> Self {
        Self { by, program: None, hosts_problem: None, weaknesses: Vec::new(), failed: Vec::new() }
    }

    /// Why there is none.
    pub(crate) fn reason(&self) -> String {
        let told: Vec<String> = self.failed.iter().map(|(by, why)| format!("{}: {why}", by.word())).collect();
        if told.is_empty() { "none is known for this system".to_owned() } else { told.join("; ") }
    }
}

/// The first mechanism that holds.
pub(crate) async fn find_mechanism(config: Arc<SandboxConfig>) -> ProvenSandbox {
    let mut found = ProvenSandbox::of(ConfinedBy::Nothing);
    for by in CANDIDATES {
        match prove(&config, by).await {
            Ok(proven) => return ProvenSandbox { failed: found.failed, ..proven },
            Err(error) => found.failed.push((by, error.to_string())),
        }
    }
    found
}

#[cfg(target_os = "linux")]
pub(crate) const CANDIDATES: [ConfinedBy; 2] = [ConfinedBy::Bubblewrap, ConfinedBy::Landlock];
#[cfg(not(target_os = "linux"))]
pub(crate) const CANDIDATES: [ConfinedBy; 1] = [ConfinedBy::Seatbelt];

/// Whether a mechanism is there, as far as that can be seen without a deed.
pub(crate) fn look_for(config: &SandboxConfig, by: ConfinedBy) -> io::Result<ProvenSandbox> {
    if config.without.contains(&by) {
        return Err(io::Error::other("left out on purpose"));
    }
    let proven = ProvenSandbox::of(by);
    match by {
        ConfinedBy::Bubblewrap => {
            let program = config.bwrap(&config.scratch);
            let program = program.ok_or_else(|| io::Error::other("bwrap is not installed"))?;
            Ok(ProvenSandbox { program: Some(program), ..proven })
        }
        #[cfg(target_os = "linux")]
        ConfinedBy::Landlock => Ok(ProvenSandbox { weaknesses: super::landlock::weaknesses()?, ..proven }),
        #[cfg(not(target_os = "linux"))]
        ConfinedBy::Landlock => Err(io::Error::other("this system has no Landlock")),
        ConfinedBy::Seatbelt if std::path::Path::new(super::seatbelt::PROGRAM).is_file() => Ok(proven),
        ConfinedBy::Seatbelt => Err(io::Error::other("this system has no sandbox-exec")),
        ConfinedBy::Nothing => Err(io::Error::other("nothing holds nothing")),
    }
}

#[cfg(target_os = "linux")]
async fn prove(config: &SandboxConfig, by: ConfinedBy) -> io::Result<ProvenSandbox> {
    use super::deeds::SandboxDeed;
    use super::stage::Stage;

    let proven = look_for(config, by)?;
    let mut deeds = vec![
        SandboxDeed::WriteInside,
        SandboxDeed::WriteOutside,
        SandboxDeed::ConnectTcp,
        SandboxDeed::ConnectUnixPath,
        SandboxDeed::ReadHiddenFile,
        SandboxDeed::ReadEnvironmentOutward,
    ];
    if by == ConfinedBy::Bubblewrap {
        deeds.extend([SandboxDeed::WriteGitHook, SandboxDeed::Unmount, SandboxDeed::MoveGitAway]);
    }
    let mut stage = Stage::build(config, by.word())?;
    let plan = Arc::new(stage.plan(config, &proven, &deeds)?);
    let told = stage.act(&deeds, Some(plan)).await?;
    if !told.is_started {
        let why = told.lines.lines().next_back().unwrap_or("it did not start");
        return Err(io::Error::other(why.to_owned()));
    }
    for deed in deeds {
        let happened = stage.happened(deed, &told).await;
        if happened != deed.is_wanted() {
            let what = if happened { "does not hold" } else { "does not let through" };
            return Err(io::Error::other(format!("it {what}: {} ({})", deed.about(), told.reason(deed))));
        }
    }
    let hosts_problem = match by == ConfinedBy::Bubblewrap && !config.hosts.is_empty() {
        true => prove_hosts(config, &proven).await.err().map(|error| error.to_string()),
        false => None,
    };
    Ok(ProvenSandbox { hosts_problem, ..proven })
}

/// Whether the proxy lets through what was granted, and nothing else; without it there is no network, so the sandbox holds anyway.
#[cfg(target_os = "linux")]
async fn prove_hosts(config: &SandboxConfig, proven: &ProvenSandbox) -> io::Result<()> {
    use super::deeds::SandboxDeed;
    use super::stage::Stage;

    let deeds = SandboxDeed::REACHING;
    let mut stage = Stage::build(config, "hosts")?;
    let plan = Arc::new(stage.plan(config, proven, &deeds)?);
    let told = stage.act(&deeds, Some(plan)).await?;
    for deed in deeds {
        let happened = stage.happened(deed, &told).await;
        if happened != deed.is_wanted() {
            let what = if happened { "does not hold" } else { "does not let through" };
            return Err(io::Error::other(format!("it {what}: {} ({})", deed.about(), told.reason(deed))));
        }
    }
    Ok(())
}

#[cfg(not(target_os = "linux"))]
async fn prove(config: &SandboxConfig, by: ConfinedBy) -> io::Result<ProvenSandbox> {
    look_for(config, by)
}
