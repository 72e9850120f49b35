//! Sessions: beginning, listing, naming and forgetting them; and their task lists.

use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;
use windlass_core::ids::SessionId;
use windlass_core::permission::ApproveMode;
use windlass_core::profile::ProfileName;
use windlass_core::store::{NewSession, SessionQuery};

use super::page::{before_schema, cursor, rows, rows_schema};
use super::settings::SettingsBody;
use crate::endpoint::Endpoint;
use crate::error::{Answer, Kind, Problem, Said};
use crate::extract::{JsonBody, OptionalBody, PathOf, QueryOf};
use crate::limits::TITLE_CHARS_MAX;
use crate::openapi::{approve, list_of, named, object, text, wish};
use crate::shown::{done, show, show_list};
use crate::state::App;

const TAG: &str = "sessions";

/// The endpoints.
pub(crate) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::post("/api/sessions", create)
            .about(TAG, "Begin a session")
            .optional_body(named("NewSession"))
            .answers(Said::Created, named("Session"), "The session.")
            .problems(&[Kind::Conflict, Kind::Missing]),
        Endpoint::get("/api/sessions", list)
            .about(TAG, "Sessions, newest first")
            .query_param("text", text(), "Only those with this text in their title or in what the user said.")
            .query_param("q", text(), "The same as `text`; only one of the two may be sent.")
            .query_param("before", before_schema(), "The next page: `next` of the page before.")
            .query_param("rows", rows_schema(), "At most so many.")
            .answers(
                Said::Ok,
                object([("sessions", list_of("Session")), ("next?", text())]),
                "A page of sessions.",
            ),
        Endpoint::get("/api/sessions/{id}", get)
            .about(TAG, "One session")
            .path_param("id", "The session.")
            .answers(Said::Ok, named("Session"), "The session.")
            .problems(&[Kind::Missing]),
        Endpoint::patch("/api/sessions/{id}", change)
            .about(TAG, "Give a session another title, another mode or other settings")
            .notes(
                "A mode holds for the next call that is judged, of a run that goes on too. Settings hold for runs that \
                 begin from now on, instead of all that were set before: `{}` sets nothing.",
            )
            .path_param("id", "The session.")
            .body(wish([("title?", title_schema()), ("approve?", approve()), ("settings?", named("SettingsWish"))]))
            .answers(Said::Ok, named("Session"), "The session.")
            .problems(&[Kind::Missing, Kind::Conflict]),
        Endpoint::delete("/api/sessions/{id}", delete)
            .about(TAG, "Forget a session")
            .notes("A run that goes on in it is cancelled first.")
            .path_param("id", "The session.")
            .answers_nothing("It is forgotten.")
            .problems(&[Kind::Missing, Kind::Conflict]),
        Endpoint::get("/api/tasks", tasks)
            .about(TAG, "The task list of a session")
            .needed_query_param("session_id", crate::openapi::text(), "The session.")
            .answers(Said::Ok, object([("tasks", list_of("Task"))]), "The tasks, oldest first.")
            .problems(&[Kind::Missing]),
    ]
}

fn title_schema() -> serde_json::Value {
    serde_json::json!({"type": "string", "minLength": 1, "maxLength": TITLE_CHARS_MAX})
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct NewSessionBody {
    title: Option<String>,
    key: Option<String>,
    profile: Option<String>,
    model: Option<String>,
    origin: Option<String>,
    approve: Option<String>,
    settings: Option<SettingsBody>,
}

/// Front ends that begin sessions here; others have routes of their own.
pub(crate) const ORIGINS: [&str; 4] = ["api", "web", "tui", "cli"];

async fn create(
    State(app): State<App>,
    OptionalBody(body): OptionalBody<NewSessionBody>,
) -> Answer<Response> {
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
    show(&app, Said::Created, &app.host.create_session(begin).await?)
}

#[derive(Deserialize)]
struct ListQuery {
    #[serde(alias = "q")]
    text: Option<String>,
    before: Option<String>,
    rows: Option<String>,
}

async fn list(State(app): State<App>, QueryOf(query): QueryOf<ListQuery>) -> Answer<Response> {
    let rows_max = rows(query.rows.as_deref())?;
    let before = cursor(query.before.as_deref())?.map(|(ms, id)| (ms, SessionId::new(id)));
    let sessions = app.host.sessions(SessionQuery { text: query.text, before, rows_max }).await?;
    let next = sessions
        .last()
        .filter(|_| sessions.len() == rows_max)
        .map(|row| format!("{}:{}", row.updated_ms, row.session_id));
    let mut shown = serde_json::json!({ "sessions": sessions });
    if let (serde_json::Value::Object(fields), Some(next)) = (&mut shown, next) {
        fields.insert("next".into(), next.into());
    }
    show(&app, Said::Ok, &shown)
}

async fn get(State(app): State<App>, PathOf(id): PathOf<String>) -> Answer<Response> {
    show(&app, Said::Ok, &app.host.session(&id.into()).await?)
}

#[derive(Deserialize)]
struct ChangeBody {
    title: Option<String>,
    approve: Option<String>,
    settings: Option<SettingsBody>,
}

async fn change(
    State(app): State<App>,
    PathOf(id): PathOf<String>,
    JsonBody(body): JsonBody<ChangeBody>,
) -> Answer<Response> {
    let id = SessionId::new(id);
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
    show(&app, Said::Ok, &app.host.session(&id).await?)
}

fn check_title(title: &str) -> Answer<()> {
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
pub(super) fn read_approve(word: Option<&str>) -> Answer<Option<ApproveMode>> {
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
pub(super) fn check_profile(name: Option<&str>) -> Answer<()> {
    match name.map(str::parse::<ProfileName>) {
        None | Some(Ok(_)) => Ok(()),
        Some(Err(unknown)) => Err(Problem::field("profile", unknown.to_string())),
    }
}

async fn delete(State(app): State<App>, PathOf(id): PathOf<String>) -> Answer<Response> {
    app.host.delete_session(&id.into()).await?;
    Ok(done())
}

#[derive(Deserialize)]
struct TasksQuery {
    session_id: Option<String>,
}

async fn tasks(State(app): State<App>, QueryOf(query): QueryOf<TasksQuery>) -> Answer<Response> {
    let Some(id) = query.session_id else {
        return Err(Problem::field("session_id", "name the session: ?session_id=ID"));
    };
    show_list(&app, "tasks", &app.host.tasks(&id.into()).await?)
}
