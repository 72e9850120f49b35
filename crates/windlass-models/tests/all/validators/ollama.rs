//! Ollama's own protocol.

use serde_json::Value;

use super::schema::{check_full, check_names};
use super::{Checked, Said, list, must, text};

pub(super) fn check(request: &Value) -> Checked {
    text(request, "model")?;
    let messages = list(request, "messages")?;
    for (at, message) in messages.iter().enumerate() {
        let content = message["content"].as_str().ok_or_else(|| format!("no content: {message}"))?;
        let is_blank = content.trim().is_empty();
        match text(message, "role")? {
            "system" => must(!is_blank, || "a blank text".to_owned())?,
            "user" => {
                must(!is_blank || message.get("images").is_some(), || "a blank message".to_owned())?;
                for image in message["images"].as_array().into_iter().flatten() {
                    let is_bare =
                        image.as_str().is_some_and(|bytes| !bytes.is_empty() && !bytes.contains(':'));
                    must(is_bare, || format!("no bare base64: {image}"))?;
                }
            }
            "assistant" => {
                must(!is_blank || message.get("tool_calls").is_some(), || "a blank answer".to_owned())?;
                check_calls(message, &messages[at + 1..])?;
            }
            "tool" => {
                must(!is_blank, || "a blank outcome".to_owned())?;
                let before = at.checked_sub(1).map(|at| &messages[at]);
                let is_placed = before
                    .is_some_and(|before| before["role"] == "tool" || before.get("tool_calls").is_some());
                must(is_placed, || "an outcome without a call".to_owned())?;
            }
            role => return Err(format!("role {role}")),
        }
    }
    let Some(tools) = request.get("tools").and_then(Value::as_array) else { return Ok(()) };
    check_names(tools.iter().map(|tool| tool["function"]["name"].as_str().unwrap_or_default()))?;
    tools.iter().try_for_each(|tool| check_full(&tool["function"]["parameters"]))
}

/// Calls are objects; outcomes follow them in order, by name.
fn check_calls(message: &Value, rest: &[Value]) -> Checked {
    let calls = message["tool_calls"].as_array().map_or(&[] as &[Value], Vec::as_slice);
    must(message.get("tool_calls").is_none() || !calls.is_empty(), || "no calls".to_owned())?;
    for call in calls {
        check_names(std::iter::once(text(&call["function"], "name")?))?;
        must(call["function"]["arguments"].is_object(), || format!("arguments are no object: {call}"))?;
    }
    let asked: Vec<_> = calls.iter().map(|call| (&call["function"]["name"], call.get("id"))).collect();
    let answered = rest.iter().take_while(|next| next["role"] == "tool");
    let answered: Vec<_> = answered.map(|next| (&next["tool_name"], next.get("tool_call_id"))).collect();
    must(asked == answered, || format!("calls {asked:?} are answered by {answered:?}"))
}

pub(super) fn read(request: &Value, all: &mut Said) {
    // The first message is the system text.
    for message in request["messages"].as_array().unwrap().iter().skip(1) {
        let content = message["content"].as_str().unwrap();
        match message["role"].as_str().unwrap() {
            "assistant" => all.add_answer(content),
            "tool" => all.add_outcome(content),
            _ => all.add_user(content),
        }
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            let function = &call["function"];
            all.add_call(function["name"].as_str().unwrap(), &function["arguments"].to_string());
        }
        all.pictures += message["images"].as_array().map_or(0, Vec::len);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn history(messages: Value) -> Checked {
        check(&json!({"model": "m", "messages": messages}))
    }

    #[test]
    fn a_legal_ollama_request_is_taken() {
        let call = json!({"function": {"name": "f", "arguments": {}}});
        let messages = json!([
            {"role": "user", "content": "u", "images": ["AAAA"]},
            {"role": "assistant", "content": "", "thinking": "hm", "tool_calls": [call]},
            {"role": "tool", "content": "x", "tool_name": "f"},
        ]);
        assert_eq!(history(messages), Ok(()));
    }

    #[test]
    fn what_ollama_refuses_is_refused() {
        let calls = |arguments: Value| json!({"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "f", "arguments": arguments}}]});
        let outcome = |name: &str| json!({"role": "tool", "content": "x", "tool_name": name});
        for wrong in [
            json!([]),
            json!([{"role": "user", "content": ""}]),
            json!([{"role": "user", "content": "x", "images": ["data:image/png;base64,AAAA"]}]),
            json!([{"role": "assistant", "content": ""}]),
            json!([calls(json!("{}")), outcome("f")]),
            json!([calls(json!({}))]),
            json!([calls(json!({})), outcome("g")]),
            json!([outcome("f")]),
        ] {
            assert!(history(wrong.clone()).is_err(), "{wrong}");
        }
    }
}
