//! How effects are carried out: against the host and the desk, one task each. Changes no state.

use std::sync::Arc;

use serde_json::{Map, Value};
use windlass_core::command::RunWishes;
use windlass_core::event::Record;
use windlass_core::host::{
    Consent, EditApproval, ForkWish, HostError, HostPort, OutsideCall, RecordQuery, RunStart, ToolAnswer,
};
use windlass_core::ids::SessionId;
use windlass_core::message::Message;
use windlass_core::search::{Passage, ScoreParts, SearchKind, SearchQuery, SearchScope, TokenBudget};
use windlass_core::store::{NewSession, RunQuery, SessionQuery};
use windlass_core::tool::ToolOutput;

use crate::desk::{DeskError, DeskPort};
use crate::effect::{Effect, Proposal, Sending};
use crate::input::{Hit, Reply, Wish, wants};
use crate::text::one_line;

/// Records read at once when a session is opened.
const PAGE_ROWS: usize = 2_000;

/// Rows of lists.
const LIST_ROWS: usize = 200;

/// The tool that knows the paths of the project.
const PATHS_TOOL: &str = "get_file_tree";

/// The tool that searches it.
const SEARCH_TOOL: &str = "search_text";

/// Paths that are read at most, which is all that the tool gives.
const PATHS_MAX: usize = 20_000;

/// The front end, as sessions know it.
const ORIGIN: &str = "tui";

/// Passages that a search gives at most: those after them are hardly about it.
const PASSAGES_MAX: usize = 30;

/// Tokens of their text, of which the first line is shown.
const PASSAGES_TOKENS: u32 = 30_000;

/// Lines that a search gives at most: nobody reads more of them in a list.
const HITS_MAX: usize = 300;

/// Hands that carry out effects.
#[derive(Clone)]
pub struct Hands {
    pub(crate) host: Arc<dyn HostPort>,
    pub(crate) desk: Arc<dyn DeskPort>,
}

impl Hands {
    /// Hands on a host and a desk.
    pub fn new(host: Arc<dyn HostPort>, desk: Arc<dyn DeskPort>) -> Self {
        Self { host, desk }
    }

    /// Carries out an effect. Following, copying, ringing and leaving are the loop's own.
    pub async fn perform(&self, effect: Effect) -> Reply {
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
            Effect::Answer { run_id, call_id, digest, answer } => {
                host.answer(&run_id, &call_id, &digest, answer).await.map(|()| Reply::Quiet)
            }
            Effect::Resume { run_id, wish } => host.resume(&run_id, wish).await.map(Reply::Resumed),
            Effect::Fork { run_id, wish } => host.fork(&run_id, wish).await.map(Reply::Forked),
            Effect::ListSessions { text } => {
                let query =
                    SessionQuery { text: text.clone(), rows_max: LIST_ROWS, ..SessionQuery::default() };
                host.sessions(query).await.map(|rows| Reply::Sessions { text, rows })
            }
            Effect::Rename { session_id, title } => {
                host.rename_session(&session_id, &title).await?;
                Ok(Reply::Renamed { session_id, title })
            }
            Effect::SetApprove { session_id, approve } => {
                host.set_approve(&session_id, approve).await?;
                Ok(Reply::Switched { session_id, approve })
            }
            Effect::SetSettings { session_id, settings } => {
                host.set_settings(&session_id, (*settings).clone()).await?;
                Ok(Reply::Set { session_id, settings })
            }
            Effect::Delete(session_id) => {
                host.delete_session(&session_id).await.map(|()| Reply::Deleted(session_id))
            }
            Effect::ListUnfinished => {
                let query = RunQuery { is_unfinished: true, rows_max: LIST_ROWS, ..RunQuery::default() };
                host.runs(query).await.map(Reply::UnfinishedRuns)
            }
            Effect::ListModels => host.models().await.map(Reply::Models),
            Effect::ListRules => host.rules().await.map(Reply::Rules),
            Effect::AddRule { effect, pattern } => {
                let rule = host.add_rule(effect, &pattern).await?;
                Ok(Reply::Done(format!("stored as {}: {effect} {rule}", rule.id)))
            }
            Effect::RemoveRule(id) => {
                host.remove_rule(&id).await?;
                Ok(Reply::RuleRemoved { id, rules: host.rules().await? })
            }
            Effect::Explain { tool, arguments } => self.explain(tool, &arguments).await,
            Effect::ListPaths => self.paths().await.map(|(paths, _)| Reply::Paths(paths)),
            Effect::ReadTree => self.paths().await.map(|(paths, is_cut)| Reply::Tree { paths, is_cut }),
            Effect::Search(query) => self.search(query).await,
            // A host without an index has nothing to tell, and neither has one that does not answer now.
            Effect::WatchIndex => {
                Ok(Reply::Indexing(host.index_status().await.ok().and_then(|status| status.indexing)))
            }
            Effect::Apply(proposal) => self.apply(*proposal).await,
            Effect::Export { name, text } => {
                let place = self.at_desk(move |desk| desk.export(&name, &text)).await?;
                Ok(Reply::Done(format!("written to {place}")))
            }
            Effect::KeepTheme(theme) => {
                self.at_desk(move |desk| desk.keep_theme(theme)).await.map(|()| Reply::Quiet)
            }
            Effect::Remember(line) => {
                self.at_desk(move |desk| desk.remember(&line)).await.map(|()| Reply::Quiet)
            }
        }
    }

    /// The desk reads and writes files: not in the way of everything else.
    async fn at_desk<T: Send + 'static>(
        &self,
        work: impl FnOnce(&dyn DeskPort) -> Result<T, DeskError> + Send + 'static,
    ) -> Result<T, HostError> {
        let desk = Arc::clone(&self.desk);
        let done = tokio::task::spawn_blocking(move || work(desk.as_ref())).await;
        done.map_err(|_| HostError::Closing)?.map_err(|error| HostError::Broken(error.0))
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
        let Sending { session_id, text, model, profile, approve, settings, context } = sending;
        let begun = match session_id {
            Some(_) => None,
            None => {
                let begin = NewSession {
                    origin: ORIGIN.to_owned(),
                    model: model.clone().unwrap_or_default(),
                    profile: profile.clone().unwrap_or_default(),
                    approve,
                    settings,
                    ..NewSession::default()
                };
                Some(Box::new(self.host.create_session(begin).await?))
            }
        };
        let session_id = session_id.or_else(|| begun.as_ref().map(|row| row.session_id.clone()));
        let Some(session_id) = session_id else { return Err(HostError::Closing) };
        let start = RunStart {
            message: Message::user(text),
            wishes: RunWishes { context: context.map(|context| context.text), ..RunWishes::default() },
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

    /// The paths of the project, and whether there are more.
    async fn paths(&self) -> Result<(Vec<String>, bool), HostError> {
        let args = Map::from_iter([("entries_max".to_owned(), Value::from(PATHS_MAX))]);
        let outside = OutsideCall { name: PATHS_TOOL.to_owned(), args, session_id: None, consent: None };
        let output = self.call(outside).await?;
        Ok((paths_of(&output.json), output.is_truncated))
    }

    /// Passages of the index; lines of the files where there is no index, or where it has nothing.
    async fn search(&self, query: String) -> Result<Reply, HostError> {
        let asked = SearchQuery {
            text: query.clone(),
            top_k: PASSAGES_MAX,
            kind: SearchKind::Hybrid,
            scope: SearchScope::Everything,
            budget: TokenBudget { total: PASSAGES_TOKENS, file: PASSAGES_TOKENS, ..TokenBudget::default() },
        };
        match self.host.search(asked).await {
            Ok(found) if !found.passages.is_empty() => {
                let hits = found.passages.iter().map(passage_hit).collect();
                let is_cut = found.passages.len() >= PASSAGES_MAX;
                Ok(Reply::Found { query, hits, is_cut, notice: found.notice })
            }
            Ok(_) | Err(HostError::Missing { .. }) => self.search_lines(query).await,
            Err(error) => Err(error),
        }
    }

    /// The user searches, so nobody else is asked; rules that deny it still do.
    async fn search_lines(&self, query: String) -> Result<Reply, HostError> {
        let args = Map::from_iter([
            ("pattern".to_owned(), Value::from(query.as_str())),
            ("is_literal".to_owned(), Value::from(true)),
            ("case".to_owned(), Value::from("smart")),
            ("max_results".to_owned(), Value::from(HITS_MAX)),
        ]);
        let asked = self.host.explain(SEARCH_TOOL, args.clone()).await?.question;
        let consent = asked.map(|question| Consent { digest: question.digest, confirmation: None });
        let output =
            self.call(OutsideCall { name: SEARCH_TOOL.to_owned(), args, session_id: None, consent }).await?;
        let found = output.json.get("matches").and_then(Value::as_array).into_iter().flatten();
        let hits = found.filter_map(hit_of).collect();
        Ok(Reply::Found { query, hits, is_cut: output.is_truncated, notice: None })
    }

    async fn apply(&self, proposal: Proposal) -> Result<Reply, HostError> {
        let Proposal { run_id, call_id, digest, confirmation, .. } = proposal;
        let approval = EditApproval { run_id, call_id, consent: Consent { digest, confirmation } };
        let output = output_of(&self.host.apply_edit(approval).await?)?;
        let said = one_line(&output.readable());
        Ok(Reply::Done(format!("applied: {said}; /apply shows the next edit that waits, if there is one")))
    }

    async fn call(&self, call: OutsideCall) -> Result<ToolOutput, HostError> {
        output_of(&self.host.call_tool(call).await?)
    }
}

fn output_of(answer: &ToolAnswer) -> Result<ToolOutput, HostError> {
    answer.outcome.body.clone().map_err(|failure| {
        let hint = failure.hint.as_deref().map(|hint| format!(" {hint}")).unwrap_or_default();
        HostError::Conflict(format!("{}{hint}", failure.message))
    })
}

/// The tool's answer is a list of paths, those near the top of the project first if there are too many.
fn paths_of(listed: &Value) -> Vec<String> {
    let paths = listed.as_array().into_iter().flatten();
    paths.filter_map(|path| path.as_str().map(str::to_owned)).collect()
}

fn hit_of(found: &Value) -> Option<Hit> {
    let text = |name: &str| found.get(name).and_then(Value::as_str).map(str::to_owned);
    Some(Hit {
        path: text("path")?,
        line: found.get("line")?.as_u64()?,
        text: text("text").unwrap_or_default(),
        why: None,
        is_document: false,
    })
}

/// A passage by its first line that says something.
fn passage_hit(passage: &Passage) -> Hit {
    let first = passage.text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let ScoreParts { lexical, vector, symbol, path } = passage.parts;
    let parts = [("lexical", lexical), ("vector", vector), ("symbol", symbol), ("path", path)];
    let mut why: Vec<String> = passage.symbol.clone().into_iter().collect();
    why.extend(parts.into_iter().filter_map(|(name, part)| part.map(|part| format!("{name} {part:.2}"))));
    Hit {
        path: passage.path.clone(),
        line: passage.line.into(),
        text: first.trim().to_owned(),
        why: Some(why.join(" · ")),
        is_document: passage.document_id.is_some(),
    }
}

fn object_of(text: &str) -> Result<Map<String, Value>, HostError> {
    let text = if text.trim().is_empty() { "{}" } else { text };
    serde_json::from_str(text).map_err(|error| HostError::Invalid {
        field: Some("arguments"),
        message: format!("the arguments are no JSON object: {error}"),
    })
}

/// What an effect wants, so that a refusal can say it and give back what was typed.
fn wish_of(effect: &Effect) -> Wish {
    match effect {
        Effect::Open(session_id) => Wish::Open(session_id.clone()),
        Effect::Send(sending) => Wish::Send(sending.clone()),
        Effect::Cancel(_) => Wish::Cancel,
        Effect::Answer { call_id, .. } => Wish::Answer(call_id.clone()),
        Effect::Resume { .. } => Wish::Other("take the run up again"),
        Effect::Fork { wish: ForkWish { step, message: Some(message), .. }, .. } => {
            Wish::Line("fork the run", format!("/fork {step} {message}"))
        }
        Effect::Fork { .. } => Wish::Other("fork the run"),
        Effect::ListSessions { .. } => Wish::Fill(wants::SESSIONS),
        Effect::Rename { title, .. } => Wish::Line("rename the session", format!("/rename {title}")),
        Effect::SetApprove { .. } => Wish::Other("change the mode"),
        Effect::SetSettings { .. } => Wish::Other("change the settings"),
        Effect::Delete(_) => Wish::Other("delete the session"),
        Effect::ListUnfinished => Wish::Fill(wants::RUNS),
        Effect::ListModels => Wish::Fill(wants::MODELS),
        Effect::ListRules => Wish::Fill(wants::RULES),
        Effect::AddRule { effect, pattern } => {
            Wish::Line("store the rule", format!("/policy {effect} {pattern}"))
        }
        Effect::RemoveRule(id) => Wish::Line("remove the rule", format!("/policy remove {id}")),
        Effect::Explain { tool, arguments } => {
            Wish::Line("explain the call", format!("/policy explain {tool} {arguments}"))
        }
        Effect::ListPaths => Wish::Other("read the paths of the project"),
        Effect::ReadTree => Wish::Fill(wants::TREE),
        Effect::Search(_) => Wish::Fill(wants::SEARCH),
        Effect::WatchIndex => Wish::Other("look at the index"),
        Effect::Apply { .. } => Wish::Other("apply the edit"),
        Effect::Export { name, .. } => Wish::Line("write the file", format!("/export {name}")),
        Effect::KeepTheme(_) => Wish::Other("keep the theme for the next start"),
        Effect::Remember(_) => Wish::Other("keep the line"),
        Effect::Follow { .. } | Effect::Unfollow => Wish::Other("follow the session"),
        Effect::Bell => Wish::Other("ring"),
        Effect::Copy(_) => Wish::Other("copy"),
        Effect::Quit => Wish::Other("leave"),
    }
}

#[cfg(test)]
#[path = "perform_tests.rs"]
mod tests;
