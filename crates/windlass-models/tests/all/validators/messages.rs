//! Anthropic Messages.

use std::collections::HashSet;

use serde_json::Value;

use super::schema::{check_full, check_names};
use super::{Checked, Said, is_word, list, must, must_be_blankless, must_be_new, text};

/// Breakpoints of the cache in one request.
const MARKS_MAX: usize = 4;

pub(super) fn check(request: &Value) -> Checked {
    text(request, "model")?;
    must(request["max_tokens"].as_u64().is_some_and(|tokens| tokens > 0), || "no max_tokens".to_owned())?;
    let messages = list(request, "messages")?;
    must(messages[0]["role"] == "user", || "the first message is not the user's".to_owned())?;
    must(messages[messages.len() - 1]["role"] == "user", || "the last message is a prefill".to_owned())?;
    let mut met = HashSet::new();
    let mut open: Vec<&str> = Vec::new();
    for message in messages {
        let blocks = list(message, "content")?;
        match text(message, "role")? {
            "user" => check_user(blocks, &std::mem::take(&mut open))?,
            "assistant" => {
                must(open.is_empty(), || format!("no outcomes of {open:?}"))?;
                open = check_assistant(blocks, &mut met)?;
            }
            role => return Err(format!("role {role}")),
        }
    }
    must(open.is_empty(), || format!("no outcomes of {open:?}"))?;
    let marks = count_marks(request);
    must(marks <= MARKS_MAX, || format!("{marks} cache breakpoints"))?;
    check_tools(request)
}

fn count_marks(value: &Value) -> usize {
    match value {
        Value::Object(fields) => {
            fields.iter().map(|(name, inner)| usize::from(name == "cache_control") + count_marks(inner)).sum()
        }
        Value::Array(values) => values.iter().map(count_marks).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

fn check_user(blocks: &[Value], open: &[&str]) -> Checked {
    let is_result = |block: &&Value| block["type"] == "tool_result";
    let first = blocks.iter().take_while(is_result).count();
    must(blocks.iter().filter(is_result).count() == first, || "outcomes do not come first".to_owned())?;
    let mut answered: Vec<&str> = Vec::new();
    for block in blocks {
        match text(block, "type")? {
            "text" => must_be_blankless(text(block, "text")?)?,
            "image" => check_image(&block["source"])?,
            "tool_result" => {
                answered.push(text(block, "tool_use_id")?);
                must_be_blankless(text(block, "content")?)?;
            }
            kind => return Err(format!("a user's block of type {kind}")),
        }
    }
    must(answered == open, || format!("calls {open:?} are answered by {answered:?}"))
}

fn check_image(source: &Value) -> Checked {
    match text(source, "type")? {
        "base64" => {
            let kind = text(source, "media_type")?;
            let kinds = ["image/png", "image/jpeg", "image/gif", "image/webp"];
            must(kinds.contains(&kind), || format!("a picture of type {kind}"))?;
            text(source, "data").map(|_| ())
        }
        "url" => must(text(source, "url")?.starts_with("https://"), || format!("no address: {source}")),
        kind => Err(format!("a source of type {kind}")),
    }
}

/// Gives the ids of the calls.
fn check_assistant<'a>(blocks: &'a [Value], met: &mut HashSet<&'a str>) -> Result<Vec<&'a str>, String> {
    let mut calls = Vec::new();
    for block in blocks {
        match text(block, "type")? {
            "text" => must_be_blankless(text(block, "text")?)?,
            "thinking" => {
                must(block["thinking"].is_string(), || "thinking without text".to_owned())?;
                text(block, "signature")?;
            }
            "redacted_thinking" => drop(text(block, "data")?),
            "tool_use" => {
                let id = text(block, "id")?;
                must(is_word(id, 64), || format!("the id '{id}' is not legal"))?;
                must_be_new(met, id)?;
                check_names(std::iter::once(text(block, "name")?))?;
                must(block["input"].is_object(), || format!("the input is no object: {block}"))?;
                calls.push(id);
            }
            kind => return Err(format!("an assistant's block of type {kind}")),
        }
    }
    let last = blocks.last().map(|block| block["type"].as_str().unwrap_or_default());
    must(!matches!(last, Some("thinking" | "redacted_thinking")), || "thinking comes last".to_owned())?;
    Ok(calls)
}

fn check_tools(request: &Value) -> Checked {
    let Some(tools) = request.get("tools").and_then(Value::as_array) else {
        return must(request.get("tool_choice").is_none(), || "a choice without tools".to_owned());
    };
    check_names(tools.iter().map(|tool| tool["name"].as_str().unwrap_or_default()))?;
    tools.iter().try_for_each(|tool| check_full(&tool["input_schema"]))?;
    let choice = &request["tool_choice"];
    let is_known = match choice["type"].as_str() {
        None => choice.is_null(),
        Some("auto" | "any" | "none") => true,
        Some("tool") => tools.iter().any(|tool| tool["name"] == choice["name"]),
        Some(_) => false,
    };
    must(is_known, || format!("tool_choice {choice}"))?;
    let thinks = matches!(request["thinking"]["type"].as_str(), Some("enabled" | "adaptive"));
    must(!thinks || request.get("temperature").is_none(), || "a temperature while thinking".to_owned())
}

pub(super) fn read(request: &Value, all: &mut Said) {
    for message in request["messages"].as_array().unwrap() {
        for block in message["content"].as_array().unwrap() {
            match (block["type"].as_str().unwrap(), message["role"].as_str().unwrap()) {
                ("text", "user") => all.add_user(block["text"].as_str().unwrap()),
                ("text", _) => all.add_answer(block["text"].as_str().unwrap()),
                ("image", _) => all.pictures += 1,
                ("tool_use", _) => all.add_call(block["name"].as_str().unwrap(), &block["input"].to_string()),
                ("tool_result", _) => all.add_outcome(block["content"].as_str().unwrap()),
                (_, _) => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn history(messages: Value) -> Checked {
        check(&json!({"model": "m", "max_tokens": 10, "messages": messages}))
    }

    fn user(blocks: Value) -> Value {
        json!({"role": "user", "content": blocks})
    }

    fn assistant(blocks: Value) -> Value {
        json!({"role": "assistant", "content": blocks})
    }

    fn hello() -> Value {
        user(json!([{"type": "text", "text": "hello"}]))
    }

    fn call(id: &str) -> Value {
        json!({"type": "tool_use", "id": id, "name": "f", "input": {}})
    }

    fn outcome(id: &str) -> Value {
        json!({"type": "tool_result", "tool_use_id": id, "content": "x"})
    }

    #[test]
    fn a_legal_messages_request_is_taken() {
        let thinking = json!({"type": "thinking", "thinking": "hm", "signature": "s"});
        let messages = json!([
            hello(),
            assistant(json!([thinking, call("a"), call("b")])),
            user(json!([outcome("a"), outcome("b"), {"type": "text", "text": "more"}])),
        ]);
        assert_eq!(history(messages), Ok(()));
    }

    #[test]
    fn what_messages_refuses_is_refused() {
        for wrong in [
            json!([]),
            json!([assistant(json!([{"type": "text", "text": "x"}])), hello()]),
            json!([hello(), assistant(json!([{"type": "text", "text": "x"}]))]),
            json!([user(json!([{"type": "text", "text": " "}]))]),
            json!([user(json!([]))]),
            json!([hello(), assistant(json!([call("a")])), hello()]),
            json!([
                hello(),
                assistant(json!([call("a")])),
                user(json!([{"type": "text", "text": "x"}, outcome("a")]))
            ]),
            json!([
                hello(),
                assistant(json!([call("a"), call("b")])),
                user(json!([outcome("b"), outcome("a")]))
            ]),
            json!([hello(), user(json!([outcome("a")]))]),
            json!([hello(), assistant(json!([call("a.b")])), user(json!([outcome("a.b")]))]),
            json!([
                hello(),
                assistant(json!([{"type": "thinking", "thinking": "hm"}, call("a")])),
                user(json!([outcome("a")]))
            ]),
            json!([
                hello(),
                assistant(json!([{"type": "thinking", "thinking": "hm", "signature": "s"}])),
                hello()
            ]),
        ] {
            assert!(history(wrong.clone()).is_err(), "{wrong}");
        }
    }
}
