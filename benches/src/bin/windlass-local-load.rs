//! Measures a model file in the process and prints one JSON object a time; `cargo xtask bench local` starts it beside
//! llama.cpp: `windlass-local-load MODEL PROMPT_FILE TOKENS REPEATS`.

use std::path::Path;
use std::time::Duration;

use serde_json::json;
use windlass_benches::local::{measure, open};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> Result<(), String> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [model, prompt, tokens, repeats] = args.as_slice() else {
        return Err("four arguments are needed: MODEL PROMPT_FILE TOKENS REPEATS".to_owned());
    };
    let count = |text: &str| text.parse::<u32>().map_err(|error| format!("'{text}' is no number: {error}"));
    let (tokens, repeats) = (count(tokens)?, count(repeats)?);
    let text =
        std::fs::read_to_string(prompt).map_err(|error| format!("{prompt} cannot be read: {error}"))?;
    let model = open(Path::new(model))?;
    let runtime = tokio::runtime::Builder::new_current_thread().build().map_err(|error| error.to_string())?;
    // The first one faults the weights in.
    runtime.block_on(measure(&model, &text, 0, 1))?;
    let ms = |time: Duration| time.as_secs_f64() * 1_000.0;
    for number in 1..=repeats {
        let times = runtime.block_on(measure(&model, &text, number, tokens))?;
        let line = json!({
            "prompt_tokens": times.prompt_tokens, "first_ms": ms(times.first),
            "second_tokens": times.second_tokens, "second_cached": times.second_cached,
            "second_ms": ms(times.second),
            "written_tokens": times.written_tokens, "written_ms": ms(times.written),
        });
        println!("{line}");
    }
    Ok(())
}
