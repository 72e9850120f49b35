//! A typed answer, by rig. One that does not fit is asked for again from the beginning; the model is not told what was wrong.

use rig_agent::AgentBuilder;
use rig_core::providers::openai::OpenAIConfig;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct City {
    name: String,
    inhabitants: u32,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::args().nth(1).ok_or("name the provider's address")?;
    let model = OpenAIConfig::new("none").with_base_url(url).client().chat("conversation-q1");
    let agent = AgentBuilder::new(model).build();
    let city = agent.prompt_typed::<City>("How large is Bonn?").retries(1).await?.output;
    println!("{}: {}", city.name, city.inhabitants);
    Ok(())
}
