use std::sync::Arc;

use windlass_core::protocol::event::Record;

use super::*;

fn fixture(name: &str) -> (SessionView, Timing) {
    let file = format!("{}/../../fixtures/views/{name}.records.jsonl", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(file).unwrap();
    let records: Vec<Arc<Record>> =
        text.lines().map(|line| Arc::new(serde_json::from_str(line).unwrap())).collect();
    let mut timing = Timing::default();
    records.iter().for_each(|record| timing.apply(record));
    (SessionView::fold(records.iter().map(Arc::as_ref)), timing)
}

#[test]
fn a_session_is_written_as_markdown_for_people() {
    let (view, timing) = fixture("search_links");
    let text = transcript_markdown(&view, &timing);
    for wanted in [
        "## You\n\nWhat is a windlass?\n\n## Windlass\n",
        "> *Thought*\n> I should look it up.\n",
        "**Call `web_search`** (ok, 50 ms)\n\n```json\n{\n  \"query\": \"windlass\"\n}\n```\n",
        "[a pawl](https://example.com/windlass#pawl) holds it.",
        "<sub>scripted/fixtures/views/search_links.script · 1.1 s · 2 calls · 900 in (400 cached), 60 out",
    ] {
        assert!(text.contains(wanted), "{wanted}\n{text}");
    }
}

#[test]
fn r_30_hidden_calls_are_not_exported() {
    let (view, timing) = fixture("hidden_tools");
    assert!(!transcript_markdown(&view, &timing).contains("calculate"));
}

#[test]
fn the_last_answer_is_the_newest_there_is() {
    assert_eq!(last_answer(&fixture("two_runs").0).as_deref(), Some("Read c."));
    assert_eq!(last_answer(&fixture("speaking").0).as_deref(), Some("Let "));
    assert_eq!(last_answer(&SessionView::default()), None);
}

#[test]
fn a_failure_is_copied_as_its_message() {
    let (view, _) = fixture("ploke_failure_note");
    let run = view.runs.first().unwrap();
    let id = run.entries.iter().find_map(|entry| match entry {
        Entry::Call(call) => Some(call.call.id.clone()),
        Entry::Text(_) | Entry::Reasoning { .. } => None,
    });
    let text = copied(&view, &Foldable::Call(run.run_id.clone(), id.unwrap())).unwrap();
    assert!(text.ends_with("disk on fire"), "{text}");
}
