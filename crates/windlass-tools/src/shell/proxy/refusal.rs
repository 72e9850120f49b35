//! What the proxy does not do, in words for whoever asked: programs inside, the model, and the user.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::summary::cut;

/// Refusals that are kept of one command: the first tells what is wrong.
const REFUSALS_MAX: usize = 16;
/// Characters of a name that are shown: more is no name.
const NAME_CHARS_MAX: usize = 120;

/// Why a connection was not made or not carried on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ProxyRefusal {
    /// The host is not on the list.
    NotGranted { host: String, granted: String },
    /// It is, and leads where nothing is fetched from.
    Closed { host: String, why: String },
    /// The connection says another name than its request did.
    OtherName { host: String, name: Option<String> },
    /// What was sent is no TLS.
    NotTls { host: String },
    /// The request cannot be read, or not be carried.
    Malformed(&'static str),
    /// Nobody answers there.
    Unreachable { host: String, why: String },
}

impl ProxyRefusal {
    pub(super) fn status(&self) -> u16 {
        match self {
            ProxyRefusal::NotGranted { .. }
            | ProxyRefusal::Closed { .. }
            | ProxyRefusal::OtherName { .. }
            | ProxyRefusal::NotTls { .. } => 403,
            ProxyRefusal::Malformed(_) => 400,
            ProxyRefusal::Unreachable { .. } => 502,
        }
    }

    /// Whether it is the sandbox that holds something back, and not the world.
    pub(crate) fn is_denial(&self) -> bool {
        self.status() == 403
    }

    /// What the user or the model can do about it.
    pub(crate) fn hint(&self) -> String {
        match self {
            ProxyRefusal::NotGranted { host, .. } => format!(
                "Do it without that host. The user can grant it with --sandbox-host {host}, or for good with sandbox.hosts."
            ),
            ProxyRefusal::Closed { .. } => {
                "Addresses of this machine and its networks are not reached by commands, whatever their names.".to_owned()
            }
            ProxyRefusal::OtherName { .. } | ProxyRefusal::NotTls { .. } => {
                "Only HTTP and TLS to the very host that was asked for go through.".to_owned()
            }
            ProxyRefusal::Malformed(_) | ProxyRefusal::Unreachable { .. } => String::new(),
        }
    }

    /// The answer to the program that asked: the sentence is in its status line too, for many programs show only that.
    pub(super) fn answer(&self) -> Vec<u8> {
        let status = self.status();
        let sentence = self.to_string();
        let body = format!("windlass: {sentence} {}\n", self.hint());
        let reason: String =
            sentence.chars().map(|c| if (' '..='~').contains(&c) { c } else { '?' }).collect();
        let head = format!(
            "HTTP/1.1 {status} {reason}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        );
        [head.into_bytes(), body.into_bytes()].concat()
    }
}

impl fmt::Display for ProxyRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProxyRefusal::NotGranted { host, granted } => write!(
                f,
                "the sandbox does not let this command reach '{}': it may reach only {granted}.",
                shown(host)
            ),
            ProxyRefusal::Closed { host, why } => {
                write!(f, "the sandbox does not let this command reach '{}': {why}.", shown(host))
            }
            ProxyRefusal::OtherName { host, name: Some(name) } => {
                write!(
                    f,
                    "a connection to '{}' asked for '{}' there, and was closed.",
                    shown(host),
                    shown(name)
                )
            }
            ProxyRefusal::OtherName { host, name: None } => {
                write!(
                    f,
                    "a connection to '{}' did not say in TLS whom it is for, and was closed.",
                    shown(host)
                )
            }
            ProxyRefusal::NotTls { host } => {
                write!(
                    f,
                    "a connection to '{}' began with something else than TLS, and was closed.",
                    shown(host)
                )
            }
            ProxyRefusal::Malformed(why) => write!(f, "the request cannot be carried: {why}."),
            ProxyRefusal::Unreachable { host, why } => {
                write!(f, "'{}' could not be reached: {why}.", shown(host))
            }
        }
    }
}

/// A name that somebody else wrote, short.
fn shown(host: &str) -> String {
    cut(host, NAME_CHARS_MAX)
}

/// What was refused to one command. Clones are the same log.
#[derive(Debug, Clone, Default)]
pub(crate) struct RefusalLog(Arc<Mutex<Vec<ProxyRefusal>>>);

impl RefusalLog {
    pub(super) fn note(&self, refusal: ProxyRefusal) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() < REFUSALS_MAX && !all.contains(&refusal) {
            all.push(refusal);
        }
    }

    /// The first thing that the sandbox held back.
    pub(crate) fn first_denial(&self) -> Option<ProxyRefusal> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().find(|refusal| refusal.is_denial()).cloned()
    }
}
