//! Answers that are nearly right: values with one thing changed, and right values written wrongly.

use serde_json::{Map, Value, json};

use super::{Case, Verdict};

/// Values with one thing changed, all of them different from each other and from the right ones.
pub(crate) fn values_of(case: &Case) -> Vec<Value> {
    let mut changed: Vec<Value> = Vec::new();
    for right in &case.rights {
        let mut found = Vec::new();
        change(right, &mut found);
        for value in found {
            if !changed.contains(&value) && !case.rights.contains(&value) {
                changed.push(value);
            }
        }
    }
    changed
}

fn change(value: &Value, found: &mut Vec<Value>) {
    let others = [
        json!(null),
        json!(true),
        json!(-1),
        json!(1.5),
        json!(300),
        json!(70_000),
        json!(5_000_000_000_i64),
        json!(1e30),
        json!(""),
        json!("Żółw 🦀"),
        json!([]),
        json!({}),
        json!([value]),
        json!({"value": value}),
    ];
    found.extend(others);
    match value {
        Value::Object(fields) => {
            for name in fields.keys() {
                let mut less = fields.clone();
                let taken = less.shift_remove(name).unwrap();
                found.push(less.clone().into());
                less.insert(format!("{name}_"), taken);
                found.push(less.into());
            }
            let mut more = fields.clone();
            more.insert("surplus".to_owned(), json!(1));
            found.push(more.into());
            for (name, field) in fields {
                inside(field, found, |inner| {
                    let mut fields: Map<String, Value> = fields.clone();
                    fields.insert(name.clone(), inner);
                    fields.into()
                });
            }
        }
        Value::Array(items) => {
            found.push(items.iter().skip(1).cloned().collect());
            found.push(items.iter().chain(items.first()).cloned().collect());
            found.push(items.iter().cloned().chain([json!({"surplus": 1})]).collect());
            for (place, item) in items.iter().enumerate() {
                inside(item, found, |inner| {
                    let mut items = items.clone();
                    items[place] = inner;
                    items.into()
                });
            }
        }
        Value::String(text) => {
            found.push(json!(format!("{text}{text}")));
            found.push(json!(text.to_uppercase()));
            found.push(json!(text.repeat(30)));
        }
        Value::Number(number) => {
            found.push(json!(number.to_string()));
            found.push(json!(-number.as_f64().unwrap() - 1.0));
        }
        Value::Null | Value::Bool(_) => {}
    }
}

fn inside(inner: &Value, found: &mut Vec<Value>, put: impl Fn(Value) -> Value) {
    let mut changed = Vec::new();
    change(inner, &mut changed);
    found.extend(changed.into_iter().map(put));
}

/// A right value written otherwise, with what each text is.
pub(crate) fn texts_of(case: &Case) -> Vec<(String, Verdict)> {
    let right = &case.rights[0];
    let text = case.written(right);
    let verdict = case.judge(right);
    let mut texts: Vec<(String, Verdict)> = [
        text[..text.len() - 1].to_owned(),
        format!("{text}\n{text}"),
        format!("Either {text} or {text}."),
        format!("{text}}}"),
        format!("{text} and [1]"),
        text.replacen(':', "=", 1) + "!",
        format!("{},}}", &text[..text.len() - 1]),
        "I cannot say that.".to_owned(),
        format!("```json\n{}\n```", &text[..text.len() - 1]),
    ]
    .map(|wrong| (wrong, Verdict::Wrong))
    .into();
    if let Some((name, field)) = serde_json::from_str::<Map<String, Value>>(&text).unwrap().iter().next() {
        let member = format!("{}:{field}", json!(name));
        texts.push((format!("{{{member},{}", &text[1..]), Verdict::Wrong));
        // Blanks of a text are no value; whatever has a field is one.
        texts.push((format!("Here it is:\n```json\n{text}\n```\nDone."), verdict.clone()));
        texts.push((format!("The answer is {text}, as asked."), verdict.clone()));
    }
    texts.push((format!("```\n{text}\n```"), if text == "{}" { Verdict::Wrong } else { verdict.clone() }));
    texts.push((format!("\n  {text}\n"), verdict));
    for bare in
        ["null", "true", "-1", "{}", "[]", "\"Żółw\"", "{\"value\":null}", "{\"value\":{\"value\":1}}"]
    {
        texts.push((bare.to_owned(), case.judge_answer(&serde_json::from_str(bare).unwrap())));
    }
    texts
}
