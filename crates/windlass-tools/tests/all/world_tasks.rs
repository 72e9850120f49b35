use serde_json::json;
use windlass_core::ports::Probed;
use windlass_core::protocol::tool::{Effects, Risk};

use crate::context::Bench;

#[tokio::test]
async fn z_6_tasks_are_numbered_as_they_are_added() {
    let bench = Bench::default();
    for number in 1..=3 {
        let output = bench.call("add_task", json!({"content": format!("part {number}")})).await.unwrap();
        assert_eq!(output.json, json!({"task_id": format!("task_{number}")}));
        assert_eq!(output.readable(), format!("{{\"task_id\":\"task_{number}\"}}"));
    }
    let failure = bench.call("add_task", json!({"content": "  "})).await.unwrap_err();
    assert_eq!(failure.kind.zodo_word(), "validation_failed");
}

#[tokio::test]
async fn whether_a_task_was_added_is_seen_from_the_list() {
    let bench = Bench::default();
    let args = json!({"content": " read "});
    assert_eq!(bench.probe("add_task", args.clone()).await, Probed::NotHappened);
    let output = bench.call("add_task", args.clone()).await.unwrap();
    assert_eq!(bench.probe("add_task", args).await, Probed::Happened(Box::new(output)));
}

#[tokio::test]
async fn z_7_the_list_has_all_tasks_and_is_empty_at_first() {
    let bench = Bench::default();
    assert_eq!(bench.call("list_tasks", json!({})).await.unwrap().readable(), "[]");
    bench.call("add_task", json!({"content": "read"})).await.unwrap();
    bench.call("add_task", json!({"content": "write"})).await.unwrap();
    bench.call("update_task", json!({"task_id": "task_2", "status": "in_progress"})).await.unwrap();
    let list = bench.call("list_tasks", json!({})).await.unwrap();
    let expected = r#"[{"task_id":"task_1","status":"pending","content":"read"},{"task_id":"task_2","status":"in_progress","content":"write"}]"#;
    assert_eq!(list.readable(), expected);
}

#[tokio::test]
async fn z_8_a_status_is_set_and_confirmed() {
    let bench = Bench::default();
    bench.call("add_task", json!({"content": "read"})).await.unwrap();
    for status in ["pending", "in_progress", "completed"] {
        let output = bench.call("update_task", json!({"task_id": "task_1", "status": status})).await.unwrap();
        assert_eq!(output.readable(), format!("{{\"task_id\":\"task_1\",\"status\":\"{status}\"}}"));
    }
}

#[tokio::test]
async fn z_8_refusals_have_their_exact_texts() {
    let bench = Bench::default();
    for (args, message, word) in [
        (
            json!({"task_id": "", "status": "completed"}),
            "task_id cannot be empty. Use list_tasks to see available task IDs.",
            "validation_failed",
        ),
        (
            json!({"task_id": "task_1", "status": "done"}),
            "Invalid status. Must be 'pending', 'in_progress', or 'completed'",
            "validation_failed",
        ),
        (
            json!({"task_id": "task_9", "status": "completed"}),
            "Task 'task_9' not found. Use list_tasks to see available task IDs.",
            "not_found",
        ),
    ] {
        let failure = bench.call("update_task", args).await.unwrap_err();
        assert_eq!((failure.message.as_str(), failure.kind.zodo_word()), (message, word));
    }
}

#[test]
fn z_6_z_7_z_8_tasks_need_no_permission() {
    let bench = Bench::default();
    for (name, effects) in
        [("add_task", Effects::Write), ("update_task", Effects::Write), ("list_tasks", Effects::Read)]
    {
        let spec = bench.tool(name).spec();
        assert_eq!((spec.effects, spec.risk), (effects, Risk::Safe), "{name}");
    }
    assert!(bench.tool("list_tasks").spec().repeatable);
    assert_eq!(bench.tool("add_task").spec().aliases, ["create_task"]);
}

#[tokio::test]
async fn the_ids_of_tasks_that_exist_are_said() {
    let bench = Bench::default();
    assert_eq!(bench.live_values("update_task", "tasks"), Vec::<String>::new());
    bench.call("add_task", json!({"content": "read"})).await.unwrap();
    bench.call("add_task", json!({"content": "write"})).await.unwrap();
    assert_eq!(bench.live_values("update_task", "tasks"), ["task_1", "task_2"]);
    assert_eq!(bench.live_values("update_task", "results"), Vec::<String>::new());
}
