//! Code of other languages, and flags of programs, that hand lines to a shell or start programs.

use super::walk::{CommandInput, Walker};

/// Interpreters, and the flags before their code.
const INTERPRETERS: [(&str, &[&str]); 15] = [
    ("python", &["-c"]),
    ("python2", &["-c"]),
    ("python3", &["-c"]),
    ("pypy3", &["-c"]),
    ("perl", &["-e", "-E"]),
    ("ruby", &["-e"]),
    ("node", &["-e", "--eval", "-p", "--print", "-pe"]),
    ("bun", &["-e", "--eval"]),
    ("php", &["-r"]),
    ("lua", &["-e"]),
    ("deno", &["eval"]),
    ("tclsh", &["-c"]),
    ("expect", &["-c"]),
    ("guile", &["-c"]),
    ("R", &["-e"]),
];
/// Programs whose first word is code.
const SCRIPTED: [&str; 5] = ["awk", "gawk", "mawk", "nawk", "original-awk"];
/// What code does to run a command.
const STARTERS: [&str; 8] = ["system", "popen", "subprocess", "exec", "spawn", "`", "qx", "check_call"];
/// What code does to hide that it runs a command, or does besides.
const HIDERS: [&str; 7] = ["__import__", "importlib", "eval", "getattr", "child_process", "pty", "|"];
/// Programs, and flags of theirs whose value is a line or the name of a program.
const LINE_FLAGS: [(&str, &[&str]); 20] = [
    (
        "tar",
        &[
            "--to-command",
            "--use-compress-program",
            "-I",
            "--rsh-command",
            "--info-script",
            "-F",
            "--new-volume-script",
        ],
    ),
    ("rsync", &["-e", "--rsh", "--rsync-path"]),
    (
        "git",
        &[
            "-x",
            "--exec",
            "--extcmd",
            "--tree-filter",
            "--index-filter",
            "--msg-filter",
            "--env-filter",
            "--commit-filter",
            "--upload-pack",
            "--receive-pack",
            "-O",
            "--open-files-in-pager",
            "-c",
        ],
    ),
    ("gdb", &["-ex", "-iex", "--eval-command"]),
    ("fd", &["-x", "-X", "--exec", "--exec-batch"]),
    ("fdfind", &["-x", "-X", "--exec", "--exec-batch"]),
    ("rg", &["--pre", "--hostname-bin"]),
    ("nix-shell", &["--run", "--command"]),
    ("sort", &["--compress-program"]),
    ("split", &["--filter"]),
    ("wget", &["--use-askpass"]),
    ("scp", &["-S", "-D"]),
    ("zip", &["-TT", "--unzip-command"]),
    ("ctest", &["--test-command", "--build-and-test"]),
    ("man", &["-P", "--pager", "-H", "--html"]),
    ("less", &["+"]),
    ("socat", &["EXEC", "SYSTEM"]),
    ("screen", &["-X"]),
    ("env", &["-S", "--split-string"]),
    ("mail", &["-X"]),
];
/// Programs that run what follows an exclamation mark.
const EDITORS: [&str; 11] = ["vi", "vim", "nvim", "view", "ex", "ed", "less", "more", "gdb", "ftp", "mail"];

impl Walker {
    /// Lines that code or flags of a program hand to a shell.
    pub(super) fn look_into(&mut self, name: &str, args: &[String], input: &CommandInput) -> bool {
        let interpreter = INTERPRETERS.iter().find(|(own, _)| *own == name || is_version_of(own, name));
        if let Some((own, flags)) = interpreter {
            let is_code = |arg: &String| {
                // `-ne CODE`: letters in one word, the last of which takes the code.
                let is_bundle =
                    matches!(*own, "perl" | "ruby" | "python3" | "python") && !arg.starts_with("--");
                let is_last = |flag: &&str| {
                    is_bundle && arg.starts_with('-') && arg.ends_with(flag.trim_start_matches('-'))
                };
                flags.contains(&arg.as_str()) || flags.iter().any(is_last)
            };
            let at = args.iter().position(is_code);
            if let Some(code) = at.and_then(|at| args.get(at + 1)).cloned() {
                self.look_into_code(&code);
            }
            if self.is_strict {
                for flag in *flags {
                    args.iter()
                        .filter_map(|arg| arg.strip_prefix(flag))
                        .for_each(|code| self.look_into_code(code));
                }
            }
            if let (CommandInput::Known(code), true) = (input, self.is_strict) {
                self.look_into_code(&code.clone());
            }
            return true;
        }
        if !self.is_strict {
            return false;
        }
        if SCRIPTED.contains(&name) {
            args.iter().for_each(|code| self.look_into_code(code));
        }
        if EDITORS.contains(&name) {
            let texts = args.iter().map(String::as_str).chain(match input {
                CommandInput::Known(text) => text.lines().collect::<Vec<_>>(),
                CommandInput::Nothing | CommandInput::Unknown | CommandInput::Strange => Vec::new(),
            });
            for line in texts.filter_map(|text| text.split_once('!')).map(|(_, line)| line.to_owned()) {
                self.walk(&line);
            }
        }
        if matches!(name, "sed" | "gsed") {
            args.iter().filter(|arg| runs_commands(arg)).for_each(|_| self.note_unknown());
        }
        self.look_into_flags(name, args);
        false
    }

    fn look_into_flags(&mut self, name: &str, args: &[String]) {
        for arg in args {
            for line in ["--checkpoint-action=exec=", "ProxyCommand=", "LocalCommand=", "SYSTEM:", "EXEC:"] {
                if let Some((_, line)) = arg.split_once(line) {
                    self.walk(line);
                }
            }
        }
        if name == "git" {
            let at = args.iter().position(|arg| arg == "run" || arg == "foreach");
            let line = at.and_then(|at| args.get(at + 1..)).unwrap_or_default();
            let line = line.iter().skip_while(|arg| arg.starts_with('-')).cloned().collect::<Vec<_>>();
            self.walk(&line.join(" "));
        }
        if matches!(name, "tmux" | "screen" | "dtach" | "abduco") {
            // Which of the words is the first of the line, depends on flags and subcommand.
            for at in 0..args.len() {
                self.walk(&args.get(at..).unwrap_or_default().join(" "));
            }
        }
        let Some((_, flags)) = LINE_FLAGS.iter().find(|(own, _)| *own == name) else { return };
        for (at, arg) in args.iter().enumerate() {
            for flag in *flags {
                let Some(value) = arg.strip_prefix(flag) else { continue };
                let value = value.strip_prefix('=').unwrap_or(value);
                let line = match value {
                    "" => args
                        .get(at + 1..)
                        .unwrap_or_default()
                        .iter()
                        .take_while(|arg| *arg != ";")
                        .cloned()
                        .collect::<Vec<_>>(),
                    value => vec![value.to_owned()],
                };
                // `alias.x=!line`, `core.pager=line`
                let line = line.join(" ");
                let line =
                    line.split_once('=').filter(|_| *flag == "-c").map_or(line.as_str(), |(_, line)| line);
                self.walk(line.trim_start_matches('!'));
            }
        }
    }

    fn look_into_code(&mut self, code: &str) {
        let has = |words: &[&str]| words.iter().any(|word| code.contains(word));
        if !(has(&STARTERS) || self.is_strict && has(&HIDERS)) {
            return;
        }
        // Each quoted text is taken for a line: which one is handed over, only the language knows.
        for quote in ['"', '\'', '`'] {
            for text in code.split(quote).skip(1).step_by(2) {
                self.walk(text);
            }
            // The words of a list: ["rm", "-rf", "/"].
            let words: Vec<&str> = code.split(quote).skip(1).step_by(2).collect();
            if words.len() > 1 {
                self.walk(&words.join(" "));
            }
        }
        // Texts may be put together: "r" + "m".
        self.note_unknown();
    }
}

/// `python3.12` is `python3`.
fn is_version_of(own: &str, name: &str) -> bool {
    name.strip_prefix(own)
        .is_some_and(|rest| !rest.is_empty() && rest.chars().all(|c| c.is_ascii_digit() || c == '.'))
}

/// Whether a script of `sed` runs commands: `e`, or a substitution with the flag `e`.
fn runs_commands(script: &str) -> bool {
    script.split([';', '\n', '}']).any(|part| {
        let part = part.trim_start_matches(|c: char| c.is_ascii_digit() || " ${,!".contains(c));
        let flags = part.rsplit(['/', '|', '#', ',', '@', ':', '\u{1}']).next().unwrap_or_default();
        let has_flag = part.starts_with('s') && flags.len() < 8 && flags.contains('e');
        part == "e" || part.starts_with("e ") || has_flag || part.contains("/e ")
    })
}
