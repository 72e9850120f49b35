//! One tool, by async-openai, which is a client: the loop is the program's own.

use async_openai::Client;
use async_openai::config::OpenAIConfig;
use async_openai::types::chat::{
    ChatCompletionMessageToolCalls, ChatCompletionRequestAssistantMessage, ChatCompletionRequestMessage,
    ChatCompletionRequestToolMessage, ChatCompletionRequestUserMessage, ChatCompletionTool,
    ChatCompletionTools, CreateChatCompletionRequest, FunctionObject,
};
use schemars::{JsonSchema, schema_for};
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Add {
    a: i64,
    b: i64,
}

/// What the tool gives, or what is wrong with its arguments.
fn add(arguments: &str) -> String {
    match serde_json::from_str::<Add>(arguments) {
        Ok(Add { a, b }) => (a + b).to_string(),
        Err(error) => format!("wrong arguments: {error}"),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::args().nth(1).ok_or("name the provider's address")?;
    let client = Client::with_config(OpenAIConfig::new().with_api_base(url).with_api_key("none"));
    let function = FunctionObject {
        name: "add".to_owned(),
        description: Some("Adds two integers.".to_owned()),
        parameters: Some(schema_for!(Add).into()),
        strict: None,
    };
    let tools = vec![ChatCompletionTools::Function(ChatCompletionTool { function })];
    let mut messages: Vec<ChatCompletionRequestMessage> =
        vec![ChatCompletionRequestUserMessage::from("What is 1900 + 2300?").into()];
    for _ in 0..5 {
        let request = CreateChatCompletionRequest {
            model: "conversation-q0".to_owned(),
            messages: messages.clone(),
            tools: Some(tools.clone()),
            ..Default::default()
        };
        let response = client.chat().create(request).await?;
        let answer = response.choices.into_iter().next().ok_or("no answer")?.message;
        let calls = answer.tool_calls.unwrap_or_default();
        if calls.is_empty() {
            println!("{}", answer.content.unwrap_or_default());
            return Ok(());
        }
        let said =
            ChatCompletionRequestAssistantMessage { tool_calls: Some(calls.clone()), ..Default::default() };
        messages.push(said.into());
        for call in calls {
            let ChatCompletionMessageToolCalls::Function(call) = call else { continue };
            let content = match call.function.name.as_str() {
                "add" => add(&call.function.arguments),
                other => format!("there is no tool {other}"),
            };
            let outcome = ChatCompletionRequestToolMessage { content: content.into(), tool_call_id: call.id };
            messages.push(outcome.into());
        }
    }
    Err("the model does not come to an end".into())
}
