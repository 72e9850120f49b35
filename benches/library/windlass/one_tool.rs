//! One tool, by Windlass.

use windlass::prelude::*;

/// Adds two integers.
#[tool(effects = "pure")]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::args().nth(1).ok_or("name the provider's address")?;
    let model = ModelSource::new("loopback/conversation-q0")?.base_url(url);
    let agent = Windlass::builder().model_source(model)?.tool(add).build()?;
    println!("{}", agent.run_sync("What is 1900 + 2300?")?.text);
    Ok(())
}
