//! What a model is asked, as JSON that is the same from run to run: the id of the run is left out, and ids and times in
//! what tools gave are written as such. What people wrote stays as it is. Knows no files.

use serde_json::{Value, json};
use windlass_core::protocol::message::Message;
use windlass_core::protocol::model::ModelRequest;

/// Fields of envelopes that say when and how long; they are never the same twice.
const TIMES: [&str; 4] = ["execution_time_ms", "timestamp", "duration_ms", "started_ms"];

/// `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx`, where `x` is a hexadecimal digit.
const ID_FORM: &str = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
/// `0000-00-00T00:00:00`, where `0` is a digit.
const TIME_FORM: &str = "0000-00-00T00:00:00";

/// A request as it is recorded and compared.
pub(super) fn question(request: &ModelRequest) -> Value {
    let mut known = Vec::new();
    let messages: Vec<Value> = request.messages.iter().map(|message| said(message, &mut known)).collect();
    let trailer: Vec<String> = request.trailer.iter().map(|note| steady(note, &mut known)).collect();
    json!({
        "step": request.step,
        "purpose": request.purpose,
        "system": &*request.system,
        "messages": messages,
        "examples": request.examples,
        "trailer": trailer,
        "tool_choice": request.tool_choice,
        "sampling": request.sampling,
        "tools": request.tools.iter().map(AsRef::as_ref).collect::<Vec<_>>(),
    })
}

fn said(message: &Message, known: &mut Vec<String>) -> Value {
    let mut value = json!(message);
    let field = match message {
        Message::User { .. } | Message::Assistant { .. } => return value,
        Message::Tool(_) => "content",
        Message::Note { .. } => "text",
    };
    if let Some(Value::String(text)) = value.get_mut(field) {
        *text = match serde_json::from_str::<Value>(text) {
            Ok(mut envelope @ Value::Object(_)) => {
                forget_times(&mut envelope);
                steady(&envelope.to_string(), known)
            }
            _ => steady(text, known),
        };
    }
    value
}

/// The envelope of a profile may say how long a call took.
fn forget_times(envelope: &mut Value) {
    let Value::Object(fields) = envelope else { return };
    for (name, field) in fields {
        if TIMES.contains(&name.as_str()) && field.is_number() {
            *field = Value::from(0);
        } else if name == "metadata" {
            forget_times(field);
        }
    }
}

/// The text with random ids numbered as they appear, and times as a word.
fn steady(text: &str, known: &mut Vec<String>) -> String {
    let mut told = String::with_capacity(text.len());
    let mut rest = text;
    let mut in_word = false;
    while let Some(first) = rest.chars().next() {
        let mut taken = first.len_utf8();
        if in_word {
            told.push(first);
        } else if let Some(id) = of_form(rest, ID_FORM) {
            let place = known.iter().position(|own| own == id).unwrap_or_else(|| {
                known.push(id.to_owned());
                known.len() - 1
            });
            told.push_str(&format!("<id {}>", place + 1));
            taken = id.len();
        } else if let Some(time) = of_form(rest, TIME_FORM) {
            told.push_str("<time>");
            taken = time.len() + rest.get(time.len()..).map_or(0, zone_len);
        } else {
            told.push(first);
        }
        in_word = first.is_ascii_alphanumeric() && taken == first.len_utf8();
        rest = rest.get(taken..).unwrap_or_default();
    }
    told
}

/// The beginning of a text, if it has this form and no word goes on behind it.
fn of_form<'a>(text: &'a str, form: &str) -> Option<&'a str> {
    let head = text.get(..form.len())?;
    let fits = head.chars().zip(form.chars()).all(|(own, wanted)| match wanted {
        'x' => own.is_ascii_hexdigit(),
        '0' => own.is_ascii_digit(),
        other => own == other,
    });
    let ends = text.get(form.len()..)?.chars().next().is_none_or(|next| !next.is_ascii_digit());
    (fits && ends).then_some(head)
}

/// Bytes of the fraction and the zone of a time.
fn zone_len(text: &str) -> usize {
    let fraction = match text.strip_prefix('.') {
        Some(digits) => 1 + digits.bytes().take_while(u8::is_ascii_digit).count(),
        None => 0,
    };
    let zone = text.get(fraction..).unwrap_or_default();
    let is_offset = zone.starts_with(['+', '-']) && zone.get(1..6).is_some_and(|rest| rest.contains(':'));
    fraction
        + if zone.starts_with('Z') {
            1
        } else if is_offset {
            6
        } else {
            0
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_numbered_and_times_are_a_word() {
        let mut known = Vec::new();
        let text = "job 0190aabb-1111-7222-8333-444455556666 at 2026-01-02T03:04:05.678Z, then \
                    0190aabb-1111-7222-8333-444455556667 until 2026-01-02T03:04:05+02:00. \
                    Again 0190aabb-1111-7222-8333-444455556666; ż 12:30, 2026-01-02.";
        assert_eq!(
            steady(text, &mut known),
            "job <id 1> at <time>, then <id 2> until <time>. Again <id 1>; ż 12:30, 2026-01-02."
        );
        assert_eq!(steady("nothing-of-that", &mut known), "nothing-of-that");
    }

    #[test]
    fn times_of_an_envelope_do_not_count() {
        let mut envelope =
            json!({"data": {"timestamp": 7}, "metadata": {"timestamp": 5, "data_size_bytes": 3}});
        forget_times(&mut envelope);
        assert_eq!(
            envelope,
            json!({"data": {"timestamp": 7}, "metadata": {"timestamp": 0, "data_size_bytes": 3}})
        );
    }
}
