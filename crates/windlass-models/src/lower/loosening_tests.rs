//! Lowering only loosens: what a tool's own schema takes, the lowered one takes too.

use super::*;

/// A small generator of numbers: the same seeds give the same schemas everywhere.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    fn often(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

const NAMES: [&str; 4] = ["a", "b", "c", "d"];
const DEFINED: [&str; 3] = ["one", "two", "self"];

/// Some of a list, at least one, in turned order.
fn some(dice: &mut Dice, list: Value) -> Vec<Value> {
    let mut list = list.as_array().unwrap().clone();
    let turned = dice.below(list.len());
    list.rotate_left(turned);
    list.truncate(1 + dice.below(list.len()));
    list
}

fn schema(dice: &mut Dice, depth: usize) -> Value {
    match dice.below(if depth == 0 { 7 } else { 14 }) {
        0 => json!({"type": "string", "minLength": 1}),
        1 => json!({"type": "string", "enum": some(dice, json!(["x", "y", ""]))}),
        2 => json!({"type": "integer", "exclusiveMinimum": 1, "maximum": 9}),
        3 => json!({"enum": some(dice, json!([1, "x", null, true]))}),
        4 => json!({"type": ["string", "null"], "description": "maybe"}),
        5 => json!({"const": some(dice, json!(["x", 2, false])).remove(0)}),
        6 => json!({"type": "boolean"}),
        7 => json!({"$ref": format!("#/$defs/{}", DEFINED[dice.below(3)])}),
        8 => json!({"type": "array", "items": schema(dice, depth - 1), "maxItems": 3}),
        9 => {
            json!({"type": "array", "prefixItems": [schema(dice, depth - 1), schema(dice, depth - 1)], "items": dice.often(50)})
        }
        10 => json!({"anyOf": [schema(dice, depth - 1), schema(dice, depth - 1), {"type": "null"}]}),
        11 => json!({"oneOf": [schema(dice, depth - 1), schema(dice, depth - 1)]}),
        12 => json!({"allOf": [object(dice, depth - 1), object(dice, depth - 1)]}),
        _ => object(dice, depth - 1),
    }
}

fn object(dice: &mut Dice, depth: usize) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for name in NAMES {
        if dice.often(50) {
            properties.insert(name.to_owned(), schema(dice, depth));
        }
        if dice.often(20) {
            required.push(name);
        }
    }
    let mut object = json!({"type": "object", "properties": properties, "required": required});
    if dice.often(40) {
        object["additionalProperties"] = json!(false);
    }
    if dice.often(10) {
        object["not"] = json!({"required": ["d"]});
    }
    object
}

fn root(dice: &mut Dice) -> Value {
    let mut root = match dice.below(6) {
        0 => json!({"anyOf": [object(dice, 1), object(dice, 1)]}),
        1 => json!({"allOf": [object(dice, 1), {"$ref": "#/$defs/one"}]}),
        2 => json!({"$ref": "#/$defs/one"}),
        _ => object(dice, 3),
    };
    root["$defs"] = json!({
        "one": object(dice, 1),
        "two": schema(dice, 0),
        "self": {"type": "object", "properties": {"a": {"$ref": "#/$defs/self"}, "b": {"type": "string"}}},
    });
    root
}

/// A value that often fits a schema.
fn instance(dice: &mut Dice, root: &Value, schema: &Value, depth: usize) -> Value {
    if depth == 0 || dice.often(5) {
        return [json!("x"), json!(5), json!(null), json!({}), json!([])][dice.below(5)].clone();
    }
    if let Some(reference) = schema["$ref"].as_str() {
        return instance(dice, root, root.pointer(&reference[1..]).unwrap(), depth - 1);
    }
    for keyword in ["anyOf", "oneOf"] {
        if let Some(list) = schema[keyword].as_array() {
            let picked = &list[dice.below(list.len())];
            return instance(dice, root, picked, depth);
        }
    }
    if let Some(list) = schema["allOf"].as_array() {
        let mut whole = Map::new();
        for part in list {
            if let Value::Object(fields) = instance(dice, root, part, depth) {
                whole.extend(fields);
            }
        }
        return Value::Object(whole);
    }
    if let Some(values) = schema["enum"].as_array() {
        return values[dice.below(values.len())].clone();
    }
    if let Some(value) = schema.get("const") {
        return value.clone();
    }
    match schema["type"].as_str() {
        Some("object") => {
            let mut fields = Map::new();
            for name in NAMES {
                let is_required =
                    schema["required"].as_array().is_some_and(|names| names.contains(&json!(name)));
                if is_required || dice.often(40) {
                    fields.insert(
                        name.to_owned(),
                        instance(dice, root, &schema["properties"][name], depth - 1),
                    );
                }
            }
            Value::Object(fields)
        }
        Some("array") => {
            let length = dice.below(4);
            let place = |index: usize| schema["prefixItems"].get(index).unwrap_or(&schema["items"]);
            (0..length).map(|index| instance(dice, root, place(index), depth - 1)).collect()
        }
        Some("string") => json!("x"),
        Some("integer") => json!(3),
        Some("boolean") => json!(true),
        _ => [json!("x"), json!(null), json!(4)][dice.below(3)].clone(),
    }
}

/// Gemini's `nullable` in words of JSON Schema.
fn spelled_out(schema: &Value) -> Value {
    match schema {
        Value::Object(fields) => {
            let mut plain: Map<String, Value> =
                fields.iter().map(|(name, value)| (name.clone(), spelled_out(value))).collect();
            match plain.remove("nullable") {
                Some(Value::Bool(true)) => json!({"anyOf": [plain, {"type": "null"}]}),
                Some(other) => {
                    plain.insert("nullable".to_owned(), other);
                    Value::Object(plain)
                }
                None => Value::Object(plain),
            }
        }
        Value::Array(list) => list.iter().map(spelled_out).collect(),
        other => other.clone(),
    }
}

#[test]
fn what_a_tool_takes_its_lowered_form_takes_in_every_dialect() {
    let mut taken = 0;
    for seed in 0..1_500 {
        let mut dice = Dice(seed);
        let own = root(&mut dice);
        let validator = jsonschema::validator_for(&own).unwrap();
        let instances: Vec<Value> = (0..12)
            .map(|_| instance(&mut dice, &own, &own, 6))
            .filter(|value| value.is_object() && validator.is_valid(value))
            .collect();
        if instances.is_empty() {
            continue;
        }
        taken += instances.len();
        for dialect in
            [SchemaDialect::Full, SchemaDialect::Strict, SchemaDialect::Gemini, SchemaDialect::Moonshot]
        {
            let lowered = spelled_out(&schema_in(dialect, own.clone()));
            let loose = jsonschema::validator_for(&lowered).unwrap();
            for value in &instances {
                assert!(
                    loose.is_valid(value),
                    "seed {seed}, {dialect:?}\nown {own}\nlowered {lowered}\nvalue {value}"
                );
            }
        }
    }
    assert!(taken > 3_000, "only {taken} values fitted their schemas");
}
