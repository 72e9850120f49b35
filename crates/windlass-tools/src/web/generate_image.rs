//! `generate_image`: asks for a picture (E-5, E-23).
//!
//! Owns two ways: a hand-off to the front end's `/generate-image`, which renders nothing here, and, when
//! the configuration names one, an OpenAI-compatible image server. Pictures are not looked at or stored.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use windlass_core::ports::ToolContext;
use windlass_core::protocol::tool::{
    Category, Effects, ErrorKind, Link, ReachLog, Risk, Scope, ToolFailure, ToolOutput, ToolSpec, Visibility,
};

use crate::summary::cut;
use crate::typed::{TypedTool, count};
use crate::web::http::{HttpClient, HttpReply, Url};
use windlass_core::text::secret::Secret;

/// Where a front end renders.
const ENDPOINT: &str = "/generate-image";
/// What a hand-off says (A.1).
const HANDED_OFF: &str = "Image generation requested. Use /generate-image endpoint to render.";
/// Longest prompt.
const PROMPT_CHARS_MAX: usize = 4_000;
/// Smallest and largest side, in pixels.
const SIDE_MIN: usize = 64;
const SIDE_MAX: usize = 2_048;
/// Most work that may be asked for.
const STEPS_MAX: usize = 150;
const GUIDANCE_MAX: f64 = 30.0;
/// Largest picture inside an outcome: outcomes are journaled. 8 MiB of base64 is a 6 MiB PNG.
const PICTURE_BYTES_MAX: usize = 8 << 20;

/// An OpenAI-compatible image server.
#[derive(Debug, Clone)]
pub struct ImageConfig {
    /// Its address with the version, such as `https://api.openai.com/v1`.
    pub base_url: String,
    /// Its key, if it wants one.
    pub api_key: Option<Secret>,
    /// The model to use.
    pub model: String,
}

#[derive(Debug)]
pub(crate) struct GenerateImage {
    backend: Option<ImageConfig>,
    http: HttpClient,
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
pub(crate) struct ImageArgs {
    /// What the image shows
    #[schemars(length(max = PROMPT_CHARS_MAX))]
    prompt: String,
    /// In pixels
    #[serde(default = "count::<1024>")]
    #[schemars(range(min = SIDE_MIN, max = SIDE_MAX))]
    width: usize,
    /// In pixels
    #[serde(default = "count::<1024>")]
    #[schemars(range(min = SIDE_MIN, max = SIDE_MAX))]
    height: usize,
    /// Rendering steps
    #[serde(default = "count::<20>")]
    #[schemars(range(min = 1, max = STEPS_MAX))]
    steps: usize,
    /// How closely to follow the prompt
    #[serde(default = "guidance")]
    #[schemars(range(min = 0, max = GUIDANCE_MAX))]
    guidance_scale: f64,
}

fn guidance() -> f64 {
    3.5
}

impl GenerateImage {
    pub(crate) fn new(backend: Option<ImageConfig>) -> Self {
        Self { backend, http: HttpClient::new() }
    }
}

impl TypedTool for GenerateImage {
    const NAME: &'static str = "generate_image";
    const ABOUT: &'static str =
        "Generate an image from a text prompt. Use it only when an image is asked for.";
    type Args = ImageArgs;

    fn declare(&self, spec: ToolSpec) -> ToolSpec {
        let examples = vec![json!({"prompt": "a lighthouse at dusk, watercolour"})];
        let spec = ToolSpec { examples, ..spec.with_place(Category::Other, Visibility::Secondary) };
        match &self.backend {
            // A hand-off only says what a front end should do; asking a server costs money.
            None => ToolSpec { idempotent: true, ..spec },
            Some(_) => spec.with_effects(Effects::External, Risk::Medium).with_scopes([Scope::NetworkAccess]),
        }
    }

    async fn run(&self, args: ImageArgs, context: &ToolContext) -> Result<ToolOutput, ToolFailure> {
        if args.prompt.trim().is_empty() {
            return Err(ToolFailure::invalid_args("prompt cannot be empty").at(
                "prompt",
                "what the image shows",
                "an empty text",
            ));
        }
        match &self.backend {
            None => Ok(hand_off(&args)),
            Some(backend) => self.render(backend, &args, &context.reached).await,
        }
    }
}

fn hand_off(wish: &ImageArgs) -> ToolOutput {
    let json = json!({"message": HANDED_OFF, "endpoint": ENDPOINT, "args": wish});
    ToolOutput::json(json).with_text(HANDED_OFF)
}

impl GenerateImage {
    /// Asks the server. `steps` and `guidance_scale` have no place in its interface and are left out.
    async fn render(
        &self,
        backend: &ImageConfig,
        wish: &ImageArgs,
        reached: &ReachLog,
    ) -> Result<ToolOutput, ToolFailure> {
        let address = format!("{}/images/generations", backend.base_url.trim_end_matches('/'));
        let url = Url::parse(&address).map_err(|error| {
            ToolFailure::unavailable("The image server's base_url is not a URL").detail(error.to_string())
        })?;
        let server = format!("The image server {}", url.host_str().unwrap_or_default());
        let keys: Vec<_> = backend.api_key.iter().map(|key| ("authorization", key.bearer())).collect();
        let size = format!("{}x{}", wish.width, wish.height);
        let body = json!({"model": backend.model, "prompt": wish.prompt, "size": size, "n": 1});
        let reply =
            self.http.post_json(&url, &keys, &body, reached).await.map_err(|failure| failure.of(&server))?;
        picture(reply, &server, backend, wish).await
    }
}

async fn picture(
    reply: HttpReply,
    server: &str,
    backend: &ImageConfig,
    wish: &ImageArgs,
) -> Result<ToolOutput, ToolFailure> {
    let status = reply.status();
    // Room for the picture and the words around it.
    let answer = reply.json(PICTURE_BYTES_MAX + (64 << 10)).await;
    if !(200..300).contains(&status) {
        let told =
            answer.ok().and_then(|answer| Some(answer.pointer("/error/message")?.as_str()?.to_owned()));
        // Servers quote what they were sent, keys too.
        let told = told.map(|told| backend.api_key.iter().fold(told, |told, key| key.redacted(&told)));
        return Err(refused(server, status, told.as_deref()));
    }
    let answer = answer.map_err(|failure| failure.of(server))?;
    let first = answer.pointer("/data/0").cloned().unwrap_or_default();
    let mut json =
        json!({"model_prompt": first.get("revised_prompt"), "width": wish.width, "height": wish.height});
    let mut put =
        |name: &str, value: Value| json.as_object_mut().map(|fields| fields.insert(name.into(), value));
    if let Some(url) = first.get("url").and_then(Value::as_str) {
        put("url", url.into());
        let link = Link { title: cut(&wish.prompt, 80), url: url.to_owned(), snippet: String::new() };
        let mut output = ToolOutput::json(json).with_text(format!("Image: {url}"));
        output.links.push(link);
        return Ok(output);
    }
    let Some(base64) = first.get("b64_json").and_then(Value::as_str) else {
        return Err(ToolFailure::io_error(format!("{server} gave neither a url nor a picture")));
    };
    if base64.len() > PICTURE_BYTES_MAX {
        return Err(ToolFailure::new(
            ErrorKind::LimitExceeded,
            format!("The picture is larger than {PICTURE_BYTES_MAX} bytes; ask for a smaller one"),
        ));
    }
    put("b64_json", base64.into());
    let text = format!("Image of {}x{} pixels, {} bytes of base64", wish.width, wish.height, base64.len());
    Ok(ToolOutput::json(json).with_text(text))
}

fn refused(server: &str, status: u16, told: Option<&str>) -> ToolFailure {
    let reason = told.map(|told| format!(": {}", cut(told, 300))).unwrap_or_default();
    match status {
        401 | 403 => ToolFailure::unavailable(format!("{server} refused the key (status {status})"))
            .hint("Check image.api_key in the configuration."),
        400 | 422 => ToolFailure::invalid_args(format!("{server} refused the request{reason}")),
        _ => ToolFailure::io_error(format!("{server} answered with status {status}{reason}")),
    }
}
