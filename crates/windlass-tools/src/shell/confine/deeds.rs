//! The deeds by which a sandbox is proven: each a small real act that the helper tries and tells about. Whether it happened is
//! looked at from outside; what it says counts only where outside nothing can be seen.
//!
//! Every deed acts on a stage that was built for it, and on nothing else.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::net::{TcpStream, UdpSocket};
use std::os::fd::AsRawFd as _;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::symlink;
use std::os::unix::net::{SocketAddr, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::sched::{CloneFlags, unshare};
use nix::sys::ptrace;
use nix::sys::uio::{RemoteIoVec, process_vm_readv};
use rustix::process::{Pid, Signal, kill_process, setsid};
use serde::{Deserialize, Serialize};

use super::enter::DEED;
use super::reach_deeds::ReachDeed;

/// How long a connection is tried.
const CONNECT_MS: u64 = 500;
/// How long a survivor waits before it shows that it lives: the command and its group are ended long before.
pub(crate) const LINGER_MS: u64 = 300;

/// What a helper is told of its stage.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct StageFacts {
    /// The project.
    pub(crate) root: PathBuf,
    /// A project without `.git`.
    pub(crate) bare: PathBuf,
    /// A folder beside it.
    pub(crate) outside: PathBuf,
    /// A file that is hidden.
    pub(crate) hidden: PathBuf,
    pub(crate) tcp_port: u16,
    pub(crate) udp_port: u16,
    /// The server behind the proxy.
    pub(crate) reach_port: u16,
    /// The proxy, as the environment of the helper names it.
    #[serde(skip)]
    pub(crate) proxy: Option<String>,
    /// The folder with a socket.
    pub(crate) socket: PathBuf,
    /// The name of one without.
    pub(crate) socket_name: String,
    /// A process outside, and a variable in its environment.
    pub(crate) victim: i32,
    pub(crate) variable: String,
}

/// All deeds, in the order of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SandboxDeed {
    WriteInside,
    WriteOutside,
    WriteGitHook,
    MoveGitAway,
    CreateMissingGit,
    ConnectTcp,
    SendUdp,
    ConnectUnixPath,
    ConnectUnixAbstract,
    SignalOutward,
    PtraceOutward,
    ReadEnvironmentOutward,
    ReadMemoryOutward,
    ReadHiddenFile,
    HardLinkOut,
    MoveOut,
    SymlinkOut,
    SurviveBySetsid,
    Remount,
    Unmount,
    NestUserNamespace,
    ReachGranted,
    ReachOther,
    ReachAround,
    ReachOtherName,
    ReachByAddress,
    ReachOwnMachine,
}

const REACH_DEEDS: [(SandboxDeed, ReachDeed); 6] = [
    (SandboxDeed::ReachGranted, ReachDeed::Granted),
    (SandboxDeed::ReachOther, ReachDeed::Other),
    (SandboxDeed::ReachAround, ReachDeed::Around),
    (SandboxDeed::ReachOtherName, ReachDeed::OtherName),
    (SandboxDeed::ReachByAddress, ReachDeed::ByAddress),
    (SandboxDeed::ReachOwnMachine, ReachDeed::OwnMachine),
];

impl SandboxDeed {
    pub(crate) const ALL: [SandboxDeed; 27] = [
        SandboxDeed::WriteInside,
        SandboxDeed::WriteOutside,
        SandboxDeed::WriteGitHook,
        SandboxDeed::MoveGitAway,
        SandboxDeed::CreateMissingGit,
        SandboxDeed::ConnectTcp,
        SandboxDeed::SendUdp,
        SandboxDeed::ConnectUnixPath,
        SandboxDeed::ConnectUnixAbstract,
        SandboxDeed::SignalOutward,
        SandboxDeed::PtraceOutward,
        SandboxDeed::ReadEnvironmentOutward,
        SandboxDeed::ReadMemoryOutward,
        SandboxDeed::ReadHiddenFile,
        SandboxDeed::HardLinkOut,
        SandboxDeed::MoveOut,
        SandboxDeed::SymlinkOut,
        SandboxDeed::SurviveBySetsid,
        SandboxDeed::Remount,
        SandboxDeed::Unmount,
        SandboxDeed::NestUserNamespace,
        SandboxDeed::ReachGranted,
        SandboxDeed::ReachOther,
        SandboxDeed::ReachAround,
        SandboxDeed::ReachOtherName,
        SandboxDeed::ReachByAddress,
        SandboxDeed::ReachOwnMachine,
    ];

    /// Those about hosts, which only bubblewrap lets a command reach.
    pub(crate) const REACHING: [SandboxDeed; 6] = [
        SandboxDeed::ReachGranted,
        SandboxDeed::ReachOther,
        SandboxDeed::ReachAround,
        SandboxDeed::ReachOtherName,
        SandboxDeed::ReachByAddress,
        SandboxDeed::ReachOwnMachine,
    ];

    pub(crate) fn word(self) -> &'static str {
        match self {
            SandboxDeed::WriteInside => "write_inside",
            SandboxDeed::WriteOutside => "write_outside",
            SandboxDeed::WriteGitHook => "write_git_hook",
            SandboxDeed::MoveGitAway => "move_git_away",
            SandboxDeed::CreateMissingGit => "create_missing_git",
            SandboxDeed::ConnectTcp => "connect_tcp",
            SandboxDeed::SendUdp => "send_udp",
            SandboxDeed::ConnectUnixPath => "connect_unix_path",
            SandboxDeed::ConnectUnixAbstract => "connect_unix_abstract",
            SandboxDeed::SignalOutward => "signal_outward",
            SandboxDeed::PtraceOutward => "ptrace_outward",
            SandboxDeed::ReadEnvironmentOutward => "read_environment_outward",
            SandboxDeed::ReadMemoryOutward => "read_memory_outward",
            SandboxDeed::ReadHiddenFile => "read_hidden_file",
            SandboxDeed::HardLinkOut => "hard_link_out",
            SandboxDeed::MoveOut => "move_out",
            SandboxDeed::SymlinkOut => "symlink_out",
            SandboxDeed::SurviveBySetsid => "survive_by_setsid",
            SandboxDeed::Remount => "remount",
            SandboxDeed::Unmount => "unmount",
            SandboxDeed::NestUserNamespace => "nest_user_namespace",
            SandboxDeed::ReachGranted => "reach_granted_host",
            SandboxDeed::ReachOther => "reach_other_host",
            SandboxDeed::ReachAround => "reach_around_proxy",
            SandboxDeed::ReachOtherName => "reach_other_name",
            SandboxDeed::ReachByAddress => "reach_by_address",
            SandboxDeed::ReachOwnMachine => "reach_own_machine",
        }
    }

    /// Whether it should happen.
    pub(crate) fn is_wanted(self) -> bool {
        self == SandboxDeed::WriteInside || self == SandboxDeed::ReachGranted
    }

    /// What it tries with hosts, if it is one of those.
    pub(crate) fn reaching(self) -> Option<ReachDeed> {
        REACH_DEEDS.iter().find(|(deed, _)| *deed == self).map(|(_, reaching)| *reaching)
    }

    fn reach(self, stage: &StageFacts) -> io::Result<()> {
        let deed = self.reaching().ok_or(io::ErrorKind::Unsupported)?;
        deed.act(stage.reach_port, stage.proxy.as_deref())
    }

    fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|deed| deed.word() == word)
    }

    /// What it does, for people.
    pub(crate) fn about(self) -> &'static str {
        match self {
            SandboxDeed::WriteInside => "write a file in the project",
            SandboxDeed::WriteOutside => "write a file beside the project",
            SandboxDeed::WriteGitHook => "write a hook in .git",
            SandboxDeed::MoveGitAway => "move .git away",
            SandboxDeed::CreateMissingGit => "make a .git where there is none",
            SandboxDeed::ConnectTcp => "connect to a server of this machine",
            SandboxDeed::SendUdp => "send a packet",
            SandboxDeed::ConnectUnixPath => "connect to a socket with a path",
            SandboxDeed::ConnectUnixAbstract => "connect to a socket without a path",
            SandboxDeed::SignalOutward => "end a process outside",
            SandboxDeed::PtraceOutward => "trace a process outside",
            SandboxDeed::ReadEnvironmentOutward => "read the environment of a process outside",
            SandboxDeed::ReadMemoryOutward => "read the memory of a process outside",
            SandboxDeed::ReadHiddenFile => "read a hidden file",
            SandboxDeed::HardLinkOut => "write through a hard link to a file outside",
            SandboxDeed::MoveOut => "move a file out of the project",
            SandboxDeed::SymlinkOut => "write through a symbolic link to a file outside",
            SandboxDeed::SurviveBySetsid => "outlive the command in a session of its own",
            SandboxDeed::Remount => "mount .git again, to be written",
            SandboxDeed::Unmount => "take the cover off .git",
            SandboxDeed::NestUserNamespace => "make a user namespace, and be root in it",
            SandboxDeed::ReachGranted => "reach a host that was granted, through the proxy",
            SandboxDeed::ReachOther => "reach a host that was not granted, through the proxy",
            SandboxDeed::ReachAround => "reach a server around the proxy",
            SandboxDeed::ReachOtherName => "say another name in TLS than to the proxy",
            SandboxDeed::ReachByAddress => "reach a server by its address, through the proxy",
            SandboxDeed::ReachOwnMachine => "reach this machine by a granted name that leads to it",
        }
    }

    fn act(self, stage: &StageFacts) -> io::Result<()> {
        let mark = self.word();
        let inside = stage.root.join(mark);
        let outside = stage.outside.join(mark);
        match self {
            SandboxDeed::WriteInside => fs::write(inside, mark),
            SandboxDeed::WriteOutside => fs::write(outside, mark),
            SandboxDeed::WriteGitHook => write_hook(&stage.root, mark),
            SandboxDeed::MoveGitAway => fs::rename(stage.root.join(".git"), inside),
            SandboxDeed::CreateMissingGit => {
                fs::create_dir_all(stage.bare.join(".git/hooks"))?;
                write_hook(&stage.bare, mark)
            }
            SandboxDeed::ConnectTcp => {
                let address = ([127, 0, 0, 1], stage.tcp_port).into();
                TcpStream::connect_timeout(&address, Duration::from_millis(CONNECT_MS)).map(drop)
            }
            SandboxDeed::SendUdp => {
                let socket = UdpSocket::bind(("127.0.0.1", 0))?;
                socket.send_to(mark.as_bytes(), ("127.0.0.1", stage.udp_port)).map(drop)
            }
            SandboxDeed::ConnectUnixPath => {
                UnixStream::connect(socket_in(&File::open(&stage.socket)?)).map(drop)
            }
            SandboxDeed::ConnectUnixAbstract => {
                let address = SocketAddr::from_abstract_name(stage.socket_name.as_bytes())?;
                UnixStream::connect_addr(&address).map(drop)
            }
            SandboxDeed::SignalOutward => Ok(kill_process(victim(stage)?, Signal::KILL)?),
            SandboxDeed::PtraceOutward => trace(stage),
            SandboxDeed::ReadEnvironmentOutward => find_in(format!("/proc/{}/environ", stage.victim), stage),
            SandboxDeed::ReadMemoryOutward => read_memory(stage),
            SandboxDeed::ReadHiddenFile => find_in(&stage.hidden, stage),
            SandboxDeed::HardLinkOut => {
                fs::hard_link(stage.outside.join("linked"), &inside)?;
                fs::write(inside, mark)
            }
            SandboxDeed::MoveOut => {
                fs::write(&inside, mark)?;
                fs::rename(inside, outside)
            }
            SandboxDeed::SymlinkOut => {
                symlink(outside, &inside)?;
                fs::write(inside, mark)
            }
            SandboxDeed::SurviveBySetsid => survive(&inside),
            SandboxDeed::Remount => {
                let flags = MsFlags::MS_REMOUNT | MsFlags::MS_BIND;
                mount(None::<&str>, &stage.root.join(".git"), None::<&str>, flags, None::<&str>)?;
                write_hook(&stage.root, mark)
            }
            SandboxDeed::Unmount => {
                umount2(&stage.root.join(".git"), MntFlags::MNT_DETACH)?;
                write_hook(&stage.root, mark)
            }
            SandboxDeed::NestUserNamespace => Ok(unshare(CloneFlags::CLONE_NEWUSER)?),
            SandboxDeed::ReachGranted
            | SandboxDeed::ReachOther
            | SandboxDeed::ReachAround
            | SandboxDeed::ReachOtherName
            | SandboxDeed::ReachByAddress
            | SandboxDeed::ReachOwnMachine => self.reach(stage),
        }
    }
}

fn write_hook(project: &Path, mark: &str) -> io::Result<()> {
    fs::write(project.join(".git/hooks").join(mark), mark)
}

/// Reads what only the stage has in it; another file in its place proves nothing.
fn find_in(path: impl AsRef<Path>, stage: &StageFacts) -> io::Result<()> {
    let found = String::from_utf8_lossy(&fs::read(path)?).contains(&stage.variable);
    if found { Ok(()) } else { Err(io::Error::other("it holds something else")) }
}

fn trace(stage: &StageFacts) -> io::Result<()> {
    let victim = nix::unistd::Pid::from_raw(stage.victim);
    ptrace::attach(victim)?;
    nix::sys::wait::waitpid(victim, None)?;
    Ok(ptrace::detach(victim, None)?)
}

/// The socket in a folder, by a path that is short enough for one wherever the folder is.
pub(crate) fn socket_in(folder: &File) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}/s", folder.as_raw_fd()))
}

fn victim(stage: &StageFacts) -> io::Result<Pid> {
    Pid::from_raw(stage.victim).ok_or_else(|| io::Error::other("there is no such process"))
}

/// Reads the first bytes that the victim has in memory.
fn read_memory(stage: &StageFacts) -> io::Result<()> {
    let maps = fs::read_to_string(format!("/proc/{}/maps", stage.victim))?;
    let first = maps.split('-').next().unwrap_or_default();
    let base = usize::from_str_radix(first, 16).map_err(io::Error::other)?;
    let mut bytes = [0_u8; 4];
    let mut own = [io::IoSliceMut::new(&mut bytes)];
    let remote = [RemoteIoVec { base, len: 4 }];
    let read = process_vm_readv(nix::unistd::Pid::from_raw(stage.victim), &mut own, &remote)?;
    if read == bytes.len() { Ok(()) } else { Err(io::Error::other("less was read than asked for")) }
}

/// Leaves a process behind that shows a while later that it lives.
fn survive(mark: &Path) -> io::Result<()> {
    let mut child = Command::new("/proc/self/exe")
        .args([DEED, "linger"])
        .arg(mark)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut ready = [0_u8; 1];
    // It says when it has left the group: before that it would die with it, and prove nothing.
    child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?.read_exact(&mut ready)
}

fn linger(mark: &Path) -> io::Result<()> {
    setsid()?;
    io::stdout().write_all(b"r")?;
    io::stdout().flush()?;
    std::thread::sleep(Duration::from_millis(LINGER_MS));
    fs::write(mark, "survived")
}

/// Does what it is told and says how each deed went; ends with 0 when all were done.
pub(crate) fn run(mut arguments: impl Iterator<Item = OsString>) -> u8 {
    let what = arguments.next().unwrap_or_default();
    let facts = arguments.next().unwrap_or_default();
    match what.to_string_lossy().as_ref() {
        // The victim: ends when whoever started it lets go of its input.
        "wait" => io::stdin().read_to_end(&mut Vec::new()).map_or(1, |_| 0),
        "linger" => linger(Path::new(&facts)).map_or(1, |()| 0),
        words => match serde_json::from_str::<StageFacts>(&facts.to_string_lossy()) {
            Ok(stage) => {
                let proxy = arguments.next().map(|proxy| proxy.to_string_lossy().into_owned());
                let stage = StageFacts { proxy: proxy.filter(|proxy| !proxy.is_empty()), ..stage };
                words.split(',').fold(0, |code, word| code.max(tell(word, &stage)))
            }
            Err(_) => 2,
        },
    }
}

fn tell(word: &str, stage: &StageFacts) -> u8 {
    let Some(deed) = SandboxDeed::of_word(word) else { return 2 };
    let outcome = deed.act(stage);
    let line = match &outcome {
        Ok(()) => format!("{word} done"),
        Err(error) => format!("{word} refused: {error}"),
    };
    // Whoever asked may be gone.
    let _ = writeln!(io::stdout(), "{line}");
    u8::from(outcome.is_err())
}
