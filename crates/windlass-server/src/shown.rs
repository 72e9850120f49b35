//! JSON answers: everything that the server shows goes out through here, without secrets.

use serde::Serialize;
use windlass_core::permission::Question;

use crate::answer::Shown;
use crate::error::{Problem, ProblemKind, RouteResult};
use crate::state::ServerApp;

/// An answer in JSON.
pub(crate) fn show<T: Serialize>(app: &ServerApp, shown: &T) -> RouteResult<Shown<T>> {
    show_asking(app, shown, [])
}

/// An answer in JSON with questions in it, each at its place: they are complete, but for known secret values.
pub(crate) fn show_asking<'a, T: Serialize>(
    app: &ServerApp,
    shown: &T,
    questions: impl IntoIterator<Item = (&'a str, &'a Question)>,
) -> RouteResult<Shown<T>> {
    let mut value = serde_json::to_value(shown).map_err(|error| unwritten(&error))?;
    app.redactor.clean_value(&mut value);
    for (pointer, question) in questions {
        // After the cleaning: in a question nothing is hidden because it looks like a key (U-1).
        question.put_shown(&app.redactor, &mut value, pointer);
    }
    Ok(Shown::new(value.to_string()))
}

/// An answer that somebody says yes to: complete, but for known secret values.
pub(crate) fn show_whole<T: Serialize>(app: &ServerApp, shown: &T) -> RouteResult<Shown<T>> {
    let mut value = serde_json::to_value(shown).map_err(|error| unwritten(&error))?;
    app.redactor.known_values().clean_value(&mut value);
    Ok(Shown::new(value.to_string()))
}

/// An answer that must go out exactly as it is, because programs run what stands in it: nothing is struck out.
pub(crate) fn show_exact<T: Serialize>(shown: &T) -> RouteResult<Shown<T>> {
    serde_json::to_string(shown).map(Shown::new).map_err(|error| unwritten(&error))
}

/// An answer that came to nothing.
pub(crate) fn unwritten(error: &serde_json::Error) -> Problem {
    tracing::error!(%error, "an answer could not be written");
    Problem::new(ProblemKind::Broken, "internal", "internal error; the server's log has more")
}
