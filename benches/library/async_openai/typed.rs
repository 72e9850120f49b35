//! A typed answer, by async-openai: the wish for a form is sent; reading the answer and asking once more are the program's own.

use async_openai::Client;
use async_openai::config::OpenAIConfig;
use async_openai::types::chat::{
    ChatCompletionRequestAssistantMessage, ChatCompletionRequestMessage, ChatCompletionRequestUserMessage,
    CreateChatCompletionRequest, ResponseFormat, ResponseFormatJsonSchema,
};
use schemars::{JsonSchema, schema_for};
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct City {
    name: String,
    inhabitants: u32,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::args().nth(1).ok_or("name the provider's address")?;
    let client = Client::with_config(OpenAIConfig::new().with_api_base(url).with_api_key("none"));
    let json_schema = ResponseFormatJsonSchema {
        name: "City".to_owned(),
        description: None,
        schema: schema_for!(City).into(),
        strict: None,
    };
    let mut messages: Vec<ChatCompletionRequestMessage> =
        vec![ChatCompletionRequestUserMessage::from("How large is Bonn?").into()];
    for _ in 0..2 {
        let request = CreateChatCompletionRequest {
            model: "conversation-q1".to_owned(),
            messages: messages.clone(),
            response_format: Some(ResponseFormat::JsonSchema { json_schema: json_schema.clone() }),
            ..Default::default()
        };
        let response = client.chat().create(request).await?;
        let text = response.choices.into_iter().next().and_then(|choice| choice.message.content);
        let text = text.unwrap_or_default();
        match serde_json::from_str::<City>(&text) {
            Ok(city) => {
                println!("{}: {}", city.name, city.inhabitants);
                return Ok(());
            }
            Err(error) => {
                messages.push(ChatCompletionRequestAssistantMessage::from(text.as_str()).into());
                let wrong = format!("That does not fit: {error}. Answer again.");
                messages.push(ChatCompletionRequestUserMessage::from(wrong.as_str()).into());
            }
        }
    }
    Err("no answer fits".into())
}
