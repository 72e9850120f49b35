//! The built-in tools of Windlass, one file each: spec, effect class, risk, code and renderer in one place.
//!
//! | room | tools |
//! |---|---|
//! | `files` | `get_file_tree`, `read_file`, `search_text`, `write_file`, `edit_file`, `undo_edit` |
//! | `shell` | `execute_command` |
//! | `web` | `web_search`, `fetch_url`, `generate_image` |
//! | `project` | `request_code_context`, `search_codebase`, `find_symbol`, `find_references`, `rag_search` |
//! | `tasks` | `add_task`, `list_tasks`, `update_task` |
//! | `math` | `calculate` |
//! | `system` | `get_current_time`, `system_stats`, `read_result` |
//!
//! `typed` is what a tool is, `summary` the line of text dialects. Keeps in: the file system and processes. Knows no
//! model, no session and no screen. A new tool is one file and one line in [`builtin`].

mod files;
mod math;
mod project;
mod shell;
mod summary;
mod system;
mod tasks;
mod typed;
mod web;

use std::path::PathBuf;
use std::sync::Arc;

use windlass_core::ports::search::SharedSearch;
use windlass_core::ports::{SecretsPort, ToolPort};

use crate::files::workspace::FileWorkspace;
use crate::typed::{TypedTool as _, port};

pub use math::calculate::value_of;
pub use shell::confine::config::SandboxConfig;
pub use shell::confine::doctor::{DeedReport, DeedVerdict, MechanismReport, SandboxReport, sandbox_doctor};
pub use shell::confine::enter::sandbox_helper;
pub use shell::environment::Environment;
pub use shell::proxy::granted::{GRANTED_HOSTS_MAX, GrantedHost, GrantedHostError};
pub use web::fetch_url::FetchConfig;
pub use web::generate_image::ImageConfig;
pub use web::net_guard::{AddressLookup, AllowedHost, AllowedHostError, SystemLookup};
pub use web::search_backend::{SearchBackend, SearchBackendKind};
pub use web::time_constraint::{TIME_WORDS, TimeConstraint};
pub use web::web_search::{WebSearchConfig, search_key};
pub use windlass_core::text::secret::Secret;

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
    /// Who lends secrets for the headers of requests; nobody by default.
    pub secrets: Option<Arc<dyn SecretsPort>>,
    /// Variables that commands inherit; none by default.
    pub environment: Environment,
    /// What commands are held to; they run free when `None`.
    pub sandbox: Option<SandboxConfig>,
}

/// Gives the paths of a project: what a front end calls for a user who looks for a file.
pub const PATHS_TOOL: &str = files::get_file_tree::GetFileTree::NAME;
/// Finds lines in its files.
pub const SEARCH_TOOL: &str = files::search_text::SearchText::NAME;

/// All built-in tools.
pub fn builtin(config: &ToolsConfig) -> Vec<Arc<dyn ToolPort>> {
    let workspace = Arc::new(FileWorkspace::new(config.undo_dir.clone(), config.search.clone()));
    let search = || config.search.clone();
    let files = || Arc::clone(&workspace);
    vec![
        port(files::get_file_tree::GetFileTree),
        port(files::read_file::ReadFile { workspace: files() }),
        port(files::search_text::SearchText),
        port(project::request_code_context::RequestCodeContext(search())),
        port(project::search_codebase::SearchCodebase(search())),
        port(project::find_symbol::FindSymbol(search())),
        port(project::find_references::FindReferences(search())),
        port(files::write_file::WriteFile { workspace: files() }),
        port(files::edit_file::EditFile { workspace: files() }),
        port(files::undo_edit::UndoEdit { workspace: files() }),
        port(shell::execute_command::ExecuteCommand::new(
            config.environment.clone(),
            config.sandbox.clone(),
            config.fetch.guard(),
        )),
        port(system::get_current_time::GetCurrentTime),
        port(math::calculate::Calculate),
        port(tasks::add_task::AddTask),
        port(tasks::list_tasks::ListTasks),
        port(tasks::update_task::UpdateTask),
        port(system::system_stats::SystemStats),
        port(web::web_search::WebSearch::new(config.web_search.clone())),
        port(web::fetch_url::FetchUrl::new(config.fetch.clone(), config.secrets.clone())),
        port(web::generate_image::GenerateImage::new(config.image.clone())),
        port(project::rag_search::RagSearch(search())),
        port(system::read_result::ReadResult),
    ]
}

/// Those of the built-in tools that ask an index; one without a project has documents alone.
pub fn index_tools(search: SharedSearch, has_project: bool) -> Vec<Arc<dyn ToolPort>> {
    let documents = [project::rag_search::RagSearch::NAME];
    let files = [
        project::request_code_context::RequestCodeContext::NAME,
        project::search_codebase::SearchCodebase::NAME,
        project::find_symbol::FindSymbol::NAME,
        project::find_references::FindReferences::NAME,
    ];
    let asks = |name: &str| documents.contains(&name) || (has_project && files.contains(&name));
    let all = builtin(&ToolsConfig { search: Some(search), ..ToolsConfig::default() });
    all.into_iter().filter(|tool| asks(&tool.spec().name)).collect()
}
