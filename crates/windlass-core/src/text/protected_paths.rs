//! Which paths other programs obey: what git, editors, shells and agents run or follow when they find it. A change to
//! one is a change to what runs later.
//!
//! The one list of the house. By the path alone, in every spelling that some file system takes for the same name: no
//! file is looked at, so links are not followed. Knows no tool and no permission.

/// Folders of which everything is obeyed, wherever they are.
const FOLDERS: [&str; 7] = [".git", ".windlass", ".vscode", ".idea", ".husky", ".claude", ".cursor"];

/// A folder, and how names in it begin that are obeyed.
const IN_FOLDERS: [(&str, &str); 2] = [(".cargo", "config"), (".github", "workflows")];

/// Files, wherever they are: of agents, of tools that run hooks, and those that shells read when they start.
const FILES: [&str; 31] = [
    ".pre-commit-config.yaml",
    ".pre-commit-config.yml",
    "agents.md",
    "claude.md",
    ".mcp.json",
    ".envrc",
    ".gitconfig",
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".zlogout",
    ".kshrc",
    ".mkshrc",
    ".shrc",
    ".cshrc",
    ".tcshrc",
    ".login",
    ".logout",
    ".inputrc",
    ".xprofile",
    ".xinitrc",
    ".xsessionrc",
    "config.fish",
    "profile.ps1",
];

/// Places at the top of a project that a link may give another name: what they lead to is obeyed as well.
pub const PLACES: [&str; 16] = [
    ".git",
    ".windlass",
    ".vscode",
    ".idea",
    ".husky",
    ".claude",
    ".cursor",
    ".cargo",
    ".cargo/config.toml",
    ".cargo/config",
    ".github",
    ".github/workflows",
    ".pre-commit-config.yaml",
    "AGENTS.md",
    "CLAUDE.md",
    ".mcp.json",
];

/// Whether other programs obey what is at a relative path with `/`.
pub fn is_protected(path: &str) -> bool {
    let names = folded_names(path);
    let Some((last, folders)) = names.split_last() else { return false };
    let is_folder = |name: &String| FOLDERS.contains(&name.as_str());
    // The folder around it alone, too: who moves or replaces it moves what is in it.
    let is_around = IN_FOLDERS.iter().any(|(folder, _)| last == folder);
    let is_inside = names.windows(2).any(|pair| match pair {
        [folder, name] => IN_FOLDERS.iter().any(|(own, begin)| folder == own && name.starts_with(begin)),
        _ => false,
    });
    is_folder(last)
        || folders.iter().any(is_folder)
        || is_around
        || is_inside
        || FILES.contains(&last.as_str())
}

/// Whether a path leads into git's own folder or ours: what is there runs without anybody opening it.
pub fn is_commanding(path: &str) -> bool {
    folded_names(path).iter().any(|name| matches!(name.as_str(), ".git" | ".windlass"))
}

/// The names of a path as the most careless file system reads them.
fn folded_names(path: &str) -> Vec<String> {
    path.split(['/', '\\']).map(folded).filter(|name| !name.is_empty()).collect()
}

/// A name without what some file system ignores in it: case, spaces and dots at its end, characters that cannot be
/// seen, and streams behind a colon; the short form of `.git` as well.
fn folded(name: &str) -> String {
    let is_seen = |c: &char| !super::is_hidden(*c) && !matches!(c, '\u{200c}' | '\u{200d}');
    let seen: String = name.chars().filter(is_seen).collect();
    let stem = match seen.find(':') {
        // A colon in front is part of a name everywhere.
        Some(at) if at > 0 => seen.get(..at).unwrap_or(&seen),
        Some(_) | None => &seen,
    };
    // Up and down again: `ſ` and `K` are `s` and `k` to whoever compares without regard to case.
    let folded = stem.trim_end_matches([' ', '.']).to_uppercase().to_lowercase();
    if folded == "git~1" { ".git".to_owned() } else { folded }
}

#[cfg(test)]
#[path = "protected_paths_tests.rs"]
mod tests;
