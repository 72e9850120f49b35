//! Reading requests: what axum reads, with problems instead of its own refusals.

use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Json, Path, Query, Request};
use axum::http::header::{ACCEPT, ACCEPT_ENCODING};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue};
use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer};
use serde_json::Number;

use crate::error::Problem;

/// The body, as a JSON object.
pub(crate) struct JsonBody<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for JsonBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let (parts, bytes) = read(request, state).await?;
        Ok(Self(object(parts, bytes, state).await?))
    }
}

/// The body as a JSON object, or what is usual if there is none.
pub(crate) struct OptionalBody<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned + Default> FromRequest<S> for OptionalBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let (parts, bytes) = read(request, state).await?;
        if bytes.is_empty() {
            return Ok(Self(T::default()));
        }
        Ok(Self(object(parts, bytes, state).await?))
    }
}

async fn read<S: Send + Sync>(request: Request, state: &S) -> Result<(Parts, Bytes), Problem> {
    let (parts, body) = request.into_parts();
    let bytes = Bytes::from_request(Request::from_parts(parts.clone(), body), state).await?;
    Ok((parts, bytes))
}

async fn object<S: Send + Sync, T: DeserializeOwned>(
    parts: Parts,
    bytes: Bytes,
    state: &S,
) -> Result<T, Problem> {
    // The reader of structures would take a list for one, field by field.
    let is_list = bytes.trim_ascii_start().starts_with(b"[");
    let Json(body) = Json::<T>::from_request(Request::from_parts(parts, bytes.into()), state).await?;
    if is_list { Err(Problem::invalid("the body is a list; send an object")) } else { Ok(body) }
}

pub(crate) struct QueryOf<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for QueryOf<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let Query(query) = Query::<T>::from_request_parts(parts, state).await?;
        Ok(Self(query))
    }
}

/// Pieces of the path.
pub(crate) struct PathOf<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for PathOf<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let Path(path) = Path::<T>::from_request_parts(parts, state).await?;
        Ok(Self(path))
    }
}

/// Reads a whole number that may be written as `3.0`, as JSON Schema counts it among the integers.
pub(crate) fn whole<'de, D: Deserializer<'de>, N: TryFrom<u64>>(input: D) -> Result<Option<N>, D::Error> {
    let Some(number) = Option::<Number>::deserialize(input)? else { return Ok(None) };
    let whole = number.as_u64().or_else(|| {
        let text = number.as_f64().filter(|float| float.fract() == 0.0)?;
        format!("{text:.0}").parse().ok()
    });
    let fitting = whole.and_then(|whole| N::try_from(whole).ok());
    fitting.map(Some).ok_or_else(|| Error::custom("expected a whole number from 0 that is not too large"))
}

/// Whether a client takes a media type. One that does not say takes all.
pub(crate) fn accepts(headers: &HeaderMap, media_type: &str) -> bool {
    let mut said = false;
    for header in headers.get_all(ACCEPT) {
        said = true;
        if ranges(header).any(|range| covers(range, media_type)) {
            return true;
        }
    }
    !said
}

/// Whether a client asks for just this media type, not for anything.
pub(crate) fn wants(headers: &HeaderMap, media_type: &str) -> bool {
    headers.get_all(ACCEPT).iter().any(|header| ranges(header).any(|range| range == media_type))
}

/// Whether a client takes a content coding.
pub(crate) fn encodes(headers: &HeaderMap, coding: &str) -> bool {
    let mut sent = headers.get_all(ACCEPT_ENCODING).iter();
    sent.any(|header| ranges(header).any(|range| range.eq_ignore_ascii_case(coding)))
}

/// The media ranges of a header, without those that are refused by weight.
fn ranges(header: &HeaderValue) -> impl Iterator<Item = &str> {
    // What cannot be read asks for nothing in particular.
    header.to_str().unwrap_or("*/*").split(',').filter_map(|range| {
        let mut pieces = range.split(';').map(str::trim);
        let media_type = pieces.next()?;
        let is_refused = pieces.any(|piece| {
            let weight = piece.strip_prefix("q=").or_else(|| piece.strip_prefix("Q="));
            weight.and_then(|weight| weight.parse::<f32>().ok()).is_some_and(|weight| weight <= 0.0)
        });
        (!is_refused).then_some(media_type)
    })
}

fn covers(range: &str, media_type: &str) -> bool {
    match range.split_once('/') {
        Some(("*", "*")) => true,
        Some((kind, "*")) => {
            media_type.split_once('/').is_some_and(|(own, _)| own.eq_ignore_ascii_case(kind))
        }
        Some(_) | None => range.eq_ignore_ascii_case(media_type),
    }
}

#[cfg(test)]
#[path = "extract_tests.rs"]
mod tests;
