//! Scenarios of failures: whatever goes wrong has the same name on every wire, and nothing of it may be used.

use windlass_core::protocol::message::Message;
use windlass_core::protocol::model::ModelDelta;
use windlass_models::limits::ExchangeLimits;
use windlass_testkit::provider::{VendorFault, VendorScript};

use crate::conformance_cell::*;

fn part(fault: VendorFault) -> VendorScript {
    VendorScript { fault: Some(fault), ..VendorScript::default() }
}

/// The fault fails the answer before any of it.
async fn refused(cell: &Cell, fault: VendorFault, code: &str, is_retryable: bool) -> Verdict {
    let heard = cell.ask(&part(fault)).await;
    heard.fails(code, is_retryable)?;
    same("texts", heard.texts(), Vec::new())
}

pub(crate) async fn status_401(cell: &Cell) -> Verdict {
    refused(cell, VendorFault::KeyInError, "auth", false).await
}

pub(crate) async fn status_404(cell: &Cell) -> Verdict {
    refused(cell, VendorFault::ModelUnknown, "model_unknown", false).await
}

pub(crate) async fn status_429_says_how_long_to_wait(cell: &Cell) -> Verdict {
    let heard = cell.ask(&part(VendorFault::RateLimit)).await;
    same("wait", heard.fails("rate_limit", true)?.retry_after_ms, Some(1_000))
}

pub(crate) async fn status_500(cell: &Cell) -> Verdict {
    refused(cell, VendorFault::Status500, "overloaded", true).await
}

pub(crate) async fn status_503(cell: &Cell) -> Verdict {
    refused(cell, VendorFault::Status503, "overloaded", true).await
}

pub(crate) async fn r_62_an_error_inside_status_200(cell: &Cell) -> Verdict {
    refused(cell, VendorFault::ErrorBody, "overloaded", true).await
}

pub(crate) async fn an_error_in_mid_stream(cell: &Cell) -> Verdict {
    for steps in [0, 1] {
        let script = VendorScript { words: 8, steps, parallel: 2, ..part(VendorFault::ErrorEvent) };
        cell.ask(&script).await.fails("overloaded", true)?;
    }
    Ok(())
}

pub(crate) async fn a_cut_stream(cell: &Cell) -> Verdict {
    let script = VendorScript { words: 40, ..part(VendorFault::Cut) };
    let heard = cell.ask(&script).await;
    heard.fails("cut", true)?;
    let said = heard.texts().concat();
    holds(!said.is_empty() && script.answer().starts_with(&said), format!("what came was {said:?}"))?;
    let has_call = heard.deltas.iter().any(|delta| matches!(delta, ModelDelta::Call(_)));
    holds(!has_call, "a call came of a text")?;
    let calling = VendorScript { steps: 1, parallel: 3, speaks_first: true, ..part(VendorFault::Cut) };
    cell.ask(&calling).await.fails("cut", true).map(|_| ())
}

pub(crate) async fn r_32_a_malformed_frame(cell: &Cell) -> Verdict {
    let script = VendorScript { words: 40, ..part(VendorFault::MalformedEvent) };
    let heard = cell.ask(&script).await;
    heard.fails("malformed", true)?;
    let said = heard.texts().concat();
    holds(script.answer().starts_with(&said), format!("{said:?} was shown as the answer"))
}

async fn stalls(cell: &Cell, fault: VendorFault, limits: ExchangeLimits, limit: &str) -> Verdict {
    let request = request(vec![Message::user("Go on.")]);
    let heard = hear(cell.target(&part(fault)), limits, request).await;
    let failure = heard.fails("timeout", true)?;
    holds(failure.message.contains(limit), format!("no word of {limit}: {failure}"))
}

pub(crate) async fn a_stall_before_the_headers(cell: &Cell) -> Verdict {
    let limits = ExchangeLimits { first_byte_timeout_ms: 60, ..calm() };
    stalls(cell, VendorFault::EndlessHead, limits, "first_byte_timeout_ms").await
}

pub(crate) async fn a_stall_after_the_first_event(cell: &Cell) -> Verdict {
    let limits = ExchangeLimits { idle_timeout_ms: 60, ..calm() };
    stalls(cell, VendorFault::Hang, limits, "idle_timeout_ms").await
}

pub(crate) async fn a_page_instead_of_an_answer(cell: &Cell) -> Verdict {
    let heard = cell.ask(&part(VendorFault::HtmlPage)).await;
    let failure = heard.fails("malformed", true)?;
    same("texts", heard.texts(), Vec::new())?;
    holds(failure.message.contains("base_url"), format!("no word of what to do: {failure}"))
}

pub(crate) async fn a_context_overflow(cell: &Cell) -> Verdict {
    refused(cell, VendorFault::Overflow, "context_overflow", false).await
}

pub(crate) async fn no_tool_support(cell: &Cell) -> Verdict {
    refused(cell, VendorFault::NoToolSupport, "no_tool_support", false).await
}
