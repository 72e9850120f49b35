//! A folder of scripts as a source of tools: what it has, and what it has after a file changed.

use windlass_core::ports::{SourceListener, SourceWatch, SourcedTools, ToolSource};

use super::library::{ScriptLibrary, ScriptReport};
use super::reload::ScriptWatch;

/// The scripts of one folder, for whoever registers tools.
pub struct ScriptToolSource {
    library: ScriptLibrary,
    description: String,
}

impl ScriptToolSource {
    /// `owner` says whose they are, for people: `your`, `the project's`.
    pub fn new(library: ScriptLibrary, owner: &str) -> Self {
        Self { library, description: format!("{owner} Rhai tool") }
    }
}

impl ToolSource for ScriptToolSource {
    fn describe(&self) -> &str {
        &self.description
    }

    fn open(&self) -> SourcedTools {
        tools_of(&self.library, &self.library.reload())
    }

    fn watch(&self, listener: SourceListener) -> Result<SourceWatch, String> {
        let library = self.library.clone();
        let watch = ScriptWatch::start(&self.library, move |report| listener(tools_of(&library, report)));
        watch.map(|watch| Box::new(watch) as SourceWatch).map_err(|error| error.to_string())
    }
}

fn tools_of(library: &ScriptLibrary, report: &ScriptReport) -> SourcedTools {
    let warnings = report.failed.iter().map(|error| format!("a Rhai tool is left out: {error}")).collect();
    SourcedTools { tools: library.tools(), warnings }
}
