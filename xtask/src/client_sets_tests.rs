//! A set is taken as it is when its list is the same, and every package has one version.

use super::*;

#[test]
fn a_set_of_the_same_list_is_taken_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("xtask-tools/node-clients");
    std::fs::create_dir_all(&own).unwrap();
    std::fs::write(own.join(LIST_FILE), NODE_CLIENTS.packages.join("\n")).unwrap();
    assert_eq!(NODE_CLIENTS.find_or_install(folder.path(), folder.path()).unwrap(), own);
    std::fs::write(own.join(LIST_FILE), "openai@1.0.0").unwrap();
    assert!(!is_made_of(&own, &NODE_CLIENTS.packages.join("\n")));
}

#[test]
fn every_package_has_one_version() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for set in [PYTHON_CLIENTS, INSTRUCTOR, API_CHECKERS] {
        let list = std::fs::read_to_string(root.join(set.list)).unwrap();
        assert!(list.lines().count() > 5, "{}", set.list);
        for line in list.lines() {
            assert!(
                line.split_once("==").is_some_and(|(_, version)| !version.is_empty()),
                "{}: {line}",
                set.list
            );
        }
    }
    for package in NODE_CLIENTS.packages {
        assert!(package.rsplit_once('@').is_some_and(|(_, version)| version.starts_with(char::is_numeric)));
    }
}
