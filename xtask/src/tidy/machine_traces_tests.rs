//! Which texts give a machine away.

use super::*;

#[test]
fn the_folder_of_the_checkout_is_a_trace_and_the_same_word_inside_a_path_is_not() {
    let own = own_prefix(Path::new("/yard/windlass")).unwrap();
    assert_eq!(own, "/yard/");
    assert!(trace_in("see /yard/notes.md", Some(&own)).is_some());
    assert!(trace_in("see crates/yard/src", Some(&own)).is_none());
    assert!(trace_in("glob **/yard/*", Some(&own)).is_none());
}

#[test]
fn a_checkout_under_a_standard_folder_is_known_by_its_whole_path() {
    assert_eq!(own_prefix(Path::new("/tmp/abc/windlass")).unwrap(), "/tmp/abc/windlass");
    assert!(trace_in("a file in /tmp/out", Some("/tmp/abc/windlass")).is_none());
}

#[test]
fn homes_are_traces_unless_the_person_is_a_placeholder() {
    let home = |name: &str| format!("open /{}/{name}/project/a.rs", "home");
    assert_eq!(trace_in(&home("carla"), None).unwrap(), format!("/{}/carla", "home"));
    assert!(trace_in(&home("user"), None).is_none());
    assert!(trace_in(concat!("PATH=/root", "/.cargo/bin"), None).is_some());
    assert!(trace_in(concat!("/root", "/.ssh/id_rsa is refused"), None).is_none());
}
