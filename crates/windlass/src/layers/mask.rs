//! Secrets of a program are taken out of what its tools say: outputs, failures and progress.

use std::borrow::Cow;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Map, Value};
use windlass_core::ports::{ProgressPort, ToolContext, ToolPort};
use windlass_core::protocol::ids::CallId;
use windlass_core::protocol::tool::{ToolFailure, ToolOutput};
use windlass_core::text::redact::Redactor;
use windlass_core::text::secret::Secret;

use super::ToolLayer;

/// Takes secrets out of what tools give back, so that no model, journal or screen gets them: `***` stands there instead.
/// A secret of fewer than six characters is left, for it could not be told from ordinary words.
///
/// ```
/// use windlass::layers::SecretMask;
/// use windlass::prelude::*;
///
/// /// Shows the settings.
/// #[tool(effects = "read", risk = "safe")]
/// async fn show_settings() -> &'static str {
///     "host=db.example password=correct-horse"
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let script = "user q\nmodel call 1 show_settings\nmodel end\nmodel text Seen.\n";
/// let mask = SecretMask::new(["correct-horse"]);
/// let agent = Windlass::builder().script(script)?.tool(show_settings).tool_layer(mask).build()?;
/// assert_eq!(agent.run_sync("q")?.trace.tools[0].output_raw, "host=db.example password=***");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct SecretMask {
    redactor: Redactor,
}

impl SecretMask {
    /// Takes these secrets out, and nothing else.
    pub fn new<S: Into<Secret>>(secrets: impl IntoIterator<Item = S>) -> Self {
        Self { redactor: Redactor::new(secrets.into_iter().map(Into::into)).known_values() }
    }

    /// Takes these secrets out, and whatever looks like a key of a well-known form.
    pub fn with_known_forms<S: Into<Secret>>(secrets: impl IntoIterator<Item = S>) -> Self {
        Self { redactor: Redactor::new(secrets.into_iter().map(Into::into)) }
    }

    fn clean(&self, text: &mut String) {
        if let Cow::Owned(cleaned) = self.redactor.clean(text) {
            *text = cleaned;
        }
    }

    fn clean_output(&self, mut output: ToolOutput) -> ToolOutput {
        self.redactor.clean_value(&mut output.json);
        output.text.iter_mut().chain(&mut output.summary).for_each(|text| self.clean(text));
        for link in &mut output.links {
            [&mut link.title, &mut link.url, &mut link.snippet].into_iter().for_each(|text| self.clean(text));
        }
        output
    }

    fn clean_failure(&self, mut failure: ToolFailure) -> ToolFailure {
        self.clean(&mut failure.message);
        let parts = [&mut failure.expected, &mut failure.received, &mut failure.hint, &mut failure.detail];
        parts.into_iter().flatten().for_each(|text| self.clean(text));
        failure
    }
}

#[async_trait]
impl ToolLayer for SecretMask {
    async fn run(
        &self,
        inner: &dyn ToolPort,
        args: &Map<String, Value>,
        context: &ToolContext,
    ) -> Result<ToolOutput, ToolFailure> {
        let progress = MaskedProgress { inner: Arc::clone(&context.progress), mask: self.clone() };
        let context = ToolContext { progress: Arc::new(progress), ..context.clone() };
        let result = inner.run(args, &context).await;
        result.map(|output| self.clean_output(output)).map_err(|failure| self.clean_failure(failure))
    }
}

/// Progress without secrets.
struct MaskedProgress {
    inner: Arc<dyn ProgressPort>,
    mask: SecretMask,
}

impl ProgressPort for MaskedProgress {
    fn report(&self, call_id: &CallId, line: &str) {
        self.inner.report(call_id, &self.mask.redactor.clean(line));
    }
}
