//! The routes: one module a subject, each with its endpoints and their words in the API document.
//!
//! - `answer_text`: the answer of a run as one growing text, for clients that know neither steps nor calls
//! - `app`: its pages and its files, as they were built into the program
//! - `attended`: runs that one request starts and attends
//! - `calls`: one call of a run, whole: what was asked, what was decided, what it gave
//! - `documents`: documents and notes that users add to the index: listed, added, removed
//! - `edison`: the routes that EDISON's clients know: chats, their streams, cancelling, pictures
//! - `events`: the events of a run: any number of readers, from any event on, while it goes on and afterwards
//! - `executors`: programs of a user's own that offer tools, take calls of them and answer (decision 0029)
//! - `models`: models, what is known of them, and what the server does where nobody chooses
//! - `modules`: what there is, what each takes and gives, and what it would ask a model
//! - `openai`: the routes that OpenAI's clients know
//! - `operations`: routes for those who run the server
//! - `page`: how many rows, and after which row
//! - `permissions`: the questions of a run, and their answers, which count only for the question that was shown
//! - `records`: the records of a session, of all its runs
//! - `runs`: starting them, looking at them, and what can be done with them afterwards
//! - `search`: searching the project, and what its index holds
//! - `sessions`: beginning, listing, naming and forgetting them; and their task lists
//! - `settings`: what a client sets: for the runs of a session, or for one run
//! - `sign_in`: a code of a link or the token becomes a cookie
//! - `steps`: the steps of a run: what was asked of the model, and what that answered
//! - `studio`: the routes that Prompt Studio knows: its stream and its snapshots
//! - `tools`: the same as the commands
//! - `trust`: what the folder of the project brings, and trust in just that

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
pub(crate) mod sign_in;
pub(crate) mod steps;
mod studio;
pub(crate) mod tools;
pub(crate) mod trust;

/// All endpoints, in the order of the API document.
pub(crate) fn endpoints() -> Vec<Endpoint> {
    [
        app::endpoints(),
        operations::endpoints(),
        sign_in::endpoints(),
        sessions::endpoints(),
        runs::endpoints(),
        steps::endpoints(),
        events::endpoints(),
        records::endpoints(),
        calls::endpoints(),
        permissions::endpoints(),
        trust::endpoints(),
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
