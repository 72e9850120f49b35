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

use windlass_core::secret_files::is_secret;

use super::line::Command;
use crate::files::ignored::is_build_folder;

/// How deep `sh -c` within `sh -c` is looked into.
const NESTING_MAX: usize = 4;

const RIGHTS: [&str; 5] = ["sudo", "doas", "su", "pkexec", "run0"];
const DISK_PROGRAMS: [&str; 7] = ["fdisk", "sfdisk", "parted", "wipefs", "shred", "mkswap", "blkdiscard"];
const STOPPERS: [&str; 5] = ["shutdown", "reboot", "halt", "poweroff", "killall5"];
const DOWNLOADERS: [&str; 4] = ["curl", "wget", "fetch", "aria2c"];
const INTERPRETERS: [&str; 14] = [
    "sh", "bash", "zsh", "dash", "ksh", "fish", "python", "python3", "perl", "ruby", "node", "eval",
    "source", ".",
];
/// Programs that run the program named after them.
const WRAPPERS: [&str; 10] =
    ["env", "nohup", "time", "nice", "exec", "command", "builtin", "xargs", "timeout", "stdbuf"];
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

/// One simple command of a line.
#[derive(Default)]
struct Part {
    words: Vec<String>,
    opened: Opened,
}

/// What stands before a simple command.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Opened {
    #[default]
    Plainly,
    ByPipe,
    BySubstitution,
}

type Rule = fn(&Part) -> Option<&'static str>;

const RULES: [Rule; 8] = [rights, disks, deletion, git, modes, stopping, irrevocable, secret];

/// Why a command needs a typed confirmation, if it does.
pub(crate) fn danger(command: &Command) -> Option<&'static str> {
    match command {
        Command::Argv(words) => judge(&[Part { words: words.clone(), opened: Opened::Plainly }], 0),
        Command::Shell(line) => judge_line(line, 0),
    }
}

fn judge_line(line: &str, depth: usize) -> Option<&'static str> {
    if line.chars().filter(|c| !c.is_whitespace()).collect::<String>().contains(":(){") {
        return Some("starts processes without end");
    }
    judge(&split(line), depth)
}

fn judge(parts: &[Part], depth: usize) -> Option<&'static str> {
    let found = parts.iter().find_map(|part| RULES.iter().find_map(|rule| rule(part)));
    let nested = || {
        parts.iter().filter(|_| depth < NESTING_MAX).find_map(|part| {
            let (program, args) = part.program()?;
            let line = match program {
                "eval" => args.join(" "),
                shell if INTERPRETERS.contains(&shell) => {
                    let at = args.iter().position(|arg| arg.starts_with('-') && arg.ends_with('c'))?;
                    args.get(at + 1)?.clone()
                }
                _ => return None,
            };
            judge_line(&line, depth + 1)
        })
    };
    found.or_else(|| strangers_code(parts)).or_else(nested)
}

impl Part {
    /// The program, without its folder, and its arguments; wrappers and assignments are looked through.
    fn program(&self) -> Option<(&str, &[String])> {
        let mut is_wrapped = false;
        for (at, word) in self.words.iter().enumerate() {
            let name = word.rsplit('/').next().unwrap_or(word);
            let is_option =
                is_wrapped && (word.starts_with('-') || word.starts_with(|c: char| c.is_ascii_digit()));
            if WRAPPERS.contains(&name) {
                is_wrapped = true;
            } else if !is_option && !word.contains('=') {
                return Some((name, self.words.get(at + 1..).unwrap_or_default()));
            }
        }
        None
    }

    fn is_program(&self, names: &[&str]) -> bool {
        self.program().is_some_and(|(program, _)| names.contains(&program))
    }
}

fn rights(part: &Part) -> Option<&'static str> {
    part.is_program(&RIGHTS).then_some("runs with the rights of another user")
}

fn disks(part: &Part) -> Option<&'static str> {
    let (program, args) = part.program()?;
    let is_device = |path: &str| {
        path.starts_with("/dev/") && !HARMLESS_DEVICES.iter().any(|device| path.starts_with(device))
    };
    let writes_device = part.words.windows(2).any(|pair| match pair {
        [operator, path] => operator == ">" && is_device(path),
        _ => false,
    });
    let dd = program == "dd" && args.iter().any(|arg| arg.strip_prefix("of=").is_some_and(is_device));
    let is_found = writes_device || dd || program.starts_with("mkfs") || DISK_PROGRAMS.contains(&program);
    is_found.then_some("overwrites a disk or device")
}

fn deletion(part: &Part) -> Option<&'static str> {
    let (program, args) = part.program()?;
    let is_deletion = match program {
        "rm" => {
            let is_recursive = has_flag(args, &['r', 'R'], &["--recursive"]);
            let mut targets = args.iter().filter(|arg| !arg.starts_with('-')).peekable();
            is_recursive && (targets.peek().is_none() || !targets.all(|target| is_rebuildable(target)))
        }
        "find" => args.iter().any(|arg| matches!(arg.as_str(), "-delete" | "rm")),
        _ => false,
    };
    is_deletion.then_some("deletes whole folders")
}

/// Whether a path is, or is in, a folder that a build makes again.
fn is_rebuildable(path: &str) -> bool {
    let is_inside = !path.starts_with(['/', '~', '$']) && !path.split('/').any(|part| part == "..");
    is_inside && path.split('/').any(is_build_folder)
}

fn git(part: &Part) -> Option<&'static str> {
    let (program, args) = part.program()?;
    if program != "git" {
        return None;
    }
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

fn modes(part: &Part) -> Option<&'static str> {
    let (program, args) = part.program()?;
    let is_found = matches!(program, "chmod" | "chown" | "chgrp") && has_flag(args, &['R'], &["--recursive"]);
    is_found.then_some("changes the rights of whole folders")
}

fn stopping(part: &Part) -> Option<&'static str> {
    let (program, args) = part.program()?;
    let kills_all = program == "kill" && args.iter().any(|arg| arg == "-1");
    (kills_all || STOPPERS.contains(&program)).then_some("stops the machine or all processes")
}

fn irrevocable(part: &Part) -> Option<&'static str> {
    let (program, args) = part.program()?;
    let subcommand = args.iter().find(|arg| !arg.starts_with('-'))?;
    IRREVOCABLE
        .iter()
        .any(|(name, word)| *name == program && word == subcommand)
        .then_some("cannot be taken back once done")
}

fn secret(part: &Part) -> Option<&'static str> {
    let names_secret = |word: &String| {
        let path = word.rsplit('=').next().unwrap_or(word).trim_start_matches('@');
        is_secret(path)
    };
    part.words.iter().any(names_secret).then_some("names a file that looks like a secret")
}

/// A download that flows into an interpreter, by a pipe or by a substitution.
fn strangers_code(parts: &[Part]) -> Option<&'static str> {
    let is_found = parts.windows(2).any(|pair| match pair {
        [first, second] => {
            second.opened == Opened::BySubstitution
                && first.is_program(&INTERPRETERS)
                && second.is_program(&DOWNLOADERS)
        }
        _ => false,
    });
    let mut is_downloading = false;
    let is_piped = parts.iter().any(|part| {
        is_downloading = part.is_program(&DOWNLOADERS) || (is_downloading && part.opened == Opened::ByPipe);
        is_downloading && part.opened == Opened::ByPipe && part.is_program(&INTERPRETERS)
    });
    (is_found || is_piped).then_some("runs code from the network unseen")
}

/// Whether there is a short flag among bundled ones (`-xdf`), or a long one.
fn has_flag(args: &[String], short: &[char], long: &[&str]) -> bool {
    args.iter().any(|arg| {
        let is_bundle = arg.starts_with('-') && !arg.starts_with("--");
        long.contains(&arg.as_str()) || (is_bundle && arg.contains(short))
    })
}

/// Splits a shell line into simple commands, roughly: quotes are taken off, whatever they would mean.
fn split(line: &str) -> Vec<Part> {
    let mut parts = vec![Part::default()];
    let mut word = String::new();
    // The quotes and substitutions that are open, innermost last.
    let mut open: Vec<char> = Vec::new();
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        let quote = open.last().copied().filter(|open| matches!(open, '\'' | '"'));
        let opened = match (quote, c) {
            (Some('\''), c) if c != '\'' => None,
            (Some(quote), c) if c == quote => {
                open.pop();
                continue;
            }
            (None, '\'' | '"') => {
                open.push(c);
                continue;
            }
            (_, '\\') => {
                word.extend(chars.next());
                continue;
            }
            (_, '`') => {
                if open.pop_if(|open| *open == '`').is_none() {
                    open.push('`');
                }
                Some(Opened::BySubstitution)
            }
            (Some(_), '$') if chars.next_if_eq(&'(').is_some() => {
                open.push('(');
                Some(Opened::BySubstitution)
            }
            (None, '(') => {
                open.push('(');
                Some(Opened::BySubstitution)
            }
            (None, ')') => {
                open.pop();
                Some(Opened::Plainly)
            }
            (None, '|') => Some(Opened::ByPipe),
            (None, ';' | '&' | '\n') => Some(Opened::Plainly),
            (None, '>' | '<') => {
                end_word(&mut parts, &mut word);
                word.push(c);
                end_word(&mut parts, &mut word);
                continue;
            }
            (None, c) if c.is_whitespace() => {
                end_word(&mut parts, &mut word);
                continue;
            }
            _ => None,
        };
        let Some(opened) = opened else {
            word.push(c);
            continue;
        };
        end_word(&mut parts, &mut word);
        parts.push(Part { words: Vec::new(), opened });
    }
    end_word(&mut parts, &mut word);
    parts.retain(|part| !part.words.is_empty());
    parts
}

fn end_word(parts: &mut [Part], word: &mut String) {
    if let Some(part) = parts.last_mut().filter(|_| !word.is_empty()) {
        part.words.push(std::mem::take(word));
    }
}

#[cfg(test)]
#[path = "danger_tests.rs"]
mod tests;
