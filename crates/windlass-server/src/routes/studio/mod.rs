//! The routes that Prompt Studio knows: its stream and its snapshots.

mod chat;
mod frames;
mod params;
mod saves;

use serde_json::{Value, json};

use crate::endpoint::Endpoint;
use crate::error::ProblemKind;
use crate::openapi::{object, text};

const TAG: &str = "studio";

const NOTES: &str = "SSE v1.1 with the profile `studio`: every frame is `data: …` alone, and the id of one that can be \
    come back to follows as a block of its own. The stream ends with exactly one `done`, also when the request \
    is wrong or a key is missing. With `request_id` a client that comes back reads the same run on. What would need \
    asking is denied, unless `approve` is `ask`. top_k, penalties, stop, logprobs and logit_bias are ignored.";

pub(crate) fn endpoints() -> Vec<Endpoint> {
    let query = PARAMS.iter().fold(
        Endpoint::get("/api/chat/stream", chat::get).about(TAG, "Streams an answer to a prompt").notes(NOTES),
        |endpoint, (name, meaning)| endpoint.query_param(name, text(), meaning),
    );
    let mut endpoints = vec![
        query
            .answers("The events; the last is `done`.")
            .answers("The run that was asked for has ended, and its last event was seen.")
            .lenient(),
        Endpoint::post("/api/chat/stream", chat::post)
            .about(TAG, "Streams an answer to a prompt, with a body")
            .notes(NOTES)
            .body_as("StudioChat", chat_request())
            .answers("The events; the last is `done`.")
            .answers("The run that was asked for has ended, and its last event was seen.")
            .problems(&[ProblemKind::Missing, ProblemKind::Conflict])
            .errors_as_stream()
            .lenient(),
    ];
    endpoints.extend(saves::endpoints());
    endpoints
}

/// Parameters of the query and what they mean; texts, because what is wrong with them is told in the stream.
const PARAMS: [(&str, &str); 20] = [
    ("prompt", "What is wanted."),
    ("system", "What the model is told beside the server's own system text."),
    ("provider", "The provider, where the model's name does not say it."),
    ("model", "The model."),
    ("temperature", "0 to 2."),
    ("top_p", "0 to 1."),
    ("max_tokens", "Most tokens of one answer."),
    ("reasoning_effort", "low, medium, high or auto."),
    ("tools", "JSON: names or schemas of the tools that may be used; all if nothing is said."),
    ("tool_schemas", "The same."),
    ("tool_choice", "auto, required, none, or a tool's name."),
    ("max_tool_calls", "Most steps, 1 to 20."),
    ("seed", "For repeatable answers."),
    ("response_format", "JSON, or json_object."),
    ("finalize_hint", "What the model is told in a last step without tools, beside the usual."),
    ("session_id", "The session to go on in."),
    ("request_id", "The client's name for the request, by which it can come back."),
    ("approve", "ask or never."),
    ("cancel_on_disconnect", "true or false."),
    ("tool_loop_v2", "Whether a call may start as soon as it is complete."),
];

/// What a request must have, by hand: the rest is what the query may have, and is told in the stream if it is wrong.
fn chat_request() -> Value {
    let maybe = || json!({"type": ["string", "null"]});
    object([
        ("prompt", json!({"type": "string", "minLength": 1, "pattern": "\\S"})),
        ("system?", maybe()),
        ("model?", maybe()),
        ("provider?", maybe()),
        ("request_id?", maybe()),
    ])
}
