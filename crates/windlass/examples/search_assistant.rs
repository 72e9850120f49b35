//! An assistant for a folder: it is indexed without a model, the model looks things up in it by the search tools, and
//! questions are answered with their sources. Documents that are in no file are found too.
//!
//! `cargo run -p windlass --features scripted,search --example search_assistant`

use std::fs;

use futures::StreamExt;
use windlass::prelude::*;

/// A handbook of a rowing club, made here so that the example needs nothing.
const FILES: [(&str, &str); 3] = [
    ("boats.md", "# Boats\n\n## Booking\n\nA boat is booked the evening before, on the board in the hall.\n"),
    ("keys.md", "# Keys\n\nThe key of the boathouse hangs behind the honey jar in the kitchen.\n"),
    (
        "src/fees.py",
        "def yearly_fee(age):\n    \"\"\"Members under 18 pay half.\"\"\"\n    return 60 if age < 18 else 120\n",
    ),
];

const SCRIPT: &str = r#"
user Where is the key, and what does my daughter of 15 pay?
model call 1 search_codebase {"query": "key of the boathouse", "limit": 1}
model call 2 find_symbol {"name": "yearly_fee"}
model end
expect-request contains behind the honey jar
expect-request contains src/fees.py:1
model text The key hangs behind the honey jar, and she pays half of the fee: 60 euros.
user When does the regatta start?
expect-request contains starts at ten
model text At ten.
"#;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::temp_dir().join(format!("windlass-search-{}", std::process::id()));
    for (path, text) in FILES {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap_or(&folder))?;
        fs::write(path, text)?;
    }
    let agent = Windlass::builder().script(SCRIPT)?.index_folder(&folder).build()?;

    // The index is made in the background; nobody has to wait for it to search what is there already.
    let mut progress = agent.index_progress();
    while let Some(step) = progress.next().await {
        let step = step?;
        println!("{} of {} files", step.done, step.total);
    }
    let status = agent.index_ready().await?;
    println!("{} files, {} passages", status.files, status.passages);

    // The program itself, without a model.
    let query = SearchQuery { top_k: 1, ..SearchQuery::new("how is a boat booked") };
    for passage in agent.search(query).await?.passages {
        println!("{}:{} ({:.3}) {}", passage.path, passage.line, passage.score, last_line(&passage.text));
    }

    // The model, by its tools.
    let question = "Where is the key, and what does my daughter of 15 pay?";
    let answer = agent.run(question).await?;
    println!("{question}\n  {}", answer.text);
    for call in &answer.trace.tools {
        println!("  found by {}: {}", call.name, call.parameters);
    }

    // What stands in no file, and an answer that names its sources.
    agent.add_document("regatta.md", "# Regatta\n\nThe regatta starts at ten on Sunday.").await?;
    let cited = agent.ask("When does the regatta start?").await?;
    println!("{}", cited.answer.text);
    fs::remove_dir_all(&folder)?;
    Ok(())
}

fn last_line(text: &str) -> &str {
    text.trim_end().lines().last().unwrap_or_default()
}
