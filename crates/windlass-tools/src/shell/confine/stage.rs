//! The place where deeds are done: a project with a repository, a folder beside it, a hidden file, servers, and a process that
//! deeds may harm. What happened is looked at here, from outside.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::DirBuilderExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use tokio::process::{Child, Command};
use tokio::time::sleep;

use super::config::SandboxConfig;
use super::deeds::{LINGER_MS, SandboxDeed, StageFacts, socket_in};
use super::enter::DEED;
use super::plan::ConfinePlan;
use super::probe::ProvenSandbox;
use super::reach_deeds::ReachServer;
use crate::shell::environment::Environment;
use crate::shell::process::{FinishedProcess, Launch, ProcessEnd, execute};

/// No deed takes long; one that hangs is as good as refused.
const DEED_MS_MAX: u64 = 5_000;
/// What a helper prints is a line for each deed.
const PRINTED_BYTES_MAX: usize = 64 * 1024;
/// How long after its time a survivor is waited for, on a busy machine.
const SURVIVOR_GRACE_MS: u64 = 500;
/// How often it is looked whether the victim has ended.
const VICTIM_LOOKS: u32 = 20;
const VICTIM_LOOK_MS: u64 = 10;

/// A variable that only the victim's environment and the hidden file have.
const VARIABLE: &str = "WINDLASS_SANDBOX_PROBE";

pub(crate) struct Stage {
    folder: PathBuf,
    pub(crate) facts: StageFacts,
    helper: PathBuf,
    tcp: TcpListener,
    udp: UdpSocket,
    unix: UnixListener,
    nameless: UnixListener,
    reach: ReachServer,
    victim: Child,
}

/// How a helper ended, and what it said of each deed.
pub(crate) struct Told {
    pub(crate) lines: String,
    pub(crate) is_started: bool,
}

impl Told {
    pub(crate) fn is_done(&self, deed: SandboxDeed) -> bool {
        self.lines.lines().any(|line| line == format!("{} done", deed.word()))
    }

    /// Why a deed did not happen.
    pub(crate) fn reason(&self, deed: SandboxDeed) -> String {
        let lead = format!("{} refused: ", deed.word());
        let line = self.lines.lines().find_map(|line| line.strip_prefix(&lead));
        line.unwrap_or_else(|| self.lines.lines().next_back().unwrap_or("it said nothing")).to_owned()
    }
}

impl Stage {
    /// Builds one in the scratch folder; `name` tells it from others of this process.
    pub(crate) fn build(config: &SandboxConfig, name: &str) -> io::Result<Self> {
        let helper = config.helper.clone().ok_or_else(|| io::Error::other("no helper program is named"))?;
        let folder = config.scratch.join(format!("stage-{}-{name}", std::process::id()));
        let place = |name: &str| folder.join(name);
        make_private(&config.scratch)?;
        for name in ["project/.git/hooks", "bare", "outside", "home/.ssh"] {
            fs::create_dir_all(place(name))?;
        }
        let folder = folder.canonicalize()?;
        fs::write(place("outside/linked"), "before")?;
        fs::write(place("home/.ssh/id"), VARIABLE)?;
        let (tcp, udp) = (TcpListener::bind(("127.0.0.1", 0))?, UdpSocket::bind(("127.0.0.1", 0))?);
        let unix = UnixListener::bind(socket_in(&File::open(place("outside"))?))?;
        let socket_name = format!("windlass-sandbox-{}-{name}", std::process::id());
        let nameless = UnixListener::bind_addr(&SocketAddr::from_abstract_name(socket_name.as_bytes())?)?;
        let reach = ReachServer::start()?;
        tcp.set_nonblocking(true)?;
        udp.set_nonblocking(true)?;
        unix.set_nonblocking(true)?;
        nameless.set_nonblocking(true)?;
        let victim = Command::new(&helper)
            .args([DEED, "wait"])
            .env_clear()
            .env(VARIABLE, VARIABLE)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()?;
        let facts = StageFacts {
            root: folder.join("project"),
            bare: folder.join("bare"),
            outside: folder.join("outside"),
            hidden: folder.join("home/.ssh/id"),
            tcp_port: tcp.local_addr()?.port(),
            udp_port: udp.local_addr()?.port(),
            reach_port: reach.port,
            proxy: None,
            socket: folder.join("outside"),
            socket_name,
            victim: victim.id().and_then(|id| i32::try_from(id).ok()).unwrap_or_default(),
            variable: VARIABLE.to_owned(),
        };
        Ok(Self { folder, facts, helper, tcp, udp, unix, nameless, reach, victim })
    }

    /// The project that a deed is done in.
    fn project(&self, deed: Option<&SandboxDeed>) -> &Path {
        if deed == Some(&SandboxDeed::CreateMissingGit) { &self.facts.bare } else { &self.facts.root }
    }

    /// The plan for commands of this stage.
    pub(crate) fn plan(
        &self,
        config: &SandboxConfig,
        proven: &ProvenSandbox,
        deeds: &[SandboxDeed],
    ) -> io::Result<ConfinePlan> {
        let home = Some(self.folder.join("home"));
        let scratch = self.folder.join("temporary");
        fs::create_dir_all(&scratch)?;
        let config = SandboxConfig {
            home,
            scratch,
            hidden: Vec::new(),
            write: Vec::new(),
            hosts: Vec::new(),
            confinement: windlass_core::permission::Confinement::WorkspaceWrite,
            ..config.clone()
        };
        ConfinePlan::of(&config, proven, self.project(deeds.first()))
    }

    /// Lets the helper do deeds, held by a plan or bare.
    pub(crate) async fn act(
        &self,
        deeds: &[SandboxDeed],
        plan: Option<Arc<ConfinePlan>>,
    ) -> io::Result<Told> {
        let words: Vec<&str> = deeds.iter().map(|deed| deed.word()).collect();
        let facts = serde_json::to_string(&self.facts).map_err(io::Error::other)?;
        let helper = self.helper.display().to_string();
        let project = self.project(deeds.first());
        let reach = match deeds.iter().any(|deed| deed.reaching().is_some()) {
            true => Some(self.reach.proxy()?),
            false => None,
        };
        // A shell tells the helper what its environment says of the proxy: our code reads no environment.
        let shell = ["/bin/sh", "-c", "exec \"$@\" \"$HTTPS_PROXY\"", "sh"].map(str::to_owned);
        let lead = reach.iter().flat_map(|_| shell.clone());
        let launch = Launch {
            words: lead.chain([helper, DEED.to_owned(), words.join(","), facts]).collect(),
            folder: Dir::open_ambient_dir(project, ambient_authority())?,
            path: project.to_path_buf(),
            inherited: Arc::new(Environment::default()),
            env: BTreeMap::new(),
            timeout: Duration::from_millis(DEED_MS_MAX),
            stream_bytes_max: PRINTED_BYTES_MAX,
            held: plan,
            reach,
        };
        let finished = execute(launch, &|_| {}).await?;
        let FinishedProcess { end, stdout, stderr } = finished;
        let lines = format!("{}{}", stdout.text(), stderr.text());
        let is_started = matches!(end, ProcessEnd::Exited(_)) && !stdout.text().is_empty();
        Ok(Told { lines, is_started })
    }

    /// Whether a deed happened, looked at from outside where it leaves something there.
    pub(crate) async fn happened(&mut self, deed: SandboxDeed, told: &Told) -> bool {
        let facts = &self.facts;
        let word = deed.word();
        match deed {
            SandboxDeed::WriteInside => facts.root.join(word).exists(),
            SandboxDeed::WriteOutside | SandboxDeed::MoveOut | SandboxDeed::SymlinkOut => {
                facts.outside.join(word).exists()
            }
            SandboxDeed::WriteGitHook | SandboxDeed::Remount | SandboxDeed::Unmount => {
                facts.root.join(".git/hooks").join(word).exists()
            }
            SandboxDeed::MoveGitAway => !facts.root.join(".git/hooks").exists(),
            SandboxDeed::CreateMissingGit => facts.bare.join(".git/hooks").exists(),
            SandboxDeed::ConnectTcp => self.tcp.accept().is_ok(),
            SandboxDeed::SendUdp => self.udp.recv(&mut [0; 64]).is_ok(),
            SandboxDeed::ConnectUnixPath => self.unix.accept().is_ok(),
            SandboxDeed::ConnectUnixAbstract => self.nameless.accept().is_ok(),
            SandboxDeed::SignalOutward => self.victim_ended().await,
            SandboxDeed::HardLinkOut => {
                fs::read_to_string(facts.outside.join("linked")).is_ok_and(|text| text == word)
            }
            SandboxDeed::SurviveBySetsid => {
                sleep(Duration::from_millis(LINGER_MS + SURVIVOR_GRACE_MS)).await;
                facts.root.join(word).exists()
            }
            SandboxDeed::PtraceOutward
            | SandboxDeed::ReadEnvironmentOutward
            | SandboxDeed::ReadMemoryOutward
            | SandboxDeed::ReadHiddenFile
            | SandboxDeed::NestUserNamespace => told.is_done(deed),
            SandboxDeed::ReachGranted
            | SandboxDeed::ReachOther
            | SandboxDeed::ReachAround
            | SandboxDeed::ReachOtherName
            | SandboxDeed::ReachByAddress
            | SandboxDeed::ReachOwnMachine => deed.reaching().is_some_and(|deed| self.reach.saw(deed)),
        }
    }

    async fn victim_ended(&mut self) -> bool {
        for _ in 0..VICTIM_LOOKS {
            if self.victim.try_wait().is_ok_and(|status| status.is_some()) {
                return true;
            }
            sleep(Duration::from_millis(VICTIM_LOOK_MS)).await;
        }
        false
    }
}

/// A folder of this program's own, for nobody else to look into.
fn make_private(folder: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

impl Drop for Stage {
    fn drop(&mut self) {
        // Of no use any more; what cannot be taken away lies in the program's own folder.
        let _ = fs::remove_dir_all(&self.folder);
    }
}
