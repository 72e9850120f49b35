//! Where programs are looked for, and how they are got.

use super::*;
use crate::checkout::tests::Fixture;

const CHROMIUM: SystemPackage = SystemPackage {
    title: "Chromium",
    names: &["chromium", "google-chrome"],
    package: "chromium",
    variable: "CHROMIUM",
    step: "browser",
};

#[test]
fn the_program_is_the_one_that_is_named_or_the_first_on_the_path() {
    let fixture = Fixture::new().with("a/google-chrome", "").with("b/chromium", "").with("c/own", "");
    let folders = [fixture.root().join("a"), fixture.root().join("b")];
    let own = fixture.root().join("c/own");
    assert_eq!(
        CHROMIUM.find(None, &folders).unwrap(),
        Some(folders[1].join("chromium")),
        "Chromium before Chrome"
    );
    assert_eq!(
        CHROMIUM.find(Some("google-chrome"), &folders).unwrap(),
        Some(folders[0].join("google-chrome"))
    );
    assert_eq!(CHROMIUM.find(own.to_str(), &folders).unwrap(), Some(own));
    assert_eq!(CHROMIUM.find(None, &[]).unwrap(), None);
}

#[test]
fn a_named_program_that_is_not_there_is_told_with_what_to_do() {
    let error = CHROMIUM.find(Some("/nowhere/chromium"), &[]).unwrap_err().to_string();
    assert!(
        error.contains("CHROMIUM names /nowhere/chromium") && error.contains("--skip browser"),
        "{error}"
    );
}

#[test]
fn the_package_is_installed_without_asking_anybody() {
    let [update, install_it] = CHROMIUM.install(Path::new("."), &["sudo", "-n"]).map(|step| step.to_string());
    assert_eq!(update, "sudo -n env DEBIAN_FRONTEND=noninteractive apt-get update -qq");
    assert!(install_it.ends_with("apt-get install -y -qq --no-install-recommends chromium"), "{install_it}");
    let [first, _] = CHROMIUM.install(Path::new("."), &[]).map(|step| step.to_string());
    assert!(first.starts_with("env DEBIAN_FRONTEND"), "{first}");
}
