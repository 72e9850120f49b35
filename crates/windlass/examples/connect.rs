//! A model that is really connected: one of an Ollama server on this machine, or any other by its name.
//!
//! `cargo run -p windlass --example connect -- ollama/qwen3`
//! `cargo run -p windlass --example connect -- anthropic/claude-sonnet-5-5 KEY`

use windlass::prelude::*;

/// Adds two integers.
#[tool(effects = "pure")]
async fn add(a: i64, b: i64) -> Result<i64, ToolError> {
    a.checked_add(b).ok_or_else(|| ToolError::ExecutionFailed(format!("{a} + {b} is too large")))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let name = words.next().unwrap_or_else(|| "ollama/qwen3".to_owned());
    let builder = Windlass::builder();
    let builder = match words.next() {
        Some(key) => builder.model_key(&name, key)?,
        None => builder.model(&name)?,
    };
    let agent = builder.system("You are brief.").tool(add).build()?;
    let answer = agent.run("What is 19 + 23? Use the tool.").await?;
    println!("{}", answer.text);
    Ok(())
}
