//! `/export`: the session as a Markdown file.

use windlass_core::ports::store::title_of;
use windlass_core::text::time::rfc3339;

use crate::command::{Needs, SlashCommand};
use crate::effect::AppEffect;
use crate::state::TuiState;
use crate::state::session::OpenSession;
use crate::text::one_line;
use crate::transcript_text::transcript_markdown;

/// Words of the title that go into a file's name.
const WORDS_MAX: usize = 6;

const NAME_CHARS_MAX: usize = 48;

/// Characters of a date.
const DATE_CHARS: usize = 10;

pub(super) const COMMAND: SlashCommand = SlashCommand {
    aliases: &["save"],
    arguments: "[FILE]",
    needs: Needs::Session,
    ..SlashCommand::new("export", "write the session to a file", run)
};

fn run(state: &mut TuiState, rest: &str) -> Vec<AppEffect> {
    let Some(session) = &state.session else { return Vec::new() };
    let name = match rest {
        "" => usual_name(session, state.now_ms),
        name => name.to_owned(),
    };
    vec![AppEffect::Export { name, text: session_markdown(session) }]
}

/// A session as Markdown, under its title.
pub(super) fn session_markdown(session: &OpenSession) -> String {
    let text = transcript_markdown(&session.view, &session.timing);
    match one_line(&session.row.begin.title) {
        title if title.is_empty() => text,
        title => format!("# {title}\n\n{text}"),
    }
}

/// `windlass-fix-the-tests-2026-03-01.md`: what the session is called, and the day. Letters and digits alone: the name
/// is made of what people and models wrote.
fn usual_name(session: &OpenSession, now_ms: u64) -> String {
    let said = session.view.runs.first().map(|run| title_of(&run.user)).unwrap_or_default();
    let title = Some(session.row.begin.title.as_str()).filter(|title| !title.is_empty()).unwrap_or(said);
    let lower = title.to_lowercase();
    let words: Vec<&str> = lower
        .split(|sign: char| !sign.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(WORDS_MAX)
        .collect();
    let mut name: String = words.join("-").chars().take(NAME_CHARS_MAX).collect();
    name.truncate(name.trim_end_matches('-').len());
    let date = rfc3339(now_ms);
    let date = date.get(..DATE_CHARS).unwrap_or_default();
    match name.as_str() {
        "" => format!("windlass-{date}.md"),
        name => format!("windlass-{name}-{date}.md"),
    }
}
