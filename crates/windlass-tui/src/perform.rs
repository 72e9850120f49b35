//! How effects are carried out: against the host and files, one task each. Changes no state.

use std::sync::Arc;

use serde_json::{Map, Value};
use windlass_core::ports::host::{
    Consent, EditApproval, ForkWish, HostError, HostPort, OutsideCall, RecordQuery, RunStart, ToolAnswer,
};
use windlass_core::ports::search::{Passage, ScoreParts, SearchKind, SearchQuery, SearchScope, TokenBudget};
use windlass_core::ports::store::{NewSession, RunQuery, SessionQuery};
use windlass_core::protocol::command::RunWishes;
use windlass_core::protocol::event::Record;
use windlass_core::protocol::ids::SessionId;
use windlass_core::protocol::message::Message;
use windlass_core::protocol::tool::ToolOutput;

use crate::app_files::{AppFilesError, AppFilesPort};
use crate::effect::{AppEffect, Proposal, Sending};
use crate::input::{FoundLine, HostReply, RefusedWish, wants};
use crate::text::one_line;

/// Records read at once when a session is opened.
const PAGE_ROWS: usize = 2_000;

const LIST_ROWS: usize = 200;

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

/// The tools that the app calls for its user, by the names that the host has for them.
#[derive(Debug, Clone, Copy)]
pub struct ProjectTools {
    /// Gives the paths of the project.
    pub paths: &'static str,
    /// Finds lines in its files.
    pub search: &'static str,
}

#[derive(Clone)]
pub struct EffectPerformer {
    pub(crate) host: Arc<dyn HostPort>,
    pub(crate) files: Arc<dyn AppFilesPort>,
    pub(crate) tools: ProjectTools,
}

impl EffectPerformer {
    /// Carries them out against this host, with these files and tools.
    pub fn new(host: Arc<dyn HostPort>, files: Arc<dyn AppFilesPort>, tools: ProjectTools) -> Self {
        Self { host, files, tools }
    }

    /// Carries out an effect. Following, copying, ringing and leaving are the loop's own.
    pub async fn perform(&self, effect: AppEffect) -> HostReply {
        let wish = wish_of(&effect);
        self.try_perform(effect).await.unwrap_or_else(|error| HostReply::Refused { wish, error })
    }

    async fn try_perform(&self, effect: AppEffect) -> Result<HostReply, HostError> {
        let host = &self.host;
        match effect {
            AppEffect::Follow { .. }
            | AppEffect::Unfollow
            | AppEffect::Copy(_)
            | AppEffect::Bell
            | AppEffect::Quit => Ok(HostReply::Quiet),
            AppEffect::Open(session_id) => self.open(&session_id).await,
            AppEffect::Send(sending) => self.send(*sending).await,
            AppEffect::Cancel(run_id) => host.cancel(&run_id).await.map(|()| HostReply::Quiet),
            AppEffect::Answer { run_id, call_id, digest, answer } => {
                host.answer(&run_id, &call_id, &digest, answer).await.map(|()| HostReply::Quiet)
            }
            AppEffect::Resume { run_id, wish } => host.resume(&run_id, wish).await.map(HostReply::Resumed),
            AppEffect::Fork { run_id, wish } => host.fork(&run_id, wish).await.map(HostReply::Forked),
            AppEffect::ListSessions { text } => self.list_sessions(text).await,
            AppEffect::Rename { session_id, title } => {
                host.rename_session(&session_id, &title).await?;
                Ok(HostReply::Renamed { session_id, title })
            }
            AppEffect::SetApprove { session_id, approve } => {
                host.set_approve(&session_id, approve).await?;
                Ok(HostReply::Switched { session_id, approve })
            }
            AppEffect::SetSettings { session_id, settings } => {
                host.set_settings(&session_id, (*settings).clone()).await?;
                Ok(HostReply::Set { session_id, settings })
            }
            AppEffect::Delete(session_id) => {
                host.delete_session(&session_id).await.map(|()| HostReply::Deleted(session_id))
            }
            AppEffect::ListUnfinished => {
                let query = RunQuery { is_unfinished: true, rows_max: LIST_ROWS, ..RunQuery::default() };
                host.runs(query).await.map(HostReply::UnfinishedRuns)
            }
            AppEffect::ListModels => host.models().await.map(HostReply::Models),
            AppEffect::ListRules => host.rules().await.map(HostReply::Rules),
            AppEffect::AddRule { effect, pattern } => {
                let rule = host.add_rule(effect, &pattern).await?;
                Ok(HostReply::Done(format!("stored as {}: {effect} {rule}", rule.id)))
            }
            AppEffect::RemoveRule(id) => {
                host.remove_rule(&id).await?;
                Ok(HostReply::RuleRemoved { id, rules: host.rules().await? })
            }
            AppEffect::Explain { tool, arguments } => self.explain(tool, &arguments).await,
            AppEffect::ListPaths => self.paths().await.map(|(paths, _)| HostReply::Paths(paths)),
            AppEffect::ReadTree => {
                self.paths().await.map(|(paths, is_cut)| HostReply::Tree { paths, is_cut })
            }
            AppEffect::Search(query) => self.search(query).await,
            // A host without an index has nothing to tell, and neither has one that does not answer now.
            AppEffect::WatchIndex => {
                Ok(HostReply::Indexing(host.index_status().await.ok().and_then(|status| status.indexing)))
            }
            AppEffect::Apply(proposal) => self.apply(*proposal).await,
            AppEffect::Export { name, text } => self.export(name, text).await,
            AppEffect::LookAtFolder => self.look_at_folder().await,
            AppEffect::TrustFolder(digest) => {
                self.with_files(move |files| files.trust_folder(&digest)).await.map(HostReply::Done)
            }
            AppEffect::RevokeTrust => {
                self.with_files(|files| files.revoke_trust()).await.map(HostReply::Done)
            }
            AppEffect::KeepTheme(theme) => self.quietly(move |files| files.keep_theme(theme)).await,
            AppEffect::Remember(line) => self.quietly(move |files| files.remember(&line)).await,
        }
    }

    async fn export(&self, name: String, text: String) -> Result<HostReply, HostError> {
        let place = self.with_files(move |files| files.export(&name, &text)).await?;
        Ok(HostReply::Done(format!("written to {place}")))
    }

    async fn look_at_folder(&self) -> Result<HostReply, HostError> {
        let report = self.with_files(|files| files.trust()).await?;
        Ok(HostReply::Folder(Box::new(report)))
    }

    /// Something with files that nobody needs to hear of.
    async fn quietly(
        &self,
        work: impl FnOnce(&dyn AppFilesPort) -> Result<(), AppFilesError> + Send + 'static,
    ) -> Result<HostReply, HostError> {
        self.with_files(work).await.map(|()| HostReply::Quiet)
    }

    async fn list_sessions(&self, text: Option<String>) -> Result<HostReply, HostError> {
        let query = SessionQuery { text: text.clone(), rows_max: LIST_ROWS, ..SessionQuery::default() };
        self.host.sessions(query).await.map(|rows| HostReply::Sessions { text, rows })
    }

    /// Files are read and written apart, so that nothing else waits for them.
    async fn with_files<T: Send + 'static>(
        &self,
        work: impl FnOnce(&dyn AppFilesPort) -> Result<T, AppFilesError> + Send + 'static,
    ) -> Result<T, HostError> {
        let files = Arc::clone(&self.files);
        let done = tokio::task::spawn_blocking(move || work(files.as_ref())).await;
        done.map_err(|_| HostError::Closing)?.map_err(|error| HostError::Broken(error.0))
    }

    async fn open(&self, session_id: &SessionId) -> Result<HostReply, HostError> {
        let row = self.host.session(session_id).await?;
        let mut records: Vec<Arc<Record>> = Vec::new();
        loop {
            let after = records.last().map_or(0, |record| record.seq);
            let query = RecordQuery { after, rows_max: PAGE_ROWS, has_deltas: false };
            let page = self.host.record_page(session_id, query).await?;
            if page.is_empty() {
                return Ok(HostReply::Opened { row: Box::new(row), records });
            }
            records.extend(page);
        }
    }

    async fn send(&self, sending: Sending) -> Result<HostReply, HostError> {
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
        Ok(HostReply::Started { run, session: begun })
    }

    async fn explain(&self, tool: String, arguments: &str) -> Result<HostReply, HostError> {
        let explanation = Box::new(self.host.explain(&tool, object_of(arguments)?).await?);
        Ok(HostReply::Explained { tool, explanation })
    }

    /// The paths of the project, and whether there are more.
    async fn paths(&self) -> Result<(Vec<String>, bool), HostError> {
        let args = Map::from_iter([("entries_max".to_owned(), Value::from(PATHS_MAX))]);
        let outside =
            OutsideCall { name: self.tools.paths.to_owned(), args, session_id: None, consent: None };
        let output = self.call(outside).await?;
        Ok((paths_of(&output.json), output.is_truncated))
    }

    /// Passages of the index; lines of the files where there is no index, or where it has nothing.
    async fn search(&self, query: String) -> Result<HostReply, HostError> {
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
                Ok(HostReply::Found { query, hits, is_cut, notice: found.notice })
            }
            Ok(_) | Err(HostError::Missing { .. }) => self.search_lines(query).await,
            Err(error) => Err(error),
        }
    }

    /// The user searches, so nobody else is asked; rules that deny it still do.
    async fn search_lines(&self, query: String) -> Result<HostReply, HostError> {
        let args = Map::from_iter([
            ("pattern".to_owned(), Value::from(query.as_str())),
            ("is_literal".to_owned(), Value::from(true)),
            ("case".to_owned(), Value::from("smart")),
            ("max_results".to_owned(), Value::from(HITS_MAX)),
        ]);
        let name = self.tools.search;
        let asked = self.host.explain(name, args.clone()).await?.question;
        let consent = asked.map(|question| Consent { digest: question.digest, confirmation: None });
        let output =
            self.call(OutsideCall { name: name.to_owned(), args, session_id: None, consent }).await?;
        let found = output.json.get("matches").and_then(Value::as_array).into_iter().flatten();
        let hits = found.filter_map(hit_of).collect();
        Ok(HostReply::Found { query, hits, is_cut: output.is_truncated, notice: None })
    }

    async fn apply(&self, proposal: Proposal) -> Result<HostReply, HostError> {
        let Proposal { run_id, call_id, digest, confirmation, .. } = proposal;
        let approval = EditApproval { run_id, call_id, consent: Consent { digest, confirmation } };
        let output = output_of(&self.host.apply_edit(approval).await?)?;
        let said = one_line(&output.readable());
        Ok(HostReply::Done(format!(
            "applied: {said}; /apply shows the next edit that waits, if there is one"
        )))
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

fn hit_of(found: &Value) -> Option<FoundLine> {
    let text = |name: &str| found.get(name).and_then(Value::as_str).map(str::to_owned);
    Some(FoundLine {
        path: text("path")?,
        line: found.get("line")?.as_u64()?,
        text: text("text").unwrap_or_default(),
        why: None,
        is_document: false,
    })
}

/// A passage by its first line that says something.
fn passage_hit(passage: &Passage) -> FoundLine {
    let first = passage.text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let ScoreParts { lexical, vector, symbol, path } = passage.parts;
    let parts = [("lexical", lexical), ("vector", vector), ("symbol", symbol), ("path", path)];
    let mut why: Vec<String> = passage.symbol.clone().into_iter().collect();
    why.extend(parts.into_iter().filter_map(|(name, part)| part.map(|part| format!("{name} {part:.2}"))));
    FoundLine {
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
fn wish_of(effect: &AppEffect) -> RefusedWish {
    match effect {
        AppEffect::Open(session_id) => RefusedWish::Open(session_id.clone()),
        AppEffect::Send(sending) => RefusedWish::Send(sending.clone()),
        AppEffect::Cancel(_) => RefusedWish::Cancel,
        AppEffect::Answer { call_id, .. } => RefusedWish::Answer(call_id.clone()),
        AppEffect::Resume { .. } => RefusedWish::Other("take the run up again"),
        AppEffect::Fork { wish: ForkWish { step, message: Some(message), .. }, .. } => {
            RefusedWish::Line("fork the run", format!("/fork {step} {message}"))
        }
        AppEffect::Fork { .. } => RefusedWish::Other("fork the run"),
        AppEffect::ListSessions { .. } => RefusedWish::Fill(wants::SESSIONS),
        AppEffect::Rename { title, .. } => {
            RefusedWish::Line("rename the session", format!("/rename {title}"))
        }
        AppEffect::SetApprove { .. } => RefusedWish::Other("change the mode"),
        AppEffect::SetSettings { .. } => RefusedWish::Other("change the settings"),
        AppEffect::Delete(_) => RefusedWish::Other("delete the session"),
        AppEffect::ListUnfinished => RefusedWish::Fill(wants::RUNS),
        AppEffect::ListModels => RefusedWish::Fill(wants::MODELS),
        AppEffect::ListRules => RefusedWish::Fill(wants::RULES),
        AppEffect::AddRule { effect, pattern } => {
            RefusedWish::Line("store the rule", format!("/policy {effect} {pattern}"))
        }
        AppEffect::RemoveRule(id) => RefusedWish::Line("remove the rule", format!("/policy remove {id}")),
        AppEffect::Explain { tool, arguments } => {
            RefusedWish::Line("explain the call", format!("/policy explain {tool} {arguments}"))
        }
        AppEffect::ListPaths => RefusedWish::Other("read the paths of the project"),
        AppEffect::ReadTree => RefusedWish::Fill(wants::TREE),
        AppEffect::Search(_) => RefusedWish::Fill(wants::SEARCH),
        AppEffect::WatchIndex => RefusedWish::Other("look at the index"),
        AppEffect::Apply { .. } => RefusedWish::Other("apply the edit"),
        AppEffect::Export { name, .. } => RefusedWish::Line("write the file", format!("/export {name}")),
        AppEffect::LookAtFolder => RefusedWish::Other("look at the folder"),
        AppEffect::TrustFolder(_) => RefusedWish::Other("trust the folder"),
        AppEffect::RevokeTrust => RefusedWish::Other("take the trust back"),
        AppEffect::KeepTheme(_) => RefusedWish::Other("keep the theme for the next start"),
        AppEffect::Remember(_) => RefusedWish::Other("keep the line"),
        AppEffect::Follow { .. } | AppEffect::Unfollow => RefusedWish::Other("follow the session"),
        AppEffect::Bell => RefusedWish::Other("ring"),
        AppEffect::Copy(_) => RefusedWish::Other("copy"),
        AppEffect::Quit => RefusedWish::Other("quit"),
    }
}

#[cfg(test)]
#[path = "perform_tests.rs"]
mod tests;
