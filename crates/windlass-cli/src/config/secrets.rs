//! Which values of the configuration are secret: all of them are registered as soon as they are read.
//!
//! What becomes known later (a keyring's keys, the server's token, a code that signs a browser in) is registered by whoever
//! finds it, in the same registry.

use windlass_core::text::address_password::address_secrets;
use windlass_core::text::redact::SecretRegistry;
use windlass_core::text::secret::Secret;

use super::layer::SettingLayer;
use super::value::SettingValue;

/// Words in the name of a header that mean a secret.
const SECRET_WORDS: [&str; 8] =
    ["auth", "key", "token", "secret", "cookie", "pass", "credential", "signature"];

/// Fewest characters of a header's value that is taken for a secret by its looks alone.
const ODD_VALUE_CHARS_MIN: usize = 20;

/// Registers every secret of a layer.
pub(super) fn register(registry: &SecretRegistry, layer: &SettingLayer) {
    for setting in layer.values() {
        match &setting.value {
            SettingValue::Secret(text) => registry.add(Secret::new(text.trim())),
            SettingValue::Secrets(headers) => {
                for (name, value) in headers {
                    registry.extend(value.as_str().into_iter().flat_map(|value| of_header(name, value)));
                }
            }
            SettingValue::Text(text) => registry.extend(of_address(text)),
            SettingValue::List(items) => registry.extend(items.iter().flat_map(|item| of_address(item))),
            SettingValue::Nothing
            | SettingValue::Truth(_)
            | SettingValue::Count(_)
            | SettingValue::Number(_)
            | SettingValue::Table(_) => {}
        }
    }
}

/// The secrets of a header: `Bearer KEY` is one as a whole and in its second part. Headers also say versions and teams, which are
/// none.
fn of_header(name: &str, value: &str) -> Vec<Secret> {
    let name = name.to_ascii_lowercase();
    let is_named = SECRET_WORDS.iter().any(|word| name.contains(word));
    let is_odd = value.len() >= ODD_VALUE_CHARS_MIN
        && !value.contains(['/', ' '])
        && value.contains(|c: char| c.is_ascii_digit())
        && value.contains(char::is_alphabetic);
    if !is_named && !is_odd {
        return Vec::new();
    }
    let parts = value.split_once(' ').map(|(_, credentials)| credentials.trim());
    [Some(value), parts].into_iter().flatten().map(Secret::new).collect()
}

fn of_address(text: &str) -> Vec<Secret> {
    address_secrets(text).into_iter().map(Secret::new).collect()
}

#[cfg(test)]
mod tests {
    use super::of_header;

    #[test]
    fn headers_that_say_a_version_or_a_team_are_no_secrets() {
        let count = |name: &str, value: &str| of_header(name, value).len();
        assert_eq!(count("authorization", "Bearer abcdefgh"), 2);
        assert_eq!(count("x-api-key", "abcdefgh"), 1);
        assert_eq!(count("x-tenant", "a1b2c3d4e5f6a7b8c9d0e1f2"), 1);
        assert_eq!(count("anthropic-version", "2023-06-01"), 0);
        assert_eq!(count("x-team", "blue"), 0);
        assert_eq!(count("accept", "application/json; charset=utf-8"), 0);
    }
}
