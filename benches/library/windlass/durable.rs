//! Several steps that survive the end of the program at any moment, by Windlass.

use std::fs::{File, OpenOptions, read_to_string};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use windlass::prelude::*;

/// What really happened, one line each.
struct Ledger(PathBuf);

impl Ledger {
    fn write(&self, line: &str) -> Result<(), String> {
        let opened = OpenOptions::new().create(true).append(true).open(self.0.join("ledger"));
        opened.and_then(|mut file| writeln!(file, "{line}")).map_err(|error| error.to_string())
    }
}

#[tools]
impl Ledger {
    /// Weighs a parcel.
    #[tool(effects = "read", risk = "safe")]
    fn weigh_parcel(&self, parcel: u32) -> Result<String, ToolFailure> {
        self.write("weighed")?;
        Ok(format!("{} grams", 400 + parcel))
    }

    /// Books the fee of a parcel.
    #[tool(effects = "write", risk = "safe", idempotent)]
    fn book_fee(&self, parcel: u32, context: &ToolContext) -> Result<&'static str, ToolFailure> {
        let line = format!("fee of {parcel} {}", context.idempotency_key());
        if !read_to_string(self.0.join("ledger")).unwrap_or_default().contains(&line) {
            self.write(&line)?;
        }
        // The program is killed here, once.
        if File::create_new(self.0.join("failed")).is_ok() {
            std::process::abort();
        }
        Ok("booked")
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(url), Some(folder)) = (args.next(), args.next()) else {
        return Err("name the provider's address and a folder".into());
    };
    let model = ModelSource::new("loopback/conversation-q3")?.base_url(url);
    let builder = Windlass::builder().model_source(model)?.store(&folder)?;
    let agent = builder.tool_group(Arc::new(Ledger(Path::new(&folder).to_owned()))).build()?;
    let answer = match agent.resume_all().await?.into_runs().next() {
        Some(run) => run.answer().await?,
        None => agent.session("parcels").run("Send parcel 7.").await?,
    };
    println!("{}", answer.text);
    Ok(())
}
