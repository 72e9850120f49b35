//! What is said to an agent, and what is wished for the run that it begins.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use windlass_core::permission::ApproveMode;
use windlass_core::ports::host::RunStart;
use windlass_core::protocol::command::RunWishes;
use windlass_core::protocol::form::WishedForm;
use windlass_core::protocol::message::{Message, Part};
use windlass_core::protocol::model::{Sampling, ToolChoice};

/// A message and the wishes for its run. Every text is one without wishes, so `run("…")` needs none of this.
///
/// ```
/// use windlass::prelude::*;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let agent = Windlass::builder().script("user Sum up.\nmodel text Nothing happened.\n")?.build()?;
/// let order = RunOrder::new("Sum up.").steps_max(3).without_tools().context("Minutes of Monday: none.");
/// assert_eq!(agent.run_sync(order)?.text, "Nothing happened.");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub struct RunOrder {
    parts: Vec<Part>,
    wishes: RunWishes,
}

impl RunOrder {
    /// A message of text.
    pub fn new(text: impl Into<String>) -> Self {
        Self { parts: vec![Part::text(text)], wishes: RunWishes::default() }
    }

    /// Adds a picture: its media type, and a `data:` or `https:` address.
    pub fn image(mut self, media_type: impl Into<String>, url: impl Into<String>) -> Self {
        self.parts.push(Part::Image { media_type: media_type.into(), url: url.into() });
        self
    }

    /// Another step limit than the profile's, from 1 to 20.
    pub fn steps_max(mut self, steps: u32) -> Self {
        self.wishes.steps_max = Some(steps);
        self
    }

    /// At most so many calls in this run. At the limit the model answers from what it has, and the outcome is
    /// [`LimitReached`](crate::RunOutcome::LimitReached), here and for the other budgets; where the profile's limit is
    /// lower, that one holds. A budget that cannot be one (0, or beyond all measure) is an error of the run's beginning.
    pub fn calls_max(mut self, calls: u32) -> Self {
        self.wishes.calls_max = Some(calls);
        self
    }

    /// At most so many tokens in this run, those of all steps together, read and written. At most a quarter of them is
    /// kept for the final answer.
    pub fn tokens_max(mut self, tokens: u64) -> Self {
        self.wishes.tokens_max = Some(tokens);
        self
    }

    /// At most so many US dollars for this run. Costs are those that the provider states, else they follow from the
    /// model's prices in the catalogue. A step whose cost is not known is warned of (`COST_UNKNOWN` in the trace) and does
    /// not count: nothing is guessed.
    ///
    /// ```
    /// use windlass::prelude::*;
    ///
    /// /// Looks at the sky.
    /// #[tool]
    /// async fn look_up() -> &'static str {
    ///     "clouds"
    /// }
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let script = "user Weather?\nmodel call 1 look_up\nmodel usage input=900 output=9 cost_usd=0.04\nmodel end\n\
    ///               model text Cloudy, at least.\n";
    /// let agent = Windlass::builder().script(script)?.tool(look_up).build()?;
    /// let answer = agent.run_sync(RunOrder::new("Weather?").cost_usd_max(0.05))?;
    /// assert_eq!((answer.outcome, answer.reason), (RunOutcome::LimitReached, StopReason::CostMax));
    /// assert_eq!(answer.text, "Cloudy, at least.");
    /// # Ok(())
    /// # }
    /// ```
    pub fn cost_usd_max(mut self, dollars: f64) -> Self {
        self.wishes.cost_usd_max = Some(dollars);
        self
    }

    /// At most so much time for this run, not counting the time in which it waits for answers to questions. At most a
    /// quarter of it is kept for the final answer, which is given in any case.
    pub fn time_max(mut self, time: Duration) -> Self {
        self.wishes.run_timeout_ms = Some(u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
        self
    }

    /// Only these tools may be used.
    pub fn tools<T: Into<String>>(mut self, names: impl IntoIterator<Item = T>) -> Self {
        self.wishes.tools = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// No tool may be used.
    pub fn without_tools(mut self) -> Self {
        self.wishes.tools_allowed = false;
        self
    }

    /// What the model may do with tools until it has called one.
    pub fn tool_choice(mut self, choice: ToolChoice) -> Self {
        self.wishes.tool_choice = Some(choice);
        self
    }

    /// What the model is told for this run, after the agent's system text.
    pub fn system(mut self, text: impl Into<String>) -> Self {
        self.wishes.system = Some(text.into());
        self
    }

    /// Temperature, length, seed and the like.
    pub fn sampling(mut self, sampling: Sampling) -> Self {
        self.wishes.sampling = sampling;
        self
    }

    /// Background for the message: found passages, a page, a selection. Read as material, not as a request.
    pub fn context(mut self, text: impl Into<String>) -> Self {
        self.wishes.context = Some(text.into());
        self
    }

    /// Where the background was taken from: the answer cites it.
    pub fn context_sources<T: Into<String>>(mut self, sources: impl IntoIterator<Item = T>) -> Self {
        self.wishes.context_sources = sources.into_iter().map(Into::into).collect();
        self
    }

    /// How calls of this run are approved that need asking.
    pub fn approve(mut self, mode: ApproveMode) -> Self {
        self.wishes.approve = Some(mode);
        self
    }

    /// What the answer must be.
    pub(crate) fn form(mut self, form: Arc<WishedForm>) -> Self {
        self.wishes.form = Some(form);
        self
    }

    pub(crate) fn into_start(self) -> RunStart {
        RunStart {
            message: Message::User { parts: self.parts },
            wishes: self.wishes,
            model: None,
            profile: None,
            executes_while_streaming: None,
        }
    }
}

impl From<String> for RunOrder {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

impl From<&str> for RunOrder {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl From<&String> for RunOrder {
    fn from(text: &String) -> Self {
        Self::new(text)
    }
}

impl From<Cow<'_, str>> for RunOrder {
    fn from(text: Cow<'_, str>) -> Self {
        Self::new(text)
    }
}
