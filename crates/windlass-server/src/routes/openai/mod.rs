//! The routes that OpenAI's clients know.
//!
//! A request without tools is a run here, with our tools, on this server; a request with tools is one step of
//! the model, whose calls go back to the caller. Errors have OpenAI's shape on every path below `/v1/`.

mod chunk;
mod error;
mod message;
mod models;
mod request;
mod run;
mod step;
mod stop;
mod tools;

use axum::Extension;
use axum::extract::State;
use axum::http::header;
use axum::response::Response;
use serde_json::{Value, json};

use self::chunk::OpenaiCompletion;
use self::error::ErrorBody;
pub(crate) use self::error::{of_failure, told_of};
use self::request::{ChatRequest, ChatWishes};
use crate::answer::{Either, EventStream, Shown};
use crate::endpoint::{Endpoint, JSON};
use crate::error::{Problem, ProblemKind, RouteResult};
use crate::extract::JsonBody;
use crate::shutdown::Closing;
use crate::state::ServerApp;

const TAG: &str = "openai";

pub(crate) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::post("/v1/chat/completions", complete)
            .about(TAG, "Answers, as OpenAI does")
            .notes(
                "Without `tools`: a run with this server's tools; the caller sees the answer alone. With `tools`: one \
                 step of the model, whose calls are handed back. System messages at the beginning are added to the \
                 server's own system text. `profile` chooses the profile of a run. `n` above 1 is refused; penalties, logit_bias and logprobs are ignored.",
            )
            .body_as("OpenaiChatRequest", chat_request())
            .answers("The answer, or a stream of its pieces.")
            .answers("With `stream`: chunks, and `[DONE]`.")
            .problems(&[ProblemKind::Missing, ProblemKind::Conflict, ProblemKind::Upstream, ProblemKind::TimedOut])
            .errors_as::<ErrorBody<'_>>()
            .lenient()
            .waits(),
        Endpoint::get("/v1/models", models::list)
            .about(TAG, "Models, as OpenAI lists them")
            .answers("All models; `windlass` stands for the default one.")
            .errors_as::<ErrorBody<'_>>()
            .lenient(),
        Endpoint::get("/v1/models/{*id}", models::show)
            .about(TAG, "One model")
            .path_param("id", "Its name, with or without a slash.")
            .answers("The model.")
            .problems(&[ProblemKind::Missing])
            .errors_as::<ErrorBody<'_>>()
            .lenient(),
    ]
}

/// What is read of a request, by hand: clients send much more, which is not held against them.
fn chat_request() -> Value {
    json!({
        "type": "object",
        "required": ["messages"],
        "properties": {
            "model": {"type": ["string", "null"]},
            "messages": {"type": "array", "minItems": 1, "items": {
                "type": "object", "required": ["role"], "properties": {"role": {
                    "type": "string", "enum": ["system", "developer", "user", "assistant", "tool"],
                }},
            }},
            "stream": {"type": ["boolean", "null"]},
            "profile": {"type": ["string", "null"]},
        },
    })
}

async fn complete(
    State(app): State<ServerApp>,
    closing: Option<Extension<Closing>>,
    JsonBody(request): JsonBody<ChatRequest>,
) -> RouteResult<Either<Shown<OpenaiCompletion>, EventStream>> {
    let asked = ChatWishes::read(request)?;
    let closing = closing.map(|Extension(closing)| closing).unwrap_or_default();
    match (asked.as_run(), asked.is_stream) {
        (Some((start, history)), true) => {
            run::stream(&app, &asked, start, history, closing).await.map(Either::Other)
        }
        (Some((start, history)), false) => run::answer(&app, &asked, start, history).await.map(Either::One),
        (None, true) => step::stream(&app, &asked).await.map(Either::Other),
        (None, false) => step::answer(&app, &asked).await.map(Either::One),
    }
}

/// Puts a problem into the shape that the clients of a path know.
pub(crate) fn reshape(path: &str, response: Response) -> Response {
    let problem = response.extensions().get::<Problem>().filter(|_| path.starts_with("/v1/"));
    let Some(problem) = problem else { return response };
    let mut shaped = problem.respond_as(JSON, json!(ErrorBody::from(problem)).to_string());
    // Which methods there are, only the router knew: the problem does not.
    if let Some(allow) = response.headers().get(header::ALLOW) {
        shaped.headers_mut().insert(header::ALLOW, allow.clone());
    }
    shaped
}
