//! Sessions are opened: claimed, folded back from their records, and given an actor.

use std::sync::Arc;
use std::time::{Duration, Instant};

use windlass_core::permission::ApproveMode;
use windlass_core::ports::host::HostError;
use windlass_core::ports::store::{Claim, SessionRow};
use windlass_core::profile::Profile;
use windlass_core::protocol::history::History;
use windlass_core::protocol::ids::RunId;
use windlass_core::run::RunSettings;

use super::slot::{OpenedSession, OpenedWith, SessionSlot};
use super::{Host, OpenModel, broken, failed, overloaded};
use crate::limits::{CLAIM_PAUSE_MS, CLAIM_WAIT_MS};
use crate::session::{Past, Session, SessionParts};

/// The run that stopped in the middle, if one did.
pub(super) fn unfinished_run(past: &Past) -> Option<&RunId> {
    past.unfinished.as_ref()?.records.first().map(|record| &record.run_id)
}

impl Host {
    /// What a session is opened with: the run's wishes, else the session's, else the host's.
    pub(super) fn setup(
        &self,
        row: &SessionRow,
        model: Option<String>,
        profile: Option<String>,
        executes_while_streaming: Option<bool>,
    ) -> OpenedWith {
        let own = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let model = model.or_else(|| own(&row.begin.model));
        OpenedWith {
            edition: self.parts.models.edition(model.as_deref()),
            model,
            profile: profile.or_else(|| own(&row.begin.profile)),
            executes_while_streaming,
            begun: None,
        }
    }

    /// The profile and the model of a setup.
    pub(super) fn settings(&self, setup: &OpenedWith) -> Result<(RunSettings, OpenModel), HostError> {
        let mut profile = self.profile_of(setup)?;
        let below = setup.begun.as_ref().and_then(|begun| begun.model_below.as_deref());
        let opened = self.open_model(setup.model.as_deref(), below, &mut profile)?;
        let settings = RunSettings {
            system: profile.instruction.as_str().into(),
            profile,
            model: opened.model.name().to_owned(),
            context_tokens: opened.context_tokens,
            form: opened.model.form(),
        };
        Ok((settings, opened))
    }

    /// Opens a model, before another one where that is said, and makes the profile fit it.
    pub(super) fn open_model(
        &self,
        name: Option<&str>,
        below: Option<&str>,
        profile: &mut Profile,
    ) -> Result<OpenModel, HostError> {
        let opened = match below {
            Some(below) => self.parts.models.open_before(name, below, profile)?,
            None => self.parts.models.open(name, profile)?,
        };
        // Fields are a module's.
        profile.answers_in_fields &= opened.model.form().is_some();
        profile.dialect = opened.model.dialect().unwrap_or(profile.dialect);
        Ok(opened)
    }

    /// The profile that a run on record began with, or that of the configuration.
    pub(super) fn profile_of(&self, setup: &OpenedWith) -> Result<Profile, HostError> {
        if let Some(begun) = &setup.begun {
            return Ok(begun.profile.clone());
        }
        let mut profile: Profile = (self.parts.profiles)(setup.profile.as_deref())?;
        if let Some(is_early) = setup.executes_while_streaming {
            profile.executes_while_streaming = is_early;
        }
        Ok(profile)
    }

    /// Whether a session works in the folder of this host: its tools reach no other.
    pub(super) fn check_root(&self, row: &SessionRow) -> Result<(), HostError> {
        if row.begin.root.is_empty() || row.begin.root == self.parts.root.display().to_string() {
            return Ok(());
        }
        let (session_id, root) = (&row.session_id, &row.begin.root);
        Err(HostError::Conflict(format!(
            "session {session_id} works in {root}; start windlass with --root {root}"
        )))
    }

    /// Becomes the writer of a session. Another process that holds it has a while to let go of it.
    pub(super) async fn claim(&self, slot: &SessionSlot) -> Result<(), HostError> {
        let since = Instant::now();
        loop {
            let claim = self.parts.store.claim(&slot.session_id).await;
            match claim.map_err(failed("session", slot.session_id.as_str()))? {
                Claim::Taken => return Ok(()),
                Claim::Held { by } if since.elapsed() >= Duration::from_millis(CLAIM_WAIT_MS) => {
                    return Err(HostError::Held(by));
                }
                Claim::Held { .. } => tokio::time::sleep(Duration::from_millis(CLAIM_PAUSE_MS)).await,
            }
        }
    }

    /// Folds a session back from its records; the caller has claimed it.
    pub(super) async fn load(&self, slot: &SessionSlot) -> Result<(SessionRow, Past), HostError> {
        let session_id = &slot.session_id;
        let row = self.parts.store.session(session_id).await;
        let row = row.map_err(failed("session", session_id.as_str()))?;
        let records = match row.last_seq {
            0 => Vec::new(),
            _ => self.parts.store.load(session_id, 0).await.map_err(broken)?,
        };
        // Not folded from the records: a grant that was revoked since is still on record (U-40).
        let granted = self.parts.store.grants(session_id).await.map_err(broken)?;
        let past = History::fold(&row.begin.history, &records).into();
        Ok((row, Past { grants: granted.unwrap_or_default(), ..past }))
    }

    /// Opens a session that is loaded; the caller holds the slot's lock and the claim.
    pub(super) async fn launch(
        &self,
        slot: &SessionSlot,
        past: Past,
        setup: OpenedWith,
        approve: ApproveMode,
        (settings, opened): (RunSettings, OpenModel),
    ) -> Result<OpenedSession, HostError> {
        self.make_room().await?;
        let model = Arc::clone(&opened.model);
        let parts = SessionParts {
            session_id: slot.session_id.clone(),
            settings: Arc::new(settings),
            model: opened.model,
            registry: self.parts.registry.clone(),
            root: self.parts.root.clone(),
            policies: self.parts.policies.clone(),
            approve,
            journal: Arc::clone(&self.journal) as Arc<_>,
            audit: self.parts.audit.clone(),
            clock: self.parts.clock.clone(),
            past,
        };
        let session = Session::start_guarded(parts, self.redactor.clone());
        let open = OpenedSession { log: session.log(), session, setup, model };
        slot.put(open.clone(), self.parts.clock.now_ms());
        Ok(open)
    }

    /// Sees to it that one more session may be open.
    async fn make_room(&self) -> Result<(), HostError> {
        let open_max = self.parts.limits.sessions_open_max;
        if self.slots.open_count() < open_max {
            return Ok(());
        }
        let mut idle: Vec<Arc<SessionSlot>> = self.slots.all();
        idle.retain(|slot| slot.is_idle());
        idle.sort_by_key(|slot| slot.used_ms());
        for slot in idle {
            // Whoever holds the lock is about to use the session.
            let Ok(change) = slot.change.try_lock() else { continue };
            // Asked again: a run may have begun before the lock was had.
            if slot.is_idle() {
                self.shut(&slot).await;
                return Ok(());
            }
            drop(change);
        }
        Err(overloaded(format!("{open_max} sessions are in use; try again later")))
    }
}
