use serde_json::json;

use super::*;

#[test]
fn what_is_kept_is_there_until_it_is_forgotten() {
    let state = ScriptState::default();
    state.set("a", json!({"n": 1})).unwrap();
    assert_eq!(state.get("a"), Some(json!({"n": 1})));
    state.set("a", Value::Null).unwrap();
    assert_eq!(state.get("a"), None);
}

#[test]
fn r_16_keys_values_and_their_sum_are_bounded() {
    let state = ScriptState::default();
    let refused = |key: &str, value: Value| state.set(key, value).unwrap_err().kind;
    assert_eq!(refused("", json!(1)), ErrorKind::LimitExceeded);
    assert_eq!(refused(&"k".repeat(1_000), json!(1)), ErrorKind::LimitExceeded);
    assert_eq!(refused("k", json!("x".repeat(STATE_VALUE_BYTES_MAX))), ErrorKind::LimitExceeded);
    let large = json!("x".repeat(STATE_VALUE_BYTES_MAX - 100));
    let taken = (0..1_000).take_while(|n| state.set(&n.to_string(), large.clone()).is_ok()).count();
    assert_eq!(taken, STATE_BYTES_MAX / (STATE_VALUE_BYTES_MAX - 100));
    // What is replaced makes room for what replaces it.
    state.set("0", large).unwrap();
    let many = ScriptState::default();
    let taken = (0..2_000).take_while(|n| many.set(&n.to_string(), json!(0)).is_ok()).count();
    assert_eq!(taken, STATE_KEYS_MAX);
    many.set("0", json!(1)).unwrap();
}
