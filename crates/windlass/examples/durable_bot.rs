//! A program that may be killed at any moment. Started again, it goes on where it was: nothing is done twice or left out.
//!
//! `cargo run -p windlass --features scripted,store --example durable_bot FOLDER [MODEL]`

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use windlass::prelude::*;

/// The parcels that are to be sent.
const PARCELS: u32 = 4;

/// What really happened: one line for each change, with the name of the call that made it.
struct Ledger(PathBuf);

impl Ledger {
    fn has(&self, key: &str) -> bool {
        let text = std::fs::read_to_string(&self.0).unwrap_or_default();
        text.lines().any(|line| line.split(' ').next() == Some(key))
    }

    /// Stands for work that takes its time.
    fn work() {
        std::thread::sleep(Duration::from_millis(5));
    }

    /// On disk when this returns; lines are whole, because each is one write at the end of the file.
    fn write(&self, key: &str, what: &str, parcel: u32) -> std::io::Result<()> {
        let mut file = OpenOptions::new().create(true).append(true).open(&self.0)?;
        file.write_all(format!("{key} {what} {parcel}\n").as_bytes())?;
        file.sync_all()
    }
}

#[tools]
impl Ledger {
    /// Weighs a parcel.
    // It changes nothing, so it runs again when it was cut off.
    #[tool(effects = "read", risk = "safe")]
    fn weigh_parcel(&self, parcel: u32) -> String {
        Self::work();
        format!("{} grams", 400 + parcel)
    }

    /// Books the fee of a parcel.
    // It runs again when it was cut off, and then sees by the key of the call whether the fee is booked.
    #[tool(effects = "write", risk = "safe", idempotent)]
    fn book_fee(&self, parcel: u32, context: &ToolContext) -> Result<&'static str, ToolFailure> {
        Self::work();
        let key = context.idempotency_key();
        if !self.has(&key) {
            self.write(&key, "fee", parcel).map_err(|error| error.to_string())?;
        }
        Ok("booked")
    }

    /// Hands a parcel to the courier.
    // Nobody can ask the courier, so it never runs twice: cut off, its outcome is unknown, and the model is told so.
    #[tool(effects = "external", risk = "safe")]
    fn hand_over(&self, parcel: u32, context: &ToolContext) -> Result<&'static str, ToolFailure> {
        Self::work();
        self.write(&context.idempotency_key(), "courier", parcel).map_err(|error| error.to_string())?;
        Self::work();
        Ok("handed over")
    }
}

/// What the model says when no other is named, so that the example needs no key and no network.
fn script() -> String {
    let order = |parcel: u32| {
        let call = |number: u32, tool: &str| {
            format!("model call {} {tool} {{\"parcel\":{parcel}}}\nmodel end\n", 3 * parcel + number)
        };
        let calls = [call(1, "weigh_parcel"), call(2, "book_fee"), call(3, "hand_over")].concat();
        format!("user Send parcel {parcel}.\n{calls}model text Parcel {parcel} is on its way.\n")
    };
    (1..=PARCELS).map(order).collect()
}

/// A run that failed is on record too, and is not begun again by itself: a person looks at it.
fn show(answer: Result<Answer, WindlassError>) {
    match answer {
        Ok(answer) => {
            for call in &answer.trace.tools {
                println!("  {}: {}", call.name, call.output_summary);
            }
            println!("{}", answer.text);
        }
        Err(error) => println!("This run failed: {error}"),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let folder = args.next().ok_or("name a folder in which sessions are kept")?;
    let builder = match args.next() {
        Some(model) => Windlass::builder().model(&model)?,
        None => Windlass::builder().script(&script())?,
    };
    let ledger = Arc::new(Ledger(Path::new(&folder).join("ledger.txt")));
    let agent = builder.store(&folder)?.tool_group(ledger).build()?;

    // What was in the middle when the program stopped goes on first.
    for run in agent.resume_all().await?.into_runs() {
        println!("run {} goes on", run.run_id());
        show(run.answer().await);
    }
    // Every message on record has its run, so their number says what is still to do.
    let session = agent.session("parcels");
    let sent = u32::try_from(session.runs().await?.len())?;
    for parcel in sent + 1..=PARCELS {
        show(session.run(format!("Send parcel {parcel}.")).await);
    }
    println!("All parcels are sent.");
    Ok(agent.close().await?)
}
