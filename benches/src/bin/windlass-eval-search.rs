//! Evaluates searching on public collections and on this project, and prints a table; `cargo xtask eval-search` starts
//! it. `tune` asks the other half of the queries; `NAME=VALUE` sets a weight of `Tuning`.

use std::path::Path;

use windlass_benches::eval::collection::{self, Collection};
use windlass_benches::eval::measures::Measures;
use windlass_benches::eval::{Half, Row, house, index, measure};
use windlass_search::Tuning;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// One of the measures.
type Measure = fn(&Measures) -> f64;

fn main() -> Result<(), String> {
    let (mut half, mut tuning) = (Half::Reported, Tuning::default());
    for arg in std::env::args().skip(1) {
        match arg.split_once('=') {
            None if arg == "tune" => half = Half::Tuned,
            Some((name, value)) => set(&mut tuning, name, value)?,
            None => return Err(format!("'{arg}' is neither 'tune' nor NAME=VALUE")),
        }
    }
    let runtime = tokio::runtime::Builder::new_current_thread().build().map_err(|error| error.to_string())?;
    let rows = runtime.block_on(evaluate(half, tuning)).map_err(|error| error.to_string())?;
    let lost: Vec<&str> = rows.iter().filter(|row| !row.is_won()).map(|row| row.name.as_str()).collect();
    if lost.is_empty() {
        Ok(())
    } else {
        Err(format!("the fusion is no better than its parts on {}", lost.join(", ")))
    }
}

fn set(tuning: &mut Tuning, name: &str, value: &str) -> Result<(), String> {
    let field = match name {
        "lexical" => &mut tuning.lexical,
        "vector" => &mut tuning.vector,
        "symbol" => &mut tuning.symbol,
        "neighbours" => &mut tuning.neighbours,
        "relevance" => &mut tuning.relevance,
        _ => return Err(format!("there is no weight '{name}'")),
    };
    *field = value.parse().map_err(|_| format!("'{value}' is no number"))?;
    Ok(())
}

async fn evaluate(half: Half, tuning: Tuning) -> std::io::Result<Vec<Row>> {
    println!("| collection | queries | measure | words (BM25) | meaning (vectors) | hybrid |");
    println!("|---|---|---|---|---|---|");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let collections: [Collection; 3] = [
        collection::read(&root, "cosqa", "py")?,
        collection::read(&root, "bfcl-tools", "txt")?,
        house::read(&root)?,
    ];
    let mut rows = Vec::new();
    for collection in collections {
        let folder = tempfile::tempdir()?;
        let index = index(&collection, folder.path())?;
        for (name, queries) in &collection.sets {
            let row = measure(&index, name, queries, half, tuning).await?;
            print(&row);
            rows.push(row);
        }
    }
    Ok(rows)
}

fn print(row: &Row) {
    let lines: [(&str, Measure); 3] =
        [("nDCG@10", |it| it.ndcg), ("recall@10", |it| it.recall), ("MRR@10", |it| it.mrr)];
    for (measure, of) in lines {
        let [lexical, vector, hybrid] = [&row.lexical, &row.vector, &row.hybrid].map(of);
        let (name, queries) = (&row.name, row.queries);
        println!("| {name} | {queries} | {measure} | {lexical:.3} | {vector:.3} | {hybrid:.3} |");
    }
}
