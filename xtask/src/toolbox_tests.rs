//! A tool is taken where it is and has the right version; the build command is the cheap one.

use std::os::unix::fs::PermissionsExt as _;

use super::*;

fn fake_tool(target_folder: &Path, name: &str, version: &str) -> PathBuf {
    let bin = target_folder.join("xtask-tools/bin");
    std::fs::create_dir_all(&bin).unwrap();
    let path = bin.join(name);
    std::fs::write(&path, format!("#!/bin/sh\necho {name} {version}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[test]
fn a_tool_of_the_right_version_is_taken_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let tool = Tool { name: "cargo-of-this-test", version: "1.2.3" };
    let path = fake_tool(folder.path(), tool.name, "1.2.3");
    assert_eq!(tool.find_or_install(folder.path(), folder.path()).unwrap(), path);
}

#[test]
fn a_tool_of_another_version_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let tool = Tool { name: "cargo-of-this-test", version: "1.2.3" };
    let path = fake_tool(folder.path(), tool.name, "1.2.30");
    assert!(!tool.is_at(folder.path(), &path));
    assert!(!tool.is_at(folder.path(), &folder.path().join("nowhere")));
}

#[test]
fn a_tool_is_built_locked_at_its_version_into_the_target_folder() {
    let command = DENY.install(Path::new("."), Path::new("target/xtask-tools")).to_string();
    assert!(command.contains("--locked"), "{command}");
    assert!(command.contains("--root target/xtask-tools"), "{command}");
    assert!(command.ends_with(&format!("--version {} cargo-deny", DENY.version)), "{command}");
}

fn fake_package(target_folder: &Path, version: &str) {
    let folder = target_folder.join("xtask-tools/aimock/node_modules/@copilotkit/aimock");
    std::fs::create_dir_all(&folder).unwrap();
    let manifest = format!("{{\n  \"name\": \"@copilotkit/aimock\",\n  \"version\": \"{version}\"\n}}\n");
    std::fs::write(folder.join("package.json"), manifest).unwrap();
}

#[test]
fn a_package_of_the_right_version_is_taken_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("xtask-tools/aimock");
    assert!(!EMULATOR.is_in(&own));
    fake_package(folder.path(), "1.43.01");
    assert!(!EMULATOR.is_in(&own));
    fake_package(folder.path(), EMULATOR.version);
    EMULATOR.find_or_install(folder.path(), folder.path()).unwrap();
}

#[test]
fn a_package_is_fetched_at_its_version_and_runs_nothing() {
    let command = EMULATOR.install(Path::new("."), Path::new("target/xtask-tools/aimock")).to_string();
    assert!(command.contains("--prefix target/xtask-tools/aimock"), "{command}");
    assert!(command.contains("--ignore-scripts"), "{command}");
    assert!(command.ends_with(&format!("@copilotkit/aimock@{}", EMULATOR.version)), "{command}");
}
