//! The floor: commands that destroy beyond the project. No mode, rule, grant or answer lifts it.
//!
//! It looks at lines through `shell`, so that quotes, wrappers, variables and pipes hide nothing that the line itself
//! says. It is a net for accidents and clumsy malice, no fence: a program that was written for it gets through.
//! Text that nobody can read beforehand (downloaded or decoded into a shell) is not refused here; the mode *all*,
//! in which nobody would look at it, does.
//!
//! | what | such as |
//! |---|---|
//! | deletes, empties, moves or changes the rights of whole places | `rm -rf / ~ .. /etc`, `find / -delete`, `chmod -R / …` |
//! | overwrites disks and files of the system | `dd of=/dev/sda`, `mkfs /dev/…`, `> /etc/passwd` |
//! | stops the machine or all processes | `shutdown`, `reboot`, `kill -9 -1` |
//! | starts processes without end | `:(){ :\|:& };:` |

use super::place::{PathLoss, PlainPath};
use crate::text::shell::{ProgramRun, Redirect, runs};

/// What the floor finds in a command line, the harder the later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum FloorFinding {
    /// Nothing that it knows.
    #[default]
    Nothing,
    /// It runs text that nobody can read beforehand.
    Unreadable,
    /// It destroys, in these words: "it …".
    Destroys(&'static str),
}

const DELETES: &str = "would delete or empty something beyond the project";
const RIGHTS: &str = "would change the rights of a whole system, home or folder above the project";
const DISK: &str = "would overwrite a disk or device";
const SYSTEM: &str = "would overwrite a file of the system";
const STOPS: &str = "would stop the machine or all processes";
const FORKS: &str = "starts processes without end";

const FORMATTERS: [&str; 9] =
    ["mke2fs", "mkswap", "newfs", "blkdiscard", "wipefs", "fdisk", "sfdisk", "sgdisk", "parted"];
const STOPPERS: [&str; 6] = ["shutdown", "reboot", "halt", "poweroff", "killall5", "kexec"];
/// Ways to ask a program that formats disks for something harmless.
const HARMLESS: [&str; 7] = ["--help", "-h", "--version", "-V", "-l", "--list", "-n"];
/// Words that stop a machine behind `systemctl`.
const UNITS: [&str; 8] =
    ["reboot", "poweroff", "halt", "kexec", "emergency", "rescue", "soft-reboot", "reboot.target"];
/// Programs and the word after them that destroy volumes.
const VOLUMES: [(&str, &str); 8] = [
    ("zpool", "destroy"),
    ("zfs", "destroy"),
    ("cryptsetup", "luksFormat"),
    ("cryptsetup", "erase"),
    ("diskutil", "eraseDisk"),
    ("diskutil", "eraseVolume"),
    ("nvme", "format"),
    ("btrfs", "device"),
];

/// Looks at a command line that would be run in `root`.
pub(super) fn look_at(line: &str, root: &str) -> FloorFinding {
    // By its shape: each of its commands alone is harmless.
    if is_fork_bomb(line) {
        return FloorFinding::Destroys(FORKS);
    }
    let looked = runs(line, root).into_iter().map(|run| look(&run, root)).max();
    looked.unwrap_or_default()
}

fn look(run: &ProgramRun, root: &str) -> FloorFinding {
    const RULES: [fn(&LookedCommand<'_>) -> Option<&'static str>; 9] =
        [removes, empties, disks, copies, moves, rights, stops, found, mirrors];
    let looked = LookedCommand { run, root };
    match RULES.iter().find_map(|rule| rule(&looked)) {
        Some(reason) => FloorFinding::Destroys(reason),
        None if run.is_unreadable => FloorFinding::Unreadable,
        None => FloorFinding::Nothing,
    }
}

/// A command, and where the project is.
struct LookedCommand<'a> {
    run: &'a ProgramRun,
    root: &'a str,
}

impl<'a> LookedCommand<'a> {
    fn is(&self, names: &[&str]) -> bool {
        names.contains(&self.run.program.as_str())
    }

    fn has(&self, short: &[char], long: &[&str]) -> bool {
        self.run.args.iter().any(|arg| {
            // `-rf` is two flags in one word.
            let is_bundle = arg.starts_with('-') && !arg.starts_with("--");
            (is_bundle && arg.contains(short)) || long.contains(&arg.as_str())
        })
    }

    /// Arguments that are no flags.
    fn operands(&self) -> impl Iterator<Item = &'a str> {
        let run: &'a ProgramRun = self.run;
        let all_after = run.args.iter().position(|arg| arg == "--").unwrap_or(usize::MAX);
        let is_operand = move |(at, arg): &(usize, &'a String)| *at > all_after || !arg.starts_with('-');
        run.args.iter().enumerate().filter(is_operand).map(|(_, arg)| arg.as_str()).filter(|arg| *arg != "--")
    }

    fn place(&self, path: &str) -> Option<PlainPath> {
        PlainPath::of(path, self.run.folder.as_deref(), self.root)
    }

    /// Whether a path is a place of which nothing may be lost, or a part of the system.
    fn is_beyond(&self, path: &str) -> bool {
        self.place(path).is_some_and(|place| matches!(place.reach(), PathLoss::Whole | PathLoss::System))
    }

    fn is_whole(&self, path: &str) -> bool {
        self.place(path).is_some_and(|place| place.reach() == PathLoss::Whole)
    }

    fn is_device(&self, path: &str) -> bool {
        self.place(path).is_some_and(|place| place.is_device())
    }

    /// Why nothing may be written to a path.
    fn unwritable(&self, path: &str) -> Option<&'static str> {
        let place = self.place(path)?;
        match place.reach() {
            _ if place.is_device() => Some(DISK),
            // What is left of the devices loses nothing.
            PathLoss::System if !place.is_in_devices() => Some(SYSTEM),
            PathLoss::System | PathLoss::Whole | PathLoss::Other => None,
        }
    }
}

fn removes(looked: &LookedCommand<'_>) -> Option<&'static str> {
    let is_recursive = looked.has(&['r', 'R'], &["--recursive", "--dir"]);
    let is_hit = match looked.run.program.as_str() {
        // Nobody writes this but to delete `/`.
        "rm" | "unlink" | "srm" if looked.has(&[], &["--no-preserve-root"]) => true,
        "rm" | "unlink" | "srm" => {
            looked.operands().any(|path| match looked.place(path).map(|place| place.reach()) {
                // Without the flag these programs refuse a folder.
                Some(PathLoss::Whole) => is_recursive,
                Some(PathLoss::System) => true,
                Some(PathLoss::Other) | None => false,
            })
        }
        "rmtree" | "trash" | "rimraf" | "gio" => looked.operands().any(|path| looked.is_whole(path)),
        "git" => {
            let folder = looked.run.args.iter().position(|arg| arg == "-C");
            let folder = folder.and_then(|at| looked.run.args.get(at + 1)).map_or(".", String::as_str);
            let is_clean = looked.operands().any(|word| word == "clean") && looked.has(&['f'], &["--force"]);
            is_clean && looked.is_whole(folder)
        }
        _ => false,
    };
    is_hit.then_some(DELETES)
}

/// Files that are emptied or written over: by redirections, `tee`, `truncate`, `shred`.
fn empties(looked: &LookedCommand<'_>) -> Option<&'static str> {
    let redirected = looked.run.redirects.iter().find_map(|(redirect, path)| match redirect {
        Redirect::Read => None,
        Redirect::Write => looked.unwritable(path),
        // Appending loses nothing of a file, but overwrites a device.
        Redirect::Append => (looked.is_device(path) || path == "/proc/sysrq-trigger").then_some(DISK),
    });
    let is_tee = looked.is(&["tee"]) && !looked.has(&['a'], &["--append"]);
    let written = || match is_tee || looked.is(&["truncate", "shred", "fallocate", "sponge"]) {
        true => looked.operands().find_map(|path| looked.unwritable(path)),
        false => None,
    };
    redirected.or_else(written)
}

fn disks(looked: &LookedCommand<'_>) -> Option<&'static str> {
    let run = looked.run;
    let is_harmless = run.args.iter().any(|arg| HARMLESS.contains(&arg.as_str()));
    let is_formatter = run.program.starts_with("mkfs") || FORMATTERS.contains(&run.program.as_str());
    // A file of the project may hold a file system too.
    let names_disk = || looked.operands().any(|path| looked.is_device(path) || is_unknown(path));
    let has_no_file = looked.operands().next().is_none() && run.program.starts_with("mkfs");
    if is_formatter && !is_harmless && (names_disk() || has_no_file) {
        return Some(DISK);
    }
    let is_volume =
        VOLUMES.iter().any(|(name, word)| run.program == *name && looked.operands().next() == Some(word));
    let removes_volume = looked.is(&["lvremove", "vgremove", "pvremove"]);
    let is_erased = (looked.is(&["hdparm"])
        && run.args.iter().any(|arg| arg.starts_with("--security-erase")))
        || (looked.is(&["badblocks"]) && looked.has(&['w'], &[]));
    if is_volume && run.program != "btrfs" || removes_volume || is_erased {
        return Some(DISK);
    }
    let target =
        run.args.iter().filter(|_| looked.is(&["dd", "dcfldd"])).find_map(|arg| arg.strip_prefix("of="));
    target.and_then(|path| looked.unwritable(path))
}

/// Copies over disks, and over the files that a system starts with.
fn copies(looked: &LookedCommand<'_>) -> Option<&'static str> {
    if !looked.is(&["cp", "install", "ln", "rsync", "scp", "mv"]) {
        return None;
    }
    let to: Vec<&str> = looked.operands().collect();
    let (last, from) = to.split_last()?;
    let is_emptying = from.iter().any(|path| matches!(*path, "/dev/null" | "/dev/zero" | "/dev/urandom"));
    match looked.place(last)? {
        place if place.is_device() && !from.is_empty() => Some(DISK),
        place if place.is_vital() || (is_emptying && place.reach() == PathLoss::System) => Some(SYSTEM),
        _ => None,
    }
}

fn moves(looked: &LookedCommand<'_>) -> Option<&'static str> {
    let paths: Vec<&str> = looked.operands().collect();
    // The last word is where to; only what is moved away is lost.
    let (_, from) = paths.split_last().filter(|_| looked.is(&["mv"]))?;
    from.iter().any(|path| looked.is_beyond(path)).then_some(DELETES)
}

fn rights(looked: &LookedCommand<'_>) -> Option<&'static str> {
    if !looked.is(&["chmod", "chown", "chgrp", "chattr", "setfacl", "chcon"]) {
        return None;
    }
    let is_recursive = looked.has(&['R'], &["--recursive"]);
    let is_root = |path: &str| looked.place(path).is_some_and(|place| place.is_root());
    // The first word may be a mode or an owner; neither is a place.
    let is_hit = |path: &str| is_root(path) || (is_recursive && looked.is_beyond(path));
    looked.operands().any(is_hit).then_some(RIGHTS)
}

fn stops(looked: &LookedCommand<'_>) -> Option<&'static str> {
    let run = looked.run;
    // `shutdown -c` calls a shutdown off.
    let is_harmless = looked.has(&[], &["--help", "--version", "--show", "-c"]);
    let first = looked.operands().next().unwrap_or_default();
    let is_stopped = match run.program.as_str() {
        "init" | "telinit" => matches!(first, "0" | "6"),
        "systemctl" | "loginctl" => looked.operands().any(|word| UNITS.contains(&word)),
        "kill" => kills_all(&run.args),
        "pkill" | "killall" => {
            looked.operands().any(|name| matches!(name, "." | ".*" | "" | "^" | "init" | "systemd"))
        }
        name => STOPPERS.contains(&name) && !is_harmless,
    };
    is_stopped.then_some(STOPS)
}

/// `kill -9 -1` means everybody, `kill -1 4711` one; `1` is the first process of all.
fn kills_all(args: &[String]) -> bool {
    let ids = match args {
        [flag, _, ids @ ..] if matches!(flag.as_str(), "-s" | "-n" | "--signal") => ids,
        [flag, ids @ ..] if flag.starts_with('-') && !ids.is_empty() => ids,
        ids => ids,
    };
    ids.iter().any(|id| matches!(id.as_str(), "-1" | "1"))
}

/// `find` that deletes, from a place that is too wide.
fn found(looked: &LookedCommand<'_>) -> Option<&'static str> {
    const REMOVERS: [&str; 8] = ["rm", "unlink", "shred", "truncate", "dd", "mv", "chmod", "chown"];
    if !looked.is(&["find", "fd", "fdfind"]) {
        return None;
    }
    let args = &looked.run.args;
    let begins: Vec<&str> =
        args.iter().map(String::as_str).take_while(|arg| !arg.starts_with(['-', '('])).collect();
    // Without a place `find` begins where it stands.
    let begins = if begins.is_empty() { vec!["."] } else { begins };
    let is_remover = |word: &String| REMOVERS.contains(&word.rsplit('/').next().unwrap_or(word));
    let is_deleting = args.iter().any(|arg| arg == "-delete")
        || args.windows(2).any(|pair| match pair {
            [flag, word] => {
                flag.starts_with("-exec") || flag.starts_with("-ok") || flag == "-x" && is_remover(word)
            }
            _ => false,
        }) && args.iter().any(is_remover);
    (is_deleting && begins.iter().any(|path| looked.is_beyond(path))).then_some(DELETES)
}

/// A mirror that deletes what the source does not have.
fn mirrors(looked: &LookedCommand<'_>) -> Option<&'static str> {
    let is_deleting =
        looked.run.args.iter().any(|arg| arg.starts_with("--delete") || arg == "--remove-files");
    let last = looked.operands().last()?;
    (looked.is(&["rsync", "rclone", "tar"]) && is_deleting && looked.is_beyond(last)).then_some(DELETES)
}

/// Whether only the running shell knows what a word is.
fn is_unknown(word: &str) -> bool {
    word.contains([crate::text::shell::UNKNOWN, crate::text::shell::STRANGE])
}

/// A function that starts itself twice, in the background: `:(){ :|:& };:`.
fn is_fork_bomb(line: &str) -> bool {
    let text: String = line.chars().filter(|c| !c.is_whitespace()).collect();
    // The one-liners of Perl and Python.
    if text.contains("forkwhilefork") || text.contains("forkwhile1") || text.contains("while1:os.fork()") {
        return true;
    }
    let is_name = |c: char| !"|&;(){}'\"$<>`".contains(c);
    let calls_itself = |joint: char| {
        text.match_indices(joint).any(|(at, _)| {
            let (before, after) = text.split_at(at);
            let name = before.rsplit(|c| !is_name(c)).next().unwrap_or_default();
            let after = after.trim_start_matches(joint);
            let twice =
                !name.is_empty() && after.strip_prefix(name).is_some_and(|rest| rest.starts_with('&'));
            twice && (text.contains(&format!("{name}(){{")) || text.contains(&format!("function{name}{{")))
        })
    };
    calls_itself('|') || calls_itself('&')
}

#[cfg(test)]
#[path = "floor_tests.rs"]
mod tests;
