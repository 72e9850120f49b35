//! The slash commands: their words, what they take and what they are for. What they do is `update::commands`' business.
//!
//! One table feeds the parser, completion, the palette and the help page, so none of them can know a command that
//! another does not.

use windlass_core::nearest::nearest_names;

/// A command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CommandKind {
    /// Explain the app, or a command.
    Help,
    /// Choose a model.
    Model,
    /// Choose a profile.
    Profile,
    /// Choose what runs without asking.
    Mode,
    /// Read and change the settings of the session.
    Settings,
    /// Choose how it looks.
    Theme,
    /// List the tools, or show one.
    Tools,
    /// Show or hide the task list.
    Tasks,
    /// Read and change the rules.
    Policy,
    /// Search the project.
    Search,
    /// Choose a session.
    Sessions,
    /// Begin a session.
    New,
    /// Give the session a title.
    Rename,
    /// Take up a run that stopped in the middle.
    Resume,
    /// Go on from a step in a new session.
    Fork,
    /// Make an edit that was staged.
    Apply,
    /// Look at everything that a run did.
    Inspect,
    /// Show what the model has read.
    Context,
    /// Fold or unfold the thinking.
    Thinking,
    /// Copy an answer.
    Copy,
    /// Write the session to a file.
    Export,
    /// Stop the run.
    Cancel,
    /// Leave.
    Quit,
}

/// What must be there for a command to make sense.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// Nothing.
    Nothing,
    /// A session in which something was said.
    Session,
    /// A run that goes on.
    Running,
}

/// A row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommandRow {
    /// Which command.
    pub kind: CommandKind,
    /// Its word, without the slash.
    pub word: &'static str,
    /// Other words for it.
    pub aliases: &'static [&'static str],
    /// What may follow the word: `[NAME]` can be left out, `TEXT` cannot.
    pub arguments: &'static str,
    /// What it is for, in a few words.
    pub about: &'static str,
    /// Keys that do the same, if there are any.
    pub keys: &'static str,
    /// What must be there.
    pub needs: Needs,
}

impl CommandRow {
    /// Whether the word alone says too little.
    pub fn must_have_arguments(&self) -> bool {
        !self.arguments.is_empty() && !self.arguments.starts_with('[')
    }

    /// The word as it is typed, with what may follow it.
    pub fn usage(&self) -> String {
        match self.arguments {
            "" => format!("/{}", self.word),
            arguments => format!("/{} {arguments}", self.word),
        }
    }
}

/// All commands, in the order in which they are shown.
pub static COMMANDS: [CommandRow; 23] = {
    use CommandKind as Kind;
    use Needs::{Nothing, Running, Session};
    [
        row(Kind::Help, "help", &["h", "?", "commands"], "[COMMAND]", "keys and commands", "?", Nothing),
        row(Kind::Model, "model", &["models"], "[NAME]", "choose the model of the next run", "", Nothing),
        row(
            Kind::Profile,
            "profile",
            &["profiles"],
            "[NAME]",
            "choose the profile of the next run",
            "",
            Nothing,
        ),
        row(
            Kind::Mode,
            "mode",
            &["modes", "approve"],
            "[read_only|ask|edit|all]",
            "choose what runs without asking",
            "Shift-Tab",
            Nothing,
        ),
        row(
            Kind::Settings,
            "settings",
            &["setting", "set"],
            "[set NAME VALUE | unset NAME]",
            "system text, sampling, format and tool choice of the session",
            "",
            Nothing,
        ),
        row(Kind::Theme, "theme", &[], "[dark|light|plain]", "choose how it looks", "", Nothing),
        row(Kind::Tools, "tools", &["tool"], "[NAME]", "list the tools, or show one", "", Nothing),
        row(Kind::Tasks, "tasks", &["todo"], "", "show or hide the task list", "", Nothing),
        row(
            Kind::Policy,
            "policy",
            &["permissions", "policies"],
            "[allow|deny|ask RULE | remove ID | explain TOOL JSON]",
            "stored rules: read, add, remove, explain",
            "",
            Nothing,
        ),
        row(Kind::Search, "search", &["grep"], "TEXT", "search the project's files", "", Nothing),
        row(Kind::Sessions, "sessions", &["session"], "[TEXT]", "open another session", "", Nothing),
        row(Kind::New, "new", &["clear"], "", "begin a new session", "", Nothing),
        row(Kind::Rename, "rename", &["title"], "TITLE", "give this session a title", "", Session),
        row(
            Kind::Resume,
            "resume",
            &["continue"],
            "[RUN]",
            "take up a run that stopped in the middle",
            "",
            Nothing,
        ),
        row(Kind::Fork, "fork", &[], "[STEP [MESSAGE]]", "go on from a step in a new session", "", Session),
        row(Kind::Apply, "apply", &[], "[CALL]", "make an edit that was staged", "", Session),
        row(Kind::Inspect, "inspect", &["trace"], "", "everything that the last run did", "Ctrl-T", Session),
        row(
            Kind::Context,
            "context",
            &["usage"],
            "",
            "the project's files as background, and how full the context is",
            "",
            Nothing,
        ),
        row(Kind::Thinking, "thinking", &["reasoning"], "", "fold or unfold the thinking", "Ctrl-O", Nothing),
        row(
            Kind::Copy,
            "copy",
            &["yank"],
            "[all]",
            "copy the last answer, or the whole session",
            "",
            Session,
        ),
        row(Kind::Export, "export", &["save"], "[FILE]", "write the session to a file", "", Session),
        row(Kind::Cancel, "cancel", &["stop"], "", "stop the run; what was done stays done", "Esc", Running),
        row(Kind::Quit, "quit", &["exit", "q"], "", "leave", "Ctrl-D", Nothing),
    ]
};

const fn row(
    kind: CommandKind,
    word: &'static str,
    aliases: &'static [&'static str],
    arguments: &'static str,
    about: &'static str,
    keys: &'static str,
    needs: Needs,
) -> CommandRow {
    CommandRow { kind, word, aliases, arguments, about, keys, needs }
}

/// A word that is no command.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no command /{word}; {}", hint(*.nearest))]
pub struct UnknownCommand {
    /// The word, without the slash.
    pub word: String,
    /// What may have been meant.
    pub nearest: Option<&'static str>,
}

fn hint(nearest: Option<&'static str>) -> String {
    nearest.map_or_else(|| "/help lists them".to_owned(), |word| format!("did you mean /{word}?"))
}

/// Whether a text is a command and not a message: `/help` is one, `/etc/hosts is empty` is not.
pub fn is_command(text: &str) -> bool {
    text.strip_prefix('/').is_some_and(|line| !word_of(line).contains('/'))
}

/// Reads a line, with or without its slash: the command, and what follows its word.
pub fn parse(line: &str) -> Result<(CommandKind, &str), UnknownCommand> {
    let line = line.strip_prefix('/').unwrap_or(line);
    let word = word_of(line);
    let rest = line.get(word.len()..).unwrap_or_default().trim();
    match find(word) {
        Some(row) => Ok((row.kind, rest)),
        None => {
            let words =
                COMMANDS.iter().flat_map(|row| [row.word].into_iter().chain(row.aliases.iter().copied()));
            let meant = nearest_names(word, words, 1).first().and_then(|word| find(word));
            Err(UnknownCommand { word: word.to_owned(), nearest: meant.map(|row| row.word) })
        }
    }
}

/// The row of a word or of another word for it.
pub fn find(word: &str) -> Option<&'static CommandRow> {
    let word = word.to_lowercase();
    COMMANDS.iter().find(|row| row.word == word || row.aliases.contains(&word.as_str()))
}

/// The row of a command.
pub fn row_of(kind: CommandKind) -> Option<&'static CommandRow> {
    COMMANDS.iter().find(|row| row.kind == kind)
}

fn word_of(line: &str) -> &str {
    line.split(char::is_whitespace).next().unwrap_or_default()
}

#[cfg(test)]
#[path = "command_tests.rs"]
mod tests;
