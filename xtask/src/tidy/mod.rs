//! `cargo xtask tidy`: the walls and budgets of the house, as checks.
//!
//! Owns the list of rules and the report. Each rule is a function from the [`Checkout`] to findings in a file of its own;
//! what may live where is a table in [`rooms`]. Knows nothing of compiling: rules read text, syntax and manifests.
//!
//! - `approved_call`: the wall around permission: an `ApprovedCall` is made in core's permission module and nowhere else
//! - `budgets`: the length of files and functions, the width of folders, and the header every module opens with
//! - `claims`: claims about safety name tests that are there
//! - `dependencies`: core's few dependencies, the star of crates, heavy crates in their rooms
//! - `documents`: documents that say what is there
//! - `events_named`: no wildcard over events
//! - `exceptions`: the list of exceptions, `xtask/tidy-exceptions.txt`: it may only shrink
//! - `leftovers`: nothing is marked unfinished, no code sleeps in comments
//! - `machine_traces`: traces of one machine: absolute paths of somebody's home and registries that only exist at one place
//! - `names`: files, folders, packages, modules and types carry no word that names nothing
//! - `stats`: the house in figures
//! - `test_layout`: one integration binary a crate, and no file that cargo never compiles
//! - `type_names`: one type name, one meaning
//! - `walls`: rules on what code may name
//! - `web_app`: short files, one place where text becomes markup, no address but its own

mod approved_call;
mod budgets;
mod claims;
mod dependencies;
mod documents;
mod events_named;
mod exceptions;
mod leftovers;
mod machine_traces;
mod names;
mod rooms;
mod stats;
mod test_layout;
mod type_names;
mod walls;
mod web_app;

use std::path::Path;

use anyhow::{Result, bail};

use crate::checkout::{self, CargoWorkspace, TextFile};
use crate::rust_source::{self, RustSource};

/// What `tidy` may be asked for.
#[derive(clap::Args, Default)]
pub(crate) struct TidyOptions {
    /// Also print what the house is measured by: lines, folders, names, comments, dependencies, and the size of every crate
    #[arg(long)]
    stats: bool,
}

/// Something that breaks a rule.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TidyFinding {
    path: String,
    line: usize,
    rule: &'static str,
    text: String,
}

impl TidyFinding {
    fn new(rule: &'static str, path: &str, line: usize, text: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, rule, text: text.into() }
    }
}

/// A Rust file with its parse.
pub(crate) struct ParsedFile {
    pub(crate) file: TextFile,
    pub(crate) source: RustSource,
}

/// The checkout as the rules see it.
pub(crate) struct Checkout {
    root: std::path::PathBuf,
    /// Every file that is not parsed Rust.
    texts: Vec<TextFile>,
    rust: Vec<ParsedFile>,
    workspace: CargoWorkspace,
}

impl Checkout {
    fn read(root: &Path) -> Result<Self> {
        let (rust, texts): (Vec<_>, Vec<_>) =
            checkout::read_files(root)?.into_iter().partition(TextFile::is_rust);
        let parsed = rust.into_iter().map(|file| {
            let source = rust_source::parse_file(&file)?;
            Ok(ParsedFile { file, source })
        });
        let rust = parsed.collect::<Result<Vec<_>>>()?;
        Ok(Self { root: root.to_owned(), texts, rust, workspace: checkout::read_workspace(root)? })
    }

    fn shipped(&self) -> impl Iterator<Item = &ParsedFile> {
        self.rust.iter().filter(|parsed| parsed.file.is_shipped_rust())
    }

    fn files(&self) -> impl Iterator<Item = &TextFile> {
        self.texts.iter().chain(self.rust.iter().map(|parsed| &parsed.file))
    }
}

/// Every rule. A new one is one line here, one function, and a test that sees it bite.
const RULES: &[fn(&Checkout) -> Vec<TidyFinding>] = &[
    dependencies::core_has_its_few,
    dependencies::crates_form_a_star,
    dependencies::heavy_crates_stay_in_their_rooms,
    dependencies::shared_versions_are_used,
    walls::core_is_pure,
    walls::screen_is_a_fold,
    walls::outside_things_stay_in_their_rooms,
    walls::one_file_names_the_http_client,
    walls::one_file_knows_status_codes,
    walls::only_front_ends_print,
    approved_call::only_the_permission_module_approves,
    events_named::no_wildcard_over_events,
    budgets::files_are_short,
    budgets::functions_are_short,
    budgets::folders_are_narrow,
    budgets::modules_have_headers,
    documents::every_crate_is_described,
    documents::named_paths_exist,
    documents::tools_and_commands_are_counted,
    documents::headers_list_their_rooms,
    claims::named_tests_exist,
    claims::claims_name_their_tests,
    claims::unsafe_code_stands_where_it_is_said,
    names::no_empty_words,
    type_names::types_have_one_home,
    leftovers::nothing_is_unfinished,
    leftovers::no_code_is_commented_out,
    machine_traces::no_machine_is_named,
    machine_traces::only_public_registries,
    test_layout::one_integration_binary_per_crate,
    test_layout::no_file_is_forgotten,
    web_app::files_are_short,
    web_app::one_component_writes_markup,
    web_app::nothing_leaves_the_origin,
];

/// Checks the house; prints what is wrong, or one line.
pub(crate) fn run(root: &Path, options: &TidyOptions) -> Result<()> {
    let house = Checkout::read(root)?;
    let exceptions = exceptions::Exceptions::read(root)?;
    let findings = exceptions.apply(check(&house));
    if options.stats {
        print!("{}", stats::describe(&house));
    }
    for finding in &findings {
        println!("{}:{}: {} [{}]", finding.path, finding.line, finding.text, finding.rule);
    }
    if !findings.is_empty() {
        bail!("{} untidy; the reasons behind the rules are in STYLE.md and ARCHITECTURE.md", findings.len());
    }
    println!("tidy: {} rules hold over {} files", RULES.len(), house.files().count());
    Ok(())
}

fn check(house: &Checkout) -> Vec<TidyFinding> {
    let mut findings: Vec<_> = RULES.iter().flat_map(|rule| rule(house)).collect();
    findings.sort();
    findings.dedup();
    findings
}

#[cfg(test)]
#[path = "tidy_tests.rs"]
mod tests;
