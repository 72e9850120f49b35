//! Where two JSON values part: the first place, and what stands there on either side. Knows no requests.

use serde_json::Value;

/// Characters that are shown before the place where two texts part.
const LEAD_CHARS: usize = 40;
/// Characters of a value that are shown: enough to recognise it, on one line.
const SHOWN_CHARS: usize = 160;

/// The first place where two values differ.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct JsonDifference {
    /// `$.messages[0].parts[0].text`.
    pub(super) path: String,
    /// What was recorded, shortened.
    pub(super) recorded: String,
    /// What is asked now, shortened.
    pub(super) asked: String,
}

/// The first difference, if there is one; the order of fields is none.
pub(super) fn first_difference(recorded: &Value, asked: &Value) -> Option<JsonDifference> {
    find("$", Some(recorded), Some(asked))
}

fn find(path: &str, recorded: Option<&Value>, asked: Option<&Value>) -> Option<JsonDifference> {
    match (recorded, asked) {
        (Some(recorded), Some(asked)) if recorded == asked => None,
        (Some(Value::Object(recorded)), Some(Value::Object(asked))) => {
            let more = asked.keys().filter(|name| !recorded.contains_key(*name));
            let mut names = recorded.keys().chain(more);
            names.find_map(|name| find(&format!("{path}.{name}"), recorded.get(name), asked.get(name)))
        }
        (Some(Value::Array(recorded)), Some(Value::Array(asked))) => {
            let mut places = 0..recorded.len().max(asked.len());
            places.find_map(|place| find(&format!("{path}[{place}]"), recorded.get(place), asked.get(place)))
        }
        (Some(Value::String(recorded)), Some(Value::String(asked))) => {
            let same = recorded.chars().zip(asked.chars()).take_while(|(one, other)| one == other).count();
            let (recorded, asked) = (around(recorded, same), around(asked, same));
            Some(JsonDifference { path: path.to_owned(), recorded, asked })
        }
        (recorded, asked) => {
            Some(JsonDifference { path: path.to_owned(), recorded: shown(recorded), asked: shown(asked) })
        }
    }
}

fn shown(value: Option<&Value>) -> String {
    value.map_or_else(|| "nothing".to_owned(), |value| cut(&value.to_string(), 0))
}

/// The text about the place where it parts from another.
fn around(text: &str, place: usize) -> String {
    Value::String(cut(text, place.saturating_sub(LEAD_CHARS))).to_string()
}

fn cut(text: &str, from: usize) -> String {
    let mut rest = text.chars().skip(from);
    let mut shown: String = rest.by_ref().take(SHOWN_CHARS).collect();
    if from > 0 {
        shown.insert(0, '…');
    }
    if rest.next().is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_first_difference_has_its_place_and_both_values() {
        let recorded = json!({"a": 1, "list": [{"text": "one"}, 2]});
        assert_eq!(first_difference(&recorded, &json!({"list": [{"text": "one"}, 2], "a": 1})), None);
        let told = |asked: Value| {
            let found = first_difference(&recorded, &asked).unwrap();
            (found.path, found.recorded, found.asked)
        };
        let text = |path: &str, one: &str, other: &str| (path.to_owned(), one.to_owned(), other.to_owned());
        assert_eq!(
            told(json!({"a": 1, "list": [{"text": "two"}, 2]})),
            text("$.list[0].text", "\"one\"", "\"two\"")
        );
        assert_eq!(told(json!({"a": 1, "list": [{"text": "one"}]})), text("$.list[1]", "2", "nothing"));
        assert_eq!(
            told(json!({"a": 1, "list": [{"text": "one"}, 2], "b": []})),
            text("$.b", "nothing", "[]")
        );
    }

    #[test]
    fn long_texts_are_shown_where_they_part() {
        let same = "ż".repeat(500);
        let found = first_difference(&json!(format!("{same}left")), &json!(format!("{same}right"))).unwrap();
        assert!(found.recorded.starts_with("\"…ż") && found.recorded.ends_with("left\""), "{found:?}");
        assert!(found.asked.ends_with("right\"") && found.asked.chars().count() < 60, "{found:?}");
    }
}
