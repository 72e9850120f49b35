use super::*;

fn names(given: &[(&str, &str)], named: &[&str]) -> Vec<String> {
    let named: Vec<String> = named.iter().map(|name| (*name).to_owned()).collect();
    let given = given.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
    let secrets = Redactor::new(["swordfish-1".into()]);
    let environment = Environment::allowed(given, &named, &secrets);
    environment.variables().map(|(name, _)| name.to_string_lossy().into_owned()).collect()
}

#[test]
fn what_nobody_named_is_not_inherited() {
    let given = [
        ("PATH", "/bin"),
        ("LC_ALL", "C"),
        ("TZ", "UTC"),
        ("REDIS_URL", "redis://h"),
        ("SSH_AUTH_SOCK", "/run/agent"),
        ("KUBECONFIG", "/k"),
        ("DOCKER_HOST", "tcp://h"),
        ("CARGO_HOME", "/c"),
        ("LD_PRELOAD", "/x.so"),
    ];
    assert_eq!(names(&given, &[]), ["PATH", "LC_ALL", "TZ"]);
    assert_eq!(names(&given, &["CARGO_HOME", "NOT_THERE"]), ["PATH", "LC_ALL", "TZ", "CARGO_HOME"]);
}

#[test]
fn a_value_that_is_a_secret_is_left_out_whoever_named_it() {
    let given = [
        ("TZ", "swordfish-1"),
        ("A", "a swordfish-1 inside"),
        ("B", "sk-proj-abcdefghijklmnop123"),
        ("HTTPS_PROXY", "http://me:pass@proxy:3128"),
        ("C", "plain"),
    ];
    assert_eq!(names(&given, &["A", "B", "C", "HTTPS_PROXY"]), ["C"]);
}

#[test]
fn folders_named_like_keys_stay_and_known_values_in_them_do_not() {
    assert_eq!(names(&[("PATH", "/opt/sk-learn-environment-1/bin")], &[]), ["PATH"]);
    assert_eq!(names(&[("PATH", "/opt/swordfish-1/bin")], &[]), [""; 0]);
}

#[test]
fn values_are_never_shown_and_what_is_left_out_can_be_told() {
    let given = [("PATH", "/bin"), ("TOKEN", "glpat-abcdefghijklmnopqrst")];
    let given = given.map(|(name, value)| (name.into(), value.into()));
    let environment = Environment::allowed(given, &["TOKEN".to_owned()], &Redactor::default());
    assert_eq!(format!("{environment:?}"), r#"["PATH"]"#);
    assert_eq!(environment.left_out(), ["TOKEN"]);
}
