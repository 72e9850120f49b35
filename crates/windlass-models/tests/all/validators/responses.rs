//! OpenAI Responses.

use std::collections::HashSet;

use serde_json::Value;

use super::schema::{check_full, check_names, check_strict};
use super::{
    Checked, Said, list, must, must_be_blankless, must_be_new, must_be_object_text, must_be_picture, only,
    text,
};

pub(super) fn check(request: &Value) -> Checked {
    text(request, "model")?;
    let items = list(request, "input")?;
    let (mut met, mut ids) = (HashSet::new(), HashSet::new());
    let mut open: Vec<&str> = Vec::new();
    for (at, item) in items.iter().enumerate() {
        if let Some(id) = item["id"].as_str() {
            must_be_new(&mut ids, id)?;
        }
        match text(item, "type")? {
            "message" => {
                // The model itself may go on speaking behind its calls.
                let is_placed = open.is_empty() || item["role"] == "assistant";
                must(is_placed, || format!("no outcomes of {open:?} before a message"))?;
                check_message(item)?;
            }
            "function_call" => {
                let id = text(item, "call_id")?;
                must_be_new(&mut met, id)?;
                must(id.len() <= 64, || format!("the id '{id}' is too long"))?;
                let own =
                    item.get("id").is_none_or(|own| own.as_str().is_some_and(|own| own.starts_with("fc_")));
                must(own, || format!("the id of the item is not its own: {item}"))?;
                check_names(std::iter::once(text(item, "name")?))?;
                must_be_object_text(text(item, "arguments")?)?;
                open.push(id);
            }
            "function_call_output" => {
                let id = text(item, "call_id")?;
                must(open.first() == Some(&id), || format!("{id} is answered while {open:?} are open"))?;
                open.remove(0);
                must_be_blankless(text(item, "output")?)?;
            }
            "reasoning" => check_reasoning(item, &items[at + 1..])?,
            kind => return Err(format!("an item of type {kind}")),
        }
    }
    must(open.is_empty(), || format!("no outcomes of {open:?}"))?;
    check_tools(request)
}

/// Thinking goes back whole, and leads to an item of the model's own.
fn check_reasoning(item: &Value, rest: &[Value]) -> Checked {
    must(text(item, "id")?.starts_with("rs_"), || format!("the id of the item is not its own: {item}"))?;
    must(item["summary"].is_array(), || format!("thinking without a summary: {item}"))?;
    text(item, "encrypted_content")?;
    let next = rest.iter().find(|next| next["type"] != "reasoning");
    let leads = next.is_some_and(|next| next["type"] == "function_call" || next["role"] == "assistant");
    must(leads, || format!("thinking that leads to nothing: {item}"))
}

fn check_message(item: &Value) -> Checked {
    let role = text(item, "role")?;
    must(["user", "assistant", "developer", "system"].contains(&role), || format!("role {role}"))?;
    if let Some(content) = item["content"].as_str() {
        must(item.get("id").is_none(), || format!("an item of plain text has an id: {item}"))?;
        return must_be_blankless(content);
    }
    for part in list(item, "content")? {
        match (role, text(part, "type")?) {
            ("assistant", "output_text") => must_be_blankless(text(part, "text")?)?,
            ("user" | "developer" | "system", "input_text") => must_be_blankless(text(part, "text")?)?,
            ("user", "input_image") => must_be_picture(text(part, "image_url")?)?,
            (_, kind) => return Err(format!("a part of type {kind} from {role}")),
        }
    }
    let is_own = item.get("id").is_none_or(|id| id.as_str().is_some_and(|id| id.starts_with("msg_")));
    must(is_own, || format!("the id of the item is not its own: {item}"))
}

fn check_tools(request: &Value) -> Checked {
    let Some(tools) = request.get("tools").and_then(Value::as_array) else {
        return must(request.get("tool_choice").is_none(), || "a choice without tools".to_owned());
    };
    check_names(tools.iter().map(|tool| tool["name"].as_str().unwrap_or_default()))?;
    for tool in tools {
        only(tool, &["type", "name", "description", "parameters", "strict"])?;
        check_full(&tool["parameters"])?;
        // Left out it would mean true.
        must(tool["strict"].is_boolean(), || format!("strict is left out: {tool}"))?;
        if tool["strict"] == true {
            check_strict(&tool["parameters"])?;
        }
    }
    match &request["tool_choice"] {
        Value::Null => Ok(()),
        Value::String(word) => {
            must(["auto", "none", "required"].contains(&word.as_str()), || format!("tool_choice {word}"))
        }
        named => {
            must(tools.iter().any(|tool| tool["name"] == named["name"]), || format!("no such tool: {named}"))
        }
    }
}

pub(super) fn read(request: &Value, all: &mut Said) {
    for item in request["input"].as_array().unwrap() {
        match (item["type"].as_str().unwrap(), item["role"].as_str()) {
            ("message", Some("assistant")) => {
                all.add_answer(item["content"].as_str().unwrap_or_default());
                for part in item["content"].as_array().into_iter().flatten() {
                    all.add_answer(part["text"].as_str().unwrap());
                }
            }
            ("message", _) => {
                for part in item["content"].as_array().unwrap() {
                    all.add_user(part["text"].as_str().unwrap_or_default());
                    all.pictures += usize::from(part["type"] == "input_image");
                }
            }
            ("function_call", _) => {
                all.add_call(item["name"].as_str().unwrap(), item["arguments"].as_str().unwrap())
            }
            ("function_call_output", _) => all.add_outcome(item["output"].as_str().unwrap()),
            (_, _) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn input(items: Value) -> Checked {
        check(&json!({"model": "m", "input": items}))
    }

    fn user() -> Value {
        json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "u"}]})
    }

    fn thinking() -> Value {
        json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x"})
    }

    fn call(id: &str) -> Value {
        json!({"type": "function_call", "id": format!("fc_{id}"), "call_id": id, "name": "f", "arguments": "{}"})
    }

    fn outcome(id: &str) -> Value {
        json!({"type": "function_call_output", "call_id": id, "output": "x"})
    }

    #[test]
    fn a_legal_responses_request_is_taken() {
        assert_eq!(
            input(json!([user(), thinking(), call("a"), call("b"), outcome("a"), outcome("b"), user()])),
            Ok(())
        );
    }

    #[test]
    fn what_responses_refuses_is_refused() {
        for wrong in [
            json!([]),
            json!([user(), thinking()]),
            json!([thinking(), user()]),
            json!([user(), call("a")]),
            json!([user(), call("a"), user(), outcome("a")]),
            json!([user(), outcome("a")]),
            json!([user(), call("a"), outcome("a"), outcome("a")]),
            json!([user(), call("a"), call("b"), outcome("b"), outcome("a")]),
            json!([user(), call("a"), outcome("a"), call("a"), outcome("a")]),
            json!([{"type": "message", "role": "user", "content": [{"type": "output_text", "text": "u"}]}]),
            json!([{"type": "message", "role": "assistant", "id": "msg_1", "content": "plain"}]),
        ] {
            assert!(input(wrong.clone()).is_err(), "{wrong}");
        }
    }
}
