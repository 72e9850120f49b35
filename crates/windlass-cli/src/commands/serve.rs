//! `windlass serve`: a host behind HTTP, until it is told to stop. Runs that were cut off go on by themselves.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, ToSocketAddrs};
use std::path::Path;
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::sync::watch;
use windlass_core::ports::host::ServedPort;
use windlass_core::text::redact::SecretRegistry;
use windlass_core::text::secret::Secret;
use windlass_engine::host::Host;
use windlass_server::axum::Router;
use windlass_server::limits::SIGN_IN_CODE_LIFETIME;
use windlass_server::{ServerConfig, TlsFault, TlsIdentity, UnsafeAddress};

use crate::args::{GlobalArgs, ServeArgs};
use crate::commands::run::block_on;
use crate::commands::token::{is_tls, sign_in_link, url_of};
use crate::complaint::{CommandError, Result};
use crate::config::token;
use crate::config::{CliConfig, Flags};
use crate::exit::Exit;
use crate::project::lock_wait::LockWait;
use crate::project::store::SessionArchive;
use crate::providers::choice::choose;
use crate::providers::local::small_print;
use crate::providers::open::OpenModels;
use crate::telemetry;
use crate::terminal::browser;
use crate::terminal::out::{print_line, tell_line, warn};
use crate::terminal::run_follower::refused;
use crate::terminal::signals::Signals;
use crate::trust::served::ServedFolder;
use crate::wiring::Wiring;

/// Where the server listens unless it is told otherwise.
const ADDRESS: &str = "127.0.0.1:4117";

/// Readers of the store: lists and old events are read beside each other.
const READERS: usize = 2;

pub(crate) fn run(global: &GlobalArgs, args: &ServeArgs) -> Result<Exit> {
    let flags = Flags { global: global.clone(), server: Some(args.clone()), ..Flags::default() };
    // Questions are answered over HTTP: somebody can always be asked.
    let wiring = Wiring::build_for(flags, &args.permission, true)?;
    let config = &wiring.config;
    let address = find_address(config, None)?;
    let server = server_config(global, config, address)?;
    let tls = find_tls(config)?;
    let chosen = choose(config)?;
    let model = chosen.model.name().to_owned();
    let archive = SessionArchive::open(&config.folders, READERS)?;
    let models = Arc::new(OpenModels::of(&wiring, chosen, true)?);
    block_on(async {
        let signals = Signals::listen()?;
        let listener = bind(address).await?;
        let bound = listener.local_addr().unwrap_or(address);
        let host = wiring.host(Arc::clone(&archive.store), models);
        wiring.begin();
        let export = telemetry::start(config, Arc::clone(&host) as Arc<dyn ServedPort>)?;
        let url = url_of(bound, tls.is_some());
        let token = server.token.clone();
        // Before any link: codes of before are refused.
        let app = windlass_server::app(Arc::clone(&host) as Arc<dyn ServedPort>, server);
        say_where(global, config, bound, &model)?;
        say_who(global, &url, token.as_ref(), &config.secrets);
        if let Some(words) = small_print(&model).filter(|_| !global.quiet) {
            tell_line(&words);
        }
        take_up(&host, global.quiet).await?;
        if args.open {
            let link = token
                .as_ref()
                .map_or_else(|| url.clone(), |token| sign_in_link(&url, token, &config.secrets));
            browser::open(&link, url);
        }
        let serving = Serving { host, app, listener, tls };
        let exit = serve(serving, signals, global.quiet).await?;
        export.finish().await;
        Ok(exit)
    })
}

/// What is served, and where.
struct Serving {
    host: Arc<Host>,
    app: Router,
    listener: TcpListener,
    tls: Option<TlsIdentity>,
}

/// Serves until the first signal, then brings runs to a safe point; the second signal does not wait.
async fn serve(serving: Serving, mut signals: Signals, is_quiet: bool) -> Result<Exit> {
    let Serving { host, app, listener, tls } = serving;
    let (count, mut heard) = watch::channel(0_u32);
    let mut first = heard.clone();
    tokio::spawn(async move {
        loop {
            signals.next().await;
            count.send_modify(|count| *count = count.saturating_add(1));
        }
    });
    let shutdown = async move {
        // The counter lives as long as the runtime.
        let _ = first.wait_for(|count| *count > 0).await;
        if !is_quiet {
            tell_line("stopping: runs are brought to a safe point; press again to stop at once");
        }
    };
    let work = async {
        let served = windlass_server::serve_with(listener, tls, app, shutdown).await;
        host.close().await.map_err(refused)?;
        served.map_err(|error| CommandError::failed(format!("the server stopped: {error}")))
    };
    tokio::select! {
        biased;
        _ = heard.wait_for(|count| *count > 1) => Ok(Exit::Cancelled),
        ended = work => ended.map(|()| Exit::Done),
    }
}

/// The address that is named, or that of the configuration; a name is looked up, a port alone is one of this machine.
pub(crate) fn find_address(config: &CliConfig, named: Option<&str>) -> Result<SocketAddr> {
    let text = named.or_else(|| config.settings.text("server.addr")).unwrap_or(ADDRESS);
    let wrong = |why: String| {
        CommandError::usage(format!("'{text}' is no address to listen on: {why}"))
            .at(config.place("server.addr"))
            .cure("--addr 127.0.0.1:4117, or --addr 127.0.0.1:0 for any free port")
    };
    if let Ok(port) = text.parse::<u16>() {
        return Ok((Ipv4Addr::LOCALHOST, port).into());
    }
    let mut found = text.to_socket_addrs().map_err(|error| wrong(error.to_string()))?;
    found.next().ok_or_else(|| wrong("it stands for nothing".to_owned()))
}

fn server_config(global: &GlobalArgs, config: &CliConfig, address: SocketAddr) -> Result<ServerConfig> {
    let settings = &config.settings;
    let token = token::of_server(config)?;
    let unsafe_address = |error: UnsafeAddress| {
        CommandError::usage(error.to_string())
            .at(config.place("server.no_token"))
            .cure(format!("windlass serve --addr {address}, and clients send what `windlass token` prints"))
    };
    let server = ServerConfig::for_address(address, token).map_err(unsafe_address)?;
    Ok(ServerConfig {
        hosts: settings.items("server.hosts").to_vec(),
        origins: settings.items("server.origins").to_vec(),
        secrets: config.secrets.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        folder_notice: config.trust.notice(),
        trust: Some(Arc::new(ServedFolder::of(global, &config.trust))),
        is_tls: is_tls(config),
        ..server
    })
}

/// The certificate and the key of the configuration, if there are any.
fn find_tls(config: &CliConfig) -> Result<Option<TlsIdentity>> {
    let file = |key: &str| -> Result<Option<Vec<u8>>> {
        let Some(file) = config.settings.text(key) else { return Ok(None) };
        let wrong =
            |error| CommandError::file(Path::new(file), "read", &error).into_usage().at(config.place(key));
        std::fs::read(file).map(Some).map_err(wrong)
    };
    let (certificate, key) = match (file("server.tls_cert")?, file("server.tls_key")?) {
        (None, None) => return Ok(None),
        (Some(certificate), Some(key)) => (certificate, key),
        (Some(_), None) | (None, Some(_)) => {
            return Err(CommandError::usage("TLS needs a certificate and its key")
                .cure("windlass serve --tls-cert FILE --tls-key FILE"));
        }
    };
    TlsIdentity::from_pem(&certificate, &key).map(Some).map_err(|fault| {
        let place = if fault == TlsFault::Key { "server.tls_key" } else { "server.tls_cert" };
        CommandError::usage(fault.to_string()).at(config.place(place))
    })
}

/// Listens on an address. A server that was just killed may still hold it: it is waited for, a while.
async fn bind(address: SocketAddr) -> Result<TcpListener> {
    let mut wait = LockWait::begin(format!("{address} is in use; waiting for the program that holds it"));
    loop {
        match TcpListener::bind(address).await {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse && wait.goes_on().await => {}
            bound => return bound.map_err(|error| unbound(address, &error)),
        }
    }
}

fn unbound(address: SocketAddr, error: &io::Error) -> CommandError {
    let complaint = match error.kind() {
        io::ErrorKind::AddrInUse => CommandError::failed(format!("{address} is in use by another program")),
        _ => CommandError::failed(format!("{address} cannot be listened on: {error}")),
    };
    complaint.cure(format!("--addr {}:0 takes a free port", address.ip()))
}

/// The address goes to stdout, where a script can read it; the rest is for people.
fn say_where(global: &GlobalArgs, config: &CliConfig, bound: SocketAddr, model: &str) -> Result<()> {
    let scheme = if is_tls(config) { "https" } else { "http" };
    print_line(&format!("{scheme}://{bound}/"))?;
    if !global.quiet {
        let data = std::path::absolute(&config.folders.data).unwrap_or_else(|_| config.folders.data.clone());
        tell_line(&format!("model {model} · root {} · data in {}", config.root.display(), data.display()));
    }
    Ok(())
}

/// How a browser gets in, or that everybody does.
fn say_who(global: &GlobalArgs, url: &str, token: Option<&Secret>, secrets: &SecretRegistry) {
    match token {
        Some(_) if global.quiet => {}
        Some(token) => {
            let minutes = SIGN_IN_CODE_LIFETIME.as_secs() / 60;
            let link = sign_in_link(url, token, secrets);
            tell_line(&format!("sign in (once, within {minutes} minutes): {link}"));
            tell_line("later: windlass token --link, or the token itself: windlass token");
        }
        None => warn(
            "without a token, every program and every user of this machine can use this server: read its sessions, \
             answer its questions, run its tools",
        ),
    }
}

async fn take_up(host: &Host, is_quiet: bool) -> Result<()> {
    let found = host.recover().await.map_err(refused)?;
    let said = [
        (found.taken_up, "resumed"),
        (found.waiting, "waiting for an answer"),
        (found.held, "busy in another process"),
        (found.failed, "could not be resumed; -v says why"),
    ];
    let parts: Vec<String> =
        said.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    if !parts.is_empty() && !is_quiet {
        tell_line(&format!("interrupted runs: {}", parts.join(", ")));
    }
    Ok(())
}
