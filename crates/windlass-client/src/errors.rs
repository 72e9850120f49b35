//! What a refusal of the server means to whoever asked: problem documents become the errors of the port again.
//!
//! The code of a problem decides; its status only where a proxy or another server spoke.

use serde::Deserialize;
use windlass_core::permission::Question;
use windlass_core::ports::host::HostError;
use windlass_core::protocol::model::{ModelFailure, ModelFailureKind};

/// Words for what can be missing, as codes begin with them.
const THINGS: [&str; 11] =
    ["session", "run", "step", "tool", "model", "module", "rule", "save", "question", "index", "document"];

/// Fields that requests of the port have.
const FIELDS: [&str; 21] = [
    "arguments",
    "confirmation",
    "decision",
    "effect",
    "images",
    "inputs",
    "message",
    "model",
    "name",
    "origin",
    "outcome",
    "profile",
    "q",
    "reasoning_effort",
    "root",
    "rule",
    "seed",
    "step",
    "steps_max",
    "title",
    "tool_choice",
];

/// What is wrong with a word of a document.
const NOT_OURS: &str = "; the address is what `windlass serve` prints";

/// An answer that was no success.
#[derive(Debug)]
pub(crate) struct RefusedRequest<'a> {
    /// The server, as it is shown.
    pub(crate) url: &'a str,
    /// What was asked, as it is shown.
    pub(crate) asked: &'a str,
    /// Whether a token went along.
    pub(crate) has_token: bool,
    pub(crate) status: u16,
    /// When to come back, if it said so.
    pub(crate) retry_after_ms: Option<u64>,
    pub(crate) body: &'a str,
}

#[derive(Deserialize)]
struct ProblemDocument {
    code: String,
    detail: String,
    field: Option<String>,
    subject: Option<String>,
    question: Option<Box<Question>>,
}

impl RefusedRequest<'_> {
    /// The error that the host behind the server meant.
    pub(crate) fn error(&self) -> HostError {
        let problem = serde_json::from_str::<ProblemDocument>(self.body).ok();
        // A proxy that asks for a token says so without a document of ours.
        if self.status == 401 {
            return self.unauthorised();
        }
        let Some(ProblemDocument { code, detail, field, subject, question }) = problem else {
            return self.foreign();
        };
        let subject = subject.unwrap_or_default();
        let thing = code.strip_suffix("_not_found").and_then(|word| known(&THINGS, word));
        // Before the codes: the question itself is what the caller needs, whatever the refusal is called.
        if let Some(question) = question {
            return HostError::NeedsConsent(question);
        }
        match code.as_str() {
            _ if thing.is_some() => HostError::Missing { what: thing.unwrap_or_default(), id: subject },
            "run_goes_on" => HostError::Busy(subject.into()),
            "session_held" => HostError::Held(subject),
            "question_stale" | "digest_mismatch" => HostError::Stale(detail),
            "step_missing" => HostError::Invalid { field: Some("step"), message: detail },
            "conflict" => HostError::Conflict(detail),
            "closing" => HostError::Closing,
            "internal" => HostError::Broken(detail),
            "route_not_found" | "method_not_allowed" => HostError::Broken(format!(
                "{} does not know {}; it may be an older Windlass than this one",
                self.url, self.asked
            )),
            _ if matches!(self.status, 429 | 503) => {
                let retry_after_ms = self.retry_after_ms.unwrap_or(1_000);
                HostError::Overloaded { message: detail, retry_after_ms }
            }
            _ if (400..500).contains(&self.status) => {
                let field = field.as_deref().and_then(|field| known(&FIELDS, field));
                HostError::Invalid { field, message: detail }
            }
            _ => HostError::Broken(detail),
        }
    }

    fn unauthorised(&self) -> HostError {
        let url = self.url;
        let message = if self.has_token {
            format!("{url} refuses the token; look at the file of --token-file, or at WINDLASS_TOKEN")
        } else {
            format!(
                "{url} wants a token, which `windlass token` prints there; give it with --token-file FILE, or in WINDLASS_TOKEN"
            )
        };
        HostError::Invalid { field: Some("token"), message }
    }

    /// Somebody else speaks: a proxy on the way, or no Windlass at all.
    fn foreign(&self) -> HostError {
        let Self { url, asked, status, .. } = self;
        match (status, self.retry_after_ms) {
            (429 | 503, wait) => HostError::Overloaded {
                message: format!("{url} has no room now ({asked} gave {status})"),
                retry_after_ms: wait.unwrap_or(1_000),
            },
            (502 | 504, _) => HostError::Broken(format!(
                "something before {url} answers, but not the server behind it ({asked} gave {status}); \
                 check that `windlass serve` runs there"
            )),
            _ => HostError::Broken(format!(
                "{url} answers, but not as Windlass does ({asked} gave {status}){NOT_OURS}"
            )),
        }
    }
}

/// An answer that is a success, but not the one that was asked for.
pub(crate) fn misread(url: &str, asked: &str, why: &str) -> HostError {
    HostError::Broken(format!("{url} does not answer {asked} as Windlass does ({why}){NOT_OURS}"))
}

/// There was no answer at all.
pub(crate) fn unreached(url: &str, failure: &ModelFailure) -> HostError {
    let detail = failure.detail.as_deref().map(|detail| format!(" ({detail})")).unwrap_or_default();
    HostError::Broken(match failure.kind {
        // What is said of certificates is for any server; asking again does not help.
        ModelFailureKind::Network if !failure.is_retryable => failure.message.clone(),
        ModelFailureKind::Network => format!(
            "there is no server at {url}{detail}; check the address, and that `windlass serve` runs there"
        ),
        ModelFailureKind::Timeout => {
            format!("{url} does not answer in time; check the network, and that the server is well")
        }
        ModelFailureKind::Cut => format!("the connection to {url} broke{detail}"),
        ModelFailureKind::Auth => {
            "the token has characters that no header can carry; look at its file".to_owned()
        }
        ModelFailureKind::Malformed => format!("{url} speaks no HTTP that is understood here{NOT_OURS}"),
        _ => format!("{url} cannot be asked: {}", failure.message),
    })
}

/// One of our own words.
fn known(words: &[&'static str], word: &str) -> Option<&'static str> {
    words.iter().find(|known| **known == word).copied()
}

#[cfg(test)]
#[path = "errors_tests.rs"]
mod tests;
