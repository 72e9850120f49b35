//! An agent without a key, a server or a download: the built-in model reads files of a folder and calculates.
//!
//! `cargo run -p windlass --features builtin --example offline`

use windlass::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::temp_dir().join(format!("windlass-offline-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("shopping.txt"), "bread\nmilk\nseven apples\n")?;
    let agent =
        Windlass::builder().model("builtin")?.builtin_tools(&Default::default()).root(&folder).build()?;
    for request in ["What is 19 * 23?", "List the files", "Show shopping.txt"] {
        let answer = agent.run_sync(request)?;
        let tools: Vec<&str> = answer.trace.tools.iter().map(|call| call.name.as_str()).collect();
        println!("{request}\n  {} ({})", answer.text.replace('\n', "\n  "), tools.join(", "));
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}
