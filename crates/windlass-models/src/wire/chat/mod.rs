//! A wire.

use serde_json::{Value, json};
use windlass_core::model::{CallDelta, Finish, ModelDelta, ModelFailure, Usage};

use super::{Before, Decode, Encode, Place, Plan, SharedTarget, write_comma, write_json};
use crate::failure::{in_band, malformed};
use crate::health::Turn;

/// Writes requests.
#[derive(Debug, Clone, Copy)]
pub struct Wire;

impl Encode for Wire {
    fn path(&self, _plan: &Plan<'_>) -> String {
        "/chat/completions".into()
    }

    fn head(&self, plan: &Plan<'_>, out: &mut Vec<u8>) {
        let names: Vec<&str> = plan.tools.tools.iter().map(|tool| tool.name.as_str()).collect();
        let head = json!({"model": plan.target.model, "stream": true, "tools": names, "choice": plan.choice});
        let head = head.to_string();
        out.extend_from_slice(head.trim_end_matches('}').as_bytes());
        out.extend_from_slice(b",\"messages\":[");
        if !plan.system.is_empty() {
            write_json(out, &json!({"role": "system", "content": plan.system}));
        }
    }

    fn turn(&self, _plan: &Plan<'_>, turn: &Turn<'_>, place: Place, out: &mut Vec<u8>) {
        write_comma(out);
        write_json(
            out,
            &json!({"turn": format!("{turn:?}"), "last": place.is_last, "before": format!("{:?}", place.before)}),
        );
    }

    fn tail(&self, plan: &Plan<'_>, _before: Before, out: &mut Vec<u8>) {
        for note in plan.trailer {
            write_comma(out);
            write_json(out, &json!({"role": "system", "content": note}));
        }
        out.extend_from_slice(b"]}");
    }
}

/// Reads answers.
pub fn decoder(target: SharedTarget) -> Box<dyn Decode> {
    Box::new(Reader { target, finish: None, is_over: false })
}

struct Reader {
    target: SharedTarget,
    finish: Option<Finish>,
    is_over: bool,
}

impl Reader {
    fn value(&mut self, value: &Value, field: &str, out: &mut Vec<ModelDelta>) -> Result<(), ModelFailure> {
        if let Some(error) = value.get("error") {
            return Err(in_band(&self.target, error));
        }
        if let Some(usage) = value.get("usage").filter(|usage| usage.is_object()) {
            let count = |name: &str| usage.get(name).and_then(Value::as_u64).unwrap_or(0);
            out.push(ModelDelta::Usage(Usage {
                input: count("prompt_tokens"),
                output: count("completion_tokens"),
                ..Usage::default()
            }));
        }
        let Some(choice) = value.pointer("/choices/0") else { return Ok(()) };
        if let Some(text) = choice.get(field).and_then(|m| m.get("content")).and_then(Value::as_str) {
            out.push(ModelDelta::Text(text.into()));
        }
        if let Some(name) =
            choice.get(field).and_then(|m| m.pointer("/tool_calls/0/function/name")).and_then(Value::as_str)
        {
            out.push(ModelDelta::Call(CallDelta { name: Some(name.into()), ..CallDelta::default() }));
        }
        if let Some(finish) = choice.get("finish_reason").and_then(Value::as_str) {
            self.finish = Some(if finish == "stop" { Finish::Stop } else { Finish::Other(finish.into()) });
        }
        Ok(())
    }
}

impl Decode for Reader {
    fn frame(
        &mut self,
        _event: Option<&str>,
        data: &str,
        out: &mut Vec<ModelDelta>,
    ) -> Result<(), ModelFailure> {
        if data == "[DONE]" {
            self.is_over = true;
            return self.end(out);
        }
        let value: Value =
            serde_json::from_str(data).map_err(|error| malformed(&self.target, data, &error.to_string()))?;
        self.value(&value, "delta", out)
    }

    fn whole(&mut self, body: &str, out: &mut Vec<ModelDelta>) -> Result<(), ModelFailure> {
        let value: Value =
            serde_json::from_str(body).map_err(|error| malformed(&self.target, body, &error.to_string()))?;
        self.value(&value, "message", out)?;
        self.end(out)
    }

    fn end(&mut self, out: &mut Vec<ModelDelta>) -> Result<(), ModelFailure> {
        match self.finish.take() {
            Some(finish) => {
                out.push(ModelDelta::Finish(finish));
                Ok(())
            }
            None => Err(ModelFailure::passing("cut", "the answer ended in the middle")),
        }
    }

    fn is_over(&self) -> bool {
        self.is_over
    }
}
