//! Calls that wait for a yes, without a callback: the program reads the events of a run, decides, and answers. An answer
//! holds for the very call that was shown; one for other arguments is refused.
//!
//! `cargo run -p windlass --features scripted --example approvals`

use futures::StreamExt;
use windlass::prelude::*;

/// Deletes a file of the archive.
#[tool(effects = "write", risk = "high")]
async fn delete_file(name: String) -> String {
    format!("{name} is gone")
}

const SCRIPT: &str = r#"
user Tidy up.
model call 1 delete_file {"name": "draft-1.txt"}
model call 2 delete_file {"name": "contract.pdf"}
model end
model text The draft is gone; the contract is still there.
"#;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let agent = Windlass::builder().script(SCRIPT)?.tool(delete_file).approve(ApproveMode::Ask).build()?;
    let session = agent.session("archive");
    let run = session.begin("Tidy up.").await?;
    let mut events = run.clone().stream();
    while let Some(event) = events.next().await {
        if let Event::Durable(DurableEvent::PermissionRequested { question }) = event {
            let is_draft = question.arguments.contains("draft");
            println!("{} {}: {}", question.tool, question.arguments, if is_draft { "yes" } else { "no" });
            let decision = if is_draft { Decision::Once } else { Decision::Deny };
            session.answer_question(run.run_id(), &question, PermissionAnswer::new(decision)).await?;
        }
    }
    println!("{}", run.answer().await?.text);
    Ok(())
}
