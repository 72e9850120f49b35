//! What shells do themselves: folders, variables and other names change by it.

use super::change::is_variable;
use super::walk::{CommandInput, HOME, STRANGE, UNKNOWN, Walker};

impl Walker {
    /// Follows a command of the shell that changes what comes after it; whether it is one.
    pub(super) fn change_state(&mut self, name: &str, args: &[String], input: &CommandInput) -> bool {
        match name {
            "alias" => {
                for (alias, line) in args.iter().filter_map(|arg| arg.split_once('=')) {
                    self.aliases.insert(alias.to_owned(), line.to_owned());
                }
                self.start_aliases(args);
            }
            "hash" if args.first().is_some_and(|arg| arg == "-p") => {
                if let [_, path, name, ..] = args {
                    self.aliases.insert(name.clone(), path.clone());
                }
            }
            "shift" | "unset" | "mapfile" | "readarray" | "getopts" | "let" | "enable" => {
                self.forget_all(name, args)
            }
            "printf" if args.first().is_some_and(|arg| arg.starts_with("-v")) => self.forget_all(name, args),
            "declare" | "typeset" | "local" | "export" | "readonly"
                if self.is_strict
                    && args
                        .iter()
                        .any(|arg| arg.starts_with('-') && arg.contains(['n', 'l', 'u', 'c', 'i'])) =>
            {
                self.forget_all(name, args);
            }
            "cd" | "pushd" => self.enter(args),
            "export" | "declare" | "typeset" | "local" | "readonly" => self.assign_all(args),
            "read" if self.is_strict && args.iter().filter(|arg| !arg.starts_with('-')).count() != 1 => {
                self.forget_all(name, args);
            }
            "read" => {
                if self.is_strict && !matches!(input, CommandInput::Known(_)) {
                    self.forget_all(name, args);
                }
                if let (CommandInput::Known(text), Some(name)) = (input, args.last()) {
                    self.assign(&name.clone(), text.trim().to_owned());
                }
            }
            "set" => self.set_places(args.iter().skip_while(|arg| arg.starts_with('-')).cloned()),
            _ => return false,
        }
        true
    }

    pub(super) fn enter(&mut self, args: &[String]) {
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
    pub(super) fn set_places_from(&mut self, places: &[String], first: usize) {
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

    /// Variables that a command sets to what only the running shell knows.
    fn forget_all(&mut self, name: &str, args: &[String]) {
        if name == "enable" {
            return self.note_unknown();
        }
        let places: &[&str] =
            if name == "shift" { &["@", "*", "1", "2", "3", "4", "5", "6", "7", "8", "9"] } else { &[] };
        places.iter().for_each(|place| self.forget(place));
        for arg in args {
            let own = arg.trim_start_matches("-v").split(['=', '[', '+']).next().unwrap_or_default();
            if is_variable(own) {
                self.forget(own);
            }
        }
    }

    /// Lines that are given other names: they count as run, also where the name is never used.
    fn start_aliases(&mut self, args: &[String]) {
        for (_, line) in args.iter().filter_map(|arg| arg.split_once('=')) {
            self.walk(line);
        }
    }
}
