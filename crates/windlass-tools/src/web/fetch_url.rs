//! `fetch_url`: the readable text of a page of the web.
//!
//! Owns the way of a fetch: each address on it is judged by `net_guard` before anything is sent, redirects
//! are followed by hand, and size is bounded while the body comes in. Knows no other tool; what a page
//! says is untrusted.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use windlass_core::permission::{Inspection, Preview, Target};
use windlass_core::ports::{SecretsPort, ToolContext};
use windlass_core::protocol::tool::{
    Category, Effects, Link, ReachLog, Risk, Scope, ToolFailure, ToolOutput, ToolSpec, Visibility,
};
use windlass_core::text::markdown::{code_block, code_span, readable};

use crate::summary::cut;
use crate::typed::{TypedTool, count, text_arg};
use crate::web::html_text::{PageText, readable_text};
use crate::web::http::{HttpBody, HttpClient, HttpReply, Url};
use crate::web::lent_headers::{LentHeaders, WantedHeaders, has_mark};
use crate::web::net_guard::{AddressLookup, AllowedHost, ClientChoice, GuardFailure, NetGuard, SystemLookup};
use crate::web::page_text::{BodyKind, body_kind, decode, media_type};

/// Most bytes of a body that are read, unpacked.
const BODY_BYTES_MAX: usize = 2 << 20;
/// Most redirects that are followed.
const REDIRECTS_MAX: usize = 5;
/// Most bytes of text made of a page.
const TEXT_BYTES_MAX: usize = 1 << 20;
/// Characters that are given when nothing is said.
const CHARS_DEFAULT: usize = 12_000;
/// Fewest and most characters that can be asked for.
const CHARS_MIN: usize = 500;
const CHARS_MAX: usize = 50_000;
/// What is asked for, in this order.
const ACCEPT: &str = "text/html,application/xhtml+xml,text/plain;q=0.9,application/json;q=0.9,*/*;q=0.5";

/// What may be fetched besides the public web, and how.
#[derive(Debug, Clone)]
pub struct FetchConfig {
    /// Hosts that may be fetched from although they are not public.
    pub allow_hosts: Vec<AllowedHost>,
    /// Stop at a redirect to another host and name it, instead of following it: the permission that was
    /// given for the first host is then never used for a second.
    pub stay_on_host: bool,
    /// Who finds the addresses of names; the operating system otherwise.
    pub lookup: Option<Arc<dyn AddressLookup>>,
}

impl FetchConfig {
    /// What judges addresses by it.
    pub(crate) fn guard(&self) -> Arc<NetGuard> {
        let lookup = self.lookup.clone().unwrap_or_else(|| Arc::new(SystemLookup));
        Arc::new(NetGuard::new(self.allow_hosts.clone(), lookup))
    }
}

impl Default for FetchConfig {
    fn default() -> Self {
        Self { allow_hosts: Vec::new(), stay_on_host: true, lookup: None }
    }
}

#[derive(Debug)]
pub(crate) struct FetchUrl {
    guard: Arc<NetGuard>,
    stay_on_host: bool,
    guarded: HttpClient,
    allowed: HttpClient,
    secrets: Option<Arc<dyn SecretsPort>>,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct FetchUrlArgs {
    /// Absolute http or https URL
    url: String,
    /// Most characters of text to give
    #[serde(default = "count::<CHARS_DEFAULT>")]
    #[schemars(range(min = CHARS_MIN, max = CHARS_MAX))]
    chars_max: usize,
    /// Headers to send besides. '{{secret:NAME}}' in a value stands for a secret that the user has bound to the host.
    headers: Option<BTreeMap<String, String>>,
}

impl FetchUrl {
    pub(crate) fn new(config: FetchConfig, secrets: Option<Arc<dyn SecretsPort>>) -> Self {
        let guard = config.guard();
        Self {
            stay_on_host: config.stay_on_host,
            guarded: HttpClient::guarded(Arc::clone(&guard)),
            allowed: HttpClient::allowed(Arc::clone(&guard)),
            guard,
            secrets,
        }
    }
}

impl TypedTool for FetchUrl {
    const NAME: &'static str = "fetch_url";
    const ABOUT: &'static str =
        "Fetch a web page and give its readable text; also plain text and JSON. Public addresses only.";
    type Args = FetchUrlArgs;

    fn declare(&self, spec: ToolSpec) -> ToolSpec {
        let spec = spec
            .with_effects(Effects::External, Risk::Medium)
            .with_scopes([Scope::NetworkAccess])
            .with_place(Category::Search, Visibility::Primary)
            .with_alias("read_url")
            .with_alias("web_fetch")
            .with_alias("summarize_url")
            .with_arg_alias("max_chars", "chars_max");
        let examples = vec![json!({"url": "https://www.rust-lang.org/"})];
        ToolSpec { idempotent: true, inspected: true, untrusted_output: true, examples, ..spec }
    }

    async fn inspect(&self, args: FetchUrlArgs, _context: &ToolContext) -> Result<Inspection, ToolFailure> {
        let url = self.guard.parse(&args.url)?;
        self.guard.judge(&url)?;
        let headers = wanted_headers(args)?;
        let host = host_and_port(&url);
        let secrets = headers.secrets();
        let caution = format!("This sends your secret {} to {host}.", secrets.join(" and "));
        Ok(Inspection {
            targets: vec![Target::Host(host)],
            preview: Some(Preview::Text(format!("GET {url}{}", headers.lines()))),
            caution: (!secrets.is_empty()).then_some(caution),
            ..Inspection::default()
        })
    }

    async fn run(&self, args: FetchUrlArgs, context: &ToolContext) -> Result<ToolOutput, ToolFailure> {
        let (url, chars_max) = (args.url.clone(), args.chars_max);
        let headers = wanted_headers(args)?;
        let (arrival, lent) = self.follow(&url, &headers, &context.reached).await?;
        let mut output = match arrival {
            Arrival::Page { url, reply, redirects } => {
                let mut page = read_page(&url, reply).await?;
                // Before it is cut: half a secret would not be found.
                page.content.text = lent.values.clean(&page.content.text).into_owned();
                page_output(&url, &page, &redirects, chars_max)
            }
            Arrival::OtherHost { from, to } => other_host_output(&from, &to),
        };
        lent.strike(&mut output);
        Ok(output)
    }

    fn display(&self, args: &Map<String, Value>, value: &Value) -> Option<String> {
        Some(format!("{}:\n\n{}", code_span(text_arg(args, "url")), code_block("", &readable(value))))
    }
}

/// Where a fetch ended up.
#[derive(Debug)]
enum Arrival {
    Page { url: Url, reply: HttpReply, redirects: Vec<String> },
    OtherHost { from: Url, to: Url },
}

impl FetchUrl {
    /// Goes where the address leads; every step of the way is judged like the first.
    ///
    /// Headers of the call, and with them secrets, go to the server that the call names and to no other.
    async fn follow(
        &self,
        text: &str,
        headers: &WantedHeaders,
        reached: &ReachLog,
    ) -> Result<(Arrival, LentHeaders), ToolFailure> {
        let mut url = self.guard.parse(text)?;
        let mut way = self.guard.judge(&url)?;
        let mut redirects: Vec<String> = Vec::new();
        let first = origin(&url);
        let is_safe = url.scheme() == "https" || way == ClientChoice::Allowed;
        let lent = headers.lend(self.secrets.as_ref(), &host_and_port(&url), is_safe).await?;
        loop {
            let client = match way {
                ClientChoice::Guarded => &self.guarded,
                ClientChoice::Allowed => &self.allowed,
            };
            let server = host_and_port(&url);
            let own = if origin(&url) == first { lent.headers.as_slice() } else { &[] };
            let reply = client.get_with(&url, ACCEPT, own, reached).await;
            let reply = reply.map_err(|failure| failure.of(&server))?;
            let Some(next) = next_address(&url, &reply)? else {
                return Ok((Arrival::Page { url, reply, redirects }, lent));
            };
            if redirects.len() == REDIRECTS_MAX {
                return Err(ToolFailure::io_error(format!(
                    "{server} redirects more than {REDIRECTS_MAX} times; last to {}",
                    cut(next.as_str(), 200)
                )));
            }
            if lent.values.hidden_chars(next.as_str()) > 0 {
                return Err(ToolFailure::io_error(format!(
                    "{server} redirects to an address with the secret in it"
                )));
            }
            // Before the host is compared: an address that is not fetched is not offered to the model either.
            way = self.guard.judge(&next).map_err(|failure| redirected(&server, failure))?;
            if self.stay_on_host && host_and_port(&next) != server {
                return Ok((Arrival::OtherHost { from: url, to: next }, lent));
            }
            redirects.push(next.to_string());
            url = next;
        }
    }
}

fn wanted_headers(args: FetchUrlArgs) -> Result<WantedHeaders, ToolFailure> {
    if has_mark(&args.url) {
        let message = "a secret is sent in a header, never in an address: addresses are kept in logs";
        return Err(ToolFailure::invalid_args(message).at(
            "url",
            "an address without a secret",
            "{{secret:…}}",
        ));
    }
    WantedHeaders::read(args.headers)
}

/// Scheme, host and port: what else is the same server.
fn origin(url: &Url) -> (String, String, Option<u16>) {
    (url.scheme().to_owned(), host_and_port(url), url.port_or_known_default())
}

fn redirected(server: &str, failure: GuardFailure) -> ToolFailure {
    let mut failure = ToolFailure::from(failure);
    failure.message = format!("{server} redirects to an address that is not fetched: {}", failure.message);
    failure
}

/// Where the answer sends us, if it does.
fn next_address(url: &Url, reply: &HttpReply) -> Result<Option<Url>, ToolFailure> {
    if !matches!(reply.status(), 301 | 302 | 303 | 307 | 308) {
        return Ok(None);
    }
    let server = host_and_port(url);
    let Some(location) = reply.location() else {
        return Err(ToolFailure::io_error(format!("{server} redirects without saying where")));
    };
    let next = url.join(location).map_err(|_| {
        ToolFailure::io_error(format!("{server} redirects to '{}', which is not a URL", cut(location, 200)))
    })?;
    Ok(Some(next))
}

/// `example.com`, or `example.com:8080` where the port is not the usual one.
fn host_and_port(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default().trim_end_matches('.').to_ascii_lowercase();
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host,
    }
}

/// A page that was read.
#[derive(Debug)]
struct FetchedPage {
    content_type: String,
    content: PageText,
}

async fn read_page(url: &Url, reply: HttpReply) -> Result<FetchedPage, ToolFailure> {
    let server = host_and_port(url);
    match reply.status() {
        200..=299 => {}
        status @ (404 | 410) => {
            return Err(ToolFailure::not_found(format!("{server} has no such page (status {status})"))
                .hint("Check the address, or search for the page."));
        }
        status => {
            return Err(ToolFailure::io_error(format!("{server} answered with status {status}"))
                .hint("Try another source."));
        }
    }
    let content_type = reply.content_type().map(str::to_owned);
    let unreadable = |media_type: &str| {
        ToolFailure::invalid_args(format!("{server} gives {media_type}, which cannot be read as text"))
            .at("url", "a page of HTML, plain text or JSON", media_type)
            .hint("Fetch a page of HTML, plain text or JSON.")
    };
    // Told by the head already: a video need not be read to be refused.
    if let Some(told) = &content_type
        && body_kind(Some(told), &[]) == BodyKind::Unreadable
    {
        return Err(unreadable(&cut(&media_type(told), 80)));
    }
    let body = reply.body(BODY_BYTES_MAX).await.map_err(|failure| failure.of(&server))?;
    let kind = body_kind(content_type.as_deref(), &body.bytes);
    if kind == BodyKind::Unreadable {
        return Err(unreadable("binary data"));
    }
    let content = read_content(kind, body, content_type.clone(), url.clone()).await?;
    Ok(FetchedPage { content_type: content_type.as_deref().map(media_type).unwrap_or_default(), content })
}

/// Decoding and parsing megabytes takes longer than others should wait: not on their thread.
async fn read_content(
    kind: BodyKind,
    body: HttpBody,
    content_type: Option<String>,
    url: Url,
) -> Result<PageText, ToolFailure> {
    let read = tokio::task::spawn_blocking(move || {
        let text = decode(&body.bytes, content_type.as_deref());
        let mut page = match kind {
            BodyKind::Html => readable_text(&text, &url, TEXT_BYTES_MAX),
            BodyKind::Text | BodyKind::Unreadable => PageText { title: String::new(), text, is_cut: false },
        };
        page.is_cut |= body.is_cut;
        page
    });
    read.await.map_err(|error| {
        ToolFailure::internal("The page could not be made readable").detail(error.to_string())
    })
}

fn page_output(url: &Url, page: &FetchedPage, redirects: &[String], chars_max: usize) -> ToolOutput {
    let total_chars = page.content.text.chars().count();
    let text = cut_at_sentence(&page.content.text, chars_max);
    let is_truncated = page.content.is_cut || text.len() < page.content.text.len();
    let title = cut(&page.content.title, 300);
    let mut shown = String::new();
    if !title.is_empty() {
        shown.push_str(&format!("{title}\n"));
    }
    shown.push_str(&format!("{url}\n\n"));
    match text.is_empty() {
        true => shown.push_str("The page has no readable text; it may be made by scripts."),
        false => shown.push_str(text),
    }
    if is_truncated {
        let given = text.chars().count();
        shown.push_str(&format!("\n\n[cut: {given} of at least {total_chars} characters]"));
    }
    let json = json!({
        "url": url.as_str(),
        "title": title,
        "content_type": page.content_type,
        "text": text,
        "total_chars": total_chars,
        "is_truncated": is_truncated,
        "redirects": redirects,
    });
    let mut output = ToolOutput::json(json).with_text(shown);
    output.is_truncated = is_truncated;
    let title = if title.is_empty() { url.to_string() } else { title };
    output.links = vec![Link { title, url: url.to_string(), snippet: cut(text, 200) }];
    output
}

fn other_host_output(from: &Url, to: &Url) -> ToolOutput {
    let text =
        format!("{from} redirects to another host: {to}\nCall fetch_url with that address to go there.");
    ToolOutput::json(json!({"url": from.as_str(), "redirects_to": to.as_str()})).with_text(text)
}

/// The beginning of a text, ended after a sentence where one ends in its last fifth.
fn cut_at_sentence(text: &str, chars_max: usize) -> &str {
    let Some((end, _)) = text.char_indices().nth(chars_max) else { return text };
    let kept = text.get(..end).unwrap_or(text);
    let ends = [". ", "! ", "? ", ".\n", "!\n", "?\n", "\n\n", "。"];
    let last = ends.iter().filter_map(|mark| Some(kept.rfind(mark)? + mark.trim_end().len())).max();
    let last = last.filter(|last| *last >= kept.len() / 5 * 4);
    kept.get(..last.unwrap_or(kept.len())).unwrap_or(kept)
}

#[cfg(test)]
#[path = "fetch_url_tests.rs"]
mod tests;
