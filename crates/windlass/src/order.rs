//! What is said to an agent, and what is wished for the run that it begins.

use std::borrow::Cow;
use std::sync::Arc;

use windlass_core::permission::ApproveMode;
use windlass_core::ports::host::RunStart;
use windlass_core::ports::search::Passage;
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
    /// Between two passages of a context.
    pub(crate) const GAP: &str = "\n\n";

    /// A message of text.
    pub fn new(text: impl Into<String>) -> Self {
        Self { parts: vec![Part::text(text)], wishes: RunWishes::default() }
    }

    /// Adds a picture: its media type, and a `data:` or `https:` address.
    pub fn image(mut self, media_type: impl Into<String>, url: impl Into<String>) -> Self {
        self.parts.push(Part::Image { media_type: media_type.into(), url: url.into() });
        self
    }

    /// Another step limit than the profile's.
    pub fn steps_max(mut self, steps: u32) -> Self {
        self.wishes.steps_max = Some(steps);
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

    /// Passages as background, each behind its place; the answer cites the files and documents that they are of. None
    /// changes nothing.
    pub fn passages(self, passages: &[Passage]) -> Self {
        if passages.is_empty() {
            return self;
        }
        let quotes: Vec<String> = passages.iter().map(Passage::quoted).collect();
        let mut sources: Vec<&str> = Vec::new();
        for passage in passages {
            if !sources.contains(&passage.path.as_str()) {
                sources.push(&passage.path);
            }
        }
        self.context(quotes.join(Self::GAP)).context_sources(sources)
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
