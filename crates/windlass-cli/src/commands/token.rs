//! `windlass token`: the token of this user's servers, or a link that signs a browser in.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::{SystemTime, UNIX_EPOCH};

use uuid::Uuid;
use windlass_core::protocol::ids::Millis;
use windlass_core::text::redact::SecretRegistry;
use windlass_core::text::secret::Secret;

use crate::args::{GlobalArgs, TokenArgs};
use crate::commands::serve::find_address;
use crate::complaint::{CommandError, Result};
use crate::config::token;
use crate::config::{CliConfig, Flags, ProcessEnvironment};
use crate::exit::Exit;
use crate::terminal::out::print_line;

pub(crate) fn run(global: &GlobalArgs, args: &TokenArgs) -> Result<Exit> {
    let flags = Flags { global: global.clone(), ..Flags::default() };
    let config = CliConfig::resolve(&ProcessEnvironment::of_process(true)?, &flags)?;
    let Some(token) = token::of_server(&config)? else {
        return Err(CommandError::usage("servers of this configuration want no token")
            .at(config.place("server.no_token")));
    };
    if args.link {
        let address = find_address(&config, args.addr.as_deref())?;
        print_line(&sign_in_link(&url_of(address, is_tls(&config)), &token, &config.secrets))?;
    } else {
        print_line(token.expose())?;
    }
    Ok(Exit::Done)
}

/// Whether servers of this configuration speak TLS.
pub(crate) fn is_tls(config: &CliConfig) -> bool {
    config.settings.text("server.tls_cert").is_some()
}

/// The URL for this machine: a wildcard address such as 0.0.0.0 becomes the loopback one.
pub(crate) fn url_of(bound: SocketAddr, is_tls: bool) -> String {
    let ip = match bound.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    let scheme = if is_tls { "https" } else { "http" };
    format!("{scheme}://{}/", SocketAddr::new(ip, bound.port()))
}

/// A link that signs a browser in. The code goes behind `#`, which browsers keep to themselves; the app takes it out of
/// the address at once.
pub(crate) fn sign_in_link(url: &str, token: &Secret, secrets: &SecretRegistry) -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now_ms = Millis::try_from(since.as_millis()).unwrap_or(Millis::MAX);
    let nonce = Uuid::new_v4().simple().to_string();
    let code = windlass_server::sign_in_code(token, &nonce, now_ms);
    secrets.add(Secret::new(code.as_str()));
    format!("{url}#sign-in={code}")
}

#[cfg(test)]
#[path = "token_tests.rs"]
mod tests;
