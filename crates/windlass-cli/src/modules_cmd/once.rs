//! `windlass modules run`: one run of a module; its outputs go to stdout.

use std::sync::Arc;

use serde_json::{Value, json};
use windlass_core::command::RunWishes;
use windlass_core::event::Event;
use windlass_core::host::{HostPort, MODULE_PREFIX, RunStart, ServedPort};
use windlass_core::message::Message;
use windlass_core::store::NewSession;
use windlass_modules::read_answer;

use super::read_input;
use crate::archive::Archive;
use crate::args::{GlobalArgs, ModuleRunArgs};
use crate::asker::Asker;
use crate::complaint::{Complaint, Result};
use crate::config::Flags;
use crate::exit::Exit;
use crate::front::{Ending, Front, refused};
use crate::model_choice::choose;
use crate::open_models::OpenModels;
use crate::out::print_json;
use crate::progress::Detail;
use crate::run::block_on;
use crate::screen::{Output, Screen, Telling};
use crate::wiring::House;

/// Runs the command.
pub(super) fn run(global: &GlobalArgs, args: &ModuleRunArgs) -> Result<Exit> {
    let flags = Flags {
        global: global.clone(),
        module: Some(args.id.clone()),
        timeout_ms: args.timeout,
        ..Flags::default()
    };
    let house = House::build(flags, &args.permission)?;
    let module = house.modules.get(&args.id)?;
    // Wrong inputs are told before any model is chosen or asked.
    let inputs = read_input(&module, &args.input)?;
    let models = Arc::new(OpenModels::of(&house, choose(&house.config)?, true)?);
    let archive = Archive::open(&house.config.folders, 1)?;
    let telling = match (global.quiet, global.verbose) {
        (true, _) => Telling::Silent,
        (false, 0) if global.json => Telling::Silent,
        (false, 0) => Telling::Lines(Detail::Usual),
        (false, _) => Telling::Lines(Detail::Full),
    };
    block_on(async {
        let host = house.host(Arc::clone(&archive.store), models);
        let screen = Screen::new(Output::Nothing, telling, false);
        let (port, asker) = (Arc::clone(&host) as Arc<dyn HostPort>, Asker::new(house.can_ask));
        let mut front = Front::new(port, screen, asker, house.policies.clone())?
            .quiet(global.quiet)
            .kept(true)
            .keeping_events();
        let model = format!("{MODULE_PREFIX}{}", module.module_id);
        let begin = NewSession {
            title: format!("module {}", module.module_id),
            origin: "cli".to_owned(),
            model,
            ..NewSession::default()
        };
        let session = host.create_session(begin).await.map_err(refused)?;
        let start = RunStart {
            message: Message::user(Value::Object(inputs).to_string()),
            wishes: RunWishes { sampling: house.config.sampling(), ..RunWishes::default() },
            model: None,
            profile: None,
            executes_while_streaming: None,
        };
        let started = host.start_run(&session.session_id, start).await.map_err(refused)?;
        let Ending::Finished(ended) = front.follow(&started).await? else { return Ok(Exit::Cancelled) };
        host.close().await.map_err(refused)?;
        let answer = front.seen().iter().find_map(|record| match &record.event {
            Event::RunEnded { answer, .. } => Some(answer.clone()),
            _ => None,
        });
        // What went wrong was told as it happened; there are no outputs then.
        let outputs = match &ended.error {
            Some(_) => None,
            None => Some(read_answer(&module, &answer.unwrap_or_default()).map_err(|error| {
                Complaint::failed(error.to_string()).at(format!("run {}", started.run_id))
            })?),
        };
        match outputs {
            Some(outputs) if !global.json => print_json(&outputs)?,
            None if !global.json => {}
            outputs => print_json(&json!({
                "module": module.module_id, "version": module.metadata.version, "outputs": outputs,
                "run_id": started.run_id, "session_id": session.session_id, "outcome": ended.outcome.word(),
                "error": ended.error.as_ref().map(|error| json!({"code": error.code, "message": error.message})),
            }))?,
        }
        Ok(ended.outcome.into())
    })
}
