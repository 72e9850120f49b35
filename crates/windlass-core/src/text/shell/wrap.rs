//! Programs that run other programs: they are taken off, and what is inside is looked at.

use super::lex::Redirect;
use super::walk::{CommandInput, HOME, STRANGE, UNKNOWN, Walker};

const SHELLS: [&str; 11] =
    ["sh", "bash", "dash", "zsh", "ksh", "ash", "fish", "mksh", "rbash", "csh", "tcsh"];
/// Interpreters, and the flags before their code.
const INTERPRETERS: [(&str, &[&str]); 9] = [
    ("python", &["-c"]),
    ("python2", &["-c"]),
    ("python3", &["-c"]),
    ("perl", &["-e", "-E"]),
    ("ruby", &["-e"]),
    ("node", &["-e", "--eval", "-p"]),
    ("php", &["-r"]),
    ("lua", &["-e"]),
    ("deno", &["eval"]),
];
/// What code does to run a command.
const STARTERS: [&str; 8] = ["system", "popen", "subprocess", "exec", "spawn", "`", "qx", "check_call"];

/// A program that runs the words after it: which of its flags take a word, and how many words come first.
struct Wrapper {
    name: &'static str,
    flags: &'static [&'static str],
    words: usize,
}

const fn wrapper(name: &'static str, flags: &'static [&'static str], words: usize) -> Wrapper {
    Wrapper { name, flags, words }
}

const WRAPPERS: [Wrapper; 33] = [
    wrapper("env", &["-u", "--unset", "-C", "--chdir"], 0),
    wrapper("command", &[], 0),
    wrapper("builtin", &[], 0),
    wrapper("exec", &["-a"], 0),
    wrapper("nohup", &[], 0),
    wrapper("setsid", &[], 0),
    wrapper("time", &["-f", "-o", "--format", "--output"], 0),
    wrapper("nice", &["-n", "--adjustment"], 0),
    wrapper("ionice", &["-c", "-n", "-p", "--class", "--classdata"], 0),
    wrapper("timeout", &["-s", "-k", "--signal", "--kill-after"], 1),
    wrapper("stdbuf", &["-i", "-o", "-e"], 0),
    wrapper("unbuffer", &[], 0),
    wrapper(
        "sudo",
        &["-u", "-g", "-p", "-C", "-h", "-r", "-t", "-D", "-T", "-U", "--user", "--group", "--chdir"],
        0,
    ),
    wrapper("doas", &["-u", "-C"], 0),
    wrapper("pkexec", &["--user"], 0),
    wrapper("run0", &["-u", "--user", "-g", "--group", "-D", "--chdir"], 0),
    wrapper("busybox", &[], 0),
    wrapper("toybox", &[], 0),
    wrapper("chroot", &["--userspec", "--groups"], 1),
    wrapper("unshare", &["-S", "-G", "-R", "-w"], 0),
    wrapper("nsenter", &["-t", "-S", "-G", "--target"], 0),
    wrapper("strace", &["-o", "-e", "-p", "-s"], 0),
    wrapper("ltrace", &["-o", "-e", "-p"], 0),
    wrapper("taskset", &[], 1),
    wrapper("chrt", &["-T", "-P", "-D"], 1),
    wrapper("caffeinate", &["-t", "-w"], 0),
    wrapper("flock", &["-w", "-E", "--timeout"], 1),
    wrapper("systemd-run", &["-p", "--property", "--unit", "-M", "--slice"], 0),
    wrapper("fakeroot", &[], 0),
    wrapper("proot", &["-r", "-b", "-w"], 0),
    wrapper("torsocks", &[], 0),
    wrapper("catchsegv", &[], 0),
    wrapper("prlimit", &["--pid"], 0),
];

impl Walker {
    /// Runs words in thought: wrappers off, lines inside followed, the rest noted; what it prints.
    pub(super) fn start(
        &mut self,
        words: Vec<String>,
        redirects: Vec<(Redirect, String)>,
        input: CommandInput,
    ) -> CommandInput {
        let name =
            words.first().map(|word| word.rsplit('/').next().unwrap_or(word).to_owned()).unwrap_or_default();
        let args = words.get(1..).unwrap_or_default().to_vec();
        if let Some(wrapper) = WRAPPERS.iter().find(|wrapper| wrapper.name == name) {
            // Noted for itself as well: a rule may name `sudo` and not what it runs.
            self.note(words.clone(), Vec::new(), CommandInput::Nothing, false);
            return self.start_wrapped(wrapper, &args, redirects, input);
        }
        if SHELLS.contains(&name.as_str()) {
            self.note(words.clone(), Vec::new(), CommandInput::Nothing, false);
            return self.start_shell(&words, &args, redirects, input);
        }
        match name.as_str() {
            "su" | "watch" | "trap" | "ssh" | "script" => self.start_line(&name, &args, &input),
            "eval" => {
                self.walk(&args.join(" "));
            }
            "source" | "." => {
                if let Some(text) = args.first().and_then(|path| self.file(path)) {
                    return self.read_script(words, redirects, text);
                }
            }
            "at" | "batch" | "parallel"
                if input != CommandInput::Nothing && args.iter().all(|arg| !arg.contains('{')) =>
            {
                return self.read_script(words, redirects, input);
            }
            "xargs" => {
                self.note(words, redirects, CommandInput::Nothing, false);
                return self.start_each(&args, &input);
            }
            "cd" | "pushd" => self.enter(&args),
            "export" | "declare" | "typeset" | "local" | "readonly" => self.assign_all(&args),
            "read" => {
                if let (CommandInput::Known(text), Some(name)) = (&input, args.last()) {
                    self.assign(&name.clone(), text.trim().to_owned());
                }
            }
            "set" => self.set_places(args.iter().skip_while(|arg| arg.starts_with('-')).cloned()),
            "find" => self.start_found(&args),
            name => {
                if let Some((_, flags)) = INTERPRETERS.iter().find(|(own, _)| *own == name) {
                    let is_unreadable =
                        input == CommandInput::Strange && args.iter().all(|arg| arg.starts_with('-'));
                    self.look_into_code(flags, &args);
                    return self.note(words, redirects, input, is_unreadable);
                }
            }
        }
        self.note(words, redirects, input, false)
    }

    fn start_wrapped(
        &mut self,
        wrapper: &Wrapper,
        args: &[String],
        redirects: Vec<(Redirect, String)>,
        input: CommandInput,
    ) -> CommandInput {
        // `command -v rm` only asks where `rm` is.
        if wrapper.name == "command" && args.first().is_some_and(|arg| matches!(arg.as_str(), "-v" | "-V")) {
            return CommandInput::Unknown;
        }
        let (mut rest, mut to_skip) = (args, wrapper.words);
        while let [word, after @ ..] = rest {
            let (flag, value) =
                word.split_once('=').map_or((word.as_str(), None), |(flag, value)| (flag, Some(value)));
            if word.starts_with('-') && word.len() > 1 {
                if matches!(flag, "-S" | "--split-string" | "-c") && matches!(wrapper.name, "env" | "flock") {
                    let line = value.map(str::to_owned).into_iter().chain(after.iter().cloned());
                    return self.walk(&line.collect::<Vec<_>>().join(" "));
                }
                let takes_word = value.is_none() && wrapper.flags.contains(&flag);
                if matches!(flag, "-C" | "-D" | "--chdir") && !matches!(wrapper.name, "doas") {
                    self.enter(
                        value.map(|value| [value.to_owned()]).as_ref().map_or(after, |own| own.as_slice()),
                    );
                }
                rest = if takes_word { after.get(1..).unwrap_or_default() } else { after };
            } else if to_skip > 0 {
                to_skip -= 1;
                rest = after;
            } else if let Some(value) = value.filter(|_| is_name(flag)) {
                self.assign(flag, value.to_owned());
                rest = after;
            } else {
                break;
            }
        }
        // A wrapper alone does what it does, which is noted already; its files are not.
        match rest {
            [] if redirects.is_empty() => CommandInput::Unknown,
            [] => self.note(vec![wrapper.name.to_owned()], redirects, input, false),
            rest => self.start(rest.to_vec(), redirects, input),
        }
    }

    /// `sh -c LINE`, a script on the input, or a file.
    fn start_shell(
        &mut self,
        words: &[String],
        args: &[String],
        redirects: Vec<(Redirect, String)>,
        input: CommandInput,
    ) -> CommandInput {
        let (mut has_line, mut rest) = (false, args);
        while let [word, after @ ..] = rest {
            if !word.starts_with(['-', '+']) || word == "-" {
                break;
            }
            rest = after;
            if word == "--" {
                break;
            }
            let is_bundle = !word.starts_with("--");
            // `-lc` and `-ec` are bundles with it.
            has_line |= (is_bundle && word.starts_with('-') && word.contains('c')) || word == "--command";
            // `-o pipefail`: the next word belongs to the flag.
            if (is_bundle && word.ends_with(['o', 'O']))
                || matches!(word.as_str(), "--rcfile" | "--init-file")
            {
                rest = rest.get(1..).unwrap_or_default();
            }
        }
        match rest {
            [line, places @ ..] if has_line => {
                self.set_places_from(places, 0);
                let line = line.clone();
                self.walk(&line)
            }
            [file, ..] if !matches!(file.as_str(), "-" | "/dev/stdin") => match self.file(file) {
                Some(text) => self.read_script(words.to_vec(), redirects, text),
                None => self.note(words.to_vec(), redirects, input, file.contains(STRANGE)),
            },
            _ => self.read_script(words.to_vec(), redirects, input),
        }
    }

    /// An interpreter reads its script from somewhere.
    fn read_script(
        &mut self,
        words: Vec<String>,
        redirects: Vec<(Redirect, String)>,
        script: CommandInput,
    ) -> CommandInput {
        if let CommandInput::Known(text) = &script {
            let text = text.clone();
            return self.walk(&text);
        }
        let is_unreadable = script == CommandInput::Strange;
        self.note(words, redirects, script, is_unreadable)
    }

    /// Programs that take a line for a shell among their words.
    fn start_line(&mut self, name: &str, args: &[String], _input: &CommandInput) {
        let line = match name {
            "su" | "script" => {
                let at = args.iter().position(|arg| matches!(arg.as_str(), "-c" | "--command"));
                let own = args.iter().find_map(|arg| arg.strip_prefix("--command=").map(str::to_owned));
                at.and_then(|at| args.get(at + 1)).cloned().or(own)
            }
            "trap" => args.first().cloned(),
            // Its words are a line on the other machine, or every few seconds here.
            "ssh" | "watch" => {
                let takes =
                    |arg: &str| matches!(arg, "-n" | "-p" | "-l" | "-i" | "-o" | "-F" | "-J" | "-L" | "-R");
                let mut words = args.iter().peekable();
                while let Some(arg) = words.next_if(|arg| arg.starts_with('-')) {
                    if takes(arg) {
                        words.next();
                    }
                }
                if name == "ssh" {
                    words.next();
                }
                Some(words.cloned().collect::<Vec<_>>().join(" "))
            }
            _ => None,
        };
        if let Some(line) = line {
            self.walk(&line);
        }
    }

    /// `xargs`: the words of its input come behind its own.
    fn start_each(&mut self, args: &[String], input: &CommandInput) -> CommandInput {
        const TAKES: [&str; 9] = ["-n", "-P", "-L", "-s", "-d", "-a", "-E", "-I", "-J"];
        let (mut rest, mut mark) = (args, None);
        while let [word, after @ ..] = rest {
            if !word.starts_with('-') || word.len() < 2 {
                break;
            }
            let takes = TAKES.contains(&word.as_str());
            if let Some(own) = word.strip_prefix("-I") {
                mark = if own.is_empty() { after.first().cloned() } else { Some(own.to_owned()) };
            }
            rest = if takes { after.get(1..).unwrap_or_default() } else { after };
        }
        let given = match input {
            CommandInput::Known(text) => text.split_whitespace().map(str::to_owned).collect(),
            CommandInput::Strange => vec![STRANGE.to_string()],
            CommandInput::Nothing | CommandInput::Unknown => vec![UNKNOWN.to_string()],
        };
        let mut words: Vec<String> = rest.to_vec();
        match mark {
            Some(mark) => {
                let given = given.join(" ");
                words.iter_mut().for_each(|word| *word = word.replace(&mark, &given));
            }
            None => words.extend(given),
        }
        self.start(words, Vec::new(), CommandInput::Nothing)
    }

    /// `find … -exec WORDS ;`: the words, with the folders that it begins in where the found name stands.
    fn start_found(&mut self, args: &[String]) {
        let begins: Vec<String> =
            args.iter().take_while(|arg| !arg.starts_with(['-', '(', '!'])).cloned().collect();
        let is_exec = |arg: &String| matches!(arg.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir");
        for at in args.iter().enumerate().filter(|(_, arg)| is_exec(arg)).map(|(at, _)| at) {
            let own = args
                .get(at + 1..)
                .unwrap_or_default()
                .iter()
                .take_while(|arg| !matches!(arg.as_str(), ";" | "+"));
            let words: Vec<String> = own
                .flat_map(|word| match word.as_str() {
                    "{}" if begins.is_empty() => vec![".".to_owned()],
                    "{}" => begins.clone(),
                    _ => vec![word.clone()],
                })
                .collect();
            self.start(words, Vec::new(), CommandInput::Nothing);
        }
    }

    /// Lines that code of another language hands to a shell.
    fn look_into_code(&mut self, flags: &[&str], args: &[String]) {
        let at = args.iter().position(|arg| flags.contains(&arg.as_str()));
        let Some(code) = at.and_then(|at| args.get(at + 1)).cloned() else { return };
        if !STARTERS.iter().any(|starter| code.contains(starter)) {
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
    }

    fn enter(&mut self, args: &[String]) {
        let asked = args.iter().find(|arg| !arg.starts_with('-') || arg.as_str() == "-");
        self.folder = match asked.map(String::as_str) {
            None => Some(HOME.to_string()),
            // Back to the folder before, which is not kept.
            Some("-") => None,
            Some(path) if path.starts_with(['/', HOME]) => Some(path.to_owned()),
            Some(path) => self.folder.as_ref().map(|folder| format!("{folder}/{path}")),
        }
        .filter(|folder| !folder.contains([UNKNOWN, STRANGE]));
    }

    fn assign_all(&mut self, args: &[String]) {
        for (name, value) in args.iter().filter_map(|arg| arg.split_once('=')) {
            self.assign(name, value.to_owned());
        }
    }

    fn set_places(&mut self, places: impl Iterator<Item = String>) {
        self.set_places_from(&places.collect::<Vec<_>>(), 1);
    }

    /// `$0`, `$1`, … and `$@`.
    fn set_places_from(&mut self, places: &[String], first: usize) {
        for (number, value) in places.iter().enumerate() {
            self.assign(&(number + first).to_string(), value.clone());
        }
        // `$@` begins at `$1`, whether `$0` is among them or not.
        let all: Vec<&str> = places.iter().skip(1 - first.min(1)).map(String::as_str).collect();
        if !places.is_empty() {
            self.assign("@", all.join(" "));
            self.assign("*", all.join(" "));
        }
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
