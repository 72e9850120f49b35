//! A tool that searches the whole project: what all of them declare, touch and are asked with.
//!
//! Owns the spec they have in common and the inspection before a call; what is looked for, and how it is shown, is each
//! tool's own (`ProjectSearch`).

use serde_json::{Map, Value};
use windlass_core::permission::{Inspection, Target};
use windlass_core::port::{BoxFuture, ToolContext, ToolPort};
use windlass_core::search::{SearchPort, SharedSearch};
use windlass_core::tool::{Category, Effects, Risk, Scope, ToolFailure, ToolOutput, ToolSpec, Visibility};

use crate::passages;

/// Characters of the largest outcome, with the lines that say where each passage is.
const RESULT_CHARS_MAX: usize = 64_000;

/// What one of these tools does with a call.
pub(crate) trait ProjectSearch: Send + Sync {
    /// Answers a call.
    fn answer<'a>(&'a self, asked: Asked<'a>) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>>;
}

/// A call, and the index that it is about.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) args: &'a Map<String, Value>,
    pub(crate) context: &'a ToolContext,
    search: Option<&'a SharedSearch>,
}

impl<'a> Asked<'a> {
    /// The index, or why there is none.
    pub(crate) fn index(&self) -> Result<&'a dyn SearchPort, ToolFailure> {
        passages::index(self.search)
    }
}

/// The tool.
#[derive(Debug)]
pub(crate) struct ProjectTool<S> {
    spec: ToolSpec,
    search: Option<SharedSearch>,
    way: S,
}

impl<S: ProjectSearch> ProjectTool<S> {
    /// A tool that searches in a way.
    pub(crate) fn new(spec: ToolSpec, search: Option<SharedSearch>, way: S) -> Self {
        Self { spec, search, way }
    }
}

/// The spec of such a tool: it reads files of the project and brings what others wrote.
pub(crate) fn project_spec(name: &str, about: &str, schema: Value, visibility: Visibility) -> ToolSpec {
    let mut spec = ToolSpec::new(name, about)
        .with_schema(schema)
        .with_effects(Effects::Read, Risk::Medium)
        .with_scopes([Scope::ReadFiles])
        .with_place(Category::Search, visibility);
    spec.idempotent = true;
    spec.inspected = true;
    spec.untrusted_output = true;
    spec.result_chars_max = Some(RESULT_CHARS_MAX);
    spec
}

impl<S: ProjectSearch> ToolPort for ProjectTool<S> {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    /// All of the project is read.
    fn inspect<'a>(
        &'a self,
        _args: &'a Map<String, Value>,
        _context: &'a ToolContext,
    ) -> BoxFuture<'a, Result<Inspection, ToolFailure>> {
        let targets = vec![Target::Path(".".to_owned())];
        Box::pin(async { Ok(Inspection { targets, ..Inspection::default() }) })
    }

    fn run<'a>(
        &'a self,
        args: &'a Map<String, Value>,
        context: &'a ToolContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        self.way.answer(Asked { args, context, search: self.search.as_ref() })
    }
}
