//! How what is on record of a run is written down in the inspector.

use ratatui::text::Span;
use windlass_core::permission::{Question, host_note};
use windlass_core::protocol::ids::{CallId, Millis};
use windlass_core::protocol::message::{Message, Part};
use windlass_core::protocol::tool::{InnerCall, Visibility};
use windlass_core::text::time::duration;

use super::outcome::{self, OutcomePage};
use super::signs;
use crate::state::inspector::{CallFacts, DecisionFacts, EndFacts, NoticeFacts, RunFacts, StepFacts};
use crate::text::{clean, one_line};
use crate::theme::TextRole;
use crate::words;

/// What is known before the first step.
pub(super) fn lay_head(page: &mut OutcomePage, facts: &RunFacts) {
    page.said("model", &one_line(&facts.model));
    page.said("profile", &one_line(&facts.profile));
    page.title("message");
    page.prose(&facts.user, TextRole::User);
    facts.notices.iter().for_each(|notice| lay_notice(page, notice));
    page.blank();
}

pub(super) fn lay_end(page: &mut OutcomePage, facts: &RunFacts, end: &EndFacts) {
    let time = duration(end.ended_ms.saturating_sub(facts.started_ms));
    let text = format!("{}: {} after {time}", end.outcome.word(), words::reason_words(&end.reason));
    lay_bold(page, &text);
    let spent = [words::usage_words(&end.usage), words::cost_words(&end.usage)];
    let spent: Vec<String> = spent.into_iter().flatten().collect();
    if !spent.is_empty() {
        page.said("tokens", &spent.join(" · "));
    }
}

fn lay_bold(page: &mut OutcomePage, text: &str) {
    let style = page.style(TextRole::Strong);
    page.spans(&[Span::styled(clean(text).into_owned(), style)], 0);
}

/// A step; where its calls begin.
pub(super) fn lay_step(page: &mut OutcomePage, step: &StepFacts, began_ms: Millis) -> Vec<(CallId, usize)> {
    let mut facts = vec![format!("Step {}", step.step), words::purpose_words(step.purpose).to_owned()];
    facts.push(format!("at {}", duration(step.started_ms.saturating_sub(began_ms))));
    if step.attempt > 1 {
        facts.push(format!("try {}", step.attempt));
    }
    facts
        .extend(step.ended_ms.map(|ended| format!("took {}", duration(ended.saturating_sub(step.tried_ms)))));
    facts.extend(step.finish.as_ref().map(words::finish_words));
    lay_bold(page, &facts.join(" · "));
    let spent = step.usage.as_ref().map(|usage| [words::usage_words(usage), words::cost_words(usage)]);
    let spent: Vec<String> = spent.into_iter().flatten().flatten().collect();
    if !spent.is_empty() {
        page.said("tokens", &spent.join(" · "));
    }
    if let Some(message) = &step.message {
        lay_message(page, message);
    }
    let mut begins = Vec::new();
    for call in &step.calls {
        begins.push((call.call.id.clone(), page.lines.len()));
        lay_call(page, call);
    }
    step.notices.iter().for_each(|notice| lay_notice(page, notice));
    page.blank();
    begins
}

fn lay_message(page: &mut OutcomePage, message: &Message) {
    let (Message::Assistant { parts } | Message::User { parts }) = message else { return };
    for part in parts {
        match part {
            Part::Text { text } => {
                page.title("text");
                page.prose(text, TextRole::Text);
            }
            Part::Reasoning(reasoning) => {
                let has_state = reasoning.opaque.is_some();
                page.title(if has_state { "thinking, with state of the provider" } else { "thinking" });
                page.prose(&reasoning.text, TextRole::Muted);
            }
            Part::Image { media_type, .. } => page.said("picture", media_type),
            // Calls follow with all that became of them.
            Part::Call(_) => {}
        }
    }
}

fn lay_notice(page: &mut OutcomePage, notice: &NoticeFacts) {
    let role = if notice.is_bad { TextRole::Warn } else { TextRole::Muted };
    let style = page.style(role);
    page.spans(&[Span::styled(format!("{} {}", signs::WARNING, clean(&notice.title)), style)], 0);
    page.prose(&notice.text, TextRole::Text);
}

fn lay_call(page: &mut OutcomePage, call: &CallFacts) {
    let (sign, role) = match (&call.outcome, &call.started) {
        (Some((_, outcome)), _) => signs::status(outcome.status()),
        (None, Some(_)) => ("●", TextRole::Accent),
        (None, None) => ("○", TextRole::Muted),
    };
    let hidden = if call.visibility == Visibility::Hidden { " · hidden" } else { "" };
    let id = call.call.provider_id.as_ref().map(|id| format!(", {}", one_line(id))).unwrap_or_default();
    let spans = [
        Span::styled(format!("{sign} "), page.style(role)),
        Span::styled(clean(&call.call.name).into_owned(), page.style(TextRole::Strong)),
        Span::styled(format!(" · {}{id}{hidden}", call.call.id), page.style(TextRole::Muted)),
    ];
    page.spans(&spans, 0);
    page.arguments(&call.call.arguments);
    if let Some((_, question)) = &call.question {
        lay_question(page, question);
    }
    if let Some(decision) = &call.decision {
        lay_decision(page, call, decision);
    }
    if let Some((at_ms, by)) = &call.started {
        let wait = duration(at_ms.saturating_sub(call.requested_ms));
        let by = by.as_ref().map(|by| format!(", allowed by {}", words::gate_words(by))).unwrap_or_default();
        page.title(&format!("started {wait} after it was asked for{by}"));
    }
    if !call.inside.is_empty() {
        page.title("calls that it made");
        lay_inside(page, &call.inside, 2);
    }
    match &call.outcome {
        Some((_, outcome)) => outcome::lay(page, outcome),
        None => page.title("no outcome yet"),
    }
    if let Some(Message::Tool(message)) = call.message.as_deref() {
        page.title("what the model saw");
        page.json(&message.content);
    }
}

/// One line for each call inside a call, under the one that made it.
fn lay_inside(page: &mut OutcomePage, calls: &[InnerCall], indent: usize) {
    for call in calls {
        let (sign, role) = call.status.map_or(("●", TextRole::Accent), signs::status);
        let took = call.status.map(|_| format!(" · {}", duration(call.duration_ms))).unwrap_or_default();
        let spans = [
            Span::styled(format!("{sign} "), page.style(role)),
            Span::styled(one_line(&call.name), page.style(TextRole::Strong)),
            Span::styled(
                format!(" {}", words::arguments_summary(&call.arguments)),
                page.style(TextRole::Text),
            ),
            Span::styled(format!(" · {}{took}", call.word()), page.style(TextRole::Muted)),
        ];
        page.spans(&spans, indent);
        lay_inside(page, &call.inside, indent.saturating_add(2));
    }
}

fn lay_question(page: &mut OutcomePage, question: &Question) {
    page.title(&format!("asked the user: {} risk, rule {}", question.risk.label(), question.rule));
    outcome::lay_preview(page, question);
}

fn lay_decision(page: &mut OutcomePage, call: &CallFacts, decision: &DecisionFacts) {
    let mut facts =
        vec![format!("{} by {}", words::decision_words(decision.decision), words::gate_words(&decision.by))];
    let asked = call.question.as_ref().map(|(asked_ms, _)| decision.at_ms.saturating_sub(*asked_ms));
    facts.extend(asked.map(|waited| format!("after {}", duration(waited))));
    facts.extend(decision.rule.as_ref().map(|rule| match host_note(rule) {
        Some(note) => format!("kept: {rule} ({note})"),
        None => format!("kept: {rule}"),
    }));
    facts.extend(decision.problem.clone());
    page.title(&facts.join(" · "));
}
