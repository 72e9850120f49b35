//! Signing a browser in: a code of a link or the token becomes a cookie.

use axum::body::{Body, to_bytes};
use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::body_time::is_too_slow;
use crate::endpoint::Endpoint;
use crate::error::{Problem, ProblemKind, RouteResult, SuccessKind, too_slow};
use crate::limits::SIGN_IN_BYTES_MAX;
use crate::state::{ServerApp, now_ms};
use crate::token::SignInProof;

/// Where browsers are signed in; it needs no token, for it checks one.
pub(crate) const PATH: &str = "/api/sign-in";

pub(crate) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::post(PATH, sign_in)
            .about("operations", "Sign a browser in")
            .notes("With the code of a link that `windlass serve` or `windlass token --link` prints, which works once, or with the token.")
            .body::<SignInBody>()
            .answers_as(
                SuccessKind::Nothing,
                "",
                Value::Null,
                "The browser has a cookie from now on, unless the server wants no token.",
            ),
    ]
}

/// One of the two.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "SignIn")]
struct SignInBody {
    /// The code of a link.
    code: Option<String>,
    token: Option<String>,
}

async fn sign_in(State(app): State<ServerApp>, body: Body) -> RouteResult<Response> {
    let bytes = to_bytes(body, SIGN_IN_BYTES_MAX).await.map_err(|error| {
        let large = || Problem::new(ProblemKind::TooLarge, "body_too_large", "no token is as long as that");
        if is_too_slow(&error) { too_slow() } else { large() }
    })?;
    let body: SignInBody = serde_json::from_slice(&bytes).map_err(|_| {
        Problem::new(ProblemKind::Invalid, "bad_json", "send {\"code\": …} or {\"token\": …}")
    })?;
    let proof = match (body.code, body.token) {
        (Some(code), None) => SignInProof::Code(code),
        (None, Some(token)) => SignInProof::Token(token),
        (Some(_), Some(_)) | (None, None) => {
            return Err(Problem::invalid("send either the code of a link or the token"));
        }
    };
    let cookie = app.token.sign_in(&proof, now_ms())?;
    let mut response = SuccessKind::Nothing.status().into_response();
    if let Some(cookie) = cookie.and_then(|cookie| HeaderValue::from_str(&cookie).ok()) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    Ok(response)
}
