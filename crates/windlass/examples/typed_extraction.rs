//! Values out of texts: reports of customers become structs with an enum and a nested struct. One wrong answer is
//! corrected by the model, one that stays wrong is an error of that text alone, and one value is watched as it grows.
//!
//! `cargo run -p windlass --features scripted --example typed_extraction`

use futures::StreamExt;
use schemars::JsonSchema;
use serde::Deserialize;
use windlass::prelude::*;

/// What a customer reports.
#[derive(Debug, Deserialize, JsonSchema)]
struct CustomerReport {
    /// What is wrong, in a few words.
    problem: String,
    urgency: Urgency,
    /// The order it is about.
    order: OrderLine,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Urgency {
    /// Somebody waits.
    Now,
    /// It can be answered this week.
    Later,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct OrderLine {
    /// The number on the bill.
    number: u32,
    #[schemars(length(min = 1))]
    items: Vec<String>,
}

/// What the model answers; the second answer has an urgency that there is none of and is asked for again.
const SCRIPT: &str = r#"
chunk 56

user The lamp of order 4711 came broken. I need it tomorrow!
model text {"problem": "the lamp came broken", "urgency": "now", "order": {"number": 4711, "items": ["lamp"]}}
user Could you send the bill for 4712 again? Two chairs, if that helps.
model text {"problem": "the bill is missing", "urgency": "soon", "order": {"number": 4712, "items": ["chair", "chair"]}}
model end
expect-request contains urgency
model text {"problem": "the bill is missing", "urgency": "later", "order": {"number": 4712, "items": ["chair", "chair"]}}
user Hello? Is anybody there?
model text Nobody has reported anything.
model end
model text {"problem": "unknown", "urgency": "later"}
user The table of 4713 has three legs.
model text {"problem": "a leg is missing", "urgency": "later", "order": {"number": 4713, "items": ["table"]}}
"#;

const MAILS: [&str; 3] = [
    "The lamp of order 4711 came broken. I need it tomorrow!",
    "Could you send the bill for 4712 again? Two chairs, if that helps.",
    "Hello? Is anybody there?",
];

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let agent = Windlass::builder().script(SCRIPT)?.system("You read the mails of a shop.").build()?;
    for mail in MAILS {
        match agent.run_as::<CustomerReport>(mail).await {
            Ok(read) => {
                let CustomerReport { problem, urgency, order } = read.value;
                println!("{}: {problem} ({urgency:?}), {} item(s)", order.number, order.items.len());
            }
            // No value is made up for what the text does not say: somebody has to read it.
            Err(WindlassError::Answer(wrong)) => println!("not read: {mail:?}: {}", wrong.problem),
            Err(error) => return Err(error.into()),
        }
    }
    let mut parts = agent.stream_as::<CustomerReport>("The table of 4713 has three legs.");
    while let Some(part) = parts.next().await {
        match part? {
            TypedPart::Partial { json, value } => println!("so far: {json}, whole: {}", value.is_some()),
            TypedPart::Whole(read) => println!("{}: {}", read.value.order.number, read.value.problem),
        }
    }
    Ok(())
}
