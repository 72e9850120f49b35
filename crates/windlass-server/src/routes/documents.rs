//! Documents and notes that users add to the index: listed, added, removed.

use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;
use serde_json::{Value, json};
use windlass_core::ports::search::{DocumentRow, NewDocument};
use windlass_core::protocol::ids::SessionId;
use windlass_core::text::base64;

use crate::endpoint::Endpoint;
use crate::error::{Problem, ProblemKind, RouteResult, SuccessKind};
use crate::extract::{JsonBody, PathOf, QueryOf};
use crate::limits::DOCUMENT_NAME_CHARS_MAX;
use crate::openapi::{count, list_of, named, object, text};
use crate::shown::{done, show, show_list};
use crate::state::ServerApp;

const TAG: &str = "search";

pub(crate) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::get("/api/documents", list)
            .about(TAG, "Documents and notes in the index")
            .query_param("session_id", text(), "Only those of this session.")
            .answers(SuccessKind::Ok, object([("documents", list_of("Document"))]), "The documents, by name.")
            .problems(&[ProblemKind::Missing]),
        Endpoint::post("/api/documents", add)
            .about(TAG, "Add or replace a document")
            .notes(
                "Markdown, text, HTML or PDF, as the ending of its name says; either `text` or, for a PDF, `base64`. With \
                 a session, its own searches find it (`rag_search`); without one, searches in all documents do.",
            )
            .body_as(named("NewDocument"))
            .answers(SuccessKind::Created, named("Document"), "It can be found.")
            .problems(&[ProblemKind::Missing, ProblemKind::TooLarge]),
        Endpoint::delete("/api/documents/{id}", remove)
            .about(TAG, "Remove a document")
            .path_param("id", "The document.")
            .answers_nothing("It is gone.")
            .problems(&[ProblemKind::Missing]),
    ]
}

#[derive(Deserialize)]
struct ListWish {
    session_id: Option<String>,
}

async fn list(State(app): State<ServerApp>, QueryOf(wish): QueryOf<ListWish>) -> RouteResult<Response> {
    let mut documents = app.host.documents().await?;
    if let Some(session_id) = wish.session_id.map(SessionId::new) {
        documents.retain(|document: &DocumentRow| document.session_id.as_ref() == Some(&session_id));
    }
    show_list(&app, "documents", &documents)
}

#[derive(Deserialize)]
struct DocumentBody {
    name: String,
    session_id: Option<String>,
    text: Option<String>,
    base64: Option<String>,
}

async fn add(State(app): State<ServerApp>, JsonBody(body): JsonBody<DocumentBody>) -> RouteResult<Response> {
    if body.name.trim().is_empty() || body.name.chars().count() > DOCUMENT_NAME_CHARS_MAX {
        let message = format!("'name' must have 1 to {DOCUMENT_NAME_CHARS_MAX} characters");
        return Err(Problem::field("name", message));
    }
    let bytes = match (body.text, body.base64) {
        (Some(text), None) => text.into_bytes(),
        (None, Some(coded)) => {
            base64::decode(&coded).ok_or_else(|| Problem::field("base64", "'base64' is not valid base64"))?
        }
        (Some(_), Some(_)) | (None, None) => {
            return Err(Problem::field("text", "send either 'text' or 'base64', not both"));
        }
    };
    let session_id = body.session_id.map(SessionId::new);
    let added = app.host.add_document(NewDocument { name: body.name, session_id, bytes }).await?;
    show(&app, SuccessKind::Created, &added)
}

async fn remove(State(app): State<ServerApp>, PathOf(id): PathOf<String>) -> RouteResult<Response> {
    app.host.remove_document(&id).await?;
    Ok(done())
}

/// A new document whose content is in one field, and not in the other.
fn with_content(there: &str, content: Value, missing: &str) -> Value {
    let name = json!({
        "type": "string", "minLength": 1, "maxLength": DOCUMENT_NAME_CHARS_MAX, "pattern": "\\S",
    });
    let optional = format!("{missing}?");
    let session = json!({"anyOf": [text(), {"type": "null"}]});
    object([("name", name), ("session_id?", session), (there, content), (&optional, json!({"type": "null"}))])
}

/// Base64 with its padding; line breaks, which are taken as well, are left unsaid.
fn coded() -> Value {
    json!({
        "type": "string",
        "contentEncoding": "base64",
        "pattern": "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$",
    })
}

/// The bodies of these routes, for the API document.
pub(crate) fn schemas() -> Vec<(&'static str, Value)> {
    vec![
        (
            "Document",
            object([
                ("document_id", text()),
                ("name", text()),
                ("session_id?", text()),
                ("added_ms", count()),
                ("bytes", count()),
            ]),
        ),
        (
            "NewDocument",
            json!({"anyOf": [with_content("text", text(), "base64"), with_content("base64", coded(), "text")]}),
        ),
    ]
}
