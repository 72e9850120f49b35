//! Several steps that survive the end of the program, by rig. A run is a value that can be written down between its steps, and
//! then the program drives it: requests, calls and where the run is kept are its own business, and a call that was cut off
//! runs again, whatever it does.

use std::fs::{File, OpenOptions, read_to_string};
use std::io::Write;
use std::path::{Path, PathBuf};

use rig_agent::rig_tool;
use rig_agent::run::{AgentRun, AgentRunStep, ModelTurn, RunSpec, prepare_request};
use rig_agent::tool::{ToolContext, ToolSet};
use rig_core::completion::CompletionRequest;
use rig_core::providers::openai::OpenAIConfig;
use rig_core::tool::{ContextValue, ToolExecutionError};
use rig_core::transcript::tool_result_output;
use serde::{Deserialize, Serialize};

/// What a call knows of its place.
#[derive(Serialize, Deserialize)]
struct CallPlace {
    folder: PathBuf,
    call: String,
}

impl ContextValue for CallPlace {
    const KEY: &'static str = "place";
}

/// What really happened, one line each.
fn write(folder: &Path, line: &str) -> Result<(), ToolExecutionError> {
    let opened = OpenOptions::new().create(true).append(true).open(folder.join("ledger"));
    opened.and_then(|mut file| writeln!(file, "{line}")).map_err(ToolExecutionError::from_error)
}

/// Weighs a parcel.
#[rig_tool]
fn weigh_parcel(
    #[rig(context)] context: &mut ToolContext,
    parcel: u32,
) -> Result<String, ToolExecutionError> {
    write(&context.require::<CallPlace>()?.folder, "weighed")?;
    Ok(format!("{} grams", 400 + parcel))
}

/// Books the fee of a parcel.
#[rig_tool]
fn book_fee(#[rig(context)] context: &mut ToolContext, parcel: u32) -> Result<String, ToolExecutionError> {
    let CallPlace { folder, call } = context.require()?;
    let line = format!("fee of {parcel} {call}");
    if !read_to_string(folder.join("ledger")).unwrap_or_default().contains(&line) {
        write(&folder, &line)?;
    }
    // The program is killed here, once.
    if File::create_new(folder.join("failed")).is_ok() {
        std::process::abort();
    }
    Ok("booked".to_owned())
}

/// Whole or not at all.
fn save(run: &AgentRun, path: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let new = path.with_extension("new");
    std::fs::write(&new, serde_json::to_vec(run)?)?;
    Ok(std::fs::rename(new, path)?)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(url), Some(folder)) = (args.next(), args.next().map(PathBuf::from)) else {
        return Err("name the provider's address and a folder".into());
    };
    let model = OpenAIConfig::new("none").with_base_url(url).client().chat("conversation-q3");
    let mut tools = ToolSet::default();
    tools.add_tool(WeighParcel);
    tools.add_tool(BookFee);
    let path = folder.join("run.json");
    let mut run = match read_to_string(&path) {
        Ok(text) => serde_json::from_str(&text)?,
        Err(_) => AgentRun::new("Send parcel 7.").max_turns(5),
    };
    loop {
        save(&run, &path)?;
        match run.next_step()? {
            AgentRunStep::CallModel { prompt, history, .. } => {
                let (spec, able, offered) = (RunSpec::new(), model.capabilities().completion, tools.tool_definitions());
                let prepared = prepare_request(&spec, &able, &history, offered, None, None)?;
                let request = prepared.clone().apply(CompletionRequest::new(prompt));
                run.model_response(ModelTurn::from_response(&model.call(request).await?, &prepared))?;
            }
            AgentRunStep::CallTools { calls } => {
                let mut results = Vec::new();
                for call in calls.into_iter().map(|pending| pending.tool_call) {
                    let mut context = ToolContext::default();
                    context.insert(CallPlace { folder: folder.clone(), call: call.id.to_string() })?;
                    let (name, arguments) = (call.function.name, serde_json::to_string(&call.function.arguments)?);
                    let result = tools.execute(name.as_str(), arguments, &mut context).await;
                    results.push(tool_result_output(call.id, name, &result));
                }
                run.tool_results(results)?;
            }
            AgentRunStep::Done(response) => {
                println!("{}", response.output());
                return Ok(());
            }
        }
    }
}
