//! Proxies: which one leads to a place.
//!
//! Reads the variables of the environment, and in the form of those what was asked for. The rules, and the
//! settings of systems that have some, are those of the crate that does this for everybody.

use std::fmt;

#[cfg(feature = "proxy")]
pub(crate) use self::known::Proxies;
#[cfg(not(feature = "proxy"))]
pub(crate) use self::unknown::Proxies;

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

#[cfg(feature = "proxy")]
mod known {
    use hyper_util::client::proxy::matcher::{Intercept, Matcher};

    use super::super::pool::ConnectionKey;
    use super::Proxy;

    #[derive(Debug)]
    pub(crate) struct Proxies(Matcher);

    impl Proxies {
        /// Those of the environment.
        #[expect(clippy::unnecessary_wraps, reason = "a program may be built without proxies")]
        pub(crate) fn of_environment() -> Option<Self> {
            Some(Self(Matcher::from_system()))
        }

        /// One proxy for everything but what is in `bypass`; otherwise what is wrong with it.
        pub(crate) fn all(url: &str, bypass: Option<&str>) -> Result<Self, &'static str> {
            const UNUSABLE: &str = "has no usable address";
            // The builder takes any text in silence, and a bypass could hide that: asking without one shows
            // whether it is an address.
            let everywhere = Matcher::builder().all(url.to_owned()).build();
            let anywhere = "http://host/".parse().map_err(|_| UNUSABLE)?;
            everywhere.intercept(&anywhere).ok_or(UNUSABLE)?;
            Ok(Self(Matcher::builder().all(url.to_owned()).no(bypass.unwrap_or_default().to_owned()).build()))
        }

        /// The proxy that leads to a place, or why there is none that could.
        pub(in super::super) fn find(&self, place: &ConnectionKey) -> Result<Option<Proxy>, String> {
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
            return Err(format!(
                "the proxy {scheme}://{host} is no http:// proxy, and only those are spoken to"
            ));
        }
        let authorization = intercept.basic_auth().and_then(|value| value.to_str().ok()).map(str::to_owned);
        Ok(Proxy { host, port: uri.port_u16().unwrap_or(80), authorization })
    }
}

/// A program that was built without proxies goes straight to every place, and says so if one is asked for.
#[cfg(not(feature = "proxy"))]
mod unknown {
    use super::super::pool::ConnectionKey;
    use super::Proxy;

    #[derive(Debug)]
    pub(crate) enum Proxies {}

    impl Proxies {
        pub(crate) fn of_environment() -> Option<Self> {
            None
        }

        pub(crate) fn all(_url: &str, _bypass: Option<&str>) -> Result<Self, &'static str> {
            Err("cannot be used: this program was built without the feature `proxy`")
        }

        pub(in super::super) fn find(&self, _place: &ConnectionKey) -> Result<Option<Proxy>, String> {
            match *self {}
        }
    }
}
