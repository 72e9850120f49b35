//! One run as a front end sees it: follows its events, shows them, asks or lets a script answer, and
//! cancels on Ctrl-C. Decides nothing of the run itself.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use windlass_core::permission::{Decision, PolicyPort, Question};
use windlass_core::ports::BoxStream;
use windlass_core::ports::host::{HostDelivery, HostError, HostPort, StartedRun};
use windlass_core::protocol::command::RunCommand;
use windlass_core::protocol::event::{DurableEvent, Event, Record, RunOutcome};
use windlass_core::protocol::ids::{CallId, RunId};
use windlass_core::protocol::questions::open_questions;
use windlass_core::protocol::tool::OutcomeStatus;
use windlass_scripted::ScriptedUser;

use crate::complaint::{CommandError, Result};
use crate::terminal::ask::TerminalAsker;
use crate::terminal::out::{complain, tell_line, warn};
use crate::terminal::screen::{RunScreen, TICK_MS};
use crate::terminal::signals::Signals;

/// A host and everybody around one of its sessions.
pub(crate) struct RunFollower {
    host: Arc<dyn HostPort>,
    screen: RunScreen,
    asker: TerminalAsker,
    user: Option<ScriptedUser>,
    signals: Signals,
    is_quiet: bool,
    /// Whether the session can be gone on with after the process.
    is_kept: bool,
    /// How often the user wanted to stop.
    stops: u32,
    /// Everything that happened, for whoever wants to look at it afterwards.
    seen: Vec<Arc<Record>>,
    keeps_seen: bool,
    policies: Arc<dyn PolicyPort>,
    /// Rules that the user wants remembered.
    remembered: Vec<String>,
    /// The error of the run that goes on.
    error: Option<RunFailure>,
    /// Whether the run that goes on has staged an edit.
    has_staged: bool,
}

/// How a run ended, seen from here.
pub(crate) enum FollowedEnd {
    /// It came to its end.
    Finished(EndedRun),
    /// The user did not want to wait for the end.
    Killed,
}

pub(crate) struct EndedRun {
    pub(crate) outcome: RunOutcome,
    pub(crate) error: Option<RunFailure>,
}

/// Why a run failed.
pub(crate) struct RunFailure {
    pub(crate) code: String,
    /// What happened, for people.
    pub(crate) message: String,
}

impl RunFollower {
    /// A front end of a host. Signals are heard from now on.
    pub(crate) fn new(
        host: Arc<dyn HostPort>,
        screen: RunScreen,
        asker: TerminalAsker,
        policies: Arc<dyn PolicyPort>,
    ) -> Result<Self> {
        Ok(Self {
            host,
            screen,
            asker,
            user: None,
            signals: Signals::listen()?,
            is_quiet: false,
            is_kept: false,
            stops: 0,
            seen: Vec::new(),
            keeps_seen: false,
            policies,
            remembered: Vec::new(),
            error: None,
            has_staged: false,
        })
    }

    /// Says nothing that is not an error.
    pub(crate) fn quiet(mut self, is_quiet: bool) -> Self {
        self.is_quiet = is_quiet;
        self
    }

    /// The session is kept: it is said how to go on with it.
    pub(crate) fn kept(mut self, is_kept: bool) -> Self {
        self.is_kept = is_kept;
        self
    }

    /// Lets a script answer questions and cancel.
    pub(crate) fn with_user(mut self, user: ScriptedUser) -> Self {
        self.user = Some(user);
        self
    }

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

    /// Whether the user did not wait for the end.
    pub(crate) fn was_killed(&self) -> bool {
        self.stops > 1
    }

    /// Takes in what happened before, unseen; what the script's user would do about it now.
    pub(crate) fn remember(&mut self, records: &[Arc<Record>]) -> Vec<RunCommand> {
        records.iter().for_each(|record| self.screen.recall(record));
        match self.user.as_mut() {
            Some(user) => user.recall(records.iter().map(|record| &record.event)),
            None => Vec::new(),
        }
    }

    /// Takes in what happened of a run before it was taken up: questions that still wait are asked again.
    pub(crate) async fn recall(&mut self, run_id: &RunId, records: &[Arc<Record>]) -> Result<()> {
        let commands = self.remember(records);
        for question in open_questions(records) {
            let is_its_answer = |command: &RunCommand| match command {
                RunCommand::PermissionAnswer { call_id, .. } => *call_id == question.call_id,
                RunCommand::RunCancel => false,
            };
            if !commands.iter().any(is_its_answer) {
                self.screen.pause()?;
                self.asker.ask(question);
            }
        }
        for command in commands {
            self.send(run_id, command).await?;
        }
        Ok(())
    }

    pub(crate) async fn follow(&mut self, started: &StartedRun) -> Result<FollowedEnd> {
        let run_id = &started.run_id;
        let mut seq = started.after_seq;
        let mut events = self.events(run_id, seq).await?;
        let mut ticks = tokio::time::interval(Duration::from_millis(TICK_MS));
        ticks.reset();
        loop {
            tokio::select! {
                biased;
                () = self.signals.next() => {
                    if self.stop(run_id).await? {
                        self.say_how_to_resume(run_id);
                        return Ok(FollowedEnd::Killed);
                    }
                }
                (question, answer) = self.asker.next() => {
                    let Question { call_id, digest, .. } = question;
                    self.send(run_id, RunCommand::PermissionAnswer { call_id, digest, answer }).await?;
                    if !self.asker.is_asking() {
                        self.screen.resume()?;
                    }
                }
                delivery = events.next() => match delivery {
                    Some(HostDelivery::Record(record)) => {
                        seq = record.seq;
                        if let Some(outcome) = self.see(record).await? {
                            return Ok(FollowedEnd::Finished(self.say_goodbye(started, outcome)));
                        }
                    }
                    Some(HostDelivery::Gap) => events = self.events(run_id, seq).await?,
                    Some(HostDelivery::Deleted) | None => return Err(CommandError::failed(format!("run {run_id} ended without a final record"))),
                },
                _ = ticks.tick() => self.screen.tick(),
            }
        }
    }

    async fn events(&self, run_id: &RunId, after: u64) -> Result<BoxStream<'static, HostDelivery>> {
        self.host.events(run_id, after).await.map_err(refused)
    }

    /// The user wants to stop; whether without waiting.
    async fn stop(&mut self, run_id: &RunId) -> Result<bool> {
        self.stops += 1;
        if self.stops > 1 {
            return Ok(true);
        }
        self.screen.pause()?;
        if !self.is_quiet {
            tell_line("cancelling; press Ctrl-C again to stop at once");
        }
        self.screen.resume()?;
        self.send(run_id, RunCommand::RunCancel).await.map(|()| false)
    }

    async fn send(&self, run_id: &RunId, command: RunCommand) -> Result<()> {
        let sent = match command {
            RunCommand::PermissionAnswer { call_id, digest, answer } => {
                self.host.answer(run_id, &call_id, &digest, answer).await
            }
            RunCommand::RunCancel => self.host.cancel(run_id).await,
        };
        match sent {
            // The run went on meanwhile: its events say how.
            Ok(()) | Err(HostError::Stale(_) | HostError::Conflict(_)) => Ok(()),
            Err(error) => Err(refused(error)),
        }
    }

    /// Takes what happened; how the run ended, if that was its end.
    async fn see(&mut self, record: Arc<Record>) -> Result<Option<RunOutcome>> {
        self.screen.show(&record)?;
        let command = self.user.as_mut().and_then(|user| user.react(&record.event));
        let is_answered = matches!(command, Some(RunCommand::PermissionAnswer { .. }));
        if let Some(command) = command {
            self.send(&record.run_id, command).await?;
        }
        match &record.event {
            Event::Durable(DurableEvent::PermissionRequested { question }) if !is_answered => {
                self.screen.pause()?;
                self.asker.ask(question.as_ref().clone());
            }
            Event::Durable(DurableEvent::PermissionDecided { call_id, decision, rule, .. }) => {
                self.withdraw(call_id)?;
                if let (Decision::Remember, Some(rule)) = (decision, rule) {
                    self.remembered.push(rule.clone());
                }
            }
            Event::Durable(DurableEvent::CallEnded { call_id, outcome, .. }) => {
                self.has_staged |= outcome.status() == OutcomeStatus::Staged;
                self.withdraw(call_id)?;
            }
            Event::Durable(DurableEvent::ErrorRaised { code, message }) => {
                self.error = Some(RunFailure { code: code.clone(), message: message.clone() });
            }
            Event::Durable(other) => other.ignored(),
            Event::Delta(_) => {}
        }
        let ended = if let Event::Durable(DurableEvent::RunEnded { outcome, .. }) = &record.event {
            Some(*outcome)
        } else {
            None
        };
        if self.keeps_seen {
            self.seen.push(record);
        }
        Ok(ended)
    }

    fn withdraw(&mut self, call_id: &CallId) -> Result<()> {
        let was_asking = self.asker.is_asking();
        self.asker.withdraw(call_id);
        if was_asking && !self.asker.is_asking() {
            self.screen.resume()?;
        }
        Ok(())
    }

    fn say_goodbye(&mut self, started: &StartedRun, outcome: RunOutcome) -> EndedRun {
        let stored = self.policies.stored();
        for rule in self.remembered.drain(..) {
            if !stored.rules().iter().any(|own| own.to_string() == rule) {
                warn(&format!("the rule {rule} could not be stored; it applies to this session only"));
            }
        }
        let error = self.error.take();
        if let Some(error) = &error {
            complain(&error.message);
            // What could not be written down did not end on record.
            if error.code == "journal" {
                self.say_how_to_resume(&started.run_id);
            }
        }
        if outcome == RunOutcome::Cancelled && !self.is_quiet && self.was_stopped() {
            let how = match self.is_kept {
                true => format!("To continue: windlass run --session {} \"go on\"", started.session_id),
                false => "To continue, run the command again.".to_owned(),
            };
            tell_line(&format!("cancelled; what the calls above did stays done. {how}"));
        }
        if std::mem::take(&mut self.has_staged) && !self.is_quiet {
            self.say_how_to_apply(&started.run_id);
        }
        EndedRun { outcome, error }
    }

    fn say_how_to_apply(&self, run_id: &RunId) {
        match self.is_kept {
            true => tell_line(&format!("what is staged awaits your approval: windlass runs apply {run_id}")),
            false => tell_line("edits were staged, but the session is not kept, so they cannot be applied"),
        }
    }

    fn say_how_to_resume(&self, run_id: &RunId) {
        if self.is_kept && !self.is_quiet {
            tell_line(&format!("stopped in the middle; to continue: windlass runs resume {run_id}"));
        }
    }
}

/// The host did not do what it was asked.
pub(crate) fn refused(error: HostError) -> CommandError {
    match &error {
        HostError::Missing { what: "session", .. } => {
            CommandError::usage(error.to_string()).cure("windlass sessions list")
        }
        HostError::Missing { what: "run", .. } => {
            CommandError::usage(error.to_string()).cure("windlass runs list")
        }
        HostError::Missing { what: "step", .. } => {
            CommandError::usage(error.to_string()).cure("windlass runs show ID lists the steps")
        }
        HostError::Missing { .. } | HostError::Invalid { .. } | HostError::Unkeyed { .. } => {
            CommandError::usage(error.to_string())
        }
        HostError::Held(_) => {
            CommandError::failed(error.to_string()).cure("wait for it, or stop that process")
        }
        HostError::Unauthorised(_) => CommandError::usage(error.to_string())
            .cure("`windlass token` prints it where the server runs; give it with --token-file FILE, or in WINDLASS_TOKEN"),
        HostError::Busy(_)
        | HostError::Unreachable(_)
        | HostError::Incompatible(_)
        | HostError::Stale(_)
        | HostError::NeedsConsent(_)
        | HostError::Conflict(_)
        | HostError::Overloaded { .. }
        | HostError::Closing
        | HostError::Broken(_) => CommandError::failed(error.to_string()),
    }
}
