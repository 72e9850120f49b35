//! The routes that EDISON's clients know: chats, their streams, cancelling, pictures.

mod chat;
mod fold;
mod frames;
mod image;
mod memory;
mod requests;
mod routing;

use serde_json::json;

pub(crate) use self::frames::EdisonFrames;
pub(crate) use self::requests::Requests;
use crate::endpoint::Endpoint;
use crate::error::ProblemKind;
use crate::openapi::{object, text};

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
            .answers("The answer.")
            .problems(&problems)
            .waits(),
        Endpoint::post("/chat/stream", chat::stream)
            .about(TAG, "One exchange of a chat, as it comes")
            .query_param("format", json!({"type": "string", "enum": ["edison", "v1.1"]}), "Which frames.")
            .body::<chat::ChatBody>()
            .answers("SSE v1.1, or `init`, `token`, `status`, `done`.")
            .problems(&problems)
            .lenient()
            .waits(),
        Endpoint::post("/chat/cancel", chat::cancel)
            .about(TAG, "Cancels an exchange")
            .body::<chat::CancelBody>()
            .answers("Whether there was one."),
        Endpoint::post("/generate-image", image::generate)
            .about(TAG, "Renders a picture")
            .body_as("EdisonPicture", object([("prompt", text())]))
            .answers("The picture.")
            .problems(&[ProblemKind::Missing, ProblemKind::Upstream, ProblemKind::NotImplemented]),
    ]
}
