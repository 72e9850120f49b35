//! Approvals: the questions of a run, and their answers, which count only for the question that was shown.

use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_core::permission::{Decision, PermissionAnswer, Question};
use windlass_core::ports::host::{Consent, EditApproval};
use windlass_core::protocol::ids::{CallId, RunId};

use super::tools::{ShownAnswer, show_answer};
use crate::answer::{Nothing, Shown};
use crate::endpoint::Endpoint;
use crate::error::{Problem, ProblemKind, RouteResult};
use crate::extract::{JsonBody, PathOf};
use crate::limits::ANSWERS_MAX;
use crate::shown::show_asking;
use crate::state::ServerApp;

const TAG: &str = "permissions";

pub(crate) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::get("/api/runs/{id}/permissions", list)
            .about(TAG, "The questions of a run that wait for an answer")
            .path_param("id", "The run.")
            .answers("The questions.")
            .problems(&[ProblemKind::Missing]),
        Endpoint::post("/api/runs/{id}/permissions/{call_id}", answer)
            .about(TAG, "Answer a question")
            .notes("`digest` is that of the question that was shown: the answer counts for exactly that.")
            .path_param("id", "The run.")
            .path_param("call_id", "The call that waits.")
            .body::<PermissionAnswerBody>()
            .answers("The answer counts.")
            .problems(&[ProblemKind::Missing, ProblemKind::Conflict]),
        Endpoint::post("/api/runs/{id}/permissions", answer_all)
            .about(TAG, "Answer several questions")
            .notes("All are checked before the first is answered.")
            .path_param("id", "The run.")
            .body::<AnswersBody>()
            .answers("The answers count.")
            .problems(&[ProblemKind::Missing, ProblemKind::Conflict]),
        Endpoint::post("/api/runs/{id}/edits/{call_id}", apply_edit)
            .about(TAG, "Make an edit that the run has staged")
            .notes("`digest` is that of the edit that was shown. It is made only if the file is as it was then; rules that deny it still do. The session's model is told with its next message. Each edit of a run is approved for itself, in any order.")
            .path_param("id", "The run.")
            .path_param("call_id", "The call that was staged.")
            .body::<EditBody>()
            .answers("The outcome, which may be a failure: then nothing was written.")
            .problems(&[ProblemKind::Missing, ProblemKind::Conflict]),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "EditApproval")]
struct EditBody {
    /// The digest of the edit that was shown.
    #[schemars(length(min = 1))]
    digest: String,
    /// The word to type for a critical edit.
    confirmation: Option<String>,
}

async fn apply_edit(
    State(app): State<ServerApp>,
    PathOf((run_id, call_id)): PathOf<(String, String)>,
    JsonBody(body): JsonBody<EditBody>,
) -> RouteResult<Shown<ShownAnswer>> {
    let approval = EditApproval {
        run_id: RunId::new(run_id),
        call_id: CallId::from(call_id.as_str()),
        consent: Consent { digest: body.digest, confirmation: body.confirmation },
    };
    show_answer(&app, app.host.apply_edit(approval).await?)
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct QuestionList {
    questions: Vec<Question>,
}

async fn list(State(app): State<ServerApp>, PathOf(id): PathOf<String>) -> RouteResult<Shown<QuestionList>> {
    let shown = QuestionList { questions: app.host.questions(&RunId::new(id)).await? };
    let places: Vec<_> = (0..shown.questions.len()).map(|place| format!("/questions/{place}")).collect();
    let complete = places.iter().map(String::as_str).zip(&shown.questions);
    show_asking(&app, &shown, complete)
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "PermissionAnswer")]
struct PermissionAnswerBody {
    #[schemars(extend("enum" = ["once", "session", "remember", "deny"]))]
    decision: String,
    /// The rule to store with remember, if it is changed.
    rule: Option<String>,
    /// The word to type for a critical call.
    confirmation: Option<String>,
    /// The digest of the question that was shown.
    #[schemars(required, length(min = 1))]
    digest: Option<String>,
    /// With deny: what the model is told to do instead.
    message: Option<String>,
}

impl PermissionAnswerBody {
    fn read(self) -> RouteResult<(PermissionAnswer, String)> {
        let Some(decision) = Decision::from_word(&self.decision) else {
            return Err(Problem::field("decision", "'decision' must be once, session, remember or deny"));
        };
        let Some(digest) = self.digest.filter(|digest| !digest.is_empty()) else {
            return Err(Problem::new(
                ProblemKind::Invalid,
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
    State(app): State<ServerApp>,
    PathOf((id, call_id)): PathOf<(String, String)>,
    JsonBody(body): JsonBody<PermissionAnswerBody>,
) -> RouteResult<Nothing> {
    let (run_id, call_id) = (RunId::new(id), CallId::new(call_id));
    let (answer, expected) = body.read()?;
    let questions = app.host.questions(&run_id).await?;
    let question = find(&questions, &call_id, &expected)?;
    app.host.answer(&run_id, &call_id, &question.digest, answer).await?;
    Ok(Nothing)
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "PermissionAnswers")]
struct AnswersBody {
    #[schemars(length(min = 1, max = ANSWERS_MAX))]
    answers: Vec<CallAnswer>,
}

#[derive(Deserialize, JsonSchema)]
struct CallAnswer {
    call_id: String,
    #[serde(flatten)]
    answer: PermissionAnswerBody,
}

async fn answer_all(
    State(app): State<ServerApp>,
    PathOf(id): PathOf<String>,
    JsonBody(body): JsonBody<AnswersBody>,
) -> RouteResult<Nothing> {
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
    Ok(Nothing)
}

/// The open question of a call, if it is the one that was shown.
fn find<'a>(questions: &'a [Question], call_id: &CallId, expected: &str) -> RouteResult<&'a Question> {
    let Some(question) = questions.iter().find(|question| question.call_id == *call_id) else {
        let shown: String = call_id.as_str().chars().take(80).collect();
        return Err(Problem::new(
            ProblemKind::Conflict,
            "question_stale",
            format!("no open question about '{shown}' in this run: it was answered, or never asked"),
        ));
    };
    if !expected.eq_ignore_ascii_case(&question.digest) {
        return Err(Problem::new(
            ProblemKind::Conflict,
            "digest_mismatch",
            "the question has changed since it was shown; read it again and answer with its digest",
        ));
    }
    Ok(question)
}
