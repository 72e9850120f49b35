//! One tool, by rig.

use rig_agent::{AgentBuilder, rig_tool};
use rig_core::providers::openai::OpenAIConfig;
use rig_core::tool::ToolExecutionError;

/// Adds two integers.
#[rig_tool]
fn add(a: i64, b: i64) -> Result<i64, ToolExecutionError> {
    Ok(a + b)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::args().nth(1).ok_or("name the provider's address")?;
    let model = OpenAIConfig::new("none").with_base_url(url).client().chat("conversation-q0");
    let agent = AgentBuilder::new(model).tool(Add).build();
    println!("{}", agent.prompt("What is 1900 + 2300?").max_turns(5).await?.output());
    Ok(())
}
