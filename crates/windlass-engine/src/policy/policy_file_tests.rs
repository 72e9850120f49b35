use super::*;

/// Rules for these tests: a JSON list of texts.
fn file(path: impl Into<PathBuf>) -> PolicyFile<Vec<String>> {
    PolicyFile::new(
        path,
        |text| serde_json::from_str(text).map_err(|error| error.to_string()),
        |rules| serde_json::to_string(rules).unwrap(),
    )
}

fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("settings/policies.json");
    (folder, path)
}

#[test]
fn r_61_remembered_rules_are_there_after_a_restart() {
    let (_folder, path) = folder();
    assert_eq!(file(&path).load(), Loaded { rules: vec![], warning: None });
    file(&path).update(|rules| rules.push("a".into())).unwrap();
    file(&path).update(|rules| rules.push("b".into())).unwrap();
    assert_eq!(file(&path).load(), Loaded { rules: vec!["a".into(), "b".into()], warning: None });
}

#[test]
fn r_61_a_corrupt_file_means_asking_with_a_warning_and_is_kept() {
    for corrupt in [&b"[\"a\","[..], b"{}", b"\xff\xfe", b""] {
        let (_folder, path) = folder();
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, corrupt).unwrap();
        let loaded = file(&path).load();
        assert!(loaded.rules.is_empty());
        let warning = loaded.warning.unwrap();
        assert!(warning.contains("policies.json") && warning.contains("every call is asked"), "{warning}");
        assert_eq!(fs::read(&path).unwrap(), corrupt, "loading does not touch it");
    }
}

#[test]
fn r_61_a_corrupt_file_is_copied_before_it_is_replaced() {
    let (_folder, path) = folder();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    for number in 1..=2 {
        fs::write(&path, format!("broken {number}")).unwrap();
        assert_eq!(file(&path).update(|rules| rules.push("new".into())).unwrap(), ["new"]);
    }
    let copy =
        |number: u32| fs::read_to_string(path.with_file_name(format!("policies.json.corrupt-{number}")));
    assert_eq!(copy(1).unwrap(), "broken 1");
    assert_eq!(copy(2).unwrap(), "broken 2");
    assert_eq!(file(&path).load().rules, ["new"]);
}

#[test]
fn too_many_broken_copies_stop_the_storing_and_lose_nothing() {
    let (_folder, path) = folder();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    for number in 1..=POLICY_CORRUPT_MAX {
        fs::write(path.with_file_name(format!("policies.json.corrupt-{number}")), "old").unwrap();
    }
    fs::write(&path, "broken").unwrap();
    let error = file(&path).store(vec!["a".into()]).unwrap_err();
    assert!(matches!(error, PolicyFileError::TooManyCorrupt { .. }));
    assert_eq!(fs::read_to_string(&path).unwrap(), "broken");
}

#[test]
fn a_file_of_monstrous_size_is_not_read_whole() {
    let (_folder, path) = folder();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    File::create(&path).unwrap().set_len(POLICY_BYTES_MAX + 1).unwrap();
    assert!(file(&path).load().warning.unwrap().contains("bytes"));
}

#[test]
fn a_path_that_cannot_be_read_warns_and_refuses_to_store() {
    let folder = tempfile::tempdir().unwrap();
    let at_a_folder = file(folder.path());
    assert!(at_a_folder.load().warning.is_some());
    assert!(at_a_folder.store(vec![]).is_err());
}

#[cfg(unix)]
#[test]
fn only_its_owner_can_read_it_and_a_link_stays_a_link() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let (real, link) = (folder.path().join("real.json"), folder.path().join("link.json"));
    fs::write(&real, "[]").unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    file(&link).store(vec!["a".into()]).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(&real).unwrap(), r#"["a"]"#);
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn writers_at_once_lose_no_rule() {
    let (_folder, path) = folder();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let path = &path;
            scope.spawn(move || {
                for n in 0..5 {
                    file(path).update(|rules| rules.push(format!("{thread}.{n}"))).unwrap();
                }
            });
        }
    });
    assert_eq!(file(&path).load().rules.len(), 20);
}

#[test]
fn what_a_crash_left_behind_does_not_stop_the_next_store() {
    let (_folder, path) = folder();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path.with_file_name("policies.json.new"), "half").unwrap();
    file(&path).store(vec!["a".into()]).unwrap();
    assert_eq!(file(&path).load().rules, ["a"]);
}
