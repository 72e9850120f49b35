//! One side of the comparison of searching, and its tree; `cargo xtask bench search` starts it and reads the one line
//! it prints. Each side is a process of its own, so that its memory is its own too.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use windlass_benches::search::{ask, index, question, tree};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> Result<(), String> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let said = run(&words).map_err(|error| error.to_string())?;
    println!("{said}");
    Ok(())
}

fn run(words: &[&str]) -> std::io::Result<Value> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let path = PathBuf::from;
    match words {
        ["make", folder, files] => {
            let files = files.parse().map_err(std::io::Error::other)?;
            let size = tree::make(&root, &path(folder), files)?;
            Ok(json!({"files": size.files, "mb": size.bytes as f64 / 1e6}))
        }
        ["index-ours", folder, ours] => index::ours(&path(folder), &path(ours)),
        ["index-raw", folder, raw] => index::raw(&path(folder), &path(raw)),
        ["ask", folder, ours, raw] => {
            let runtime = tokio::runtime::Builder::new_current_thread().build()?;
            let (folder, ours, raw) = (path(folder), path(ours), path(raw));
            let sides = ask::Sides { tree: &folder, ours: &ours, raw: &raw };
            runtime.block_on(ask::all(&sides, &question::read(&root)?))
        }
        ["change", folder, ours] => ask::change(&path(folder), &path(ours)),
        _ => Err(std::io::Error::other("make, index-ours, index-raw, ask or change, each with its folders")),
    }
}
