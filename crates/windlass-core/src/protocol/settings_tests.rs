//! What is wished, set and usual, laid over each other.

use serde_json::json;

use super::*;

#[test]
fn a_wish_stands_over_the_session_and_the_session_over_what_is_usual() {
    let usual = Sampling { temperature: Some(0.7), top_p: Some(0.9), seed: Some(1), ..Sampling::default() };
    let set = Sampling {
        temperature: Some(0.2),
        top_p: Some(0.5),
        response_format: Some(json!({"type": "json_object"})),
        ..Sampling::default()
    };
    let settings = SessionSettings {
        system: Some("Be brief.".into()),
        tool_choice: Some(ToolChoice::Required),
        sampling: set,
    };
    let wishes = RunWishes {
        tool_choice: Some(ToolChoice::Auto),
        sampling: Sampling { temperature: Some(0.0), ..Sampling::default() },
        ..RunWishes::default()
    };
    let whole = wishes.completed(&settings, &usual);
    let sampling = &whole.sampling;
    assert_eq!((sampling.temperature, sampling.top_p, sampling.seed), (Some(0.0), Some(0.5), Some(1)));
    assert_eq!(sampling.response_format, Some(json!({"type": "json_object"})));
    assert_eq!((whole.system.as_deref(), whole.tool_choice), (Some("Be brief."), Some(ToolChoice::Auto)));
    let text = Sampling { response_format: Some(json!({"type": "text"})), ..Sampling::default() };
    let plain = RunWishes { sampling: text, ..RunWishes::default() }.completed(&settings, &usual);
    assert_eq!(plain.sampling.response_format, None);
    assert_eq!(plain.tool_choice, Some(ToolChoice::Required));
}

#[test]
fn settings_read_back_as_they_were_written_and_nothing_set_is_nothing() {
    let settings = SessionSettings {
        tool_choice: Some(ToolChoice::Named("calculate".into())),
        sampling: Sampling { seed: Some(7), ..Sampling::default() },
        ..SessionSettings::default()
    };
    let text = serde_json::to_string(&settings).unwrap();
    assert_eq!(text, r#"{"tool_choice":{"name":"calculate"},"seed":7}"#);
    assert_eq!(serde_json::from_str::<SessionSettings>(&text).unwrap(), settings);
    assert!(serde_json::from_str::<SessionSettings>("{}").unwrap().is_empty());
}
