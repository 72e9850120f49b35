//! The built-in tools of Windlass, one file each: spec, effect class, risk, code and renderer in one place.
//!
//! Keeps in: the file system and processes. Knows no model, no session and no screen.
//!
//! A new tool is one file and one line in [`builtin`].

// A failure is read by three readers and is rare: boxing it would burden every tool for nothing.

mod add_task;
mod address;
mod argument;
mod calculate;
mod command;
mod edit_file;
mod execute_command;
mod expression;
mod fetch_url;
mod files;
mod find_names;
mod generate_image;
mod get_current_time;
mod get_file_tree;
mod html_entity;
mod html_text;
mod html_token;
mod http;
mod list_tasks;
mod net_guard;
mod number;
mod page_text;
mod passages;
mod project_tool;
mod rag_search;
mod read_file;
mod read_result;
mod render;
mod request_code_context;
mod search_backend;
mod search_codebase;
mod search_text;
mod summary;
mod system_stats;
mod time_constraint;
mod undo_edit;
mod update_task;
mod web_search;
mod write_file;

use std::path::PathBuf;
use std::sync::Arc;

use windlass_core::port::ToolPort;
use windlass_core::search::SharedSearch;

use crate::files::workspace::Workspace;
use crate::find_names::{Direction, FindNames};

pub use calculate::value_of;
pub use command::environment::Environment;
pub use fetch_url::FetchConfig;
pub use generate_image::ImageConfig;
pub use net_guard::{AllowedHost, AllowedHostError, Lookup, SystemLookup};
pub use search_backend::{SearchBackend, SearchBackendKind};
pub use summary::{ITEM_CHARS_MAX, ITEMS_MAX, SUMMARY_CHARS_MAX, summarize};
pub use time_constraint::{TIME_WORDS, TimeConstraint};
pub use web_search::{WebSearchConfig, search_key};
pub use windlass_core::secret::Secret;

/// What the built-in tools need to know about their surroundings.
#[derive(Debug, Clone, Default)]
pub struct ToolsConfig {
    /// Where the web is searched.
    pub web_search: WebSearchConfig,
    /// What may be fetched besides the public web.
    pub fetch: FetchConfig,
    /// Who renders images; a front end otherwise.
    pub image: Option<ImageConfig>,
    /// The index behind the search tools; what files tools read and write is told to it.
    pub search: Option<SharedSearch>,
    /// Where copies of changed files are kept for `undo_edit`; in memory when `None`.
    pub undo_dir: Option<PathBuf>,
    /// Variables that commands inherit; none by default.
    pub environment: Environment,
}

/// All built-in tools.
pub fn builtin(config: &ToolsConfig) -> Vec<Arc<dyn ToolPort>> {
    let workspace = Arc::new(Workspace::new(config.undo_dir.clone(), config.search.clone()));
    vec![
        Arc::new(get_file_tree::GetFileTree::new()),
        Arc::new(read_file::ReadFile::new(Arc::clone(&workspace))),
        Arc::new(search_text::SearchText::new()),
        Arc::new(request_code_context::RequestCodeContext::tool(config.search.clone())),
        Arc::new(search_codebase::SearchCodebase::tool(config.search.clone())),
        Arc::new(FindNames::tool(Direction::Definitions, config.search.clone())),
        Arc::new(FindNames::tool(Direction::Uses, config.search.clone())),
        Arc::new(write_file::WriteFile::new(Arc::clone(&workspace))),
        Arc::new(edit_file::EditFile::new(Arc::clone(&workspace))),
        Arc::new(undo_edit::UndoEdit::new(workspace)),
        Arc::new(execute_command::ExecuteCommand::new(config.environment.clone())),
        Arc::new(get_current_time::GetCurrentTime::new()),
        Arc::new(calculate::Calculate::new()),
        Arc::new(add_task::AddTask::new()),
        Arc::new(list_tasks::ListTasks::new()),
        Arc::new(update_task::UpdateTask::new()),
        Arc::new(system_stats::SystemStats::new()),
        Arc::new(web_search::WebSearch::new(config.web_search.clone())),
        Arc::new(fetch_url::FetchUrl::new(config.fetch.clone())),
        Arc::new(generate_image::GenerateImage::new(config.image.clone())),
        Arc::new(rag_search::RagSearch::new(config.search.clone())),
        Arc::new(read_result::ReadResult::new()),
    ]
}
