//! The root that every provider takes: an object with properties, and no choice beside them.
//!
//! Providers refuse `anyOf`, `oneOf`, `allOf`, `enum`, `not` and references at the root of a tool's
//! parameters. What these say about properties is kept as far as it can be; the rest is left out.

use serde_json::{Map, Value, json};
use windlass_core::calls::json::clip::clip_chars;

use super::shape::{cut_loose_references, properties_of, resolve, texts_of, tidy, types_of};
use super::{Losses, Schema, Unlowerable};

/// References followed from one root to the next.
const HOPS_MAX: usize = 8;
/// What a description says of a property that only some forms of the arguments have.
const FORM_CHARS_MAX: usize = 300;

/// A well-formed object schema that accepts at least what the tool's own does.
pub(super) fn lower(schema: &Value, losses: &mut Losses) -> Result<Schema, Unlowerable> {
    let mut schema = schema.clone();
    if !schema.is_object() && !schema.is_boolean() {
        return Err(Unlowerable("its schema is not a JSON Schema"));
    }
    tidy(&mut schema, 0, losses)?;
    let Value::Object(mut root) = schema else { return Err(Unlowerable("its schema is not a JSON Schema")) };
    cut_loose_references(&mut root, losses);
    root.remove("$schema");
    open_reference(&mut root)?;
    let types = types_of(&root);
    if !types.is_empty() && !types.contains(&"object") {
        return Err(Unlowerable("its schema does not describe an object"));
    }
    fold_choices(&mut root, losses);
    // What was folded may have been referred to.
    cut_loose_references(&mut root, losses);
    // Type first and properties present, as every example of every provider has them.
    let mut ordered = Map::new();
    ordered.insert("type".to_owned(), "object".into());
    ordered.insert("properties".to_owned(), root.remove("properties").unwrap_or_else(|| json!({})));
    root.remove("type");
    ordered.append(&mut root);
    Ok(ordered)
}

/// Makes a reference at the root one of the things that must all hold.
fn open_reference(root: &mut Schema) -> Result<(), Unlowerable> {
    let mut met = Vec::new();
    while let Some(Value::String(reference)) = root.remove("$ref") {
        if reference == "#" || met.contains(&reference) || met.len() >= HOPS_MAX {
            return Err(Unlowerable("its schema refers to itself alone"));
        }
        let mut target = resolve(root, &reference).cloned().unwrap_or_default();
        if let Some(next) = target.remove("$ref") {
            root.insert("$ref".to_owned(), next);
        }
        if !root.contains_key("type")
            && let Some(types) = target.get("type").cloned()
        {
            root.insert("type".to_owned(), types);
        }
        if !root.contains_key("description")
            && let Some(description) = target.get("description").cloned()
        {
            root.insert("description".to_owned(), description);
        }
        if !root.contains_key("additionalProperties")
            && !root.contains_key("properties")
            && let Some(rest) = target.get("additionalProperties").cloned()
        {
            root.insert("additionalProperties".to_owned(), rest);
        }
        match root.entry("allOf").or_insert_with(|| json!([])) {
            Value::Array(all) => all.push(Value::Object(target)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {}
        }
        met.push(reference);
    }
    Ok(())
}

/// Folds what stands beside the properties into them.
fn fold_choices(root: &mut Schema, losses: &mut Losses) {
    let mut is_folded = false;
    if let Some(Value::Array(all)) = root.remove("allOf") {
        let branches = open_branches(root, all);
        is_folded = true;
        fold_all(root, &branches);
    }
    for keyword in ["anyOf", "oneOf"] {
        if let Some(Value::Array(any)) = root.remove(keyword) {
            let branches = open_branches(root, any);
            is_folded = true;
            fold_any(root, &branches);
            losses
                .add("schema_root", format!("'{keyword}' at the root of its schema became plain properties"));
        }
    }
    for keyword in ["not", "enum", "const"] {
        if root.remove(keyword).is_some() {
            losses.add("schema_root", format!("'{keyword}' at the root of its schema was left out"));
        }
    }
    if is_folded {
        // It counted what the folded parts named.
        root.remove("unevaluatedProperties");
    }
}

/// The branches with their references opened.
fn open_branches(root: &Schema, branches: Vec<Value>) -> Vec<Schema> {
    let open = |branch: Value| {
        let Value::Object(mut branch) = branch else { return Schema::new() };
        for _ in 0..HOPS_MAX {
            let Some(Value::String(reference)) = branch.remove("$ref") else { break };
            for (keyword, value) in resolve(root, &reference).into_iter().flatten() {
                branch.entry(keyword.clone()).or_insert_with(|| value.clone());
            }
        }
        branch
    };
    branches.into_iter().map(open).collect()
}

/// All hold: properties and what is required add up.
fn fold_all(root: &mut Schema, branches: &[Schema]) {
    for branch in branches {
        for (name, schema) in properties_of(branch).into_iter().flatten() {
            add_property(root, name, schema.clone());
        }
        require(root, texts_of(branch, "required"));
    }
}

/// One of them holds: only what all of them require is required, and a property has the schema of any of them.
fn fold_any(root: &mut Schema, branches: &[Schema]) {
    let names: Vec<&String> = branches.iter().filter_map(properties_of).flat_map(Map::keys).collect();
    for name in names {
        if properties_of(root).is_some_and(|own| own.contains_key(name)) {
            continue;
        }
        let mut forms: Vec<&Value> = Vec::new();
        for form in branches.iter().filter_map(|branch| properties_of(branch)?.get(name)) {
            if !forms.contains(&form) {
                forms.push(form);
            }
        }
        // A branch that neither names nor forbids it takes anything there.
        let is_open = branches.iter().any(|branch| {
            let names_it = properties_of(branch).is_some_and(|own| own.contains_key(name));
            !names_it && branch.get("additionalProperties") != Some(&Value::Bool(false))
        });
        let schema = match forms.as_slice() {
            _ if is_open => described(&forms),
            [form] => (*form).clone(),
            forms => json!({"anyOf": forms}),
        };
        add_property(root, name, schema);
    }
    let mut shared = branches.iter().map(|branch| texts_of(branch, "required"));
    let first = shared.next().unwrap_or_default();
    let others: Vec<Vec<&str>> = shared.collect();
    require(root, first.into_iter().filter(|name| others.iter().all(|other| other.contains(name))).collect());
}

/// A property that takes anything and says what is mostly wanted.
fn described(forms: &[&Value]) -> Value {
    let texts: Vec<String> = forms.iter().map(|form| form.to_string()).collect();
    let text = texts.join(" or ");
    json!({"description": format!("In some forms of the arguments: {}", clip_chars(&text, FORM_CHARS_MAX))})
}

fn add_property(root: &mut Schema, name: &str, schema: Value) {
    if let Value::Object(own) = root.entry("properties").or_insert_with(|| json!({})) {
        own.entry(name.to_owned()).or_insert(schema);
    }
}

fn require(root: &mut Schema, names: Vec<&str>) {
    if names.is_empty() {
        return;
    }
    if let Value::Array(own) = root.entry("required").or_insert_with(|| json!([])) {
        for name in names {
            if !own.iter().any(|known| known.as_str() == Some(name)) {
                own.push(name.into());
            }
        }
    }
}
