//! OpenAI Chat Completions, and what single providers add to it.

use std::collections::HashSet;

use serde_json::Value;

use super::schema::{check_full, check_moonshot, check_names, check_strict};
use super::{
    Checked, Said, list, must, must_be_blankless, must_be_new, must_be_object_text, must_be_picture, text,
};

pub(super) fn check(provider: &str, request: &Value) -> Checked {
    text(request, "model")?;
    let messages = list(request, "messages")?;
    check_order(provider, messages)?;
    let mut met = HashSet::new();
    for (at, message) in messages.iter().enumerate() {
        match text(message, "role")? {
            "system" | "developer" => must_be_blankless(text(message, "content")?)?,
            "user" => check_user(message)?,
            "assistant" => {
                check_assistant(provider, message, &mut met)?;
                check_outcomes(message, &messages[at + 1..])?;
            }
            "tool" => must_be_blankless(text(message, "content")?)?,
            role => return Err(format!("role {role}")),
        }
    }
    check_tools(provider, request)
}

fn role(message: &Value) -> &str {
    message["role"].as_str().unwrap_or_default()
}

/// Outcomes stand behind their calls, and where providers want it something stands behind outcomes.
fn check_order(provider: &str, messages: &[Value]) -> Checked {
    for pair in messages.windows(2) {
        let behind_call = role(&pair[0]) == "tool" || pair[0].get("tool_calls").is_some();
        must(role(&pair[1]) != "tool" || behind_call, || format!("an outcome without a call: {}", pair[1]))?;
        let is_bridged = role(&pair[0]) != "tool" || role(&pair[1]) != "user";
        must(provider != "mistral" || is_bridged, || "a user directly behind an outcome".to_owned())?;
    }
    must(messages.first().map(role) != Some("tool"), || "an outcome comes first".to_owned())?;
    must(provider != "mistral" || messages.last().map(role) != Some("assistant"), || {
        "the assistant is last".to_owned()
    })
}

fn check_user(message: &Value) -> Checked {
    if let Some(content) = message["content"].as_str() {
        return must_be_blankless(content);
    }
    for part in list(message, "content")? {
        match text(part, "type")? {
            "text" => must_be_blankless(text(part, "text")?)?,
            "image_url" => must_be_picture(text(&part["image_url"], "url")?)?,
            kind => return Err(format!("a user's part of type {kind}")),
        }
    }
    Ok(())
}

fn check_assistant<'a>(provider: &str, message: &'a Value, met: &mut HashSet<&'a str>) -> Checked {
    let calls = message.get("tool_calls");
    match &message["content"] {
        Value::Null => must(calls.is_some(), || "neither content nor calls".to_owned())?,
        Value::String(content) => {
            must(calls.is_some() || !content.trim().is_empty(), || "an empty answer".to_owned())?;
        }
        Value::Array(parts) if provider == "mistral" => must(!parts.is_empty(), || "no parts".to_owned())?,
        other => return Err(format!("content {other}")),
    }
    if provider == "deepseek" && calls.is_some() {
        must(message["reasoning_content"].is_string(), || "calls without reasoning_content".to_owned())?;
        must(message["content"].is_string(), || "calls without content".to_owned())?;
    }
    if calls.is_none() {
        return Ok(());
    }
    for call in list(message, "tool_calls")? {
        must(call["type"] == "function", || format!("a call of type {}", call["type"]))?;
        let id = text(call, "id")?;
        must_be_new(met, id)?;
        let is_legal = match provider {
            "mistral" => id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()),
            _ => id.chars().count() <= 40,
        };
        must(is_legal, || format!("the id '{id}' is not legal"))?;
        check_names(std::iter::once(text(&call["function"], "name")?))?;
        must_be_object_text(text(&call["function"], "arguments")?)?;
    }
    Ok(())
}

/// Exactly the outcomes of the calls, directly behind them, in their order.
fn check_outcomes(message: &Value, rest: &[Value]) -> Checked {
    let calls = message["tool_calls"].as_array().map_or(&[] as &[Value], Vec::as_slice);
    let asked: Vec<&Value> = calls.iter().map(|call| &call["id"]).collect();
    let answered: Vec<&Value> =
        rest.iter().take_while(|next| role(next) == "tool").map(|next| &next["tool_call_id"]).collect();
    must(asked == answered, || format!("calls {asked:?} are answered by {answered:?}"))
}

fn check_tools(provider: &str, request: &Value) -> Checked {
    let Some(_) = request.get("tools") else {
        let is_silent = request.get("tool_choice").is_none() && request.get("parallel_tool_calls").is_none();
        return must(is_silent, || "a choice without tools".to_owned());
    };
    let tools = list(request, "tools")?;
    check_names(tools.iter().map(|tool| tool["function"]["name"].as_str().unwrap_or_default()))?;
    for tool in tools {
        let parameters = &tool["function"]["parameters"];
        check_full(parameters)?;
        if tool["function"]["strict"] == true {
            check_strict(parameters)?;
        }
        if provider == "moonshot" {
            check_moonshot(parameters)?;
        }
    }
    let names: Vec<&Value> = tools.iter().map(|tool| &tool["function"]["name"]).collect();
    match &request["tool_choice"] {
        Value::Null => Ok(()),
        Value::String(word) => {
            let words =
                if provider == "mistral" { ["auto", "none", "any"] } else { ["auto", "none", "required"] };
            must(words.contains(&word.as_str()), || format!("tool_choice {word}"))?;
            must(provider != "moonshot" || word != "required", || "moonshot is forced".to_owned())?;
            must(provider != "mistral" || word != "none", || "none beside tools".to_owned())
        }
        named => must(names.contains(&&named["function"]["name"]), || format!("no such tool: {named}")),
    }
}

pub(super) fn read(request: &Value, all: &mut Said) {
    // The first message is the system text.
    for message in request["messages"].as_array().unwrap().iter().skip(1) {
        let content = message["content"].as_str();
        match role(message) {
            "assistant" => {
                all.add_answer(content.unwrap_or_default());
                for call in message["tool_calls"].as_array().into_iter().flatten() {
                    let function = &call["function"];
                    all.add_call(function["name"].as_str().unwrap(), function["arguments"].as_str().unwrap());
                }
            }
            "tool" => all.add_outcome(content.unwrap()),
            _ => {
                all.add_user(content.unwrap_or_default());
                for part in message["content"].as_array().into_iter().flatten() {
                    all.add_user(part["text"].as_str().unwrap_or_default());
                    all.pictures += usize::from(part["type"] == "image_url");
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn history(messages: Value) -> Checked {
        check("acme", &json!({"model": "m", "messages": messages}))
    }

    fn call(id: &str) -> Value {
        json!({"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}})
    }

    fn outcome(id: &str) -> Value {
        json!({"role": "tool", "tool_call_id": id, "content": "x"})
    }

    #[test]
    fn a_legal_chat_request_is_taken() {
        let messages = json!([
            {"role": "system", "content": "s"}, {"role": "user", "content": "u"},
            {"role": "assistant", "content": null, "tool_calls": [call("a"), call("b")]}, outcome("a"), outcome("b"),
            {"role": "assistant", "content": "done"},
        ]);
        assert_eq!(history(messages), Ok(()));
    }

    #[test]
    fn what_chat_refuses_is_refused() {
        let assistant = |calls: Value| json!({"role": "assistant", "content": null, "tool_calls": calls});
        for wrong in [
            json!([]),
            json!([{"role": "user", "content": ""}]),
            json!([{"role": "assistant", "content": null}]),
            json!([outcome("a")]),
            json!([{"role": "user", "content": "u"}, outcome("a")]),
            json!([assistant(json!([call("a")]))]),
            json!([assistant(json!([call("a"), call("b")])), outcome("b"), outcome("a")]),
            json!([assistant(json!([call("a")])), {"role": "user", "content": "u"}, outcome("a")]),
            json!([assistant(json!([call("a")])), outcome("a"), outcome("a")]),
            json!([assistant(json!([call("a")])), outcome("a"), assistant(json!([call("a")])), outcome("a")]),
            json!([assistant(json!([call(&"x".repeat(41))])), outcome(&"x".repeat(41))]),
            json!([
                assistant(
                    json!([{"id": "a", "type": "function", "function": {"name": "f", "arguments": "[1]"}}])
                ),
                outcome("a")
            ]),
            json!([
                assistant(
                    json!([{"id": "a", "type": "function", "function": {"name": "f g", "arguments": "{}"}}])
                ),
                outcome("a")
            ]),
        ] {
            assert!(history(wrong.clone()).is_err(), "{wrong}");
        }
    }
}
