use serde_json::json;

use super::*;

fn entry(args: Value) -> AuditEntry {
    let Value::Object(args) = args else { panic!("arguments are an object") };
    AuditEntry::new(1_705_680_000_000, AuditDecision::UserApproved, "read_file", "user: once", &args)
}

#[test]
fn a_line_has_time_decision_tool_reason_user_and_arguments() {
    let entry = entry(json!({ "path": "a" }));
    assert_eq!(
        entry.to_string(),
        r#"[1705680000000] user_approved read_file | user: once | args={"path":"a"}"#
    );
    assert_eq!(
        entry.with_user("ada\n[0]").to_string(),
        r#"[1705680000000] user_approved read_file | user: once | user=ada [0] | args={"path":"a"}"#
    );
}

#[test]
fn a_line_is_read_back_as_it_was_written() {
    let plain = entry(json!({ "path": "a | args=b | user=eve" }));
    assert_eq!(AuditEntry::from_line(&plain.to_string()), Some(plain.clone()));
    let named = plain.with_user("ada");
    assert_eq!(AuditEntry::from_line(&named.to_string()), Some(named));
    let bare = AuditEntry::failed_validation(1, "x", "", "no JSON");
    assert_eq!(AuditEntry::from_line(&bare.to_string()), Some(bare));
    for line in [
        "",
        "hello",
        "[1] perhaps x | y | args={}",
        "[x] auto_approved a | b | args={}",
        "[1] auto_approved a",
    ] {
        assert_eq!(AuditEntry::from_line(line), None, "{line}");
    }
}

#[test]
fn decisions_have_their_words() {
    let decisions = [
        AuditDecision::AutoApproved,
        AuditDecision::UserApproved,
        AuditDecision::DeniedByPolicy,
        AuditDecision::DeniedByUser,
        AuditDecision::FailedValidation,
    ];
    let words = ["auto_approved", "user_approved", "denied_by_policy", "denied_by_user", "failed_validation"];
    assert_eq!(decisions.map(AuditDecision::word), words);
    for decision in decisions {
        assert_eq!(serde_json::to_value(decision).unwrap(), decision.word());
    }
}

#[test]
fn nobody_can_write_a_second_line() {
    let mut forged = AuditEntry::failed_validation(1, "x\n[2] ok y", "a\r\nb", "{}");
    assert_eq!(forged.to_string(), "[1] failed_validation x [2] ok y | a  b | args={}");
    forged.args = "{\n}".into();
    assert!(!forged.to_string().contains('\n'));
}

#[test]
fn secrets_are_struck_out_at_any_depth() {
    let args = json!({
        "API_KEY": "k", "user_password": "p", "nested": [{ "Authorization": { "v": "t" }, "n": 1 }],
        "b": true, "nothing": null, "path": "tokens.txt"
    });
    let line = entry(args).args;
    assert_eq!(
        line,
        r#"{"API_KEY":"[redacted]","user_password":"[redacted]","nested":[{"Authorization":"[redacted]","n":1}],"b":true,"nothing":null,"path":"tokens.txt"}"#
    );
    for name in SECRET_NAMES {
        assert_eq!(entry(json!({ name: "x" })).args, format!(r#"{{"{name}":"[redacted]"}}"#));
    }
}

#[test]
fn long_values_are_cut_between_characters() {
    let fits = "ä".repeat(AUDIT_VALUE_CHARS_MAX);
    assert_eq!(entry(json!({ "t": fits })).args, format!(r#"{{"t":"{fits}"}}"#));
    let long = format!("{fits}öü");
    assert_eq!(entry(json!({ "t": long })).args, format!(r#"{{"t":"{fits}… (2 more characters)"}}"#));
    let many = entry(json!({ "t": vec![0; 5_000] })).args;
    assert!(many.starts_with(r#"{"t":[0,0,"#) && many.ends_with("more characters)"), "{many}");
    assert_eq!(many.find('…'), Some(AUDIT_ARGS_CHARS_MAX));
}

#[test]
fn a_call_that_failed_validation_is_logged_without_repeating_what_cannot_be_read() {
    let good = AuditEntry::failed_validation(1, "read_file", "path is missing", r#"{"token":"x"}"#);
    assert_eq!(good.decision, AuditDecision::FailedValidation);
    assert_eq!(good.args, r#"{"token":"[redacted]"}"#);
    let broken = AuditEntry::failed_validation(1, "read_file", "not JSON", r#"{"token":"ä"#);
    assert_eq!(broken.args, "(11 characters, no JSON object)");
    assert_eq!((broken.ts_ms, broken.reason.as_str()), (1, "not JSON"));
}

#[test]
fn the_log_keeps_the_last_fifty() {
    let mut log = AuditLog::new();
    assert_eq!(log.entries().len(), 0);
    for ts_ms in 0..50 {
        log.push(AuditEntry { ts_ms, ..entry(json!({})) });
    }
    assert_eq!(log.entries().len(), 50);
    assert_eq!(log.entries().next().map(|entry| entry.ts_ms), Some(0));
    for ts_ms in 50..53 {
        log.push(AuditEntry { ts_ms, ..entry(json!({})) });
    }
    let kept: Vec<Millis> = log.entries().map(|entry| entry.ts_ms).collect();
    assert_eq!(kept, (3..53).collect::<Vec<_>>());
}

#[test]
fn an_entry_reads_back_from_json() {
    let entry = entry(json!({ "a": 1 })).with_user("ada");
    let text = serde_json::to_string(&entry).unwrap();
    assert_eq!(serde_json::from_str::<AuditEntry>(&text).unwrap(), entry);
}
