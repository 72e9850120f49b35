//! The routes: every answer is held against the API document by the client itself.

use serde_json::json;

use crate::stage::Stage;
use crate::streams::TALK;

#[tokio::test]
async fn sessions_are_begun_listed_named_and_forgotten() {
    let stage = Stage::new(TALK).await;
    let client = stage.client();
    let (first, second) = (client.session().await, client.session().await);
    let renamed = client.ask("PATCH", &format!("/api/sessions/{first}"), Some("{\"title\":\"Mine\"}")).await;
    assert_eq!(renamed.json()["title"], "Mine");
    assert_eq!(
        client.ask("PATCH", &format!("/api/sessions/{first}"), Some("{\"title\":\" \"}")).await.status,
        400
    );
    let page = client.get("/api/sessions?rows=1").await.json();
    assert_eq!(page["sessions"].as_array().unwrap().len(), 1);
    let next = page["next"].as_str().unwrap();
    let rest = client.get(&format!("/api/sessions?rows=5&before={next}")).await.json();
    assert_eq!(rest["sessions"].as_array().unwrap().len(), 1);
    assert_ne!(rest["sessions"][0]["session_id"], page["sessions"][0]["session_id"]);
    assert_eq!(client.get("/api/sessions?text=Mine").await.json()["sessions"].as_array().unwrap().len(), 1);
    assert_eq!(client.get(&format!("/api/tasks?session_id={second}")).await.json(), json!({"tasks": []}));
    assert_eq!(client.delete(&format!("/api/sessions/{second}")).await.status, 204);
    assert_eq!(client.get(&format!("/api/sessions/{second}")).await.code(), "session_not_found");
    let named = client.post("/api/sessions", &json!({"title": "T", "key": "k", "unknown": 1})).await;
    assert_eq!((named.status, &named.json()["title"]), (201, &json!("T")));
}

#[tokio::test]
async fn runs_are_started_listed_traced_and_replayed() {
    let stage = Stage::new(TALK).await;
    let client = stage.client();
    let session = client.session().await;
    let path = format!("/api/sessions/{session}/runs");
    let started = client.post(&path, &json!({"message": "Go.", "tool_choice": "auto"})).await;
    assert_eq!(started.status, 202);
    let run = started.json()["run_id"].as_str().unwrap().to_owned();
    assert_eq!(started.header("location"), Some(format!("/api/runs/{run}").as_str()));
    client.all_events(&run).await;
    let row = client.get(&format!("/api/runs/{run}")).await.json();
    assert_eq!((&row["outcome"], &row["steps"], &row["calls"]), (&json!("completed"), &json!(2), &json!(1)));
    let listed = client.get(&format!("/api/runs?session_id={session}")).await.json();
    assert_eq!(listed["runs"][0]["run_id"], json!(run));
    assert_eq!(client.get("/api/runs?unfinished=true").await.json()["runs"], json!([]));
    let replayed = client.ask("POST", &format!("/api/runs/{run}/replay"), None).await;
    assert_eq!(replayed.status, 200, "{replayed:?}");
    assert!(replayed.json()["same"].as_u64().is_some_and(|same| same > 5), "{replayed:?}");
    assert!(replayed.json()["divergence"].is_null(), "{replayed:?}");
}

#[tokio::test]
async fn a_step_of_a_run_shows_what_was_asked_and_what_was_answered() {
    let stage = Stage::new(TALK).await;
    let client = stage.client();
    let run = client.run().await;
    client.all_events(&run).await;
    let step = client.get(&format!("/api/runs/{run}/steps/2")).await;
    assert_eq!(step.status, 200, "{step:?}");
    let step = step.json();
    assert_eq!((&step["step"], &step["attempts"][0]["attempt"]), (&json!(2), &json!(1)));
    let asked = step["request"]["messages"].as_array().unwrap();
    let roles: Vec<&str> = asked.iter().map(|message| message["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["user", "assistant", "tool"]);
    assert_eq!(step["request"]["tools"].as_array().unwrap().len(), 6);
    assert_eq!(step["response"]["message"]["role"], "assistant");
    assert!(step["problem"].is_null() && step["wire"].is_null(), "{step}");
    assert_eq!(client.get(&format!("/api/runs/{run}/steps/9")).await.code(), "step_not_found");
    assert_eq!(client.get(&format!("/api/runs/{run}/steps/two")).await.status, 400);
    assert_eq!(client.get("/api/runs/nowhere/steps/1").await.code(), "run_not_found");
}

#[tokio::test]
async fn r_29_the_trace_has_reasoning_calls_and_durations() {
    let stage = Stage::new(TALK).await;
    let client = stage.client();
    let run = client.run().await;
    client.all_events(&run).await;
    let trace = client.get(&format!("/api/runs/{run}/trace")).await.json();
    assert_eq!(trace["reasoning"][0]["content"], "I should count.");
    assert_eq!(
        (&trace["tools"][0]["name"], &trace["tools"][0]["status"]),
        (&json!("calculate"), &json!("completed"))
    );
    assert!(trace["tools"][0]["durationMs"].is_u64() && trace["totalDurationMs"].is_u64());
    assert_eq!(trace["outcome"], "completed");
}

#[tokio::test]
async fn what_is_wrong_with_a_start_is_said() {
    let stage = Stage::new(TALK).await;
    let client = stage.client();
    let session = client.session().await;
    let path = format!("/api/sessions/{session}/runs");
    for (wish, field) in [
        (json!({"message": ""}), "message"),
        (json!({"message": 5}), "message"),
        (json!({"message": "x", "tools": "all"}), "tools"),
        (json!({"message": "x", "tools": [1]}), "tools[0]"),
        (json!({"message": "x", "tool_choice": "perhaps"}), "tool_choice"),
        (json!({"message": "x", "reasoning_effort": "huge"}), "reasoning_effort"),
    ] {
        let refused = client.post(&path, &wish).await;
        assert_eq!((refused.status, refused.json()["field"].as_str()), (400, Some(field)), "{wish}");
    }
    let missing = client.post(&path, &json!({})).await;
    assert!(missing.json()["detail"].as_str().unwrap().contains("message"), "{missing:?}");
    assert_eq!(
        client.post("/api/sessions/none/runs", &json!({"message": "x"})).await.code(),
        "session_not_found"
    );
    let model = client.post(&path, &json!({"message": "x", "model": "no/such"})).await;
    assert_eq!((model.status, model.code().as_str()), (404, "model_not_found"));
}

#[tokio::test]
async fn a_second_run_in_a_session_is_a_conflict() {
    let stage = Stage::new("user Go.\nmodel hang\n").await;
    let client = stage.client();
    let session = client.session().await;
    let path = format!("/api/sessions/{session}/runs");
    let run =
        client.post(&path, &json!({"message": "Go."})).await.json()["run_id"].as_str().unwrap().to_owned();
    let second = client.post(&path, &json!({"message": "Go."})).await;
    assert_eq!((second.status, second.code().as_str()), (409, "run_goes_on"));
    client.ask("POST", &format!("/api/runs/{run}/cancel"), None).await;
}

#[tokio::test]
async fn a_run_may_wish_for_another_profile_than_the_last() {
    let stage = Stage::new("user Go.\nmodel text One.\nuser Go.\nmodel text Two.\n").await;
    let client = stage.client();
    let session = client.session().await;
    let path = format!("/api/sessions/{session}/runs");
    for profile in ["default", "studio"] {
        let started = client.post(&path, &json!({"message": "Go.", "profile": profile})).await.json();
        client.all_events(started["run_id"].as_str().unwrap()).await;
        let row = client.get(&format!("/api/runs/{}", started["run_id"].as_str().unwrap())).await.json();
        assert_eq!((&row["profile"], &row["outcome"]), (&json!(profile), &json!("completed")));
    }
}

#[tokio::test]
async fn tools_models_and_policies_are_as_the_commands_show_them() {
    let stage = Stage::new(TALK).await;
    let client = stage.client();
    let tools = client.get("/api/tools").await.json()["tools"].clone();
    assert!(tools.as_array().unwrap().len() >= 5);
    let name = tools[0]["name"].as_str().unwrap();
    assert_eq!(client.get(&format!("/api/tools/{name}")).await.json(), tools[0]);
    assert_eq!(client.get("/api/tools/no_such_tool").await.status, 404);
    assert_eq!(client.get("/api/models").await.json()["models"][0]["name"], "scripted/usual");
    let called = client.post("/api/tools/calculate/call", &json!({"arguments": {}})).await.json();
    assert_eq!((&called["status"], &called["result"]), (&json!("ok"), &json!(3)));
    assert_eq!(client.post("/api/tools/none/call", &json!({})).await.status, 404);
    let asked = client.post("/api/tools/read_file/call", &json!({"arguments": {"path": "a"}})).await;
    assert_eq!((asked.status, &asked.json()["question"]["tool"]), (409, &json!("read_file")));
    let rule = client.post("/api/policies", &json!({"effect": "allow", "rule": "read_file(src/**)"})).await;
    assert_eq!(rule.status, 201, "{rule:?}");
    let id = rule.json()["id"].as_str().unwrap().to_owned();
    assert_eq!(client.get("/api/policies").await.json()["rules"][0]["id"], json!(id));
    assert_eq!(client.post("/api/policies", &json!({"effect": "perhaps", "rule": "x"})).await.status, 400);
    assert_eq!(client.post("/api/policies", &json!({"effect": "allow", "rule": "x("})).await.status, 400);
    let gates = client.post("/api/policies/explain", &json!({"tool": "calculate"})).await.json();
    assert_eq!(gates["gates"].as_array().unwrap().iter().filter(|gate| gate["decides"] == true).count(), 1);
    assert_eq!(client.delete(&format!("/api/policies/{id}")).await.status, 204);
    assert_eq!(client.delete(&format!("/api/policies/{id}")).await.status, 404);
}

#[tokio::test]
async fn p_24_runs_steps_and_calls_are_counted_for_prometheus() {
    let stage = Stage::new(TALK).await;
    let client = stage.client();
    let run = client.run().await;
    client.all_events(&run).await;
    let metrics = loop {
        let answer = client.get("/metrics").await;
        if answer.body.contains("windlass_runs_ended_total{outcome=\"completed\"} 1") {
            break answer;
        }
        tokio::task::yield_now().await;
    };
    assert_eq!(metrics.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    for line in [
        "windlass_runs_started_total 1",
        "windlass_steps_total 2",
        "windlass_calls_total{tool=\"calculate\",error=\"none\"} 1",
        "windlass_open_runs 0",
        "windlass_open_streams 0",
        "windlass_http_answers_total{status=\"202\"} 1",
    ] {
        assert!(metrics.body.lines().any(|own| own == line), "{line} is missing in\n{}", metrics.body);
    }
    assert_eq!(client.get("/healthz").await.json()["status"], "ok");
    assert_eq!(client.get("/readyz").await.json()["status"], "ready");
}
