//! Where the files are: the XDG folders, or what flags say.

use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;

use crate::complaint::{Complaint, Result};

/// The files and folders of a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Folders {
    /// The configuration file.
    pub(crate) config_file: PathBuf,
    /// Whether the user named it, so that it must exist.
    pub(crate) is_config_named: bool,
    /// Stored rules.
    pub(crate) policies_file: PathBuf,
    /// Everything that is kept.
    pub(crate) data: PathBuf,
}

impl Folders {
    /// The folders of this user; flags win.
    pub(crate) fn of_user(config: Option<&Path>, data: Option<&Path>) -> Result<Self> {
        let (config, data) = (said(config, "WINDLASS_CONFIG"), said(data, "WINDLASS_DATA"));
        let homeless = |_| Complaint::usage("your home folder is not known").cure("set HOME");
        let xdg = etcetera::base_strategy::Xdg::new().map_err(homeless)?;
        let folder = xdg.config_dir().join("windlass");
        Ok(Self {
            config_file: config.clone().unwrap_or_else(|| folder.join("config.toml")),
            is_config_named: config.is_some(),
            policies_file: folder.join("policies.json"),
            data: data.unwrap_or_else(|| xdg.data_dir().join("windlass")),
        })
    }

    /// The user's own modules.
    pub(crate) fn modules(&self) -> PathBuf {
        self.policies_file.with_file_name("modules")
    }

    /// The user's own Rhai tools.
    pub(crate) fn tools(&self) -> PathBuf {
        self.policies_file.with_file_name("tools")
    }

    /// The trail of decisions.
    pub(crate) fn audit_file(&self) -> PathBuf {
        self.data.join("audit.log")
    }
}

/// A path from a flag or else from a variable; one that is set to nothing says nothing.
fn said(flag: Option<&Path>, variable: &str) -> Option<PathBuf> {
    let from_variable = || std::env::var_os(variable).filter(|path| !path.is_empty()).map(PathBuf::from);
    flag.map(Path::to_path_buf).or_else(from_variable)
}

/// A project's own modules.
pub(crate) fn project_modules(root: &Path) -> PathBuf {
    root.join(".windlass").join("modules")
}

/// A project's own Rhai tools.
pub(crate) fn project_tools(root: &Path) -> PathBuf {
    root.join(".windlass").join("tools")
}

/// A project's own file.
pub(crate) fn project_file(root: &Path) -> PathBuf {
    root.join(".windlass").join("config.toml")
}
