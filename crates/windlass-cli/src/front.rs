//! One run as a front end sees it: sends the message, shows events, asks or lets a script answer, and
//! cancels on Ctrl-C. Decides nothing of the run itself.

use std::sync::Arc;
use std::time::Duration;

use windlass_core::command::{Command, MessageSend};
use windlass_core::event::{Event, Record, RunOutcome};
use windlass_core::permission::Decision;
use windlass_core::run::Finished;
use windlass_engine::bus::{Delivery, Subscription};
use windlass_engine::policy_store::PolicyStore;
use windlass_engine::session::{AnswerError, SendError, Session, SessionParts};
use windlass_scripted::ScriptedUser;

use crate::asker::Asker;
use crate::complaint::{Complaint, Result};
use crate::out::{complain, tell_line, warn};
use crate::screen::{Screen, TICK_MS};
use crate::signals::Signals;

/// A session and everybody around it.
pub(crate) struct Front {
    session: Session,
    subscription: Subscription,
    screen: Screen,
    asker: Asker,
    user: Option<ScriptedUser>,
    signals: Signals,
    is_quiet: bool,
    /// How often the user wanted to stop.
    stops: u32,
    /// Everything that happened, for whoever wants to look at it afterwards.
    seen: Vec<Arc<Record>>,
    keeps_seen: bool,
    policies: PolicyStore,
    /// Rules that the user wants remembered.
    remembered: Vec<String>,
}

/// How a run ended, seen from here.
pub(crate) enum Ending {
    /// It came to its end.
    Finished(Box<Finished>),
    /// The user did not want to wait for the end.
    Killed,
}

impl Front {
    /// Starts a session.
    pub(crate) fn start(parts: SessionParts, screen: Screen, asker: Asker, is_quiet: bool) -> Result<Self> {
        let policies = parts.policies.clone();
        let session = Session::start(parts);
        let subscription = session.subscribe();
        Ok(Self {
            session,
            subscription,
            screen,
            asker,
            user: None,
            signals: Signals::listen()?,
            is_quiet,
            stops: 0,
            seen: Vec::new(),
            keeps_seen: false,
            policies,
            remembered: Vec::new(),
        })
    }

    /// Lets a script answer questions and cancel.
    pub(crate) fn with_user(mut self, user: ScriptedUser) -> Self {
        self.user = Some(user);
        self
    }

    /// Keeps all events.
    pub(crate) fn keeping_events(mut self) -> Self {
        self.keeps_seen = true;
        self
    }

    /// The events that were kept.
    pub(crate) fn seen(&self) -> &[Arc<Record>] {
        &self.seen
    }

    /// What the script says next.
    pub(crate) fn next_message(&mut self) -> Option<String> {
        self.user.as_mut().and_then(ScriptedUser::next_message)
    }

    /// Whether the user wanted to stop.
    pub(crate) fn was_stopped(&self) -> bool {
        self.stops > 0
    }

    /// Runs one run to its end.
    pub(crate) async fn run(&mut self, send: MessageSend) -> Result<Ending> {
        let handle = self.session.send(send).await.map_err(closed)?;
        let mut ticks = tokio::time::interval(Duration::from_millis(TICK_MS));
        ticks.reset();
        loop {
            tokio::select! {
                biased;
                () = self.signals.next() => {
                    self.stops += 1;
                    if self.stops > 1 {
                        return Ok(Ending::Killed);
                    }
                    self.screen.pause()?;
                    if !self.is_quiet {
                        tell_line("cancelling; Ctrl-C once more does not wait");
                    }
                    self.screen.resume()?;
                    self.session.cancel().await.map_err(closed)?;
                }
                (call_id, answer) = self.asker.next() => {
                    // A question that needs no answer any more was withdrawn with its call.
                    if self.session.answer(call_id, answer, None).await == Err(AnswerError::Closed) {
                        return Err(closed(SendError::Closed));
                    }
                    if !self.asker.is_asking() {
                        self.screen.resume()?;
                    }
                }
                delivery = self.subscription.next() => {
                    if self.take(delivery).await? {
                        break;
                    }
                }
                _ = ticks.tick() => self.screen.tick(),
            }
        }
        let finished = handle.finished().await.map_err(closed)?;
        self.say_goodbye(&finished);
        Ok(Ending::Finished(Box::new(finished)))
    }

    /// Takes what the session says; whether the run is over.
    async fn take(&mut self, delivery: Delivery) -> Result<bool> {
        match delivery {
            Delivery::Record(record) => self.see(record).await,
            Delivery::Snapshot { records, .. } => {
                let mut is_over = false;
                for record in records {
                    is_over |= self.see(record).await?;
                }
                Ok(is_over)
            }
            Delivery::Gap { failure, .. } => {
                warn(&format!("some events could not be shown: {failure}"));
                Ok(false)
            }
            Delivery::Closed => Err(closed(SendError::Closed)),
        }
    }

    async fn see(&mut self, record: Arc<Record>) -> Result<bool> {
        self.screen.show(&record)?;
        let command = self.user.as_mut().and_then(|user| user.react(&record.event));
        let is_answered = matches!(command, Some(Command::PermissionAnswer { .. }));
        if let Some(command) = command {
            self.session.command(command).await.map_err(closed)?;
        }
        if let Event::PermissionRequested { question } = &record.event
            && !is_answered
        {
            self.screen.pause()?;
            self.asker.ask(question.as_ref().clone());
        }
        if let Event::PermissionDecided { call_id, .. } | Event::CallEnded { call_id, .. } = &record.event {
            let was_asking = self.asker.is_asking();
            self.asker.withdraw(call_id);
            if was_asking && !self.asker.is_asking() {
                self.screen.resume()?;
            }
        }
        if let Event::PermissionDecided { decision: Decision::Remember, rule: Some(rule), .. } = &record.event
        {
            self.remembered.push(rule.clone());
        }
        let is_over = matches!(record.event, Event::RunEnded { .. });
        if self.keeps_seen {
            self.seen.push(record);
        }
        Ok(is_over)
    }

    fn say_goodbye(&mut self, finished: &Finished) {
        let stored = self.policies.stored();
        for rule in self.remembered.drain(..) {
            if !stored.rules().iter().any(|own| own.to_string() == rule) {
                warn(&format!("the rule {rule} could not be stored; it held for this session only"));
            }
        }
        if let Some(error) = &finished.error {
            complain(&error.to_string());
        }
        if finished.outcome == RunOutcome::Cancelled && !self.is_quiet && self.was_stopped() {
            tell_line("cancelled; what the calls above did stays done. To go on, run the command again.");
        }
    }
}

fn closed(error: SendError) -> Complaint {
    Complaint::failed(format!("the session ended too early: {error}"))
}
