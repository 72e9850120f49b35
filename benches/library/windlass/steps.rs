//! What a step costs by Windlass.

#[path = "../measure.rs"]
mod measure;

use windlass::prelude::*;

/// Adds two integers.
#[tool(effects = "pure")]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let agent = |url| {
        let model = ModelSource::new("loopback/conversation-q4")?.base_url(url);
        Ok(Windlass::builder().model_source(model)?.tool(add).build()?)
    };
    let session = async |agent: &Windlass| {
        let order = RunOrder::new("Count up.").steps_max(20);
        Ok(agent.new_session()?.run(order).await?.text)
    };
    measure::measure(agent, session).await
}
