use super::is_secret;

#[test]
fn names_folders_beginnings_and_endings_tell_a_secret_whatever_their_case() {
    for path in [
        ".env",
        "deploy/.ENV",
        ".env.production",
        "home/.ssh/config",
        ".aws",
        "keys/server.PEM",
        "id_rsa.pub",
        "app/credentials.json",
        "infra/prod.tfstate",
    ] {
        assert!(is_secret(path), "{path}");
    }
    for path in ["", "env", "src/key.rs", "environment.md", "monkey", ".envy", "credentials.json.md"] {
        assert!(!is_secret(path), "{path}");
    }
}

#[test]
fn examples_that_are_made_to_be_shared_are_no_secrets() {
    for path in [".env.example", "app/.env.Sample", ".env.template", ".env.dist"] {
        assert!(!is_secret(path), "{path}");
    }
    assert!(is_secret(".ssh/.env.example"), "what lies in a secret folder is secret");
}

#[test]
fn copies_of_editors_and_credentials_of_tools_are_secrets() {
    for path in [
        ".env~",
        "app/#.env#",
        ".env.bak",
        "..env.swp",
        ".#.env",
        "prod.env",
        "id_rsa~",
        ".docker/config.json",
        "home/.config/gh/hosts.yml",
        "infra/prod.tfvars",
        "prod.auto.tfvars.json",
        "service-account.json",
        "keys/service-account-prod.json",
        ".git/config",
        "vendor/x/.git/config",
    ] {
        assert!(is_secret(path), "{path}");
    }
    for path in [
        "config.json",
        "docker/config.json",
        "hosts.yml",
        "service.json",
        "example.env",
        "git/config",
        "notes~",
    ] {
        assert!(!is_secret(path), "{path}");
    }
}
