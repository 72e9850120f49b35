//! The keys, in words: what the help page shows. What they do is `update`'s business.

/// Keys of one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeySection {
    /// Where they are heard.
    pub title: &'static str,
    pub rows: &'static [KeyRow],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyRow {
    /// The key, or several that do alike.
    pub keys: &'static str,
    pub about: &'static str,
}

const fn row(keys: &'static str, about: &'static str) -> KeyRow {
    KeyRow { keys, about }
}

/// All keys, by place.
pub static KEYS: [KeySection; 6] = [
    KeySection {
        title: "Everywhere",
        rows: &[
            row("Esc", "stops the run; what was done stays done. Again within 2 s: quits"),
            row("Ctrl-C", "stops the run, closes a dialog, clears the message; twice quits"),
            row("Ctrl-O", "folds or unfolds the thinking"),
            row("Ctrl-T", "inspects a run"),
            row("Ctrl-P", "all commands"),
            row("PgUp PgDn", "scroll the transcript; the wheel does too"),
            row("F1", "this page; ? does too while the message is empty"),
        ],
    },
    KeySection {
        title: "The message",
        rows: &[
            row("Enter", "sends it; while a run is active, queues it"),
            row("Ctrl-J", "a new line; so do Shift-Enter, Alt-Enter and a backslash before Enter"),
            row("Up Down", "through the lines, then through what was sent before"),
            row("Ctrl-R", "searches what was sent before"),
            row("@", "names a file of the project"),
            row("/", "a command; Tab completes it"),
            row("Tab", "goes to the transcript"),
            row("Shift-Tab", "changes what runs without asking: read_only, ask, edit, all"),
            row("Ctrl-D", "quits, if the message is empty"),
        ],
    },
    KeySection {
        title: "The transcript",
        rows: &[
            row("Tab Up Down", "move between entries"),
            row("Enter", "folds or unfolds it"),
            row("i", "shows everything recorded about it"),
            row("y", "copies it"),
            row("Home End", "to the beginning and to the end"),
            row("Esc", "goes back to the message; so does writing"),
        ],
    },
    KeySection {
        title: "A question",
        rows: &[
            row("1", "allows the call once"),
            row("2", "allows calls like it in this session"),
            row("3", "saves the rule that is shown"),
            row("4", "denies the call"),
            row("e", "edits the rule before it is remembered"),
            row("Up Down", "scroll what the call would do; so do PgUp, PgDn, Home, End and the wheel"),
            row("Tab", "looks at the next question, if several wait"),
        ],
    },
    KeySection {
        title: "Lists",
        rows: &[
            row("Up Down", "choose; so do PgUp, PgDn, Home, End and the wheel"),
            row("letters", "narrow the list; after / where letters are keys"),
            row("Enter", "takes the chosen row"),
            row("Esc", "clears the filter, then closes"),
        ],
    },
    KeySection {
        title: "Texts",
        rows: &[
            row("Up Down", "scroll; so do Space, b, PgUp, PgDn, Home, End and the wheel"),
            row("/", "searches; n and N go to the next match and the previous one"),
            row("Esc q", "close"),
        ],
    },
];
