//! Calls that may do harm wait for a person: the question shows the whole call, the answer comes from the
//! keyboard. When nobody is there (the input is closed), the answer is no, and the run goes on without.
//!
//! `cargo run -p windlass --features scripted --example human_in_the_loop`

use std::io::Write;

use windlass::prelude::*;

/// Sends money.
#[tool(effects = "external", risk = "high")]
async fn send_money(to: String, euros: u32) -> Result<String, ToolError> {
    Ok(format!("{euros} euros are on their way to {to}"))
}

const SCRIPT: &str = r#"
user Pay the baker.
model call 1 send_money {"to": "the baker", "euros": 12}
model end
model text I did what you let me do.
"#;

/// Shows a question and reads the answer.
fn ask(question: &Question) -> Decision {
    println!("{} {} [{}]", question.tool, question.arguments, question.risk.label());
    print!("1 once, 2 session, 3 remember, 4 deny: ");
    // A terminal that cannot be written to can still be read from.
    let _ = std::io::stdout().flush();
    let mut line = String::new();
    match std::io::stdin().read_line(&mut line) {
        Ok(0) | Err(_) => Decision::Deny,
        Ok(_) => Decision::from_word(&line).unwrap_or(Decision::Deny),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let agent = Windlass::builder()
        .script(SCRIPT)?
        .tool(send_money)
        .on_permission(|question| async move {
            // The keyboard blocks: wait for it on a thread that has nothing else to do.
            let decision =
                tokio::task::spawn_blocking(move || ask(&question)).await.unwrap_or(Decision::Deny);
            PermissionAnswer::new(decision)
        })
        .build()?;

    let answer = agent.run("Pay the baker.").await?;
    println!();
    for call in &answer.trace.tools {
        println!("{}: {}", call.name, call.output_summary);
    }
    println!("{}", answer.text);
    Ok(())
}
