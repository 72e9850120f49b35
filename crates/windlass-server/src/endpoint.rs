//! An endpoint: a route together with its words in the API document, so that neither is without the other.
//!
//! Knows how routes are put together and what every one of them refuses; knows nothing of what they do.

use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::Method;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, MethodRouter, on};
use schemars::JsonSchema;
use serde_json::Value;

use crate::answer::{AnsweringRoute, RouteAnswer, RouteForm};
use crate::error::{Problem, ProblemKind, SuccessKind};
use crate::extract::accepts;
use crate::openapi::SchemaSource;
use crate::state::ServerApp;

pub(crate) const JSON: &str = "application/json";
pub(crate) const EVENT_STREAM: &str = "text/event-stream";
pub(crate) const HTML: &str = "text/html";

/// A route and what the API document says of it.
pub(crate) struct Endpoint {
    pub(crate) method: Method,
    /// Its path, with `{name}` for what varies.
    pub(crate) path: &'static str,
    /// What the document says.
    pub(crate) operation: Operation,
    router: MethodRouter<ServerApp>,
}

/// What the API document says of a route.
#[derive(Default)]
pub(crate) struct Operation {
    pub(crate) summary: &'static str,
    pub(crate) notes: &'static str,
    /// Which group it belongs to.
    pub(crate) tag: &'static str,
    /// What may stand in the path, the query and the headers.
    pub(crate) params: Vec<ParamDoc>,
    /// The schema of its body, and whether there must be one.
    pub(crate) body: Option<(SchemaSource, bool)>,
    /// The forms of its answer, and what each means.
    pub(crate) answers: Vec<(RouteForm, &'static str)>,
    /// What else can go wrong, beside what can go wrong anywhere.
    pub(crate) problems: Vec<ProblemKind>,
    /// Whether the handler may wait for a whole run.
    pub(crate) waits: bool,
    /// Whether clients may ask for any media type.
    pub(crate) is_lenient: bool,
    /// The schema of its errors, where they are no problem documents.
    pub(crate) error_schema: Option<SchemaSource>,
    /// Whether its own errors are told as event streams.
    pub(crate) has_error_stream: bool,
}

/// Where a parameter stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ParamPlace {
    Path,
    Query,
    Header,
}

pub(crate) struct ParamDoc {
    pub(crate) name: &'static str,
    pub(crate) place: ParamPlace,
    pub(crate) schema: Value,
    pub(crate) meaning: &'static str,
    /// Whether it must be there.
    pub(crate) is_required: bool,
}

impl Endpoint {
    /// A route that is asked with GET.
    pub(crate) fn get<H: AnsweringRoute<T>, T: 'static>(path: &'static str, handler: H) -> Self {
        Self::new(Method::GET, MethodFilter::GET, path, handler)
    }

    /// A route that is asked with POST.
    pub(crate) fn post<H: AnsweringRoute<T>, T: 'static>(path: &'static str, handler: H) -> Self {
        Self::new(Method::POST, MethodFilter::POST, path, handler)
    }

    /// A route that is asked with PATCH.
    pub(crate) fn patch<H: AnsweringRoute<T>, T: 'static>(path: &'static str, handler: H) -> Self {
        Self::new(Method::PATCH, MethodFilter::PATCH, path, handler)
    }

    /// A route that is asked with DELETE.
    pub(crate) fn delete<H: AnsweringRoute<T>, T: 'static>(path: &'static str, handler: H) -> Self {
        Self::new(Method::DELETE, MethodFilter::DELETE, path, handler)
    }

    fn new<H: AnsweringRoute<T>, T: 'static>(
        method: Method,
        filter: MethodFilter,
        path: &'static str,
        handler: H,
    ) -> Self {
        let answers = H::Answer::forms().into_iter().map(|form| (form, "")).collect();
        let operation = Operation { answers, ..Operation::default() };
        Self { method, path, operation, router: on(filter, handler) }
    }

    /// One line about it, and its group.
    pub(crate) fn about(mut self, tag: &'static str, summary: &'static str) -> Self {
        self.operation.tag = tag;
        self.operation.summary = summary;
        self
    }

    pub(crate) fn notes(mut self, notes: &'static str) -> Self {
        self.operation.notes = notes;
        self
    }

    /// A parameter in the path; the schema is text.
    pub(crate) fn path_param(self, name: &'static str, meaning: &'static str) -> Self {
        self.param(ParamPlace::Path, name, crate::openapi::text(), meaning)
    }

    /// A parameter in the path that is more than text.
    pub(crate) fn path_param_of(self, name: &'static str, schema: Value, meaning: &'static str) -> Self {
        self.param(ParamPlace::Path, name, schema, meaning)
    }

    /// A parameter in the query; never needed.
    pub(crate) fn query_param(self, name: &'static str, schema: Value, meaning: &'static str) -> Self {
        self.param(ParamPlace::Query, name, schema, meaning)
    }

    /// A header; never needed.
    pub(crate) fn header_param(self, name: &'static str, schema: Value, meaning: &'static str) -> Self {
        self.param(ParamPlace::Header, name, schema, meaning)
    }

    /// A header that must be there.
    pub(crate) fn needed_header_param(
        mut self,
        name: &'static str,
        schema: Value,
        meaning: &'static str,
    ) -> Self {
        self.operation.params.push(ParamDoc {
            name,
            place: ParamPlace::Header,
            schema,
            meaning,
            is_required: true,
        });
        self
    }

    fn param(mut self, place: ParamPlace, name: &'static str, schema: Value, meaning: &'static str) -> Self {
        let is_required = place == ParamPlace::Path;
        self.operation.params.push(ParamDoc { name, place, schema, meaning, is_required });
        self
    }

    /// A parameter in the query that must be there.
    pub(crate) fn needed_query_param(
        mut self,
        name: &'static str,
        schema: Value,
        meaning: &'static str,
    ) -> Self {
        self.operation.params.push(ParamDoc {
            name,
            place: ParamPlace::Query,
            schema,
            meaning,
            is_required: true,
        });
        self
    }

    /// A JSON body that must be there; its schema is that of the type that reads it.
    pub(crate) fn body<T: JsonSchema>(mut self) -> Self {
        self.operation.body = Some((SchemaSource::of::<T>(), true));
        self
    }

    /// A JSON body that may be there.
    pub(crate) fn optional_body<T: JsonSchema>(mut self) -> Self {
        self.operation.body = Some((SchemaSource::of::<T>(), false));
        self
    }

    /// A JSON body that must be there and is read without a type; the name is for the document.
    pub(crate) fn body_as(mut self, name: &'static str, schema: Value) -> Self {
        self.operation.body = Some((SchemaSource::Named(name, schema), true));
        self
    }

    /// What the answer means; where the handler has several, each in its turn. What it looks like, the handler's type
    /// says.
    pub(crate) fn answers(mut self, meaning: &'static str) -> Self {
        let unsaid = self.operation.answers.iter_mut().find(|(_, said)| said.is_empty());
        if let Some((_, said)) = unsaid {
            *said = meaning;
        }
        self
    }

    /// An answer of a handler whose type says nothing of it.
    pub(crate) fn answers_as(
        mut self,
        said: SuccessKind,
        media_type: &'static str,
        schema: Value,
        meaning: &'static str,
    ) -> Self {
        let schema = SchemaSource::Written(schema);
        self.operation.answers.push((RouteForm { said, media_type, schema }, meaning));
        self
    }

    /// What else can go wrong, beside what can go wrong anywhere.
    pub(crate) fn problems(mut self, kinds: &[ProblemKind]) -> Self {
        self.operation.problems.extend_from_slice(kinds);
        self
    }

    /// The handler may wait for a whole run: no timeout.
    pub(crate) fn waits(mut self) -> Self {
        self.operation.waits = true;
        self
    }

    /// Clients of this route say `Accept` as they like.
    pub(crate) fn lenient(mut self) -> Self {
        self.operation.is_lenient = true;
        self
    }

    /// Errors of this route have another shape than problem documents.
    pub(crate) fn errors_as<T: JsonSchema>(mut self) -> Self {
        self.operation.error_schema = Some(SchemaSource::of::<T>());
        self
    }

    /// The route tells its own errors as event streams.
    pub(crate) fn errors_as_stream(mut self) -> Self {
        self.operation.has_error_stream = true;
        self
    }

    /// All problems that the route can answer with.
    pub(crate) fn all_problems(&self) -> Vec<ProblemKind> {
        let mut kinds = vec![
            ProblemKind::Unauthorised,
            ProblemKind::Forbidden,
            ProblemKind::TooMany,
            ProblemKind::Broken,
            ProblemKind::Unavailable,
            ProblemKind::Invalid,
        ];
        kinds.extend_from_slice(&self.operation.problems);
        if !self.operation.is_lenient {
            kinds.push(ProblemKind::NotAcceptable);
        }
        if !self.operation.waits {
            kinds.push(ProblemKind::TimedOut);
        }
        if self.operation.body.is_some() {
            kinds.extend([ProblemKind::TooLarge, ProblemKind::TooSlow, ProblemKind::MediaType]);
        }
        kinds.sort_by_key(|kind| kind.status());
        kinds.dedup();
        kinds
    }
}

pub(crate) fn assemble(app: &ServerApp, endpoints: Vec<Endpoint>) -> Router<ServerApp> {
    endpoints.into_iter().fold(Router::new(), |router, endpoint| {
        let terms = RouteTerms::of(&endpoint.operation, app.config.limits.request_timeout);
        router.route(endpoint.path, endpoint.router.layer(from_fn_with_state(terms, enforce)))
    })
}

/// What a route asks of every request.
#[derive(Clone)]
struct RouteTerms {
    media_types: Vec<&'static str>,
    timeout: Option<Duration>,
}

impl RouteTerms {
    fn of(operation: &Operation, timeout: Duration) -> Self {
        let media_types = if operation.is_lenient {
            Vec::new()
        } else {
            operation
                .answers
                .iter()
                .map(|(form, _)| form.media_type)
                .filter(|name| !name.is_empty())
                .collect()
        };
        Self { media_types, timeout: (!operation.waits).then_some(timeout) }
    }
}

async fn enforce(State(terms): State<RouteTerms>, request: Request, next: Next) -> Response {
    let is_acceptable = terms.media_types.is_empty()
        || terms.media_types.iter().any(|media_type| accepts(request.headers(), media_type));
    if !is_acceptable {
        let detail = format!("this route answers {}; ask for that in Accept", terms.media_types.join(" or "));
        return Problem::new(ProblemKind::NotAcceptable, "not_acceptable", detail).into_response();
    }
    let Some(timeout) = terms.timeout else { return next.run(request).await };
    match tokio::time::timeout(timeout, next.run(request)).await {
        Ok(response) => response,
        Err(_) => {
            let detail = format!("no answer within {} s; the work may still be running", timeout.as_secs());
            Problem::new(ProblemKind::TimedOut, "timed_out", detail).into_response()
        }
    }
}
