use super::*;

#[test]
fn a_manifest_is_read_with_and_without_hashes_and_tags() {
    let text = r#"{"version": "1.0", "modules": {
        "a": {"path": "a.json", "hash": "sha256:00", "tags": ["x"]},
        "b": {"path": "b.json", "hash": null, "tags": null},
        "c": {"path": "c.json"}
    }}"#;
    let manifest = Manifest::parse("manifest.json", text).unwrap();
    assert_eq!(manifest.modules["a"].tags, ["x"]);
    assert_eq!(manifest.modules["b"], ManifestEntry { path: "b.json".into(), ..ManifestEntry::default() });
    assert_eq!(Manifest::parse("again", &serde_json::to_string(&manifest).unwrap()), Ok(manifest));
}

#[test]
fn what_is_wrong_with_a_manifest_is_told_with_its_place() {
    for (text, told) in [
        ("{\n  \"version\": }", "JSON error: m.json:2:14: expected value"),
        ("{\"version\": \"1.0\"", "JSON error: m.json:1:17: EOF while parsing an object"),
        (
            "{\n\"version\": 1, \"modules\": {}}",
            "Invalid module format: m.json:2:12: invalid type: integer `1`",
        ),
        ("{\"modules\": {}}", "Invalid module format: m.json:1:15: missing field `version`"),
        (
            "{\n\"version\": \"2.0\", \"modules\": {}}",
            "Invalid module format: m.json:2: the version is '2.0'",
        ),
        ("{\"version\": \"1.0\", \"modules\": {\"a\": {}}}", "missing field `path`"),
    ] {
        let error = Manifest::parse("m.json", text).unwrap_err().to_string();
        assert!(error.contains(told), "{error}");
    }
}

#[test]
fn r_19_a_hash_is_compared_without_regard_to_case() {
    let entry = |hash: &str| ManifestEntry { hash: Some(hash.to_owned()), ..ManifestEntry::default() };
    assert_eq!(entry("sha256:AB12").check_hash("m", "ab12"), Ok(()));
    assert_eq!(ManifestEntry::default().check_hash("m", "ab12"), Ok(()));
    let error = entry("sha256:ab13").check_hash("m", "ab12").unwrap_err();
    assert_eq!(error.to_string(), "Hash mismatch for module m: expected sha256:ab13, actual sha256:ab12");
}
