use super::*;

#[test]
fn what_is_a_value_is_the_same_with_and_without_building_it() {
    let deep = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    let texts = [
        r#"{"a":1,"b":[null,true,-2.5,"x"]}"#,
        r#" {"a":1,"a":2} "#,
        "{}",
        "1e999",
        r#""\ud83d""#,
        r#"{"a":1}}"#,
        r#"{"a":1"#,
        r#"{"a":01}"#,
        "",
    ];
    let texts = texts.map(str::to_owned).into_iter().chain([deep(100), deep(127), deep(128), deep(200)]);
    for text in texts {
        assert_eq!(is_value(&text), serde_json::from_str::<serde_json::Value>(&text).is_ok(), "{text}");
    }
}
