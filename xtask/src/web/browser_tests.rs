//! Where Chromium is looked for, and how it is got.

use super::*;
use crate::checkout::tests::Fixture;

#[test]
fn the_browser_is_the_one_that_is_named_or_the_first_on_the_path() {
    let fixture = Fixture::new().with("a/google-chrome", "").with("b/chromium", "").with("c/own", "");
    let folders = [fixture.root().join("a"), fixture.root().join("b")];
    let own = fixture.root().join("c/own");
    assert_eq!(find(None, &folders).unwrap(), Some(folders[1].join("chromium")), "Chromium before Chrome");
    assert_eq!(find(Some("google-chrome"), &folders).unwrap(), Some(folders[0].join("google-chrome")));
    assert_eq!(find(own.to_str(), &folders).unwrap(), Some(own));
    assert_eq!(find(None, &[]).unwrap(), None);
}

#[test]
fn a_named_browser_that_is_not_there_is_told_with_what_to_do() {
    let error = find(Some("/nowhere/chromium"), &[]).unwrap_err().to_string();
    assert!(
        error.contains("CHROMIUM names /nowhere/chromium") && error.contains("--skip browser"),
        "{error}"
    );
}

#[test]
fn the_package_is_installed_without_asking_anybody() {
    let [update, install_it] = install(Path::new("."), &["sudo", "-n"]).map(|step| step.to_string());
    assert_eq!(update, "sudo -n env DEBIAN_FRONTEND=noninteractive apt-get update -qq");
    assert!(install_it.ends_with("apt-get install -y -qq --no-install-recommends chromium"), "{install_it}");
    let [first, _] = install(Path::new("."), &[]).map(|step| step.to_string());
    assert!(first.starts_with("env DEBIAN_FRONTEND"), "{first}");
}
