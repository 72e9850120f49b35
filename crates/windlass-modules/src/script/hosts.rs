//! Which hosts scripts may fetch from. Only what is written plainly is believed: an address that two readers could
//! read differently is refused.

/// What scripts may do that needs more than a tool's permission.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ScriptGrants {
    /// Hosts that `http_get` may fetch from: `api.example.com`, `*.example.com` (its subdomains), or `*`. None at
    /// first.
    pub http_hosts: Vec<String>,
}

impl ScriptGrants {
    /// Whether a host is among them.
    pub(crate) fn allows(&self, host: &str) -> bool {
        self.http_hosts.iter().any(|granted| match granted.trim().to_ascii_lowercase().as_str() {
            "*" => true,
            granted => match granted.strip_prefix("*.") {
                Some(domain) => {
                    host.strip_suffix(domain).is_some_and(|sub| sub.len() > 1 && sub.ends_with('.'))
                }
                None => host == granted,
            },
        })
    }
}

/// The host of an address, in small letters; none where the address is no plain one.
pub(crate) fn host_of(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
        return None;
    }
    if !url.chars().all(|c| c.is_ascii_graphic() && c != '\\') {
        return None;
    }
    let authority = rest.split(['/', '?', '#']).next()?;
    let (host, port) = authority.split_once(':').unwrap_or((authority, "80"));
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '-';
    let is_port = !port.is_empty() && port.chars().all(|c| c.is_ascii_digit());
    (!host.is_empty() && host.chars().all(is_plain) && is_port).then(|| host.to_ascii_lowercase())
}

#[cfg(test)]
#[path = "hosts_tests.rs"]
mod tests;
