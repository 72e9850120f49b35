use super::*;

#[test]
fn names_that_look_like_secrets_are_recognised() {
    for name in [
        "OPENAI_API_KEY",
        "GITHUB_TOKEN",
        "npm_config_authToken",
        "AWS_ACCESS_KEY_ID",
        "AWS_PROFILE",
        "DB_PASSWORD",
        "MY_SECRET",
        "SIGNING_KEY",
        "DATABASE_URL",
    ] {
        assert!(is_secret_name(name), "{name}");
    }
    for name in ["PATH", "HOME", "LANG", "SSH_AUTH_SOCK", "KEYBOARD", "CARGO_HOME", "PWD", "OLDPWD"] {
        assert!(!is_secret_name(name), "{name}");
    }
}

#[test]
fn secrets_are_dropped_at_the_door_and_values_are_never_shown() {
    let given = [("PATH", "/bin"), ("X_API_KEY", "hush")].map(|(name, value)| (name.into(), value.into()));
    let environment = Environment::without_secrets(given);
    assert_eq!(environment.variables().count(), 1);
    assert_eq!(format!("{environment:?}"), r#"["PATH"]"#);
}
