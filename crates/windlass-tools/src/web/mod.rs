//! The web: the tools `fetch_url`, `web_search` and `generate_image`. `http` is the client, `net_guard` judges every address before
//! anything is sent (`address` says which are public), `page_text`, `html_text`, `html_token` and `html_entity` make readable text of pages,
//! `lent_headers` puts secrets of the user into headers, `search_backend` speaks to search servers, `time_constraint` knows words for a stretch of time.

pub(crate) mod address;
pub(crate) mod fetch_url;
pub(crate) mod generate_image;
pub(crate) mod html_entity;
pub(crate) mod html_text;
pub(crate) mod html_token;
pub(crate) mod http;
pub(crate) mod lent_headers;
pub(crate) mod net_guard;
pub(crate) mod page_text;
pub(crate) mod search_backend;
pub(crate) mod time_constraint;
pub(crate) mod web_search;
