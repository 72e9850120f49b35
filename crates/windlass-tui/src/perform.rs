//! How effects are carried out: against the host and the desk, one task each. Changes no state.

use std::sync::Arc;

use serde_json::{Map, Value};
use windlass_core::command::RunWishes;
use windlass_core::event::Record;
use windlass_core::host::{Consent, HostError, HostPort, OutsideCall, RecordQuery, RunStart, ToolAnswer};
use windlass_core::ids::SessionId;
use windlass_core::message::Message;
use windlass_core::store::{NewSession, RunQuery, SessionQuery};

use crate::desk::{DeskError, DeskPort};
use crate::effect::{Effect, Sending};
use crate::input::{Reply, Wish};

/// Records read at once when a session is opened.
const PAGE_ROWS: usize = 2_000;

/// Rows of lists.
const LIST_ROWS: usize = 200;

/// The front end, as sessions know it.
const ORIGIN: &str = "tui";

/// Hands that carry out effects.
#[derive(Clone)]
pub(crate) struct Hands {
    pub(crate) host: Arc<dyn HostPort>,
    pub(crate) desk: Arc<dyn DeskPort>,
}

impl Hands {
    /// Carries out an effect. Following, copying, ringing and leaving are the loop's own.
    pub(crate) async fn perform(&self, effect: Effect) -> Reply {
        let wish = wish_of(&effect);
        self.try_perform(effect).await.unwrap_or_else(|error| Reply::Refused { wish, error })
    }

    async fn try_perform(&self, effect: Effect) -> Result<Reply, HostError> {
        let host = &self.host;
        match effect {
            Effect::Follow { .. } | Effect::Unfollow | Effect::Copy(_) | Effect::Bell | Effect::Quit => {
                Ok(Reply::Quiet)
            }
            Effect::Open(session_id) => self.open(&session_id).await,
            Effect::Send(sending) => self.send(*sending).await,
            Effect::Cancel(run_id) => host.cancel(&run_id).await.map(|()| Reply::Quiet),
            Effect::Answer { run_id, call_id, arguments, answer } => {
                host.answer(&run_id, &call_id, Some(&arguments), answer).await.map(|()| Reply::Quiet)
            }
            Effect::Resume { run_id, wish } => {
                host.resume(&run_id, wish).await.map(|run| Reply::Started { run, session: None })
            }
            Effect::Fork { run_id, wish } => {
                host.fork(&run_id, wish).await.map(|run| Reply::Started { run, session: None })
            }
            Effect::ListSessions { text } => {
                let query = SessionQuery { text, rows_max: LIST_ROWS, ..SessionQuery::default() };
                host.sessions(query).await.map(Reply::Sessions)
            }
            Effect::Rename { session_id, title } => {
                host.rename_session(&session_id, &title).await.map(|()| Reply::Done("renamed".to_owned()))
            }
            Effect::Delete(session_id) => {
                host.delete_session(&session_id).await.map(|()| Reply::Done("deleted".to_owned()))
            }
            Effect::ListUnfinished => {
                let query = RunQuery { is_unfinished: true, rows_max: LIST_ROWS, ..RunQuery::default() };
                host.runs(query).await.map(Reply::UnfinishedRuns)
            }
            Effect::ListModels => host.models().await.map(Reply::Models),
            Effect::ListRules => Ok(Reply::Rules(host.rules())),
            Effect::AddRule { effect, pattern } => {
                host.add_rule(effect, &pattern).await.map(|rule| Reply::Done(format!("stored: {rule}")))
            }
            Effect::RemoveRule(id) => host.remove_rule(&id).await.map(|()| Reply::Rules(host.rules())),
            Effect::Explain { tool, arguments } => self.explain(tool, &arguments).await,
            Effect::ListPaths => self.list_paths().await,
            Effect::Search(query) => self.search(query).await,
            Effect::Apply { tool, arguments } => self.apply(tool, &arguments).await,
            Effect::Export { name, text } => {
                let place = self.desk.export(&name, &text).map_err(on_desk)?;
                Ok(Reply::Done(format!("written to {place}")))
            }
            Effect::Remember(line) => self.desk.remember(&line).map_err(on_desk).map(|()| Reply::Quiet),
        }
    }

    async fn open(&self, session_id: &SessionId) -> Result<Reply, HostError> {
        let row = self.host.session(session_id).await?;
        let mut records: Vec<Arc<Record>> = Vec::new();
        loop {
            let after = records.last().map_or(0, |record| record.seq);
            let query = RecordQuery { after, rows_max: PAGE_ROWS, has_deltas: false };
            let page = self.host.record_page(session_id, query).await?;
            if page.is_empty() {
                return Ok(Reply::Opened { row: Box::new(row), records });
            }
            records.extend(page);
        }
    }

    async fn send(&self, sending: Sending) -> Result<Reply, HostError> {
        let Sending { session_id, text, model, profile } = sending;
        let begun = match session_id {
            Some(_) => None,
            None => {
                let begin = NewSession {
                    origin: ORIGIN.to_owned(),
                    model: model.clone().unwrap_or_default(),
                    profile: profile.clone().unwrap_or_default(),
                    ..NewSession::default()
                };
                Some(Box::new(self.host.create_session(begin).await?))
            }
        };
        let session_id = session_id.or_else(|| begun.as_ref().map(|row| row.session_id.clone()));
        let Some(session_id) = session_id else { return Err(HostError::Closing) };
        let start = RunStart {
            message: Message::user(text),
            wishes: RunWishes::default(),
            model,
            profile,
            executes_while_streaming: None,
        };
        let run = self.host.start_run(&session_id, start).await?;
        Ok(Reply::Started { run, session: begun })
    }

    async fn explain(&self, tool: String, arguments: &str) -> Result<Reply, HostError> {
        let explanation = Box::new(self.host.explain(&tool, object_of(arguments)?).await?);
        Ok(Reply::Explained { tool, explanation })
    }

    async fn list_paths(&self) -> Result<Reply, HostError> {
        let answer = self.call("get_file_tree", Map::new(), None).await?;
        let listed = answer.outcome.output().map(|output| output.json.clone()).unwrap_or_default();
        let paths = match listed {
            Value::Array(paths) => paths,
            Value::Object(mut fields) => match fields.remove("paths").or_else(|| fields.remove("files")) {
                Some(Value::Array(paths)) => paths,
                Some(_) | None => Vec::new(),
            },
            _ => Vec::new(),
        };
        let paths = paths.into_iter().filter_map(|path| path.as_str().map(str::to_owned)).collect();
        Ok(Reply::Paths(paths))
    }

    async fn search(&self, query: String) -> Result<Reply, HostError> {
        let args = Map::from_iter([("query".to_owned(), Value::String(query.clone()))]);
        let answer = self.call("search_text", args, Some(Consent::default())).await?;
        let text = match &answer.outcome.body {
            Ok(output) => output.readable().into_owned(),
            Err(failure) => return Err(HostError::Conflict(failure.to_string())),
        };
        Ok(Reply::Found { query, text })
    }

    async fn apply(&self, tool: String, arguments: &str) -> Result<Reply, HostError> {
        let answer = self.call(&tool, object_of(arguments)?, Some(Consent::default())).await?;
        match &answer.outcome.body {
            Ok(output) => Ok(Reply::Done(output.readable().into_owned())),
            Err(failure) => Err(HostError::Conflict(failure.to_string())),
        }
    }

    async fn call(
        &self,
        name: &str,
        args: Map<String, Value>,
        consent: Option<Consent>,
    ) -> Result<ToolAnswer, HostError> {
        self.host.call_tool(OutsideCall { name: name.to_owned(), args, session_id: None, consent }).await
    }
}

fn object_of(text: &str) -> Result<Map<String, Value>, HostError> {
    let text = if text.trim().is_empty() { "{}" } else { text };
    serde_json::from_str(text).map_err(|error| HostError::Invalid {
        field: Some("arguments"),
        message: format!("the arguments are no JSON object: {error}"),
    })
}

fn on_desk(error: DeskError) -> HostError {
    HostError::Broken(error.0)
}

fn wish_of(effect: &Effect) -> Wish {
    match effect {
        Effect::Open(_) => Wish::Open,
        Effect::Send(sending) => Wish::Send(sending.text.clone()),
        Effect::Cancel(_) => Wish::Cancel,
        Effect::Answer { call_id, .. } => Wish::Answer(call_id.clone()),
        Effect::Resume { .. } => Wish::Other("take the run up again"),
        Effect::Fork { .. } => Wish::Other("fork the run"),
        Effect::ListSessions { .. } => Wish::Other("list the sessions"),
        Effect::Rename { .. } => Wish::Other("rename the session"),
        Effect::Delete(_) => Wish::Other("delete the session"),
        Effect::ListUnfinished => Wish::Other("list the runs"),
        Effect::ListModels => Wish::Other("list the models"),
        Effect::ListRules => Wish::Other("list the rules"),
        Effect::AddRule { .. } => Wish::Other("store the rule"),
        Effect::RemoveRule(_) => Wish::Other("remove the rule"),
        Effect::Explain { .. } => Wish::Other("explain the call"),
        Effect::ListPaths => Wish::Other("read the paths of the project"),
        Effect::Search(_) => Wish::Other("search"),
        Effect::Apply { .. } => Wish::Other("apply the edit"),
        Effect::Export { .. } => Wish::Other("write the file"),
        Effect::Remember(_) => Wish::Other("keep the line"),
        Effect::Follow { .. } | Effect::Unfollow => Wish::Other("follow the session"),
        Effect::Bell => Wish::Other("ring"),
        Effect::Copy(_) => Wish::Other("copy"),
        Effect::Quit => Wish::Other("leave"),
    }
}
