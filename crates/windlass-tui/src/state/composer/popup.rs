//! What the word at the cursor can become: commands, their arguments, paths of the project.

use windlass_core::protocol::ids::Millis;

/// After this time the paths of the project are read again.
const PATHS_AGE_MS: u64 = 10_000;

/// A word in the message: a piece of a line, in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TypedToken {
    pub line: usize,
    pub start: usize,
    /// Characters up to its end.
    pub end: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Topic {
    Commands,
    /// What may follow a command's word: its name for the reader.
    Arguments(&'static str),
    /// Paths of the project.
    Paths,
}

impl Topic {
    /// What is offered, in a word.
    pub fn title(self) -> &'static str {
        match self {
            Topic::Commands => "commands",
            Topic::Arguments(title) => title,
            Topic::Paths => "files",
        }
    }
}

/// A list over the message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Popup {
    pub topic: Topic,
    /// The word that is replaced.
    pub token: TypedToken,
    /// What it can become, the best first.
    pub rows: Vec<Suggestion>,
    /// The row that Enter takes. Arguments can be anything: there nothing is chosen until the user chooses.
    pub chosen: Option<usize>,
    /// Whether more is on its way.
    pub is_loading: bool,
}

/// What a word can become.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Suggestion {
    /// What is written in its place.
    pub text: String,
    pub label: String,
    /// The characters of it that were typed.
    pub places: Vec<usize>,
    pub detail: String,
    /// Keys that do the same.
    pub keys: &'static str,
    /// Whether it can be used as things are.
    pub is_possible: bool,
    /// Whether nothing must follow: Enter takes it and sends the line.
    pub is_whole: bool,
}

impl Suggestion {
    /// A word after which nothing must follow.
    pub fn whole(word: &str, detail: &str) -> Self {
        Self {
            text: word.to_owned(),
            label: word.to_owned(),
            detail: detail.to_owned(),
            is_possible: true,
            is_whole: true,
            ..Self::default()
        }
    }

    /// A word after which something must follow.
    pub fn begun(word: &str, detail: &str) -> Self {
        Self { is_whole: false, ..Self::whole(word, detail) }
    }
}

impl Popup {
    pub fn chosen_row(&self) -> Option<&Suggestion> {
        self.chosen.and_then(|chosen| self.rows.get(chosen))
    }

    /// Chooses the next row or the one before, and begins anew at the ends.
    pub fn choose(&mut self, goes_down: bool) {
        let Some(last) = self.rows.len().checked_sub(1) else { return };
        self.chosen = Some(match (self.chosen, goes_down) {
            (None, true) => 0,
            (Some(chosen), true) if chosen >= last => 0,
            (Some(chosen), true) => chosen + 1,
            (None | Some(0), false) => last,
            (Some(chosen), false) => chosen - 1,
        });
    }
}

/// Paths of the project, as far as they are known.
#[derive(Debug, Clone, Default)]
pub struct ProjectPaths {
    /// Files, and folders with a slash at their ends.
    pub all: Vec<String>,
    /// When they were read.
    listed_ms: Option<Millis>,
    /// When they were last asked for.
    asked_ms: Option<Millis>,
}

impl ProjectPaths {
    /// Whether they must be read: they were not yet, or too long ago. Asks only once at a time.
    pub fn ask(&mut self, now_ms: Millis) -> bool {
        let is_young = |at: Option<Millis>| at.is_some_and(|at| now_ms.saturating_sub(at) < PATHS_AGE_MS);
        if is_young(self.listed_ms) || is_young(self.asked_ms) {
            return false;
        }
        self.asked_ms = Some(now_ms);
        true
    }

    /// Whether they were never read.
    pub fn are_unknown(&self) -> bool {
        self.listed_ms.is_none()
    }

    /// Takes what was read, and the folders in it. A path that a line cannot hold is left out.
    pub fn take(&mut self, paths: Vec<String>, now_ms: Millis) {
        let mut all: Vec<String> = paths
            .iter()
            .filter(|path| !path.contains(char::is_control))
            .flat_map(|path| path.match_indices('/').filter_map(|(at, _)| path.get(..=at)))
            .map(str::to_owned)
            .collect();
        all.extend(paths.into_iter().filter(|path| !path.contains(char::is_control)));
        all.sort_unstable();
        all.dedup();
        self.all = all;
        self.listed_ms = Some(now_ms);
        self.asked_ms = None;
    }
}
