//! Approvals: the questions of a run, and their answers, which count only for the question that was shown.

use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;
use serde_json::{Value, json};
use windlass_core::host::{Consent, EditApproval};
use windlass_core::ids::{CallId, RunId};
use windlass_core::permission::{Decision, PermissionAnswer, Question};

use super::tools::show_answer;
use crate::endpoint::Endpoint;
use crate::error::{Answer, Kind, Problem, Said};
use crate::extract::{JsonBody, PathOf};
use crate::limits::ANSWERS_MAX;
use crate::openapi::{list_of, named, object, text, wish};
use crate::shown::{done, show_asking};
use crate::state::App;

const TAG: &str = "permissions";

/// The endpoints.
pub(crate) fn endpoints() -> Vec<Endpoint> {
    let several = json!({
        "type": "array", "minItems": 1, "maxItems": ANSWERS_MAX,
        "items": {"allOf": [object([("call_id", text())]), named("PermissionAnswer")]},
    });
    vec![
        Endpoint::get("/api/runs/{id}/permissions", list)
            .about(TAG, "The questions of a run that wait for an answer")
            .path_param("id", "The run.")
            .answers(Said::Ok, object([("questions", list_of("Question"))]), "The questions.")
            .problems(&[Kind::Missing]),
        Endpoint::post("/api/runs/{id}/permissions/{call_id}", answer)
            .about(TAG, "Answer a question")
            .notes("`digest` is that of the question that was shown: the answer counts for exactly that.")
            .path_param("id", "The run.")
            .path_param("call_id", "The call that waits.")
            .body(named("PermissionAnswer"))
            .answers_nothing("The answer counts.")
            .problems(&[Kind::Missing, Kind::Conflict]),
        Endpoint::post("/api/runs/{id}/permissions", answer_all)
            .about(TAG, "Answer several questions")
            .notes("All are checked before the first is answered.")
            .path_param("id", "The run.")
            .body(object([("answers", several)]))
            .answers_nothing("The answers count.")
            .problems(&[Kind::Missing, Kind::Conflict]),
        Endpoint::post("/api/runs/{id}/edits/{call_id}", apply_edit)
            .about(TAG, "Make an edit that the run has staged")
            .notes("`digest` is that of the edit that was shown. It is made only if the file is as it was then; rules that deny it still do. The session's model is told with its next message. Each edit of a run is approved for itself, in any order.")
            .path_param("id", "The run.")
            .path_param("call_id", "The call that was staged.")
            .body(named("EditApproval"))
            .answers(Said::Ok, named("ToolAnswer"), "The outcome, which may be a failure: then nothing was written.")
            .problems(&[Kind::Missing, Kind::Conflict]),
    ]
}

#[derive(Deserialize)]
struct EditBody {
    digest: String,
    confirmation: Option<String>,
}

async fn apply_edit(
    State(app): State<App>,
    PathOf((run_id, call_id)): PathOf<(String, String)>,
    JsonBody(body): JsonBody<EditBody>,
) -> Answer<Response> {
    let approval = EditApproval {
        run_id: RunId::new(run_id),
        call_id: CallId::from(call_id.as_str()),
        consent: Consent { digest: body.digest, confirmation: body.confirmation },
    };
    show_answer(&app, &app.host.apply_edit(approval).await?)
}

async fn list(State(app): State<App>, PathOf(id): PathOf<String>) -> Answer<Response> {
    let run_id = RunId::new(id);
    let questions = app.host.questions(&run_id).await?;
    let places: Vec<_> = (0..questions.len()).map(|place| format!("/questions/{place}")).collect();
    let complete = places.iter().map(String::as_str).zip(&questions);
    show_asking(&app, Said::Ok, &json!({ "questions": &questions }), complete)
}

#[derive(Deserialize)]
struct AnswerBody {
    decision: String,
    rule: Option<String>,
    confirmation: Option<String>,
    digest: Option<String>,
    message: Option<String>,
}

impl AnswerBody {
    fn read(self) -> Answer<(PermissionAnswer, String)> {
        let Some(decision) = Decision::from_word(&self.decision) else {
            return Err(Problem::field("decision", "'decision' must be once, session, remember or deny"));
        };
        let Some(digest) = self.digest.filter(|digest| !digest.is_empty()) else {
            return Err(Problem::new(
                Kind::Invalid,
                "digest_required",
                "'digest' must be that of the question being answered; the run's permissions list it",
            ));
        };
        let answer = PermissionAnswer {
            rule: self.rule,
            confirmation: self.confirmation,
            message: self.message,
            ..PermissionAnswer::new(decision)
        };
        Ok((answer, digest))
    }
}

async fn answer(
    State(app): State<App>,
    PathOf((id, call_id)): PathOf<(String, String)>,
    JsonBody(body): JsonBody<AnswerBody>,
) -> Answer<Response> {
    let (run_id, call_id) = (RunId::new(id), CallId::new(call_id));
    let (answer, expected) = body.read()?;
    let questions = app.host.questions(&run_id).await?;
    let question = find(&questions, &call_id, &expected)?;
    app.host.answer(&run_id, &call_id, &question.digest, answer).await?;
    Ok(done())
}

#[derive(Deserialize)]
struct AnswersBody {
    answers: Vec<CallAnswer>,
}

#[derive(Deserialize)]
struct CallAnswer {
    call_id: String,
    #[serde(flatten)]
    answer: AnswerBody,
}

async fn answer_all(
    State(app): State<App>,
    PathOf(id): PathOf<String>,
    JsonBody(body): JsonBody<AnswersBody>,
) -> Answer<Response> {
    if body.answers.is_empty() || body.answers.len() > ANSWERS_MAX {
        return Err(Problem::field("answers", format!("'answers' must have 1 to {ANSWERS_MAX} entries")));
    }
    let run_id = RunId::new(id);
    let questions = app.host.questions(&run_id).await?;
    let mut ready = Vec::with_capacity(body.answers.len());
    for CallAnswer { call_id, answer } in body.answers {
        let (answer, expected) = answer.read()?;
        let question = find(&questions, &CallId::new(call_id), &expected)?;
        ready.push((question, answer));
    }
    for (question, answer) in ready {
        app.host.answer(&run_id, &question.call_id, &question.digest, answer).await?;
    }
    Ok(done())
}

/// The open question of a call, if it is the one that was shown.
fn find<'a>(questions: &'a [Question], call_id: &CallId, expected: &str) -> Answer<&'a Question> {
    let Some(question) = questions.iter().find(|question| question.call_id == *call_id) else {
        let shown: String = call_id.as_str().chars().take(80).collect();
        return Err(Problem::new(
            Kind::Conflict,
            "question_stale",
            format!("no open question about '{shown}' in this run: it was answered, or never asked"),
        ));
    };
    if !expected.eq_ignore_ascii_case(&question.digest) {
        return Err(Problem::new(
            Kind::Conflict,
            "digest_mismatch",
            "the question has changed since it was shown; read it again and answer with its digest",
        ));
    }
    Ok(question)
}

/// What approves a staged edit, for the API document.
pub(crate) fn approval_schema() -> Value {
    wish([
        (
            "digest",
            json!({"type": "string", "minLength": 1, "description": "The digest of the edit that was shown."}),
        ),
        ("confirmation?", json!({"type": "string", "description": "The word to type for a critical edit."})),
    ])
}

/// The body of an answer, for the API document.
pub(crate) fn answer_schema() -> Value {
    wish([
        ("decision", json!({"type": "string", "enum": ["once", "session", "remember", "deny"]})),
        (
            "rule?",
            json!({"type": "string", "description": "The rule to store with remember, if it is changed."}),
        ),
        ("confirmation?", json!({"type": "string", "description": "The word to type for a critical call."})),
        (
            "digest",
            json!({"type": "string", "minLength": 1, "description": "The digest of the question that was shown."}),
        ),
        (
            "message?",
            json!({"type": "string", "description": "With deny: what the model is told to do instead."}),
        ),
    ])
}
