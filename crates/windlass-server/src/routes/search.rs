//! Searching the project, and what its index holds.

use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};
use windlass_core::ports::search::{Found, IndexStatus, SearchKind, SearchQuery, SearchScope, TokenBudget};
use windlass_core::protocol::ids::SessionId;

use crate::answer::Shown;
use crate::endpoint::Endpoint;
use crate::error::{Problem, ProblemKind, RouteResult};
use crate::extract::QueryOf;
use crate::limits::{PASSAGES_MAX, PASSAGES_USUAL, QUERY_CHARS_MAX, SEARCH_TOKENS_MAX};
use crate::openapi::text;
use crate::shown::show;
use crate::state::ServerApp;

const TAG: &str = "search";
/// Where may be looked.
const SCOPES: [&str; 4] = ["project", "documents", "everything", "reachable"];

pub(crate) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::get("/api/search", search)
            .about(TAG, "Find code, notes and documents")
            .notes(
                "Passages come best first, with what their scores are made of. While the index is built, the answer is \
                 made from what is there, and `indexing` says how far it is.",
            )
            .needed_query_param("q", query_schema(), "Words, a question, a name.")
            .query_param("top_k", top_k_schema(), "At most so many passages.")
            .query_param("kind", kind_schema(), "Which ways of finding count.")
            .query_param("scope", scope_schema(), "Files of the project, documents that were added, or both; `reachable`: files, documents of no session, and those of `session_id`.")
            .query_param("session_id", text(), "Only documents of this session, unless `scope` is `reachable`.")
            .answers("What was found.")
            .problems(&[ProblemKind::Missing, ProblemKind::Conflict]),
        Endpoint::get("/api/index", status)
            .about(TAG, "What the index of the project holds")
            .answers("Its size, and how far it is while it is built.")
            .problems(&[ProblemKind::Missing]),
    ]
}

fn query_schema() -> Value {
    json!({"type": "string", "minLength": 1, "maxLength": QUERY_CHARS_MAX, "pattern": "\\S"})
}

#[derive(Deserialize)]
struct SearchWish {
    q: String,
    top_k: Option<String>,
    kind: Option<String>,
    scope: Option<String>,
    session_id: Option<String>,
}

async fn search(
    State(app): State<ServerApp>,
    QueryOf(wish): QueryOf<SearchWish>,
) -> RouteResult<Shown<Found>> {
    if wish.q.trim().is_empty() {
        return Err(Problem::field("q", "'q' is empty; enter what to search for"));
    }
    if wish.q.chars().count() > QUERY_CHARS_MAX {
        return Err(Problem::field(
            "q",
            format!("'q' has more than {QUERY_CHARS_MAX} characters; use fewer words"),
        ));
    }
    let budget = TokenBudget { total: SEARCH_TOKENS_MAX, file: SEARCH_TOKENS_MAX, ..TokenBudget::default() };
    let query = SearchQuery {
        top_k: top_k(wish.top_k.as_deref())?,
        kind: kind(wish.kind.as_deref())?,
        text: wish.q,
        scope: scope(wish.scope.as_deref(), wish.session_id)?,
        budget,
    };
    show(&app, &app.host.search(query).await?)
}

async fn status(State(app): State<ServerApp>) -> RouteResult<Shown<IndexStatus>> {
    show(&app, &app.host.index_status().await?)
}

fn top_k(text: Option<&str>) -> RouteResult<usize> {
    let Some(text) = text else { return Ok(PASSAGES_USUAL) };
    match text.parse() {
        Ok(count) if (1..=PASSAGES_MAX).contains(&count) => Ok(count),
        Ok(_) | Err(_) => {
            Err(Problem::field("top_k", format!("'top_k' must be a whole number from 1 to {PASSAGES_MAX}")))
        }
    }
}

fn kind(word: Option<&str>) -> RouteResult<SearchKind> {
    let Some(word) = word else { return Ok(SearchKind::default()) };
    SearchKind::from_word(word).ok_or_else(|| {
        let words = SearchKind::ALL.map(SearchKind::word).join(", ");
        Problem::field("kind", format!("'kind' must be one of {words}"))
    })
}

fn scope(word: Option<&str>, session_id: Option<String>) -> RouteResult<SearchScope> {
    let session_id = session_id.map(SessionId::new);
    let scope = match word {
        None | Some("everything") => SearchScope::Everything,
        Some("project") => SearchScope::Project,
        Some("documents") => SearchScope::AllSessions,
        Some("reachable") => {
            let needed = || Problem::field("session_id", "'session_id' is needed by the scope 'reachable'");
            return session_id.map(SearchScope::Reachable).ok_or_else(needed);
        }
        Some(_) => {
            let words = SCOPES.join(", ");
            return Err(Problem::field("scope", format!("'scope' must be one of {words}")));
        }
    };
    Ok(session_id.map_or(scope, SearchScope::Session))
}

fn scope_schema() -> Value {
    json!({"type": "string", "enum": SCOPES, "default": "everything"})
}

fn top_k_schema() -> Value {
    json!({"type": "integer", "minimum": 1, "maximum": PASSAGES_MAX, "default": PASSAGES_USUAL})
}

fn kind_schema() -> Value {
    let words = SearchKind::ALL.map(SearchKind::word);
    json!({"type": "string", "enum": words, "default": SearchKind::default().word()})
}
