//! The routes: one module a subject, each with its endpoints and their words in the API document.

use serde_json::Value;

use crate::endpoint::Endpoint;

mod answer_text;
pub(crate) mod app;
mod attended;
mod calls;
pub(crate) mod documents;
pub(crate) mod edison;
pub(crate) mod events;
pub(crate) mod executors;
pub(crate) mod models;
pub(crate) mod modules;
pub(crate) mod openai;
mod operations;
mod page;
pub(crate) mod permissions;
pub(crate) mod records;
pub(crate) mod runs;
pub(crate) mod search;
pub(crate) mod sessions;
pub(crate) mod settings;
pub(crate) mod steps;
mod studio;
pub(crate) mod tools;

/// All endpoints, in the order of the API document.
pub(crate) fn endpoints() -> Vec<Endpoint> {
    [
        app::endpoints(),
        operations::endpoints(),
        sessions::endpoints(),
        runs::endpoints(),
        steps::endpoints(),
        events::endpoints(),
        records::endpoints(),
        calls::endpoints(),
        permissions::endpoints(),
        tools::endpoints(),
        executors::endpoints(),
        models::endpoints(),
        modules::endpoints(),
        search::endpoints(),
        documents::endpoints(),
        studio::endpoints(),
        edison::endpoints(),
        openai::endpoints(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Schemas of the interfaces that other clients know.
pub(crate) fn compat_schemas() -> Vec<(&'static str, Value)> {
    [studio::schemas(), edison::schemas(), openai::schemas()].into_iter().flatten().collect()
}
