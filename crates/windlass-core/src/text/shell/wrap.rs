//! Programs that run other programs: they are taken off, and what is inside is looked at.

use super::change::is_variable;
use super::lex::Redirect;
use super::walk::{CommandInput, STRANGE, UNKNOWN, Walker};
use super::wrappers::{WRAPPERS, Wrapper};

/// Commands that are started in thought for one line, and how many of them within each other: more than anybody writes.
const STARTS_MAX: usize = 2_000;
const NESTED_MAX: usize = 40;

const SHELLS: [&str; 11] =
    ["sh", "bash", "dash", "zsh", "ksh", "ash", "fish", "mksh", "rbash", "csh", "tcsh"];
impl Walker {
    /// Runs words in thought: wrappers off, lines inside followed, the rest noted; what it prints.
    pub(super) fn start(
        &mut self,
        words: Vec<String>,
        redirects: Vec<(Redirect, String)>,
        input: CommandInput,
    ) -> CommandInput {
        self.starts += 1;
        if self.starts > STARTS_MAX || self.nested >= NESTED_MAX {
            self.note_unknown();
            return self.note(words, redirects, input, false);
        }
        self.nested += 1;
        let output = self.start_nested(words, redirects, input);
        self.nested -= 1;
        output
    }

    fn start_nested(
        &mut self,
        words: Vec<String>,
        redirects: Vec<(Redirect, String)>,
        input: CommandInput,
    ) -> CommandInput {
        let name =
            words.first().map(|word| word.rsplit('/').next().unwrap_or(word).to_owned()).unwrap_or_default();
        let args = words.get(1..).unwrap_or_default().to_vec();
        if self.is_strict
            && let Some(script) =
                words.first().and_then(|path| self.written.contains_key(path).then(|| self.file(path))?)
        {
            return self.read_script(words, redirects, script);
        }
        if let Some(line) = self.aliases.remove(&name) {
            // Taken out meanwhile: an alias may begin with its own name.
            self.walk(&format!("{line} {}", args.join(" ")));
            self.aliases.insert(name.clone(), line);
        }
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
            "su" | "runuser" | "sg" | "watch" | "trap" | "ssh" | "script" => {
                self.start_line(&name, &args);
            }
            "eval" => {
                self.walk(&args.join(" "));
            }
            "source" | "." => {
                if let Some(text) = args.first().and_then(|path| self.file(path)) {
                    return self.read_script(words, redirects, text);
                }
            }
            "parallel" if self.is_strict => self.start_parallel(&args),
            "at" | "batch" | "parallel"
                if input != CommandInput::Nothing && args.iter().all(|arg| !arg.contains('{')) =>
            {
                return self.read_script(words, redirects, input);
            }
            "xargs" => {
                self.note(words, redirects, CommandInput::Nothing, false);
                return self.start_each(&args, &input);
            }
            "find" => self.start_found(&args),
            name => {
                if !self.change_state(name, &args, &input) && self.look_into(name, &args, &input) {
                    let is_unreadable =
                        input == CommandInput::Strange && args.iter().all(|arg| arg.starts_with('-'));
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
        let asks = |arg: &String| matches!(arg.as_str(), "-v" | "-V" | "-pv" | "-pV");
        if wrapper.name == "command" && args.first().is_some_and(asks) {
            return CommandInput::Unknown;
        }
        let (mut rest, mut to_skip) = (args, wrapper.words);
        while let [word, after @ ..] = rest {
            let (flag, value) =
                word.split_once('=').map_or((word.as_str(), None), |(flag, value)| (flag, Some(value)));
            if word.starts_with('-') && word.len() > 1 {
                if let Some(line) = line_of_flag(wrapper, word, flag, value) {
                    let line = line.map(str::to_owned).into_iter().chain(after.iter().cloned());
                    return self.walk(&line.collect::<Vec<_>>().join(" "));
                }
                if word == "--" {
                    rest = after;
                    continue;
                }
                let takes_word = value.is_none() && wrapper.takes_word(flag);
                if matches!(flag, "-C" | "-D" | "--chdir") && !matches!(wrapper.name, "doas") {
                    self.enter(
                        value.map(|value| [value.to_owned()]).as_ref().map_or(after, |own| own.as_slice()),
                    );
                }
                rest = if takes_word { after.get(1..).unwrap_or_default() } else { after };
            } else if to_skip > 0 && !(wrapper.name == "flock" && word.contains(UNKNOWN)) {
                to_skip -= 1;
                rest = after;
            } else if let Some(value) = value.filter(|_| is_variable(flag)) {
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
            // `--command='LINE'`
            if let Some(line) = word.strip_prefix("--command=") {
                let line = line.to_owned();
                self.walk(&line);
            }
            // `-o pipefail`: the next word belongs to the flag, also in `-oc pipefail LINE`.
            let with_word = if is_bundle { word.matches(['o', 'O']).count() } else { 0 };
            let with_word = with_word + usize::from(matches!(word.as_str(), "--rcfile" | "--init-file"));
            rest = rest.get(with_word..).unwrap_or_default();
        }
        let flags = args.get(..args.len().saturating_sub(rest.len())).unwrap_or_default();
        match rest {
            [line, places @ ..] if has_line => {
                self.set_places_from(places, 0);
                let line = line.clone();
                self.walk(&line)
            }
            // Its words are places of the script, not the script.
            [_, ..] if flags.iter().any(|arg| is_reading_flag(arg)) => {
                self.read_script(words.to_vec(), redirects, input)
            }
            [file, ..] if !matches!(file.as_str(), "-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0") => {
                match self.file(file) {
                    Some(text) => self.read_script(words.to_vec(), redirects, text),
                    None => self.note(words.to_vec(), redirects, input, file.contains(STRANGE)),
                }
            }
            _ if args.iter().any(|arg| matches!(arg.as_str(), "--version" | "--help")) => {
                CommandInput::Unknown
            }
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
        // What it reads, the line does not say.
        self.note_unknown();
        let is_unreadable = script == CommandInput::Strange;
        self.note(words, redirects, script, is_unreadable)
    }

    /// Programs that take a line for a shell among their words.
    fn start_line(&mut self, name: &str, args: &[String]) {
        let line = match name {
            "su" | "script" | "runuser" | "sg" => {
                let at = args.iter().position(|arg| {
                    arg == "--command"
                        || (arg.starts_with('-') && !arg.starts_with("--") && arg.contains('c'))
                });
                let own = args.iter().find_map(|arg| arg.strip_prefix("--command=").map(str::to_owned));
                let attached = at.and_then(|at| args.get(at)).filter(|arg| !arg.starts_with("--"));
                let attached = attached.and_then(|arg| arg.split_once('c')).map(|(_, line)| line.to_owned());
                let next = at.and_then(|at| args.get(at + 1)).cloned();
                if let Some(at) = args.iter().position(|arg| arg == "--") {
                    self.start(
                        args.get(at + 1..).unwrap_or_default().to_vec(),
                        Vec::new(),
                        CommandInput::Nothing,
                    );
                }
                attached.filter(|line| !line.is_empty()).or(next).or(own)
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
        const TAKES: [&str; 17] = [
            "-n",
            "-P",
            "-L",
            "-s",
            "-d",
            "-a",
            "-E",
            "-I",
            "-J",
            "-R",
            "-S",
            "--max-args",
            "--max-procs",
            "--max-lines",
            "--max-chars",
            "--delimiter",
            "--arg-file",
        ];
        let (mut rest, mut mark) = (args, None);
        while let [word, after @ ..] = rest {
            if !word.starts_with('-') || word.len() < 2 {
                break;
            }
            let takes = TAKES.contains(&word.as_str());
            if let Some(own) = word.strip_prefix("--replace") {
                mark = Some(own.strip_prefix('=').unwrap_or("{}").to_owned());
            } else if let Some(own) = word.strip_prefix("-i") {
                mark = Some(if own.is_empty() { "{}".to_owned() } else { own.to_owned() });
            }
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
            if self.starts > STARTS_MAX {
                return;
            }
            let own = args
                .get(at + 1..)
                .unwrap_or_default()
                .iter()
                .take_while(|arg| !matches!(arg.as_str(), ";" | "+"));
            let words: Vec<String> = own
                .flat_map(|word| match word.as_str() {
                    // What is found is started: nobody can say what that is.
                    "{}" if self.is_strict => vec![UNKNOWN.to_string()],
                    "{}" if begins.is_empty() => vec![".".to_owned()],
                    "{}" => begins.clone(),
                    _ => vec![word.clone()],
                })
                .collect();
            self.start(words, Vec::new(), CommandInput::Nothing);
        }
    }

    /// `parallel WORDS ::: ARGS`
    fn start_parallel(&mut self, args: &[String]) {
        let is_mark = |arg: &String| arg.starts_with(":::");
        let at = args.iter().position(is_mark).unwrap_or(args.len());
        let words: Vec<String> = args
            .get(..at)
            .unwrap_or_default()
            .iter()
            .skip_while(|arg| arg.starts_with('-'))
            .cloned()
            .collect();
        let given: Vec<String> =
            args.get(at..).unwrap_or_default().iter().filter(|arg| !is_mark(arg)).cloned().collect();
        if words.is_empty() {
            if given.is_empty() {
                self.note_unknown();
            }
            given.iter().for_each(|line| {
                self.walk(line);
            });
            return;
        }
        // Its flags may take words; each word after them could be the program.
        self.walk(&[words.join(" "), given.join(" ")].join(" "));
        if args.iter().any(|arg| arg.starts_with('-')) {
            self.note_unknown();
        }
    }
}

/// The line that a flag of a wrapper brings, if it brings one: what is attached to it.
fn line_of_flag<'a>(
    wrapper: &Wrapper,
    word: &'a str,
    flag: &str,
    value: Option<&'a str>,
) -> Option<Option<&'a str>> {
    let is_line = match wrapper.name {
        "env" => {
            matches!(flag, "-S" | "--split-string") || "--split-string".starts_with(flag) && flag.len() > 3
        }
        "flock" | "firejail" => matches!(flag, "-c" | "--command"),
        _ => false,
    };
    if is_line {
        return Some(value);
    }
    // `-vS LINE`, `-SLINE`
    let is_bundle = wrapper.name == "env" && !word.starts_with("--");
    let (before, attached) = word.split_once('S').filter(|_| is_bundle)?;
    let is_flags = before.chars().skip(1).all(|c| matches!(c, 'i' | '0' | 'v'));
    is_flags.then_some(Some(attached).filter(|line| !line.is_empty()))
}

/// `-s`: a shell reads its input whatever words there are.
fn is_reading_flag(arg: &str) -> bool {
    arg.starts_with('-') && !arg.starts_with("--") && arg.contains('s')
}

/// Whether a program runs the words after it.
pub fn is_wrapper(name: &str) -> bool {
    WRAPPERS.iter().any(|wrapper| wrapper.name == name)
        || SHELLS.contains(&name)
        || matches!(name, "xargs" | "eval" | "parallel" | "su" | "ssh" | "watch" | "runuser")
}
