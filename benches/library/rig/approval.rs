//! Text as it comes, and calls that wait for a yes, by rig. A hook stands before every call; whoever asks a person from
//! there keeps the run in memory until the answer has come.

use futures::StreamExt;
use rig_agent::agent::{AgentHook, DispatchAction, DispatchEvent, HookContext, MultiTurnStreamItem};
use rig_agent::{AgentBuilder, rig_tool};
use rig_core::providers::openai::OpenAIConfig;
use rig_core::streaming::{Item, StreamEvent};
use rig_core::tool::ToolExecutionError;

/// Sends money.
#[rig_tool]
fn send_money(to: String, euros: u32) -> Result<String, ToolExecutionError> {
    Ok(format!("{euros} euros are on their way to {to}"))
}

/// Stands for a person who looks at a call.
fn is_approved(arguments: &str) -> bool {
    arguments.contains("the baker")
}

struct Approval;

impl AgentHook for Approval {
    async fn on_dispatch(&self, _: &HookContext, event: DispatchEvent<'_>) -> DispatchAction {
        match event.tool_args() {
            Some(arguments) if !is_approved(arguments) => DispatchAction::skip("the user said no"),
            _ => DispatchAction::proceed(),
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::args().nth(1).ok_or("name the provider's address")?;
    let model = OpenAIConfig::new("none").with_base_url(url).client().chat("conversation-q2");
    let agent = AgentBuilder::new(model).tool(SendMoney).add_hook(Approval).build();
    let mut items = agent.prompt("Pay the bills.").max_turns(5).stream();
    while let Some(item) = items.next().await {
        match item? {
            MultiTurnStreamItem::StreamAssistantItem(Item::Event(StreamEvent::Text { text, .. })) => {
                print!("{text}");
            }
            MultiTurnStreamItem::CompletionCall(_) => println!(),
            _ => {}
        }
    }
    Ok(())
}
