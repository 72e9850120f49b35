//! `windlass modules run`: one run of a module; its outputs go to stdout.

use std::sync::Arc;

use serde_json::json;

use super::read_input;
use super::runs::{Asked, Runs};
use crate::args::{GlobalArgs, ModuleRunArgs};
use crate::commands::run::block_on;
use crate::complaint::{Complaint, Result};
use crate::config::Flags;
use crate::exit::Exit;
use crate::project::store::Archive;
use crate::providers::choice::choose;
use crate::providers::open::OpenModels;
use crate::terminal::out::print_json;
use crate::wiring::House;

/// Runs the command.
pub(super) fn run(global: &GlobalArgs, args: &ModuleRunArgs) -> Result<Exit> {
    let flags = Flags {
        global: global.clone(),
        module: Some(args.id.clone()),
        timeout_ms: args.timeout,
        ..Flags::default()
    };
    let house = Arc::new(House::build(flags, &args.permission)?);
    let module = house.modules.get(&args.id)?;
    // Wrong inputs are told before any model is chosen or asked.
    let inputs = read_input(&module, &args.input)?;
    let models = OpenModels::of(&house, choose(&house.config)?, true)?;
    let archive = Archive::open(&house.config.folders, 1)?;
    block_on(async {
        let runs = Runs::begin(global, house, &archive, models);
        let title = format!("module {}", module.module_id);
        let asked = Asked { inputs, has_tools: true, timeout_ms: None, title };
        let Some(ran) = runs.run(&module, asked).await? else { return Ok(Exit::Cancelled) };
        runs.close().await?;
        if let Err(unanswered) = &ran.outputs
            && !unanswered.is_told
        {
            let message = unanswered.failure.message.clone();
            return Err(Complaint::failed(message).at(format!("run {}", ran.run_id)));
        }
        if global.json {
            let failure = ran.outputs.as_ref().err().map(|unanswered| &unanswered.failure);
            print_json(&json!({
                "module": module.module_id, "version": module.metadata.version, "outputs": ran.outputs.as_ref().ok(),
                "run_id": ran.run_id, "session_id": ran.session_id, "outcome": ran.outcome.word(),
                "error": failure.map(|error| json!({"code": error.code, "message": error.message})),
            }))?;
        } else if let Ok(outputs) = &ran.outputs {
            print_json(outputs)?;
        }
        Ok(ran.outcome.into())
    })
}
