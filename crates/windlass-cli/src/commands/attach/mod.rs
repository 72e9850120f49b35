//! `windlass attach`: the terminal app over a host behind a server.

use std::sync::Arc;

use windlass_client::RemoteHost;
use windlass_core::ports::host::{HostError, HostPort, HostSessions};
use windlass_core::ports::store::SessionQuery;
use windlass_core::protocol::ids::SessionId;
use windlass_core::text::secret::Secret;
use windlass_tui::{Parting, TuiConfig};

use crate::args::{AppArgs, AttachArgs, GlobalArgs};
use crate::commands::app::{has_terminal, show, tui_config};
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
    let token = find_token(args)?;
    block_on(async {
        let host = connect(&args.url, token, &config).await?;
        let session = find_session(host.as_ref(), &args.app).await?;
        // The server is looked for first: that it is not there can be told without a terminal.
        if !has_terminal() {
            return Err(CommandError::usage("the terminal app needs a terminal")
                .cure("windlass run \"…\", or the routes of the server: /docs"));
        }
        let place = Some(host.url().to_owned());
        let tui = TuiConfig { session, ..tui_config(&config, place) };
        let parting = show(Arc::clone(&host) as Arc<dyn HostPort>, &config, tui).await?;
        if !global.quiet {
            say_goodbye(host.url(), &parting);
        }
        Ok(Exit::Done)
    })
}

/// The host behind a server.
pub(crate) async fn connect(url: &str, token: Option<Secret>, config: &CliConfig) -> Result<Arc<RemoteHost>> {
    RemoteHost::connect(url, token, config.ca_pem()?).await.map_err(refused)
}

fn find_token(args: &AttachArgs) -> Result<Option<Secret>> {
    if let Some(file) = &args.token_file {
        return token::read(file).map(Some).map_err(|complaint| complaint.at("--token-file"));
    }
    let said = std::env::var(VARIABLE).unwrap_or_default();
    Ok(Some(said.trim()).filter(|token| !token.is_empty()).map(Secret::from))
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
