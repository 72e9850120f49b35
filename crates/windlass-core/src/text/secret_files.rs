//! Which files hold secrets by their name: tools neither list, search, read nor write them, and no index reads them.
//!
//! The one list of the house. Names are compared without regard to case, because some file systems do so too. Knows
//! nothing of what is in a file.

/// Folders whose whole content is secret.
const FOLDERS: [&str; 7] = [".ssh", ".gnupg", ".aws", ".azure", ".gcloud", ".kube", ".password-store"];

const NAMES: [&str; 17] = [
    ".env",
    ".envrc",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".my.cnf",
    ".htpasswd",
    ".dockercfg",
    ".git-credentials",
    ".vault-token",
    "credentials.json",
    "client_secret.json",
    "secrets.json",
    "secrets.yaml",
    "secrets.yml",
];

const PREFIXES: [&str; 5] = [".env.", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"];

const SUFFIXES: [&str; 9] =
    [".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ppk", ".tfstate"];

/// Names that look secret but are made to be shared.
const SHARED: [&str; 4] = [".env.example", ".env.sample", ".env.template", ".env.dist"];

/// Whether a relative path with `/`, or a single name, leads to a secret.
pub fn is_secret(path: &str) -> bool {
    let path = path.to_lowercase();
    let mut parts = path.split('/').rev();
    let name = parts.next().unwrap_or_default();
    FOLDERS.contains(&name) || parts.any(|part| FOLDERS.contains(&part)) || is_secret_name(name)
}

/// Whether a file of this lower-case name is a secret.
fn is_secret_name(name: &str) -> bool {
    if SHARED.contains(&name) {
        return false;
    }
    NAMES.contains(&name)
        || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        || SUFFIXES.iter().any(|suffix| name.ends_with(suffix))
}

#[cfg(test)]
#[path = "secret_files_tests.rs"]
mod tests;
