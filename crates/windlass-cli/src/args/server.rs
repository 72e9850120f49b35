//! The arguments of the commands about servers: starting one, going there, and the token.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueHint};

use super::{AppArgs, PermissionArgs};

/// `windlass serve`.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct ServeArgs {
    /// Where to listen: HOST:PORT, or a port of this machine; port 0 takes a free one [default: 127.0.0.1:4117]
    #[arg(long, value_name = "HOST:PORT", aliases = ["listen", "bind"], visible_alias = "port")]
    pub(crate) addr: Option<String>,
    /// A file with the token that clients must send [default: one that is made, which `windlass token` prints]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) token_file: Option<PathBuf>,
    /// Let every program and every user of this machine in; not for addresses beyond it
    #[arg(long, conflicts_with = "token_file")]
    pub(crate) no_token: bool,
    /// Speak TLS with this certificate, in PEM form
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "tls_key")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// The certificate's private key, in PEM form
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,
    /// Open the browser and sign it in
    #[arg(long)]
    pub(crate) open: bool,
    #[command(flatten)]
    pub(crate) permission: PermissionArgs,
}

/// `windlass attach`.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct AttachArgs {
    /// Where the server is, as `windlass serve` prints it: http://127.0.0.1:4117/, or HOST:PORT
    #[arg(value_name = "URL", value_hint = ValueHint::Url)]
    pub(crate) url: String,
    /// A file with the token that the server wants [env: WINDLASS_TOKEN] [default: that of your own servers on this machine]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) token_file: Option<PathBuf>,
    /// A certificate to trust, in PEM form: that of the server, or of whoever signed it
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) tls_ca: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) app: AppArgs,
}

/// `windlass token`.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct TokenArgs {
    /// Print a link that signs a browser in, once, instead
    #[arg(long)]
    pub(crate) link: bool,
    /// Where the server of the link listens [default: that of the configuration, or 127.0.0.1:4117]
    #[arg(long, value_name = "HOST:PORT", requires = "link")]
    pub(crate) addr: Option<String>,
}
