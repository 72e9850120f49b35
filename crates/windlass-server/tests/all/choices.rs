//! What a front end shows before anything was said: defaults, models, sessions and runs in their lists.

use serde_json::json;
use windlass_server::ServerConfig;

use crate::stage::Stage;
use crate::streams::TALK;

#[tokio::test]
async fn the_server_says_what_holds_where_nobody_chooses() {
    let config = ServerConfig { version: "9.8.7".into(), ..ServerConfig::default() };
    let stage = Stage::with(TALK, config).await;
    let about = stage.client().get("/api/about").await.json();
    assert_eq!(about["version"], "9.8.7");
    assert_eq!(about["root"], json!(std::env::temp_dir().display().to_string()));
    assert_eq!((&about["model"], &about["profile"]), (&json!("scripted/usual"), &json!("default")));
    assert_eq!(about["reasoning_efforts"], json!(["low", "medium", "high", "auto"]));
    assert_eq!(about["tool_loop_v2"], false);
    let names: Vec<&str> =
        about["profiles"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["default", "edison", "dspy", "studio", "ploke", "zodo"]);
    assert!(about["profiles"][0]["about"].as_str().unwrap().len() > 10);
}

#[tokio::test]
async fn the_doctor_is_asked_over_http_and_says_what_it_found() {
    let stage = Stage::new(TALK).await;
    let client = stage.client();
    let found = client.post("/api/models/doctor", &json!({"name": " scripted/usual "})).await.json();
    assert_eq!((&found["checked_ms"], &found["findings"][0]["verdict"]), (&json!(7), &json!("pass")));
    let unknown = client.post("/api/models/doctor", &json!({"name": "box/none"})).await;
    assert_eq!((unknown.status, unknown.code().as_str()), (404, "model_not_found"));
    let empty = client.post("/api/models/doctor", &json!({"name": " "})).await;
    assert_eq!((empty.status, &empty.json()["field"]), (400, &json!("name")));
}

#[tokio::test]
async fn a_session_without_a_model_of_its_own_shows_the_one_that_would_answer() {
    let stage = Stage::new(TALK).await;
    let client = stage.client();
    let made = client.post("/api/sessions", &json!({"origin": "web", "key": "k"})).await.json();
    let id = made["session_id"].as_str().unwrap();
    let listed = client.get("/api/sessions").await.json()["sessions"][0].clone();
    let got = client.get(&format!("/api/sessions/{id}")).await.json();
    for row in [made.clone(), listed, got] {
        assert_eq!((&row["model"], &row["profile"]), (&json!("scripted/usual"), &json!("default")), "{row}");
        assert_eq!(row["origin"], "web");
    }
    let own = client.post("/api/sessions", &json!({"profile": "studio"})).await.json();
    assert_eq!((&own["profile"], &own["origin"]), (&json!("studio"), &json!("api")));
    let wrong = client.post("/api/sessions", &json!({"origin": "edison"})).await;
    assert_eq!((wrong.status, &wrong.json()["field"]), (400, &json!("origin")));
    let renamed = client.ask("PATCH", &format!("/api/sessions/{id}"), Some("{\"title\":\" Notes \"}")).await;
    assert_eq!(renamed.json()["title"], "Notes");
}

#[tokio::test]
async fn a_session_is_found_by_the_name_that_somebody_outside_knows() {
    let stage = Stage::new(TALK).await;
    let client = stage.client();
    let made = client.post("/api/sessions", &json!({"key": "ada & co"})).await.json();
    client.post("/api/sessions", &json!({"key": "ada"})).await.json();
    let found = client.get("/api/sessions?key=ada%20%26%20co&rows=5").await.json();
    assert_eq!(found, json!({"sessions": [made]}));
    let nobody = client.get("/api/sessions?key=ad").await.json();
    assert_eq!(nobody, json!({"sessions": []}));
}

#[tokio::test]
async fn runs_that_have_not_ended_are_listed_with_the_number_of_their_questions() {
    let script = "user Go.\nmodel call 1 write_file {\"path\":\"a\"}\nmodel end\nmodel text Done.\n";
    let stage = Stage::new(script).await;
    let client = stage.client();
    let run = client.run().await;
    let asked = client.events(&run, None).await.wait_for("permission_request").await;
    let waiting = client.get("/api/runs?unfinished=1").await.json();
    assert_eq!((&waiting["runs"][0]["run_id"], &waiting["runs"][0]["questions"]), (&json!(run), &json!(1)));
    let answer = json!({"decision": "deny", "digest": asked["digest"]});
    client.post(&format!("/api/runs/{run}/permissions/call_1"), &answer).await;
    client.all_events(&run).await;
    assert_eq!(client.get("/api/runs?unfinished=1").await.json()["runs"], json!([]));
    assert_eq!(client.get("/api/runs?unfinished=0").await.json()["runs"][0]["questions"], 0);
}

#[tokio::test]
async fn all_that_a_run_can_be_wished_is_on_record_as_it_was_said() {
    let stage = Stage::new(TALK).await;
    let client = stage.client();
    let session = client.session().await;
    let image = json!({"media_type": "image/png", "url": "data:image/png;base64,AAAA"});
    let wish = json!({
        "message": "Look.", "images": [image], "system": "Be brief.", "steps_max": 3, "calls_max": 4,
        "tokens_max": 5_000, "cost_usd_max": 0.25, "run_timeout_ms": 60_000, "response_format": {"type": "json_object"},
    });
    let place = format!("/api/sessions/{session}/runs");
    let run = client.post(&place, &wish).await.json()["run_id"].as_str().unwrap().to_owned();
    client.all_events(&run).await;
    let records = client.get(&format!("/api/sessions/{session}/records?rows=1")).await.json();
    let started = &records["records"][0]["event"];
    let wishes = &started["wishes"];
    assert_eq!(started["message"]["parts"][1]["url"], image["url"]);
    for field in ["system", "steps_max", "calls_max", "tokens_max", "cost_usd_max", "run_timeout_ms"] {
        assert_eq!(wishes[field], wish[field], "{field}");
    }
    assert_eq!(wishes["sampling"]["response_format"], wish["response_format"]);
    for (field, value) in [
        ("images", json!([{"media_type": "image/png", "url": "file:///etc/passwd"}])),
        ("images", json!([{"media_type": "text/html", "url": "https://a.example/"}])),
        ("steps_max", json!(0)),
        ("steps_max", json!(21)),
        ("calls_max", json!(0)),
        ("calls_max", json!(-1)),
        ("calls_max", json!(10_001)),
        ("calls_max", json!("many")),
        ("tokens_max", json!(0)),
        ("tokens_max", json!(2_000_000_000)),
        ("cost_usd_max", json!(0)),
        ("cost_usd_max", json!(-0.5)),
        ("cost_usd_max", json!(1e300)),
        ("run_timeout_ms", json!(0)),
        ("run_timeout_ms", json!(86_400_001)),
        ("response_format", json!("json")),
        ("form", json!("json")),
        ("form", json!({"name": "Sum"})),
        ("form", json!({"name": "Sum", "schema": {"type": "sum"}})),
        ("form", json!({"name": "Sum", "schema": {"$ref": "https://a.example/sum.json"}})),
        ("form", json!({"name": "Sum", "schema": {"description": "s".repeat(300_000)}})),
    ] {
        let refused = client.post(&place, &json!({"message": "Go.", field: value})).await;
        let shown = refused.json();
        assert_eq!((refused.status, &shown["field"]), (400, &json!(field)), "{value}: {shown}");
        assert!(shown["detail"].as_str().unwrap().contains(' '), "{shown}");
    }
}

#[tokio::test]
async fn the_form_of_one_run_is_held_to_and_on_record() {
    let script = "user Go.\nmodel text {\"sum\":\"two\"}\nmodel end\nmodel text {\"sum\":2}\n\
        user Go.\nmodel text {\"sum\":\"two\"}\nmodel end\nmodel text Two.\n\
        user Go.\nmodel text Just two.\n";
    let stage = Stage::new(script).await;
    let client = stage.client();
    let session = client.session().await;
    let place = format!("/api/sessions/{session}/runs");
    let form = json!({
        "name": "Sum",
        "schema": {"type": "object", "properties": {"sum": {"type": "integer"}}, "required": ["sum"]},
    });
    let mut ended = Vec::new();
    for wish in [
        json!({"message": "Go.", "form": form}),
        json!({"message": "Go.", "form": form}),
        json!({"message": "Go."}),
    ] {
        let run = client.post(&place, &wish).await.json()["run_id"].as_str().unwrap().to_owned();
        client.all_events(&run).await;
        ended.push(client.get(&format!("/api/runs/{run}/trace")).await.json());
    }
    let [fitting, wrong, free] = &ended[..] else { panic!("{ended:?}") };
    assert_eq!(
        (&fitting["outcome"], &fitting["answer"]),
        (&json!("completed"), &json!("{\"sum\":2}")),
        "{fitting}"
    );
    assert_eq!(
        (&wrong["outcome"], &wrong["stopReason"]),
        (&json!("failed"), &json!("correction_failed")),
        "{wrong}"
    );
    assert_eq!((&free["outcome"], &free["answer"]), (&json!("completed"), &json!("Just two.")), "{free}");
    let records = client.get(&format!("/api/sessions/{session}/records?rows=1")).await.json();
    assert_eq!(records["records"][0]["event"]["wishes"]["form"], form);
}
