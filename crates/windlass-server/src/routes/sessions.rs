//! Sessions: beginning, listing, naming and forgetting them; and their task lists.

use axum::extract::State;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use windlass_core::permission::ApproveMode;
use windlass_core::ports::store::{NewSession, SessionQuery, SessionRow, TITLE_CHARS_MAX};
use windlass_core::profile::ProfileName;
use windlass_core::protocol::ids::SessionId;
use windlass_core::protocol::task::Task;

use super::page::{before_schema, cursor, rows, rows_schema};
use super::settings::SettingsBody;
use crate::answer::{Created, Nothing, Shown};
use crate::endpoint::Endpoint;
use crate::error::{Problem, ProblemKind, RouteResult};
use crate::extract::{JsonBody, OptionalBody, PathOf, QueryOf};
use crate::openapi::{maybe_approve, maybe_profile, one_of, or_null, text};
use crate::shown::show;
use crate::state::ServerApp;

const TAG: &str = "sessions";

pub(crate) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::post("/api/sessions", create)
            .about(TAG, "Begin a session")
            .optional_body::<NewSessionBody>()
            .answers("The session.")
            .problems(&[ProblemKind::Conflict, ProblemKind::Missing]),
        Endpoint::get("/api/sessions", list)
            .about(TAG, "Sessions, newest first")
            .query_param("text", text(), "Only those with this text in their title or in what the user said.")
            .query_param("q", text(), "The same as `text`; only one of the two may be sent.")
            .query_param("key", text(), "Only the one that somebody outside knows by this name.")
            .query_param("before", before_schema(), "The next page: `next` of the page before.")
            .query_param("rows", rows_schema(), "At most so many.")
            .answers("A page of sessions."),
        Endpoint::get("/api/sessions/{id}", get)
            .about(TAG, "One session")
            .path_param("id", "The session.")
            .answers("The session.")
            .problems(&[ProblemKind::Missing]),
        Endpoint::patch("/api/sessions/{id}", change)
            .about(TAG, "Give a session another title, another mode or other settings")
            .notes(
                "A mode holds for the next call that is judged, of a run that goes on too. Settings hold for runs that \
                 begin from now on, instead of all that were set before: `{}` sets nothing.",
            )
            .path_param("id", "The session.")
            .body::<ChangeBody>()
            .answers("The session.")
            .problems(&[ProblemKind::Missing, ProblemKind::Conflict]),
        Endpoint::delete("/api/sessions/{id}", delete)
            .about(TAG, "Forget a session")
            .notes("A run that goes on in it is cancelled first.")
            .path_param("id", "The session.")
            .answers("It is forgotten.")
            .problems(&[ProblemKind::Missing, ProblemKind::Conflict]),
        Endpoint::get("/api/tasks", tasks)
            .about(TAG, "The task list of a session")
            .needed_query_param("session_id", crate::openapi::text(), "The session.")
            .answers("The tasks, oldest first.")
            .problems(&[ProblemKind::Missing]),
    ]
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
#[schemars(rename = "NewSession")]
struct NewSessionBody {
    #[schemars(length(max = TITLE_CHARS_MAX))]
    title: Option<String>,
    /// A name that somebody outside knows it by; unique.
    key: Option<String>,
    #[schemars(schema_with = "maybe_profile")]
    profile: Option<String>,
    model: Option<String>,
    #[schemars(schema_with = "maybe_origin")]
    origin: Option<String>,
    #[schemars(schema_with = "maybe_approve")]
    approve: Option<String>,
    settings: Option<SettingsBody>,
}

/// Front ends that begin sessions here; others have routes of their own.
const ORIGINS: [&str; 4] = ["api", "web", "tui", "cli"];

fn maybe_origin(_: &mut SchemaGenerator) -> Schema {
    or_null(one_of(&ORIGINS))
}

async fn create(
    State(app): State<ServerApp>,
    OptionalBody(body): OptionalBody<NewSessionBody>,
) -> RouteResult<Created<SessionRow>> {
    let NewSessionBody { title, key, profile, model, origin, approve, settings } = body;
    if let Some(title) = title.as_deref().filter(|title| !title.is_empty()) {
        check_title(title)?;
    }
    check_profile(profile.as_deref())?;
    let origin = origin.unwrap_or_else(|| "api".into());
    if !ORIGINS.contains(&origin.as_str()) {
        return Err(Problem::field("origin", "'origin' must be api, web, tui or cli"));
    }
    let begin = NewSession {
        title: title.unwrap_or_default(),
        key,
        profile: profile.unwrap_or_default(),
        model: model.unwrap_or_default(),
        origin,
        approve: read_approve(approve.as_deref())?,
        settings: settings.unwrap_or_default().read()?,
        ..NewSession::default()
    };
    Ok(Created(show(&app, &app.host.create_session(begin).await?)?))
}

#[derive(Deserialize)]
struct SessionListQuery {
    #[serde(alias = "q")]
    text: Option<String>,
    key: Option<String>,
    before: Option<String>,
    rows: Option<String>,
}

/// A page of sessions, and where the next one begins.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct ListedSessions {
    sessions: Vec<SessionRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

async fn list(
    State(app): State<ServerApp>,
    QueryOf(query): QueryOf<SessionListQuery>,
) -> RouteResult<Shown<ListedSessions>> {
    let rows_max = rows(query.rows.as_deref())?;
    if let Some(key) = &query.key {
        let sessions = app.host.session_by_key(key).await?.into_iter().collect();
        return show(&app, &ListedSessions { sessions, next: None });
    }
    let before = cursor(query.before.as_deref())?.map(|(ms, id)| (ms, SessionId::new(id)));
    let sessions = app.host.sessions(SessionQuery { text: query.text, before, rows_max }).await?;
    let next = sessions
        .last()
        .filter(|_| sessions.len() == rows_max)
        .map(|row| format!("{}:{}", row.updated_ms, row.session_id));
    show(&app, &ListedSessions { sessions, next })
}

async fn get(State(app): State<ServerApp>, PathOf(id): PathOf<String>) -> RouteResult<Shown<SessionRow>> {
    show(&app, &app.host.session(&id.into()).await?)
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "SessionChange")]
struct ChangeBody {
    #[schemars(length(min = 1, max = TITLE_CHARS_MAX))]
    title: Option<String>,
    #[serde(default)]
    #[schemars(schema_with = "maybe_approve")]
    approve: Option<String>,
    settings: Option<SettingsBody>,
}

async fn change(
    State(app): State<ServerApp>,
    PathOf(id): PathOf<String>,
    JsonBody(body): JsonBody<ChangeBody>,
) -> RouteResult<Shown<SessionRow>> {
    let id = SessionId::new(id);
    // Read before the first change is made: a wrong word must not leave half of them behind.
    let approve = read_approve(body.approve.as_deref())?;
    let settings = body.settings.map(SettingsBody::read).transpose()?;
    if let Some(title) = &body.title {
        check_title(title)?;
        app.host.rename_session(&id, title.trim()).await?;
    }
    if let Some(approve) = approve {
        app.host.set_approve(&id, approve).await?;
    }
    if let Some(settings) = settings {
        app.host.set_settings(&id, settings).await?;
    }
    show(&app, &app.host.session(&id).await?)
}

fn check_title(title: &str) -> RouteResult<()> {
    if title.trim().is_empty() {
        return Err(Problem::field("title", "the title is empty"));
    }
    if title.chars().count() > TITLE_CHARS_MAX {
        let detail = format!("the title has more than {TITLE_CHARS_MAX} characters");
        return Err(Problem::field("title", detail));
    }
    Ok(())
}

/// The mode of a word.
pub(super) fn read_approve(word: Option<&str>) -> RouteResult<Option<ApproveMode>> {
    let Some(word) = word else { return Ok(None) };
    match ApproveMode::from_word(word) {
        Some(mode) => Ok(Some(mode)),
        None => {
            let words = ApproveMode::ALL.map(ApproveMode::word).join(", ");
            Err(Problem::field("approve", format!("'approve' must be one of {words}")))
        }
    }
}

/// Whether there is such a profile.
pub(super) fn check_profile(name: Option<&str>) -> RouteResult<()> {
    match name.map(str::parse::<ProfileName>) {
        None | Some(Ok(_)) => Ok(()),
        Some(Err(unknown)) => Err(Problem::field("profile", unknown.to_string())),
    }
}

async fn delete(State(app): State<ServerApp>, PathOf(id): PathOf<String>) -> RouteResult<Nothing> {
    app.host.delete_session(&id.into()).await?;
    Ok(Nothing)
}

#[derive(Deserialize)]
struct TasksQuery {
    session_id: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct TaskRows {
    tasks: Vec<Task>,
}

async fn tasks(
    State(app): State<ServerApp>,
    QueryOf(query): QueryOf<TasksQuery>,
) -> RouteResult<Shown<TaskRows>> {
    let Some(id) = query.session_id else {
        return Err(Problem::field("session_id", "name the session: ?session_id=ID"));
    };
    show(&app, &TaskRows { tasks: app.host.tasks(&id.into()).await? })
}
