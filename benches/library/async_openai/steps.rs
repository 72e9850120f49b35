//! What a step costs by async-openai, with a loop of our own.

#[path = "../measure.rs"]
mod measure;

use std::collections::BTreeMap;
use std::error::Error;

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
struct Add {
    a: i64,
    b: i64,
}

struct Asking {
    client: Client<OpenAIConfig>,
    tools: Vec<ChatCompletionTools>,
}

impl Asking {
    fn new(url: String) -> Result<Self, Box<dyn Error>> {
        let function = FunctionObject {
            name: "add".to_owned(),
            description: Some("Adds two integers.".to_owned()),
            parameters: Some(schema_for!(Add).into()),
            strict: None,
        };
        let client = Client::with_config(OpenAIConfig::new().with_api_base(url).with_api_key("none"));
        Ok(Self { client, tools: vec![ChatCompletionTools::Function(ChatCompletionTool { function })] })
    }

    async fn session(&self) -> Result<String, Box<dyn Error>> {
        let mut messages: Vec<ChatCompletionRequestMessage> =
            vec![ChatCompletionRequestUserMessage::from("Count up.").into()];
        loop {
            let request = CreateChatCompletionRequest {
                model: "conversation-q4".to_owned(),
                messages: messages.clone(),
                tools: Some(self.tools.clone()),
                ..Default::default()
            };
            let mut chunks = self.client.chat().create_stream(request).await?;
            let (mut text, mut calls) =
                (String::new(), BTreeMap::<u32, ChatCompletionMessageToolCall>::new());
            while let Some(chunk) = chunks.next().await {
                let Some(choice) = chunk?.choices.into_iter().next() else { continue };
                text.push_str(&choice.delta.content.unwrap_or_default());
                for piece in choice.delta.tool_calls.unwrap_or_default() {
                    let call = calls.entry(piece.index).or_default();
                    call.id.push_str(&piece.id.unwrap_or_default());
                    if let Some(function) = piece.function {
                        call.function.name.push_str(&function.name.unwrap_or_default());
                        call.function.arguments.push_str(&function.arguments.unwrap_or_default());
                    }
                }
            }
            if calls.is_empty() {
                return Ok(text);
            }
            let said = calls.values().cloned().map(ChatCompletionMessageToolCalls::Function).collect();
            let said = ChatCompletionRequestAssistantMessage { tool_calls: Some(said), ..Default::default() };
            messages.push(said.into());
            for call in calls.into_values() {
                let Add { a, b } = serde_json::from_str(&call.function.arguments)?;
                let content = (a + b).to_string().into();
                messages.push(ChatCompletionRequestToolMessage { content, tool_call_id: call.id }.into());
            }
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    measure::measure(Asking::new, Asking::session).await
}
