//! A test of an agent without its model: what the model says is recorded once and played in every test after that. A
//! changed prompt is told with the place where it differs.
//!
//! The model here is a script, so that the example runs anywhere; with a provider it is
//! `ModelSource::new("openai/gpt-5.5")?.key(key).open()?`.

use std::path::Path;

use serde_json::json;
use windlass::prelude::*;
use windlass::testing::{Cassette, FixedClock, expect, scripted};

/// Looks up what a thing costs, in cents.
#[tool(effects = "pure")]
async fn find_price(thing: String) -> Result<u64, ToolError> {
    Ok(if thing == "bread" { 350 } else { 120 })
}

const MODEL: &str = "user What does bread cost?
model call 1 find_price {\"thing\":\"bread\"}
model end
model text Bread is 3.50.
";

/// The agent under test, whatever its model is.
fn shop(model: Cassette, system: &str) -> Result<Windlass, WindlassError> {
    Windlass::builder().model_port(model).clock(FixedClock::default()).system(system).tool(find_price).build()
}

fn record(path: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let cassette = Cassette::record_to(path, scripted(MODEL))?.secret("the owner's password");
    shop(cassette, "You sell things.")?.run_sync("What does bread cost?")?;
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::temp_dir().join(format!("windlass-cassette-{}", std::process::id()));
    let path = folder.join("bread.jsonl");
    record(&path)?;
    println!("recorded {} lines", std::fs::read_to_string(&path)?.lines().count());

    // What a test would do, every time.
    let answer = shop(Cassette::replay(&path)?, "You sell things.")?.run_sync("What does bread cost?")?;
    expect(&answer)
        .called("find_price")
        .with(json!({"thing": "bread"}))
        .gave(json!(350))
        .times(1)
        .no_failures()
        .outcome(RunOutcome::Completed)
        .answer_has("3.50");
    println!("played: {}", answer.text);

    // Somebody changed the prompt: the test fails and says where.
    let changed = shop(Cassette::replay(&path)?, "You sell many things.")?;
    if let Err(error) = changed.run_sync("What does bread cost?") {
        println!("{}", error.to_string().replace(&*path.to_string_lossy(), "bread.jsonl"));
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}
