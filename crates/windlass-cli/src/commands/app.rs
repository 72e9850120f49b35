//! `windlass` on a terminal: the terminal app over a host in this process.

use std::io::IsTerminal as _;
use std::sync::Arc;

use windlass_core::ports::host::{HostPort, ServedPort};
use windlass_core::ports::store::SessionQuery;
use windlass_core::protocol::ids::SessionId;
use windlass_tools::{PATHS_TOOL, SEARCH_TOOL};
use windlass_tui::{Parting, ProjectTools, ThemeKind, TuiConfig, TuiError};

use crate::args::{AppArgs, GlobalArgs, PermissionArgs};
use crate::commands::run::block_on;
use crate::complaint::{CommandError, Result};
use crate::config::{CliConfig, Flags};
use crate::exit::Exit;
use crate::project::store::SessionArchive;
use crate::providers::choice::choose;
use crate::providers::local::small_print;
use crate::providers::open::OpenModels;
use crate::telemetry;
use crate::terminal::app_files::AppFiles;
use crate::terminal::log::HeldLog;
use crate::terminal::out::tell_line;
use crate::terminal::run_follower::refused;
use crate::terminal::signals::Signals;
use crate::wiring::Wiring;

/// Readers of the store: a list is read while a session is.
const READERS: usize = 2;

/// Whether there is a terminal to show the app on, and a person at it.
pub(crate) fn has_terminal() -> bool {
    std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

pub(crate) fn run(global: &GlobalArgs, args: &AppArgs) -> Result<Exit> {
    let flags = Flags { global: global.clone(), ..Flags::default() };
    let permission = PermissionArgs { approve: args.approve, ..PermissionArgs::default() };
    let wiring = Wiring::build_for(flags, &permission, true)?;
    let config = &wiring.config;
    let chosen = choose(config)?;
    let notices: Vec<String> =
        [small_print(chosen.model.name()), config.trust.notice_in_app()].into_iter().flatten().collect();
    let notice = Some(notices.join(" · ")).filter(|text| !text.is_empty());
    let archive = SessionArchive::open(&config.folders, READERS)?;
    let models = Arc::new(OpenModels::of(&wiring, chosen, true)?);
    block_on(async {
        let host = wiring.host(Arc::clone(&archive.store), models);
        wiring.begin();
        let export = telemetry::start(config, Arc::clone(&host) as Arc<dyn ServedPort>)?;
        let session = find_session(host.as_ref(), &archive, args).await?;
        let tui = TuiConfig { session, notice, ..tui_config(config, None) };
        let files = app_files(config).with_project(global);
        let parting = show(Arc::clone(&host) as Arc<dyn HostPort>, files, tui).await?;
        host.close().await.map_err(refused)?;
        export.finish().await;
        say_goodbye(global, &parting);
        Ok(Exit::Done)
    })
}

/// The session that is to be shown.
async fn find_session(
    host: &dyn HostPort,
    archive: &SessionArchive,
    args: &AppArgs,
) -> Result<Option<SessionId>> {
    if let Some(wanted) = &args.session {
        return archive.session(wanted).await.map(|row| Some(row.session_id));
    }
    if !args.resume_last {
        return Ok(None);
    }
    let query = SessionQuery { rows_max: 1, ..SessionQuery::default() };
    let newest = host.sessions(query).await.map_err(refused)?.into_iter().next();
    Ok(newest.map(|row| row.session_id))
}

/// How the app begins, as the configuration and the terminal have it.
pub(crate) fn tui_config(config: &CliConfig, place: Option<String>) -> TuiConfig {
    TuiConfig {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        place,
        theme: theme(config),
        tools: ProjectTools { paths: PATHS_TOOL, search: SEARCH_TOOL },
        has_mouse: true,
        session: None,
        notice: None,
    }
}

/// The theme that was named, else the one that fits the terminal's ground, as far as that is known.
fn theme(config: &CliConfig) -> ThemeKind {
    if std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty()) {
        return ThemeKind::Plain;
    }
    if let Some(kind) = config.settings.text("terminal.theme").and_then(ThemeKind::from_word) {
        return kind;
    }
    match std::env::var("COLORFGBG").ok().as_deref().and_then(|value| value.rsplit(';').next()) {
        Some("7" | "15") => ThemeKind::Light,
        Some(_) | None => ThemeKind::Dark,
    }
}

/// The files of the app, on this machine.
pub(crate) fn app_files(config: &CliConfig) -> AppFiles {
    let folder = std::env::current_dir().unwrap_or_else(|_| config.root.clone());
    AppFiles::new(&config.folders, folder)
}

/// Shows a host until the user leaves or a signal comes.
pub(crate) async fn show(host: Arc<dyn HostPort>, files: AppFiles, tui: TuiConfig) -> Result<Parting> {
    let _holding = HeldLog::begin();
    let mut signals = Signals::listen()?;
    let stop = Box::pin(async move {
        signals.next().await;
        #[cfg(feature = "crash-points")]
        crate::crash_points::panic_if_wanted();
    });
    windlass_tui::run(host, Arc::new(files), tui, stop).await.map_err(|error| match error {
        TuiError::Terminal(_) => {
            CommandError::failed(error.to_string()).cure("windlass run \"…\" needs no screen")
        }
        TuiError::Host(error) => refused(error),
    })
}

/// How to come back.
pub(crate) fn say_goodbye(global: &GlobalArgs, parting: &Parting) {
    if global.quiet {
        return;
    }
    if let Some(run_id) = &parting.run_id {
        tell_line(&format!("the run was stopped in the middle; to continue: windlass runs resume {run_id}"));
    }
    if let Some(session_id) = &parting.session_id {
        tell_line(&format!("to come back: windlass --session {session_id}"));
    }
}
