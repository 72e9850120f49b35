//! A project in a temporary folder, with the built-in tools and a place outside it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Map, Value};
use tempfile::TempDir;
use windlass_core::permission::Inspection;
use windlass_core::ports::{ToolContext, ToolPort};
use windlass_core::protocol::tool::{ErrorKind, ToolFailure, ToolOutput};
use windlass_core::text::redact::Redactor;
use windlass_tools::{Environment, ToolsConfig, builtin};

use crate::context::context;

/// What stands in the files outside the root, and the name of one of them: must never be seen.
pub(crate) const OUTSIDE: &str = "OUTSIDE-THE-ROOT";

pub(crate) struct Project {
    folder: TempDir,
    pub(crate) context: ToolContext,
    tools: Vec<Arc<dyn ToolPort>>,
}

impl Project {
    /// A project with these files, undo copies in memory.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let path = ("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into());
        let environment = Environment::allowed([path], &[], &Redactor::default());
        Self::configured(files, &ToolsConfig { environment, ..ToolsConfig::default() })
    }

    pub(crate) fn configured(files: &[(&str, &str)], config: &ToolsConfig) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("project");
        fs::create_dir(&root).unwrap();
        fs::create_dir(folder.path().join("outside")).unwrap();
        fs::write(folder.path().join("outside/hidden.txt"), OUTSIDE).unwrap();
        fs::write(folder.path().join("outside").join(OUTSIDE), OUTSIDE).unwrap();
        let context = context(&root);
        let project = Self { folder, context, tools: builtin(config) };
        for (path, content) in files {
            project.put(path, content.as_bytes());
        }
        project
    }

    /// The folder that holds the project and the place outside it.
    pub(crate) fn above(&self) -> PathBuf {
        self.folder.path().to_path_buf()
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.context.root.join(path)
    }

    pub(crate) fn put(&self, path: &str, bytes: &[u8]) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub(crate) fn link(&self, path: &str, target: &str) {
        symlink(target, self.path(path)).unwrap();
    }

    pub(crate) fn content(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    pub(crate) fn tool(&self, name: &str) -> Arc<dyn ToolPort> {
        let found = self.tools.iter().find(|tool| tool.spec().name == name);
        Arc::clone(found.unwrap_or_else(|| panic!("no tool {name}")))
    }

    pub(crate) async fn call(&self, tool: &str, args: Value) -> Result<ToolOutput, ToolFailure> {
        self.tool(tool).run(&object(args), &self.context).await
    }

    pub(crate) async fn inspect(&self, tool: &str, args: Value) -> Result<Inspection, ToolFailure> {
        self.tool(tool).inspect(&object(args), &self.context).await
    }

    /// A call that must work.
    pub(crate) async fn ok(&self, tool: &str, args: Value) -> ToolOutput {
        let shown = args.to_string();
        self.call(tool, args).await.unwrap_or_else(|failure| panic!("{tool} {shown}: {failure:?}"))
    }

    /// A call that must fail, also when it is only looked at where the tool looks at calls.
    pub(crate) async fn refused(&self, tool: &str, args: Value, kind: ErrorKind) -> ToolFailure {
        let failure = self.call(tool, args.clone()).await.expect_err(&args.to_string());
        assert_eq!(failure.kind, kind, "{tool} {args}: {failure:?}");
        failure
    }

    /// A file read by the session, so that it may be changed.
    pub(crate) async fn read(&self, path: &str) -> ToolOutput {
        self.ok("read_file", serde_json::json!({"path": path})).await
    }
}

pub(crate) fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        other => panic!("not an object: {other}"),
    }
}

/// Runs async work in a test that also needs plain threads.
pub(crate) fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}
