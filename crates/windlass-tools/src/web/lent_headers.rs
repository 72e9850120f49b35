//! Headers that a call wants to send, with secrets of the user in them: `Bearer {{secret:NAME}}`.
//!
//! What the model writes, what is approved and what is on record has the mark; the value is put in when the address has been
//! judged, for a host that the user has bound it to, and is searched for in what comes back. Knows no HTTP.

use std::collections::BTreeMap;
use std::sync::Arc;

use windlass_core::ports::SecretsPort;
use windlass_core::protocol::tool::{ErrorKind, ToolFailure, ToolOutput};
use windlass_core::text::redact::Redactor;
use windlass_core::text::secret::Secret;

/// Most headers of one call: an interface wants two or three.
pub(crate) const HEADERS_MAX: usize = 16;
/// Longest value of one, with room for a token.
const VALUE_CHARS_MAX: usize = 4_096;

/// How a secret is named.
const MARK_BEGIN: &str = "{{secret:";
const MARK_END: &str = "}}";

/// Headers that are the client's own business: with them a request could say that it is another one.
const OWN_HEADERS: [&str; 10] = [
    "host",
    "content-length",
    "transfer-encoding",
    "connection",
    "upgrade",
    "te",
    "trailer",
    "accept-encoding",
    "expect",
    "proxy-authorization",
];

/// The headers of one call, as the model wrote them.
pub(crate) struct WantedHeaders(BTreeMap<String, String>);

/// What was put in: to be struck out of whatever comes back.
pub(crate) struct LentHeaders {
    pub(crate) headers: Vec<(String, Secret)>,
    pub(crate) values: Redactor,
}

impl WantedHeaders {
    pub(crate) fn read(headers: Option<BTreeMap<String, String>>) -> Result<Self, ToolFailure> {
        let headers = headers.unwrap_or_default();
        let wrong = |expected: &str, name: &str| {
            let name = name.chars().take(60).collect::<String>();
            ToolFailure::invalid_args(format!("the header '{name}' cannot be sent"))
                .at("headers", expected, name)
        };
        if headers.len() > HEADERS_MAX {
            return Err(wrong(
                &format!("at most {HEADERS_MAX} headers"),
                &format!("{} headers", headers.len()),
            ));
        }
        for (name, value) in &headers {
            let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
            if name.is_empty() || !name.bytes().all(is_name) {
                return Err(wrong("a name of letters, digits and '-'", name));
            }
            if OWN_HEADERS.contains(&name.to_ascii_lowercase().as_str()) {
                return Err(wrong("a header that the client does not set itself", name));
            }
            if value.len() > VALUE_CHARS_MAX || !value.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
                return Err(wrong("a value of one line in ASCII", name));
            }
        }
        Ok(Self(headers))
    }

    /// The names of the secrets that are wanted.
    pub(crate) fn secrets(&self) -> Vec<String> {
        let mut names: Vec<String> =
            self.0.values().flat_map(|value| marks(value)).map(str::to_owned).collect();
        names.sort();
        names.dedup();
        names
    }

    /// One line for each, as it was written.
    pub(crate) fn lines(&self) -> String {
        self.0.iter().map(|(name, value)| format!("\n{name}: {value}")).collect()
    }

    /// The headers for a request to this host, with the secrets in them.
    pub(crate) async fn lend(
        &self,
        keeper: Option<&Arc<dyn SecretsPort>>,
        host: &str,
        is_safe: bool,
    ) -> Result<LentHeaders, ToolFailure> {
        let mut values = BTreeMap::new();
        for name in self.secrets() {
            if !is_safe {
                let message = format!(
                    "the secret '{name}' is not sent to {host}: the connection would not be encrypted"
                );
                return Err(refused(message).hint("Use the https address."));
            }
            let Some(keeper) = keeper else {
                return Err(refused(format!("there is no secret '{name}'")).hint("No secrets are kept here."));
            };
            let lent = keeper.lend(&name, host).await;
            let hint = "The user binds secrets to hosts: windlass secrets set NAME --host HOST.";
            let value = lent.map_err(|refusal| refused(refusal.to_string()).hint(hint))?;
            values.insert(name, value);
        }
        let filled = self.0.iter().map(|(name, value)| (name.clone(), Secret::new(fill(value, &values))));
        Ok(LentHeaders {
            headers: filled.collect(),
            values: Redactor::new(values.into_values()).known_values(),
        })
    }
}

impl LentHeaders {
    /// Takes what was lent out of an outcome.
    pub(crate) fn strike(&self, output: &mut ToolOutput) {
        self.values.clean_value(&mut output.json);
        let clean = |text: &mut String| *text = self.values.clean(text).into_owned();
        output.text.iter_mut().for_each(clean);
        for link in &mut output.links {
            [&mut link.title, &mut link.url, &mut link.snippet].into_iter().for_each(clean);
        }
    }
}

/// Whether a text has a mark in it, also one that is written as addresses write it.
pub(crate) fn has_mark(text: &str) -> bool {
    let plain = text.replace("%7B", "{").replace("%7b", "{").replace("%3A", ":").replace("%3a", ":");
    plain.contains(MARK_BEGIN)
}

fn refused(message: String) -> ToolFailure {
    ToolFailure::new(ErrorKind::PermissionDenied, message)
}

/// The names in the marks of a text.
fn marks(text: &str) -> Vec<&str> {
    let parts = text.split(MARK_BEGIN).skip(1);
    parts.filter_map(|part| part.split_once(MARK_END)).map(|(name, _)| name).collect()
}

fn fill(text: &str, values: &BTreeMap<String, Secret>) -> String {
    let mut parts = text.split(MARK_BEGIN);
    let mut filled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(MARK_END).and_then(|(name, rest)| Some((values.get(name)?, rest))) {
            Some((value, rest)) => {
                filled.push_str(value.expose());
                filled.push_str(rest);
            }
            None => {
                filled.push_str(MARK_BEGIN);
                filled.push_str(part);
            }
        }
    }
    filled
}

#[cfg(test)]
#[path = "lent_headers_tests.rs"]
mod tests;
