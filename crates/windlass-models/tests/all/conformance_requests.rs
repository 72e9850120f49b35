//! Scenarios of requests: what is asked for reaches the provider in a form that it takes.

use windlass_core::protocol::message::{Message, Part};
use windlass_core::protocol::model::{ModelDelta, ModelRequest, ToolChoice};
use windlass_testkit::provider::{VendorScript, VendorTool};

use crate::conformance_cell::*;

fn choosing(choice: ToolChoice) -> ModelRequest {
    ModelRequest { tool_choice: choice, ..request(vec![Message::user("Go on.")]) }
}

/// The part has no call in it: only who is told to call does.
pub(crate) async fn a_forced_choice_calls(cell: &Cell) -> Verdict {
    let script = VendorScript { tool: VendorTool::Sum, ..VendorScript::default() };
    let step = cell.answer_to(&script, choosing(ToolChoice::Required)).await?;
    let names: Vec<String> = calls_of(&step).into_iter().map(|(name, _)| name).collect();
    same("calls", names, vec!["calculate".to_owned()])
}

pub(crate) async fn a_named_choice_calls_that_tool(cell: &Cell) -> Verdict {
    let script = VendorScript { tool: VendorTool::Sum, ..VendorScript::default() };
    let step = cell.answer_to(&script, choosing(ToolChoice::Named("get_file_tree".to_owned()))).await?;
    let names: Vec<String> = calls_of(&step).into_iter().map(|(name, _)| name).collect();
    same("calls", names, vec!["get_file_tree".to_owned()])
}

pub(crate) async fn a_forbidden_choice_does_not_call(cell: &Cell) -> Verdict {
    let script = VendorScript { steps: 1, ..VendorScript::default() };
    let step = cell.answer_to(&script, choosing(ToolChoice::Forbidden)).await?;
    same("calls", calls_of(&step), Vec::new())?;
    same("text", said(&step), script.answer())
}

pub(crate) async fn cancelling_closes_the_connection(cell: &Cell) -> Verdict {
    // The answer is held when half of it was said, and nobody lets it go on.
    let script = VendorScript { words: 60, hold_after: 30, ..VendorScript::default() };
    let mut stream = cell.open(&script);
    let first = loop {
        match next(&mut stream).await {
            Some(Ok(ModelDelta::Text(text))) => break text,
            Some(Ok(_)) => {}
            other => return Err(format!("no text came, but {other:?}")),
        }
    };
    holds(script.answer().starts_with(&first), format!("{first:?} came first"))?;
    drop(stream);
    let ledger = cell.wait_until(|ledger| ledger.connections.iter().all(|one| one.closed.is_some())).await;
    let Some(ledger) = ledger else { return Err("the connection stayed open".to_owned()) };
    same("connections", ledger.connections.len(), 1)?;
    holds(ledger.connections.iter().all(|one| one.is_closed_by_client), "the client closed it")
}

pub(crate) async fn a_picture(cell: &Cell) -> Verdict {
    let bytes = "iVBORw0KGgoAAAANSUhEUg==";
    let picture =
        Part::Image { media_type: "image/png".to_owned(), url: format!("data:image/png;base64,{bytes}") };
    let parts = vec![Part::text("What is it?"), picture];
    let step = cell.answer(&VendorScript::default(), vec![Message::User { parts }]).await?;
    same("text", said(&step), VendorScript::default().answer())?;
    let seen: Vec<Vec<String>> = cell.ledger().requests.into_iter().map(|one| one.pictures).collect();
    same("pictures", seen, vec![vec![bytes.to_owned()]])
}

pub(crate) async fn a_note_in_the_middle(cell: &Cell) -> Verdict {
    let script = VendorScript { steps: 1, ..VendorScript::default() };
    let mut history = vec![
        Message::user("first words"),
        Message::assistant("second words"),
        Message::note("third words"),
        Message::user("fourth words"),
    ];
    let step = cell.answer(&script, history.clone()).await?;
    same("calls", calls_of(&step), vec![command(0, 0)])?;
    append(&mut history, &step);
    history.push(Message::note("last words"));
    same("answer", said(&cell.answer(&script, history).await?), script.answer())?;
    let body = cell.last_body();
    let order = ["first", "second", "third", "fourth", "outcome of execute_command", "last"];
    let places: Vec<Option<usize>> = order.iter().map(|word| body.find(word)).collect();
    holds(places.iter().all(Option::is_some) && places.is_sorted(), format!("{places:?} in {body}"))?;
    same("told once", body.matches("third words").count(), 1)
}
