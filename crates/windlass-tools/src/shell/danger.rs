//! Commands that destroy, publish, gain rights or run strangers' code: asked with a typed confirmation.
//!
//! A warning, not a fence: a shell can hide anything. What is not recognised here is still asked as a
//! command of high risk. The table, in the order of `RULES`:
//!
//! | command | why |
//! |---|---|
//! | `sudo`, `doas`, `su`, `pkexec`, `run0` | runs with the rights of another user |
//! | `mkfs*`, `fdisk`, `wipefs`, `shred`, `dd of=/dev/…`, `> /dev/…` | overwrites a disk or device |
//! | `rm -r` of anything but build folders, `find … -delete` | deletes whole folders |
//! | `git push --force`, `git reset --hard`, `git clean -f`, … | destroys history or uncommitted work |
//! | `curl … \| sh`, `sh -c "$(curl …)"` | runs code from the network unseen |
//! | `chmod -R`, `chown -R` | changes rights of whole folders |
//! | `shutdown`, `reboot`, `kill -1`, fork bomb | stops the machine or all processes |
//! | `cargo publish`, `npm publish`, `terraform destroy`, … | cannot be taken back |
//! | a word that names a secret file | shows or changes a secret |

use windlass_core::text::secret_files::is_secret;
use windlass_core::text::shell::{HOME, ProgramRun, Redirect, STRANGE, UNKNOWN, runs};

use super::line::CommandLine;
use crate::files::ignored::is_build_folder;

const RIGHTS: [&str; 5] = ["sudo", "doas", "su", "pkexec", "run0"];
const DISK_PROGRAMS: [&str; 7] = ["fdisk", "sfdisk", "parted", "wipefs", "shred", "mkswap", "blkdiscard"];
const STOPPERS: [&str; 5] = ["shutdown", "reboot", "halt", "poweroff", "killall5"];
/// Programs and subcommands whose effect cannot be taken back.
const IRREVOCABLE: [(&str, &str); 12] = [
    ("cargo", "publish"),
    ("cargo", "yank"),
    ("npm", "publish"),
    ("npm", "unpublish"),
    ("pnpm", "publish"),
    ("yarn", "publish"),
    ("twine", "upload"),
    ("gem", "push"),
    ("terraform", "destroy"),
    ("terraform", "apply"),
    ("kubectl", "delete"),
    ("docker", "push"),
];
const HARMLESS_DEVICES: [&str; 5] = ["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/fd"];

type DangerRule = fn(&ProgramRun) -> Option<&'static str>;

const RULES: [DangerRule; 9] =
    [rights, disks, deletion, git, modes, stopping, irrevocable, secret, strangers_code];

/// Why a command needs a typed confirmation, if it does.
pub(crate) fn danger(command: &CommandLine) -> Option<&'static str> {
    let line = command.line();
    if line.chars().filter(|c| !c.is_whitespace()).collect::<String>().contains(":(){") {
        return Some("starts processes without end");
    }
    runs(&line, "").iter().find_map(|run| RULES.iter().find_map(|rule| rule(run)))
}

fn rights(run: &ProgramRun) -> Option<&'static str> {
    RIGHTS.contains(&run.program.as_str()).then_some("runs with the rights of another user")
}

fn disks(run: &ProgramRun) -> Option<&'static str> {
    let (program, args) = (run.program.as_str(), &run.args);
    let is_device = |path: &str| {
        path.starts_with("/dev/") && !HARMLESS_DEVICES.iter().any(|device| path.starts_with(device))
    };
    let writes_device =
        run.redirects.iter().any(|(redirect, path)| *redirect != Redirect::Read && is_device(path));
    let dd = program == "dd" && args.iter().any(|arg| arg.strip_prefix("of=").is_some_and(is_device));
    let is_found = writes_device || dd || program.starts_with("mkfs") || DISK_PROGRAMS.contains(&program);
    is_found.then_some("overwrites a disk or device")
}

fn deletion(run: &ProgramRun) -> Option<&'static str> {
    let (program, args) = (run.program.as_str(), &run.args);
    let is_deletion = match program {
        "rm" => {
            let is_recursive = has_flag(args, &['r', 'R'], &["--recursive"]);
            let mut targets = args.iter().filter(|arg| !arg.starts_with('-')).peekable();
            is_recursive && (targets.peek().is_none() || !targets.all(|target| is_rebuildable(target)))
        }
        // `-exec rm` deletes as well as `-delete`.
        "find" => args.iter().any(|arg| matches!(arg.as_str(), "-delete" | "rm")),
        _ => false,
    };
    is_deletion.then_some("deletes whole folders")
}

/// Whether a path is, or is in, a folder that a build makes again.
fn is_rebuildable(path: &str) -> bool {
    let is_inside =
        !path.starts_with(['/', HOME, UNKNOWN, STRANGE]) && !path.split('/').any(|part| part == "..");
    is_inside && path.split('/').any(is_build_folder)
}

fn git(run: &ProgramRun) -> Option<&'static str> {
    let (program, args) = (run.program.as_str(), &run.args);
    if program != "git" {
        return None;
    }
    // Not simply the first word: in `git -C folder push` options and their values come before it.
    let at = args.iter().position(|arg| {
        matches!(
            arg.as_str(),
            "push" | "reset" | "clean" | "filter-branch" | "filter-repo" | "restore" | "checkout"
        )
    })?;
    let rest = args.get(at + 1..).unwrap_or_default();
    let has = |words: &[&str]| rest.iter().any(|arg| words.contains(&arg.as_str()));
    let is_destructive = match args.get(at).map(String::as_str)? {
        "push" => {
            has_flag(rest, &['f', 'd'], &["--force", "--mirror", "--delete"])
                || rest.iter().any(|arg| arg.starts_with("--force-with-lease") || arg.starts_with(['+', ':']))
        }
        "reset" => has(&["--hard"]),
        "clean" => has_flag(rest, &['f'], &["--force"]),
        "checkout" | "restore" => has(&["."]),
        _ => true,
    };
    is_destructive.then_some("destroys history or uncommitted work")
}

fn modes(run: &ProgramRun) -> Option<&'static str> {
    let (program, args) = (run.program.as_str(), &run.args);
    let is_found = matches!(program, "chmod" | "chown" | "chgrp") && has_flag(args, &['R'], &["--recursive"]);
    is_found.then_some("changes the rights of whole folders")
}

fn stopping(run: &ProgramRun) -> Option<&'static str> {
    let (program, args) = (run.program.as_str(), &run.args);
    let kills_all = program == "kill" && args.iter().any(|arg| arg == "-1");
    (kills_all || STOPPERS.contains(&program)).then_some("stops the machine or all processes")
}

fn irrevocable(run: &ProgramRun) -> Option<&'static str> {
    let (program, args) = (run.program.as_str(), &run.args);
    let subcommand = args.iter().find(|arg| !arg.starts_with('-'))?;
    IRREVOCABLE
        .iter()
        .any(|(name, word)| *name == program && word == subcommand)
        .then_some("cannot be taken back once done")
}

fn secret(run: &ProgramRun) -> Option<&'static str> {
    let names_secret = |word: &String| {
        // `--file=.env` and curl's `@.env` name the file too.
        let path = word.rsplit('=').next().unwrap_or(word).trim_start_matches('@');
        is_secret(path)
    };
    let files = run.redirects.iter().map(|(_, path)| path);
    run.args.iter().chain(files).any(names_secret).then_some("names a file that looks like a secret")
}

/// Text from the network, or out of a decoder, that flows into an interpreter.
fn strangers_code(run: &ProgramRun) -> Option<&'static str> {
    run.is_unreadable.then_some("runs code unseen that comes from the network or is encoded")
}

/// Whether there is a short flag among bundled ones (`-xdf`), or a long one.
fn has_flag(args: &[String], short: &[char], long: &[&str]) -> bool {
    args.iter().any(|arg| {
        let is_bundle = arg.starts_with('-') && !arg.starts_with("--");
        long.contains(&arg.as_str()) || (is_bundle && arg.contains(short))
    })
}

#[cfg(test)]
#[path = "danger_tests.rs"]
mod tests;
