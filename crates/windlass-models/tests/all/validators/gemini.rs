//! Gemini generateContent.

use serde_json::Value;

use super::schema::{check_full, check_gemini, check_names};
use super::{Checked, Said, list, must, must_be_blankless, must_be_picture, text};

/// What stands for a signature on calls of other models.
const SENTINEL: &str = "skip_thought_signature_validator";

pub(super) fn check(model: &str, request: &Value) -> Checked {
    let contents = list(request, "contents")?;
    must(contents[0]["role"] == "user", || "the first content is not the user's".to_owned())?;
    must(contents[contents.len() - 1]["role"] == "user", || "the last content is the model's".to_owned())?;
    let mut before: Option<&Value> = None;
    for content in contents {
        let asked = calls_of(before);
        let parts = list(content, "parts")?;
        match text(content, "role")? {
            "user" => check_user(parts, &asked)?,
            "model" => {
                must(asked.is_empty(), || format!("no outcomes of {asked:?}"))?;
                let has_calls = !calls_of(Some(content)).is_empty();
                let follows_user = before.is_some_and(|before| before["role"] == "user");
                must(!has_calls || follows_user, || "calls that follow no user and no outcome".to_owned())?;
                check_model(parts, model.starts_with("gemini-3"))?;
            }
            role => return Err(format!("role {role}")),
        }
        before = Some(content);
    }
    check_tools(request)
}

/// The names of the calls in a content.
fn calls_of(content: Option<&Value>) -> Vec<&Value> {
    let parts = content.and_then(|content| content["parts"].as_array());
    parts
        .into_iter()
        .flatten()
        .filter_map(|part| part.get("functionCall"))
        .map(|call| &call["name"])
        .collect()
}

/// One thing in a part.
fn kind_of(part: &Value) -> Result<&str, String> {
    let kinds = ["text", "inlineData", "fileData", "functionCall", "functionResponse"];
    let mut found = kinds.into_iter().filter(|kind| part.get(*kind).is_some());
    match (found.next(), found.next()) {
        (Some(kind), None) => Ok(kind),
        (_, _) => Err(format!("a part of not one thing: {part}")),
    }
}

fn check_user(parts: &[Value], asked: &[&Value]) -> Checked {
    let mut answered = Vec::new();
    for part in parts {
        match kind_of(part)? {
            "text" => must_be_blankless(text(part, "text")?)?,
            "inlineData" => {
                let picture = &part["inlineData"];
                let url = format!("data:{};base64,{}", text(picture, "mimeType")?, text(picture, "data")?);
                must_be_picture(&url)?;
            }
            "fileData" => {
                text(&part["fileData"], "mimeType")?;
                must_be_picture(text(&part["fileData"], "fileUri")?)?;
            }
            "functionResponse" => {
                let answer = &part["functionResponse"];
                must(answer["response"].is_object(), || format!("the response is no object: {answer}"))?;
                answered.push(&answer["name"]);
            }
            kind => return Err(format!("a user's part of {kind}")),
        }
    }
    must(answered.is_empty() || answered.len() == parts.len(), || "outcomes beside other things".to_owned())?;
    must(answered == asked, || format!("calls {asked:?} are answered by {answered:?}"))
}

fn check_model(parts: &[Value], checks_signatures: bool) -> Checked {
    let mut is_first = true;
    for part in parts {
        let signature = part.get("thoughtSignature").map(|found| found.as_str().unwrap_or_default());
        if let Some(signature) = signature {
            must(signature == SENTINEL || is_base64(signature), || format!("a signature {signature}"))?;
        }
        match kind_of(part)? {
            "text" if signature.is_none() => must_be_blankless(text(part, "text")?)?,
            "text" => must(part["text"].is_string(), || format!("no text: {part}"))?,
            "functionCall" => {
                let call = &part["functionCall"];
                check_names(std::iter::once(text(call, "name")?))?;
                must(call["args"].is_object(), || format!("args are no object: {call}"))?;
                let is_signed = signature.is_some() || !is_first || !checks_signatures;
                must(is_signed, || format!("the first call is not signed: {part}"))?;
                is_first = false;
            }
            kind => return Err(format!("a model's part of {kind}")),
        }
    }
    Ok(())
}

fn is_base64(text: &str) -> bool {
    let body = text.trim_end_matches('=');
    !body.is_empty() && body.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/-_".contains(&byte))
}

fn check_tools(request: &Value) -> Checked {
    let Some(tools) = request.get("tools") else {
        return must(request.get("toolConfig").is_none(), || "a choice without tools".to_owned());
    };
    let tools = list(&tools[0], "functionDeclarations")?;
    check_names(tools.iter().map(|tool| tool["name"].as_str().unwrap_or_default()))?;
    for tool in tools {
        let name = text(tool, "name")?;
        must(!name.starts_with(|c: char| c.is_ascii_digit() || c == '-'), || format!("the name {name}"))?;
        match (tool.get("parameters"), tool.get("parametersJsonSchema")) {
            (Some(schema), None) => check_gemini(schema)?,
            (None, Some(schema)) => check_full(schema)?,
            (None, None) => {}
            (Some(_), Some(_)) => return Err("two schemas".to_owned()),
        }
    }
    let config = &request["toolConfig"]["functionCallingConfig"];
    must(matches!(config["mode"].as_str(), None | Some("AUTO" | "ANY" | "NONE")), || format!("{config}"))?;
    for name in config["allowedFunctionNames"].as_array().into_iter().flatten() {
        must(tools.iter().any(|tool| tool["name"] == *name), || format!("no such tool: {name}"))?;
    }
    Ok(())
}

pub(super) fn read(request: &Value, all: &mut Said) {
    for content in request["contents"].as_array().unwrap() {
        for part in content["parts"].as_array().unwrap() {
            match (kind_of(part).unwrap(), content["role"].as_str().unwrap()) {
                ("text", "user") => all.add_user(part["text"].as_str().unwrap()),
                ("text", _) if part["thought"] == true => {}
                ("text", _) => all.add_answer(part["text"].as_str().unwrap()),
                ("functionCall", _) => {
                    let call = &part["functionCall"];
                    all.add_call(call["name"].as_str().unwrap(), &call["args"].to_string());
                }
                ("functionResponse", _) => {
                    let response = part["functionResponse"]["response"].as_object().unwrap();
                    let content = response.values().next().unwrap();
                    all.add_outcome(&content.as_str().map_or_else(|| content.to_string(), str::to_owned));
                }
                (_, _) => all.pictures += 1,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn history(contents: Value) -> Checked {
        check("gemini-3-pro", &json!({"contents": contents}))
    }

    fn user(parts: Value) -> Value {
        json!({"role": "user", "parts": parts})
    }

    fn hello() -> Value {
        user(json!([{"text": "hello"}]))
    }

    fn model(parts: Value) -> Value {
        json!({"role": "model", "parts": parts})
    }

    fn call(name: &str) -> Value {
        json!({"functionCall": {"name": name, "args": {}}, "thoughtSignature": "c2ln"})
    }

    fn outcome(name: &str) -> Value {
        json!({"functionResponse": {"name": name, "response": {"output": "x"}}})
    }

    #[test]
    fn a_legal_gemini_request_is_taken() {
        let contents = json!([
            hello(),
            model(json!([call("a"), call("b")])),
            user(json!([outcome("a"), outcome("b")])),
            hello()
        ]);
        assert_eq!(history(contents), Ok(()));
    }

    #[test]
    fn what_gemini_refuses_is_refused() {
        for wrong in [
            json!([]),
            json!([model(json!([{"text": "x"}])), hello()]),
            json!([hello(), model(json!([{"text": "x"}]))]),
            json!([user(json!([]))]),
            json!([user(json!([{"text": ""}]))]),
            json!([hello(), model(json!([call("a")])), hello()]),
            json!([hello(), model(json!([call("a"), call("b")])), user(json!([outcome("a")]))]),
            json!([hello(), model(json!([call("a"), call("b")])), user(json!([outcome("b"), outcome("a")]))]),
            json!([hello(), user(json!([outcome("a")]))]),
            json!([
                hello(),
                model(json!([{"text": "x"}])),
                model(json!([call("a")])),
                user(json!([outcome("a")]))
            ]),
            json!([
                hello(),
                model(json!([{"functionCall": {"name": "a", "args": {}}}])),
                user(json!([outcome("a")]))
            ]),
            json!([hello(), model(json!([{"text": "x", "thoughtSignature": "not base64!"}])), hello()]),
            json!([
                hello(),
                model(json!([{"functionCall": {"name": "a", "args": "{}"}, "thoughtSignature": "c2ln"}])),
                user(json!([outcome("a")]))
            ]),
        ] {
            assert!(history(wrong.clone()).is_err(), "{wrong}");
        }
    }
}
