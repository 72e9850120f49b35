//! Landlock: the fallback where bubblewrap cannot be. A list of what may be read and written, set on the thread that starts
//! the command and inherited by it.
//!
//! It cannot close a folder within one that is open, so `.git` stays open to it: who asks for this mechanism says so.

use std::io;
use std::path::PathBuf;

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, LandlockStatus, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetStatus, Scope, path_beneath_rules,
};
use windlass_core::permission::Confinement;

use super::plan::ConfinePlan;

/// What every command may read: programs, libraries, settings of the system, and what the kernel says of processes.
const READABLE: [&str; 13] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/etc",
    "/opt",
    "/nix",
    "/snap",
    "/proc",
    "/sys/fs/cgroup",
    "/sys/devices/system/cpu",
];

/// Toolchains and their caches below a home.
const READABLE_AT_HOME: [&str; 17] = [
    ".cargo/bin",
    ".cargo/registry",
    ".cargo/git",
    ".cargo/env",
    ".cargo/config.toml",
    ".rustup",
    ".local/bin",
    ".local/lib",
    ".nvm",
    ".npm",
    ".pyenv",
    ".cache",
    ".gitconfig",
    ".config/git",
    ".deno",
    ".bun",
    "go",
];

/// Devices that hold nothing.
const DEVICES: [&str; 7] =
    ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx"];

/// What must be there: without the right to cut files short (ABI 3) a file outside could be emptied.
const NEEDED: ABI = ABI::V3;
/// Signals and abstract sockets are held from this one on.
const WANTED: ABI = ABI::V6;

/// What the kernel's Landlock cannot hold; an error where it holds too little.
pub(crate) fn weaknesses() -> io::Result<Vec<String>> {
    // Only a thread that is held learns what the kernel can; this one is thrown away.
    let abi = std::thread::spawn(known_abi)
        .join()
        .map_err(|_| io::Error::other("the thread that asked broke"))??;
    if abi < NEEDED {
        return Err(io::Error::other(format!(
            "this kernel's Landlock is too old ({abi:?}, {NEEDED:?} is needed)"
        )));
    }
    let mut weaknesses = vec![
        format!("by Landlock {abi:?}"),
        "what is in .git and .windlass of the project can be written".to_owned(),
        "files of the project that look like secrets can be read".to_owned(),
        "a process that leaves the group (setsid) outlives the command".to_owned(),
        "a user namespace can be made inside; what is held stays held in it".to_owned(),
        "a kill -9 of Windlass does not end the command".to_owned(),
    ];
    if abi < WANTED {
        weaknesses.push("signals to other processes of the same user are not held".to_owned());
    }
    Ok(weaknesses)
}

fn known_abi() -> io::Result<ABI> {
    let ask = || {
        let asked = Ruleset::default().handle_access(AccessFs::from_all(ABI::V1))?.create()?;
        asked.restrict_self()
    };
    match ask().map_err(|error: landlock::RulesetError| io::Error::other(error))?.landlock {
        LandlockStatus::Available { effective_abi, .. } => Ok(effective_abi),
        LandlockStatus::NotEnabled => Err(io::Error::other("Landlock is switched off in this kernel")),
        LandlockStatus::NotImplemented => Err(io::Error::other("this kernel has no Landlock")),
    }
}

/// Holds this thread, and what it starts, for good. Never weaker than it says: what the kernel lacks beyond
/// `weaknesses` is an error.
pub(crate) fn hold_this_thread(plan: &ConfinePlan) -> io::Result<()> {
    let status = restrict(plan).map_err(io::Error::other)?;
    match status {
        RulesetStatus::FullyEnforced => Ok(()),
        // Scopes alone may be missing, which is among the weaknesses.
        RulesetStatus::PartiallyEnforced => Ok(()),
        RulesetStatus::NotEnforced => Err(io::Error::other("the kernel did not enforce Landlock")),
    }
}

fn restrict(plan: &ConfinePlan) -> Result<RulesetStatus, landlock::RulesetError> {
    let (all, read) = (AccessFs::from_all(ABI::V5), AccessFs::from_read(ABI::V5));
    let device = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::IoctlDev;
    let ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(NEEDED))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(all)?
        .handle_access(AccessNet::from_all(ABI::V4))?
        .scope(Scope::from_all(WANTED))?
        .create()?;
    let writable = match plan.confinement {
        Confinement::ReadOnly => vec![plan.scratch.clone()],
        Confinement::WorkspaceWrite | Confinement::Full => {
            [&plan.root, &plan.scratch].into_iter().chain(&plan.writable).cloned().collect()
        }
    };
    let status = ruleset
        .add_rules(path_beneath_rules(readable(plan), read))?
        .add_rules(path_beneath_rules(DEVICES, device))?
        .add_rules(path_beneath_rules(writable, all))?
        .restrict_self()?;
    Ok(status.ruleset)
}

fn readable(plan: &ConfinePlan) -> Vec<PathBuf> {
    let at_home = plan.home.iter().flat_map(|home| READABLE_AT_HOME.iter().map(|name| home.join(name)));
    let mut paths: Vec<PathBuf> = READABLE.iter().map(PathBuf::from).chain(at_home).collect();
    paths.extend([plan.root.clone(), plan.helper.clone()]);
    paths
}
