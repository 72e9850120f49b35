//! Models that run in this process: the built-in one, and files of weights.

use std::path::Path;

use windlass_local::{LocalConfig, LocalError, LocalModel, grammars};

use crate::builder::Builder;
use crate::error::WindlassError;

/// What stands before the path of a file of weights in the name of a model.
pub(crate) const FILE_PREFIX: &str = "local/";

impl Builder {
    /// Uses the small model that is part of the library: no key, no download. It uses the tools of Windlass itself
    /// ([`builtin_tools`](Self::builtin_tools)) and does no more.
    ///
    /// ```
    /// use windlass::prelude::*;
    ///
    /// # fn main() -> Result<(), WindlassError> {
    /// let agent = Windlass::builder().builtin_model().builtin_tools(&Default::default()).build()?;
    /// let answer = agent.run_sync("What is 19 * 23?")?;
    /// assert!(answer.text.contains("437"));
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "builtin")]
    pub fn builtin_model(self) -> Self {
        let tools = || windlass_tools::builtin(&windlass_tools::ToolsConfig::default());
        self.model_port(windlass_local::BuiltinModel::new(tools))
    }

    /// Uses a GGUF file or a folder of safetensors. Calls are held to the grammar of the tools' schemas.
    pub fn model_file(self, path: impl AsRef<Path>) -> Result<Self, WindlassError> {
        let path = path.as_ref();
        let name = format!("{FILE_PREFIX}{}", path.display());
        let config = LocalConfig { grammar: Some(grammars()), ..LocalConfig::new(&name) };
        let failed =
            |reason: LocalError| WindlassError::ModelFile { path: path.display().to_string(), reason };
        let model = LocalModel::open(path, config).map_err(failed)?;
        let context_tokens = u64::try_from(model.context_tokens()).ok();
        Ok(self.sized_model(model, context_tokens))
    }
}
