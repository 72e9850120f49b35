//! The routes that EDISON's clients know: chats, their streams, cancelling, pictures.

mod chat;
mod fold;
mod frames;
mod image;
mod memory;
mod requests;
mod routing;

use serde_json::{Value, json};

pub(crate) use self::frames::EdisonFrames;
pub(crate) use self::requests::Requests;
use crate::endpoint::{EVENT_STREAM, Endpoint};
use crate::error::{ProblemKind, SuccessKind};
use crate::openapi::{frame, named, object, text};

const TAG: &str = "edison";

pub(crate) fn endpoints() -> Vec<Endpoint> {
    let problems =
        [ProblemKind::Missing, ProblemKind::Conflict, ProblemKind::Upstream, ProblemKind::TimedOut];
    vec![
        Endpoint::post("/chat", chat::chat)
            .about(TAG, "One exchange of a chat")
            .notes(
                "Modes `agent` and `work` use tools; with `tools_allowed: false` a keyword search stands in for them. \
                 Mode `auto` becomes `agent` when the message asks for something to be done. Exchanges are kept by \
                 `chat_id`. Closing the connection cancels.",
            )
            .body::<chat::ChatBody>()
            .answers(SuccessKind::Ok, named("EdisonAnswer"), "The answer.")
            .problems(&problems)
            .waits(),
        Endpoint::post("/chat/stream", chat::stream)
            .about(TAG, "One exchange of a chat, as it comes")
            .query_param("format", json!({"type": "string", "enum": ["edison", "v1.1"]}), "Which frames.")
            .body::<chat::ChatBody>()
            .answers_as(SuccessKind::Ok, EVENT_STREAM, frame(), "SSE v1.1, or `init`, `token`, `status`, `done`.")
            .problems(&problems)
            .lenient()
            .waits(),
        Endpoint::post("/chat/cancel", chat::cancel)
            .about(TAG, "Cancels an exchange")
            .body_as(object([("request_id", text())]))
            .answers(
                SuccessKind::Ok,
                object([
                    ("status", json!({"type": "string", "enum": ["cancelled", "not_found"]})),
                    ("request_id", text()),
                ]),
                "Whether there was one.",
            ),
        Endpoint::post("/generate-image", image::generate)
            .about(TAG, "Renders a picture")
            .body_as(object([("prompt", text())]))
            .answers(SuccessKind::Ok, object([("ok", json!({"const": true})), ("data", json!({}))]), "The picture.")
            .problems(&[ProblemKind::Missing, ProblemKind::Upstream, ProblemKind::NotImplemented]),
    ]
}

/// Schemas of their bodies, by name.
pub(crate) fn schemas() -> Vec<(&'static str, Value)> {
    let names = json!({"type": "array", "items": {"type": "string"}});
    vec![(
        "EdisonAnswer",
        object([
            ("response", text()),
            ("mode_used", text()),
            ("model_used", text()),
            ("tools_used", names),
            ("tool_events?", json!({"type": "array", "items": {"type": "object"}})),
            ("chat_id?", json!({"type": ["string", "null"]})),
            ("request_id?", text()),
            ("session_id?", text()),
            ("run_id?", text()),
            ("outcome?", text()),
            ("stopped?", json!({"type": "boolean"})),
        ]),
    )]
}
