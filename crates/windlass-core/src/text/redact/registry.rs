//! Which values are secret: one list that every source of secrets adds to, and that all who clean texts share.
//!
//! It only grows, so that what was registered late counts in sessions that are open already. Knows no text.

use std::sync::{Arc, PoisonError, RwLock};

use super::Redactor;
use super::scan::KnownSecrets;
use crate::text::secret::Secret;

/// Most values that are known at once. A configuration has some dozen; each program that offers tools to a server adds one.
/// Beyond it the oldest are forgotten that were registered after the first half, which are those of the configuration.
const SECRETS_MAX: usize = 4_096;

/// What is written in the place of a key where a server wants none: taking these out would garble what is said of them.
const STAND_INS: [&str; 10] = [
    "ollama",
    "lm-studio",
    "lmstudio",
    "llamacpp",
    "not-needed",
    "no-key-needed",
    "no-key-required",
    "placeholder",
    "changeme",
    "default",
];

/// The secrets of a process, or of whatever has its own. Clones are the same registry.
#[derive(Clone, Default)]
pub struct SecretRegistry(Arc<RwLock<RegisteredSecrets>>);

struct RegisteredSecrets {
    all: Vec<Secret>,
    with_forms: Arc<KnownSecrets>,
    /// The same secrets, without the forms.
    values: Arc<KnownSecrets>,
}

impl Default for RegisteredSecrets {
    fn default() -> Self {
        let (with_forms, values) = (KnownSecrets::new(&[]), KnownSecrets::values(&[]));
        Self { all: Vec::new(), with_forms: Arc::new(with_forms), values: Arc::new(values) }
    }
}

impl SecretRegistry {
    /// From now on this value is a secret. One that is too short to be told from ordinary words is not taken in.
    pub fn add(&self, secret: Secret) {
        self.extend([secret]);
    }

    /// The same for several.
    pub fn extend(&self, secrets: impl IntoIterator<Item = Secret>) {
        let secrets: Vec<Secret> = secrets.into_iter().flat_map(spellings).collect();
        let mut own = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let count = own.all.len();
        for secret in secrets {
            if secret.is_distinct() && !is_stand_in(&secret) && !own.all.contains(&secret) {
                if own.all.len() >= SECRETS_MAX {
                    own.all.remove(SECRETS_MAX / 2);
                }
                own.all.push(secret);
            }
        }
        if own.all.len() > count || count >= SECRETS_MAX {
            own.with_forms = Arc::new(KnownSecrets::new(&own.all));
            own.values = Arc::new(KnownSecrets::values(&own.all));
        }
    }

    /// Takes these secrets, and what looks like a key, out of texts.
    pub fn redactor(&self) -> Redactor {
        Redactor { registry: self.clone(), has_forms: true }
    }

    /// Whether nothing is registered.
    pub fn is_empty(&self) -> bool {
        self.0.read().unwrap_or_else(PoisonError::into_inner).all.is_empty()
    }

    pub(super) fn known(&self, has_forms: bool) -> Arc<KnownSecrets> {
        let own = self.0.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(if has_forms { &own.with_forms } else { &own.values })
    }
}

fn is_stand_in(secret: &Secret) -> bool {
    STAND_INS.iter().any(|word| secret.expose().eq_ignore_ascii_case(word))
}

/// A secret as it is, and as it stands in a text of JSON if that is another one.
fn spellings(secret: Secret) -> impl Iterator<Item = Secret> {
    let quoted = serde_json::Value::from(secret.expose()).to_string();
    let inner = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default();
    let other = (inner != secret.expose()).then(|| Secret::new(inner));
    [Some(secret), other].into_iter().flatten()
}

impl FromIterator<Secret> for SecretRegistry {
    fn from_iter<T: IntoIterator<Item = Secret>>(secrets: T) -> Self {
        let registry = Self::default();
        registry.extend(secrets);
        registry
    }
}

impl std::fmt::Debug for SecretRegistry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let own = self.0.read().unwrap_or_else(PoisonError::into_inner);
        write!(f, "{} secrets", own.all.len())
    }
}
