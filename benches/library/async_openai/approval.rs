//! Text as it comes, and calls that wait for a yes, by async-openai: the loop, putting the pieces of calls together and asking
//! are the program's own.

use std::collections::BTreeMap;

use async_openai::Client;
use async_openai::config::OpenAIConfig;
use async_openai::types::chat::{
    ChatCompletionMessageToolCall, ChatCompletionMessageToolCalls, ChatCompletionRequestAssistantMessage,
    ChatCompletionRequestMessage, ChatCompletionRequestToolMessage, ChatCompletionRequestUserMessage,
    ChatCompletionTool, ChatCompletionTools, CreateChatCompletionRequest, FunctionObject,
};
use futures::StreamExt;
use schemars::{JsonSchema, schema_for};
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct SendMoney {
    to: String,
    euros: u32,
}

/// What the tool gives, or what is wrong with its arguments.
fn send_money(arguments: &str) -> String {
    match serde_json::from_str::<SendMoney>(arguments) {
        Ok(SendMoney { to, euros }) => format!("{euros} euros are on their way to {to}"),
        Err(error) => format!("wrong arguments: {error}"),
    }
}

/// Stands for a person who looks at a call.
fn is_approved(arguments: &str) -> bool {
    arguments.contains("the baker")
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::args().nth(1).ok_or("name the provider's address")?;
    let client = Client::with_config(OpenAIConfig::new().with_api_base(url).with_api_key("none"));
    let function = FunctionObject {
        name: "send_money".to_owned(),
        description: Some("Sends money.".to_owned()),
        parameters: Some(schema_for!(SendMoney).into()),
        strict: None,
    };
    let tools = vec![ChatCompletionTools::Function(ChatCompletionTool { function })];
    let mut messages: Vec<ChatCompletionRequestMessage> =
        vec![ChatCompletionRequestUserMessage::from("Pay the bills.").into()];
    for _ in 0..5 {
        let request = CreateChatCompletionRequest {
            model: "conversation-q2".to_owned(),
            messages: messages.clone(),
            tools: Some(tools.clone()),
            ..Default::default()
        };
        let mut chunks = client.chat().create_stream(request).await?;
        let (mut text, mut calls) = (String::new(), BTreeMap::<u32, ChatCompletionMessageToolCall>::new());
        while let Some(chunk) = chunks.next().await {
            let Some(choice) = chunk?.choices.into_iter().next() else { continue };
            if let Some(piece) = choice.delta.content {
                print!("{piece}");
                text.push_str(&piece);
            }
            for piece in choice.delta.tool_calls.unwrap_or_default() {
                let call = calls.entry(piece.index).or_default();
                call.id.push_str(&piece.id.unwrap_or_default());
                if let Some(function) = piece.function {
                    call.function.name.push_str(&function.name.unwrap_or_default());
                    call.function.arguments.push_str(&function.arguments.unwrap_or_default());
                }
            }
        }
        println!();
        if calls.is_empty() {
            return Ok(());
        }
        let calls: Vec<_> = calls.into_values().collect();
        messages.push(
            ChatCompletionRequestAssistantMessage {
                content: Some(text.into()),
                tool_calls: Some(
                    calls.iter().cloned().map(ChatCompletionMessageToolCalls::Function).collect(),
                ),
                ..Default::default()
            }
            .into(),
        );
        for call in calls {
            let content = match call.function.name.as_str() {
                "send_money" if is_approved(&call.function.arguments) => send_money(&call.function.arguments),
                "send_money" => "the user said no".to_owned(),
                other => format!("there is no tool {other}"),
            };
            let outcome = ChatCompletionRequestToolMessage { content: content.into(), tool_call_id: call.id };
            messages.push(outcome.into());
        }
    }
    Err("the model does not come to an end".into())
}
