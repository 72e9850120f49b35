//! Asking about what is in the index: passages are found, the model answers with them, and the answer says where they
//! stand.

use windlass_core::ports::search::{Passage, SearchQuery, SearchScope, TokenBudget};
use windlass_core::protocol::ids::SessionId;

#[cfg(feature = "search")]
use crate::agent::Windlass;
use crate::answer::Answer;
use crate::error::WindlassError;
use crate::following;
use crate::order::RunOrder;
use crate::session::AgentSession;
use crate::worker;

/// Passages that a question is answered with: more of them make an answer longer, not better.
const PASSAGES_MAX: usize = 8;

/// An answer and what it was given to answer with.
#[derive(Debug, Clone, PartialEq)]
pub struct CitedAnswer {
    /// The answer; its text ends with a line `Sources: …` that names the files and documents of the passages.
    pub answer: Answer,
    /// The passages that the model was shown, best first; none where nothing was found.
    pub passages: Vec<Passage>,
}

impl AgentSession {
    /// Looks for passages on a question and says it to the model with them, as material to answer from. They are taken
    /// from files, from documents for all, and from documents of this session; never from those of another. The answer
    /// names its sources, also where the model does not. Tools can be used as in every run. Behind a server, its index is
    /// asked.
    ///
    /// [`RunOrder::passages`] does the same with passages of your own choice.
    ///
    /// ```
    /// use windlass::prelude::*;
    ///
    /// # #[tokio::main]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let script = "user What is the soup?\nmodel text Four euros.\n";
    /// let agent = Windlass::builder().script(script)?.search(SearchConfig::documents()).build()?;
    /// agent.add_document("menu.md", "# Menu\n\nSoup is four euros.").await?;
    /// let cited = agent.session("ada").ask("What is the soup?").await?;
    /// assert_eq!(cited.answer.text, "Four euros.\n\nSources: menu.md");
    /// assert_eq!(cited.passages[0].line, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn ask(&self, question: impl Into<String>) -> Result<CitedAnswer, WindlassError> {
        let question = question.into();
        worker::inside(async move {
            let index = self.host.index()?;
            let session_id = self.begun().await?;
            let chars_max = index.context_chars_max(&session_id).await?;
            let query = question_query(index.query_of(&question), session_id, chars_max);
            let passages = shown(index.search(query).await?.passages, chars_max);
            let order = RunOrder::new(question).passages(&passages);
            let answer = following::run(self.clone(), order).await?;
            Ok(CitedAnswer { answer, passages })
        })
        .await
    }
}

fn question_query(text: &str, session_id: SessionId, chars_max: usize) -> SearchQuery {
    let scope = SearchScope::Reachable(session_id);
    let total = u32::try_from(chars_max / 4).unwrap_or(u32::MAX);
    let usual = TokenBudget::default();
    let budget = TokenBudget { total, file: usual.file.min(total), passage: usual.passage.min(total) };
    SearchQuery { scope, budget, top_k: PASSAGES_MAX, ..SearchQuery::new(text) }
}

#[cfg(feature = "search")]
impl Windlass {
    /// Answers a question from files and documents, in the agent's own conversation: [`AgentSession::ask`].
    pub async fn ask(&self, question: impl Into<String>) -> Result<CitedAnswer, WindlassError> {
        self.own_session().ask(question).await
    }
}

/// The passages that fit into what the profile shows of a context: what is cut off must not be cited.
fn shown(mut passages: Vec<Passage>, chars_max: usize) -> Vec<Passage> {
    let mut left = chars_max;
    let fitting = passages.iter().position(|passage| {
        let needed = passage.quoted().chars().count() + RunOrder::GAP.len();
        let fits = needed <= left;
        left = left.saturating_sub(needed);
        !fits
    });
    // Of one that is too long alone, the beginning is shown.
    passages.truncate(fitting.map_or(passages.len(), |count| count.max(1)));
    passages
}
