//! Text as it comes, and calls that wait for a yes, by Windlass.

use futures::StreamExt;
use windlass::prelude::*;

/// Sends money.
#[tool(effects = "external", risk = "high")]
fn send_money(to: String, euros: u32) -> String {
    format!("{euros} euros are on their way to {to}")
}

/// Stands for a person who looks at a call.
fn is_approved(arguments: &str) -> bool {
    arguments.contains("the baker")
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::args().nth(1).ok_or("name the provider's address")?;
    let model = ModelSource::new("loopback/conversation-q2")?.base_url(url);
    let builder = Windlass::builder().model_source(model)?.tool(send_money);
    let agent = builder.approve(ApproveMode::Ask).build()?;
    let session = agent.session("bills");
    let run = session.begin("Pay the bills.").await?;
    let mut events = run.clone().stream();
    while let Some(event) = events.next().await {
        match event {
            Event::Delta(DeltaEvent::TextDelta { text }) => print!("{text}"),
            Event::Durable(DurableEvent::StepEnded { .. }) => println!(),
            Event::Durable(DurableEvent::PermissionRequested { question }) => {
                let decision = if is_approved(&question.arguments) { Decision::Once } else { Decision::Deny };
                session.answer_question(run.run_id(), &question, PermissionAnswer::new(decision)).await?;
            }
            _ => {}
        }
    }
    Ok(())
}
