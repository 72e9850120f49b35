//! An agent inside another program: two tools, one conversation, answers and events.
//!
//! `cargo run -p windlass --features scripted --example embed`

use futures::StreamExt;
use windlass::prelude::*;

/// Adds two integers.
#[tool(effects = "pure")]
async fn add(a: i64, b: i64) -> Result<i64, ToolError> {
    a.checked_add(b).ok_or_else(|| ToolError::ExecutionFailed(format!("{a} + {b} is too large")))
}

/// Says what a city is known for.
#[tool(effects = "read", risk = "safe")]
fn describe_city(
    /// The city, in English.
    name: String,
) -> Result<String, ToolFailure> {
    match name.as_str() {
        "Bremen" => Ok("four animals on top of each other".to_owned()),
        other => Err(ToolFailure::not_found(format!("Nothing is known of '{other}'"))),
    }
}

/// What the model will say, so that the example needs no key and no network. A real program gives the
/// builder a model of its own with `model_port`.
const SCRIPT: &str = r#"
user What is 19 + 23?
model call 1 add {"a": 19, "b": 23}
model end
model text It is 42.

user And what is Bremen known for?
model text Let me look.
model call 2 describe_city {"name": "Bremen"}
model end
model text Four animals.
"#;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let agent = Windlass::builder()
        .script(SCRIPT)?
        .system("You are brief.")
        .tool(add)
        .tool(describe_city)
        .profile(Profile::default())
        .build()?;

    // The whole answer at once, with everything that led to it.
    let answer = agent.run("What is 19 + 23?").await?;
    for call in &answer.trace.tools {
        println!("{}({}) gave {}", call.name, call.parameters, call.output_raw);
    }
    println!("{}", answer.text);

    // The same conversation, event by event.
    let mut events = agent.stream("And what is Bremen known for?");
    while let Some(event) = events.next().await {
        match event {
            Event::Durable(DurableEvent::CallRequested { call, .. }) => {
                println!("\n→ {} {}", call.name, call.arguments)
            }
            Event::Delta(DeltaEvent::TextDelta { text }) => print!("{text}"),
            Event::Durable(DurableEvent::RunEnded { outcome, .. }) => println!("\n{outcome:?}"),
            // A program shows what it likes; there is more.
            _ => {}
        }
    }
    Ok(())
}
