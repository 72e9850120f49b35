use super::*;

#[test]
fn tasks_are_counted_listed_and_updated() {
    let tasks = SessionTasks::new();
    assert_eq!(tasks.add("first").task_id, "task_1");
    assert_eq!(tasks.add("second").task_id, "task_2");
    assert_eq!(tasks.update("task_1", TaskStatus::Completed).unwrap().status, TaskStatus::Completed);
    assert!(tasks.update("task_9", TaskStatus::Completed).is_none());
    let list: Vec<(String, TaskStatus)> =
        tasks.list().into_iter().map(|task| (task.content, task.status)).collect();
    assert_eq!(list, [("first".into(), TaskStatus::Completed), ("second".into(), TaskStatus::Pending)]);
}

#[test]
fn a_full_list_forgets_what_is_done_first() {
    let tasks = SessionTasks::new();
    for _ in 0..TASKS_MAX {
        tasks.add("t");
    }
    tasks.update("task_500", TaskStatus::Completed);
    assert_eq!(tasks.add("new").task_id, format!("task_{}", TASKS_MAX + 1));
    assert_eq!(tasks.list().len(), TASKS_MAX);
    assert!(tasks.update("task_500", TaskStatus::Pending).is_none());
    tasks.add("newer");
    assert!(tasks.update("task_1", TaskStatus::Pending).is_none());
}

#[test]
fn a_restored_list_goes_on_counting() {
    let tasks = SessionTasks::new();
    tasks.add("a");
    tasks.add("b");
    let again = SessionTasks::restore(tasks.list());
    assert_eq!(again.add("c").task_id, "task_3");
    assert_eq!(again.list().len(), 3);
}

#[test]
fn a_long_task_is_cut() {
    assert_eq!(SessionTasks::new().add(&"é".repeat(10_000)).content.chars().count(), TASK_CHARS_MAX);
}

#[test]
fn a_change_is_told_once() {
    let tasks = SessionTasks::restore(vec![]);
    assert!(tasks.take_change().is_none());
    tasks.add("first");
    assert_eq!(tasks.take_change().unwrap().len(), 1);
    assert!(tasks.take_change().is_none());
    tasks.update("task_9", TaskStatus::Completed);
    assert!(tasks.take_change().is_none(), "nothing was there to change");
    tasks.update("task_1", TaskStatus::Completed);
    assert_eq!(tasks.take_change().unwrap()[0].status, TaskStatus::Completed);
}
