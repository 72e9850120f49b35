//! Every way in which a committed build can be another one.

use super::*;
use crate::checkout::tests::Fixture;

fn fixture() -> Fixture {
    Fixture::new()
        .with("dist/index.html", "<p>")
        .with("new/index.html", "<p>")
        .with("new/assets/a.js", "let a = 1")
}

fn verdict(fixture: &Fixture) -> Result<()> {
    check(&fixture.root().join("dist"), &fixture.root().join("new"))
}

#[test]
fn the_same_build_is_no_drift() {
    verdict(&fixture().with("dist/assets/a.js", "let a = 1")).unwrap();
}

#[test]
fn every_other_file_is_named_with_the_way_to_mend_it() {
    let missing = verdict(&fixture()).unwrap_err().to_string();
    assert!(
        missing.contains("npm run build") && missing.contains("assets/a.js is not committed"),
        "{missing}"
    );
    let other = verdict(&fixture().with("dist/assets/a.js", "let b = 1")).unwrap_err().to_string();
    assert!(other.contains("assets/a.js differs from byte 4 on"), "{other}");
    let more = fixture().with("dist/assets/a.js", "let a = 1").with("dist/assets/old.js", "");
    let more = verdict(&more).unwrap_err().to_string();
    assert!(more.contains("assets/old.js is committed, but not built any more"), "{more}");
}

#[test]
fn nothing_committed_is_a_drift_and_no_crash() {
    let error = check(Path::new("nowhere"), &fixture().root().join("new")).unwrap_err().to_string();
    assert!(error.contains("index.html is not committed"), "{error}");
}
