//! What every request passes, whatever its route: by which name and from which page it comes, whether it has
//! the token or the cookie, how often its client asks, and whether there is room. And what every answer gets: headers that
//! keep browsers strict, and a problem document instead of a panic.

use std::any::Any;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::panic::AssertUnwindSafe;

use axum::extract::{ConnectInfo, NestedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures::FutureExt;
use tokio::time::Instant;
use windlass_core::text::redact::Redactor;

use crate::body_time::in_time;
use crate::config::ServerConfig;
use crate::error::{Problem, ProblemKind, RouteResult, SuccessKind};
use crate::routes;
use crate::state::{ServerApp, now_ms};
use crate::token::EntryProof;

/// Whether a request may begin something although it is a GET, which a page of another origin or a link could have
/// made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MayBegin(pub(crate) bool);

/// Where a request was made, as far as it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AskedFrom {
    /// Programs say nothing, and neither do browsers that read over plain HTTP from another machine.
    Unsaid,
    OwnPage,
    ListedPage,
    /// The address line, a bookmark, or a link that leads to a page.
    AddressLine,
}

/// A request that is let in.
struct Admission {
    may_begin: MayBegin,
    /// Whether it asks for what everybody may have: it then takes no place of those who signed in.
    is_open: bool,
}

/// Who asks; connections put it into their requests.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClientAddress(pub(crate) SocketAddr);

/// Paths that need no token: they say nothing but that the server is there.
const OPEN_PATHS: [&str; 2] = ["/healthz", "/readyz"];

/// The page of the API document: a link on another page may lead to it, as to those of the app.
const DOCS: &str = "/docs";

/// Nothing but what the server itself sends may run or be shown on its pages.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";

/// Lets a request in, or says why not.
pub(crate) async fn guard(State(app): State<ServerApp>, mut request: Request, next: Next) -> Response {
    let origin = request.headers().get(header::ORIGIN).cloned();
    let path = request.uri().path().to_owned();
    let prefix = request.extensions().get::<NestedPath>().cloned();
    let response = match admit(&app, &request) {
        Ok(_) if is_preflight(&request) => preflight(),
        Ok(admission) => {
            request.extensions_mut().insert(admission.may_begin);
            work(&app, request.map(in_time), next, admission.is_open).await
        }
        Err(problem) => problem.into_response(),
    };
    let mut response = routes::openai::reshape(&path, response);
    app.metrics.count_answer(response.status().as_u16());
    harden(&app, origin, response.headers_mut());
    if let Some(prefix) = prefix {
        relocate(prefix.as_str(), response.headers_mut());
    }
    response
}

/// Routes do not know below which path they are nested; where something is, its reader must know.
fn relocate(prefix: &str, headers: &mut HeaderMap) {
    let place = headers.get(header::LOCATION).and_then(|place| place.to_str().ok());
    let Some(place) = place.filter(|place| place.starts_with('/')) else { return };
    if let Ok(whole) = HeaderValue::from_str(&format!("{}{place}", prefix.trim_end_matches('/'))) {
        headers.insert(header::LOCATION, whole);
    }
}

async fn work(app: &ServerApp, request: Request, next: Next, is_open: bool) -> Response {
    let place = match (!is_open).then(|| app.enter_request()).transpose() {
        Ok(place) => place,
        Err(problem) => return problem.into_response(),
    };
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let answered = AssertUnwindSafe(next.run(request)).catch_unwind().await;
    // When the head of the answer is there: a stream goes on in a place of its own among the streams.
    drop(place);
    answered.unwrap_or_else(|panic| broken(&app.redactor, &method, &path, &*panic))
}

fn broken(redactor: &Redactor, method: &Method, path: &str, panic: &(dyn Any + Send)) -> Response {
    let message = panic.downcast_ref::<&str>().copied();
    let message = message.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or_default();
    tracing::error!(%method, path, panic = %redactor.clean(message), "a route panicked");
    Problem::new(ProblemKind::Broken, "internal", "internal error; the server's log has more").into_response()
}

fn admit(app: &ServerApp, request: &Request) -> RouteResult<Admission> {
    let headers = request.headers();
    let host = check_host(request.uri(), headers, &app.config)?;
    let from = check_origin(request, host, &app.config.origins, app.config.has_web_app)?;
    if let Some(address) = client_address(request) {
        // Before the token, so that guesses at it are counted.
        app.rates.admit(address, Instant::now())?;
    }
    if app.config.is_local_only {
        check_near(host, client_address(request), &app.config.hosts)?;
    }
    let path = request.uri().path();
    let is_app = app.config.has_web_app
        && (routes::app::is_unknown_page(request) || (is_reading(request) && routes::app::is_public(path)));
    let signs_in = path == routes::sign_in::PATH && request.method() == Method::POST;
    // Browsers send no token with a preflight.
    if is_app || signs_in || OPEN_PATHS.contains(&path) || is_preflight(request) {
        return Ok(Admission { may_begin: MayBegin(false), is_open: true });
    }
    let proof = app.token.check(headers, now_ms())?;
    let may_begin = match (proof, from) {
        (EntryProof::Token, _) | (EntryProof::Cookie, AskedFrom::OwnPage) => true,
        // The browser sent the cookie by itself: that proves nothing of the page.
        (EntryProof::Cookie, AskedFrom::Unsaid | AskedFrom::AddressLine) if is_reading(request) => false,
        (EntryProof::Cookie, AskedFrom::Unsaid | AskedFrom::AddressLine) => {
            return Err(foreign("another page"));
        }
        (EntryProof::Cookie, AskedFrom::ListedPage) => {
            return Err(foreign("a page of another origin without the token"));
        }
        (EntryProof::Unneeded, from) => from != AskedFrom::AddressLine,
    };
    Ok(Admission { may_begin: MayBegin(may_begin), is_open: false })
}

/// Who asks, if the connection tells: ours do, and those of axum where the program wants it. Canonical: an IPv4
/// client of an IPv6 socket is one client.
fn client_address(request: &Request) -> Option<IpAddr> {
    let own = request.extensions().get::<ClientAddress>().map(|ClientAddress(address)| address);
    let told = || request.extensions().get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(address)| address);
    own.or_else(told).map(|address| address.ip().to_canonical())
}

/// Whether a request comes from this machine, as far as can be seen.
fn check_near(host: &str, client: Option<IpAddr>, allowed: &[String]) -> RouteResult<()> {
    let name = without_port(host);
    let address = name.trim_matches(['[', ']']).parse::<IpAddr>();
    let is_named_here = address.map_or(true, |address| address.to_canonical().is_loopback())
        || allowed.iter().any(|own| own.eq_ignore_ascii_case(host) || own.eq_ignore_ascii_case(name));
    if is_named_here && client.is_none_or(|client| client.is_loopback()) {
        return Ok(());
    }
    let detail = "only this machine may ask, for there is no token; give the router one";
    Err(Problem::new(ProblemKind::Forbidden, "client_refused", detail))
}

/// The name by which the server was reached. A page that points a name of its own at this machine (DNS
/// rebinding) has to use that name. Addresses cannot be pointed anywhere, but some reach the server by a way that it does
/// not listen on: a browser goes to `0.0.0.0` on its own machine.
fn check_host<'a>(uri: &'a Uri, headers: &'a HeaderMap, config: &ServerConfig) -> RouteResult<&'a str> {
    let named = uri.authority().map(|authority| authority.as_str());
    let mut sent = headers.get_all(header::HOST).iter();
    let header = sent.next().and_then(|value| value.to_str().ok());
    let host = named.or(header).unwrap_or_default();
    // More than one name is refused: whatever stands before the server may have looked at the other.
    let is_one = sent.next().is_none() && header.is_none_or(|header| header.eq_ignore_ascii_case(host));
    let name = without_port(host);
    let is_listed =
        config.hosts.iter().any(|own| own.eq_ignore_ascii_case(host) || own.eq_ignore_ascii_case(name));
    if is_one && (is_listed || is_own_name(name, config.address)) {
        return Ok(host);
    }
    let shown: String = name.chars().take(80).collect();
    Err(Problem::new(
        ProblemKind::Forbidden,
        "host_refused",
        format!(
            "'{shown}' is not a name of this server; use the address it listens on, or add the name to its hosts"
        ),
    ))
}

/// Whether a name is the address where the server listens, or `localhost` where that is this machine. Nothing known of
/// the address, any will do that stands for one machine and is written in its own form.
fn is_own_name(name: &str, bound: Option<IpAddr>) -> bool {
    let literal = match name.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
        Some(inside) => inside.parse::<Ipv6Addr>().ok().map(IpAddr::V6),
        None => name.parse::<Ipv4Addr>().ok().map(IpAddr::V4),
    };
    let bound = bound.filter(|bound| !bound.is_unspecified());
    match literal {
        Some(literal) => {
            let is_plain = !literal.is_unspecified() && literal.to_canonical() == literal;
            is_plain && bound.is_none_or(|bound| bound.to_canonical() == literal)
        }
        None => {
            let is_local = name.eq_ignore_ascii_case("localhost") || has_suffix(name, ".localhost");
            is_local && bound.is_none_or(|bound| bound.to_canonical().is_loopback())
        }
    }
}

/// The page from which a browser asks. Programs send neither of these headers.
fn check_origin(request: &Request, host: &str, allowed: &[String], has_app: bool) -> RouteResult<AskedFrom> {
    let headers = request.headers();
    if let Some(origin) = headers.get(header::ORIGIN) {
        let origin = origin.to_str().unwrap_or("null");
        // By either scheme: a proxy before the server may speak TLS.
        let own = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        if own.is_some_and(|own| own.eq_ignore_ascii_case(host)) {
            return Ok(AskedFrom::OwnPage);
        }
        if is_listed(origin, allowed) {
            return Ok(AskedFrom::ListedPage);
        }
        return Err(foreign(&format!("the page {}", origin.chars().take(80).collect::<String>())));
    }
    // Without an origin: pictures, scripts and links of other pages, which can ask with GET.
    let sent = |name| headers.get(HeaderName::from_static(name)).and_then(|value| value.to_str().ok());
    let path = request.uri().path();
    let leads_to_page = (has_app && routes::app::is_unknown_page(request))
        || (is_reading(request) && (path == DOCS || (has_app && routes::app::is_page(path))));
    let is_link = sent("sec-fetch-mode") == Some("navigate") && leads_to_page;
    match sent("sec-fetch-site") {
        Some("same-origin") => Ok(AskedFrom::OwnPage),
        Some("none") => Ok(AskedFrom::AddressLine),
        Some("cross-site" | "same-site") if is_link => Ok(AskedFrom::AddressLine),
        Some("cross-site" | "same-site") => Err(foreign("another page")),
        Some(_) | None => Ok(AskedFrom::Unsaid),
    }
}

fn foreign(who: &str) -> Problem {
    let detail = format!(
        "{who} may not use this server; open the server's own page, or add the origin to its allowed origins"
    );
    Problem::new(ProblemKind::Forbidden, "origin_refused", detail)
}

fn is_listed(origin: &str, allowed: &[String]) -> bool {
    allowed.iter().any(|own| own.trim_end_matches('/').eq_ignore_ascii_case(origin))
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) && !name.is_empty() => name,
        Some(_) | None => host,
    }
}

fn has_suffix(name: &str, suffix: &str) -> bool {
    name.len() > suffix.len() && name.to_ascii_lowercase().ends_with(suffix)
}

fn is_reading(request: &Request) -> bool {
    matches!(*request.method(), Method::GET | Method::HEAD)
}

/// A browser asks whether a listed page may ask.
fn is_preflight(request: &Request) -> bool {
    request.method() == Method::OPTIONS
        && request.headers().contains_key(header::ORIGIN)
        && request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

fn preflight() -> Response {
    let headers = [
        (header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, POST, PATCH, DELETE")),
        (
            header::ACCESS_CONTROL_ALLOW_HEADERS,
            HeaderValue::from_static("authorization, content-type, last-event-id"),
        ),
        (header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600")),
    ];
    (SuccessKind::Nothing.status(), headers).into_response()
}

fn harden(app: &ServerApp, origin: Option<HeaderValue>, headers: &mut HeaderMap) {
    const STRICT: [(&str, &str); 5] = [
        ("content-security-policy", POLICY),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-resource-policy", "same-origin"),
        ("x-frame-options", "DENY"),
    ];
    for (name, value) in STRICT {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    // Files of the app say themselves how long they may be kept.
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    if app.config.origins.is_empty() {
        return;
    }
    // Also where no origin is allowed below: caches must not give that answer to a page that is.
    headers.append(header::VARY, HeaderValue::from_static("Origin"));
    if let Some(origin) =
        origin.filter(|own| own.to_str().is_ok_and(|own| is_listed(own, &app.config.origins)))
    {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(
            HeaderName::from_static("cross-origin-resource-policy"),
            HeaderValue::from_static("cross-origin"),
        );
    }
}

#[cfg(test)]
#[path = "guard_tests.rs"]
mod tests;
