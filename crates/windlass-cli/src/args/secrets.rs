//! What `windlass secrets` takes.

use clap::{Args as ClapArgs, Subcommand};

/// `windlass secrets …`.
#[derive(Debug, Subcommand)]
pub(crate) enum SecretsCommand {
    /// List their names and the hosts they are for; no value is shown
    List,
    /// Save a secret and bind it to hosts; the value is read from stdin, or typed without being shown
    Set(SetSecretArgs),
    /// Remove a secret
    Remove {
        /// Its name
        name: String,
    },
}

/// `windlass secrets set`.
#[derive(Debug, ClapArgs)]
pub(crate) struct SetSecretArgs {
    /// Its name, as in {{secret:NAME}}
    pub(crate) name: String,
    /// A host it may be sent to: api.example.com, or box.lan:8080 (repeatable)
    #[arg(long = "host", value_name = "HOST", required = true)]
    pub(crate) hosts: Vec<String>,
    /// Take the value from this variable whenever it is needed, instead of the keyring
    #[arg(long, value_name = "VARIABLE", conflicts_with = "command")]
    pub(crate) env: Option<String>,
    /// Take the value from this command, run without a shell, whenever it is needed
    #[arg(long, value_name = "WORD", num_args = 1.., allow_hyphen_values = true)]
    pub(crate) command: Vec<String>,
}
