use super::*;

#[test]
fn what_other_programs_obey_is_protected_in_every_spelling() {
    for path in [
        ".git",
        ".git/config",
        ".git/hooks/pre-commit",
        "sub/.git/hooks/x",
        "deep/er/.windlass/tools/a.rhai",
        ".windlass",
        ".vscode/tasks.json",
        ".idea/workspace.xml",
        ".cargo/config",
        ".cargo/config.toml",
        "crates/a/.cargo/config.toml",
        ".cargo",
        ".husky/pre-push",
        ".github/workflows/ci.yml",
        ".github/workflows",
        ".github",
        ".pre-commit-config.yaml",
        ".claude/settings.json",
        ".cursor/rules",
        "AGENTS.md",
        "sub/CLAUDE.md",
        ".mcp.json",
        ".envrc",
        ".bashrc",
        "home/.zshenv",
        ".config/fish/config.fish",
        // Case.
        ".GIT/config",
        ".Git/HOOKS/x",
        "agents.MD",
        ".hu\u{17f}ky/pre-push",
        // What Windows and macOS leave out of names.
        ".git./config",
        ".git /config",
        ".git. . /config",
        ".git::$INDEX_ALLOCATION/config",
        "GIT~1/config",
        ".g\u{200c}it/config",
        "AGENTS.md.",
        "sub\\.git\\config",
        "./.git//config",
    ] {
        assert!(is_protected(path), "{path}");
    }
}

#[test]
fn what_only_looks_like_it_is_not_protected() {
    for path in [
        ".",
        "",
        "src/main.rs",
        ".gitignore",
        ".gitattributes",
        "git/config",
        "my.git/x",
        ".github/ISSUE_TEMPLATE.md",
        ".github/dependabot.yml",
        ".cargo/credentials.example",
        "docs/agents.md.txt",
        "MY-AGENTS.md",
        "bashrc",
        "config.toml",
        "windlass/config.toml",
    ] {
        assert!(!is_protected(path), "{path}");
    }
}

#[test]
fn each_place_is_protected_under_its_own_name() {
    assert!(PLACES.iter().all(|place| is_protected(place)));
    assert!(is_commanding("a/.GIT/x") && is_commanding(".windlass/a") && !is_commanding("AGENTS.md"));
}
