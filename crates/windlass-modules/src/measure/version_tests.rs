//! Versions of modules, written.

use std::collections::BTreeMap;

use super::*;
use crate::manifest::ManifestEntry;
use crate::measure::proposer;

fn folder() -> (tempfile::TempDir, Module) {
    let folder = tempfile::tempdir().unwrap();
    let module = proposer();
    let text = serde_json::to_string(&module).unwrap();
    fs::create_dir(folder.path().join("npc")).unwrap();
    fs::write(folder.path().join("npc/haggle.json"), &text).unwrap();
    let entry =
        ManifestEntry { path: "npc/haggle.json".to_owned(), hash: None, tags: vec!["npc".to_owned()] };
    let manifest =
        Manifest { version: "1.0".to_owned(), modules: BTreeMap::from([(module.module_id.clone(), entry)]) };
    replace_manifest(folder.path(), &manifest).unwrap();
    (folder, module)
}

#[test]
fn the_next_version_counts_the_last_number_up() {
    for (version, next) in [("1", "2"), ("1.9", "1.10"), ("2.0.3", "2.0.4"), ("", "2"), ("draft", "draft.2")]
    {
        assert_eq!(next_version(version), next);
    }
}

#[test]
fn a_new_version_is_a_new_file_and_the_old_one_stays_as_it_was() {
    let (folder, mut module) = folder();
    let old = fs::read(folder.path().join("npc/haggle.json")).unwrap();
    module.metadata.version = "1.1".to_owned();
    module.metadata.metric_score = Some(0.75);
    let written = write_version(folder.path(), &module).unwrap();
    assert_eq!(written.path, folder.path().join("npc/haggle.v1.1.json"));
    assert_eq!(fs::read(&written.kept).unwrap(), old);
    let manifest = read_manifest(folder.path()).unwrap();
    let entry = &manifest.modules[&module.module_id];
    assert_eq!(entry.path, "npc/haggle.v1.1.json");
    assert_eq!(entry.hash.as_deref(), Some(written.hash.as_str()));
    assert_eq!(entry.tags, ["npc"], "what the optimiser does not know stays");
    assert_eq!(written_hash(&fs::read(&written.path).unwrap()), written.hash);
    let read: Module = serde_json::from_slice(&fs::read(&written.path).unwrap()).unwrap();
    assert_eq!(read, module);
}

#[test]
fn versions_of_versions_keep_the_name_and_never_write_over_a_file() {
    let (folder, mut module) = folder();
    module.metadata.version = "2".to_owned();
    write_version(folder.path(), &module).unwrap();
    module.metadata.version = "3".to_owned();
    assert!(write_version(folder.path(), &module).unwrap().path.ends_with("npc/haggle.v3.json"));
    assert!(write_version(folder.path(), &module).unwrap().path.ends_with("npc/haggle.v3-2.json"));
}

#[test]
fn a_module_that_the_manifest_does_not_have_is_not_written() {
    let (folder, mut module) = folder();
    module.module_id = "other".to_owned();
    assert_eq!(write_version(folder.path(), &module), Err(ModuleError::ModuleNotFound("other".to_owned())));
}

#[test]
fn hashes_are_brought_up_to_date_and_told() {
    let (folder, module) = folder();
    let ids = [module.module_id];
    assert_eq!(write_hashes(folder.path()).unwrap(), ids);
    assert!(write_hashes(folder.path()).unwrap().is_empty());
    fs::write(folder.path().join("npc/haggle.json"), "{}").unwrap();
    assert_eq!(write_hashes(folder.path()).unwrap(), ids);
}
