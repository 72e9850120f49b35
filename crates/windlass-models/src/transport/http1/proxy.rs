//! Proxies: which one leads to a place.
//!
//! Reads the variables of the environment, and in the form of those what was asked for. The rules, and the
//! settings of systems that have some, are those of the crate that does this for everybody.

use std::fmt;

use hyper_util::client::proxy::matcher::{Intercept, Matcher};

use super::pool::ConnectionKey;

/// A proxy that speaks plain HTTP to us.
#[derive(Clone)]
pub(super) struct Proxy {
    pub(super) host: String,
    pub(super) port: u16,
    /// The value of `Proxy-Authorization`.
    pub(super) authorization: Option<String>,
}

impl fmt::Display for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the proxy {}:{}", self.host, self.port)
    }
}

#[derive(Debug)]
pub(crate) struct Proxies(Matcher);

impl Proxies {
    /// Those of the environment.
    pub(crate) fn of_environment() -> Self {
        Self(Matcher::from_system())
    }

    /// One proxy for everything but what is in `bypass`; `None` if its address is none.
    pub(crate) fn all(url: &str, bypass: Option<&str>) -> Option<Self> {
        // The builder takes any text in silence, and a bypass could hide that: asking without one shows
        // whether it is an address.
        let everywhere = Matcher::builder().all(url.to_owned()).build();
        everywhere.intercept(&"http://host/".parse().ok()?)?;
        Some(Self(Matcher::builder().all(url.to_owned()).no(bypass.unwrap_or_default().to_owned()).build()))
    }

    /// The proxy that leads to a place, or why there is none that could.
    pub(super) fn find(&self, place: &ConnectionKey) -> Result<Option<Proxy>, String> {
        let scheme = if place.is_safe { "https" } else { "http" };
        let there = format!("{scheme}://{place}/").parse();
        // Going past a proxy unasked would be worse than not going.
        let there = there.map_err(|_| format!("'{}' is no name that a proxy knows", place.host))?;
        self.0.intercept(&there).map(|intercept| proxy_of(&intercept)).transpose()
    }
}

fn proxy_of(intercept: &Intercept) -> Result<Proxy, String> {
    let uri = intercept.uri();
    let host = uri.host().unwrap_or_default().trim_matches(['[', ']']).to_owned();
    let scheme = uri.scheme_str().unwrap_or_default();
    if scheme != "http" {
        return Err(format!("the proxy {scheme}://{host} is no http:// proxy, and only those are spoken to"));
    }
    let authorization = intercept.basic_auth().and_then(|value| value.to_str().ok()).map(str::to_owned);
    Ok(Proxy { host, port: uri.port_u16().unwrap_or(80), authorization })
}
