//! Several steps that survive the end of the program, by async-openai: messages can be written down; everything else is the
//! program's own, and a call that was cut off runs again, whatever it does.

use std::fs::{File, OpenOptions, read_to_string};
use std::io::Write;
use std::path::{Path, PathBuf};

use async_openai::Client;
use async_openai::config::OpenAIConfig;
use async_openai::types::chat::{
    ChatCompletionMessageToolCall, ChatCompletionMessageToolCalls, ChatCompletionRequestAssistantMessage,
    ChatCompletionRequestMessage, ChatCompletionRequestToolMessage, ChatCompletionRequestUserMessage,
    ChatCompletionTool, ChatCompletionTools, CreateChatCompletionRequest, FunctionObject,
};
use schemars::{JsonSchema, schema_for};
use serde::Deserialize;

type Failure = Box<dyn std::error::Error>;

#[derive(Deserialize, JsonSchema)]
struct Parcel {
    parcel: u32,
}

/// What really happened, one line each.
fn write(folder: &Path, line: &str) -> Result<(), Failure> {
    let mut file = OpenOptions::new().create(true).append(true).open(folder.join("ledger"))?;
    Ok(writeln!(file, "{line}")?)
}

fn weigh_parcel(folder: &Path, parcel: u32) -> Result<String, Failure> {
    write(folder, "weighed")?;
    Ok(format!("{} grams", 400 + parcel))
}

fn book_fee(folder: &Path, parcel: u32, call: &str) -> Result<String, Failure> {
    let line = format!("fee of {parcel} {call}");
    if !read_to_string(folder.join("ledger")).unwrap_or_default().contains(&line) {
        write(folder, &line)?;
    }
    // The program is killed here, once.
    if File::create_new(folder.join("failed")).is_ok() {
        std::process::abort();
    }
    Ok("booked".to_owned())
}

fn run(folder: &Path, call: &ChatCompletionMessageToolCall) -> Result<String, Failure> {
    let Parcel { parcel } = serde_json::from_str(&call.function.arguments)?;
    match call.function.name.as_str() {
        "weigh_parcel" => weigh_parcel(folder, parcel),
        "book_fee" => book_fee(folder, parcel, &call.id),
        other => Err(format!("there is no tool {other}").into()),
    }
}

fn offer(name: &str, description: &str) -> ChatCompletionTools {
    let function = FunctionObject {
        name: name.to_owned(),
        description: Some(description.to_owned()),
        parameters: Some(schema_for!(Parcel).into()),
        strict: None,
    };
    ChatCompletionTools::Function(ChatCompletionTool { function })
}

/// Calls of the last step that have no outcome yet.
fn pending(messages: &[ChatCompletionRequestMessage]) -> Vec<ChatCompletionMessageToolCall> {
    let answered = |id: &str| {
        messages.iter().any(|message| {
            matches!(message, ChatCompletionRequestMessage::Tool(outcome) if outcome.tool_call_id == id)
        })
    };
    let said = messages.iter().rev().find_map(|message| match message {
        ChatCompletionRequestMessage::Assistant(said) => said.tool_calls.clone(),
        _ => None,
    });
    let calls = said.into_iter().flatten().filter_map(|call| match call {
        ChatCompletionMessageToolCalls::Function(call) => Some(call),
        ChatCompletionMessageToolCalls::Custom(_) => None,
    });
    calls.filter(|call| !answered(&call.id)).collect()
}

/// Whole or not at all.
fn save(messages: &[ChatCompletionRequestMessage], path: &Path) -> Result<(), Failure> {
    let new = path.with_extension("new");
    std::fs::write(&new, serde_json::to_vec(messages)?)?;
    Ok(std::fs::rename(new, path)?)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let mut args = std::env::args().skip(1);
    let (Some(url), Some(folder)) = (args.next(), args.next().map(PathBuf::from)) else {
        return Err("name the provider's address and a folder".into());
    };
    let client = Client::with_config(OpenAIConfig::new().with_api_base(url).with_api_key("none"));
    let tools =
        vec![offer("weigh_parcel", "Weighs a parcel."), offer("book_fee", "Books the fee of a parcel.")];
    let path = folder.join("messages.json");
    let mut messages: Vec<ChatCompletionRequestMessage> = match read_to_string(&path) {
        Ok(text) => serde_json::from_str(&text)?,
        Err(_) => vec![ChatCompletionRequestUserMessage::from("Send parcel 7.").into()],
    };
    for _ in 0..5 {
        for call in pending(&messages) {
            let content = run(&folder, &call).unwrap_or_else(|error| error.to_string());
            let outcome = ChatCompletionRequestToolMessage { content: content.into(), tool_call_id: call.id };
            messages.push(outcome.into());
            save(&messages, &path)?;
        }
        let request = CreateChatCompletionRequest {
            model: "conversation-q3".to_owned(),
            messages: messages.clone(),
            tools: Some(tools.clone()),
            ..Default::default()
        };
        let response = client.chat().create(request).await?;
        let answer = response.choices.into_iter().next().ok_or("no answer")?.message;
        let content = answer.content.filter(|text| !text.is_empty());
        let is_over = answer.tool_calls.is_none();
        messages.push(
            ChatCompletionRequestAssistantMessage {
                content: content.clone().map(Into::into),
                tool_calls: answer.tool_calls,
                ..Default::default()
            }
            .into(),
        );
        save(&messages, &path)?;
        if is_over {
            println!("{}", content.unwrap_or_default());
            return Ok(());
        }
    }
    Err("the model does not come to an end".into())
}
