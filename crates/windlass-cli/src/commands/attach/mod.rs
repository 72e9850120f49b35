//! `windlass attach`: the terminal app over a host behind a server.

use std::sync::Arc;

use windlass_client::{RemoteHost, ServerReach};
use windlass_core::ports::host::{HostError, HostPort, HostSessions};
use windlass_core::ports::store::SessionQuery;
use windlass_core::protocol::ids::SessionId;
use windlass_core::text::secret::Secret;
use windlass_tui::{Parting, TuiConfig};

use crate::args::{AppArgs, AttachArgs, GlobalArgs};
use crate::commands::app::{app_files, has_terminal, show, tui_config};
use crate::commands::run::block_on;
use crate::complaint::{CommandError, Result};
use crate::config::token;
use crate::config::{CliConfig, Flags, ProcessEnvironment};
use crate::exit::Exit;
use crate::project::store::{pick, unknown};
use crate::terminal::out::{tell_line, warn};
use crate::terminal::run_follower::refused;

/// The token, where there is no file.
const VARIABLE: &str = "WINDLASS_TOKEN";

/// Rows that are looked through for the beginning of an id.
const ROWS_MAX: usize = 10_000;

pub(crate) fn run(global: &GlobalArgs, args: &AttachArgs) -> Result<Exit> {
    let flags = Flags { global: global.clone(), ..Flags::default() };
    let config = CliConfig::resolve(&ProcessEnvironment::of_process(true)?, &flags)?;
    if !global.quiet {
        config.warnings.iter().for_each(|warning| warn(warning));
    }
    let reach = windlass_client::reach_of(&args.url).map_err(refused)?;
    if reach == ServerReach::Plain && !global.quiet {
        warn(&format!(
            "{} is another machine, and http:// is not encrypted: whoever is between can read the token and everything \
             else; start that server with --tls-cert and --tls-key, or use a tunnel",
            args.url
        ));
    }
    let token = find_token(args, &config, reach)?;
    config.secrets.extend(token.clone());
    let ca_pem = trusted(args, &config)?;
    block_on(async {
        let host = RemoteHost::connect(&args.url, token, ca_pem).await.map_err(refused)?;
        let session = find_session(host.as_ref(), &args.app).await?;
        // The server is looked for first: that it is not there can be told without a terminal.
        if !has_terminal() {
            return Err(CommandError::usage("the terminal app needs a terminal")
                .cure("windlass run \"…\", or the routes of the server: /docs"));
        }
        let place = Some(host.url().to_owned());
        let tui = TuiConfig { session, ..tui_config(&config, place) };
        let parting = show(Arc::clone(&host) as Arc<dyn HostPort>, app_files(&config), tui).await?;
        if !global.quiet {
            say_goodbye(host.url(), &parting);
        }
        Ok(Exit::Done)
    })
}

/// Certificates to trust besides those of the system.
fn trusted(args: &AttachArgs, config: &CliConfig) -> Result<Option<Vec<u8>>> {
    let usual = config.ca_pem()?;
    let Some(file) = &args.tls_ca else { return Ok(usual) };
    let wrong = |error| CommandError::file(file, "read", &error).into_usage().at("--tls-ca");
    let own = std::fs::read(file).map_err(wrong)?;
    Ok(Some([usual.unwrap_or_default(), b"\n".to_vec(), own].concat()))
}

/// The token that is named; for a server on this machine, that of one's own servers. No other machine gets that one.
fn find_token(args: &AttachArgs, config: &CliConfig, reach: ServerReach) -> Result<Option<Secret>> {
    if let Some(file) = &args.token_file {
        return token::read(file).map(Some).map_err(|complaint| complaint.at("--token-file"));
    }
    let said = std::env::var(VARIABLE).unwrap_or_default();
    match Some(said.trim()).filter(|token| !token.is_empty()) {
        Some(said) => Ok(Some(Secret::from(said))),
        None if reach == ServerReach::ThisMachine => token::of_client(config),
        None => Ok(None),
    }
}

/// The session that is to be shown.
async fn find_session(host: &RemoteHost, args: &AppArgs) -> Result<Option<SessionId>> {
    let Some(wanted) = &args.session else {
        let rows_max = usize::from(args.resume_last);
        let newest = host.sessions(SessionQuery { rows_max, ..SessionQuery::default() }).await;
        return Ok(newest.map_err(refused)?.into_iter().next().map(|row| row.session_id));
    };
    match host.session(&SessionId::from(wanted.as_str())).await {
        Ok(row) => return Ok(Some(row.session_id)),
        Err(HostError::Missing { .. }) => {}
        Err(error) => return Err(refused(error)),
    }
    let query = SessionQuery { rows_max: ROWS_MAX, ..SessionQuery::default() };
    let rows = host.sessions(query).await.map_err(refused)?;
    let picked = pick("session", wanted, rows, |row| row.session_id.as_str())?;
    picked.map(|row| Some(row.session_id)).map_err(|known| {
        let list = format!("windlass attach {} --continue", host.url());
        unknown("session", wanted, known.iter().map(|row| row.session_id.as_str()), &list)
    })
}

/// How to come back.
fn say_goodbye(url: &str, parting: &Parting) {
    let Some(session_id) = &parting.session_id else { return };
    if parting.run_id.is_some() {
        tell_line("the run continues on the server");
    }
    tell_line(&format!("to come back: windlass attach {url} --session {session_id}"));
}

#[cfg(test)]
#[path = "remote_tests.rs"]
mod tests;
