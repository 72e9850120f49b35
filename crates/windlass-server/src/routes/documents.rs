//! Documents and notes that users add to the index: listed, added, removed.

use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use windlass_core::ports::search::{DocumentRow, NewDocument};
use windlass_core::protocol::ids::SessionId;
use windlass_core::text::base64;

use crate::answer::{Created, Nothing, Shown};
use crate::endpoint::Endpoint;
use crate::error::{Problem, ProblemKind, RouteResult};
use crate::extract::{JsonBody, PathOf, QueryOf};
use crate::limits::DOCUMENT_NAME_CHARS_MAX;
use crate::openapi::{object, text};
use crate::shown::show;
use crate::state::ServerApp;

const TAG: &str = "search";

pub(crate) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::get("/api/documents", list)
            .about(TAG, "Documents and notes in the index")
            .query_param("session_id", text(), "Only those of this session.")
            .answers("The documents, by name.")
            .problems(&[ProblemKind::Missing]),
        Endpoint::post("/api/documents", add)
            .about(TAG, "Add or replace a document")
            .notes(
                "Markdown, text, HTML or PDF, as the ending of its name says; either `text` or, for a PDF, `base64`. With \
                 a session, its own searches find it (`rag_search`); without one, searches in all documents do.",
            )
            .body_as("NewDocument", new_document())
            .answers("It can be found.")
            .problems(&[ProblemKind::Missing, ProblemKind::TooLarge]),
        Endpoint::delete("/api/documents/{id}", remove)
            .about(TAG, "Remove a document")
            .path_param("id", "The document.")
            .answers("It is gone.")
            .problems(&[ProblemKind::Missing]),
    ]
}

#[derive(Deserialize)]
struct ListWish {
    session_id: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct DocumentList {
    documents: Vec<DocumentRow>,
}

async fn list(
    State(app): State<ServerApp>,
    QueryOf(wish): QueryOf<ListWish>,
) -> RouteResult<Shown<DocumentList>> {
    let mut documents = app.host.documents().await?;
    if let Some(session_id) = wish.session_id.map(SessionId::new) {
        documents.retain(|document: &DocumentRow| document.session_id.as_ref() == Some(&session_id));
    }
    show(&app, &DocumentList { documents })
}

#[derive(Deserialize)]
struct DocumentBody {
    name: String,
    session_id: Option<String>,
    text: Option<String>,
    base64: Option<String>,
}

async fn add(
    State(app): State<ServerApp>,
    JsonBody(body): JsonBody<DocumentBody>,
) -> RouteResult<Created<DocumentRow>> {
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
    Ok(Created(show(&app, &added)?))
}

async fn remove(State(app): State<ServerApp>, PathOf(id): PathOf<String>) -> RouteResult<Nothing> {
    app.host.remove_document(&id).await?;
    Ok(Nothing)
}

fn new_document() -> Value {
    json!({"anyOf": [with_content("text", text(), "base64"), with_content("base64", coded(), "text")]})
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
