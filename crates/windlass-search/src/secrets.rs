//! Which files hold secrets by their name: they are never read, so they cannot be found.
//!
//! Names are compared without regard to case, because some file systems do so too.

/// Folders whose whole content is secret.
const FOLDERS: [&str; 7] = [".ssh", ".gnupg", ".aws", ".azure", ".gcloud", ".kube", ".password-store"];

/// Whole names.
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

/// Beginnings of names.
const PREFIXES: [&str; 5] = [".env.", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"];

/// Endings of names.
const SUFFIXES: [&str; 9] =
    [".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ppk", ".tfstate"];

/// Whether a file or folder of this name is a secret.
pub(crate) fn is_secret(name: &str) -> bool {
    let name = name.to_lowercase();
    FOLDERS.contains(&name.as_str())
        || NAMES.contains(&name.as_str())
        || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        || SUFFIXES.iter().any(|suffix| name.ends_with(suffix))
}
