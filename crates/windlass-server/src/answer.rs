//! What handlers answer, as types: how an answer is marked, in which media type it comes and by which schema follow from
//! what a handler returns, so that the API document cannot say anything else.
//!
//! Knows neither what is answered nor the words in which the document tells of it.

use std::marker::PhantomData;

use axum::handler::Handler;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde_json::Value;

use crate::endpoint::{EVENT_STREAM, JSON};
use crate::error::SuccessKind;
use crate::openapi::{SchemaSource, frame};
use crate::state::ServerApp;

/// One form of an answer.
pub(crate) struct RouteForm {
    /// How it is marked.
    pub(crate) said: SuccessKind,
    /// The media type; empty for no body.
    pub(crate) media_type: &'static str,
    pub(crate) schema: SchemaSource,
}

impl RouteForm {
    fn json<T: JsonSchema>(said: SuccessKind) -> Self {
        Self { said, media_type: JSON, schema: SchemaSource::of::<T>() }
    }
}

/// An answer whose forms follow from its type.
pub(crate) trait RouteAnswer {
    fn forms() -> Vec<RouteForm>;
}

/// A handler whose answer is described by its type.
pub(crate) trait AnsweringRoute<T>: Handler<T, ServerApp> {
    type Answer: RouteAnswer;
}

macro_rules! answering {
    ($marker:ident, $($argument:ident),*) => {
        impl<F, Fut, A, $marker, $($argument),*> AnsweringRoute<($marker, $($argument,)*)> for F
        where
            F: FnOnce($($argument),*) -> Fut + Handler<($marker, $($argument,)*), ServerApp>,
            Fut: Future<Output = A>,
            A: RouteAnswer,
        {
            type Answer = A;
        }
    };
}

answering!(M,);
answering!(M, T1);
answering!(M, T1, T2);
answering!(M, T1, T2, T3);
answering!(M, T1, T2, T3, T4);
answering!(M, T1, T2, T3, T4, T5);
answering!(M, T1, T2, T3, T4, T5, T6);

/// What goes wrong is described by the problems of the endpoint.
impl<A: RouteAnswer, E> RouteAnswer for Result<A, E> {
    fn forms() -> Vec<RouteForm> {
        A::forms()
    }
}

/// Written without a type: its endpoint says what it is.
impl RouteAnswer for Response {
    fn forms() -> Vec<RouteForm> {
        Vec::new()
    }
}

/// A value of this type in JSON, as it goes out; `shown` writes it.
pub(crate) struct Shown<T> {
    text: String,
    of: PhantomData<fn() -> T>,
}

impl<T> Shown<T> {
    pub(crate) fn new(text: String) -> Self {
        Self { text, of: PhantomData }
    }
}

impl<T: JsonSchema> RouteAnswer for Shown<T> {
    fn forms() -> Vec<RouteForm> {
        vec![RouteForm::json::<T>(SuccessKind::Ok)]
    }
}

impl<T> IntoResponse for Shown<T> {
    fn into_response(self) -> Response {
        let headers = [(header::CONTENT_TYPE, HeaderValue::from_static(JSON))];
        (SuccessKind::Ok.status(), headers, self.text).into_response()
    }
}

/// It is there from now on.
pub(crate) struct Created<T>(pub(crate) Shown<T>);

impl<T: JsonSchema> RouteAnswer for Created<T> {
    fn forms() -> Vec<RouteForm> {
        vec![RouteForm::json::<T>(SuccessKind::Created)]
    }
}

impl<T> IntoResponse for Created<T> {
    fn into_response(self) -> Response {
        (SuccessKind::Created.status(), self.0).into_response()
    }
}

/// It began, and goes on at a place of its own.
pub(crate) struct Begun<T> {
    pub(crate) shown: Shown<T>,
    pub(crate) place: String,
}

impl<T: JsonSchema> RouteAnswer for Begun<T> {
    fn forms() -> Vec<RouteForm> {
        vec![RouteForm::json::<T>(SuccessKind::Accepted)]
    }
}

impl<T> IntoResponse for Begun<T> {
    fn into_response(self) -> Response {
        let mut response = (SuccessKind::Accepted.status(), self.shown).into_response();
        if let Ok(place) = HeaderValue::from_str(&self.place) {
            response.headers_mut().insert(header::LOCATION, place);
        }
        response
    }
}

/// It is done and needs no words.
pub(crate) struct Nothing;

impl RouteAnswer for Nothing {
    fn forms() -> Vec<RouteForm> {
        let schema = SchemaSource::Written(Value::Null);
        vec![RouteForm { said: SuccessKind::Nothing, media_type: "", schema }]
    }
}

impl IntoResponse for Nothing {
    fn into_response(self) -> Response {
        SuccessKind::Nothing.status().into_response()
    }
}

/// Events, as they come.
pub(crate) struct EventStream(pub(crate) Response);

impl RouteAnswer for EventStream {
    fn forms() -> Vec<RouteForm> {
        let schema = SchemaSource::Written(frame());
        vec![RouteForm { said: SuccessKind::Ok, media_type: EVENT_STREAM, schema }]
    }
}

impl IntoResponse for EventStream {
    fn into_response(self) -> Response {
        self.0
    }
}

/// One of two answers, as the request asks for it.
pub(crate) enum Either<A, B> {
    One(A),
    Other(B),
}

impl<A: RouteAnswer, B: RouteAnswer> RouteAnswer for Either<A, B> {
    fn forms() -> Vec<RouteForm> {
        A::forms().into_iter().chain(B::forms()).collect()
    }
}

impl<A: IntoResponse, B: IntoResponse> IntoResponse for Either<A, B> {
    fn into_response(self) -> Response {
        match self {
            Self::One(answer) => answer.into_response(),
            Self::Other(answer) => answer.into_response(),
        }
    }
}
