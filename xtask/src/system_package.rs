//! Programs that the system's own packages bring: found on the path, or installed once where that needs nobody's word.
//!
//! Knows nothing of what they are for.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::command_line::CommandLine;

/// A program, and the package of Debian that has it.
pub(crate) struct SystemPackage {
    /// What people call it.
    pub(crate) title: &'static str,
    /// Names that the program goes by, the best one first.
    pub(crate) names: &'static [&'static str],
    pub(crate) package: &'static str,
    /// The variable that names another program.
    pub(crate) variable: &'static str,
    /// The step that needs it.
    pub(crate) step: &'static str,
}

/// A terminal that a test can type into and look at.
pub(crate) const TMUX: SystemPackage = SystemPackage {
    title: "tmux",
    names: &["tmux"],
    package: "tmux",
    variable: "TMUX_PROGRAM",
    step: "test",
};

/// What holds commands on Linux.
pub(crate) const BUBBLEWRAP: SystemPackage = SystemPackage {
    title: "bubblewrap",
    names: &["bwrap"],
    package: "bubblewrap",
    variable: "BWRAP_PROGRAM",
    step: "bubblewrap",
};

impl SystemPackage {
    /// The same where the tests that need it say themselves that it is missing, and hold the program to saying so too.
    pub(crate) fn install_where_possible(&self, root: &Path) {
        if let Err(error) = self.find_or_install(root) {
            println!("      going on without it: {error}");
        }
    }

    /// Where it is; installs it if it is nowhere.
    pub(crate) fn find_or_install(&self, root: &Path) -> Result<PathBuf> {
        let named = std::env::var(self.variable).ok().filter(|name| !name.is_empty());
        let folders: Vec<PathBuf> =
            std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default();
        if let Some(program) = self.find(named.as_deref(), &folders)? {
            return Ok(program);
        }
        let title = self.title;
        let Some(lead) = install_lead(root, &folders) else { bail!("{title} is not here: {}", self.cure()) };
        println!("      {title} is not here: installing the system's own package, once");
        for invocation in self.install(root, lead) {
            println!("      {invocation}");
            if !invocation.succeeds()? {
                bail!("`{invocation}` failed: {}", self.cure());
            }
        }
        match self.find(None, &folders)? {
            Some(program) => Ok(program),
            None => bail!("the package was installed, and there is still no {title}: {}", self.cure()),
        }
    }

    fn cure(&self) -> String {
        format!(
            "install it ({}), or name one with {}=PATH, or leave the step out with --skip {}",
            self.names.join(", "),
            self.variable,
            self.step
        )
    }

    /// The one that somebody named, or the first on the path.
    fn find(&self, named: Option<&str>, folders: &[PathBuf]) -> Result<Option<PathBuf>> {
        if let Some(name) = named {
            let found = if name.contains('/') { Some(PathBuf::from(name)) } else { on_path(name, folders) };
            return match found.filter(|path| path.is_file()) {
                Some(path) => Ok(Some(path)),
                None => bail!("{} names {name}, which is not there: {}", self.variable, self.cure()),
            };
        }
        Ok(self.names.iter().find_map(|name| on_path(name, folders)))
    }

    fn install(&self, root: &Path, lead: &[&str]) -> [CommandLine; 2] {
        let steps: [&[&str]; 2] =
            [&["update", "-qq"], &["install", "-y", "-qq", "--no-install-recommends", self.package]];
        steps.map(|args| {
            let words: Vec<&str> = lead
                .iter()
                .chain(&["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"])
                .chain(args)
                .copied()
                .collect();
            let (program, args) =
                words.split_first().map_or(("true", &[][..]), |(program, args)| (*program, args));
            CommandLine::new(root, program, args)
        })
    }
}

fn on_path(name: &str, folders: &[PathBuf]) -> Option<PathBuf> {
    folders.iter().map(|folder| folder.join(name)).find(|path| path.is_file())
}

/// What stands before `apt-get`, if packages can be installed without asking anybody.
fn install_lead(root: &Path, folders: &[PathBuf]) -> Option<&'static [&'static str]> {
    on_path("apt-get", folders)?;
    let is_root = CommandLine::new(root, "id", &["-u"]).output().is_ok_and(|id| id.trim() == "0");
    if is_root {
        return Some(&[]);
    }
    on_path("sudo", folders)?;
    CommandLine::new(root, "sudo", &["-n", "true"]).output().ok().map(|_| &["sudo", "-n"][..])
}

#[cfg(test)]
#[path = "system_package_tests.rs"]
mod tests;
