//! Where the files are: the XDG folders, or what flags say.

use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;

use crate::complaint::{CommandError, Result};

/// The files and folders of a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Folders {
    pub(crate) config_file: PathBuf,
    /// Whether the user named it, so that it must exist.
    pub(crate) is_config_named: bool,
    /// Stored rules, beside the configuration file.
    pub(crate) policies_file: PathBuf,
    /// The user's own folder, whichever file is in use.
    pub(super) user: PathBuf,
    /// The home of the user.
    pub(crate) home: PathBuf,
    /// Where ZodoLlama may have kept its rules: beside that folder, or in `~/.config` whatever XDG says.
    zodo: [PathBuf; 2],
    /// Everything that is kept.
    pub(crate) data: PathBuf,
    /// Whether the user named it: then others may use it too.
    pub(super) is_data_named: bool,
}

/// The file of stored rules.
const POLICIES: &str = "policies.json";

impl Folders {
    /// The folders of this user; flags win.
    pub(crate) fn of_user(config: Option<&Path>, data: Option<&Path>) -> Result<Self> {
        let (config, data) = (said(config, "WINDLASS_CONFIG"), said(data, "WINDLASS_DATA"));
        let homeless = |_| CommandError::usage("your home folder is not known").cure("set HOME");
        let xdg = etcetera::base_strategy::Xdg::new().map_err(homeless)?;
        let user = xdg.config_dir().join("windlass");
        let is_config_named = config.is_some();
        let config_file = config.unwrap_or_else(|| user.join("config.toml"));
        Ok(Self {
            policies_file: config_file.with_file_name(POLICIES),
            config_file,
            is_config_named,
            zodo: [user.with_file_name("zodollama"), xdg.home_dir().join(".config/zodollama")],
            user,
            home: xdg.home_dir().to_owned(),
            is_data_named: data.is_some(),
            data: data.unwrap_or_else(|| xdg.data_dir().join("windlass")),
        })
    }

    /// The user's own modules.
    pub(crate) fn modules(&self) -> PathBuf {
        self.user.join("modules")
    }

    /// The user's own Rhai tools.
    pub(crate) fn tools(&self) -> PathBuf {
        self.user.join("tools")
    }

    /// Sees to it that rules hold which the user stored before a configuration file of this name had rules of its
    /// own: they are copied beside it, once. Where that is not possible, those of the user's folder stay in use.
    /// What the user should know of it comes back.
    pub(crate) fn settle_policies(&mut self) -> Option<String> {
        let usual = self.user.join(POLICIES);
        if self.policies_file.exists() || !usual.exists() {
            return None;
        }
        let own = self.policies_file.display();
        match copy_new(&usual, &self.policies_file) {
            Ok(()) => Some(format!(
                "rules are kept beside the configuration file in use: those of {} were copied to {own}",
                usual.display()
            )),
            Err(error) => {
                let warning = format!(
                    "rules cannot be kept in {own} ({error}): those of {} stay in use",
                    usual.display()
                );
                self.policies_file = usual;
                Some(warning)
            }
        }
    }

    /// The rules that ZodoLlama stored for this user, if there are any.
    pub(crate) fn zodo_policies(&self) -> Option<PathBuf> {
        self.zodo.iter().map(|folder| folder.join(POLICIES)).find(|file| file.is_file())
    }

    /// The trail of decisions.
    pub(crate) fn audit_file(&self) -> PathBuf {
        self.data.join("audit.log")
    }
}

/// Copies a file whole or not at all, and never over another.
fn copy_new(from: &Path, to: &Path) -> std::io::Result<()> {
    let half = to.with_file_name(format!("{POLICIES}.{}", std::process::id()));
    let copied = std::fs::copy(from, &half).and_then(|_| std::fs::hard_link(&half, to));
    // What is left of a copy that failed is of no use, and may not be there at all.
    let _ = std::fs::remove_file(&half);
    copied
}

/// A path from a flag or else from a variable; one that is set to nothing says nothing.
fn said(flag: Option<&Path>, variable: &str) -> Option<PathBuf> {
    let from_variable = || std::env::var_os(variable).filter(|path| !path.is_empty()).map(PathBuf::from);
    flag.map(Path::to_path_buf).or_else(from_variable)
}

/// A project's own file, below its root.
pub(crate) const PROJECT_FILE: &str = ".windlass/config.toml";

/// A project's own file.
pub(crate) fn project_file(root: &Path) -> PathBuf {
    root.join(PROJECT_FILE)
}
