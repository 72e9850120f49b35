//! One call, one model step, one explanation, without a run of a session.

use futures::StreamExt;
use serde_json::{Map, Value};
use windlass_core::calls::envelope::render_whole;
use windlass_core::permission::{
    ApproveMode, Decision, DeniedBy, PermissionAnswer, Rule, RuleEffect, RuleSource, Stance, read_reach,
};
use windlass_core::ports::BoxStream;
use windlass_core::ports::host::{Consent, ExplainedGate, Explanation, HostError, OutsideCall, ToolAnswer};
use windlass_core::profile::Profile;
use windlass_core::protocol::event::{DurableEvent, Event};
use windlass_core::protocol::model::{ModelDelta, ModelFailure, ModelRequest};
use windlass_core::protocol::tool::ToolFailure;

use super::{Host, broken, failed};
use crate::bus::{Delivery, Subscription};
use crate::explain::{CallFate, CallJudge};
use crate::ids::new_session_id;
use crate::one_call::{CallSurroundings, OneCallSession, unasked};
use crate::session::{Past, Session};

impl Host {
    /// Runs one call through the one run machine; what would have to be asked about is answered with its question.
    pub(super) async fn call_outside(&self, call: OutsideCall) -> Result<ToolAnswer, HostError> {
        self.check_open()?;
        self.check_tool(&call.name)?;
        let _place = self.take_place().await?;
        let mut past = Past::default();
        let mut approve = self.parts.approve;
        let mut profile = None;
        let session_id = match &call.session_id {
            Some(session_id) => {
                let row = self
                    .parts
                    .store
                    .session(session_id)
                    .await
                    .map_err(failed("session", session_id.as_str()))?;
                approve = self.mode_of(&row);
                // A profile is a whole: what a session's runs may do unasked, its calls by hand may too.
                profile = Some(row.begin.profile).filter(|name| !name.is_empty());
                let gone = || failed("session", session_id.as_str());
                past.grants = self.parts.store.grants(session_id).await.map_err(broken)?.unwrap_or_default();
                past.tasks = self.parts.store.tasks(session_id).await.map_err(gone())?;
                session_id.clone()
            }
            None => new_session_id(),
        };
        let profile = (self.parts.profiles)(profile.as_deref())?;
        let agreed = match approve {
            // This is the approval that staged edits await.
            ApproveMode::Stage | ApproveMode::StageOnly => ApproveMode::Ask,
            // Where nobody may ever be asked, nobody may have said yes.
            mode => mode,
        };
        // Without a consent nobody is there to be asked: the question goes back to the caller instead.
        let approve = if call.consent.is_some() { agreed } else { unasked(approve) };
        let (is_agreed, args) = (call.consent.is_some(), call.args.clone());
        let asked = (call.name.clone(), Value::Object(call.args).to_string());
        let one =
            OneCallSession::open(session_id, asked, profile.clone(), approve, self.surroundings(), past);
        let questions = one.session.subscribe();
        let handle = one.send().await.map_err(super::running::unsent)?;
        tokio::select! {
            ended = handle.finished() => ended.map_err(super::running::unsent)?,
            stale = say_yes(&one.session, questions, call.consent) => return Err(stale),
        };
        let outcome = one.outcome().await.map_err(broken)?.ok_or_else(|| broken("the call never ended"))?;
        let is_unasked = |failure: &ToolFailure| failure.denied_by == Some(DeniedBy::Mode);
        if !is_agreed
            && outcome.failure().is_some_and(is_unasked)
            && let Some(question) = self.explain_in(&profile, agreed, &call.name, args).await?.question
        {
            return Err(HostError::NeedsConsent(Box::new(question)));
        }
        let content = render_whole(&profile, &call.name, &outcome);
        Ok(ToolAnswer { outcome, content })
    }

    fn surroundings(&self) -> CallSurroundings {
        CallSurroundings {
            registry: self.parts.registry.clone(),
            root: self.parts.root.clone(),
            policies: self.parts.policies.clone(),
            audit: self.parts.audit.clone(),
            clock: self.parts.clock.clone(),
            redactor: self.redactor.clone(),
        }
    }

    fn check_tool(&self, name: &str) -> Result<(), HostError> {
        match self.parts.registry.get(name) {
            Some(_) => Ok(()),
            None => Err(HostError::Missing { what: "tool", id: name.to_owned() }),
        }
    }

    /// Asks a model for one step.
    pub(super) async fn one_step(
        &self,
        model: Option<&str>,
        request: ModelRequest,
    ) -> Result<BoxStream<'static, Result<ModelDelta, ModelFailure>>, HostError> {
        self.check_open()?;
        let place = self.take_place().await?;
        let mut profile = (self.parts.profiles)(None)?;
        let opened = self.parts.models.open(model, &mut profile)?;
        let deltas = opened.model.stream(request);
        // The step has its place among the runs for as long as it is read.
        Ok(Box::pin(deltas.map(move |delta| {
            let _place = &place;
            delta
        })))
    }

    pub(super) fn store_rule(&self, effect: &str, pattern: &str) -> Result<Rule, HostError> {
        let effect = effect_of(effect)?;
        let (is_everywhere, pattern) = read_reach(pattern);
        let root = (!is_everywhere).then(|| self.parts.root.display().to_string());
        let rule = Rule::parse(effect, pattern, RuleSource::User)
            .map_err(|error| HostError::Invalid { field: Some("rule"), message: error.to_string() })?
            .stamped(self.parts.clock.now_ms())
            .rooted(root);
        let id = self.parts.policies.add(rule.clone()).map_err(broken)?;
        Ok(Rule { id, ..rule })
    }

    /// The rules that hold now, and what sessions are granted.
    pub(super) async fn held_rules(&self) -> Result<Vec<Rule>, HostError> {
        let mut rules = self.parts.policies.rules().rules().to_vec();
        rules.extend(self.parts.store.all_grants().await.map_err(failed("grant", ""))?);
        Ok(rules)
    }

    /// Forgets a rule, or takes a grant back.
    pub(super) async fn forget_rule(&self, rule_id: &str) -> Result<(), HostError> {
        let is_gone = match Rule::grant_number(rule_id) {
            Some(_) => self.parts.store.revoke(rule_id).await.map_err(failed("grant", rule_id))?,
            None => self.parts.policies.remove(rule_id).map_err(broken)?.is_some(),
        };
        if is_gone { Ok(()) } else { Err(HostError::Missing { what: "rule", id: rule_id.to_owned() }) }
    }

    /// Which gate decides a call, and why.
    pub(super) async fn explain_call(
        &self,
        tool: &str,
        args: Map<String, Value>,
    ) -> Result<Explanation, HostError> {
        self.explain_in(&(self.parts.profiles)(None)?, self.parts.approve, tool, args).await
    }

    async fn explain_in(
        &self,
        profile: &Profile,
        approve: ApproveMode,
        tool: &str,
        args: Map<String, Value>,
    ) -> Result<Explanation, HostError> {
        self.check_tool(tool)?;
        let judge = CallJudge {
            registry: &self.parts.registry,
            policies: self.parts.policies.as_ref(),
            approve,
            profile,
            root: &self.parts.root,
            clock: &self.parts.clock,
            secrets: &self.redactor,
        };
        let fate = judge.judge(tool, Value::Object(args).to_string()).await;
        Ok(match fate {
            CallFate::Unknown => return Err(HostError::Missing { what: "tool", id: tool.to_owned() }),
            CallFate::Refused { gate, failure } => {
                let (gate, reason) = (gate.word().to_owned(), failure.message);
                let refusal = ExplainedGate { gate, opinion: "deny".to_owned(), reason, decides: true };
                Explanation { gates: vec![refusal], question: None }
            }
            CallFate::Explained(explanation) => {
                let gates = explanation.gates.iter().map(|finding| ExplainedGate {
                    gate: finding.gate.word().to_owned(),
                    opinion: opinion(finding.stance).to_owned(),
                    reason: finding.reason.clone(),
                    decides: finding.gate == explanation.decides,
                });
                let mut question = explanation.question.clone();
                if let Some(question) = &mut question {
                    question.digest = question.digest_by_hand();
                }
                Explanation { gates: gates.collect(), question }
            }
        })
    }
}

/// Answers what is asked about the one call, in the name of whoever saw it and wants it; a rule that denies it still wins.
/// Comes back if it is not what was seen: nothing has run then, and nothing will.
async fn say_yes(session: &Session, mut questions: Subscription, consent: Option<Consent>) -> HostError {
    // Never ready: the end of the run decides the select alone.
    let Some(consent) = consent else { return std::future::pending().await };
    loop {
        let records = match questions.next().await {
            Delivery::Record(record) => vec![record],
            Delivery::Snapshot { records, .. } => records,
            Delivery::Gap { .. } => Vec::new(),
            Delivery::Closed => std::future::pending().await,
        };
        for record in records {
            let Event::Durable(DurableEvent::PermissionRequested { question }) = &record.event else {
                continue;
            };
            if !consent.digest.eq_ignore_ascii_case(&question.digest_by_hand()) {
                let message = "what the call would do is not what was consented to; look at it again";
                return HostError::Stale(message.to_owned());
            }
            let answer = PermissionAnswer {
                confirmation: consent.confirmation.clone(),
                ..PermissionAnswer::new(Decision::Once)
            };
            // A question that is gone was withdrawn: the call has ended another way.
            let _ = session.answer(question.call_id.clone(), question.digest.clone(), answer).await;
        }
    }
}

fn effect_of(word: &str) -> Result<RuleEffect, HostError> {
    let all = [RuleEffect::Allow, RuleEffect::Deny, RuleEffect::Ask];
    all.into_iter().find(|effect| effect.word() == word).ok_or_else(|| HostError::Invalid {
        field: Some("effect"),
        message: format!("'{word}' is not an effect of a rule; use allow, deny or ask"),
    })
}

fn opinion(stance: Stance) -> &'static str {
    match stance {
        Stance::Passes => "silent",
        Stance::Allows => "allow",
        Stance::Asks => "ask",
        Stance::Stages => "stage",
        Stance::Denies => "deny",
    }
}
