//! The sandbox around commands: which mechanism this machine has, what a command is held to, and how it is started so.
//!
//! Knows no rules and no questions: what it finds, the tool says in its inspection, and the core judges.
//!
//! - `config`: what the program says about it
//! - `plan`: what one command may write, and what is closed to it, as the file system is now
//! - `bwrap`, `landlock`, `seccomp`, `seatbelt`: the mechanisms
//! - `mask`: empty folders that are laid over what must not be made, and taken away again
//! - `start`: a command is started from a thread of its own, which is held like it
//! - `enter`: the helper program inside bubblewrap, and the deeds by which a sandbox is proven
//! - `deeds`, `reach_deeds`: those deeds; `stage`: the place where they are done; `probe`: which mechanism holds; `doctor`: the table
//! - `evidence`: whether a failed command was held back

mod bwrap;
pub(crate) mod config;
#[cfg(target_os = "linux")]
pub(crate) mod deeds;
pub(crate) mod doctor;
pub(crate) mod enter;
pub(crate) mod evidence;
#[cfg(target_os = "linux")]
pub(crate) mod landlock;
pub(crate) mod mask;
pub(crate) mod plan;
pub(crate) mod probe;
#[cfg(target_os = "linux")]
pub(crate) mod reach_deeds;
pub(crate) mod seatbelt;
#[cfg(target_os = "linux")]
pub(crate) mod seccomp;
#[cfg(target_os = "linux")]
pub(crate) mod stage;
pub(crate) mod start;

use std::io;
use std::path::Path;
use std::sync::Arc;

use tokio::sync::OnceCell;
use windlass_core::permission::{ConfinedBy, Sandbox};

use self::config::SandboxConfig;
use self::plan::ConfinePlan;
use self::probe::{ProvenSandbox, find_mechanism};

/// The sandbox of one program: its mechanism is found once, by deeds.
pub(crate) struct Confining {
    config: Arc<SandboxConfig>,
    proven: OnceCell<ProvenSandbox>,
}

/// How one command is held.
pub(crate) struct Confined {
    pub(crate) sandbox: Sandbox,
    /// None where nothing holds it.
    pub(crate) plan: Option<ConfinePlan>,
}

impl Confining {
    pub(crate) fn new(config: SandboxConfig) -> Self {
        Self { config: Arc::new(config), proven: OnceCell::new() }
    }

    /// What holds a command in this project from now on.
    pub(crate) async fn look_at(&self, root: &Path) -> io::Result<Confined> {
        let proven = self.proven.get_or_init(|| find_mechanism(Arc::clone(&self.config))).await;
        if proven.by == ConfinedBy::Nothing {
            return Ok(Confined { sandbox: Sandbox::nothing(&proven.reason()), plan: None });
        }
        let (config, proven, root) = (Arc::clone(&self.config), proven.clone(), root.to_path_buf());
        let plan = tokio::task::spawn_blocking(move || ConfinePlan::of(&config, &proven, &root));
        let plan = plan.await.map_err(io::Error::other)??;
        let held = Sandbox::held(plan.confinement, plan.by, plan.not_held());
        let held = match &plan.no_hosts {
            None => held.reaching(plan.hosts.iter().map(ToString::to_string).collect()),
            Some(reason) => held.without_hosts(reason),
        };
        let unasked = self.config.auto_allow && plan.closes_what_is_obeyed();
        Ok(Confined { sandbox: Sandbox { unasked, ..held }, plan: Some(plan) })
    }
}
