//! A typed answer, by Windlass. One that does not fit is asked for once more, with what was wrong.

use schemars::JsonSchema;
use serde::Deserialize;
use windlass::prelude::*;

#[derive(Deserialize, JsonSchema)]
struct City {
    name: String,
    inhabitants: u32,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::args().nth(1).ok_or("name the provider's address")?;
    let model = ModelSource::new("loopback/conversation-q1")?.base_url(url);
    let agent = Windlass::builder().model_source(model)?.build()?;
    let city = agent.run_as_sync::<City>("How large is Bonn?")?.value;
    println!("{}: {}", city.name, city.inhabitants);
    Ok(())
}
