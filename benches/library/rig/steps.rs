//! What a step costs by rig.

#[path = "../measure.rs"]
mod measure;

use futures::StreamExt;
use rig_agent::agent::MultiTurnStreamItem;
use rig_agent::{Agent, AgentBuilder, rig_tool};
use rig_core::providers::openai::OpenAIConfig;
use rig_core::tool::ToolExecutionError;

/// Adds two integers.
#[rig_tool]
fn add(a: i64, b: i64) -> Result<i64, ToolExecutionError> {
    Ok(a + b)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let agent = |url| {
        let model = OpenAIConfig::new("none").with_base_url(url).client().chat("conversation-q4");
        Ok(AgentBuilder::new(model).tool(Add).build())
    };
    let session = async |agent: &Agent| {
        let mut items = agent.prompt("Count up.").max_turns(20).stream();
        let mut text = String::new();
        while let Some(item) = items.next().await {
            if let MultiTurnStreamItem::FinalResponse(response) = item? {
                text = response.output();
            }
        }
        Ok(text)
    };
    measure::measure(agent, session).await
}
