//! Tools that ask the user something in the middle of a call: the program has a callback for it. What is asked and
//! answered so is known to the tool alone; nothing of it is on record.

use std::sync::Arc;
use std::time::Instant;

use windlass_core::ports::{BoxFuture, ToolContext, WaitingTime};
use windlass_core::protocol::tool::{ErrorKind, ToolFailure};

use super::parameter::{CurrentRun, ToolParameter};
use super::state::{MissingState, StateSet};

/// What a tool asks the user.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct UserAsk {
    /// The tool.
    pub tool: String,
    /// The call that asks, its run and its session.
    pub run: CurrentRun,
    /// What is asked.
    pub text: String,
    /// What can be answered; whatever the user likes where there is none.
    pub choices: Vec<String>,
}

/// Answers what tools ask.
pub(super) type UserAsker = Box<dyn Fn(UserAsk) -> BoxFuture<'static, Option<String>> + Send + Sync>;

/// A parameter of an async `#[tool]` by which it asks the user; [`Builder::on_ask`](crate::Builder::on_ask) says who
/// answers. While somebody is asked, the tool's time limit stands still; that of the run does not. A run that is cancelled
/// asks no longer.
///
/// ```
/// use windlass::prelude::*;
///
/// /// Books a table.
/// #[tool(effects = "external", risk = "safe")]
/// async fn book_table(ask: AskUser, people: u32) -> Result<String, ToolFailure> {
///     let place = ask.choose("Inside or outside?", ["inside", "outside"]).await?;
///     Ok(format!("a table for {people}, {place}"))
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let script = "user q\nmodel call 1 book_table {\"people\":2}\nmodel end\nmodel text Booked.\n";
/// let agent = Windlass::builder()
///     .script(script)?
///     .tool(book_table)
///     .on_ask(|ask| async move { ask.choices.last().cloned() })
///     .build()?;
/// assert_eq!(agent.run_sync("q")?.trace.tools[0].output_raw, "a table for 2, outside");
/// # Ok(())
/// # }
/// ```
pub struct AskUser {
    asker: Option<Arc<UserAsker>>,
    tool: String,
    run: CurrentRun,
    waiting: WaitingTime,
}

impl AskUser {
    /// Asks for a text. A failure says that nobody can be asked, or that the user did not answer.
    pub async fn text(&self, question: impl Into<String>) -> Result<String, ToolFailure> {
        self.ask(question.into(), Vec::new()).await
    }

    /// Asks for one of these choices. An answer that is none of them is a failure.
    pub async fn choose<T: Into<String>>(
        &self,
        question: impl Into<String>,
        choices: impl IntoIterator<Item = T>,
    ) -> Result<String, ToolFailure> {
        let choices: Vec<String> = choices.into_iter().map(Into::into).collect();
        let answer = self.ask(question.into(), choices.clone()).await?;
        if choices.contains(&answer) {
            return Ok(answer);
        }
        let message =
            format!("The user was asked for one of {}, and said something else", choices.join(", "));
        Err(ToolFailure::unavailable(message))
    }

    async fn ask(&self, text: String, choices: Vec<String>) -> Result<String, ToolFailure> {
        let Some(asker) = &self.asker else {
            let message = format!("Tool '{}' wants to ask the user, and nobody can be asked here", self.tool);
            return Err(ToolFailure::unavailable(message)
                .hint("Do without this call, or say in the answer what has to be known.")
                .detail("the builder has no on_ask(…)"));
        };
        let ask = UserAsk { tool: self.tool.clone(), run: self.run.clone(), text, choices };
        let _waiting = Wait::begin(&self.waiting);
        asker(ask).await.ok_or_else(|| {
            ToolFailure::new(ErrorKind::Cancelled, "The user was asked something and did not answer")
        })
    }
}

impl ToolParameter for AskUser {
    type Bound = (Option<Arc<UserAsker>>, String);

    fn bind(states: &StateSet, tool: &str) -> Result<Self::Bound, MissingState> {
        Ok((states.state(tool).ok().map(|asker| asker.0), tool.to_owned()))
    }

    fn fill((asker, tool): &Self::Bound, context: &ToolContext) -> Self {
        let (asker, tool) = (asker.clone(), tool.clone());
        Self { asker, tool, run: CurrentRun::of(context), waiting: context.waiting.clone() }
    }
}

/// Somebody is asked until this is dropped, whichever way the asking ends.
struct Wait<'a> {
    waiting: &'a WaitingTime,
    begun: Instant,
}

impl<'a> Wait<'a> {
    fn begin(waiting: &'a WaitingTime) -> Self {
        waiting.begin();
        Self { waiting, begun: Instant::now() }
    }
}

impl Drop for Wait<'_> {
    fn drop(&mut self) {
        self.waiting.end(u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX));
    }
}
