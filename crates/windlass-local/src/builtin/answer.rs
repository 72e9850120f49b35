//! The short answers of the built-in model: it decides which is due, the words are ours.

/// What kind of answer the model decided on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AnswerKind {
    /// The calls so far answer it.
    Done,
    Greeting,
    Thanks,
    Farewell,
    /// The user asks who this is.
    Identity,
    /// The user asks what it can do.
    Ability,
    /// It needs a larger model.
    Beyond,
    /// It cannot be told what is meant.
    Unclear,
}

/// What is said where a change inside a file is wanted and not spelled out.
pub(super) const CANNOT_EDIT: &str = "I did not change anything: I can only make a change that is spelled out, one at a time. Try \u{201c}append \
                                     \"buy rope\" to notes.txt\u{201d}, \u{201c}replace \"red\" with \"blue\" in notes.txt\u{201d} or \
                                     \u{201c}overwrite notes.txt with \"new text\"\u{201d}.";

/// How to get a larger model.
const CONNECT: &str = "To connect a larger one, set a key such as `ANTHROPIC_API_KEY` or `OPENAI_API_KEY`, start Ollama, or run a \
                       model file with `--model local/FILE.gguf`; `windlass models list` shows all there are.";

impl AnswerKind {
    /// All kinds, as the grammar offers them.
    pub(super) const ALL: [AnswerKind; 8] = [
        AnswerKind::Done,
        AnswerKind::Greeting,
        AnswerKind::Thanks,
        AnswerKind::Farewell,
        AnswerKind::Identity,
        AnswerKind::Ability,
        AnswerKind::Beyond,
        AnswerKind::Unclear,
    ];

    /// The word that the model writes.
    pub(super) fn word(self) -> &'static str {
        match self {
            AnswerKind::Done => "done",
            AnswerKind::Greeting => "greeting",
            AnswerKind::Thanks => "thanks",
            AnswerKind::Farewell => "farewell",
            AnswerKind::Identity => "identity",
            AnswerKind::Ability => "ability",
            AnswerKind::Beyond => "beyond",
            AnswerKind::Unclear => "unclear",
        }
    }

    /// The kind that a word means.
    pub(super) fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// What is said. Outcomes are rendered elsewhere: `Done` alone has nothing to say.
    pub(super) fn text(self) -> String {
        match self {
            AnswerKind::Done => "Done.".to_owned(),
            AnswerKind::Greeting => {
                "Hello! I can look into this project, calculate, tell the time and keep tasks. What shall I do?".to_owned()
            }
            AnswerKind::Thanks => "You are welcome.".to_owned(),
            AnswerKind::Farewell => "Goodbye!".to_owned(),
            AnswerKind::Identity => format!(
                "I am the small model that is built into Windlass: it chooses tools and fills in their arguments, on this machine, \
                 without key or network. {CONNECT}"
            ),
            AnswerKind::Ability => format!(
                "I can list, read, search and write files of this project, find code and notes, run commands, calculate, tell the time, \
                 show how busy this machine is, keep a task list, search the web and fetch pages: one request at a time, \
                 in plain words. Anything that needs knowledge or writing is beyond me. {CONNECT}"
            ),
            AnswerKind::Beyond => format!(
                "That is beyond the small model that is built in: it works with tools, but it knows nothing and writes nothing of its \
                 own. {CONNECT}"
            ),
            AnswerKind::Unclear => {
                "I did not understand that. Try, for example: \u{201c}What files are in this project?\u{201d}, \u{201c}Read README.md\u{201d}, \
                 \u{201c}Where do we parse arguments?\u{201d}, \u{201c}Add a task to call Ada\u{201d}."
                    .to_owned()
            }
        }
    }
}
