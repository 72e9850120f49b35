//! Node's versions, and when packages are fetched.

use super::*;
use crate::checkout::tests::Fixture;

#[test]
fn old_node_is_refused() {
    for version in ["v20.19.0\n", "v22.1.0", "v100.0.0"] {
        assert!(is_new_enough(version), "{version}");
    }
    for version in ["v18.20.4", "v20.18.3", "", "nonsense"] {
        assert!(!is_new_enough(version), "{version}");
    }
}

#[test]
fn packages_are_fetched_when_the_lock_file_is_another_one() {
    let fixture = Fixture::new().with("web/package-lock.json", "{\"a\":1}");
    let folder = fixture.root().join("web");
    assert!(!is_stamped(&folder));
    let fixture = fixture.with(&format!("web/{STAMP}"), "{\"a\":1}");
    assert!(is_stamped(&folder));
    let _fixture = fixture.with("web/package-lock.json", "{\"a\":2}");
    assert!(!is_stamped(&folder));
}

#[test]
fn packages_run_nothing_when_they_are_fetched() {
    let app = WebApp { folder: PathBuf::from("web") };
    let command = app.install().to_string();
    assert!(command.starts_with("npm ci --ignore-scripts"), "{command}");
}
