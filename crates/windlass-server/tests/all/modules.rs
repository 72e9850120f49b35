//! Modules over HTTP: listed, described, their prompts shown, run as ordinary runs.

use serde_json::json;

use crate::stage::Stage;

const SCRIPT: &str = "user Go.\nmodel text Done.\n";

#[tokio::test]
async fn modules_are_listed_with_what_they_take_and_what_is_wrong_with_files() {
    let stage = Stage::new(SCRIPT).await;
    let shelf = stage.client().get("/api/modules").await;
    assert_eq!(shelf.status, 200, "{shelf:?}");
    let shelf = shelf.json();
    assert_eq!(shelf["modules"][0]["module_id"], "sort.mail");
    assert_eq!(shelf["modules"][0]["model"], "module/sort.mail");
    assert_eq!(shelf["faults"][0]["path"], "broken.json");
    assert_eq!(shelf["folders"], json!([".windlass/modules"]));
}

#[tokio::test]
async fn one_module_is_shown_with_its_signature_and_an_unknown_one_is_a_problem() {
    let stage = Stage::new(SCRIPT).await;
    let one = stage.client().get("/api/modules/sort.mail").await;
    assert_eq!((one.status, &one.json()["inputs"][0]["name"]), (200, &json!("mail")));
    let none = stage.client().get("/api/modules/sort.male").await;
    assert_eq!((none.status, none.code().as_str()), (404, "module_not_found"));
}

#[tokio::test]
async fn the_prompt_of_a_module_is_shown_and_nothing_is_asked() {
    let stage = Stage::new(SCRIPT).await;
    let asked = json!({"inputs": {"mail": "hello"}});
    let prompt = stage.client().post("/api/modules/sort.mail/prompt", &asked).await;
    assert_eq!(prompt.status, 200, "{prompt:?}");
    let messages = json!([{"role": "user", "text": "{\"mail\":\"hello\"}"}]);
    assert_eq!(prompt.json()["messages"], messages);
    let wrong = stage.client().post("/api/modules/sort.mail/prompt", &json!({"inputs": {}})).await;
    assert_eq!((wrong.status, &wrong.json()["field"]), (400, &json!("inputs")));
    let none = stage.client().post("/api/modules/none/prompt", &asked).await;
    assert_eq!((none.status, none.code().as_str()), (404, "module_not_found"));
    assert_eq!(stage.client().post("/api/modules/sort.mail/prompt", &json!({})).await.status, 400);
}
