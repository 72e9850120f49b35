//! `repeat_text`: gives a text back, to show what a tool takes to write.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use windlass_core::ports::ToolContext;
use windlass_core::protocol::tool::{Effects, Risk, ToolFailure, ToolOutput, ToolSpec};

use crate::typed::TypedTool;

pub(crate) struct RepeatText;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct RepeatTextArgs {
    /// What to give back
    text: String,
}

impl TypedTool for RepeatText {
    const NAME: &'static str = "repeat_text";
    const ABOUT: &'static str =
        "Give a text back as it is. Do not use it to compute or to read: nothing happens to the text.";
    type Args = RepeatTextArgs;

    fn declare(&self, spec: ToolSpec) -> ToolSpec {
        let examples = vec![json!({"text": "Hello"})];
        ToolSpec { examples, ..spec.with_effects(Effects::Pure, Risk::Safe) }
    }

    async fn run(&self, args: RepeatTextArgs, _context: &ToolContext) -> Result<ToolOutput, ToolFailure> {
        Ok(ToolOutput::text(args.text))
    }
}
