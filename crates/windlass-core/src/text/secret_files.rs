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

const SUFFIXES: [&str; 13] = [
    ".pem",
    ".key",
    ".p12",
    ".pfx",
    ".jks",
    ".keystore",
    ".kdbx",
    ".ppk",
    ".tfstate",
    ".tfvars",
    ".tfvars.json",
    ".env",
    ".tfstate.backup",
];

/// Beginnings and endings of names that belong together.
const AROUND: [(&str, &str); 2] = [("service-account", ".json"), ("service_account", ".json")];

/// Files that are secret in a folder of this name.
const IN_FOLDER: [(&str, &str); 4] = [
    (".docker", "config.json"),
    ("gh", "hosts.yml"),
    ("gh", "hosts.yaml"),
    // Addresses of remotes have passwords and tokens in them.
    (".git", "config"),
];

/// What editors put behind the name of a file that they keep a copy of.
const COPIES: [&str; 6] = ["~", ".bak", ".old", ".orig", ".save", ".swp"];

/// Names that look secret but are made to be shared.
const SHARED: [&str; 8] = [
    ".env.example",
    ".env.sample",
    ".env.template",
    ".env.dist",
    "example.env",
    "sample.env",
    "template.env",
    "example.tfvars",
];

/// Whether a relative path with `/`, or a single name, leads to a secret.
pub fn is_secret(path: &str) -> bool {
    let path = path.to_lowercase();
    let mut parts = path.split('/').rev();
    let name = parts.next().unwrap_or_default();
    let own = without_marks_of_a_copy(name);
    let folder = parts.clone().next().unwrap_or_default();
    FOLDERS.contains(&name)
        || parts.any(|part| FOLDERS.contains(&part))
        || IN_FOLDER.contains(&(folder, own))
        || is_secret_name(name)
        || (own != name && is_secret_name(own))
}

/// `#.env#`, `.env~`, `.#.env`, `..env.swp`: the name of the file that they are copies of.
fn without_marks_of_a_copy(name: &str) -> &str {
    let inner = name.strip_prefix('#').and_then(|name| name.strip_suffix('#')).unwrap_or(name);
    let inner = inner.strip_prefix(".#").unwrap_or(inner);
    let original = COPIES.iter().find_map(|ending| inner.strip_suffix(ending)).unwrap_or(inner);
    // Editors that keep a swap file hide it by a further dot.
    if inner.ends_with(".swp") { original.strip_prefix('.').unwrap_or(original) } else { original }
}

/// Whether a file of this lower-case name is a secret.
fn is_secret_name(name: &str) -> bool {
    if SHARED.contains(&name) {
        return false;
    }
    NAMES.contains(&name)
        || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        || SUFFIXES.iter().any(|suffix| name.ends_with(suffix))
        || AROUND.iter().any(|(begin, end)| name.starts_with(begin) && name.ends_with(end))
}

#[cfg(test)]
#[path = "secret_files_tests.rs"]
mod tests;
