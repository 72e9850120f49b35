//! `windlass models pull`: a model file or a folder of safetensors comes into the data folder.
//!
//! The only command that downloads a model. A connection that breaks is taken up where it was, at once and the next
//! time; a file is at its place only when it is whole, and has the hash that was asked for.

use std::fs;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use serde_json::{Map, Value, json};
use windlass_models::download::{self, DownloadError, DownloadStart, OpenDownload};
use windlass_models::limits::ExchangeLimits;
use windlass_models::transport::Transport;

use crate::args::{GlobalArgs, PullArgs};
use crate::commands::models::part_file::{PartFile, hash_file};
use crate::commands::run::block_on;
use crate::complaint::{CommandError, Result};
use crate::config::{CliConfig, private};
use crate::exit::Exit;
use crate::providers::pulled::{self, FOLDER_CONFIG, HUB, PullSource};
use crate::providers::target;
use crate::terminal::out::{print_json, print_line, tell_line};
use crate::terminal::signals::Signals;

/// Tries without a single new byte before it is given up.
const TRIES_MAX: u32 = 5;
/// The wait before the second try; every further one is twice as long.
const WAIT_MS: u64 = 250;
/// How a GGUF file begins: a page that says "log in first" does not.
const MAGIC: &[u8] = b"GGUF";
/// Files of weights in one folder; the largest models today have some hundreds.
const SHARDS_MAX: usize = 2_000;

const TOKENIZER: &str = "tokenizer.json";
const WEIGHTS: &str = "model.safetensors";
const INDEX: &str = "model.safetensors.index.json";
/// What a model may have beside its weights.
const EXTRAS: [&str; 3] = ["tokenizer_config.json", "generation_config.json", "chat_template.jinja"];

/// A file that is here now.
#[derive(Debug, Serialize)]
struct Fetched {
    path: PathBuf,
    bytes: u64,
    sha256: String,
    /// Whether it was here before.
    was_there: bool,
}

pub(crate) fn run(global: &GlobalArgs, config: &CliConfig, args: &PullArgs) -> Result<Exit> {
    let hub = config.settings.text("pull.hub_url").unwrap_or(HUB);
    let source = PullSource::parse(&args.source, hub)?;
    let usual = pulled::folder(&config.folders.data);
    let folder = args.to.clone().unwrap_or_else(|| usual.clone());
    let pull = Pull {
        transport: target::transport(config)?,
        limits: config.exchange_limits(),
        is_shown: io::stderr().is_terminal() && !global.quiet && !global.json,
    };
    let fetched = block_on(async {
        let mut signals = Signals::listen()?;
        tokio::select! {
            fetched = pull.fetch(&source, &folder, args.sha256.as_deref()) => fetched.map(Some),
            () = signals.next() => Ok(None),
        }
    })?;
    let Some(fetched) = fetched else {
        tell_line("stopped; what was downloaded is kept, and the same command continues");
        return Ok(Exit::Cancelled);
    };
    // The name by which it is found from now on.
    let path = pulled::find(&folder, source.name()).unwrap_or_else(|| folder.join(source.name()));
    let model = match folder == usual {
        true => format!("local/{}", source.name()),
        false => format!("local/{}", path.display()),
    };
    if global.json {
        print_json(&json!({"model": model, "path": path, "files": fetched}))?;
        return Ok(Exit::Done);
    }
    for file in &fetched {
        let state = if file.was_there { "was already there" } else { "is here" };
        print_line(&format!(
            "{} {state}: {}, sha256 {}",
            file.path.display(),
            size(file.bytes),
            file.sha256
        ))?;
    }
    if !global.quiet {
        tell_line(&format!("try: windlass run --model {model} \"What files are in this project?\""));
    }
    Ok(Exit::Done)
}

struct Pull {
    transport: Transport,
    limits: ExchangeLimits,
    is_shown: bool,
}

impl Pull {
    async fn fetch(&self, source: &PullSource, folder: &Path, sha256: Option<&str>) -> Result<Vec<Fetched>> {
        match source {
            PullSource::File { address, name } => {
                make_folder(folder)?;
                let wanted = WantedFile { address, path: folder.join(name), sha256, is_gguf: true };
                let found = self.file(&wanted).await?.ok_or_else(|| nothing(address))?;
                Ok(vec![found])
            }
            PullSource::Folder { name, .. } if sha256.is_some() => {
                Err(CommandError::usage(format!("'{name}' is a folder, and --sha256 is of one file")))
            }
            PullSource::Folder { address, name } => {
                let folder = folder.join(name);
                make_folder(&folder)?;
                self.folder(address, &folder).await
            }
        }
    }

    /// The files of a folder: what every model has, what it may have, and its weights, whole or in shards.
    async fn folder(&self, address: &str, folder: &Path) -> Result<Vec<Fetched>> {
        let mut fetched = Vec::new();
        for name in [FOLDER_CONFIG, TOKENIZER] {
            let found = self.member(address, folder, name).await?;
            fetched.push(found.ok_or_else(|| nothing(&format!("{address}{name}")))?);
        }
        for name in EXTRAS {
            fetched.extend(self.member(address, folder, name).await?);
        }
        let shards = match self.member(address, folder, INDEX).await? {
            None => vec![WEIGHTS.to_owned()],
            Some(index) => {
                let shards = read_shards(&index.path)?;
                fetched.push(index);
                shards
            }
        };
        for name in shards {
            let found = self.member(address, folder, &name).await?;
            fetched.push(found.ok_or_else(|| nothing(&format!("{address}{name}")))?);
        }
        Ok(fetched)
    }

    async fn member(&self, address: &str, folder: &Path, name: &str) -> Result<Option<Fetched>> {
        let address = format!("{address}{name}");
        let wanted = WantedFile { address: &address, path: folder.join(name), sha256: None, is_gguf: false };
        self.file(&wanted).await
    }

    /// One file; nothing if there is none at its address.
    async fn file(&self, wanted: &WantedFile<'_>) -> Result<Option<Fetched>> {
        if wanted.path.is_file() {
            let (bytes, sha256) = hash_file(&wanted.path)?;
            if wanted.sha256.is_none_or(|wanted| wanted == sha256) {
                return Ok(Some(Fetched { path: wanted.path.clone(), bytes, sha256, was_there: true }));
            }
        }
        let mut part = PartFile::open(&wanted.path, wanted.address)?;
        let bar = self.bar(&wanted.path);
        let came = self.bring(&mut part, wanted.address, &bar).await;
        bar.finish_and_clear();
        let announced = match came {
            Ok(announced) => announced,
            Err(DownloadFailure::Error(DownloadError::NotThere(_))) => {
                part.discard();
                return Ok(None);
            }
            Err(DownloadFailure::Error(error)) => return Err(explain(&error, &part)),
            Err(DownloadFailure::Disk(complaint)) => return Err(complaint),
        };
        let expected = wanted.sha256.or(announced.as_deref());
        wanted.accept(part, expected).map(Some)
    }

    /// Brings what is missing of a file; gives the hash that the server announced.
    async fn bring(
        &self,
        part: &mut PartFile,
        address: &str,
        bar: &ProgressBar,
    ) -> std::result::Result<Option<String>, DownloadFailure> {
        let mut tries = 0;
        loop {
            let before = part.bytes();
            let start = DownloadStart { byte: before, etag: part.note().etag.clone() };
            let come = match download::open(&self.transport, address, &start, &self.limits).await {
                Ok(opened) => drain(part, opened, bar).await,
                // All of it was there.
                Err(DownloadError::Past { bytes_total: Some(total), .. }) if total == before => {
                    return Ok(None);
                }
                // It has become another file.
                Err(DownloadError::Past { .. }) if before > 0 => {
                    part.restart()?;
                    continue;
                }
                Err(error) => Err(error.into()),
            };
            match come {
                Ok(announced) => return Ok(announced),
                Err(DownloadFailure::Error(error)) if error.is_passing() => {
                    tries = if part.bytes() > before { 1 } else { tries + 1 };
                    if tries >= TRIES_MAX {
                        return Err(error.into());
                    }
                    let wait_ms = WAIT_MS << tries;
                    tracing::debug!(%error, wait_ms, bytes = part.bytes(), "the download continues");
                    tokio::time::sleep(Duration::from_millis(wait_ms)).await;
                }
                Err(failure) => return Err(failure),
            }
        }
    }

    fn bar(&self, path: &Path) -> ProgressBar {
        if !self.is_shown {
            return ProgressBar::hidden();
        }
        let bar = ProgressBar::no_length();
        let form = "{msg} {bar:30} {bytes}/{total_bytes} {bytes_per_sec:.dim} {eta:.dim}";
        if let Ok(style) = ProgressStyle::with_template(form) {
            bar.set_style(style);
        }
        bar.set_message(path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default());
        bar
    }
}

struct WantedFile<'a> {
    address: &'a str,
    path: PathBuf,
    sha256: Option<&'a str>,
    is_gguf: bool,
}

impl WantedFile<'_> {
    /// Puts a whole file at its place, if it is what was wanted.
    fn accept(&self, mut part: PartFile, expected: Option<&str>) -> Result<Fetched> {
        let (bytes, sha256) = (part.bytes(), part.sha256());
        let place = self.path.display().to_string();
        if let Some(expected) = expected.filter(|expected| *expected != sha256) {
            part.discard();
            return Err(CommandError::failed(format!(
                "the download has the SHA-256 {sha256}, and not {expected}"
            ))
            .at(format!("{place} is unchanged"))
            .cure("check the address and the hash"));
        }
        if self.is_gguf && !part.begins_with(MAGIC)? {
            part.discard();
            return Err(CommandError::failed("the download is not a GGUF file; perhaps it is a web page")
                .at(self.address)
                .cure("the address of the file itself; on the hub that is hf:ORG/REPO/FILE.gguf"));
        }
        part.finish()?;
        Ok(Fetched { path: self.path.clone(), bytes, sha256, was_there: false })
    }
}

/// Why a file did not come.
enum DownloadFailure {
    Error(DownloadError),
    Disk(CommandError),
}

impl From<DownloadError> for DownloadFailure {
    fn from(error: DownloadError) -> Self {
        DownloadFailure::Error(error)
    }
}

impl From<CommandError> for DownloadFailure {
    fn from(complaint: CommandError) -> Self {
        DownloadFailure::Disk(complaint)
    }
}

/// Takes in what comes, to the end.
async fn drain(
    part: &mut PartFile,
    mut opened: OpenDownload,
    bar: &ProgressBar,
) -> std::result::Result<Option<String>, DownloadFailure> {
    let was = part.note().bytes_total;
    let is_other = opened.first_byte > 0 && was.is_some() && was != opened.bytes_total;
    if is_other || opened.first_byte != part.bytes() {
        part.restart()?;
    }
    if is_other {
        let (place, what) = ("the download".to_owned(), "the file has changed".to_owned());
        return Err(DownloadError::Broken { place, what, is_passing: true }.into());
    }
    part.write_note(opened.etag.clone(), opened.bytes_total)?;
    if let Some(total) = opened.bytes_total {
        bar.set_length(total);
    }
    let mut piece = Vec::new();
    loop {
        bar.set_position(part.bytes());
        piece.clear();
        if !opened.read(|bytes| piece.extend_from_slice(bytes)).await? {
            break;
        }
        part.push(&piece)?;
    }
    match opened.bytes_total.filter(|total| *total != part.bytes()) {
        None => Ok(opened.sha256),
        Some(total) => {
            let what = format!("it ended after {} of {total} bytes", part.bytes());
            Err(DownloadError::Broken { place: "the download".to_owned(), what, is_passing: true }.into())
        }
    }
}

/// The files of weights that an index names.
fn read_shards(path: &Path) -> Result<Vec<String>> {
    let wrong = |why: String| {
        CommandError::failed(format!("the index of the weights cannot be used: {why}")).at(path.display())
    };
    let text = fs::read_to_string(path).map_err(|error| CommandError::file(path, "read", &error))?;
    let index: Map<String, Value> = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    let map = index
        .get("weight_map")
        .and_then(Value::as_object)
        .ok_or_else(|| wrong("it has no weight_map".into()))?;
    let mut shards: Vec<String> = map.values().filter_map(Value::as_str).map(str::to_owned).collect();
    shards.sort();
    shards.dedup();
    if let Some(odd) = shards.iter().find(|name| !pulled::is_name(name) || !name.ends_with(".safetensors")) {
        return Err(wrong(format!("'{odd}' is no file of weights")));
    }
    match shards.len() {
        0 => Err(wrong("it names no file".into())),
        count if count > SHARDS_MAX => Err(wrong(format!("it names {count} files"))),
        _ => Ok(shards),
    }
}

fn make_folder(folder: &Path) -> Result<()> {
    private::make_folder(folder).map_err(|error| CommandError::file(folder, "made", &error))
}

fn nothing(address: &str) -> CommandError {
    CommandError::failed(format!("there is nothing at {}", shown(address)))
        .cure("look at the files of the model on the hub, and mind upper and lower case")
}

/// An address without what may be secret in it.
fn shown(address: &str) -> String {
    windlass_models::failure::shown_url(address)
}

fn explain(error: &DownloadError, part: &PartFile) -> CommandError {
    let complaint = CommandError::failed(format!("the model cannot be downloaded: {error}"));
    match error {
        DownloadError::Address(_) | DownloadError::Unsafe(_) => {
            complaint.into_usage().cure("an https address, or hf:ORG/REPO/FILE.gguf")
        }
        DownloadError::Refused { status: 401 | 403, .. } => complaint
            .cure("the model may need an account: download it in the browser, then --model local/PATH"),
        DownloadError::Refused { .. }
        | DownloadError::NotThere(_)
        | DownloadError::Past { .. }
        | DownloadError::Redirects(_)
        | DownloadError::Broken { .. } => match part.bytes() {
            0 => complaint,
            bytes => complaint
                .at(format!("{} are kept", size(bytes)))
                .cure("the same command continues from there"),
        },
    }
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{bytes} bytes"),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.2} GB", bytes as f64 / 1e9),
    }
}
