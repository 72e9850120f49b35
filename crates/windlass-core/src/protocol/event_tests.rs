use super::*;

/// A run holds one record for each piece of text: what is large and rare stands behind a pointer.
#[test]
fn a_record_is_small() {
    assert!(size_of::<Record>() <= 200, "{}", size_of::<Record>());
}

/// A reader of an older release gets records of a newer one: what it does not know it leaves alone.
#[test]
fn fields_that_a_reader_does_not_know_are_ignored() {
    let line = r#"{"seq":3,"ts_ms":5,"session_id":"s","run_id":"r","parent_id":"m","mood":"good",
                   "event":{"type":"text_delta","text":"Hi","weight":[1,{"x":null}]}}"#;
    let record: Record = serde_json::from_str(line).unwrap();
    assert_eq!((record.seq, record.event), (3, DeltaEvent::TextDelta { text: "Hi".into() }.into()));
}

/// The two kinds are one flat object on the wire, wherever its `type` stands.
#[test]
fn an_event_is_of_the_kind_that_its_type_says() {
    let deltas: [Event; 5] = [
        DeltaEvent::StepProgressed { tokens_read: 1, tokens_total: 2, remaining_ms: None }.into(),
        DeltaEvent::ReasoningDelta { phase: 0, text: "a".into() }.into(),
        DeltaEvent::TextDelta { text: "a".into() }.into(),
        DeltaEvent::CallDelta { index: 0, name: None, chars: 3 }.into(),
        DeltaEvent::CallProgressed { call_id: CallId::new("c1"), line: "a".into() }.into(),
    ];
    let durable = [DurableEvent::NoteAdded { text: "a".into() }.into()];
    for event in deltas.into_iter().chain(durable) {
        let text = serde_json::to_string(&event).unwrap();
        assert!(text.starts_with(&format!(r#"{{"type":"{}""#, event.name().replace('-', "_"))), "{text}");
        assert_eq!(serde_json::from_str::<Event>(&text).unwrap(), event);
        let tag = format!(r#""type":"{}","#, event.name().replace('-', "_"));
        let last = text.replacen(&tag, "", 1).replacen('}', &format!(",{}}}", tag.trim_end_matches(',')), 1);
        assert_eq!(serde_json::from_str::<Event>(&last).unwrap(), event, "{last}");
    }
    let unknown = serde_json::from_str::<Event>(r#"{"type":"mood_changed"}"#).unwrap_err();
    assert!(unknown.to_string().starts_with("unknown variant `mood_changed`"), "{unknown}");
    assert!(serde_json::from_str::<Event>("{}").is_err());
}
