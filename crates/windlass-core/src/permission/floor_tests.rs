use super::*;

const TABLE: &str = include_str!("../../../../fixtures/floor.json");

fn spellings(kind: &str) -> Vec<String> {
    let table: serde_json::Value = serde_json::from_str(TABLE).unwrap();
    table[kind].as_array().unwrap().iter().map(|line| line.as_str().unwrap().to_owned()).collect()
}

fn wrong(kind: &str, is_right: fn(FloorFinding) -> bool) -> Vec<String> {
    spellings(kind).into_iter().filter(|line| !is_right(look_at(line, "/srv/area/project"))).collect()
}

#[test]
fn spellings_of_destruction_are_found_and_their_neighbours_are_not() {
    let missed = wrong("refused", |finding| matches!(finding, FloorFinding::Destroys(_)));
    assert!(missed.is_empty(), "not found: {missed:#?}");
    let hit = wrong("harmless", |finding| finding == FloorFinding::Nothing);
    assert!(hit.is_empty(), "wrongly found: {hit:#?}");
    let read = wrong("unreadable", |finding| finding == FloorFinding::Unreadable);
    assert!(read.is_empty(), "not unreadable: {read:#?}");
    assert!(spellings("refused").len() >= 150 && spellings("harmless").len() >= 60);
}

#[test]
fn a_project_may_lie_anywhere_but_is_never_everything() {
    let finds = |line: &str, root: &str| matches!(look_at(line, root), FloorFinding::Destroys(_));
    assert!(!finds("rm -rf target", "/usr/src/app"));
    assert!(!finds("rm -rf sites-old", "/etc/nginx"));
    assert!(!finds("rm -rf target", "/home/me/project"));
    assert!(!finds("rm -rf target", &["", "root", "project"].join("/")));
    assert!(finds("rm -rf *", "/"));
    assert!(finds("rm -rf *", "/home/me"));
    assert!(finds("rm -rf etc", "/"));
    assert!(finds("rm -rf ..", "/srv/www/project"));
}
