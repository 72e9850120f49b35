//! Which model answers. In this build there is one kind: a script that is played.

use std::sync::Arc;

use windlass_core::port::ModelPort;
use windlass_scripted::ScriptedModel;

use crate::complaint::{Complaint, Result};
use crate::config::Config;

/// Providers whose keys will be looked for, in this order.
const PROVIDERS: &str = "OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY, OPENROUTER_API_KEY, XAI_API_KEY, \
                         DEEPSEEK_API_KEY, MISTRAL_API_KEY, GROQ_API_KEY";

/// The model of the configuration.
pub(crate) fn choose(config: &Config) -> Result<Arc<dyn ModelPort>> {
    if let Some(script) = &config.script {
        return Ok(Arc::new(ScriptedModel::new(script)));
    }
    match config.settings.model()? {
        None => Err(unconnected(config)),
        Some(model) => Err(Complaint::usage(format!(
            "the model '{model}' cannot be reached: this version plays scripts only"
        ))
        .at(config.place("model"))
        .cure("--model scripted/FILE; wires to providers come with a later version")),
    }
}

/// Three lines that say how to connect a model.
fn unconnected(config: &Config) -> Complaint {
    let file = config.folders.config_file.display();
    Complaint::usage(
        "no model is connected: this version plays scripts, and wires to providers are still to come",
    )
    .at(format!("later, a key in the environment will do ({PROVIDERS}), or model = \"…\" in {file}"))
    .cure("windlass run --model scripted/examples/tour.script")
}
