//! Puts one load on a server and prints one line of JSON with what it showed; `cargo xtask bench server` starts both.

use tokio::runtime::Builder;
use windlass_benches::load::{Wishes, crowd, process, relay, silent, unfinished};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> Result<(), String> {
    let mut args = std::env::args().skip(1);
    let load = args.next().unwrap_or_default();
    let wishes = Wishes::read(args);
    process::raise_file_limit();
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let seen = runtime.map_err(|error| error.to_string())?.block_on(async {
        match load.as_str() {
            "relay" => relay::measure(&wishes).await,
            "crowd" => crowd::measure(&wishes).await,
            "silent" => silent::measure(&wishes).await,
            "unfinished" => unfinished::measure(&wishes).await,
            other => Err(std::io::Error::other(format!(
                "there is no load '{other}'; there are relay, crowd, silent and unfinished"
            ))),
        }
    });
    println!("{}", seen.map_err(|error| error.to_string())?);
    Ok(())
}
