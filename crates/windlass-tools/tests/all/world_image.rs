use serde_json::{Value, json};
use windlass_core::protocol::tool::{Effects, Risk};
use windlass_tools::{ImageConfig, ToolsConfig};

use crate::context::Bench;
use crate::loopback::{Server, answer};

async fn backed(reply: impl Fn() -> Vec<u8> + Send + Sync + 'static) -> (Server, Bench) {
    let server = Server::start(move |_| reply()).await;
    let image = ImageConfig {
        base_url: server.url("/v1/"),
        api_key: Some("sk-secret".into()),
        model: "painter".into(),
    };
    (server, Bench::new(&ToolsConfig { image: Some(image), ..ToolsConfig::default() }))
}

#[tokio::test]
async fn e_5_e_23_the_hand_off_names_the_endpoint_and_the_normalised_arguments() {
    let output = Bench::default().call("generate_image", json!({"prompt": "a ship"})).await.unwrap();
    assert_eq!(
        output.json,
        json!({
            "message": "Image generation requested. Use /generate-image endpoint to render.",
            "endpoint": "/generate-image",
            "args": {"prompt": "a ship", "width": 1024, "height": 1024, "steps": 20, "guidance_scale": 3.5},
        })
    );
    assert_eq!(output.readable(), "Image generation requested. Use /generate-image endpoint to render.");
}

#[test]
fn e_5_the_arguments_have_their_types_and_defaults() {
    let bench = Bench::default();
    let spec = bench.tool("generate_image").spec();
    assert_eq!(
        spec.signature(),
        "generate_image(prompt:str,width:int,height:int,steps:int,guidance_scale:float)"
    );
    assert_eq!((spec.effects, spec.risk), (Effects::Pure, Risk::Safe));
}

#[tokio::test]
async fn sizes_and_work_are_bounded() {
    let bench = Bench::default();
    for (name, value) in [
        ("width", json!(63)),
        ("height", json!(2049)),
        ("steps", json!(0)),
        ("steps", json!(151)),
        ("guidance_scale", json!(30.5)),
        ("guidance_scale", json!(-1)),
        ("prompt", json!(" ")),
    ] {
        let mut args = json!({"prompt": "x"});
        args[name] = value;
        let failure = bench.call("generate_image", args).await.unwrap_err();
        assert_eq!((failure.kind.word(), failure.field.as_deref()), ("invalid_args", Some(name)));
    }
}

#[tokio::test]
async fn a_server_is_asked_the_openai_way_and_its_url_is_given() {
    let reply = json!({"created": 1, "data": [{"url": "https://img.example/1.png", "revised_prompt": "a tall ship"}]});
    let (server, bench) = backed(move || answer(200, "application/json", reply.to_string())).await;
    let spec = bench.tool("generate_image").spec();
    assert_eq!((spec.effects, spec.risk), (Effects::External, Risk::Medium));
    let output = bench.call("generate_image", json!({"prompt": "a ship", "width": 512})).await.unwrap();
    assert_eq!(output.json["url"], "https://img.example/1.png");
    assert_eq!(output.links[0].url, "https://img.example/1.png");
    let asked = &server.asked()[0];
    assert_eq!(asked.line, "POST /v1/images/generations");
    assert!(asked.head.contains("authorization: bearer sk-secret"));
    let body: Value = serde_json::from_str(&asked.body).unwrap();
    assert_eq!(body, json!({"model": "painter", "prompt": "a ship", "size": "512x1024", "n": 1}));
}

#[tokio::test]
async fn a_picture_comes_as_base64_up_to_its_bound() {
    let reply = json!({"data": [{"b64_json": "aGVsbG8="}]});
    let (_server, bench) = backed(move || answer(200, "application/json", reply.to_string())).await;
    let output = bench.call("generate_image", json!({"prompt": "a ship"})).await.unwrap();
    assert_eq!(output.json["b64_json"], "aGVsbG8=");
    assert!(!output.readable().contains("aGVsbG8="));
    let large = json!({"data": [{"b64_json": "A".repeat((8 << 20) + 4)}]}).to_string();
    let (_server, bench) = backed(move || answer(200, "application/json", &large)).await;
    let failure = bench.call("generate_image", json!({"prompt": "a ship"})).await.unwrap_err();
    assert_eq!(failure.kind.word(), "limit_exceeded");
}

#[tokio::test]
async fn a_server_that_refuses_or_fails_is_told_without_the_key() {
    for (status, body, kind) in [
        (401, json!({"error": {"message": "bad key sk-secret"}}), "unavailable"),
        (400, json!({"error": {"message": "no size 1024x1024 for sk-secret"}}), "invalid_args"),
        (500, json!("oops"), "io_error"),
        (200, json!({"data": []}), "io_error"),
        (200, json!({}), "io_error"),
    ] {
        let (_server, bench) = backed(move || answer(status, "application/json", body.to_string())).await;
        let failure = bench.call("generate_image", json!({"prompt": "x"})).await.unwrap_err();
        assert_eq!(failure.kind.word(), kind, "{status}");
        assert!(!format!("{failure:?}").contains("sk-secret"), "{failure:?}");
    }
}
