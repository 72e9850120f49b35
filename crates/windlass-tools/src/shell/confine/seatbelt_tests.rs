use windlass_core::permission::Confinement;

use super::super::plan::tests::PlanPlace;
use super::*;

fn golden(place: &PlanPlace) -> String {
    let home = place.home().display().to_string();
    profile(&place.plan()).replace(&home, "HOME")
}

#[test]
fn the_profile_for_a_project_that_may_be_written() {
    assert_eq!(golden(&PlanPlace::new()), include_str!("golden/workspace_write.sb"));
}

#[test]
fn the_profile_for_a_project_that_may_only_be_read() {
    let mut place = PlanPlace::new();
    place.config.confinement = Confinement::ReadOnly;
    assert_eq!(golden(&place), include_str!("golden/read_only.sb"));
}

#[test]
fn a_path_cannot_end_its_text() {
    assert_eq!(quoted(Path::new("/a\"b\\c")), r#""/a\"b\\c""#);
}
