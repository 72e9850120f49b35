use serde_json::json;

use super::*;
use crate::permission::DeniedBy;

fn looked_at(path: &str, diff: &str, sha: &str) -> Inspection {
    let Some(pins) = json!({ "expected_sha256": sha }).as_object().cloned() else { panic!("no object") };
    let (targets, preview) = (vec![Target::Path(path.into())], Some(Preview::Diff(diff.into())));
    Inspection { targets, preview, pins, ..Inspection::default() }
}

#[test]
fn a_call_is_held_to_its_targets_its_diff_and_its_pins() {
    let held = Held::to(looked_at("notes/x", "+a", "1"));
    assert_eq!(held.check(&looked_at("notes/x", "+a", "1")), Ok(()));
    let elsewhere = held.check(&looked_at(".git/hooks/x", "+a", "1")).unwrap_err();
    assert_eq!(elsewhere.denied_by, Some(DeniedBy::Limit));
    assert_eq!(
        elsewhere.message,
        "The call now leads elsewhere: it was approved for 'notes/x' and would touch '.git/hooks/x'; nothing was done"
    );
    for other in [looked_at("notes/x", "+b", "1"), looked_at("notes/x", "+a", "2")] {
        assert!(held.check(&other).unwrap_err().message.contains("no longer what was approved"));
    }
    assert!(held.targets().check(&Target::Path("notes/x".into())).is_ok());
    assert!(held.targets().check(&Target::Path("notes/y".into())).is_err());
}

#[test]
fn a_call_that_may_have_begun_is_held_to_its_targets_alone() {
    let held = Held::to_targets(looked_at("a", "+a", "1"));
    assert_eq!(held.check(&looked_at("a", "", "2")), Ok(()));
    assert!(held.check(&looked_at("b", "", "2")).is_err());
    assert_eq!(Held::default().check(&looked_at("b", "", "2")), Ok(()));
    assert!(HeldTargets::default().check(&Target::Path("b".into())).is_ok());
}
