//! The web app: its pages and its files, as they were built into the program.
//!
//! Owns which paths are the app's own. Knows nothing of what the app does: it is a fold over what the other
//! routes give, and there is nothing in its files that is not public.

use std::collections::HashMap;
use std::io::Write as _;
use std::sync::{LazyLock, OnceLock};

use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderMap, HeaderValue, Method, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use rust_embed::RustEmbed;
use serde_json::{Value, json};

use crate::endpoint::{Endpoint, HTML};
use crate::error::{Problem, ProblemKind, RouteResult, SuccessKind};
use crate::extract::{PathOf, encodes, wants};
use crate::openapi::text;

const TAG: &str = "app";

/// The page that all paths of the app give.
const INDEX: &str = "index.html";

/// Paths of the app's pages; `{…}` stands for one piece of a path. Links of other pages may lead there, and
/// they need no token: the app asks for it when it asks for something.
const PAGES: [&str; 14] = [
    "/",
    "/s/{id}",
    "/runs/{id}",
    "/compare",
    "/tasks",
    "/tools",
    "/tools/{name}",
    "/modules",
    "/modules/{id}",
    "/permissions",
    "/models",
    "/search",
    "/saves",
    "/saves/{id}",
];

/// Files beside the page that have no hash in their name.
const LOOSE: [&str; 2] = ["/favicon.svg", "/manifest.webmanifest"];

/// Paths that begin with these are for programs, whatever they say they accept.
const INTERFACES: [&str; 4] = ["api", "v1", "chat", "assets"];

/// Where the files are that have a hash in their name.
const HASHED: &str = "/assets/";

/// Whether a path is a page of the app.
pub(crate) fn is_page(path: &str) -> bool {
    PAGES.iter().any(|page| {
        let (mut wanted, mut found) = (page.split('/'), path.split('/'));
        loop {
            match (wanted.next(), found.next()) {
                (None, None) => return true,
                (Some(own), Some(piece)) if own == piece || (own.starts_with('{') && !piece.is_empty()) => {}
                (Some(_) | None, Some(_) | None) => return false,
            }
        }
    })
}

/// Whether an endpoint is a page or a file of the app.
pub(crate) fn is_of_app(endpoint: &Endpoint) -> bool {
    endpoint.operation.tag == TAG
}

/// Whether a path gives nothing but the app itself, which is the same for everybody.
pub(crate) fn is_public(path: &str) -> bool {
    is_page(path) || LOOSE.contains(&path) || path.starts_with(HASHED)
}

/// Whether a browser asks for a page where there is none: the app then says so. Programs, which do not ask for
/// HTML, and the paths of interfaces get a problem document.
pub(crate) fn is_unknown_page(request: &Request) -> bool {
    let first = request.uri().path().split('/').nth(1).unwrap_or_default();
    request.extensions().get::<MatchedPath>().is_none()
        && matches!(*request.method(), Method::GET | Method::HEAD)
        && wants(request.headers(), HTML)
        && !INTERFACES.contains(&first)
}

pub(crate) fn endpoints() -> Vec<Endpoint> {
    let pages = PAGES.into_iter().map(|path| {
        let endpoint = file_endpoint(Endpoint::get(path, page), "The web app").answers_as(
            SuccessKind::Ok,
            HTML,
            text(),
            "The page; its script reads the path.",
        );
        match path.split_once('{').and_then(|(_, rest)| rest.strip_suffix('}')) {
            Some(name) => endpoint.path_param(name, "What the page shows."),
            None => endpoint,
        }
    });
    let loose = LOOSE.into_iter().map(|path| {
        let kind = media_type(path);
        file_endpoint(Endpoint::get(path, loose), "A file of the web app")
            .answers_as(SuccessKind::Ok, kind, shape(kind), "The file.")
            .problems(&[ProblemKind::Missing])
    });
    let hashed =
        file_endpoint(Endpoint::get("/assets/{*file}", hashed), "A script, style or font of the app")
            .notes("Its name changes whenever its content does: it may be kept for good.")
            .path_param("file", "The file.")
            .problems(&[ProblemKind::Missing]);
    let hashed = MEDIA_TYPES.iter().fold(hashed, |endpoint, (_, kind, _)| {
        endpoint.answers_as(SuccessKind::Ok, kind, shape(kind), "The file.")
    });
    pages.chain(loose).chain([hashed]).collect()
}

/// What the API document says of a file.
fn shape(kind: &str) -> Value {
    if kind.ends_with("json") { json!({}) } else { text() }
}

fn file_endpoint(endpoint: Endpoint, summary: &'static str) -> Endpoint {
    // Browsers ask for scripts and pages with headers of their own.
    endpoint
        .about(TAG, summary)
        .lenient()
        .header_param("If-None-Match", text(), "Entity tags that the client has.")
        .answers_as(SuccessKind::Unchanged, "", Value::Null, "The client has it already.")
}

/// Endings, their media types without parameters, and whether compressing is worth it.
const MEDIA_TYPES: [(&str, &str, bool); 9] = [
    ("html", "text/html", true),
    ("js", "text/javascript", true),
    ("css", "text/css", true),
    ("json", "application/json", true),
    ("webmanifest", "application/manifest+json", true),
    ("svg", "image/svg+xml", true),
    ("woff2", "font/woff2", false),
    ("png", "image/png", false),
    ("", "application/octet-stream", false),
];

fn kind_of(path: &str) -> (&'static str, bool) {
    let ending = path.rsplit_once('.').map(|(_, ending)| ending);
    let found = MEDIA_TYPES.iter().find(|(own, ..)| Some(*own) == ending);
    found.map_or(("application/octet-stream", false), |(_, kind, is_text)| (kind, *is_text))
}

fn media_type(path: &str) -> &'static str {
    kind_of(path).0
}

#[derive(RustEmbed)]
#[folder = "dist"]
struct Dist;

/// A file as it is sent.
struct File {
    content: Bytes,
    gzip: OnceLock<Option<Bytes>>,
    tag: String,
    media_type: String,
    is_compressible: bool,
    is_hashed: bool,
}

/// All files by their path, without the first slash.
static FILES: LazyLock<HashMap<String, File>> = LazyLock::new(|| {
    Dist::iter()
        .filter_map(|path| Dist::get(&path).map(|file| (path.into_owned(), file)))
        .map(|(path, file)| {
            let (kind, is_compressible) = kind_of(&path);
            let is_hashed = format!("/{path}").starts_with(HASHED);
            let charset = if kind.starts_with("text/") { "; charset=utf-8" } else { "" };
            let content = match file.data {
                std::borrow::Cow::Borrowed(bytes) => Bytes::from_static(bytes),
                std::borrow::Cow::Owned(bytes) => bytes.into(),
            };
            let hash = file.metadata.sha256_hash();
            let tag = hash.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
            let media_type = format!("{kind}{charset}");
            (path, File { content, gzip: OnceLock::new(), tag, media_type, is_compressible, is_hashed })
        })
        .collect()
});

impl File {
    /// The file compressed, if that makes it smaller; made once.
    fn compressed(&self) -> Option<&Bytes> {
        let made = self.gzip.get_or_init(|| {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
            let written = encoder.write_all(&self.content).and_then(|()| encoder.finish());
            written.ok().filter(|bytes| bytes.len() < self.content.len()).map(Bytes::from)
        });
        made.as_ref()
    }

    fn respond(&self, asked: &HeaderMap) -> Response {
        let gzip = (self.is_compressible && encodes(asked, "gzip")).then(|| self.compressed()).flatten();
        // Other bytes are another entity.
        let tag = format!("\"{}{}\"", self.tag, if gzip.is_some() { "-gzip" } else { "" });
        let (said, body) = if is_known(asked, &tag) {
            (SuccessKind::Unchanged, Bytes::new())
        } else {
            (SuccessKind::Ok, gzip.unwrap_or(&self.content).clone())
        };
        let keeping = if self.is_hashed { "public, max-age=31536000, immutable" } else { "no-cache" };
        let mut response = (said.status(), body).into_response();
        let headers = response.headers_mut();
        // Bytes bring a type of their own, which an answer without a body must not have.
        headers.remove(header::CONTENT_TYPE);
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(keeping));
        if let Ok(tag) = HeaderValue::from_str(&tag) {
            headers.insert(header::ETAG, tag);
        }
        if self.is_compressible {
            headers.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
        }
        if said == SuccessKind::Unchanged {
            return response;
        }
        if let Ok(kind) = HeaderValue::from_str(&self.media_type) {
            headers.insert(header::CONTENT_TYPE, kind);
        }
        if gzip.is_some() {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        response
    }
}

/// Whether the client has this entity.
fn is_known(asked: &HeaderMap, tag: &str) -> bool {
    let sent = asked.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    sent.flat_map(|value| value.split(',')).map(str::trim).any(|own| {
        // Whether a tag is weak does not matter for what is only read.
        own == "*" || own.strip_prefix("W/").unwrap_or(own) == tag
    })
}

async fn page(asked: HeaderMap) -> RouteResult<Response> {
    find(INDEX, &asked)
}

/// The app, for an address that it has no page for. Always whole: nothing is known of such an address.
pub(crate) fn unknown_page(asked: &HeaderMap) -> RouteResult<Response> {
    let mut asked = asked.clone();
    asked.remove(header::IF_NONE_MATCH);
    let mut response = find(INDEX, &asked)?;
    *response.status_mut() = ProblemKind::Missing.status();
    Ok(response)
}

async fn loose(uri: axum::http::Uri, asked: HeaderMap) -> RouteResult<Response> {
    find(uri.path().trim_start_matches('/'), &asked)
}

async fn hashed(PathOf(file): PathOf<String>, asked: HeaderMap) -> RouteResult<Response> {
    find(&format!("assets/{file}"), &asked)
}

fn find(path: &str, asked: &HeaderMap) -> RouteResult<Response> {
    match FILES.get(path) {
        Some(file) => Ok(file.respond(asked)),
        None => {
            let shown: String = path.chars().take(80).collect();
            let detail =
                format!("the app has no file '{shown}'; reload the page, there may be another version");
            Err(Problem::new(ProblemKind::Missing, "asset_not_found", detail))
        }
    }
}

#[cfg(test)]
#[path = "app_tests.rs"]
mod tests;
