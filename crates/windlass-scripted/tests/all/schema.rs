//! The schema of records is committed as it is made of the types, and every record of every fixture fits it.

use std::collections::BTreeSet;
use std::fs;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::timeout;
use windlass_core::protocol::event::{DeltaEvent, Event};
use windlass_core::protocol::schema::record_schema;

use crate::engine::play;
use crate::scripts::{parse, repository, scripts_in};

/// Holds a text against a file of the repository; `WINDLASS_REWRITE=1` writes the file instead.
pub(crate) fn hold(path: &str, text: &str) {
    let file = repository().join(path);
    if std::env::var_os("WINDLASS_REWRITE").is_some() {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
    }
    let kept = fs::read_to_string(&file).unwrap_or_default();
    assert!(kept == text, "{path} is not as it should be; write it anew with WINDLASS_REWRITE=1");
}

/// The schema, strict: an object has no fields but those that the schema names.
fn strict(schema: &mut Value) {
    if let Value::Object(fields) = schema {
        if fields.contains_key("properties") {
            fields.insert("additionalProperties".into(), json!(false));
        }
        fields.values_mut().for_each(strict);
    } else if let Value::Array(items) = schema {
        items.iter_mut().for_each(strict);
    }
}

/// Says whether a record is written as the schema says, without a field too many.
pub(crate) fn strict_validator() -> jsonschema::Validator {
    let mut schema = record_schema();
    strict(&mut schema);
    jsonschema::validator_for(&schema).unwrap()
}

#[test]
fn the_schema_of_records_is_committed_as_it_is_made_of_the_types() {
    hold("schema/events.schema.json", &format!("{:#}\n", record_schema()));
}

#[test]
fn every_kind_of_event_has_a_name_in_the_schema() {
    let schema = record_schema();
    let variants = schema["$defs"]["Event"]["oneOf"].as_array().unwrap();
    let named: BTreeSet<&str> = variants.iter().map(|variant| variant["$ref"].as_str().unwrap()).collect();
    assert_eq!(named.len(), variants.len());
    for name in named {
        let event = &schema["$defs"][name.strip_prefix("#/$defs/").unwrap()];
        assert!(event["properties"]["type"]["const"].is_string(), "{name}: {event}");
        assert!(event["description"].is_string(), "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn every_record_of_every_fixture_fits_the_schema_field_by_field() {
    let validator = strict_validator();
    let mut seen = BTreeSet::new();
    for (name, text) in scripts_in("fixtures/scripts") {
        let script = parse(&name, &text);
        let records = timeout(Duration::from_secs(7_200), play(&script)).await.unwrap();
        for record in &records {
            let value = serde_json::to_value(&**record).unwrap();
            let wrong: Vec<String> = validator.iter_errors(&value).map(|error| error.to_string()).collect();
            assert!(wrong.is_empty(), "{name}: {wrong:?} in {value}");
            seen.insert(record.event.name());
        }
    }
    // A stop of the program and what providers do to requests are among the kept views.
    assert!(seen.len() >= 17, "only {seen:?}");
}

#[test]
fn the_schema_refuses_what_serde_never_writes() {
    let validator = jsonschema::validator_for(&record_schema()).unwrap();
    let record = |event: Value| json!({"seq": 1, "ts_ms": 1, "session_id": "s", "run_id": "r", "parent_id": "m", "event": event});
    let written = serde_json::to_value(Event::Delta(DeltaEvent::TextDelta { text: "Hi".into() })).unwrap();
    assert!(validator.is_valid(&record(written)));
    for wrong in [
        json!({"type": "text_delta"}),
        json!({"type": "text_delta", "text": null}),
        json!({"type": "nothing_known", "text": "Hi"}),
        json!({"type": "step_started", "step": -1, "purpose": "work", "attempt": 1}),
        json!({"type": "step_started", "step": 1, "purpose": "rest", "attempt": 1}),
    ] {
        assert!(!validator.is_valid(&record(wrong.clone())), "{wrong}");
    }
}
