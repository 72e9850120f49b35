//! Passwords in addresses: `https://name:password@host`. Where one stands is found in any text, so that lists, lines and
//! messages that hold an address are read as well. Knows no other part of an address.

use std::borrow::Cow;
use std::ops::Range;

/// What stands instead of a password.
const STARS: &str = "***";

/// What ends the part of an address that can have a name and a password in it.
const ENDS: [char; 10] = ['/', '?', '#', ' ', '\n', '\t', '"', '\'', '<', '>'];

/// The secrets in the addresses of a text: the password, or all that stands before the `@` where there is no colon, for then it
/// is a token.
pub fn address_secrets(text: &str) -> Vec<&str> {
    places(text).into_iter().filter_map(|place| text.get(place)).collect()
}

/// The text without those secrets; borrowed when there were none.
pub fn hide_address_secrets(text: &str) -> Cow<'_, str> {
    let found = places(text);
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    let (mut hidden, mut kept) = (String::with_capacity(text.len()), 0);
    for place in found {
        hidden.push_str(text.get(kept..place.start).unwrap_or_default());
        hidden.push_str(STARS);
        kept = place.end;
    }
    hidden.push_str(text.get(kept..).unwrap_or_default());
    Cow::Owned(hidden)
}

fn places(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find("://")) {
        let start = from + at + "://".len();
        let rest = text.get(start..).unwrap_or_default();
        let authority = rest.split(ENDS).next().unwrap_or_default();
        if let Some(info) = authority.rsplit_once('@').map(|(info, _)| info) {
            let place = match info.split_once(':') {
                Some((name, password)) => {
                    start + info.len() - password.len()..start + name.len() + 1 + password.len()
                }
                None => start..start + info.len(),
            };
            if !place.is_empty() {
                found.push(place);
            }
        }
        from = start + authority.len();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{address_secrets, hide_address_secrets};

    #[test]
    fn passwords_and_tokens_of_addresses_are_found_and_nothing_else_is() {
        for (text, hidden) in [
            ("http://u:p%40ss@host:8080/x?a=b@c", "http://u:***@host:8080/x?a=b@c"),
            ("https://ghx-token@github.com/a/b.git", "https://***@github.com/a/b.git"),
            ("a redis://:secret@h/0, postgres://u:pw@h", "a redis://:***@h/0, postgres://u:***@h"),
            ("http://u:p@ss@host", "http://u:***@host"),
            ("https://example.com/@name", "https://example.com/@name"),
            ("git@github.com:a/b", "git@github.com:a/b"),
            ("http://u:@host and ://@", "http://u:@host and ://@"),
        ] {
            assert_eq!(hide_address_secrets(text), hidden);
        }
        assert_eq!(address_secrets("x://a:b1@h y://c2@h"), ["b1", "c2"]);
        assert!(address_secrets("http://127.0.0.1:4117/").is_empty());
    }
}
