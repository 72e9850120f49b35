//! Evaluates searching on public collections and on this project, and prints a table; `cargo xtask eval-search` starts
//! it. `tune` asks the other half of the queries, `encoder=FOLDER` adds a sentence encoder, `only=SET` leaves out the
//! other sets, and `NAME=VALUE` sets a weight of `Tuning`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use windlass_benches::eval::cached::CachedEmbedder;
use windlass_benches::eval::collection;
use windlass_benches::eval::measures::Measures;
use windlass_benches::eval::{Half, SetScores, half_of, house, index, lay_out, measure};
use windlass_core::ports::search::SearchKind;
use windlass_core::ports::search::embed::EmbedPort;
use windlass_local::embed::FolderEmbedder;
use windlass_search::{HashedEmbedder, Searcher, Tuning};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// One of the measures.
type Measure = fn(&Measures) -> f64;

/// What is to be done.
struct EvalPlan {
    half: Half,
    tuning: Tuning,
    encoder: Option<PathBuf>,
    cache: PathBuf,
    only: Option<String>,
}

fn main() -> Result<(), String> {
    let (half, tuning) = (Half::Reported, Tuning::default());
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut plan =
        EvalPlan { half, tuning, encoder: None, cache: root.join("target/eval-cache"), only: None };
    for arg in std::env::args().skip(1) {
        match arg.split_once('=') {
            None if arg == "tune" => plan.half = Half::Tuned,
            Some(("encoder", folder)) => plan.encoder = Some(PathBuf::from(folder)),
            Some(("cache", folder)) => plan.cache = PathBuf::from(folder),
            Some(("only", set)) => plan.only = Some(set.to_owned()),
            Some((name, value)) => set(&mut plan.tuning, name, value)?,
            None => return Err(format!("'{arg}' is neither 'tune' nor NAME=VALUE")),
        }
    }
    let runtime = tokio::runtime::Builder::new_current_thread().build().map_err(|error| error.to_string())?;
    let rows = runtime.block_on(evaluate(&root, &plan)).map_err(|error| error.to_string())?;
    judge(&rows, plan.encoder.is_some())
}

/// With an encoder the fusion must be better than both of its parts everywhere; the built-in embedder is told about.
fn judge(rows: &[SetScores], has_encoder: bool) -> Result<(), String> {
    let names = |is: &dyn Fn(&SetScores) -> bool| {
        rows.iter().filter(|row| is(row)).map(|row| row.name.as_str()).collect::<Vec<_>>().join(", ")
    };
    let at = |flags: Vec<bool>, at: usize| flags.get(at).copied().unwrap_or(false);
    let unworthy = names(&|row| !at(row.is_worth_it(), 0));
    let lost = names(&|row| !at(row.is_won(), 0));
    println!("built-in embedder: no better than words on [{unworthy}], than one of its parts on [{lost}]");
    let lost = names(&|row| !at(row.is_won(), 1));
    if has_encoder && !lost.is_empty() {
        return Err(format!("with the encoder, the fusion is no better than its parts on {lost}"));
    }
    Ok(())
}

fn set(tuning: &mut Tuning, name: &str, value: &str) -> Result<(), String> {
    let field = match name {
        "lexical" => &mut tuning.lexical,
        "vector" => &mut tuning.vector,
        "vector_of_names" => &mut tuning.vector_of_names,
        "symbol" => &mut tuning.symbol,
        "neighbours" => &mut tuning.neighbours,
        "relevance" => &mut tuning.relevance,
        _ => return Err(format!("there is no weight '{name}'")),
    };
    *field = value.parse().map_err(|_| format!("'{value}' is no number"))?;
    Ok(())
}

fn embedders(plan: &EvalPlan) -> std::io::Result<Vec<Arc<dyn EmbedPort>>> {
    let mut embedders: Vec<Arc<dyn EmbedPort>> = vec![Arc::new(HashedEmbedder)];
    if let Some(folder) = &plan.encoder {
        let encoder = FolderEmbedder::open(folder).map_err(std::io::Error::other)?;
        embedders.push(Arc::new(CachedEmbedder::new(Arc::new(encoder), &plan.cache)?));
    }
    Ok(embedders)
}

async fn evaluate(root: &Path, plan: &EvalPlan) -> std::io::Result<Vec<SetScores>> {
    let embedders = embedders(plan)?;
    let encoder = if plan.encoder.is_some() { " all-MiniLM-L6-v2 | hybrid with it |" } else { "" };
    println!("| collection | queries | measure | words (BM25) | built-in | hybrid with it |{encoder}");
    println!("|---|---|---|---|---|---|{}", if plan.encoder.is_some() { "---|---|" } else { "" });
    let collections = [
        collection::read(root, "cosqa", "py")?,
        collection::read(root, "bfcl-tools", "txt")?,
        house::read(root)?,
    ];
    let mut rows = Vec::new();
    for collection in collections {
        let is_asked = |name: &str| plan.only.as_deref().is_none_or(|only| name.starts_with(only));
        let sets: Vec<_> = collection.sets.iter().filter(|(name, _)| is_asked(name)).collect();
        if sets.is_empty() {
            continue;
        }
        let folder = tempfile::tempdir()?;
        let files = lay_out(&collection, folder.path())?;
        let mut searchers = Vec::new();
        for (at, embedder) in embedders.iter().enumerate() {
            let index = index(&files, &folder.path().join(format!("index{at}")), Arc::clone(embedder))?;
            searchers.push(Searcher::new(index).tuned(plan.tuning));
        }
        for (name, queries) in sets {
            let chosen = half_of(queries, plan.half);
            let mut row = SetScores {
                name: name.clone(),
                queries: chosen.len(),
                lexical: Measures::default(),
                by_embedder: Vec::new(),
            };
            for searcher in &searchers {
                row.lexical = measure(searcher, &chosen, SearchKind::Lexical).await?;
                let vector = measure(searcher, &chosen, SearchKind::Semantic).await?;
                row.by_embedder.push((vector, measure(searcher, &chosen, SearchKind::Hybrid).await?));
            }
            print(&row);
            rows.push(row);
        }
    }
    Ok(rows)
}

fn print(row: &SetScores) {
    let lines: [(&str, Measure); 3] =
        [("nDCG@10", |it| it.ndcg), ("recall@10", |it| it.recall), ("MRR@10", |it| it.mrr)];
    for (measure, of) in lines {
        let (name, queries, lexical) = (&row.name, row.queries, of(&row.lexical));
        print!("| {name} | {queries} | {measure} | {lexical:.3} |");
        for (vector, hybrid) in &row.by_embedder {
            print!(" {:.3} | {:.3} |", of(vector), of(hybrid));
        }
        println!();
    }
}
